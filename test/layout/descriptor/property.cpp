// Descriptors made of random run-time and fixed compile-time lengths against direct formulas.
#include "test/layout/descriptor/checks.hpp"

#include <algorithm>
#include <vector>

using namespace tegula;
using namespace tegula::test;

namespace {

constexpr int trials = 40;
constexpr long_index_t nothing = -1;

template <index_t I>
constexpr constant<I> c{};

} // namespace

TEST_CASE("strided, packed and aligned descriptors follow their strides", "[layout]")
{
    std::mt19937 random(2);
    for (int trial = 0; trial < trials; ++trial) {
        const index_t a = random_between(random, 1, 6), b = random_between(random, 1, 9);
        const index_t n = random_between(random, 1, 40);
        const long_index_t row = 8 * random_between(random, 5, 100000),
                           plane = row * 8 * random_between(random, 9, 2000);

        const auto strided = make_strided_descriptor(make_tuple(a, b, n), make_tuple(plane, row, c<1>), c<8>);
        REQUIRE(strided.guaranteed_vector_length(2) == 8);
        check_descriptor(strided, random, [&](auto i) { return i[0] * plane + i[1] * row + i[2]; });

        const auto columns = make_strided_descriptor(make_tuple(n, b), make_tuple(c<1>, row), c<4>);
        REQUIRE(columns.guaranteed_vector_length(0) == 4);
        check_descriptor(columns, random, [&](auto i) { return i[0] + i[1] * row; });

        const auto promised = make_packed_descriptor(make_tuple(a, b, 8 * n), c<8>);
        REQUIRE(promised.guaranteed_vector_length(2) == 8);
        check_descriptor(promised, random, [&](auto i) { return (i[0] * long_index_t{b} + i[1]) * 8 * n + i[2]; });

        const auto aligned = make_aligned_descriptor(make_tuple(a, b, n), c<16>);
        REQUIRE(aligned.guaranteed_vector_length(2) == 16);
        const long_index_t pitch = (n + 15) / 16 * 16;
        check_descriptor(aligned, random, [&](auto i) { return (i[0] * long_index_t{b} + i[1]) * pitch + i[2]; });
    }
    check_descriptor(make_strided_descriptor(sequence<3, 4, 24>{}, sequence<96, 24, 1>{}), random,
                     [](auto i) { return long_index_t{i[0] * 96 + i[1] * 24 + i[2]}; });
    check_descriptor(make_strided_descriptor(sequence<3, 4, 8>{}, sequence<1, 24, 3>{}), random,
                     [](auto i) { return long_index_t{i[0] + i[1] * 24 + i[2] * 3}; });
    check_descriptor(make_strided_descriptor(sequence<4, 5>{}, sequence<0, 1>{}), random,
                     [](auto i) { return long_index_t{i[1]}; });
    check_descriptor(make_packed_descriptor(sequence<2, 12, 1, 20, 1>{}), random,
                     [](auto i) { return long_index_t{(i[0] * 12 + i[1]) * 20 + i[3]}; });
}

TEST_CASE("element spaces pass 2^32", "[layout]")
{
    std::mt19937 random(3);
    const auto large = make_packed_descriptor(make_tuple(70000, 70000, 64), c<64>);
    REQUIRE(large.element_space_size() == 70000ll * 70000 * 64);
    REQUIRE(large.calculate_offset({69999, 69999, 63}) == large.element_space_size() - 1);
    check_moves(large, random, 2000);

    const auto merged = transform_descriptor(
        large, make_tuple(make_merge_transform(make_tuple(70000, 64)), make_merge_transform(make_tuple(70000))),
        make_tuple(sequence<1, 2>{}, sequence<0>{}), make_tuple(sequence<1>{}, sequence<0>{}));
    for (int i = 0; i < 2000; ++i) {
        const auto at = random_index(random, merged.lengths());
        REQUIRE(merged.calculate_offset(at) == at[0] * 4480000ll + at[1]);
    }
    check_moves(merged, random, 2000);
}

