// Attention on CPUs: as the machine's own code and on the strict emulator, against the reference and the bounds that the
// GPUs' kernels are held to.

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

TEST_CASE("CPU attention: floats, bias and soft cap", "[attention][cpu]")
{
    using target = arch::x86_avx2;
    using kernel = attention_kernel<attention_tile_for<target, float, 128>, float,
                                    attention_variant<attention_mask::band, attention_bias::tensor>, soft_cap<target>>;
    attention_data<kernel> data(100, 150, 2, 1, 1, 96, 112);
    std::vector<float> bias(100 * 150);
    fill_normal<float>(bias, 5);
    data.args.bias = {bias.data(), 0, 0, 150, 1};
    data.args.score.cap = 2;
    check_native(data);
}
