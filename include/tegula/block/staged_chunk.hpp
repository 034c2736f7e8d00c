#pragma once

#include <tegula/arch/nvidia/matrix_copy.hpp>
#include <tegula/block/tensor_operand.hpp>
#include <tegula/layout/shared/shared_layout.hpp>
#include <tegula/tensor/access.hpp>

namespace tegula {

namespace detail {

/// The widest swizzle of lines of `bytes` bytes.
constexpr swizzle_mode widest_swizzle(index_t bytes)
{
    return bytes % 128 == 0  ? swizzle_mode::bytes_128
           : bytes % 64 == 0 ? swizzle_mode::bytes_64
           : bytes % 32 == 0 ? swizzle_mode::bytes_32
                             : swizzle_mode::none;
}

/// A lane has pairs of neighbours in C's rows. With elements of 4 bytes, eight lines of a wave have bank conflicts
/// unless lines are 32 bytes long.
template <class Atom, class T, bool Transposed>
consteval swizzle_mode widest_chunk_swizzle()
{
    constexpr index_t size = sizeof(T), columns = Transposed ? 64 : static_cast<index_t>(Atom::n);
    return widest_swizzle(!Transposed && size == 4 ? 32 : columns * size);
}

} // namespace detail

/// A chunk of a wgmma's accumulators as elements of T in shared memory, where tensor copies write or read it.
///
///   Target      a warpgroup, whose lanes read and write it
///   Atom        the instruction, as wide as the chunk
///   Transposed  whether the instruction's rows are columns of C
///   Swizzle     of the chunk's memory
template <class Target, class Atom, class T, bool Transposed,
          swizzle_mode Swizzle = detail::widest_chunk_swizzle<Atom, T, Transposed>()>
struct staged_chunk
{
private:
    static constexpr index_t width = static_cast<index_t>(Atom::n);
    static constexpr int size = static_cast<int>(sizeof(T));

public:
    static constexpr index_t rows = Transposed ? width : 64;    ///< of C
    static constexpr index_t columns = Transposed ? 64 : width; ///< of C
    static constexpr index_t bytes = rows * columns * size;
    static constexpr tma_swizzled_layout_value layout = {rows, columns, size * 8, Swizzle};
    using distribution =
        tile_distribution<std::conditional_t<Transposed, transpose_encoding<typename Atom::c_encoding, sequence<1, 0>>,
                                             typename Atom::c_encoding>>;

    /// The map of a matrix for tensor copies of a chunk's panels.
    static constexpr tensor_map_parameters parameters(const tensor_lines& matrix)
    {
        return make_line_map<T>(matrix, layout.panel_columns(), rows, layout.swizzle);
    }

    template <class Tensor>
    static TEGULA_INLINE void write(T* chunk, const Tensor& tile)
    {
        if constexpr (moves_matrices) {
            const auto words = __builtin_bit_cast(array<std::uint32_t, Tensor::num_registers / 2>, tile.registers);
            for_each_four_matrices([&](auto first, index_t at) {
                arch::nvidia::store_matrices<4, Transposed>(
                    chunk + at,
                    array<std::uint32_t, 4>{words[first], words[first + 1], words[first + 2], words[first + 3]});
            });
        } else {
            store<bounds::unchecked>(window(chunk, "staged C"), tile);
        }
    }
    static TEGULA_INLINE auto read(T* chunk)
    {
        if constexpr (moves_matrices) {
            distributed_tensor<T, distribution> tile;
            for_each_four_matrices([&](auto first, index_t at) {
                const auto words = arch::nvidia::load_matrices<4, Transposed>(chunk + at);
                static_for<4>([&](auto w) {
                    const auto pair = __builtin_bit_cast(array<T, 2>, static_cast<std::uint32_t>(words[w]));
                    tile[2 * (first + w)] = pair[0];
                    tile[2 * (first + w) + 1] = pair[1];
                });
            });
            return tile;
        } else {
            return load<bounds::unchecked>(window(chunk, "staged C0"));
        }
    }

private:
    static constexpr bool moves_matrices = size == 2 && width % 16 == 0;
    struct shared_source
    {
        static constexpr tma_swizzled_layout_value layout = staged_chunk::layout;
    };

    static TEGULA_INLINE auto window(T* chunk, const char* name)
    {
        using view = tensor_view<Target, address_space::shared, T, shared_descriptor<shared_source>>;
        return make_tile_window<distribution>(view{chunk, {}, name}, {0, 0});
    }

    /// Elements of 16 bits, four 8x8 matrices at a time: rows r and r + 8 of the warp's 16, columns c and c + 8. Calls
    /// f(the first of the lane's four words, the offset of the row whose address the lane gives).
    TEGULA_CALLS_BACK
    template <class F>
    static TEGULA_INLINE void for_each_four_matrices(const F& f)
    {
        constexpr tma_swizzled_layout_value l = layout;
        const int lane = Target::lane_id();
        const index_t row = Target::wave_id() * 16 + lane / 8 % 2 * 8; // of the instruction
        static_for<width / 16>([&](auto pair) {
            const index_t column = 16 * pair + lane / 16 * 8;
            f(constant<4 * pair>{}, Transposed ? l.offset(column + lane % 8, row) : l.offset(row + lane % 8, column));
        });
    }
};

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::widest_swizzle;
} // namespace tegula::internal
