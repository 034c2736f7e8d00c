// Parts and transposes of tiles of random distributions, and what these leave out: gather and scatter by several indices,
// votes of one lane, tiles of one wave in blocks of several.
#include "parts.hpp"

namespace {

/// [8, 6] in registers of every lane.
using private_tile = tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<8>, sequence<6>>, tuple<>,
                                                                  tuple<>, sequence<1, 2>, sequence<0, 0>>>;

} // namespace

// More seeds are in test/grid.
TEST_CASE("parts and transposes of random tiles on gfx942", "[tensor]")
{
    check_random_parts<arch::gfx942, 213>(std::make_integer_sequence<int, 2>{});
}
TEST_CASE("parts and transposes of random tiles on gfx1100", "[tensor]")
{
    check_random_parts<arch::gfx1100, 214>(std::make_integer_sequence<int, 2>{});
}
TEST_CASE("parts and transposes of random tiles on sm_80", "[tensor]")
{
    check_random_parts<arch::sm_80, 257>(std::make_integer_sequence<int, 2>{});
}

TEMPLATE_TEST_CASE("parts of a tile are taken and put back", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    using distribution = row_vectors<w, 3, 16, 4>; // [3 * 2 * W / 16, 64]
    constexpr index_t rows = 2 * w / 16;
    std::vector<int> wrong(2 * w);
    run_on<TestType>(2 * w, 0, {}, [&] {
        auto tile = tile_of<TestType, distribution, int>([](long i) { return static_cast<int>(i); });
        auto part = slice<sequence<rows, 0>, sequence<3 * rows, 64>>(tile);
        int bad = 0;
        sweep<TestType>(part, [&](int& e, const auto& x) {
            bad += e != (x[0] + rows) * 64 + x[1];
            e = -e;
        });
        insert<sequence<rows, 0>>(tile, part);
        const auto turned = transpose<1, 0>(tile);
        sweep<TestType>(turned, [&](const int& e, const auto& x) {
            const int was = x[1] * 64 + x[0];
            bad += e != (x[1] < rows ? was : -was);
        });
        wrong[static_cast<std::size_t>(TestType::thread_id())] = bad;
    });
    for (int bad : wrong)
        REQUIRE(bad == 0);
}

TEST_CASE("shape casts cut digits, and refuse what does not divide", "[tensor]")
{
    using lengths = encoding_value::lengths_type;
    encoding_value e;
    e.hs = {lengths{4, 3}, lengths{8}};
    e.ps = {encoding_value::digits_type{rh_digit{2, 0}}};
    e.ys = {rh_digit{1, 0}, rh_digit{1, 1}};
    const auto cut = reshape(e, lengths{2, 6, 2, 1, 4});
    REQUIRE(cut.possible);
    CHECK(validate(cut.encoding).empty());
    CHECK(cut.encoding.hs[1].size() == 2); // half of the 4, and the 3
    CHECK(x_length(cut.encoding, 3) == 1);
    for (long p = 0; p < 8; ++p)
        for (long y = 0; y < 12; ++y) {
            const auto old =
                calculate_index(make_digit_table(e), lengths{static_cast<index_t>(p)}, unflatten(y, y_lengths(e), 2));
            const auto now = calculate_index(make_digit_table(cut.encoding), lengths{static_cast<index_t>(p)},
                                             unflatten(y, y_lengths(cut.encoding), cut.encoding.num_y()));
            CHECK((((now[0] * 6 + now[1]) * 2 + now[2]) + now[3]) * 4 + now[4] == old[0] * 8 + old[1]);
        }
    CHECK_FALSE(reshape(e, lengths{2, 48, 2}).possible); // twice as many
    CHECK_FALSE(reshape(e, lengths{12, 4}).possible);    // half of them
    CHECK_FALSE(reshape(e, lengths{4, 24, 1}).encoding.hs.overflowed());
    CHECK_FALSE(reshape(e, lengths{8, 12}).possible); // 12 cuts the 8 behind a 3
}

