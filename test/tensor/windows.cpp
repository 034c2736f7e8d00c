// Tile windows over every kind of descriptor: edges, fill values, negative origins, moves, element types.
#include "support.hpp"

namespace {

/// Copies the tile at `origin` of a view of `in` to a packed tile and compares it with `expected(x)`, then stores it
/// through the same view of `out` and checks that nothing but `mine(x)` was written.
template <class Target, class Distribution, class T, class Descriptor, class Expected>
void check_window(const Descriptor& descriptor, const multi_index<Distribution::num_x>& origin, int threads,
                  const Expected& expected, T fill)
{
    constexpr int n = Distribution::num_registers;
    const long space = descriptor.element_space_size();
    auto in = counted_array<T>(space);
    guarded_array<T> out(space, static_cast<T>(77));
    std::vector<T> got(static_cast<std::size_t>(threads * n));
    emulator::memory_ranges memory;
    memory.read(in.data(), in.size_bytes(), "in").write(out.data(), out.size_bytes(), "out");
    run_on<Target>(threads, 0, memory, [&] {
        const auto from = make_tensor_view<Target, address_space::global>(in.data(), descriptor, "in");
        const auto to = make_tensor_view<Target, address_space::global>(out.data(), descriptor, "out");
        const auto tile = load(make_tile_window<Distribution>(from, origin), fill);
        for (int r = 0; r < n; ++r)
            got[static_cast<std::size_t>(Target::thread_id() * n + r)] = tile[r];
        store(make_tile_window<Distribution>(to, origin), tile);
    });
    int wrong = 0;
    guarded_array<T> should(space, static_cast<T>(77));
    for (int t = 0; t < threads; ++t)
        for (int r = 0; r < n; ++r) {
            auto x = element_held<Target, Distribution>(t, r);
            for (int i = 0; i < Distribution::num_x; ++i)
                x[i] += origin[i];
            const long at = expected(x); // offset, or -1 where the view has no element
            wrong += got[static_cast<std::size_t>(t * n + r)] != (at < 0 ? fill : in[at]);
            if (at >= 0)
                should[at] = in[at];
        }
    CHECK(wrong == 0);
    int written_wrong = 0;
    for (long i = 0; i < space; ++i)
        written_wrong += out[i] != should[i];
    CHECK(written_wrong == 0);
    CHECK(in.guards_are_intact());
    CHECK(out.guards_are_intact());
}

/// Rows of `stride` elements: offset of x, or -1 outside rows x columns.
struct matrix
{
    index_t rows, columns, stride;
    long operator()(const multi_index<2>& x) const
    {
        const bool inside = x[0] >= 0 && x[0] < rows && x[1] >= 0 && x[1] < columns;
        return inside ? static_cast<long>(x[0]) * stride + x[1] : -1;
    }
};

/// Windows inside, over the right and the lower edge, before the start and wholly outside of a matrix whose rows are
/// aligned to `Promise` elements.
template <class Target, class T, index_t V, index_t Promise>
void check_edges()
{
    constexpr index_t w = Target::wave_size;
    using distribution = row_vectors<w, 2, 8, V>; // [w / 2, 8 V]
    const index_t rows = w / 2 + 5, columns = 8 * V + 3, stride = Promise == 1 ? columns + 2 : (columns + 15) / 16 * 16;
    const auto descriptor =
        make_strided_descriptor(make_tuple(rows, columns), make_tuple(stride, constant<1>{}), constant<Promise>{});
    const matrix expected{rows, columns, stride};
    const index_t step = Promise == 1 ? 1 : V;
    for (const multi_index<2> origin :
         {multi_index<2>{0, 0}, multi_index<2>{7, 2 * step}, multi_index<2>{-3, -step}, multi_index<2>{rows - 1, 8 * V},
          multi_index<2>{rows, 0}, multi_index<2>{-w, -16 * V}})
        check_window<Target, distribution>(descriptor, origin, 2 * w, expected, static_cast<T>(-1));
}

} // namespace

TEMPLATE_TEST_CASE("windows load and store exactly the elements inside", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    check_edges<TestType, std::uint8_t, 16, 16>();
    check_edges<TestType, std::uint16_t, 8, 8>();
    check_edges<TestType, float, 4, 4>();
    check_edges<TestType, float, 4, 1>();
    check_edges<TestType, double, 2, 2>();
}

