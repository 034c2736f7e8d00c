#pragma once

/// Checks of attention on CPUs, for forward.cpp and test/grid/attention_cpu_forms.cpp.

#include "test/kernel/attention/split/split.hpp"
#include "test/kernel/device_of_cpu.hpp"

#include <tegula/host/cpu_attention.hpp>

using namespace tegula;
using namespace tegula::test;

namespace {

using causal = attention_variant<attention_mask::band>;

/// As the machine's own code.
template <class Kernel>
void check_native(const attention_data<Kernel>& data)
{
    if (!has_target<typename Kernel::target>())
        return;
    check_attention(data, [&] {
        cpu_device device;
        device.threads = static_cast<int>(data.args.seq_k % 3);
        emulator::launch_result run;
        run.status = launch(device, Kernel{}, data.args);
        return run;
    });
}

/// A tile of few rows on the strict emulator.
template <class Target, class T>
using strict_tile = cpu_attention_tile<arch::strict<Target>, T, detail::cpu_attention_instruction<Target>,
                                       2 * detail::cpu_attention_instruction<Target>::rows, 32, 64, 64>;

} // namespace
