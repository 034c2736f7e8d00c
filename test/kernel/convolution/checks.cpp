/// Tests independent of the target: sizes, refusals, im2col.

#include <tegula/host/launch.hpp>
#include <tegula/kernel/convolution/tiles.hpp>
#include <tegula/kernel/gemm/forms/split_k.hpp>

#include "test/kernel/convolution/convolution.hpp"

#include <string_view>

using namespace tegula;
using namespace tegula::test;
using enum convolution_direction;

namespace {

using forward_kernels = convolution_kernels<forward, 2, gemm_tiles<arch::gfx942, half>::t64x64, float, epilogue::none>;

bool says(const status& s, std::string_view words) { return std::string_view(s.message()).find(words) != words.npos; }

/// A convolution that can be computed.
forward_kernels::arguments right_arguments()
{
    alignas(16) static half x[2 * 5 * 5 * 8], w[16 * 9 * 8];
    alignas(16) static float y[2 * 5 * 5 * 16];
    forward_kernels::arguments args;
    auto& s = args.shape;
    s.images = 2, s.channels = 8, s.filters = 16;
    s.image = {5, 5}, s.filter = {3, 3}, s.stride = {1, 1}, s.padding = {1, 1}, s.dilation = {1, 1};
    s.output = output_lengths(s);
    args.x = make_images<const half, 2>(x, s.image, s.channels);
    args.w = {w, 72};
    args.y = make_images<float, 2>(y, s.output, s.filters);
    return args;
}

} // namespace

TEST_CASE("convolution: output lengths are those of the definition", "[convolution]")
{
    convolution_shape<2> s;
    s.image = {7, 10}, s.filter = {3, 4}, s.stride = {2, 3}, s.padding = {1, 0}, s.dilation = {1, 2};
    // 7 + 2 - 3 = 6 positions to go by steps of 2; a filter 7 wide in 10 pixels by steps of 3.
    CHECK(output_lengths(s) == array<long_index_t, 2>{4, 2});
    CHECK(output_lengths(s, {0, 3}) == array<long_index_t, 2>{3, 3}); // 5 positions; 13 pixels
    s.image = {1, 6};
    CHECK(output_lengths(s) == array<long_index_t, 2>{1, 0});
    CHECK(output_lengths(right_arguments().shape) == array<long_index_t, 2>{5, 5});
}

TEST_CASE("convolution: what cannot be computed is refused with a sentence", "[convolution]")
{
    CHECK(can_implement(right_arguments()).ok());
    const auto refused = [](auto change, std::string_view words) {
        auto args = right_arguments();
        change(args);
        const status s = can_implement(args);
        INFO(s.message());
        CHECK(!s.ok());
        CHECK(says(s, words));
        emulated_device device;
        CHECK(!launch(device, forward_kernels{}, args).ok());
    };
    refused([](auto& a) { a.shape.groups = 3; }, "groups is 3, which does not divide 8 channels and 16 filters");
    refused([](auto& a) { a.shape.groups = 0; }, "groups is 0");
    refused([](auto& a) { a.shape.images = -1; }, "images is -1");
    refused([](auto& a) { a.shape.stride[1] = 0; }, "stride 1 is 0");
    refused([](auto& a) { a.shape.dilation[0] = 0; }, "dilation 0 is 0");
    refused([](auto& a) { a.shape.padding[0] = -2; }, "padding 0 is -2");
    refused([](auto& a) { a.shape.filter[0] = 0; }, "filter length 0 is 0");
    refused([](auto& a) { a.shape.padding[0] = 1 << 30; }, "the limit is 1073741823");
    refused([](auto& a) { a.shape.images = 1 << 30; }, "the number of input pixels");
    refused([](auto& a) { a.x.data = nullptr; }, "x is a null pointer");
    refused([](auto& a) { a.w.data = nullptr; }, "w is a null pointer");
    refused([](auto& a) { a.w.stride = 71; }, "w has leading dimension 71");
    refused([](auto& a) { a.y.strides[0] += 16; }, "y has pixels that do not follow each other");
    refused([](auto& a) { a.y = make_images<float, 2>(a.y.data, a.shape.output, 15); }, "15 elements apart");
    refused([](auto& a) { a.x.image_stride = INT64_MAX / 2; }, "reaches past 2^63");
    refused([](auto& a) { a.shape.stride[0] = (1 << 30) - 1; }, "positions up to");

    using data_kernels =
        convolution_kernels<backward_data, 2, gemm_tiles<arch::gfx942, half>::t64x64, float, epilogue::none>;
    data_kernels::arguments g;
    g.shape = right_arguments().shape;
    g.shape.stride[1] = 40000;
    CHECK(says(can_implement(g), "stride 1 is 40000; the gradient of the input takes strides up to 32768"));
}

