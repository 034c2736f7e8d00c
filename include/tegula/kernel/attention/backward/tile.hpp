#pragma once

#include <tegula/block/accumulator_operand.hpp>
#include <tegula/block/output_stage.hpp>
#include <tegula/block/resident_rows.hpp>
#include <tegula/block/row_tiles.hpp>
#include <tegula/mma/choose.hpp>

namespace tegula {

/// How a kernel of the backward pass is cut up. A block keeps Rows rows of two matrices, keys and values or queries and
/// dO, and goes through the rows of the other two in tiles of Columns, a ring of Stages in shared memory.
///
///   HeadDim, ValueDim  columns of Q and K and of V and O, at most; products take so many
///   Waves              along the rows
///   InRegisters        where the kept rows lie
template <class Target, class Element, index_t HeadDim, index_t ValueDim, index_t Rows, index_t Columns, int Waves,
          int Stages, bool InRegisters>
struct attention_gradient_tile
{
    using target = Target;
    using element = Element;
    using atom = default_atom<Target, Element>;

    static constexpr index_t head_dim = HeadDim;
    static constexpr index_t value_dim = ValueDim;
    static constexpr index_t rows = Rows;
    static constexpr index_t columns = Columns;
    static constexpr int waves = Waves;
    static constexpr int stages = Stages;
    static constexpr int block_threads = Waves * Target::wave_size;

    /// [Rows, Columns] over the columns of the matrices, and what comes of those tiles over their own columns.
    using scores = mma_tile<Target, atom, Rows, Columns, Waves, 1>;
    using over_head = mma_tile<Target, atom, Rows, HeadDim, Waves, 1>;
    using over_value = mma_tile<Target, atom, Rows, ValueDim, Waves, 1>;

    using kept_head = resident_rows<Target, Element, HeadDim, scores, InRegisters>;
    using kept_value = resident_rows<Target, Element, ValueDim, scores, InRegisters>;
    static constexpr index_t kept_bytes = kept_head::bytes + kept_value::bytes;

    using head_tiles = row_tiles<Target, Element, Columns, HeadDim, Waves, scores, over_head, Stages>;
    /// Across: over_value where dV is computed, else void.
    template <class Across>
    using value_tiles = row_tiles<Target, Element, Columns, ValueDim, Waves, scores, Across, Stages>;

    template <class Across>
    static constexpr index_t ring_bytes = head_tiles::bytes + value_tiles<Across>::bytes;
    /// Shared memory of a block, in bytes. Rows kept in registers only pass through it.
    template <class Across>
    static consteval index_t shared_bytes()
    {
        constexpr index_t loop =
            InRegisters ? max(kept_bytes, ring_bytes<Across>) : kept_bytes + ring_bytes<Across>;
        return max(loop, max(output_stage<over_head>::bytes, output_stage<over_value>::bytes));
    }

    /// Where the ring starts in shared memory.
    static constexpr index_t ring_offset = InRegisters ? 0 : kept_bytes;

    /// Completes the rows that stay.
    static TEGULA_INLINE void keep(kept_head& head, kept_value& value)
    {
        if constexpr (kept_head::loader::asynchronous) {
            Target::async_commit();
            Target::template async_wait<0>();
        }
        head.finish();
        value.finish();
        Target::shared_barrier();
        head.hold();
        value.hold();
        if constexpr (InRegisters)
            Target::shared_barrier();
    }

    using score_tile = distributed_tensor<float, typename scores::c_distribution>;

    /// kept B^T for the tiles in `slot` of the ring.
    template <class Kept, class Tiles>
    static TEGULA_INLINE score_tile multiply_along(const Kept& kept, const Tiles& tiles, int slot)
    {
        typename scores::accumulators acc;
        acc.clear();
        static_for<Kept::slices>([&](auto i) {
            constexpr int k = i * scores::slice_k;
            scores::multiply(acc, kept.template read<k>(), tiles.template read_along<k>(slot));
        });
        score_tile c;
        static_for<score_tile::num_registers>(
            [&](auto r) { c[r] = acc.tiles[r / atom::c_count][r % atom::c_count]; });
        return c;
    }
    /// acc += c B, c being the result of `scores` and B the tile in `slot` of the ring.
    template <class Product, class Tiles>
    static TEGULA_INLINE void multiply_across(typename Product::accumulators& acc,
                                              const score_tile& c, const Tiles& tiles, int slot)
    {
        using operand = accumulator_operand<scores, Product>;
        static_for<operand::slices>([&](auto i) {
            Product::multiply(acc, operand::template slice<i>(c),
                              tiles.template read_across<i * Product::slice_k>(slot));
        });
    }
};

} // namespace tegula
