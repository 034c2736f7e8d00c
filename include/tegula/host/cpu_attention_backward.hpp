#pragma once

#include <tegula/host/cpu_device.hpp>
#include <tegula/kernel/attention/cpu/gradient_tile.hpp>

namespace tegula {

/// The gradients of an attention on this machine by the kernels of Target: arch::x86_avx2, arch::x86_avx512, or
/// arch::host for the better of them that the machine has. Arguments are attention_backward_arguments of float, half or
/// bfloat16, with bias, functor, sink, dropout and every mask except block lists. Q and K have up to 576 columns, V up
/// to 512. The workspace is allocated.
///
/// Errors: those of can_implement; out_of_memory; unsupported for more columns, and if the machine lacks the target's
/// instructions. Nothing is written on an error.
template <class Target, class Variant = attention_variant<>, class Arguments = any_arguments>
struct cpu_attention_backward;

template <class Target, class Variant>
struct cpu_attention_backward<Target, Variant, any_arguments>
{
    template <class Arguments>
    using with_arguments = cpu_attention_backward<Target, Variant, Arguments>;
};

template <class Target, class T, class Gradient, class Score, class Variant>
struct cpu_attention_backward<Target, Variant, attention_backward_arguments<T, T, Gradient, Score>>
{
    using arguments = attention_backward_arguments<T, T, Gradient, Score>;

    static status check(const arguments& args)
    {
        if (const status s = can_implement<Variant>(args); !s)
            return s;
        return with_kernels(
            args, [&](auto kernels) { return suits_gradient_tile<typename decltype(kernels)::tile, Variant>(args); });
    }
    static arguments normalize(const arguments& args) { return args; }
    /// A cpu_device needs no memory ranges.
    template <class Memory>
    static void memory(const arguments&, Memory&)
    {}
    static status check_indices(const arguments& args) { return check_gradient_numbers_in_memory<Variant>(args); }
    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        const long_index_t floats = attention_backward_workspace::size(args.forward);
        host_memory workspace;
        if (status s = workspace.allocate(static_cast<std::size_t>(floats) * sizeof(float)); !s)
            return s;
        return with_kernels(args, [&](auto kernels) {
            return launch.run(kernels, kernels.normalize({args, {static_cast<float*>(workspace.data())}}));
        });
    }

    /// Calls f(kernels{}) with the attention_backward_kernels for the arguments.
    template <class F>
    static status with_kernels(const arguments& args, const F& f)
    {
        if constexpr (std::is_same_v<Target, arch::host>) {
            if (x86::host_features().contains(x86::feature::avx512))
                return cpu_attention_backward<arch::x86_avx512, Variant, arguments>::with_kernels(args, f);
            return cpu_attention_backward<arch::x86_avx2, Variant, arguments>::with_kernels(args, f);
        } else {
            // In both tiles the time follows the columns in use.
            using narrow = attention_backward_for<Target, T, 256, 256, Variant, Gradient, Score>;
            using wide = attention_backward_kernels<
                cpu_gradient_tile<Target, T, internal::cpu_attention_instruction<Target>, 84, 64, 576, 512>, Variant,
                Gradient, Score>;
            if (args.forward.head_dim <= narrow::tile::head_dim && args.forward.value_dim <= narrow::tile::value_dim)
                return f(narrow{});
            return f(wide{});
        }
    }
};

} // namespace tegula
