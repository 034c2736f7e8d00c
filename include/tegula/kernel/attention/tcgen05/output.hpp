#pragma once

#include <tegula/kernel/attention/output_rows.hpp>
#include <tegula/kernel/attention/tcgen05/tile.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/coalesced.hpp>
#include <tegula/tensor/convert.hpp>
#include <tegula/tensor/tile_window.hpp>

namespace tegula {

/// Run by a warpgroup: stores 128 rows of Columns columns of tensor memory, from `address` on, times a factor for each
/// row, to rows of `view` from `row` on. Zeros if not `any`: nothing was written there. Chain is the tensor_core_chain.
///
///   own  Bytes bytes of shared memory, which the warpgroup alone uses
template <class Group, class Chain, class T, index_t Columns, index_t Bytes, class View>
TEGULA_INLINE void store_tensor_memory(const View& view, index_t row, std::uint32_t address, bool any, float factor,
                                       std::byte* own)
{
    constexpr index_t columns = min(Columns, index_t{128} / static_cast<index_t>(sizeof(T)));
    using coalesced_rows = coalesced<Group, T, 128, columns, 4>;
    TEGULA_ROLLED
    for (index_t column = 0; column < Columns; column += columns) {
        auto values = make_distributed_tensor<float, tensor_memory_distribution<columns>>(0);
        if (any)
            Chain::template load<columns>(values, address + static_cast<std::uint32_t>(column));
        transform(values, [&](float x) { return x * factor; });
        store(make_tile_window<coalesced_rows>(view, {row, column}),
              convert<Group, coalesced_rows, Bytes>(cast<T>(values), own));
    }
}

/// Stores the rows of one consumer of a tcgen05_attention_tile: O times the factors of its rows, and lse if it is not
/// null. O lies in tensor memory at `address` if there was `any` key. It goes through the shared memory `own`, which
/// held the consumer's queries.
template <class Tile, class O, class Arguments, class Ends>
TEGULA_INLINE void store_tensor_memory_rows(const Arguments& args, const attention_sequence& s,
                                            const attention_work<attention_heads::apart>& at, std::uint32_t address,
                                            bool any, const Ends& ends, std::byte* own)
{
    using consumer = typename Tile::consumer;
    using target = typename consumer::target;
    store_tensor_memory<target, typename consumer::chain, O, Tile::value_dim, Tile::query_operand::bytes>(
        make_query_view<target>(args.o, s, at, args.value_dim, "O"), at.row, address, any, ends.factor[0], own);
    if (args.lse.data != nullptr)
        store_row_numbers<target>(s, at, args.lse, ends.lse(), "lse");
}

} // namespace tegula
