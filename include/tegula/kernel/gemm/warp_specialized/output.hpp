#pragma once

#include <tegula/arch/nvidia/matrix_copy.hpp>
#include <tegula/block/output_stage.hpp>
#include <tegula/block/warpgroup.hpp>
#include <tegula/kernel/gemm/epilogue.hpp>
#include <tegula/kernel/gemm/warp_specialized/tile.hpp>
#include <tegula/layout/shared/shared_layout.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/elementwise.hpp>

namespace tegula {

/// Copies a chunk of C to (row, column) of matrix `batch` of the map, by way of one of `Slots` slots of `pitch` bytes
/// at `memory`: while one is written, by write(slot), the others are copied. Source::layout is the chunk's in a slot.
/// By a warpgroup; `number` counts the chunks that it has copied.
TEGULA_CALLS_BACK
template <class Target, class Source, class C, int Slots, class Write>
TEGULA_INLINE void copy_staged(const tensor_map& map, index_t row, index_t column, index_t batch, std::byte* memory,
                               index_t pitch, int number, const Write& write)
{
    auto* const slot = reinterpret_cast<C*>(memory + number % Slots * pitch);
    const bool copies = Target::wave_id() == 0 && Target::lane_id() == 0;
    if (copies)
        arch::nvidia::bulk_wait_read<Slots - 1>();
    Target::block_barrier();
    write(slot);
    arch::nvidia::fence_proxy_async();
    Target::block_barrier();
    if (copies) {
        constexpr tma_swizzled_layout_value layout = Source::layout;
        static_for<layout.panels()>([&](auto p) {
            arch::nvidia::tensor_store(map, array<int, 3>{column + p * layout.panel_columns(), row, batch},
                                       slot + p * layout.rows * layout.panel_columns());
        });
        arch::nvidia::bulk_commit();
    }
}

/// The accumulators of a consumer warpgroup on their way to C, in chunks of some columns of the instruction. The
/// epilogue works on them in the registers where they are. Then they go by shared memory and tensor copies, or straight
/// to memory if tensor copies cannot address it.
///
///   Tile   a warp_specialized_tile; Atom its instruction; C element type of the result
///   Slots  staged chunks: while one is written the others are copied
template <class Tile, class Atom, class C, int Slots>
struct warpgroup_output
{
    using target = warpgroup<typename Tile::target>;
    using value_type = typename Tile::accumulator_type;
    static constexpr int size = static_cast<int>(sizeof(C));
    static constexpr int slots = Slots;

private:
    /// Columns of the instruction: what a line of 128 bytes holds, or 64 if they become rows; half of that if the
    /// accumulators leave few registers for the epilogue.
    static consteval index_t chunk_columns()
    {
        index_t n = Tile::transposed || size == 1 ? 64 : 128 / size;
        if (Tile::accumulators >= 128 && n > 32)
            n = 32;
        while (Atom::n % n != 0)
            n /= 2;
        return n;
    }

public:
    static constexpr index_t chunk = chunk_columns();
    static constexpr int chunks = static_cast<int>(Atom::n / chunk);
    static constexpr index_t rows = Tile::transposed ? chunk : 64;    ///< of C
    static constexpr index_t columns = Tile::transposed ? 64 : chunk; ///< of C

private:
    using chunk_atom = wgmma_atom<typename Tile::target, typename Tile::left_type, typename Tile::right_type,
                                  value_type, static_cast<int>(chunk), Atom::order_a, Atom::order_b>;
    /// A lane stores pairs of neighbours in C's rows. With elements of 4 bytes, eight of its wave's lines share the
    /// banks unless they are 32 bytes long.
    static consteval swizzle_mode staged_swizzle()
    {
        const index_t line = !Tile::transposed && size == 4 ? 32 : columns * size;
        return line % 128 == 0  ? swizzle_mode::bytes_128
               : line % 64 == 0 ? swizzle_mode::bytes_64
               : line % 32 == 0 ? swizzle_mode::bytes_32
                                : swizzle_mode::none;
    }
    struct staged_source
    {
        static constexpr tma_swizzled_layout_value layout = {rows, columns, size * 8, staged_swizzle()};
    };
    using distribution = tile_distribution<
        std::conditional_t<Tile::transposed, transpose_encoding<typename chunk_atom::c_encoding, sequence<1, 0>>,
                           typename chunk_atom::c_encoding>>;
    using staged_view = tensor_view<target, address_space::shared, C, shared_descriptor<staged_source>>;

public:
    static constexpr tma_swizzled_layout_value staged = staged_source::layout;
    static constexpr index_t slot_bytes = rows * columns * size;
    static constexpr index_t bytes = slots * slot_bytes; ///< of one warpgroup, at a multiple of 1024