TEST_CASE("padded descriptors say what is real", "[layout]")
{
    std::mt19937 random(4);
    for (int trial = 0; trial < trials; ++trial) {
        const index_t m = random_between(random, 1, 9), n = random_between(random, 1, 9), row = 16;
        const index_t left = random_between(random, 0, 3), right = random_between(random, 0, 3);
        const auto base = make_strided_descriptor(make_tuple(m, n), make_tuple(c<16>, c<1>));
        const auto padded = transform_descriptor(
            base, make_tuple(make_pad_transform(m, left, right), make_pad_transform(n, c<4>, right)),
            make_tuple(sequence<0>{}, sequence<1>{}), make_tuple(sequence<0>{}, sequence<1>{}));
        REQUIRE(padded.guaranteed_vector_length(1) == 4);
        const auto reference = [&](auto i) {
            const index_t r = i[0] - left, k = i[1] - 4;
            return r >= 0 && r < m && k >= 0 && k < n ? long_index_t{r * row + k} : nothing;
        };
        check_descriptor(padded, random, reference);

        const auto tiled =
            transform_descriptor(padded, make_tuple(make_merge_transform(make_tuple(m + left + right, n + 4 + right))),
                                 make_tuple(sequence<0, 1>{}), make_tuple(sequence<0>{}));
        check_descriptor(tiled, random, [&](auto i) {
            const index_t width = n + 4 + right;
            return reference(multi_index<2>{i[0] / width, i[0] % width});
        });
    }
}

TEST_CASE("a convolution is a matrix seen through pad, embed and merge", "[layout]")
{
    std::mt19937 random(5);
    for (int trial = 0; trial < trials / 4; ++trial) {
        const index_t images = random_between(random, 1, 3), height = random_between(random, 3, 6);
        const index_t width = random_between(random, 3, 6), channels = 4 * random_between(random, 1, 2);
        const index_t stride = random_between(random, 1, 2), dilation = random_between(random, 1, 2);
        const index_t out_h = (height + 2 - dilation * 2 - 1) / stride + 1;
        const index_t out_w = (width + 2 - dilation * 2 - 1) / stride + 1;
        if (out_h < 1 || out_w < 1)
            continue;

        const auto image = make_packed_descriptor(make_tuple(images, height, width, channels), c<1>); // N H W C
        const auto padded = transform_descriptor(
            image,
            make_tuple(make_pass_through_transform(images), make_pad_transform(height, c<1>, c<1>),
                       make_pad_transform(width, c<1>, c<1>), make_pass_through_transform(channels)),
            make_tuple(sequence<0>{}, sequence<1>{}, sequence<2>{}, sequence<3>{}),
            make_tuple(sequence<0>{}, sequence<1>{}, sequence<2>{}, sequence<3>{}));
        const auto windows = transform_descriptor( // N, Y, Ho, X, Wo, C
            padded,
            make_tuple(make_pass_through_transform(images),
                       make_embed_transform(make_tuple(3, out_h), make_tuple(dilation, stride)),
                       make_embed_transform(make_tuple(3, out_w), make_tuple(dilation, stride)),
                       make_pass_through_transform(channels)),
            make_tuple(sequence<0>{}, sequence<1>{}, sequence<2>{}, sequence<3>{}),
            make_tuple(sequence<0>{}, sequence<1, 2>{}, sequence<3, 4>{}, sequence<5>{}));
        const auto matrix = transform_descriptor(windows,
                                                 make_tuple(make_merge_transform(make_tuple(images, out_h, out_w)),
                                                            make_merge_transform(make_tuple(c<3>, c<3>, channels))),
                                                 make_tuple(sequence<0, 2, 4>{}, sequence<1, 3, 5>{}),
                                                 make_tuple(sequence<0>{}, sequence<1>{}));

        check_descriptor(matrix, random, [&](auto i) {
            const index_t wo = i[0] % out_w, ho = i[0] / out_w % out_h, image_index = i[0] / out_w / out_h;
            const index_t channel = i[1] % channels, x = i[1] / channels % 3, y = i[1] / channels / 3;
            const index_t h = ho * stride + y * dilation - 1, w = wo * stride + x * dilation - 1;
            if (h < 0 || h >= height || w < 0 || w >= width)
                return nothing;
            return ((long_index_t{image_index} * height + h) * width + w) * channels + channel;
        });
    }
}

