#pragma once

#include <tegula/block/chained_products.hpp>
#include <tegula/block/product_streams.hpp>
#include <tegula/block/resident_rows.hpp>
#include <tegula/block/row_tiles.hpp>
#include <tegula/block/streamed_product.hpp>
#include <tegula/kernel/attention/backward/passing_numbers.hpp>
#include <tegula/kernel/attention/backward/query_sums.hpp>
#include <tegula/kernel/attention/tile.hpp>

namespace tegula {

/// The gradients that a kernel of attention_key_gradients computes: both or, if a lane's registers do not hold both, one.
enum class attention_key_part {
    both,
    keys,   ///< dK
    values, ///< dV
};

/// The tiles of a kernel of the backward pass. A block keeps Rows rows of two matrices, keys and values or queries and
/// dO, and visits the rows of the other two in tiles of Columns rows, through a ring of Stages in shared memory.
///
///   HeadDim, ValueDim  most columns of Q and K, and of V and O; products have that many
///   Waves              waves of a block
///   Place              where the kept rows lie
///   ColumnWaves        waves that share the columns of the same rows of a gradient, if the registers of one have no room
///                      for them. Each computes all scores of the rows
///   Crowded            that of streamed_product, for the products over the rows; 0: whole slices, in any order
///   AddsDq             whether blocks that keep keys add to dQ, too, by attention_query_sums
template <class Target, class Atom, index_t Rows, index_t Columns, index_t HeadDim, index_t ValueDim, int Waves,
          int Stages, query_place Place, int ColumnWaves = 1, int Crowded = 0, bool AddsDq = false>
struct attention_gradient_tile
{
    static_assert(Waves % ColumnWaves == 0, "tegula: each group of rows has the same number of waves");

    using target = Target;
    using atom = Atom;
    using element = typename Atom::a_type;

    static constexpr index_t head_dim = HeadDim;
    static constexpr index_t value_dim = ValueDim;
    static constexpr index_t rows = Rows;
    static constexpr index_t columns = Columns;
    static constexpr int waves = Waves;
    static constexpr int stages = Stages;
    static constexpr int block_threads = Waves * Target::wave_size;
    static constexpr bool in_registers = Place == query_place::registers;

    /// Products over the columns of the matrices, [Rows, Columns], and products of these over the tiles' rows.
    using scores = mma_tile<Target, Atom, Rows, Columns, Waves / ColumnWaves, 1, ColumnWaves>;
    using over_head = mma_tile<Target, Atom, Rows, HeadDim, Waves / ColumnWaves, ColumnWaves>;
    using over_value = mma_tile<Target, Atom, Rows, ValueDim, Waves / ColumnWaves, ColumnWaves>;

    /// ldmatrix keeps the instruction's own order of k, so that all operands are loaded by it, or none.
    static constexpr bool instruction_order = Target::vendor == vendor::nvidia;
    template <class Product>
    using chain = chained_products<scores, Product, instruction_order>;
    using score_distribution = typename chain<over_head>::score_distribution;
    using score_tensor = typename chain<over_head>::score_tensor;

    using kept_head = resident_rows<Target, element, HeadDim, scores, in_registers>;
    using kept_value = resident_rows<Target, element, ValueDim, scores, in_registers>;
    using kept_loader = typename kept_head::loader;
    static constexpr index_t kept_bytes = kept_head::bytes + kept_value::bytes;

    static constexpr bool adds_dq = AddsDq;
    using dq_sums = std::conditional_t<AddsDq,
                                       attention_query_sums<Target, Atom, Rows, Columns, HeadDim, Waves,
                                                            typename chain<over_head>::operand_distribution>,
                                       detail::no_query_sums>;
    /// Two buffers of dS: in a round waves write one, while the product with the other still runs.
    static constexpr index_t scores_bytes = 2 * dq_sums::scores_bytes;
    /// Where the ring starts in shared memory. Rows kept in registers only pass through it.
    static constexpr index_t ring_offset = in_registers ? 0 : kept_bytes;

    /// Across  the product over the tiles' rows, or void
    template <index_t Dim, class Across>
    using tiles = row_tiles<Target, element, Columns, Dim, Waves, typename chain<over_head>::b_distribution,
                            scores::transposed ? 0 : Atom::n, Across, Stages>;
    template <class Across>
    using head_tiles = tiles<HeadDim, Across>;
    template <class Across>
    using value_tiles = tiles<ValueDim, Across>;