    /// The map of a matrix of C for tensor copies of a chunk's panels.
    static constexpr tensor_map_parameters parameters(const tensor_lines& c)
    {
        return make_line_map<C>(c, staged.panel_columns(), rows, staged.swizzle);
    }

    /// The window of the chunk at (row, column) in a view of C.
    template <class View>
    static TEGULA_INLINE auto window(const View& view, index_t row, index_t column)
    {
        return make_tile_window<distribution>(view, {row, column});
    }

    /// Calls f(iteration, chunk, tile) for every chunk of the accumulators of several instructions. One loop with one
    /// body: an epilogue for each would take the compiler minutes.
    TEGULA_CALLS_BACK
    template <int Iterations, class F>
    static TEGULA_INLINE void for_each_chunk(const array<typename Atom::accumulators, Iterations>& acc, const F& f)
    {
        TEGULA_ROLLED
        for (int piece = 0; piece < Iterations * chunks; ++piece) {
            distributed_tensor<value_type, distribution> tile;
            copy_chunk<0, Iterations * chunks>(tile, acc, piece);
            f(piece / chunks, piece % chunks, tile);
        }
    }

    /// Copies a chunk to (row, column) of matrix `batch` of the map, by way of `memory`, `Bytes` bytes of this
    /// warpgroup. `number` counts the chunks that this warpgroup has copied. Outputs of several types take turns in the
    /// same memory if `Bytes` is that of the largest: the slots of one are then the slots of the others.
    template <index_t Bytes, class Tensor>
    static TEGULA_INLINE void copy(const Tensor& tile, const tensor_map& map, index_t row, index_t column,
                                   index_t batch, std::byte* memory, int number)
    {
        static_assert(Bytes >= bytes, "the memory holds every slot");
        copy_staged<target, staged_source, C, slots>(map, row, column, batch, memory, Bytes / slots, number,
                                                     [&](C* slot) { write(slot, tile); });
    }
    /// Called by every consumer before it returns: the staged chunks are out.
    static TEGULA_INLINE void drain() { arch::nvidia::bulk_wait_read<0>(); }

private:
    /// tile = chunk `piece` of the accumulators, one of those in [First, Last).
    template <int First, int Last, class Accumulators>
    static TEGULA_INLINE void copy_chunk(distributed_tensor<value_type, distribution>& tile, const Accumulators& acc,
                                         int piece)
    {
        if constexpr (Last - First == 1) {
            constexpr int count = chunk_atom::c_count;
            static_for<count>([&](auto r) { tile[r] = acc[First / chunks][First % chunks * count + r]; });
            target::keep_branch(); // else each value is selected once for each chunk
        } else {
            constexpr int middle = (First + Last) / 2;
            if (piece < middle)
                copy_chunk<First, middle>(tile, acc, piece);
            else
                copy_chunk<middle, Last>(tile, acc, piece);
        }
    }
    template <class Tensor>
    static TEGULA_INLINE void write(C* slot, const Tensor& tile)
    {
        if constexpr (size == 2 && chunk % 16 == 0)
            write_matrices(slot, tile);
        else
            store<bounds::unchecked>(make_tile_window<distribution>(staged_view{slot, {}, "staged C"}, {0, 0}), tile);
    }

    /// Elements of 16 bits, four 8x8 matrices at a time: rows r and r + 8 of the warp's 16, columns c and c + 8.
    template <class Tensor>
    static TEGULA_INLINE void write_matrices(C* slot, const Tensor& tile)
    {
        constexpr tma_swizzled_layout_value layout = staged;
        const auto words = __builtin_bit_cast(array<std::uint32_t, Tensor::num_registers / 2>, tile.registers);
        const int lane = target::lane_id();
        const index_t row = target::wave_id() * 16 + lane / 8 % 2 * 8; // of the instruction
        static_for<chunk / 16>([&](auto pair) {
            const index_t column = 16 * pair + lane / 16 * 8;
            const index_t at =
                Tile::transposed ? layout.offset(column + lane % 8, row) : layout.offset(row + lane % 8, column);
            arch::nvidia::store_matrices<4, Tile::transposed>(
                slot + at, array<std::uint32_t, 4>{words[4 * pair], words[4 * pair + 1], words[4 * pair + 2],
                                                   words[4 * pair + 3]});
        });
    }
};

} // namespace tegula