TEST_CASE("swizzled tiles keep their chunks and lose nothing", "[layout]")
{
    std::mt19937 random(6);
    const auto check = [&](auto pattern, auto formula) {
        const auto tile = transform_descriptor(make_packed_descriptor(sequence<32, 64>{}),
                                               make_tuple(make_xor_transform(sequence<32, 64>{}, pattern)),
                                               make_tuple(sequence<0, 1>{}), make_tuple(sequence<0, 1>{}));
        check_descriptor(tile, random, [&](auto i) { return long_index_t{i[0] * 64 + formula(i[0], i[1])}; });
        std::vector<bool> used(32 * 64);
        for_each_index(tile.lengths(),
                       [&](auto i) { used[static_cast<std::size_t>(tile.calculate_offset(i))] = true; });
        CHECK(std::count(used.begin(), used.end(), true) == 32 * 64);
    };
    check(xor_pattern<8, 7>{}, [](index_t r, index_t k) { return ((k / 8) ^ (r & 7)) * 8 + k % 8; });
    check(xor_pattern<4, 5, 1>{}, [](index_t r, index_t k) { return ((k / 4) ^ ((r >> 1) & 5)) * 4 + k % 4; });
    check(xor_pattern<2, 15, 2, 1>{},
          [](index_t r, index_t k) { return ((k / 2) ^ (((r >> 2) ^ (r >> 1)) & 15)) * 2 + k % 2; });
    check(xor_pattern<8, 0>{}, [](index_t, index_t k) { return k; });
}

TEST_CASE("slices, offsets, rings, tables, frozen and inserted dimensions", "[layout]")
{
    std::mt19937 random(7);
    for (int trial = 0; trial < trials; ++trial) {
        const index_t rows = random_between(random, 4, 9), begin = random_between(random, 0, 2);
        const index_t frozen = random_between(random, 0, 2), copies = random_between(random, 1, 3);
        const auto base = make_packed_descriptor(make_tuple(c<3>, rows, c<24>));

        const auto sliced =
            transform_descriptor(base,
                                 make_tuple(make_freeze_transform(frozen), make_slice_transform(rows, begin, rows - 1),
                                            make_slice_transform(c<24>, c<4>, c<20>), make_insert_transform(copies)),
                                 make_tuple(sequence<0>{}, sequence<1>{}, sequence<2>{}, sequence<>{}),
                                 make_tuple(sequence<>{}, sequence<0>{}, sequence<2>{}, sequence<1>{}));
        REQUIRE(sliced.guaranteed_vector_length(2) == 4);
        check_descriptor(sliced, random,
                         [&](auto i) { return (long_index_t{frozen} * rows + i[0] + begin) * 24 + i[2] + 4; });

        std::vector<index_t> table;
        for (int i = 0; i < 11; ++i)
            table.push_back(random_between(random, -1, rows - 1));
        const auto gathered =
            transform_descriptor(base,
                                 make_tuple(make_modulo_transform(c<3>, 10), make_indirect_transform(table.data(), 11),
                                            make_offset_transform(16, c<8>)),
                                 make_tuple(sequence<0>{}, sequence<1>{}, sequence<2>{}),
                                 make_tuple(sequence<2>{}, sequence<0>{}, sequence<1>{}));
        REQUIRE(gathered.guaranteed_vector_length(1) == 8);
        check_descriptor(gathered, random, [&](auto i) {
            const index_t row = table[static_cast<std::size_t>(i[0])];
            return row < 0 ? nothing : (long_index_t{i[2] % 3} * rows + row) * 24 + i[1] + 8;
        });
        CHECK(gathered.calculate_offset({1000000, 0, 0}) == 8); // reads no table entry

        const auto replicated = transform_descriptor(base,
                                                     make_tuple(make_merge_transform(make_tuple(c<3>, rows, c<24>)),
                                                                make_replicate_transform(make_tuple(c<2>, copies))),
                                                     make_tuple(sequence<0, 1, 2>{}, sequence<>{}),
                                                     make_tuple(sequence<1>{}, sequence<0, 2>{}));
        REQUIRE(replicated.guaranteed_vector_length(1) == 8);
        check_descriptor(replicated, random, [&](auto i) { return long_index_t{i[1]}; });
    }
}

