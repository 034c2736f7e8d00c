#pragma once

#include <tegula/block/mma_tile.hpp>
#include <tegula/block/product_streams.hpp>
#include <tegula/block/sequence_loader.hpp>
#include <tegula/block/slice_reader.hpp>
#include <tegula/mma/choose.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/vector_access.hpp>

namespace tegula {

/// dQ's part of a block that keeps keys: dS K [Queries, HeadDim] of a tile of queries. The waves exchange dS by shared
/// memory; each multiplies its own columns of K over all keys, and adds them to sums of floats in the workspace.
///
/// Sums of a tile of queries lie as the lanes hold them: [wave, register, lane].
///
///   Scores  distribution of the [Keys, Queries] of dS, as operands of dS^T Q
template <class Target, class Atom, index_t Keys, index_t Queries, index_t HeadDim, int Waves, class Scores>
struct attention_query_sums
{
    using target = Target;
    using element = typename Atom::a_type;
    static constexpr int waves_n = min(Waves, static_cast<int>(HeadDim / 16)), waves_m = Waves / waves_n;
    static_assert(waves_m * waves_n == Waves && Queries * HeadDim % (Waves * Target::wave_size) == 0);
    /// Whether the waves' own queries and columns are those of an instruction; else a smaller one is taken.
    static constexpr bool wide = HeadDim / waves_n % Atom::n == 0 && Queries / waves_m % Atom::m == 0;
    using atom = std::conditional_t<wide, Atom, default_atom<Target, element, element, 64>>;
    using product = mma_tile<Target, atom, Queries, HeadDim, waves_m, waves_n>;
    using accumulators = typename product::accumulators;

private:
    static constexpr int slices = static_cast<int>(Keys / product::slice_k);
    static_assert(slices * product::slice_k == Keys);
    using written = tile_distribution<transpose_encoding<typename Scores::encoding, sequence<1, 0>>>;
    using shared = operand_shared_layout<Target, element, Queries, Keys, written, typename product::a_distribution>;
    using descriptor = shared_descriptor<shared>;
    using places = internal::shared_places<shared, element>;
    using reader = slice_reader<Target, element, typename product::a_distribution, shared>;
    static_assert(reader::reads_vectors() && reader::places_divide(Keys));

public:
    static constexpr int count = static_cast<int>(Queries * HeadDim / (Waves * Target::wave_size)); ///< sums of a lane

    /// K^T [HeadDim, Keys] of the block, the wave's own columns in registers.
    struct kept_keys
    {
        using loader = sequence_loader<Target, element, HeadDim, Keys, Waves, operand_order::row_contiguous,
                                       typename product::b_distribution, product::transposed ? 0 : atom::n>;
        static constexpr index_t bytes = loader::bytes; ///< of shared memory; free behind the next barrier

        /// The first `extent` rows from *rows on exist. Shared memory is free: no wave reads it any more.
        TEGULA_INLINE kept_keys(const element* rows, index_t extent, long_index_t stride, index_t columns,
                                std::byte* memory)
        {
            loader tile(stride, columns, memory, "K");
            tile.load(rows, extent);
            tile.store();
            loader::arrive();
            static_for<slices>([&](auto i) { held[i] = tile.template read<i* static_cast<int>(product::slice_k)>(0); });
        }

        array<typename product::b_slice, slices> held;
    };

    static constexpr index_t scores_bytes =
        descriptor::element_space_size() * static_cast<index_t>(sizeof(element)); ///< dS of all waves
    /// Extra cycles of a wave for dS and K^T.
    static constexpr int conflicts = shared::conflicts + kept_keys::loader::shared::conflicts;

    /// Sets dS at `memory` to zeros.
    static TEGULA_INLINE void clear_scores(std::byte* memory)
    {
        constexpr index_t vectors = scores_bytes / 16, threads = Waves * Target::wave_size;
        static_assert(vectors * 16 == scores_bytes);
        for (index_t i = Target::thread_id(); i < vectors; i += threads)
            internal::write_vector<Target, address_space::shared, 4>(reinterpret_cast<std::uint32_t*>(memory) + 4 * i,
                                                                     array<std::uint32_t, 4>{}, true);
    }
    /// Writes the wave's rows of dS^T [Keys, Queries].
    static TEGULA_INLINE void write_scores(std::byte* memory, const distributed_tensor<element, Scores>& scores)
    {
        using plan = access_plan<written, 1, 1>;
        const auto x = written::origin(partition_index<Target, written>());
        const auto own = static_cast<std::uint32_t>(places::place(x[0], x[1]));
        static_for<plan::accesses>([&](auto a) {
            constexpr auto step = plan::step(a);
            constexpr auto along = static_cast<std::uint32_t>(places::place(step[0], step[1]));
            constexpr auto chunk_bits = static_cast<std::uint32_t>(places::chunk_bits);
            const std::uint32_t place = (own ^ (along & chunk_bits)) + (along & ~chunk_bits);
            internal::write_vector<Target, address_space::shared, 1>(
                reinterpret_cast<element*>(memory + place), array<element, 1>{scores[plan::register_of(a, 0)]}, true);
        });
    }
    /// A product_stream of dq += dS K, in at most Steps steps, Ahead of them read ahead. dS was written before a barrier.
    template <int Steps, int Ahead>
    static TEGULA_INLINE auto stream(accumulators& dq, const std::byte* scores, const kept_keys& keys)
    {
        constexpr int together = slices > Steps ? slices / Steps : 1;
        static_assert(slices % together == 0);
        const reader a(reinterpret_cast<const element*>(scores));
        return make_product_stream<slices / together, Ahead>(
            [a](auto i) {
                array<typename product::a_slice, together> read;
                static_for<together>([&](auto j) {
                    constexpr int k = (i * together + j) * static_cast<int>(product::slice_k);
                    read[j].registers = __builtin_bit_cast(decltype(read[j].registers), a.template read<k>());
                });
                return read;
            },
            [&dq, &keys](auto i, const auto& read) {
                static_for<together>([&](auto j) { product::multiply(dq, read[j], keys.held[i * together + j]); });
            });
    }
    /// Adds dq to the sums of a tile of queries.
    static TEGULA_INLINE void add(const accumulators& dq, float* sums)
    {
        float* const own = sums + place();
        static_for<count>([&](auto r) {
            Target::atomic_add(own + r * Target::wave_size, dq.tiles[r / atom::c_count][r % atom::c_count]);
        });
    }
    /// The sums of a tile of queries.
    static TEGULA_INLINE accumulators read(const float* sums)
    {
        accumulators dq;
        const float* const own = sums + place();
        static_for<count>([&](auto r) {
            dq.tiles[r / atom::c_count][r % atom::c_count] =
                internal::read_scalar<Target, address_space::global>(own + r * Target::wave_size, true);
        });
        return dq;
    }

private:
    /// The lane's first element of the sums of a tile.
    static TEGULA_INLINE index_t place() { return Target::wave_id() * (count * Target::wave_size) + Target::lane_id(); }
};

namespace detail {

/// Stands for attention_query_sums in tiles that add nothing to dQ.
struct no_query_sums
{
    static constexpr index_t scores_bytes = 0;
    static constexpr int count = 0;
    static constexpr int conflicts = 0;
};

} // namespace detail
} // namespace tegula