TEST_CASE("aligned rows move in vectors of 16 bytes, others element by element", "[tensor]")
{
    using target = arch::sm_80;
    using distribution = row_vectors<32, 2, 8, 4>;
    auto in = counted_array<float>(16 * 36);
    const auto count = [&](auto promise) {
        emulator::memory_ranges memory;
        memory.read(in.data(), in.size_bytes(), "in");
        return run_on<target>(64, 0, memory, [&] {
            const auto view = make_tensor_view<target, address_space::global>(
                in.data(), make_strided_descriptor(make_tuple(16, 32), make_tuple(36, constant<1>{}), promise));
            load(make_tile_window<distribution>(view, {0, 0}));
        });
    };
    CHECK(count(constant<4>{}).global_loads == 2 * 2);
    CHECK(count(constant<1>{}).global_loads == 2 * 8);
}

TEST_CASE("a stride known at compile time makes no vector", "[tensor]")
{
    // Column-major: rows are neighbours. Dimension 1 has the longer run of evenly spaced elements.
    using target = arch::gfx942;
    using distribution = tile_distribution<
        tile_distribution_encoding<sequence<>, tuple<sequence<16, 4>, sequence<4, 2>>, tuple<sequence<2, 1>>,
                                   tuple<sequence<0, 0>>, sequence<2, 1>, sequence<1, 1>>>;
    const auto descriptor = make_strided_descriptor(sequence<64, 8>{}, sequence<1, 64>{});
    using view = decltype(make_tensor_view<target, address_space::global>(std::declval<float*>(), descriptor));
    static_assert(tile_window<view, distribution>::vector_dim == 0);
    static_assert(tile_window<view, distribution>::plan::vector == 4);
    check_window<target, distribution>(
        descriptor, {0, 0}, 64, [](const multi_index<2>& x) { return long{x[0]} + 64 * x[1]; }, -1.0f);
}

TEMPLATE_TEST_CASE("windows over padded, merged and swizzled tensors", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    using distribution = row_vectors<w, 2, 8, 4>; // [w / 2, 32]
    const auto rows = as_length(w / 2 - 3);

    // 4 columns of padding before and 3 behind the 24 of each row.
    const auto plain = make_strided_descriptor(make_tuple(rows, 24), make_tuple(28, constant<1>{}), constant<4>{});
    const auto padded = transform_descriptor(
        plain, make_tuple(make_pass_through_transform(rows), make_pad_transform(24, constant<4>{}, 3)),
        make_tuple(sequence<0>{}, sequence<1>{}), make_tuple(sequence<0>{}, sequence<1>{}));
    const auto in_padded = [&](const multi_index<2>& x) {
        return matrix{rows, 24, 28}(multi_index<2>{x[0], x[1] - 4});
    };
    check_window<TestType, distribution>(padded, {0, 0}, 2 * w, in_padded, -1.0f);
    check_window<TestType, distribution>(padded, {-2, -4}, 2 * w, in_padded, -1.0f);
    check_window<TestType, distribution>(padded, {5, 8}, 2 * w, in_padded, -1.0f);

    // Rows are the pairs (i, j) of a [5, 7, 32] tensor with gaps.
    const auto cube = make_strided_descriptor(make_tuple(5, 7, 32), make_tuple(300, 36, constant<1>{}), constant<4>{});
    const auto merged =
        transform_descriptor(cube, make_tuple(make_merge_transform(make_tuple(5, 7)), make_pass_through_transform(32)),
                             make_tuple(sequence<0, 1>{}, sequence<2>{}), make_tuple(sequence<0>{}, sequence<1>{}));
    const auto in_merged = [](const multi_index<2>& x) {
        const bool inside = x[0] >= 0 && x[0] < 35 && x[1] >= 0 && x[1] < 32;
        return inside ? static_cast<long>(x[0] / 7) * 300 + x[0] % 7 * 36 + x[1] : -1;
    };
    check_window<TestType, distribution>(merged, {0, 0}, 2 * w, in_merged, -1.0f);
    check_window<TestType, distribution>(merged, {-3, 4}, 2 * w, in_merged, -1.0f);
    check_window<TestType, distribution>(merged, {30, 0}, 2 * w, in_merged, -1.0f);

    using pattern = xor_pattern<4, 7, 1>;
    const auto swizzled = transform_descriptor(make_packed_descriptor(sequence<40, 32>{}),
                                               make_tuple(make_xor_transform(sequence<40, 32>{}, pattern{})),
                                               make_tuple(sequence<0, 1>{}), make_tuple(sequence<0, 1>{}));
    const auto in_swizzled = [](const multi_index<2>& x) {
        const bool inside = x[0] >= 0 && x[0] < 40 && x[1] >= 0 && x[1] < 32;
        return inside ? x[0] * 32L + (x[1] ^ (((x[0] >> 1) & 7) * 4)) : -1;
    };
    check_window<TestType, distribution>(swizzled, {0, 0}, 2 * w, in_swizzled, -1.0f);
    check_window<TestType, distribution>(swizzled, {39 - w / 4, 16}, 2 * w, in_swizzled, -1.0f);
}