    /// Whether the tiles come by direct loads.
    static constexpr bool direct =
        max(head_tiles<over_head>::loads_by, value_tiles<over_value>::loads_by) == ring_loads::direct;
    /// Whether products run together, with operands and numbers read ahead: where a wave is alone on its SIMD, and where
    /// no tile waits in registers.
    static constexpr bool alone = in_registers && (Stages == 1 || direct);
    /// Whether the next tile waits in registers while one is worked on.
    static constexpr bool holds_next = alone && !direct;
    /// The stage of the tile after that in `slot`.
    static TEGULA_INLINE int next_slot(int slot) { return Stages == 1 ? 0 : slot ^ 1; }
    /// Whether a lane has registers for all operands of products over the rows. clang 19 spills up to 45 then.
#if TEGULA_AMD_PASS && __clang_major__ < 20
    static constexpr bool holds_across = false;
#else
    static constexpr bool holds_across = alone && HeadDim + ValueDim > 128;
#endif
    static constexpr int ahead = holds_across ? 2 : 1;                  ///< steps of a product that reads are ahead
    static constexpr int ahead_in_turn = holds_across ? 4 : 3;          ///< the same for multiply_in_turn()
    static constexpr int ahead_across = holds_across || direct ? 4 : 2; ///< the same for stream_across()
    static constexpr index_t ring_bytes = head_tiles<over_head>::bytes + value_tiles<over_value>::bytes; ///< at most
    using numbers = passing_numbers<Target, Columns, Stages>;
    /// Whether numbers of passing queries have room behind the ring.
    static constexpr bool passes_numbers =
        alone && ring_offset + ring_bytes + scores_bytes + Stages * 8 * Columns <= Target::chip().shared_bytes;
    static_assert(
        !AddsDq || passes_numbers,
        "tegula: blocks that add to dQ keep their rows in registers, have one stage or direct loads, and room for two "
        "numbers of each query behind it; take a smaller tile, or an attention_backward_for");
    static constexpr index_t numbers_bytes = passes_numbers ? Stages * 8 * Columns : 0;

    /// Shared memory of a block, in bytes. Halves: kept rows in registers came one matrix after the other.
    template <class HeadAcross, class ValueAcross, bool Halves = false>
    static constexpr index_t shared_bytes = max(
        Halves && in_registers ? max(kept_head::bytes, kept_value::bytes) : kept_bytes,
        ring_offset + head_tiles<HeadAcross>::bytes + value_tiles<ValueAcross>::bytes + scores_bytes + numbers_bytes);

    /// All of the block's shared memory, which a kernel lays out.
    static TEGULA_INLINE std::byte* memory() { return Target::shared_memory(); }

    /// True, or the compilation stops with the rule that the tile breaks.
    template <class HeadAcross, class ValueAcross>
    static consteval bool check()
    {
        namespace rules = attention_rules;
        constexpr long bytes = shared_bytes<HeadAcross, ValueAcross>, limit = Target::chip().shared_bytes;
        constexpr int conflicts = kept_head::conflicts + kept_value::conflicts + head_tiles<HeadAcross>::conflicts +
                                  value_tiles<ValueAcross>::conflicts + dq_sums::conflicts;
        return sizeof(rules::tiles_fit_shared_memory<(bytes <= limit), bytes, limit>) &&
               sizeof(rules::shared_memory_is_free_of_conflicts < conflicts == 0, conflicts >);
    }

    /// Waits for the kept rows, as far as a wave must before run_tile_ring. The first barrier there makes kept rows in
    /// shared memory visible to all waves, and frees the memory through which kept rows in registers came.
    static TEGULA_INLINE void keep(kept_head& head, kept_value& value)
    {
        if constexpr (in_registers) {
            kept_head::loader::arrive();
            head.hold();
            value.hold();
        } else if constexpr (kept_head::loader::asynchronous) {
            Target::template async_wait<0>(); // there may be no tile to wait for
        }
    }
    /// Takes kept rows into registers before others come through the same memory; elsewhere it does nothing.
    template <class Kept>
    static TEGULA_INLINE void keep_in_registers(Kept& kept)
    {
        if constexpr (in_registers) {
            Kept::loader::arrive();
            kept.hold();
            Target::shared_barrier();
        }
    }

    /// Keeps the products so far before all that follows: LLVM would read all slices before the first product, for
    /// which RDNA has no registers.
    template <class Accumulators>
    static TEGULA_INLINE void pin_products([[maybe_unused]] Accumulators& acc)
    {
        if constexpr (!in_registers && Target::vendor == vendor::amd) {
            for (auto& tile : acc.tiles)
                Target::pin(tile);
            Target::scheduling_barrier();
        }
    }

