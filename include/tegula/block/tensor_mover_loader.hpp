#pragma once

#include <tegula/block/half_k.hpp>
#include <tegula/block/multistage_loop.hpp>
#include <tegula/block/slice_reader.hpp>
#include <tegula/core/math.hpp>

namespace tegula {

/// An operand whose tiles come by gfx1250's tensor data mover: one wave of the block starts a tile, and no lane holds an
/// address or a register of it. Where the operand ends the mover fills in zeros, so that ragged tiles are like the others.
///
/// The operand's k is contiguous. In shared memory its rows are padded by 16 bytes, against bank conflicts: the mover
/// has no swizzle.
///
///   Wave  the block's wave that starts the tiles
template <class Target, class Element, index_t Rows, index_t K, class ReadDistribution, int Wave>
struct tensor_mover_loader
{
    static constexpr index_t row_bytes = K * static_cast<index_t>(sizeof(Element));
    static constexpr index_t chunk = 16 / static_cast<index_t>(sizeof(Element));
    static_assert(row_bytes >= 8 && row_bytes <= 1024 && is_power_of_two(row_bytes),
                  "tegula: the tensor data mover pads after a power of two of bytes, 8 to 1024; choose such a block_k");

    struct shared
    {
        static constexpr shared_layout_value layout = {Rows, K, K + chunk, 8 * static_cast<int>(sizeof(Element))};
        static constexpr int conflicts = computed_once<count_conflicts(
            Target::chip(), layout,
            make_wave_accesses<ReadDistribution, static_cast<int>(chunk)>(Target::chip(), access_kind::load))>;
    };
    using descriptor = shared_descriptor<shared>;
    using reader = slice_reader<Target, Element, ReadDistribution, shared>;
    static_assert(reader::plan::vector == chunk, "tegula: what the tensor data mover loads is read in 16 bytes a lane");
    struct staged_tile
    {};

    static constexpr bool by_tiles = true;
    static constexpr bool asynchronous = false; // lanes start no copies
    static constexpr bool buffered = false;
    static constexpr bool instruction_order = false;
    static constexpr bool by_mbarriers = false;
    static constexpr int copies_of_stage = 0;
    static constexpr index_t tile_elements = descriptor::element_space_size();

    operand_source<Element> operand;
    index_t first_row;
    index_t next_k = 0; ///< next k for load_stage()
    reader slices;
    Element* ring;
    staged_tile staged;

    TEGULA_INLINE tensor_mover_loader(const operand_source<Element>& s, index_t row, Element* first_tile)
        : operand(s), first_row(row), slices(first_tile), ring(first_tile)
    {}

    static constexpr TEGULA_HOST_DEVICE bool has_whole_tiles() { return true; }

    TEGULA_INLINE void load_stage(int slot)
    {
        load_tile(slot, next_k);
        next_k += K;
    }
    TEGULA_INLINE void load_edge_stage(int slot, index_t step) { load_tile(slot, step * K); }
    TEGULA_INLINE void store_stage(int) const {}
    TEGULA_INLINE void store_stage(int, const staged_tile&) const {}

