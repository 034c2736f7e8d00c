#pragma once

#include <tegula/host/cpu_device.hpp>
#include <tegula/kernel/gemm/cpu/tiles.hpp>

namespace tegula {

namespace detail {

/// Whether the machine has the instruction, and nothing faster in its place.
template <class Instruction>
bool takes_instruction()
{
    return Instruction::pays() && x86::host_features().contains(Instruction::needed);
}

/// Calls f(instruction{}) with the first instruction of the list that the machine takes. If it takes none, f gets the
/// last one, and its launch reports the missing features.
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
/// arch::host for the best of them that the machine has. Arguments are gemm_arguments of float, double, half, bfloat16,
/// float8_e4m3, std::int8_t or std::int16_t, with any strides, batches and epilogues. cpu_forms.hpp has the other
/// forms.
///
///     gemm_arguments<float, float, float, epilogue::linear<>> args = ...;
///     cpu_device device;                     // or cpu_device{.threads = 4}
///     status s = launch(device, cpu_gemm<arch::host>{}, args);
///
/// Errors: those of can_implement and check_epilogue; unsupported if the machine lacks the target's instructions.
/// Nothing is written on an error.
template <class Target, class Arguments = any_arguments>
struct cpu_gemm;

template <class Target>
struct cpu_gemm<Target, any_arguments> : deduces_arguments<cpu_gemm, Target>
{};

template <class Target, class Element, class C, class Epilogue>
struct cpu_gemm<Target, gemm_arguments<Element, Element, C, Epilogue>>
    : product_protocol<gemm_arguments<Element, Element, C, Epilogue>>
{
    using arguments = gemm_arguments<Element, Element, C, Epilogue>;

    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        if constexpr (std::is_same_v<Target, arch::host>) {
            if constexpr (!std::is_same_v<typename cpu_instructions<arch::x86_amx, Element>::type,
                                          typename cpu_instructions<arch::x86_avx512, Element>::type>)
                if (x86::host_features().contains(x86::feature::avx512 | x86::feature::amx_tile))
                    return launch.run(cpu_gemm<arch::x86_amx, arguments>{}, args);
            if (x86::host_features().contains(x86::feature::avx512))
                return launch.run(cpu_gemm<arch::x86_avx512, arguments>{}, args);
            return launch.run(cpu_gemm<arch::x86_avx2, arguments>{}, args);
        } else {
            if (status s = x86::check_features(needed_features<Target>(), x86::host_features(), Target::chip().name);
                !s)
                return s;
            // One or two rows are multiplied by vectors, which read B where it lies.
            if constexpr (std::is_same_v<Target, arch::x86_amx>)
                if (args.m <= 2)
                    return launch.run(cpu_gemm<arch::x86_avx512, arguments>{}, args);
            const int given = launch.device().threads;
            const int threads = given > 0 ? given : thread_pool::threads_of_machine();
            return detail::with_instruction(typename cpu_instructions<Target, Element>::type{}, [&](auto instruction) {
                using kernels = cpu_gemm_kernels<Target, Element, decltype(instruction), C, Epilogue>;
                return kernels::dispatch(args, threads, [&](auto kernel) { return launch.run(kernel, args); });
            });
        }
    }
};

} // namespace tegula
