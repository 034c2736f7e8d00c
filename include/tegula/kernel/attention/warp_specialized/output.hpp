#pragma once

#include <tegula/kernel/attention/output_rows.hpp>
#include <tegula/kernel/attention/warp_specialized/tile.hpp>
#include <tegula/kernel/attention/work.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/coalesced.hpp>
#include <tegula/tensor/convert.hpp>
#include <tegula/tensor/tile_window.hpp>

namespace tegula {

/// Stores the 64 rows of a warpgroup_chain's accumulators, times `factor`, as the rows of `view` from `row` on.
/// Precondition: the products of the warpgroup are done.
///
///   column  of `view` where the accumulators' first column goes
///   own  Bytes bytes of shared memory, which the warpgroup alone uses
template <class Group, class Chain, class T, index_t Bytes, class View>
TEGULA_INLINE void store_warpgroup_rows(const View& view, index_t row, const typename Chain::accumulators& rows,
                                        float factor, std::byte* own, index_t column = 0)
{
    using atom = typename Chain::output_atom;
    // Columns that pass at once: registers hold them twice.
    constexpr index_t columns = min(index_t{atom::n}, index_t{128} / static_cast<index_t>(sizeof(T)));
    using part_distribution = typename Chain::template output_distribution<columns>;
    using coalesced_rows = coalesced<Group, T, 64, columns, 4>;
    Group::block_barrier(); // no lane of the warpgroup reads what was there any more
    static_for<atom::n / columns>([&](auto part) TEGULA_INLINE_LAMBDA {
        distributed_tensor<float, part_distribution> values;
        constexpr int count = part_distribution::num_registers;
        static_for<count>([&](auto r) { values[r] = rows.tiles[0][part * count + r] * factor; });
        store(make_tile_window<coalesced_rows>(view, {row, column + part * columns}),
              convert<Group, coalesced_rows, Bytes>(cast<T>(values), own));
    });
}

/// Stores the rows of one consumer of a warp_specialized_attention_tile: O, through the shared memory `own`, which held
/// its queries, and lse if it is not null.
template <class Tile, class O, class Arguments, class Rows>
TEGULA_INLINE void store_consumer_rows(const Arguments& args, const attention_sequence& s,
                                       const attention_work<attention_heads::apart>& at,
                                       const typename Tile::consumer::softmax::accumulators& output, const Rows& lse,
                                       std::byte* own)
{
    using consumer = typename Tile::consumer;
    using target = typename consumer::target;
    store_warpgroup_rows<target, typename consumer::chain, O, Tile::query_operand::bytes>(
        make_query_view<target>(args.o, s, at, args.value_dim, "O"), at.row, output, 1.0f, own);
    if (args.lse.data != nullptr)
        store_row_numbers<target>(s, at, args.lse, lse, "lse");
}

} // namespace tegula
