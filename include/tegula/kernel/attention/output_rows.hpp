#pragma once

#include <tegula/kernel/attention/tile.hpp>
#include <tegula/kernel/attention/work.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/coalesced.hpp>
#include <tegula/tensor/convert.hpp>
#include <tegula/tensor/tile_window.hpp>

namespace tegula {

/// Stores a number of each row of a tile.
template <class Target, class Work, class Rows>
TEGULA_INLINE void store_row_numbers(const attention_sequence& s, const Work& at, const attention_rows<float>& to,
                                     const Rows& x, const char* name)
{
    store(make_tile_window<typename Rows::distribution>(make_query_view<Target>(to, s, at, name), {at.row}), x);
}

/// How the rows of an attention's output go from accumulators to memory.
///
///   Tile  an attention_tile
template <class Tile>
struct attention_output_rows
{
    using target = typename Tile::target;
    using output_mma = typename Tile::output_mma;
    using accumulators = typename Tile::softmax::accumulators;

    /// Stores rows in vectors, whatever the accumulators' layout is.
    ///
    ///   memory  scratch: Tile::shared_bytes bytes of shared memory. No other code may use it until the function
    ///           returns.
    template <class Arguments, class Work, class O>
    static TEGULA_INLINE void store(const Arguments& args, const attention_sequence& s, const Work& at,
                                    const accumulators& output, const attention_tensor<O>& o, std::byte* memory)
    {
        const auto view = make_query_view<target>(o, s, at, args.value_dim, "O");
        if constexpr (output_mma::in_memory) { // on a CPU, whose accumulators lie in memory
            const auto rows = static_cast<index_t>(Work::rows(args, s.queries));
            Tile::store_output(output, view, at.row, rows - at.row, args.value_dim);
        } else {
            store_through_memory<O>(output, view, at.row, memory);
        }
    }

private:
    template <class O, class View>
    static TEGULA_INLINE void store_through_memory(const accumulators& output, const View& view, index_t row,
                                                   std::byte* memory)
    {
        // Columns that are stored at once: registers hold them twice.
        constexpr index_t columns = min(Tile::value_dim, index_t{256} / static_cast<index_t>(sizeof(O)));
        using coalesced_rows = coalesced<target, O, Tile::queries, columns, Tile::waves>;
        static_for<Tile::value_dim / columns>([&](auto part) {
            const auto values = cast<O>(columns_of<part, columns>(output));
            tegula::store(make_tile_window<coalesced_rows>(view, {row, part * columns}),
                          convert<target, coalesced_rows, Tile::shared_bytes>(values, memory));
        });
    }

    /// The columns that the accumulators of a part hold. If the values' columns are in pairs, one of two instructions
    /// has the even columns of both and the other the odd ones, as byte_pair_loader has them.
    template <class Part>
    struct output_columns
    {
        static constexpr encoding_value raw =
            Tile::chain::alternates
                ? exchange_digits(Part::c_distribution::value, 1, 2, Part::waves_n* Part::atom::n, 1)
                : Part::c_distribution::value;
        static constexpr const encoding_value& value = raw;
    };

    /// Columns [Part * Columns, (Part + 1) * Columns) of the output.
    template <int Part, index_t Columns>
    static TEGULA_INLINE auto columns_of(const accumulators& output)
    {
        using part_mma =
            mma_tile<target, typename Tile::atom, Tile::queries, Columns, output_mma::waves_m, output_mma::waves_n>;
        constexpr int own = part_mma::iterations_n, all = output_mma::iterations_n;
        typename part_mma::accumulators part;
        static_for<part_mma::iterations_m * own>([&](auto i) {
            constexpr int n = decltype(i)::value;
            part.tiles[n] = output.tiles[n / own * all + Part * own + n % own];
        });
        distributed_tensor<float, tile_distribution<output_columns<part_mma>>> values;
        const auto& tiles = part.tiles;
        values.registers = __builtin_bit_cast(decltype(values.registers), tiles);
        return values;
    }
};

} // namespace tegula