TEMPLATE_TEST_CASE("tiles of one and of three dimensions", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    using line = tile_distribution<
        tile_distribution_encoding<sequence<>, tuple<sequence<3, 2, w, 2>>, tuple<sequence<1>, sequence<1>>,
                                   tuple<sequence<1>, sequence<2>>, sequence<1, 1>, sequence<0, 3>>>;
    const auto in_line = [](const multi_index<1>& x) { return x[0] >= 0 && x[0] < 201 ? long{x[0]} : -1; };
    for (index_t origin : {0, 50, -6, 198})
        check_window<TestType, line>(make_packed_descriptor(make_tuple(201)), {origin}, 2 * w, in_line, 5.0f);

    using cube = tile_distribution<tile_distribution_encoding<
        sequence<>, tuple<sequence<3>, sequence<2, w / 4>, sequence<4, 2>>, tuple<sequence<2>, sequence<2, 3>>,
        tuple<sequence<0>, sequence<1, 0>>, sequence<1, 3>, sequence<0, 1>>>;
    const auto in_cube = [](const multi_index<3>& x) {
        const bool inside = x[0] >= 0 && x[0] < 4 && x[1] >= 0 && x[1] < 13 && x[2] >= 0 && x[2] < 9;
        return inside ? x[0] * 13L * 10 + x[1] * 10 + x[2] : -1;
    };
    const auto descriptor =
        make_strided_descriptor(make_tuple(4, 13, 9), make_tuple(130, 10, constant<1>{}), constant<2>{});
    check_window<TestType, cube>(descriptor, {0, 0, 0}, 2 * w, in_cube, 5.0f);
    check_window<TestType, cube>(descriptor, {2, -4, 2}, 2 * w, in_cube, 5.0f);
}

TEST_CASE("moved windows equal new ones", "[tensor]")
{
    using target = arch::gfx942;
    using distribution = row_vectors<64, 2, 8, 4>;
    const auto cube = make_strided_descriptor(make_tuple(9, 7, 64), make_tuple(500, 68, constant<1>{}), constant<4>{});
    const auto merged = transform_descriptor(
        cube, make_tuple(make_merge_transform(make_tuple(9, 7)), make_pad_transform(64, constant<8>{}, 8)),
        make_tuple(sequence<0, 1>{}, sequence<2>{}), make_tuple(sequence<0>{}, sequence<1>{}));
    auto in = counted_array<float>(merged.element_space_size());
    emulator::memory_ranges memory;
    memory.read(in.data(), in.size_bytes(), "in");
    int different = 0;
    run_on<target>(128, 0, memory, [&] {
        const auto view = make_tensor_view<target, address_space::global>(in.data(), merged, "in");
        auto moved = make_tile_window<distribution>(view, {-5, 0});
        multi_index<2> at{-5, 0};
        for (int i = 0; i < 12; ++i) {
            const multi_index<2> step{i % 3 == 0 ? 11 : -2, i % 2 == 0 ? 12 : -4};
            moved.move(step);
            moved.move(sequence<3, 0>{});
            at = {at[0] + step[0] + 3, at[1] + step[1]};
            const auto fresh = make_tile_window<distribution>(view, at);
            static_for<decltype(moved)::plan::accesses>([&](auto a) {
                const auto x = moved.template access_coordinate<a>();
                const auto y = fresh.template access_coordinate<a>();
                different += !(x.index() == y.index()) || moved.contains(x) != fresh.contains(y) ||
                             merged.is_valid(x.index()) != moved.contains(x) ||
                             (moved.contains(x) && x.offset() != y.offset());
            });
        }
    });
    CHECK(different == 0);
}
