#pragma once

#include <tegula/host/cpu_device.hpp>
#include <tegula/kernel/attention/attention_kernel.hpp>
#include <tegula/kernel/attention/cpu/tiles.hpp>

namespace tegula {

/// O = softmax(scale Q K^T) V on this machine by the kernels of Target: arch::x86_avx2, arch::x86_avx512, or arch::host
/// for the better of them that the machine has. Arguments are attention_arguments of float, half or bfloat16, with all
/// their features, as the Variant says. Q and K have up to 576 columns, V up to 512.
///
///     attention_arguments<half, float> args = ...;
///     cpu_device device;
///     status s = launch(device, cpu_attention<arch::host>{}, args);
///
/// Errors: those of can_implement and suits_tile; unsupported if the machine lacks the target's instructions. Nothing
/// is written on an error.
template <class Target, class Variant = attention_variant<>, class Arguments = any_arguments>
struct cpu_attention;

template <class Target, class Variant>
struct cpu_attention<Target, Variant, any_arguments>
{
    template <class Arguments>
    using with_arguments = cpu_attention<Target, Variant, Arguments>;
};

template <class Target, class T, class O, class Score, class Variant>
struct cpu_attention<Target, Variant, attention_arguments<T, O, Score>>
{
    using arguments = attention_arguments<T, O, Score>;

    static status check(const arguments& args)
    {
        return with_kernel(args, [&](auto kernel) { return kernel.check(args); });
    }
    static arguments normalize(const arguments& args) { return args; }
    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        add_attention<Variant>(memory, args);
    }
    static status check_indices(const arguments& args) { return check_numbers_in_memory<Variant>(args); }
    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        return with_kernel(args, [&](auto kernel) { return launch.run(kernel, args); });
    }

    /// Calls f(kernel{}) with the attention_kernel for the arguments.
    template <class F>
    static status with_kernel(const arguments& args, const F& f)
    {
        if constexpr (std::is_same_v<Target, arch::host>) {
            if (x86::host_features().contains(x86::feature::avx512))
                return cpu_attention<arch::x86_avx512, Variant, arguments>::with_kernel(args, f);
            return cpu_attention<arch::x86_avx2, Variant, arguments>::with_kernel(args, f);
        } else {
            // In both tiles the time follows the columns in use. The wide one's rows are further apart, in more pages.
            using narrow = attention_kernel<attention_tile_for<Target, T, 256>, O, Variant, Score>;
            using wide = attention_kernel<attention_tile_for<Target, T, 576, 512>, O, Variant, Score>;
            if (args.head_dim <= narrow::tile::head_dim && args.value_dim <= narrow::tile::value_dim)
                return f(narrow{});
            return f(wide{});
        }
    }
};

} // namespace tegula