    /// Fills a slice with what a reader gave: another slice, or its registers as words.
    template <class Slice, class Read>
    static TEGULA_INLINE void fill(Slice& slice, const Read& read)
    {
        slice.registers = read.registers;
    }
    template <class Slice, class Word, int Words>
    static TEGULA_INLINE void fill(Slice& slice, const array<Word, Words>& read)
    {
        slice.registers = __builtin_bit_cast(decltype(slice.registers), read);
    }

    /// multiply_along() as a product_stream that adds to acc.
    template <class Kept, class Tiles>
    static TEGULA_INLINE auto stream_along(typename scores::accumulators& acc, const Kept& kept, const Tiles& tiles,
                                           int slot)
    {
        const auto b = tiles.along(slot);
        return make_product_stream<Kept::slices, ahead>(
            [b](auto i) { return b.template read<i* static_cast<int>(scores::slice_k)>(); },
            [&acc, &kept](auto i, const auto& read) {
                typename scores::b_slice b_slice;
                fill(b_slice, read);
                scores::multiply(acc, kept.stream().template read<i* static_cast<int>(scores::slice_k)>(), b_slice);
            });
    }
    /// s = kept_head B^T and dp = kept_value B^T for the tiles in `slot` of the ring, together with other streams.
    template <class HeadTiles, class ValueTiles, class... Streams>
    static TEGULA_INLINE void multiply_both(score_tensor& s, score_tensor& dp, const kept_head& head,
                                            const HeadTiles& head_tiles, const kept_value& value,
                                            const ValueTiles& value_tiles, int slot, const Streams&... others)
    {
        typename scores::accumulators of_head, of_value;
        of_head.clear();
        of_value.clear();
        run_product_streams<target>(stream_along(of_head, head, head_tiles, slot),
                                    stream_along(of_value, value, value_tiles, slot), others...);
        s = chain<over_head>::scores_of(of_head);
        dp = chain<over_head>::scores_of(of_value);
    }

