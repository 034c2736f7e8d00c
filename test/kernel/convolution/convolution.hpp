#pragma once

/// Convolutions on the emulator, against the sums in double.

#include <tegula/convolution.hpp>
#include <tegula/reference/convolution.hpp>

#include "test/kernel/device_of.hpp"
#include "test/kernel/gemm/forms/forms.hpp"
#include "test/kernel/pairwise.hpp"

namespace tegula::test {

/// The parameters of one case.
struct convolution_case
{
    long_index_t images, channels, filters, groups, length, filter, stride, padding, dilation;
    bool gaps;               ///< between pixels, rows and images
    long_index_t behind = 0; ///< pixels of padding behind the image beyond those before it

    std::string text() const
    {
        std::ostringstream s;
        s << images << " images of " << length << ", channels " << channels << ", filters " << filters << " in "
          << groups << " groups, filter " << filter << ", stride " << stride << ", padding " << padding << ", dilation "
          << dilation << (gaps ? ", gaps" : "") << ", " << behind << " more behind";
        return s.str();
    }

    /// Lengths differ from dimension to dimension.
    template <int Dims>
    convolution_shape<Dims> shape() const
    {
        convolution_shape<Dims> s;
        s.images = images, s.channels = channels * groups, s.filters = filters * groups, s.groups = groups;
        for (int d = 0; d < Dims; ++d) {
            s.image[d] = length > 0 ? length + d : 0;
            s.filter[d] = filter > 1 && d == 0 ? filter - 1 : filter;
            s.stride[d] = d == 0 ? stride : stride > 1 ? stride - 1 : 1;
            s.padding[d] = d > 0 && padding > 0 ? padding - 1 : padding;
            s.dilation[d] = dilation;
        }
        array<long_index_t, Dims> after{};
        for (int d = 0; d < Dims; ++d)
            after[d] = d == 0 ? s.padding[d] + behind : std::max(s.padding[d] - behind, long_index_t{0});
        s.output = output_lengths(s, after);
        return s;
    }
};

/// Every pair of two factors' values.
inline std::vector<convolution_case> convolution_cases(quarter part)
{
    const long_index_t images[] = {1, 3}, channels[] = {1, 3, 8, 16, 40}, filters[] = {8, 1, 5, 24, 72},
                       groups[] = {1, 2, 3}, lengths[] = {7, 12, 1}, sizes[] = {3, 1, 2, 4}, strides[] = {1, 2, 3},
                       paddings[] = {0, 1, 3}, dilations[] = {1, 2};
    std::vector<convolution_case> cases;
    for (const auto& row : pairwise_rows({2, 5, 5, 3, 3, 4, 3, 3, 2, 2, 4})) {
        const auto at = [&](std::size_t f) { return static_cast<std::size_t>(row[f]); };
        if (part == quarter::all || row.back() == static_cast<int>(part))
            cases.push_back({images[at(0)], channels[at(1)], filters[at(2)], groups[at(3)], lengths[at(4)],
                             sizes[at(5)], strides[at(6)], paddings[at(7)], dilations[at(8)], row[9] != 0});
    }
    cases.push_back({0, 8, 8, 1, 5, 3, 1, 1, 1, false});
    cases.push_back({2, 0, 8, 1, 5, 3, 1, 1, 1, false});
    cases.push_back({2, 8, 0, 1, 5, 3, 1, 1, 1, false});
    cases.push_back({2, 8, 8, 1, 0, 3, 1, 2, 1, false}); // an image of padding
    cases.push_back({2, 8, 8, 2, 2, 4, 1, 0, 1, false}); // no output
    // Strides that share divisors with dilations, in the one dimension or in the other, and larger than the image.
    cases.push_back({1, 8, 8, 1, 13, 5, 6, 3, 4, false});
    cases.push_back({2, 8, 16, 2, 14, 6, 5, 4, 6, true});
    cases.push_back({2, 8, 8, 1, 5, 3, 9, 4, 2, false});
    // Another padding behind the image: more below, less to the right.
    cases.push_back({2, 8, 24, 2, 9, 4, 2, 2, 1, false, 3});
    cases.push_back({1, 8, 8, 1, 7, 3, 1, 0, 2, true, 5});
    return cases;
}

/// Images with guards around them and, where there are gaps, between their parts.
template <class T, int Dims>
struct stored_images
{
    array<long_index_t, Dims> lengths;
    long_index_t images, channels;
    image_argument<T, Dims> where;
    std::vector<T> values, before;
    static constexpr long_index_t guard = 64;

