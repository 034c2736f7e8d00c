#pragma once

#include <tegula/arch/reload_arguments.hpp>
#include <tegula/block/lane_rows.hpp>
#include <tegula/kernel/space_descriptor.hpp>
#include <tegula/kernel/space_grid.hpp>
#include <tegula/layout/descriptor/coordinate.hpp>
#include <tegula/layout/descriptor/descriptor.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/coalesced.hpp>
#include <tegula/tensor/convert.hpp>

namespace tegula {

/// The arguments of a permute_kernel (plan_permute): rows along the dimension whose neighbours the output has, columns
/// along the one whose neighbours the input has, and all other dimensions as a batch.
template <class Word>
struct permute_plan
{
    static constexpr index_t splits = 1; ///< the grid's y

    const Word* input;
    Word* output;
    long_index_t rows, columns;
    long_index_t row_strides[2], column_strides[2]; ///< output's, input's
    index_space<2> batch = {};
    wide_magic_divisor row_tiles = {}, column_tiles = {};
    long_index_t tiles = 0; ///< tiles of the whole batch
    index_t blocks = 0;     ///< to launch; each takes every blocks-th tile
};

/// Moves tiles from one order of dimensions to another: reads along columns, transposes in shared memory, and writes
/// along rows. Both are in accesses of 16 bytes a lane if Vectors is true. The staging has no bank conflicts. On CPUs
/// words of 4 and 8 bytes are transposed in the machine's vectors.
///
///   Word  an unsigned integer of the elements' size
template <class Target, class Word, bool Vectors>
struct permute_kernel
{
    using target = Target;
    using arguments = permute_plan<Word>;

    static constexpr int block_threads = default_block_threads<Target>;
    static constexpr bool compiled_whole = true; ///< read on CPUs only
    /// Whether tiles are transposed in registers by words_of_lane, on a CPU. Vectors then means only that both have
    /// neighbours: no length or address need be a multiple of anything.
    static constexpr bool transposes_words = is_native_cpu<Target> && Vectors && sizeof(Word) >= 4;
    /// Sides of a tile that passes through registers as a distributed tensor, and of this kernel's tiles.
    static constexpr index_t register_side = block_threads == 1 ? 8 : sizeof(Word) < 8 ? 64 : 32;
    static constexpr index_t side = transposes_words ? 128 : register_side;
    static constexpr int waves = default_block_threads<Target> / Target::wave_size;
    static constexpr index_t vector = Vectors ? 16 / static_cast<index_t>(sizeof(Word)) : 1;

private:
    // Lanes take neighbouring vectors of so many bytes, or neighbouring elements as they do those of 16 bytes.
    struct wide
    {
        std::uint64_t halves[2];
    };
    using taken = std::conditional_t<Vectors, Word, wide>;
    using source = coalesced<Target, taken, register_side, register_side, waves, contiguous::columns>;
    using destination = coalesced<Target, taken, register_side, register_side, waves, contiguous::rows>;

public:
    static constexpr index_t shared_bytes = conversion_scratch_bytes<Target, Word, source, destination>;

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        TEGULA_ROLLED
        for (long_index_t tile = target::block_id()[0]; tile < args.tiles; tile += args.blocks)
            move_tile(internal::reload_arguments(args), tile);
    }

private:
    static TEGULA_INLINE void move_tile(const arguments& args, long_index_t tile)
    {
        const auto by_rows = args.row_tiles.divide(tile);
        const auto by_columns = args.column_tiles.divide(by_rows.quotient);
        const array<long_index_t, 2> batch = args.batch.offsets(by_columns.quotient);
        const long_index_t row = by_rows.remainder * side, column = by_columns.remainder * side;
        if constexpr (transposes_words) {
            words_of_lane<target, sizeof(Word)>::transpose(
                args.output + batch[0] + row + column * args.column_strides[0], args.column_strides[0],
                args.input + batch[1] + row * args.row_strides[1] + column, args.row_strides[1],
                internal::count_from(row, args.rows, side), internal::count_from(column, args.columns, side));
        } else {
            const auto values = load(window<source, 1>(args, args.input + batch[1], row, column, "input"));
            store(window<destination, 0>(args, args.output + batch[0], row, column, "output"),
                  convert<target, destination>(values, target::shared_memory()));
        }
    }
    /// The tile of tensor 0, the output, or 1, the input; for vectors the dimension of stride 1 is known.
    template <class Distribution, int Tensor, class T>
    static TEGULA_INLINE auto window(const arguments& args, T* data, long_index_t row, long_index_t column,
                                     const char* name)
    {
        const long_index_t row_stride = args.row_strides[Tensor], column_stride = args.column_strides[Tensor];
        const auto lengths =
            make_tuple(internal::count_from(row, args.rows, side), internal::count_from(column, args.columns, side));
        T* const corner = data + row * row_stride + column * column_stride;
        const auto of = [&](const auto& strides) {
            const auto view = make_tensor_view<target, address_space::global>(
                corner, make_strided_descriptor(lengths, strides, constant<vector>{}), name);
            return make_tile_window<Distribution>(view, {0, 0});
        };
        if constexpr (!Vectors)
            return of(make_tuple(row_stride, column_stride));
        else if constexpr (Tensor == 0)
            return of(make_tuple(constant<1>{}, column_stride));
        else
            return of(make_tuple(row_stride, constant<1>{}));
    }
};

} // namespace tegula
