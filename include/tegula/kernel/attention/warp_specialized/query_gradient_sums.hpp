#pragma once

#include <tegula/block/copied_sums.hpp>
#include <tegula/block/staged_chunk.hpp>
#include <tegula/block/warpgroup.hpp>
#include <tegula/mma/wgmma.hpp>

namespace tegula {

/// Sums of dQ over the keys of many blocks, in the workspace. Two consumers keep 64 keys each and exchange dS by shared
/// memory. Each computes a part of dQ^T = K^T dS^T over all 128 keys: 64 columns of all queries, or if there are no more
/// columns, half of the queries. A copy adds it to the sums.
///
/// Sums of a tile of queries are copied_sums of [consumer, warp].
///
///   HeadDim  columns of Q and K, 64 or 128
///   Queries  of a tile
template <class Target, class T, index_t HeadDim, index_t Queries>
struct query_gradient_sums
{
    static_assert(HeadDim == 64 || HeadDim == 128, "tegula: two consumers add up dQ of 64 or 128 columns");

    using group_target = warpgroup<Target>;
    static constexpr bool parts_queries = HeadDim == 64;
    static constexpr index_t queries = Queries; ///< whose dQ two warpgroups read
    static constexpr index_t part_columns = 64;
    static constexpr index_t part_queries = parts_queries ? Queries / 2 : Queries;
    static constexpr TEGULA_INLINE index_t first_column(int number)
    {
        return parts_queries ? 0 : number * part_columns;
    }
    static constexpr TEGULA_INLINE index_t first_query(int number) { return parts_queries ? number * part_queries : 0; }
    /// So narrow that a consumer's queries are whole panels.
    static constexpr swizzle_mode swizzle =
        internal::widest_swizzle(min(part_queries * static_cast<index_t>(sizeof(T)), index_t{128}));
    using keys = wgmma_operand<T, HeadDim, 64, operand_order::row_contiguous>;
    using scores = wgmma_operand<T, Queries, 64, operand_order::row_contiguous, swizzle>;
    using atom = wgmma_atom<Target, T, T, float, static_cast<int>(part_queries), keys::order, scores::order>;
    using accumulators = typename atom::accumulators;
    using distribution = tile_distribution<typename atom::c_encoding>;

    static constexpr index_t scores_bytes = 2 * scores::bytes; ///< dS^T of both consumers
    using copies = copied_sums<group_target, atom::c_count>;
    static constexpr index_t part_floats = 4 * copies::wave_floats; ///< of a consumer
    static constexpr index_t sums_bytes = 2 * part_floats * static_cast<index_t>(sizeof(float));

    /// The part of K^T that consumer `number` multiplies, and of dS^T.
    static TEGULA_INLINE std::uint64_t first_keys(const T* kept, int number)
    {
        constexpr std::uint32_t columns = keys::template part<parts_queries ? 0 : 64, 0>();
        return keys::moved(keys::descriptor(kept), number * columns);
    }
    static TEGULA_INLINE std::uint64_t first_scores(const T* exchanged, int number)
    {
        constexpr std::uint32_t queries = scores::template part<parts_queries ? part_queries : 0, 0>();
        return scores::moved(scores::descriptor(exchanged), number * queries);
    }