TEST_CASE("guarantees survive splitting and joining", "[layout]")
{
    std::mt19937 random(8);
    const auto split = transform_descriptor(
        make_packed_descriptor(sequence<8, 96>{}),
        make_tuple(make_unmerge_transform(sequence<2, 4>{}), make_unmerge_transform(sequence<3, 4, 8>{})),
        make_tuple(sequence<0>{}, sequence<1>{}), make_tuple(sequence<2, 0>{}, sequence<1, 3, 4>{}));
    STATIC_REQUIRE(decltype(split)::guarantees()[4] == vector_guarantee{8, 1});
    STATIC_REQUIRE(decltype(split)::guarantees()[3] == vector_guarantee{4, 8});
    check_descriptor(split, random,
                     [](auto i) { return long_index_t{(i[2] * 4 + i[0]) * 96 + (i[1] * 4 + i[3]) * 8 + i[4]}; });
    const auto joined =
        transform_descriptor(split,
                             make_tuple(make_merge_transform(sequence<2, 4>{}), make_merge_transform(sequence<4, 8>{}),
                                        make_pass_through_transform(c<3>)),
                             make_tuple(sequence<2, 0>{}, sequence<3, 4>{}, sequence<1>{}),
                             make_tuple(sequence<0>{}, sequence<2>{}, sequence<1>{}));
    STATIC_REQUIRE(decltype(joined)::guarantees()[2] == vector_guarantee{8, 1});
    check_descriptor(joined, random, [](auto i) { return long_index_t{i[0] * 96 + i[1] * 32 + i[2]}; });

    // An embed in the middle of a chain: windows of 4 that overlap by 2.
    const auto overlapping = transform_descriptor(
        make_packed_descriptor(sequence<8, 16>{}),
        make_tuple(make_pass_through_transform(c<8>), make_embed_transform(sequence<7, 4>{}, sequence<2, 1>{})),
        make_tuple(sequence<0>{}, sequence<1>{}), make_tuple(sequence<0>{}, sequence<1, 2>{}));
    STATIC_REQUIRE(decltype(overlapping)::guarantees()[2] == vector_guarantee{2, 1});
    check_descriptor(overlapping, random, [](auto i) { return long_index_t{i[0] * 16 + i[1] * 2 + i[2]}; });
}

TEST_CASE("a step known at compile time moves like one that is not", "[layout]")
{
    std::mt19937 random(9);
    const index_t rows = 40, columns = 36;
    const auto tile = transform_descriptor(
        make_strided_descriptor(make_tuple(rows, columns), make_tuple(columns, c<1>)),
        make_tuple(make_merge_transform(make_tuple(rows)), make_unmerge_transform(make_tuple(6, c<6>))),
        make_tuple(sequence<0>{}, sequence<1>{}), make_tuple(sequence<1>{}, sequence<0, 2>{}));
    for (int i = 0; i < 500; ++i) {
        const auto start = random_index(random, multi_index<3>{3, 30, 3});
        auto moved = make_coordinate(tile, start);
        move_coordinate(tile, moved, sequence<0, 0, 2>{});
        move_coordinate(tile, moved, sequence<2, 0, -1>{});
        move_coordinate(tile, moved, sequence<0, 9, 0>{});
        move_coordinate(tile, moved, sequence<0, 0, 0>{});
        const auto anew = make_coordinate(tile, {start[0] + 2, start[1] + 9, start[2] + 1});
        REQUIRE(same_everywhere(moved, anew));
    }
}