TEST_CASE("convolution: a family takes the tile with the lower estimate", "[convolution]")
{
    using family = convolution_family<forward, 2, arch::gfx942, half, float, epilogue::none>;
    const auto rows_of_tile = [](const forward_kernels::arguments& args) {
        return family::choose(args, false, [](auto tile) { return index_t{decltype(tile)::type::block_m}; });
    };
    auto args = right_arguments();
    CHECK(rows_of_tile(args) == family::tiles::small::block_m);
    args.shape.images = 1000, args.shape.channels = args.shape.filters = 1024;
    args.shape.image = args.shape.output = {56, 56};
    CHECK(rows_of_tile(args) == family::tiles::large::block_m);
}

TEST_CASE("convolution: a family takes wgmma on sm_90a where there are rows enough and copies reach", "[convolution]")
{
    using family = convolution_family<forward, 2, arch::sm_90a, half, float, epilogue::none>;
    const auto name = [](auto tile) -> std::string_view {
        using type = typename decltype(tile)::type;
        using wide = warp_specialized_tiles<arch::sm_90a, half>;
        return std::is_same_v<type, wide::ws128x256>   ? "ws128x256"
               : std::is_same_v<type, wide::ws128x128> ? "ws128x128"
               : std::is_same_v<type, wide::ws256x64>  ? "ws256x64"
                                                       : "mma.sync";
    };
    const auto chosen = [&](long_index_t images, long_index_t channels, long_index_t filters, auto change) {
        alignas(16) static half x[8];
        alignas(16) static float y[8];
        forward_kernels::arguments args;
        auto& s = args.shape;
        s.images = images, s.channels = channels, s.filters = filters;
        s.image = {56, 56}, s.filter = {3, 3}, s.stride = {1, 1}, s.padding = {1, 1}, s.dilation = {1, 1};
        s.output = output_lengths(s);
        args.x = make_images<const half, 2>(x, s.image, channels);
        args.w = {x, s.taps() * channels};
        args.y = make_images<float, 2>(y, s.output, filters);
        change(args);
        CHECK(can_implement(args).ok());
        return family::choose(args, false, name);
    };
    const auto nothing = [](auto&) {};
    CHECK(chosen(32, 256, 256, nothing) == "ws128x256");
    CHECK(chosen(8, 128, 128, nothing) == "ws128x128");
    CHECK(chosen(32, 64, 64, nothing) == "ws256x64");
    // Tensor copies and vectors do not reach these: an odd number of channels, addresses between vectors.
    CHECK(chosen(32, 255, 256, nothing) == "mma.sync");
    CHECK(chosen(32, 256, 256, [](auto& a) { a.x.data += 1; }) == "mma.sync");
    CHECK(chosen(32, 256, 256, [](auto& a) { a.w.data += 1; }) == "mma.sync");

    // Strides leave gradients of the input to mma.sync; those of filters have another list.
    using inputs = convolution_family<backward_data, 2, arch::sm_90a, half, float, epilogue::none>;
    using filters = convolution_family<backward_weight, 2, arch::sm_90a, half, float, epilogue::none>;
    const auto gradient = [&](auto family_of_direction, long_index_t stride, bool has_workspace = false) {
        using kernels = decltype(family_of_direction);
        alignas(16) static half x[8];
        alignas(16) static float y[8];
        typename kernels::arguments args;
        auto& s = args.shape;
        s.images = 32, s.channels = s.filters = 256;
        s.image = {56, 56}, s.filter = {3, 3}, s.stride = {stride, stride}, s.padding = {1, 1}, s.dilation = {1, 1};
        s.output = output_lengths(s);
        if constexpr (requires { args.dw; }) {
            args.x = make_images<const half, 2>(x, s.image, s.channels);
            args.dy = make_images<const half, 2>(x, s.output, s.filters);
            args.dw = {y, s.taps() * s.channels};
        } else {
            args.dy = make_images<const half, 2>(x, s.output, s.filters);
            args.w = {x, s.taps() * s.channels};
            args.dx = make_images<float, 2>(y, s.image, s.channels);
        }
        CHECK(can_implement(args).ok());
        return kernels::choose(args, has_workspace, [](auto tile) -> index_t {
            using type = typename decltype(tile)::type;
            return requires { type::making_threads; } ? type::block_m : 0; // rows of a tile by wgmma
        });
    };
    CHECK(gradient(inputs{}, 1) > 0);
    CHECK(gradient(inputs{}, 2) == 0);
    CHECK(gradient(filters{}, 2) > 0);
    // Large tiles of few filters give work to all multiprocessors only if blocks share the pixels.
    CHECK(gradient(filters{}, 1) == 64);
    CHECK(gradient(filters{}, 1, true) == 256);
    // 32 bits have no such tiles.
    static_assert(!prologue_choice<arch::sm_90a, float>::has_wgmma && !prologue_choice<arch::sm_80, half>::has_wgmma);
}