    /// The operands of the first steps of multiply_in_turn(), which takes them.
    using started_along = array<array<std::uint32_t, sizeof(typename scores::b_slice) / 4>, ahead_in_turn>;
    template <class HeadTiles, class ValueTiles>
    static TEGULA_INLINE started_along start_along(const HeadTiles& head_tiles, const ValueTiles& value_tiles, int slot)
    {
        const auto read = reader_in_turn(head_tiles, value_tiles, slot);
        started_along first;
        static_for<ahead_in_turn>([&](auto i) {
            first[i] = read(i);
            Target::scheduling_barrier();
        });
        return first;
    }
    /// s alone as multiply_in_turn() computes it, together with other streams.
    template <class HeadTiles, class ValueTiles, class... Streams>
    static TEGULA_INLINE score_tensor multiply_first(const kept_head& head, const HeadTiles& head_tiles,
                                                     const ValueTiles& value_tiles, int slot,
                                                     const started_along& started, const Streams&... others)
    {
        typename scores::accumulators acc;
        acc.clear();
        const auto multiply = [&](auto i, const auto& read) {
            typename scores::b_slice b_slice;
            fill(b_slice, read);
            scores::multiply(acc, head.stream().template read<i* static_cast<int>(scores::slice_k)>(), b_slice);
        };
        run_product_streams<target>(make_product_stream<kept_head::slices, ahead_in_turn>(
                                        reader_in_turn(head_tiles, value_tiles, slot), multiply, started),
                                    others...);
        return chain<over_head>::scores_of(acc);
    }
    /// s and dp as multiply_both() computes them, one after the other, together with other streams. When s is complete,
    /// settle() is called, and while dp is multiplied, use(n) for each of the first Pairs pairs n of a lane's elements of s.
    ///
    ///   begin  begin() is a tile, which is added to dp
    template <int Pairs, class HeadTiles, class ValueTiles, class Begin, class Settle, class Use, class... Streams>
    static TEGULA_INLINE void
    multiply_in_turn(score_tensor& s, score_tensor& dp, const kept_head& head, const HeadTiles& head_tiles,
                     const kept_value& value, const ValueTiles& value_tiles, int slot, const started_along& started,
                     const Begin& begin, const Settle& settle, const Use& use, const Streams&... others)
    {
        constexpr int head_steps = kept_head::slices, value_steps = kept_value::slices;
        static_assert(value_steps > 1);
        constexpr int first = head_steps + 1; // by then s is there
        typename scores::accumulators of_head, of_value;
        of_head.clear();
        const auto multiply = [&](auto i, const auto& read) {
            typename scores::b_slice b_slice;
            fill(b_slice, read);
            if constexpr (i < head_steps) {
                scores::multiply(of_head, head.stream().template read<i* static_cast<int>(scores::slice_k)>(), b_slice);
            } else {
                if constexpr (i == head_steps)
                    of_value.tiles = __builtin_bit_cast(decltype(of_value.tiles), begin().registers);
                scores::multiply(of_value,
                                 value.stream().template read<(i - head_steps) * static_cast<int>(scores::slice_k)>(),
                                 b_slice);
            }
            if constexpr (i == head_steps - 1)
                s = chain<over_head>::scores_of(of_head);
        };
        run_product_streams<target>(make_product_stream<head_steps + value_steps, ahead_in_turn>(
                                        reader_in_turn(head_tiles, value_tiles, slot), multiply, started),
                                    make_task_stream<head_steps>(settle),
                                    make_pair_stream<first, value_steps - 1, 0, Pairs>(use), others...);
        dp = chain<over_head>::scores_of(of_value);
    }
    static constexpr int pairs = score_distribution::num_registers / 2; ///< of a lane's scores
    /// Keeps pair N of p before all that follows: LLVM would compute it where it is used, behind a branch.
    template <int N>
    static TEGULA_INLINE void pin_pair([[maybe_unused]] score_tensor& p)
    {
        if constexpr (Target::vendor == vendor::amd) {
            array<float, 2> pair{p[2 * N], p[2 * N + 1]};
            Target::pin(pair);
            p[2 * N] = pair[0];
            p[2 * N + 1] = pair[1];
        }
    }
    /// The pairs in the first slice of scores.
    template <class Product>
    static constexpr int first_pairs = pairs / chain<Product>::slices;
    /// The pairs that are used beside dp; the others, beside the first slice of Product, which follows and takes the first
    /// slice of scores.
    template <class Product>
    static constexpr int early_pairs =
        max(first_pairs<Product>, pairs*(kept_value::slices - 1) / (kept_value::slices - 1 + Product::iterations_n));
    /// Calls use(n) for the pairs n of a lane's scores from Begin to End, in Steps steps of a product from step First on.
    template <int First, int Steps, int Begin, int End, class Use>
    static TEGULA_INLINE auto make_pair_stream(const Use& use)
    {
        static_assert(Steps > 0 || Begin == End, "tegula: pairs are used in one step or more");
        return make_tasks_stream<First + Steps>([&use](auto step) {
            constexpr int i = decltype(step)::value - First, all = End - Begin;
            if constexpr (i >= 0)
                static_for<(i + 1) * all / Steps - i * all / Steps>(
                    [&](auto n) { use(constant<Begin + i * all / Steps + decltype(n)::value>{}); });
        });
    }
    /// The operands of the first steps of stream_across(), which takes them.
    template <class Product>
    using started_across =
        array<array<std::uint32_t, sizeof(typename Product::b_slice) / 4 / Product::iterations_n>, ahead_across>;
    template <class Product, class Tiles>
    static TEGULA_INLINE started_across<Product> start_across(const Tiles& tiles, int slot)
    {
        const auto read = across_reader<Product>(tiles, slot);
        started_across<Product> first;
        static_for<min(ahead_across, steps_across<Product>)>([&](auto i) { first[i] = read(i); });
        return first;
    }
    /// acc += c B for the tile in `slot` of the ring as a product_stream, of which a step multiplies the columns of an
    /// instruction. A slice of c is rounded when it is multiplied first.
    template <class Product, class Tiles>
    static TEGULA_INLINE auto stream_across(typename Product::accumulators& acc, const score_tensor& c,
                                            const Tiles& tiles, int slot, const started_across<Product>& started)
    {
        const auto multiply = [&acc, &c, a = typename Product::a_slice{}](auto step, const auto& read) mutable {
            constexpr int n = decltype(step)::value, parts = Product::iterations_n;
            if constexpr (n % parts == 0)
                a = chain<Product>::template slice_of<n / parts>(operand_of<Product>(c));
            multiply_part<Product, n, parts>(acc, a, read);
        };
        const auto read = across_reader<Product>(tiles, slot);
        return product_stream<steps_across<Product>, ahead_across, std::remove_const_t<decltype(read)>,
                              std::remove_const_t<decltype(multiply)>>(read, multiply, started);
    }
    template <class Product>
    static constexpr int steps_across = chain<Product>::slices * Product::iterations_n;
    /// The step behind which all operands of stream_across() are read.
    template <class Product>
    static constexpr int all_read_across = max(steps_across<Product> - ahead_across, 0);