    /// one_stride: pixels follow each other at one, gaps are between them only.
    stored_images(const array<long_index_t, Dims>& l, long_index_t n, long_index_t c, bool gaps, bool one_stride)
        : lengths(l), images(n), channels(c)
    {
        const long_index_t gap = gaps ? (channels % 8 == 0 ? 8 : 3) : 0;
        where = make_images<T, Dims>(nullptr, lengths, channels + gap);
        if (gaps && !one_stride) {
            for (int d = Dims - 2; d >= 0; --d)
                where.strides[d] = where.strides[d + 1] * lengths[d + 1] + gap * (3 - d);
            where.image_stride = where.strides[0] * lengths[0] + 5 * gap;
        }
        values.assign(static_cast<std::size_t>(images * where.image_stride + 2 * guard), poison<T>());
        where.data = values.data() + guard;
        before = values;
    }

    template <class F>
    void for_each(const F& f)
    {
        for (long_index_t n = 0; n < images; ++n)
            tegula::detail::for_each_position(lengths, [&](const auto& x) {
                long_index_t at = guard + n * where.image_stride;
                for (int d = 0; d < Dims; ++d)
                    at += x[d] * where.strides[d];
                for (long_index_t c = 0; c < channels; ++c)
                    f(static_cast<std::size_t>(at + c));
            });
    }
    /// Random values; they, packed.
    std::vector<double> fill(std::uint64_t seed)
    {
        random_source random(seed);
        std::vector<double> packed;
        for_each([&](std::size_t at) {
            values[at] = convert<T>(random.uniform(-1, 1));
            packed.push_back(static_cast<double>(values[at]));
        });
        before = values;
        return packed;
    }
    image_argument<const T, Dims> source() const { return {where.data, where.image_stride, where.strides}; }