TEST_CASE("convolution: a family takes direct loads on gfx950 where they reach", "[convolution]")
{
    const auto size = [](auto tile) {
        using type = typename decltype(tile)::type;
        return std::array{type::block_m, type::block_n};
    };
    using tile = std::array<index_t, 2>;
    alignas(16) static half x[8];
    alignas(16) static float y[8];
    const auto shape_of = [](long_index_t channels, long_index_t filter) {
        convolution_shape<2> s{32, channels, channels, 1, {56, 56}, {filter, filter}, {}, {1, 1}, {1, 1}, {1, 1}};
        s.output = output_lengths(s);
        return s;
    };
    const auto chosen = [&](long_index_t channels, long_index_t filter, auto change) {
        using family = convolution_family<forward, 2, arch::gfx950, half, float, epilogue::none>;
        family::arguments args;
        args.shape = shape_of(channels, filter);
        args.x = make_images<const half, 2>(x, args.shape.image, channels);
        args.w = {x, args.shape.taps() * channels};
        args.y = make_images<float, 2>(y, args.shape.output, channels);
        change(args);
        CHECK(can_implement(args).ok());
        return family::choose(args, false, size);
    };
    const auto nothing = [](auto&) {};
    CHECK(chosen(256, 3, nothing) == tile{256, 256});
    CHECK(chosen(64, 3, nothing) == tile{256, 128});
    CHECK(chosen(256, 6, nothing) == tile{128, 128});                                     // 36 taps
    CHECK(chosen(256, 3, [](auto& a) { a.x.image_stride = 1 << 26; }) == tile{128, 128}); // 2^32 bytes
    CHECK(chosen(256, 3, [](auto& a) {
              a.x.data += 55 * a.x.strides[0], a.x.strides[0] *= -1; // upside down
          }) == tile{128, 128});

    // Gradients of filters have them if blocks share the pixels, those of images never.
    using filters = convolution_family<backward_weight, 2, arch::gfx950, half, float, epilogue::none>;
    filters::arguments args;
    args.shape = shape_of(256, 3);
    args.x = make_images<const half, 2>(x, args.shape.image, 256);
    args.dy = make_images<const half, 2>(x, args.shape.output, 256);
    args.dw = {y, args.shape.taps() * 256};
    CHECK(filters::choose(args, true, size) == tile{256, 128});
    using inputs = convolution_family<backward_data, 2, arch::gfx950, half, float, epilogue::none>;
    static_assert(inputs::list::count == 2);
    // A direct tile has registers on the way there, which 49 taps do not limit.
    using data = convolution_kernels<backward_data, 2, gemm_tiles<arch::gfx950, half>::t256x128, float, epilogue::none>;
    data::arguments g;
    g.shape = shape_of(256, 7);
    g.dy = make_images<const half, 2>(x, g.shape.output, 256);
    g.w = {x, g.shape.taps() * 256};
    g.dx = make_images<float, 2>(y, g.shape.image, 256);
    CHECK(data::can_take(g).ok());
    CHECK(data::dispatch(
        g, [](auto kernel, const auto&) { return !std::is_same_v<decltype(kernel), data::element_wise>; }));
}

