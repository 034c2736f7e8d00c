#pragma once

#include <tegula/host/cpu_device.hpp>
#include <tegula/host/launch_attention_backward.hpp>
#include <tegula/kernel/attention/cpu/gradient_tile.hpp>

namespace tegula {

/// The gradients of an attention on this machine by the kernels of Target: arch::x86_avx2, arch::x86_avx512, or
/// arch::host, the better of them that the machine has. T is float, half or bfloat16; up to 576 columns of Q and K and
/// 512 of V; every mask but block lists, bias, functor, sink and dropout. The workspace is allocated.
///
/// Errors: those of can_implement; out_of_memory; unsupported for more columns, and where the machine lacks the target's
/// instructions. With an error nothing was written.
template <class Target, class Variant = attention_variant<>, class T, class Gradient, class Score>
status cpu_attention_backward(cpu_device& device, const attention_backward_arguments<T, T, Gradient, Score>& args)
{
    if constexpr (std::is_same_v<Target, arch::host>) {
        if (x86::host_features().contains(x86::feature::avx512))
            return cpu_attention_backward<arch::x86_avx512, Variant>(device, args);
        return cpu_attention_backward<arch::x86_avx2, Variant>(device, args);
    } else {
        if (status s = can_implement<Variant>(args); !s)
            return device.refuse(s);
        const long_index_t floats = attention_backward_workspace::size(args.forward);
        host_memory workspace;
        if (status s = workspace.allocate(static_cast<std::size_t>(floats) * sizeof(float)); !s)
            return device.refuse(s);
        // In either tile fewer columns take as long as they are.
        using narrow = attention_backward_for<Target, T, 256, 256, Variant, Gradient, Score>;
        using wide = attention_backward_kernels<
            cpu_gradient_tile<Target, T, internal::cpu_attention_instruction<Target>, 84, 64, 576, 512>, Variant,
            Gradient, Score>;
        auto* const floats_of_workspace = static_cast<float*>(workspace.data());
        if (args.forward.head_dim <= 256 && args.forward.value_dim <= 256)
            return launch_attention_backward(device, narrow{}, args, floats_of_workspace);
        return launch_attention_backward(device, wide{}, args, floats_of_workspace);
    }
}

} // namespace tegula
