#pragma once

#include <tegula/host/cpu_device.hpp>
#include <tegula/host/launch_gemm.hpp>
#include <tegula/kernel/gemm/cpu/tiles.hpp>

namespace tegula {

namespace detail {

/// Whether the machine has the instruction, and nothing faster in its place.
template <class Instruction>
bool takes_instruction()
{
    if constexpr (requires { Instruction::pays(); })
        if (!Instruction::pays())
            return false;
    return x86::host_features().contains(Instruction::needed);
}

/// f(instruction{}) with the first of the list that the machine takes; with the last where it takes none, whose launch
/// says what is lacking.
template <class F, class First, class... Rest>
status with_instruction(instruction_list<First, Rest...>, const F& f)
{
    if constexpr (sizeof...(Rest) == 0)
        return f(First{});
    else
        return takes_instruction<First>() ? f(First{}) : with_instruction(instruction_list<Rest...>{}, f);
}

} // namespace detail

/// C = epilogue(A B) on this machine by the kernels of Target: arch::x86_avx2, arch::x86_avx512, arch::x86_amx, or
/// arch::host, the best of them that the machine has. Any strides, batches and epilogues; Element is float, double, half, bfloat16,
/// float8_e4m3, std::int8_t or std::int16_t.
///
///     gemm_arguments<float, float, float, epilogue::linear<>> args = ...;
///     cpu_device device;                     // or cpu_device{.threads = 4}
///     status s = cpu_gemm<arch::host>(device, args);
///
/// Errors: those of can_implement and check_epilogue; unsupported where the machine lacks the target's instructions.
/// With an error nothing was written.
template <class Target, class Element, class C, class Epilogue>
status cpu_gemm(cpu_device& device, const gemm_arguments<Element, Element, C, Epilogue>& args)
{
    if constexpr (std::is_same_v<Target, arch::host>) {
        if constexpr (!std::is_same_v<typename cpu_instructions<arch::x86_amx, Element>::type,
                                      typename cpu_instructions<arch::x86_avx512, Element>::type>)
            if (x86::host_features().contains(x86::feature::avx512 | x86::feature::amx_tile))
                return cpu_gemm<arch::x86_amx>(device, args);
        if (x86::host_features().contains(x86::feature::avx512))
            return cpu_gemm<arch::x86_avx512>(device, args);
        return cpu_gemm<arch::x86_avx2>(device, args);
    } else {
        if (status s = can_implement(args); !s)
            return device.refuse(s);
        if (status s = x86::check_features(needed_features<Target>(), x86::host_features(), Target::chip().name); !s)
            return device.refuse(s);
        const int threads = device.threads > 0 ? device.threads : thread_pool::threads_of_machine();
        return detail::with_instruction(typename cpu_instructions<Target, Element>::type{}, [&](auto instruction) {
            using kernels = cpu_gemm_kernels<Target, Element, decltype(instruction), C, Epilogue>;
            return kernels::dispatch(args, threads, [&](auto kernel) { return launch_gemm(device, kernel, args); });
        });
    }
}

} // namespace tegula