    /// Whether the elements are close to the exact ones, and nothing else was written.
    bool matches(const convolution_result& exact, long_index_t terms)
    {
        std::size_t n = 0;
        bool close = true;
        for_each([&](std::size_t at) {
            close = close && is_close(static_cast<double>(values[at]), exact.values[n], exact.magnitudes[n],
                                      static_cast<double>(terms + 1));
            values[at] = before[at];
            ++n;
        });
        return close && std::memcmp(values.data(), before.data(), values.size() * sizeof(T)) == 0;
    }
};

/// Filters as images of one dimension less: [filters, taps, channels of a group].
template <class T>
using stored_filters = stored_images<T, 1>;

/// Pairs of an output pixel and a tap that meet inside the image, of all images.
template <int Dims>
long_index_t covered_pixels(const convolution_shape<Dims>& s)
{
    long_index_t count = s.images;
    for (int d = 0; d < Dims; ++d) {
        long_index_t inside = 0;
        for (long_index_t x = 0; x < s.output[d]; ++x)
            for (long_index_t tap = 0; tap < s.filter[d]; ++tap) {
                const long_index_t at = x * s.stride[d] - s.padding[d] + tap * s.dilation[d];
                inside += at >= 0 && at < s.image[d];
            }
        count *= inside;
    }
    return count;
}

/// Whether a pixel may be seen under several taps.
template <int Dims>
bool taps_overlap(const convolution_shape<Dims>& s)
{
    bool overlap = false;
    for (int d = 0; d < Dims; ++d)
        overlap = overlap || (s.filter[d] - 1) * s.dilation[d] >= s.stride[d];
    return overlap;
}

/// Elements that blocks read of a convolution of one group: of images those under the filter, once for each tile along
/// the product's other dimension, and so of the filters or the second images.
template <convolution_direction Direction, int Dims>
long_index_t read_elements(const convolution_shape<Dims>& s, long_index_t tiles_m, long_index_t tiles_n)
{
    const long_index_t filters = s.filters * s.taps() * s.channels, covered = covered_pixels(s);
    if (Direction == convolution_direction::forward)
        return covered * s.channels * tiles_n + filters * tiles_m;
    if (Direction == convolution_direction::backward_data)
        return covered * s.filters * tiles_n + filters * tiles_m;
    return s.output_pixels() * s.filters * tiles_n + covered * s.channels * tiles_m;
}

/// whole_sectors: channels of groups fill sectors, so that no access takes more of them than its bytes.
template <convolution_direction Direction, int Dims, class Tile>
void check_convolution(const convolution_case& what, int (&uses)[2], bool whole_sectors = false)
{
    using enum convolution_direction;
    using T = typename Tile::a_type;
    using kernels = convolution_kernels<Direction, Dims, Tile, float, epilogue::none>;
    const auto s = what.shape<Dims>();
    const array<long_index_t, 1> taps{s.taps()};
    typename kernels::arguments args;
    args.shape = s;
    const auto run = [&] {
        REQUIRE(can_implement(args).ok());
        device_of<typename Tile::target> device;
        long_index_t read = 0, written = 0;
        const status ran = kernels::dispatch(args, [&](auto kernel, const auto& product) {
            using tile = typename decltype(kernel)::tile;
            ++uses[decltype(kernel)::order_a == operand_order::any];
            read = read_elements<Direction>(s, ceil_div(product.m, tile::block_m), ceil_div(product.n, tile::block_n));
            written = product.m * product.n;
            return launch(device, kernel, product);
        });
        INFO(report_of(device) << ran.message());
        REQUIRE(ran.ok());
        if constexpr (counts_sectors<typename Tile::target>) {
            CHECK(device.result.counters.shared_load_conflicts == 0);
            CHECK(device.result.counters.shared_store_conflicts == 0);
            if (whole_sectors) {
                const long_index_t sectors = read * static_cast<long_index_t>(sizeof(T)) / 32;
                // Lanes of one access share sectors if they see a pixel under several taps: then these are fewer still.
                const long_index_t channels = Direction == forward ? s.channels : s.filters;
                if (taps_overlap(s) && (Direction == backward_weight || channels % Tile::block_k != 0))
                    CHECK(device.result.counters.global_load_sectors <= sectors);
                else
                    CHECK(device.result.counters.global_load_sectors == sectors);
                CHECK(device.result.counters.global_store_sectors ==
                      written * static_cast<long_index_t>(sizeof(float)) / 32);
            }
        }
    };

    if constexpr (Direction == forward) {
        stored_images<T, Dims> x(s.image, s.images, s.channels, what.gaps, false);
        stored_filters<T> w(taps, s.filters, s.group_channels(), false, true);
        stored_images<float, Dims> y(s.output, s.images, s.filters, what.gaps, true);
        const auto exact = reference_convolution(Direction, s, x.fill(1), w.fill(2));
        args.x = x.source(), args.y = y.where;

        args.w = {w.where.data, w.where.image_stride};
        run();
        CHECK(y.matches(exact, s.taps() * s.group_channels()));
    } else if constexpr (Direction == backward_data) {
        stored_images<T, Dims> dy(s.output, s.images, s.filters, what.gaps, false);
        stored_filters<T> w(taps, s.filters, s.group_channels(), false, true);
        stored_images<float, Dims> dx(s.image, s.images, s.channels, what.gaps, true);
        const auto exact = reference_convolution(Direction, s, dy.fill(1), w.fill(2));
        args.dy = dy.source(), args.dx = dx.where;

        args.w = {w.where.data, w.where.image_stride};
        run();
        CHECK(dx.matches(exact, s.taps() * s.group_filters()));
    } else {
        stored_images<T, Dims> x(s.image, s.images, s.channels, what.gaps, false);
        stored_images<T, Dims> dy(s.output, s.images, s.filters, what.gaps, true);
        stored_filters<float> dw(taps, s.filters, s.group_channels(), false, true);
        const auto exact = reference_convolution(Direction, s, x.fill(1), dy.fill(2));
        args.x = x.source(), args.dy = dy.source();
        args.dw = {dw.where.data, dw.where.image_stride};
        run();
        CHECK(dw.matches(exact, s.output_pixels()));
    }
}

/// How many of the cases took the kernel of vectors, and how many the element-wise one.
template <convolution_direction Direction, int Dims, class Tile>
std::pair<int, int> count_kernels(std::initializer_list<convolution_case> cases)
{
    int uses[2] = {};
    for (const convolution_case& what : cases) {
        INFO(what.text());
        check_convolution<Direction, Dims, Tile>(what, uses);
    }
    return {uses[0], uses[1]};
}

/// A part of all cases.
template <convolution_direction Direction, int Dims, class Tile>
void check_convolutions(quarter part)
{
    int uses[2] = {};
    for (const convolution_case& what : convolution_cases(part)) {
        INFO(what.text());
        check_convolution<Direction, Dims, Tile>(what, uses);
    }
    // On CPUs one kernel takes channels of every number.
    CHECK((uses[0] > 3 || !counts_sectors<typename Tile::target>));
    CHECK(uses[1] > 3);
    check_convolution<Direction, Dims, Tile>({2, 64, 64, 1, 6, 3, 1, 1, 1, false}, uses, true);
    check_convolution<Direction, Dims, Tile>({1, 16, 80, 1, 5, 3, 1, 1, 2, false}, uses, true);
    if (Direction != convolution_direction::backward_data) { // whose strides make a product of each remainder
        check_convolution<Direction, Dims, Tile>({2, 64, 64, 1, 6, 2, 3, 0, 1, false}, uses, true);
        check_convolution<Direction, Dims, Tile>({1, 16, 80, 1, 8, 2, 3, 1, 1, false}, uses, true);
    }
}

} // namespace tegula::test