TEMPLATE_TEST_CASE("indices name elements of a view, in it or not", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    // [W / 2], every element in two lanes.
    using distribution =
        tile_distribution<tile_distribution_encoding<sequence<2>, tuple<sequence<w / 2>>, tuple<sequence<1, 0>>,
                                                     tuple<sequence<0, 0>>, sequence<>, sequence<>>>;
    auto from = counted_array<float>(5 * 7);
    guarded_array<float> to(5 * 7, -1.0f);
    guarded_array<int> histogram(4, 0);
    std::vector<float> got(w);
    emulator::memory_ranges memory;
    memory.read(from.data(), from.size_bytes(), "from").write(to.data(), to.size_bytes(), "to");
    memory.write(histogram.data(), histogram.size_bytes(), "histogram");
    const auto row_of = [](int i) { return i % 9 - 2; };
    const auto column_of = [](int i) { return i * 5 % 11 - 1; };
    const auto counters = run_on<TestType>(w, 0, memory, [&] {
        const auto layout = make_packed_descriptor(sequence<5, 7>{});
        const auto view =
            make_tensor_view<TestType, address_space::global>(static_cast<const float*>(from.data()), layout, "from");
        const auto numbers = step<TestType, distribution, 0, int>();
        const auto rows = elementwise(row_of, numbers), columns = elementwise(column_of, numbers);
        const auto values = gather(view, 99.0f, rows, columns);
        got[static_cast<std::size_t>(TestType::lane_id())] = values[0];
        scatter(make_tensor_view<TestType, address_space::global>(to.data(), layout, "to"), values, rows, columns);
        const auto bins =
            make_tensor_view<TestType, address_space::global>(histogram.data(), make_packed_descriptor(sequence<4>{}));
        scatter_add(bins, make_distributed_tensor<int, distribution>(1),
                    elementwise([](int i) { return i % 5; }, numbers));
    });
    CHECK(counters.global_stores == 1); // by one copy of each element, all in one instruction
    int inside = 0;
    for (int i = 0; i < w / 2; ++i) {
        const int r = row_of(i), c = column_of(i);
        const bool there = r >= 0 && r < 5 && c >= 0 && c < 7;
        inside += there;
        for (int copy = 0; copy < 2; ++copy)
            CHECK(got[static_cast<std::size_t>(2 * i + copy)] == (there ? static_cast<float>(r * 7 + c) : 99.0f));
        if (there)
            CHECK(to[r * 7 + c] == static_cast<float>(r * 7 + c));
    }
    CHECK(inside > 3);
    int written = 0;
    for (long i = 0; i < to.size(); ++i)
        written += to[i] != -1.0f;
    CHECK(written <= inside);
    for (long bin = 0; bin < 4; ++bin)
        CHECK(histogram[bin] == (w / 2 - bin + 4) / 5); // what is outside is left out
    CHECK(to.guards_are_intact());
}

TEMPLATE_TEST_CASE("operations on tiles that a lane has for itself", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    std::vector<int> wrong(w);
    run_on<TestType>(w, 0, {}, [&] {
        const int lane = TestType::lane_id();
        auto tile = tile_of<TestType, private_tile, int>([&](long i) { return static_cast<int>(i * i % 17) + lane; });
        int bad = 0;
        const auto scanned = inclusive_scan<TestType, 0>(tile, plus{});
        sort<TestType, 1>(tile, [](int a, int b) { return a < b; }); // 6 is no power of two
        for (int i = 0; i < 8; ++i) {
            std::vector<int> row(6);
            for (int j = 0; j < 6; ++j)
                row[static_cast<std::size_t>(j)] = (i * 6 + j) * (i * 6 + j) % 17 + lane;
            std::sort(row.begin(), row.end());
            for (int j = 0; j < 6; ++j) {
                bad += tile[i * 6 + j] != row[static_cast<std::size_t>(j)];
                int sum = 0;
                for (int above = 0; above <= i; ++above)
                    sum += (above * 6 + j) * (above * 6 + j) % 17 + lane;
                bad += scanned[i * 6 + j] != sum;
            }
        }
        const auto even = elementwise([&](int e) { return e % 2 == 0 && lane % 2 == 0; }, tile);
        bad += any_true<TestType>(even) != (lane % 2 == 0) || all_true<TestType>(even);
        wrong[static_cast<std::size_t>(lane)] = bad;
    });
    for (int bad : wrong)
        REQUIRE(bad == 0);
}

TEMPLATE_TEST_CASE("a block of one wave sorts the rows of its tile", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    using rows = tile_distribution<
        tile_distribution_encoding<sequence<>, tuple<sequence<2>, sequence<w, 2>>, tuple<sequence<2>>,
                                   tuple<sequence<0>>, sequence<1, 2>, sequence<0, 1>>>; // its only P counts lanes
    const auto number = [](long i) { return static_cast<int>(i * i % 61); };
    result_of<TestType, int, rows> got(w);
    run_on<TestType>(w, 0, {}, [&] {
        auto tile = tile_of<TestType, rows, int>(number);
        sort<TestType, 1>(tile, [](int a, int b) { return a < b; });
        got.keep(tile);
    });
    auto sorted = host_of<rows, int>(number);
    for (auto row = sorted.values.begin(); row != sorted.values.end(); row += 2 * w)
        std::sort(row, row + 2 * w);
    CHECK(got.wrong(sorted) == 0);
}

TEMPLATE_TEST_CASE("a row is sorted in chunks where memory is short", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size, length = 2 * w * 5;
    using row = tile_distribution<
        tile_distribution_encoding<sequence<>, tuple<sequence<5, 2, w>>, tuple<sequence<1>, sequence<1>>,
                                   tuple<sequence<1>, sequence<2>>, sequence<1>, sequence<0>>>;
    static_assert(sort_scratch_bytes<TestType, int, row, 0> == length * 4);
    constexpr index_t bytes = 4 * w * 3; // of four chunks, the last a short one
    std::vector<int> got(length), should(length);
    for (int i = 0; i < length; ++i)
        should[static_cast<std::size_t>(i)] = i * i % 257;
    run_on<TestType>(2 * w, bytes, {}, [&] {
        auto tile = tile_of<TestType, row, int>([](long i) { return static_cast<int>(i * i % 257); });
        sort<TestType, 0, bytes>(tile, [](int a, int b) { return a < b; }, TestType::shared_memory());
        sweep<TestType>(tile, [&](int e, const auto& x) { got[static_cast<std::size_t>(x[0])] = e; });
    });
    std::sort(should.begin(), should.end());
    CHECK(got == should);
}