    /// kept B^T for the tile in `slot` of the ring, together with other streams.
    template <class Kept, class Tiles, class... Streams>
    static TEGULA_INLINE score_tensor multiply_one(const Kept& kept, const Tiles& tiles, int slot,
                                                   const Streams&... others)
    {
        typename scores::accumulators acc;
        acc.clear();
        run_product_streams<target>(stream_along(acc, kept, tiles, slot), others...);
        return chain<over_head>::scores_of(acc);
    }

    /// kept B^T for the tile in `slot` of the ring.
    template <class Kept, class Tiles>
    static TEGULA_INLINE score_tensor multiply_along(const Kept& kept, const Tiles& tiles, int slot)
    {
        typename scores::accumulators acc;
        acc.clear();
        const auto a = kept.stream();
        const auto b = tiles.along(slot);
        static_for<Kept::slices>([&](auto i) {
            constexpr int k = decltype(i)::value * static_cast<int>(scores::slice_k);
            typename scores::a_slice a_slice;
            typename scores::b_slice b_slice;
            fill(a_slice, a.template read<k>());
            fill(b_slice, b.template read<k>());
            scores::multiply(acc, a_slice, b_slice);
            pin_products(acc);
        });
        return chain<over_head>::scores_of(acc);
    }
    /// c, rounded, as operands of a product over the rows.
    template <class Product>
    static TEGULA_INLINE auto operand_of(const score_tensor& c)
    {
        typename chain<Product>::score_tensor s;
        s.registers = c.registers;
        return chain<Product>::operand_of(s);
    }
    /// The slices of a tile for a product over the rows, read ahead of it if there are registers for all.
    template <class Product, class Tiles>
    static TEGULA_INLINE auto read_across(const Tiles& tiles, int slot)
    {
        const auto b = tiles.across(slot);
        if constexpr (holds_across) {
            held_slices<Product, chain<Product>::slices> held;
            static_for<chain<Product>::slices>(
                [&](auto i) { fill(held.slices[i], b.template read<i* static_cast<int>(Product::slice_k)>()); });
            return held;
        } else {
            return b;
        }
    }
    /// acc += c B for the tile in `slot` of the ring.
    template <class Product, class Tiles>
    static TEGULA_INLINE void multiply_across(typename Product::accumulators& acc, const score_tensor& c,
                                              const Tiles& tiles, int slot)
    {
        multiply_slices<Product>(acc, operand_of<Product>(c), read_across<Product>(tiles, slot));
    }
    /// For operand_of(c) and what read_across() gave.
    template <class Product, class Slices>
    static TEGULA_INLINE void multiply_slices(typename Product::accumulators& acc,
                                              const typename chain<Product>::operand_tensor& operand, const Slices& b)
    {
        using next = chain<Product>;
        if constexpr (holds_across)
            static_for<next::slices>([&](auto i) {
                Product::multiply(acc, next::template slice_of<decltype(i)::value>(operand), b.slices[i]);
            });
        else if constexpr (Crowded > 0)
            streamed_product<Product, next::slices, Crowded>(
                acc, [&](auto i) { return next::template slice_of<decltype(i)::value>(operand); }, b);
        else
            static_for<next::slices>([&](auto i) {
                constexpr int slice = decltype(i)::value;
                typename Product::b_slice b_slice;
                fill(b_slice, b.template read<slice* static_cast<int>(Product::slice_k)>());
                Product::multiply(acc, next::template slice_of<slice>(operand), b_slice);
                pin_products(acc);
            });
    }

private:
    /// Reads the operand of a step of multiply_in_turn().
    template <class HeadTiles, class ValueTiles>
    static TEGULA_INLINE auto reader_in_turn(const HeadTiles& head_tiles, const ValueTiles& value_tiles, int slot)
    {
        return [of_head = head_tiles.along(slot), of_value = value_tiles.along(slot)](auto i) {
            constexpr int k = static_cast<int>(scores::slice_k);
            if constexpr (i < kept_head::slices)
                return of_head.template read<i * k>();
            else
                return of_value.template read<(i - kept_head::slices) * k>();
        };
    }
    /// Reads the operand of a step of stream_across().
    template <class Product, class Tiles>
    static TEGULA_INLINE auto across_reader(const Tiles& tiles, int slot)
    {
        return part_reader<Product, Product::iterations_n>(tiles.across(slot));
    }
    template <class Product, int Slices>
    struct held_slices
    {
        array<typename Product::b_slice, Slices> slices;
    };
};

} // namespace tegula
