#pragma once

#include <tegula/block/dequantizing_loader.hpp>
#include <tegula/block/slice_reader.hpp>

namespace tegula {

namespace detail {

/// The distribution whose lanes hold the packets of the elements that they hold in Distribution.
template <class Distribution, index_t Packing>
struct packets_of
{
    static constexpr encoding_value raw = shorten_k_run(Distribution::value, Packing);
    static constexpr const encoding_value& value = raw;
};

/// Whether runs of neighbours along k, of `run` elements, are a lane's first, second and so on registers.
template <class Distribution>
consteval bool has_runs_in_order(int run)
{
    for (int r = 0; r < Distribution::num_registers; ++r) {
        const auto x = Distribution::step(r);
        if (Distribution::register_at(x) != r)
            return false;
        if (r % run != 0 && x[1] != Distribution::step(r - 1)[1] + 1)
            return false;
    }
    return Distribution::num_registers % run == 0;
}

/// An operand_loader whose slices are read by a slice_reader: reads of a step share the lane's place.
template <class Target, class Element, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution>
struct loader_of_slices : operand_loader<Target, Element, Rows, K, Waves, Order, ReadDistribution>
{
    using base = operand_loader<Target, Element, Rows, K, Waves, Order, ReadDistribution>;
    using reader_type = slice_reader<Target, Element, ReadDistribution, typename base::shared>;
    static_assert(reader_type::places_divide(K),
                  "tegula: the tiles of few rows by packed weights need rows and k that are powers of two");

    reader_type slice_places;

    TEGULA_INLINE loader_of_slices(const tegula::operand_source<Element>& s, index_t row, Element* first_tile)
        : base(s, row, first_tile), slice_places(first_tile)
    {}

    /// The registers of the slice that starts at element K0 of the tile in `slot`, in order.
    template <int K0>
    TEGULA_INLINE auto read_words(int slot) const
    {
        auto at = slice_places;
        at.tile += slot * base::tile_elements * static_cast<index_t>(sizeof(Element));
        return at.template read<K0>();
    }
    template <int K0>
    TEGULA_INLINE distributed_tensor<Element, ReadDistribution> read(int slot) const
    {
        const auto words = read_words<K0>(slot);
        distributed_tensor<Element, ReadDistribution> slice;
        slice.registers = __builtin_bit_cast(decltype(slice.registers), words);
        return slice;
    }
};

/// The loader of the packets, which are bytes to it.
template <class Target, class Form, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution>
using bytes_of_packets = loader_of_slices<Target, std::uint8_t, Rows, K / Form::packing, Waves, Order,
                                          tile_distribution<packets_of<ReadDistribution, Form::packing>>>;

} // namespace detail

/// A quantised operand that stays packed in shared memory. Waves convert integers when they read them, and each wave
/// all that it reads, so that it is for blocks whose waves stand along the operand's rows. A stage takes a fourth or a
/// half of the wide type's bytes, asynchronous copies fill it, and many bytes are in flight.
///
/// Integers come without scales and zero points; group_scaled_accumulators applies them to the sums. Parameters are
/// those of dequantizing_loader.
template <class Target, class Wide, class Form, index_t Rows, index_t K, int Waves, operand_order Order,
          class ReadDistribution>
struct packet_loader : detail::bytes_of_packets<Target, Form, Rows, K, Waves, Order, ReadDistribution>
{
    using bytes = detail::bytes_of_packets<Target, Form, Rows, K, Waves, Order, ReadDistribution>;
    using packet = typename Form::packet;
    static_assert(sizeof(packet) == 1);

    /// Neighbouring elements along k in a lane.
    static constexpr int run = static_cast<int>(ReadDistribution::value.hs[1].back());
    static_assert(run % (4 * Form::packing) == 0 && detail::has_runs_in_order<ReadDistribution>(run),
                  "tegula: a lane must read whole words of packets; use a matrix instruction with inputs of 16 bits");

    /// Length of a stage in shared memory, in elements of Wide.
    static constexpr index_t tile_elements = bytes::tile_elements / static_cast<index_t>(sizeof(Wide));
    static_assert(bytes::tile_elements % 16 == 0);

    TEGULA_INLINE packet_loader(const quantized_source<Form>& s, index_t row, Wide* first_tile)
        : bytes(operand_source<std::uint8_t>{reinterpret_cast<const std::uint8_t*>(s.data), s.rows, s.k, s.row_stride,
                                             s.k_stride, s.name},
                row, reinterpret_cast<std::uint8_t*>(first_tile))
    {}

    /// The integers of the slice of k that starts at element K0 of the tile in `slot`.
    template <int K0>
    TEGULA_INLINE distributed_tensor<Wide, ReadDistribution> read(int slot) const
    {
        constexpr int words_of_run = run / (4 * Form::packing);
        using of_run = detail::dequantized_run<Target, Wide, quantized<packet>, run, true>;
        const auto words = bytes::template read_words<K0 / Form::packing>(slot);
        distributed_tensor<Wide, ReadDistribution> wide;
        static_for<ReadDistribution::num_registers / run>([&](auto r) {
            array<std::uint32_t, words_of_run> some;
            static_for<words_of_run>([&](auto w) { some[w] = words[words_of_run * r + w]; });
            const auto made = of_run::make(__builtin_bit_cast(array<packet, 4 * words_of_run>, some), {}, {});
            static_for<run>([&](auto i) { wide[run * r + i] = made[i]; });
        });
        return wide;
    }
};

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::loader_of_slices;
} // namespace tegula::internal
