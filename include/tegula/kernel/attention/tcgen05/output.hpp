#pragma once

#include <tegula/kernel/attention/tcgen05/tile.hpp>
#include <tegula/kernel/attention/work.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/coalesced.hpp>
#include <tegula/tensor/convert.hpp>
#include <tegula/tensor/tile_window.hpp>

namespace tegula {

/// Stores the rows of one consumer of a tcgen05_attention_tile: O, which lies in tensor memory at `address` if `any` key
/// was there, times the factors of its rows, by way of the shared memory `own` where its queries were, and lse if it is
/// not null.
template <class Tile, class O, class Arguments, class Ends>
TEGULA_INLINE void store_tensor_memory_rows(const Arguments& args, const attention_sequence& s,
                                            const attention_work<attention_heads::apart>& at, std::uint32_t address,
                                            bool any, const Ends& ends, std::byte* own)
{
    using consumer = typename Tile::consumer;
    using target = typename consumer::target;
    using chain = typename consumer::chain;
    constexpr index_t rows = Tile::consumer_queries;
    constexpr index_t columns = min(Tile::value_dim, index_t{128} / static_cast<index_t>(sizeof(O)));
    using coalesced_rows = coalesced<target, O, rows, columns, 4>;
    const auto view = at.template matrix<target>(args.o.data + s.query_batch * args.o.batch_stride, args.o.head_stride,
                                                 args.o.row_stride, s.queries, args.value_dim, constant<1>{},
                                                 constant<16 / static_cast<index_t>(sizeof(O))>{}, "O");
    TEGULA_ROLLED
    for (index_t column = 0; column < Tile::value_dim; column += columns) {
        auto values = make_distributed_tensor<float, tensor_memory_distribution<columns>>(0);
        if (any)
            chain::template load<columns>(values, address + static_cast<std::uint32_t>(column));
        transform(values, [&](float x) { return x * ends.factor[0]; });
        store(make_tile_window<coalesced_rows>(view, {at.row, column}),
              convert<target, coalesced_rows, Tile::query_operand::bytes>(cast<O>(values), own));
    }
    if (args.lse.data != nullptr) {
        const auto numbers = at.template numbers<target>(args.lse.data + s.query_batch * args.lse.batch_stride,
                                                         args.lse.head_stride, s.queries, "lse");
        store(make_tile_window<typename consumer::softmax::row_distribution>(numbers, {at.row}), ends.logarithm);
    }
}

} // namespace tegula