    /// Writes a consumer's dS^T [64 keys, Queries], rounded, as `words` of the lanes' registers. The caller makes it
    /// visible to products.
    template <class Words>
    static TEGULA_INLINE void write_scores(std::byte* own, const Words& words)
    {
        using chunk =
            staged_chunk<group_target, wgmma_atom<Target, T, T, float, static_cast<int>(Queries)>, T, false, swizzle>;
        using tile = distributed_tensor<T, typename chunk::distribution>;
        chunk::write(reinterpret_cast<T*>(own), __builtin_bit_cast(tile, words));
    }
    /// dq = K^T dS^T of both consumers' keys, whose operands lie behind each other. It runs asynchronously.
    static TEGULA_INLINE void multiply(accumulators& dq, std::uint64_t keys_at, std::uint64_t scores_at)
    {
        constexpr int slices = 64 / atom::k;
        static_for<2 * slices>([&](auto slice) {
            constexpr index_t k = slice % slices * atom::k;
            constexpr std::uint32_t of = slice / slices;
            atom::multiply(dq, keys::moved(keys_at, of * (keys::bytes / 16) + keys::template part<0, k>()),
                           scores::moved(scores_at, of * (scores::bytes / 16) + scores::template part<0, k>()),
                           slice > 0);
        });
    }
    /// Starts to add a consumer's part to the sums.
    ///
    ///   sums  of the tile of queries; memory  of shared memory, sums_bytes
    static TEGULA_INLINE void add(const accumulators& dq, float* sums, std::byte* memory, int number)
    {
        const index_t at = first_of_wave(number);
        drain();
        group_target::wave_barrier();
        copies::add_wave(dq, sums + at, reinterpret_cast<float*>(memory) + at);
    }
    /// Called by each lane that called add(), before its block's shared memory is used otherwise or gone.
    static TEGULA_INLINE void drain() { copies::drain(); }
    /// A consumer's part of the sums, for the kernel that reads them.
    static TEGULA_INLINE auto read(const float* sums, int number)
    {
        return copies::template read_wave<distribution>(sums + first_of_wave(number));
    }

private:
    static TEGULA_INLINE index_t first_of_wave(int number)
    {
        return number * part_floats + group_target::wave_id() * copies::wave_floats;
    }
};

/// Sums of dQ of 256 columns. Two consumers share 64 keys; each has the scores of half of the queries. They exchange P and
/// dS by shared memory, as both multiply them: each computes half of the columns of dV, dK and dQ = dS K, and adds the
/// last to the sums from registers.
///
/// Sums of a tile of queries are copied_sums of [consumer, warp].
///
///   Queries  of a tile
template <class Target, class T, index_t HeadDim, index_t Queries>
struct halved_query_gradient_sums
{
    using group_target = warpgroup<Target>;
    static constexpr index_t queries = Queries;
    static constexpr index_t part_columns = HeadDim / 2;
    static constexpr index_t part_queries = Queries;
    static constexpr TEGULA_INLINE index_t first_column(int number) { return number * part_columns; }
    static constexpr TEGULA_INLINE index_t first_query(int) { return 0; }
    /// So narrow that a consumer's queries are whole panels.
    static constexpr swizzle_mode swizzle =
        internal::widest_swizzle(min(Queries / 2 * static_cast<index_t>(sizeof(T)), index_t{128}));
    /// P^T and dS^T [64 keys, Queries], and dS as dQ reads its memory.
    using scores_along = wgmma_operand<T, 64, Queries, operand_order::k_contiguous, swizzle>;
    using scores_across = wgmma_operand<T, Queries, 64, operand_order::row_contiguous, swizzle>;
    using keys = wgmma_operand<T, HeadDim, 64, operand_order::row_contiguous>;
    using atom = wgmma_atom<Target, T, T, float, static_cast<int>(part_columns), scores_across::order, keys::order>;
    static_assert(Queries == atom::m, "tegula: dQ of 256 columns takes tiles of 64 queries");
    using accumulators = typename atom::accumulators;
    using distribution = tile_distribution<transpose_encoding<typename atom::c_encoding, sequence<1, 0>>>;

    static constexpr index_t scores_bytes = 2 * scores_along::bytes; ///< P and dS
    using copies = copied_sums<group_target, atom::c_count>;
    static constexpr index_t part_floats = 4 * copies::wave_floats; ///< of a consumer
    static constexpr index_t sums_bytes = 0;

    /// Writes a consumer's P^T or dS^T [64 keys, Queries / 2], rounded. The caller makes it visible to products.
    template <class Scores>
    static TEGULA_INLINE void write_scores(std::byte* both, const Scores& x, int number)
    {
        using chunk = staged_chunk<group_target, wgmma_atom<Target, T, T, float, static_cast<int>(Queries / 2)>, T,
                                   false, swizzle>;
        chunk::write(reinterpret_cast<T*>(both + number * (scores_along::bytes / 2)), cast<T>(x));
    }
    /// dq = dS K of a consumer's columns. It runs asynchronously.
    static TEGULA_INLINE void multiply(accumulators& dq, std::uint64_t scores_at, std::uint64_t keys_at)
    {
        static_for<64 / atom::k>([&](auto slice) {
            constexpr index_t k = slice * atom::k;
            atom::multiply(dq, scores_at + scores_across::template part<0, k>(), keys_at + keys::template part<0, k>(),
                           slice > 0);
        });
    }
    /// Adds a consumer's part to the sums of the tile of queries.
    static TEGULA_INLINE void add(const accumulators& dq, float* sums, int number)
    {
        copies::add_wave(dq, sums + first_of_wave(number));
    }
    /// A consumer's part of the sums, for the kernel that reads them.
    static TEGULA_INLINE auto read(const float* sums, int number)
    {
        return copies::template read_wave<distribution>(sums + first_of_wave(number));
    }

private:
    static TEGULA_INLINE index_t first_of_wave(int number)
    {
        return number * part_floats + group_target::wave_id() * copies::wave_floats;
    }
};

} // namespace tegula
