#pragma once

#include <tegula/kernel/attention/can_implement.hpp>
#include <tegula/kernel/attention/tensor_copy_maps.hpp>
#include <tegula/kernel/attention/warp_specialized/kernel.hpp>

/// The host's preparation for warp_specialized_attention: the tensor maps of Q, K and V.

namespace tegula {

struct attention_maps
{
    tensor_map_parameters q, k, v;
};

/// The parameters of the tensor maps, for addresses of the host or of the GPU. Precondition: can_implement(args) and
/// suits_tile(args) are ok.
///
/// Errors: unsupported if tensor copies cannot address an operand, there is no key, or lengths vary: what lies behind the
/// end of a sequence would be multiplied by its weight of 0, whatever it is. Such problems are for an attention_kernel.
template <class Kernel>
status describe_maps(const typename Kernel::problem_type& a, attention_maps& maps)
{
    const attention_lengths& l = a.lengths;
    if (l.query_offsets != nullptr || l.key_offsets != nullptr || l.key_lengths != nullptr)
        return {status_code::unsupported, "lengths of sequences vary; tensor copies know one length, take an "
                                          "attention_kernel"};
    if (a.seq_k == 0)
        return {status_code::unsupported, "there is no key; tensor copies have nothing to copy, take an "
                                          "attention_kernel"};
    if (status s = internal::describe_attention_map<typename Kernel::query_loads>("Q", a.q, a.batch, a.heads, a.seq_q,
                                                                                  a.head_dim, maps.q);
        !s)
        return s;
    if (status s = internal::describe_attention_map<typename Kernel::key_loads>("K", a.k, a.batch, a.kv_heads, a.seq_k,
                                                                                a.head_dim, maps.k);
        !s)
        return s;
    return internal::describe_attention_map<typename Kernel::value_loads>("V", a.v, a.batch, a.kv_heads, a.seq_k,
                                                                          a.value_dim, maps.v);
}

/// Whether a warp_specialized_attention takes the problem: can_implement, suits_tile and describe_maps. A problem without
/// queries is taken, and nothing is launched.
template <class Kernel>
status check_warp_specialized(const typename Kernel::problem_type& a, attention_maps& maps)
{
    using variant = typename Kernel::variant;
    if (status s = can_implement<variant>(a); !s)
        return s;
    if (status s = suits_tile<typename Kernel::tile, variant>(a); !s)
        return s;
    return a.batch == 0 || a.heads == 0 || a.seq_q == 0 ? status() : describe_maps<Kernel>(a, maps);
}

} // namespace tegula