    /// The slice of k that starts at K0 of the tile in `slot`.
    template <int K0>
    TEGULA_INLINE auto read(int slot) const
    {
        const auto words = read_words<K0>(slot);
        return __builtin_bit_cast(typename reader::slice, words);
    }
    template <int K0>
    TEGULA_INLINE auto read_words(int slot) const
    {
        reader of_slot = slices;
        long_index_t of_ring = slot * tile_elements * static_cast<long_index_t>(sizeof(Element));
        // Otherwise the compiler keeps the places of all reads, but for the slot, in registers across the k loop. A
        // lane's own place would have to lie in the lower half of the registers here, which the accumulators fill.
        Target::make_opaque(of_ring);
        of_slot.lane_place += static_cast<std::uint32_t>(of_ring);
        return of_slot.template read<K0>();
    }

private:
    TEGULA_INLINE void load_tile(int slot, index_t k) const
    {
        if (Target::wave_id() != Wave)
            return;
        tensor_tile t;
        t.global = reinterpret_cast<std::uintptr_t>(operand.data + first_row * operand.row_stride + k);
        t.shared = Target::shared_place(ring + slot * tile_elements);
        t.element_bytes = static_cast<int>(sizeof(Element));
        t.columns = static_cast<std::uint32_t>(operand.k - k);
        t.rows = static_cast<std::uint32_t>(operand.rows - first_row); // at least 1
        t.row_stride = static_cast<std::uint64_t>(operand.row_stride);
        t.tile_columns = K;
        t.tile_rows = Rows;
        t.pad_interval = row_bytes;
        t.pad_bytes = 16;
        t.blocks = operand.multicast_mask;
        if (operand.row_stride >= 0)
            Target::load_tile(encode(t));
        else
            load_rows(t);
    }

    /// Row by row, for negative row strides, which the mover does not have. Waits that count tiles then wait for more.
    TEGULA_INLINE void load_rows(tensor_tile t) const
    {
        const std::uint32_t rows = t.rows;
        t.row_stride = 0;
        t.tile_rows = 1;
        TEGULA_ROLLED
        for (std::uint32_t row = 0; row < static_cast<std::uint32_t>(Rows); ++row) {
            t.rows = row < rows ? 1 : 0;
            Target::load_tile(encode(t));
            t.global += static_cast<std::uint64_t>(operand.row_stride * static_cast<long_index_t>(sizeof(Element)));
            t.shared += static_cast<std::uint32_t>((K + chunk) * static_cast<index_t>(sizeof(Element)));
        }
    }
};

/// The schedule of a gemm_tile that runs multistage_loop with tiles copied by the tensor data mover, if operands lie
/// along k. Others come as in multistage, in steps of half the tile's k if that is whole instructions. t256x256 has 256
/// registers of accumulators, two slices of 96 ahead and 32 for each operand in flight; with whole steps it spilled up
/// to 57.
struct tensor_multistage : multistage
{
    template <class Target, class Element, index_t Rows, index_t K, class ReadDistribution, int Wave>
    using loader = tensor_mover_loader<Target, Element, Rows, K, ReadDistribution, Wave>;

    template <class Tile, operand_order OrderA, operand_order OrderB>
    using loop =
        std::conditional_t<Tile::slices % 2 == 0 &&
                               (OrderA != operand_order::k_contiguous || OrderB != operand_order::k_contiguous),
                           multistage_loop<half_k<Tile>, OrderA, OrderB>, multistage_loop<Tile, OrderA, OrderB>>;
};

/// tensor_multistage in clusters of Blocks blocks. If the tiles of C of all of them are neighbours along M, they read
/// the same columns of B, which the mover loads once for all; the cluster's barrier then holds their steps together.
template <int Blocks = 2>
struct tensor_cluster_multistage : tensor_multistage
{
    static_assert(Blocks == 2 || Blocks == 4 || Blocks == 8, "tegula: clusters of GEMM are of 2, 4 or 8 blocks");
    static constexpr int cluster_blocks = Blocks;
};

namespace detail {

/// The loader that a schedule has for an operand along k, or else `Other`. Wave: the wave that starts its tiles.
template <class Schedule, operand_order Order, class Target, class Element, index_t Rows, index_t K,
          class ReadDistribution, int Wave, class Other>
consteval auto choose_loader()
{
    if constexpr (Order == operand_order::k_contiguous &&
                  requires { typename Schedule::template loader<Target, Element, Rows, K, ReadDistribution, Wave>; })
        return std::type_identity<
            typename Schedule::template loader<Target, Element, Rows, K, ReadDistribution, Wave>>{};
    else
        return std::type_identity<Other>{};
}

} // namespace detail
} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::choose_loader;
} // namespace tegula::internal
