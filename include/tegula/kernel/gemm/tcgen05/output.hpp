#pragma once

#include <tegula/kernel/gemm/tcgen05/tile.hpp>
#include <tegula/kernel/gemm/warp_specialized/output.hpp>

namespace tegula {

/// Accumulators on their way from tensor memory to C, in chunks of some columns. A thread of the epilogue's warpgroup
/// has a row and works on it in registers. The row goes by shared memory and tensor copies, or straight to memory if
/// tensor copies cannot address it.
///
///   Tile    a tcgen05_tile; C: element type of the result
///   Copied  whether rows go by tensor copies
template <class Tile, class C, bool Copied = true>
struct tcgen05_output
{
    using target = warpgroup<typename Tile::target>;
    using value_type = typename Tile::accumulator_type;
    static constexpr int size = static_cast<int>(sizeof(C));
    static constexpr int slots = 2;
    static constexpr bool copied = Copied;
    static constexpr index_t rows = Tile::block_m;
    /// Columns of a chunk: those of a line of 128 bytes, at most 64, a register each. Without tensor copies 32, as nvcc
    /// keeps longer chunks in local memory.
    static constexpr index_t chunk = min(Tile::block_n, size >= 4 || !Copied ? 32 : 64);
    static constexpr int chunks = static_cast<int>(Tile::block_n / chunk);

private:
    static_assert(sizeof(value_type) == 4);
    /// Wave and lane number the rows, the registers of a lane the columns.
    using distribution =
        tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<rows / 32, 32>, sequence<chunk>>,
                                                     tuple<sequence<1>, sequence<1>>, tuple<sequence<0>, sequence<1>>,
                                                     sequence<2>, sequence<0>>>;

public:
    /// A chunk of a matrix of T in shared memory, where tensor copies write or read it; aligned to 1024 bytes.
    template <class T>
    struct chunk_of
    {
        static constexpr index_t bytes = rows * chunk * static_cast<index_t>(sizeof(T));
        static constexpr tma_swizzled_layout_value layout = {
            rows, chunk, 8 * static_cast<int>(sizeof(T)),
            internal::widest_swizzle(chunk* static_cast<index_t>(sizeof(T)))};

        /// The map of a matrix for tensor copies of a chunk's panels.
        static constexpr tensor_map_parameters parameters(const tensor_lines& matrix)
        {
            return make_line_map<T>(matrix, layout.panel_columns(), rows, layout.swizzle);
        }
        template <class Tensor>
        static TEGULA_INLINE void write(T* memory, const Tensor& tile)
        {
            store<bounds::unchecked>(window(memory, "staged C"), tile);
        }
        static TEGULA_INLINE auto read(T* memory) { return load<bounds::unchecked>(window(memory, "staged C0")); }

    private:
        struct source
        {
            static constexpr tma_swizzled_layout_value layout = chunk_of::layout;
        };
        static TEGULA_INLINE auto window(T* memory, const char* name)
        {
            using view = tensor_view<target, address_space::shared, T, shared_descriptor<source>>;
            return make_tile_window<distribution>(view{memory, {}, name}, {0, 0});
        }
    };
    using staging = chunk_of<C>;
    using element_type = C;
    static constexpr index_t slot_bytes = staging::bytes;
    static constexpr index_t bytes = slots * slot_bytes;

    /// The map of a matrix of C.
    static constexpr tensor_map_parameters parameters(const tensor_lines& c) { return staging::parameters(c); }

    /// The window of the chunk at (row, column) in a view of C.
    template <class View>
    static TEGULA_INLINE auto window(const View& view, index_t row, index_t column)
    {
        return make_tile_window<distribution>(view, {row, column});
    }

    /// Calls f(column, tile) for every chunk of the accumulators at `address`, and done() when the last is in
    /// registers. `empty`: nothing was multiplied, and they are zeros instead.
    TEGULA_CALLS_BACK
    template <class F, class Done>
    static TEGULA_INLINE void for_each_chunk(bool empty, std::uint32_t address, const F& f, const Done& done)
    {
        const std::uint32_t own = address + tensor_memory_address(32 * target::wave_id(), 0);
        TEGULA_ROLLED
        for (int c = 0; c < chunks; ++c) {
            array<std::uint32_t, static_cast<int>(chunk)> words{};
            if (!empty) {
                arch::nvidia::tensor_load<tensor_access::lanes_32x32b, static_cast<int>(chunk)>(
                    words, own + static_cast<std::uint32_t>(c * static_cast<int>(chunk)));
                arch::nvidia::tensor_wait_loads(words);
            }
            if (c == chunks - 1)
                done();
            distributed_tensor<value_type, distribution> tile;
            static_for<static_cast<int>(chunk)>([&](auto i) { tile[i] = __builtin_bit_cast(value_type, words[i]); });
            f(c * chunk, tile);
        }
    }

    /// Copies a chunk to (row, column) of matrix `batch` of the map, by way of `memory`, `bytes` bytes. `number` counts
    /// the chunks; slots lie `Stride` bytes apart.
    template <index_t Stride = slot_bytes, class Tensor>
    static TEGULA_INLINE void copy(const Tensor& tile, const tensor_map& map, index_t row, index_t column,
                                   index_t batch, std::byte* memory, int number)
    {
        copy_staged<target, staging, C, slots>(map, row, column, batch, memory, Stride, number,
                                               [&](C* slot) { staging::write(slot, tile); });
    }
    /// Called by every thread of the epilogue before it returns: waits until the staged chunks have been read.
    static TEGULA_INLINE void drain() { arch::nvidia::bulk_wait_read<0>(); }
};

} // namespace tegula
