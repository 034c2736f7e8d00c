#pragma once

#include <tegula/host/cpu_device.hpp>
#include <tegula/host/launch_attention.hpp>
#include <tegula/kernel/attention/attention_kernel.hpp>
#include <tegula/kernel/attention/cpu/tiles.hpp>

namespace tegula {

/// O = softmax(scale Q K^T) V on this machine by the kernels of Target: arch::x86_avx2, arch::x86_avx512, or arch::host,
/// the better of them that the machine has. T is float, half or bfloat16; up to 576 columns of Q and K and 512 of
/// V; everything that attention_arguments has, as the Variant says.
///
///     attention_arguments<half, float> args = ...;
///     cpu_device device;
///     status s = cpu_attention<arch::host>(device, args);
///
/// Errors: those of can_implement and suits_tile; unsupported where the machine lacks the target's instructions. With an
/// error nothing was written.
template <class Target, class Variant = attention_variant<>, class T, class O, class Score>
status cpu_attention(cpu_device& device, const attention_arguments<T, O, Score>& args)
{
    if constexpr (std::is_same_v<Target, arch::host>) {
        if (x86::host_features().contains(x86::feature::avx512))
            return cpu_attention<arch::x86_avx512, Variant>(device, args);
        return cpu_attention<arch::x86_avx2, Variant>(device, args);
    } else {
        // In either tile fewer columns take as long as they are; rows that lie further apart are in more pages of memory.
        using narrow = attention_kernel<attention_tile_for<Target, T, 256>, O, Variant, Score>;
        using wide = attention_kernel<attention_tile_for<Target, T, 576, 512>, O, Variant, Score>;
        if (args.head_dim <= narrow::tile::head_dim && args.value_dim <= narrow::tile::value_dim)
            return launch_attention(device, narrow{}, args);
        return launch_attention(device, wide{}, args);
    }
}

} // namespace tegula
