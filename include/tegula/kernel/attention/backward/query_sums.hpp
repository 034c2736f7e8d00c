#pragma once

#include <tegula/block/mma_tile.hpp>
#include <tegula/block/sequence_loader.hpp>
#include <tegula/block/slice_reader.hpp>
#include <tegula/mma/choose.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/coalesced.hpp>
#include <tegula/tensor/rearrange.hpp>

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
    static_assert(HeadDim % Waves == 0 && Queries * HeadDim % (Waves * Target::wave_size) == 0);
    /// The waves' own columns are those of an instruction.
    static constexpr bool wide = HeadDim / Waves % Atom::n == 0;
    using atom = std::conditional_t<wide, Atom, default_atom<Target, element, element, 64>>;
    using product = mma_tile<Target, atom, Queries, HeadDim, 1, Waves>;
    using accumulators = typename product::accumulators;

private:
    static constexpr int slices = static_cast<int>(Keys / product::slice_k);
    static_assert(slices * product::slice_k == Keys);
    using written = tile_distribution<transpose_encoding<typename Scores::encoding, sequence<1, 0>>>;
    using shared = operand_shared_layout<Target, element, Queries, Keys, written, typename product::a_distribution>;
    using descriptor = shared_descriptor<shared>;
    using view = tensor_view<Target, address_space::shared, element, descriptor>;
    using reader = slice_reader<Target, element, typename product::a_distribution, shared>;
    static_assert(reader::reads_vectors() && reader::places_divide(Keys));
    static constexpr int count = static_cast<int>(Queries * HeadDim / (Waves * Target::wave_size)); ///< sums of a lane

public:
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
        using zeros = coalesced_vector<Target, std::uint32_t, scores_bytes / 4, Waves>;
        const auto all = make_tensor_view<Target, address_space::shared>(
            reinterpret_cast<std::uint32_t*>(memory),
            make_packed_descriptor(make_tuple(constant<scores_bytes / 4>{}), constant<4>{}), "dS");
        store<bounds::unchecked>(make_tile_window<zeros>(all, {0}), make_distributed_tensor<std::uint32_t, zeros>(0u));
    }
    /// Writes the wave's rows of dS^T [Keys, Queries].
    static TEGULA_INLINE void write_scores(std::byte* memory, const distributed_tensor<element, Scores>& scores)
    {
        store<bounds::unchecked>(make_tile_window<written>(view{reinterpret_cast<element*>(memory), {}, "dS"}, {0, 0}),
                                 transpose<1, 0>(scores));
    }
    /// Adds dS K to the sums. dS was written before a barrier.
    ///
    ///   sums  of the tile of queries
    static TEGULA_INLINE void add(const std::byte* scores, const kept_keys& keys, float* sums)
    {
        accumulators dq;
        dq.clear();
        const reader a(reinterpret_cast<const element*>(scores));
        static_for<slices>([&](auto i) {
            constexpr int k = decltype(i)::value * static_cast<int>(product::slice_k);
            typename product::a_slice slice;
            slice.registers = __builtin_bit_cast(decltype(slice.registers), a.template read<k>());
            product::multiply(dq, slice, keys.held[i]);
        });
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
    static constexpr int conflicts = 0;
};

} // namespace detail
} // namespace tegula
