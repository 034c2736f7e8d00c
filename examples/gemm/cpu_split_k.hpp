#pragma once

#include "cpu.hpp"

#include <tegula/host/cpu_forms.hpp>

namespace gemm_example {

template <class Target, class Input>
run_result multiply_split_k(const problem& p, const run_options& options)
{
    const auto args = make_arguments<Input>(p);
    return run_on_cpu([&](tegula::cpu_device& device) {
        return tegula::launch(device, tegula::cpu_split_k_gemm<Target, std::remove_const_t<decltype(args)>>{},
                              {args, options.sharing.splits});
    });
}

/// Adds the CPU's product for --splits.
template <class Target, class Input>
bool add_cpu_split_k(const char* type)
{
    kernel_entry e = describe_cpu_tile<Target, typename tegula::prologue_tiles<Target, Input>::small>(type, "t84x256");
    e.shares_k = true;
    e.run = &multiply_split_k<Target, Input>;
    return add_kernels({e});
}

} // namespace gemm_example
