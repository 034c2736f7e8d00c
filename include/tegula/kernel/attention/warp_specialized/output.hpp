#pragma once

#include <tegula/kernel/attention/warp_specialized/tile.hpp>
#include <tegula/kernel/attention/work.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/coalesced.hpp>
#include <tegula/tensor/convert.hpp>
#include <tegula/tensor/tile_window.hpp>

namespace tegula {

/// Stores the rows of one consumer of a warp_specialized_attention_tile: O, by way of the shared memory `own` where its
/// queries were, and lse if it is not null.
template <class Tile, class O, class Arguments, class Rows>
TEGULA_INLINE void store_consumer_rows(const Arguments& args, const attention_sequence& s,
                                       const attention_work<attention_heads::apart>& at,
                                       const typename Tile::consumer::softmax::accumulators& output, const Rows& lse,
                                       std::byte* own)
{
    using consumer = typename Tile::consumer;
    using target = typename consumer::target;
    using atom = typename consumer::chain::output_atom;
    using element = typename Tile::element;
    // Columns that pass at once: registers hold them twice.
    constexpr index_t columns = min(Tile::value_dim, index_t{128} / static_cast<index_t>(sizeof(O)));
    using part_atom = wgmma_atom<typename Tile::target, element, element, float, static_cast<int>(columns),
                                 atom::order_a, atom::order_b>;
    using part_distribution = tile_distribution<typename part_atom::c_encoding>;
    using coalesced_rows = coalesced<target, O, 64, columns, 4>;
    const auto view = at.template matrix<target>(args.o.data + s.query_batch * args.o.batch_stride, args.o.head_stride,
                                                 args.o.row_stride, s.queries, args.value_dim, constant<1>{},
                                                 constant<16 / static_cast<index_t>(sizeof(O))>{}, "O");
    target::block_barrier(); // the warpgroup's queries are not read any more
    static_for<Tile::value_dim / columns>([&](auto part) {
        distributed_tensor<float, part_distribution> values;
        static_for<part_atom::c_count>([&](auto r) { values[r] = output.tiles[0][part * part_atom::c_count + r]; });
        store(make_tile_window<coalesced_rows>(view, {at.row, part * columns}),
              convert<target, coalesced_rows, Tile::query_operand::bytes>(cast<O>(values), own));
    });
    if (args.lse.data != nullptr) {
        const auto numbers = at.template numbers<target>(args.lse.data + s.query_batch * args.lse.batch_stride,
                                                         args.lse.head_stride, s.queries, "lse");
        store(make_tile_window<typename Rows::distribution>(numbers, {at.row}), lse);
    }
}

} // namespace tegula
