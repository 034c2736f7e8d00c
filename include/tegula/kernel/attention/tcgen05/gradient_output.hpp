#pragma once

#include <tegula/kernel/attention/backward/tensor_copy_part.hpp>
#include <tegula/kernel/attention/tcgen05/gradient_tile.hpp>
#include <tegula/kernel/attention/tcgen05/output.hpp>

namespace tegula {

/// Warpgroup 0 stores dK or dQ, the other dV, through the memory of the kept rows, which no role reads any more.
///
///   Tile     a tcgen05_gradient_tile
///   all      a tensor_copy_gradient_part
///   address  address of the warpgroup's lanes in tensor memory
///   any      whether there were products
template <class Tile, class Problem, class Part>
TEGULA_INLINE void store_tensor_memory_gradients(const Problem& problem, const Part& all, int number,
                                                 std::uint32_t address, bool any)
{
    constexpr bool keeps_keys = Part::keeps_keys;
    using target = typename Tile::target;
    using group_target = warpgroup<target>;
    using head_chain = typename Tile::head_chain;
    using places = typename Tile::template places<keeps_keys>;
    using Gradient = std::remove_pointer_t<decltype(problem.dq.data)>;
    const auto& forward = problem.forward;
    std::byte* const memory = target::shared_memory();
    if (number == 0) {
        store_tensor_memory<group_target, head_chain, Gradient, Tile::head_dim, Tile::kept_head::bytes>(
            all.template head_gradient<group_target>(problem), all.row, address + places::head, any, forward.scale,
            memory);
    } else if constexpr (keeps_keys) {
        store_tensor_memory<group_target, head_chain, Gradient, Tile::value_dim, Tile::kept_value::bytes>(
            all.template value_gradient<group_target>(problem), all.row, address + places::value, any, 1.0f,
            memory + Tile::kept_value_byte);
    }
}

} // namespace tegula