TEST_CASE("convolution: im2col writes what the filter covers", "[convolution]")
{
    using target = arch::gfx942;
    for (const convolution_case& what : {convolution_case{2, 8, 1, 1, 6, 3, 2, 1, 1, false},
                                         {1, 3, 1, 1, 5, 2, 1, 2, 2, true},
                                         {2, 200, 1, 1, 4, 3, 1, 1, 1, true},
                                         {2, 48, 1, 1, 5, 3, 1, 1, 1, false},
                                         {0, 8, 1, 1, 6, 3, 2, 1, 1, false}}) {
        INFO(what.text());
        const auto s = what.shape<3>();
        stored_images<half, 3> x(s.image, s.images, s.channels, what.gaps, false);
        const std::vector<double> packed = x.fill(1);
        const long_index_t columns = s.taps() * s.channels;
        std::vector<half> matrix(static_cast<std::size_t>(s.output_pixels() * columns), poison<half>());
        const matrix_argument<half> to{matrix.data(), columns, 1, 0};
        emulated_device device;
        const auto run = [&](auto kernel) {
            return launch(device, kernel, make_im2col<decltype(kernel)>(s, x.source(), to));
        };
        const status ran = im2col_suits_vectors(s, x.source(), to) ? run(im2col_kernel<target, half, 3, 8>{})
                                                                   : run(im2col_kernel<target, half, 3, 1>{});
        INFO(device.result.report << ran.message());
        REQUIRE(ran.ok());
        if (s.channels % 16 == 0) { // whole sectors, of the image as often as a tap covers them
            CHECK(device.result.counters.global_load_sectors == covered_pixels(s) * s.channels / 16);
            CHECK(device.result.counters.global_store_sectors == s.output_pixels() * columns / 16);
        }
        std::size_t n = 0;
        bool same = true;
        for (long_index_t image = 0; image < s.images; ++image)
            tegula::detail::for_each_position(s.output, [&](const auto& out) {
                tegula::detail::for_each_position(s.filter, [&](const auto& tap) {
                    array<long_index_t, 3> in{};
                    for (int d = 0; d < 3; ++d)
                        in[d] = out[d] * s.stride[d] - s.padding[d] + tap[d] * s.dilation[d];
                    for (long_index_t c = 0; c < s.channels; ++c) {
                        const long_index_t at = tegula::detail::packed_place(image, in, c, s.image, s.channels);
                        const double value = at < 0 ? 0 : packed[static_cast<std::size_t>(at)];
                        same = same && static_cast<double>(matrix[n++]) == value;
                    }
                });
            });
        CHECK(same);
    }
}

TEST_CASE("convolution: im2col in vectors refuses what does not lie in them", "[convolution]")
{
    using kernel = im2col_kernel<arch::gfx942, half, 2, 8>;
    auto right = right_arguments();
    alignas(16) static half matrix[50 * 80];
    const auto check = [&](long_index_t channels) {
        right.shape.channels = channels;
        const auto x = make_images<const half, 2>(right.x.data, right.shape.image, channels);
        return kernel::check(make_im2col<kernel>(right.shape, x, matrix_argument<half>{matrix, 9 * channels, 1, 0}));
    };
    CHECK(check(8).ok());
    CHECK(says(check(7), "the kernel copies 8 channels at a time"));
}
