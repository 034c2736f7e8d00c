// not in the demo
#if defined(__x86_64__)

#include "cpu.hpp"

#include <tegula/host/cpu_forms.hpp>

namespace gemm_example {
namespace {

template <class Target, class Input>
run_result multiply(const problem& p, const run_options& options)
{
    const auto args = make_arguments<Input>(p);
    return run_on_cpu([&](tegula::cpu_device& device) {
        return tegula::cpu_split_k_gemm<Target>(device, args, options.sharing.splits);
    });
}

/// --splits on the CPU: the types that other targets have it for.
template <class Target, class Input>
bool add(const char* type)
{
    kernel_entry e = describe_cpu_tile<Target, typename tegula::prologue_tiles<Target, Input>::small>(type, "t84x256");
    e.shares_k = true;
    e.run = &multiply<Target, Input>;
    return add_kernels({e});
}

template <class Target>
bool add_both()
{
    return add<Target, tegula::bfloat16>("bf16") && add<Target, std::int8_t>("int8");
}

const bool added =
    add_both<tegula::arch::x86_amx>() && add_both<tegula::arch::x86_avx512>() && add_both<tegula::arch::x86_avx2>();

} // namespace
} // namespace gemm_example

#endif
