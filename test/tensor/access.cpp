// Other operations that move tiles: update, asynchronous copies, replicated tiles, register memory, odd types. Also the
// emulator's reports on a false view.
#include "support.hpp"

namespace {

template <class Target, class T, class Descriptor>
auto global_view(T* data, const Descriptor& descriptor, const char* name)
{
    return make_tensor_view<Target, address_space::global>(data, descriptor, name);
}

/// [16, 32] with every element in all of the two waves and in two lanes.
template <index_t W>
using replicated = tile_distribution<tile_distribution_encoding<
    sequence<2, 2>, tuple<sequence<256 / W, W / 16>, sequence<8, 4>>, tuple<sequence<0>, sequence<1, 0, 2>>,
    tuple<sequence<0>, sequence<1, 1, 0>>, sequence<1, 2>, sequence<0, 1>>>;

struct triple
{
    std::uint8_t r, g, b;
    friend bool operator==(const triple&, const triple&) = default;
};
struct pair_of
{
    float value;
    int index;
    friend bool operator==(const pair_of&, const pair_of&) = default;
};

template <class Target, class T, class Make>
void check_copy(const Make& make)
{
    constexpr index_t w = Target::wave_size;
    using distribution = row_vectors<w, 2, 8, 4>; // [w / 2, 32]
    const auto layout =
        make_strided_descriptor(make_tuple(w / 2 - 1, 30), make_tuple(32, constant<1>{}), constant<4>{});
    const long space = layout.element_space_size();
    guarded_array<T> in(space), out(space);
    for (long i = 0; i < space; ++i)
        in[i] = make(static_cast<int>(i));
    emulator::memory_ranges memory;
    memory.read(in.data(), in.size_bytes(), "in").write(out.data(), out.size_bytes(), "out");
    run_on<Target>(2 * w, 0, memory, [&] {
        const auto tile = load(make_tile_window<distribution>(global_view<Target>(in.data(), layout, "in"), {0, 0}));
        store(make_tile_window<distribution>(global_view<Target>(out.data(), layout, "out"), {0, 0}), tile);
    });
    int wrong = 0;
    for (long i = 0; i < space; ++i)
        wrong += !(out[i] == (i % 32 < 30 ? in[i] : T{}));
    CHECK(wrong == 0);
    CHECK(out.guards_are_intact());
}

} // namespace

TEMPLATE_TEST_CASE("elements of any size are copied", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    const auto byte = [](int i) { return static_cast<std::uint8_t>(i); };
    check_copy<TestType, triple>([&](int i) { return triple{byte(i), byte(i / 7), byte(~i)}; });
    check_copy<TestType, pair_of>([](int i) { return pair_of{static_cast<float>(i), -i}; });
    check_copy<TestType, int4x2>([&](int i) { return int4x2::from_bits(byte(i * 5)); });
    check_copy<TestType, array<double, 3>>([](int i) { return array<double, 3>{1.0 * i, 2.0 * i, 3.0 * i}; });
}

TEMPLATE_TEST_CASE("update combines memory and registers element by element", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    const auto check = [&](auto distribution_of) {
        using distribution = decltype(distribution_of);
        const index_t rows = 13, columns = 29;
        auto data = counted_array<int>(rows * 32);
        emulator::memory_ranges memory;
        memory.write(data.data(), data.size_bytes(), "data");
        run_on<TestType>(2 * w, 0, memory, [&] {
            const auto layout =
                make_strided_descriptor(make_tuple(rows, columns), make_tuple(32, constant<1>{}), constant<4>{});
            const auto window = make_tile_window<distribution>(global_view<TestType>(data.data(), layout, "data"), {});
            distributed_tensor<int, distribution> tile;
            sweep<TestType>(tile, [](int& e, const auto& x) { e = 1000 * x[0] + x[1]; });
            update(window, tile, [](int old, int mine) { return 3 * old + mine; });
        });
        int wrong = 0;
        for (index_t i = 0; i < rows; ++i)
            for (index_t j = 0; j < 32; ++j)
                wrong += data[i * 32 + j] != (j < columns ? 3 * (i * 32 + j) + 1000 * i + j : i * 32 + j);
        CHECK(wrong == 0);
        CHECK(data.guards_are_intact());
    };
    check(row_vectors<w, 2, 8, 4>{});
    check(replicated<w>{});
}

TEMPLATE_TEST_CASE("of a replicated tile one copy is written", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    using distribution = replicated<w>;
    constexpr index_t rows = distribution::x_length(0);
    // In shared memory two writers of one element are a race, which the emulator reports.
    std::vector<int> got(static_cast<std::size_t>(2 * w * distribution::num_registers));
    const auto counted = run_on<TestType>(2 * w, rows * 32 * 4, {}, [&] {
        const auto view = make_tensor_view<TestType, address_space::shared>(
            reinterpret_cast<int*>(TestType::shared_memory()), make_packed_descriptor(sequence<rows, 32>{}), "tile");
        const auto window = make_tile_window<distribution>(view, {0, 0});
        distributed_tensor<int, distribution> tile;
        sweep<TestType>(tile, [](int& e, const auto& x) { e = 100 * x[0] + x[1]; });
        store(window, tile);
        TestType::block_barrier();
        const auto back = load(window);
        for (int r = 0; r < distribution::num_registers; ++r)
            got[static_cast<std::size_t>(TestType::thread_id() * distribution::num_registers + r)] = back[r];
    });
    CHECK(counted.shared_loads == 2 * counted.shared_stores); // both waves read, one writes
    int wrong = 0;
    for (int t = 0; t < 2 * w; ++t)
        for (int r = 0; r < distribution::num_registers; ++r) {
            const auto x = element_held<TestType, distribution>(t, r);
            wrong += got[static_cast<std::size_t>(t * distribution::num_registers + r)] != 100 * x[0] + x[1];
        }
    CHECK(wrong == 0);
}

TEST_CASE("asynchronous copies fill a shared tile, zeros outside", "[tensor]")
{
    using target = arch::sm_80;
    const auto check = [](auto distribution_of, auto promise, auto element, long copies) {
        using distribution = decltype(distribution_of);
        using T = decltype(element);
        constexpr index_t rows = distribution::x_length(0), columns = distribution::x_length(1);
        auto in = counted_array<T>((rows - 2) * columns);
        std::vector<T> got(static_cast<std::size_t>(rows * columns));
        emulator::memory_ranges memory;
        memory.read(in.data(), in.size_bytes(), "in");
        const auto layout =
            make_strided_descriptor(make_tuple(rows - 2, columns - 3), make_tuple(columns, constant<1>{}), promise);
        const auto packed =
            make_strided_descriptor(make_tuple(rows, columns), make_tuple(columns, constant<1>{}), promise);
        const auto counted = run_on<target>(64, rows * columns * static_cast<long>(sizeof(T)), memory, [&] {
            auto* const shared = reinterpret_cast<T*>(target::shared_memory());
            const auto to = make_tensor_view<target, address_space::shared>(shared, packed, "tile");
            async_load<bounds::checked>(
                make_tile_window<distribution>(to, {0, 0}),
                make_tile_window<distribution>(global_view<target>(in.data(), layout, "in"), {}));
            target::async_commit();
            target::async_wait<0>();
            target::block_barrier();
            if (target::thread_id() == 0)
                for (index_t i = 0; i < rows * columns; ++i)
                    got[static_cast<std::size_t>(i)] =
                        detail::read_vector<target, address_space::shared, 1>(shared + i, true)[0];
        });
        int wrong = 0;
        for (index_t i = 0; i < rows; ++i)
            for (index_t j = 0; j < columns; ++j)
                wrong += got[static_cast<std::size_t>(i * columns + j)] !=
                         (i < rows - 2 && j < columns - 3 ? in[i * columns + j] : T{});
        CHECK(wrong == 0);
        CHECK((counted.async_copies > 0) == (copies > 0));
    };
    check(row_vectors<32, 2, 8, 4>{}, constant<4>{}, 0.0f, 1); // 16 bytes
    check(row_vectors<32, 2, 8, 4>{}, constant<1>{}, 0.0f, 1); // 4 bytes, element aligned
    check(row_vectors<32, 2, 8, 8>{}, constant<8>{}, std::uint16_t{}, 1);
    check(row_vectors<32, 2, 8, 8>{}, constant<1>{}, std::uint16_t{}, 0); // too narrow to copy: loaded and stored
    check(replicated<32>{}, constant<4>{}, 0.0f, 1);
}

TEST_CASE("register memory is a tensor too", "[tensor]")
{
    using target = arch::gfx942;
    // Every lane has a tile of its own: no P at all, and a P without digits.
    using own = tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<4>, sequence<4>>, tuple<>,
                                                             tuple<>, sequence<2, 1>, sequence<0, 0>>>;
    using own_lane =
        tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<4>, sequence<4>>, tuple<sequence<>>,
                                                     tuple<sequence<>>, sequence<1, 2>, sequence<0, 0>>>;
    std::vector<int> wrong(64);
    run_on<target>(64, 0, {}, [&] {
        int memory[3 * 4];
        for (int i = 0; i < 12; ++i)
            memory[i] = i + target::thread_id();
        const auto view = make_tensor_view<target, address_space::registers>(
            memory, make_packed_descriptor(sequence<3, 4>{}), "private");
        const auto window = make_tile_window<own>(view, {-1, 0});
        distributed_tensor<int, own> tile;
        load<bounds::checked>(tile, window, -5);
        int& bad = wrong[static_cast<std::size_t>(target::thread_id())];
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                bad += tile[j * 4 + i] != (i == 0 ? -5 : (i - 1) * 4 + j + target::thread_id());
        store<bounds::checked>(make_tile_window<own>(view, {1, 2}), tile);
        for (int i = 0; i < 12; ++i) {
            const int r = i / 4 - 1, c = i % 4 - 2;
            bad += memory[i] != (r >= 0 && c >= 0 ? tile[c * 4 + r] : i + target::thread_id());
        }
        const auto same =
            load(make_tile_window<own_lane>(make_tensor_view<target, address_space::registers>(
                                                tile.registers.values, make_packed_descriptor(sequence<4, 4>{})),
                                            {}));
        bad += same[6] != tile[6];
    });
    for (int bad : wrong)
        REQUIRE(bad == 0);
}

TEST_CASE("rows that the view does not have are reported where memory goes on behind it", "[tensor]")
{
    using target = arch::gfx942;
    using distribution = row_vectors<64, 2, 8, 4>; // [32, 32]
    auto in = counted_array<float>(32 * 32);
    emulator::memory_ranges memory;
    memory.read(in.data(), in.size_bytes(), "input");
    const auto first_rows = make_strided_descriptor(make_tuple(20, 32), make_tuple(32, constant<1>{}), constant<4>{});
    const auto run = [&](auto load_tile) {
        return launch_on<target>(128, 0, memory, [&] {
            load_tile(make_tile_window<distribution>(global_view<target>(in.data(), first_rows, "weights"), {0, 0}));
        });
    };
    const auto past = run([](const auto& window) {
        auto tile = load(window);
        load<bounds::unchecked>(tile, window, 0.f);
    });
    INFO(past.report);
    CHECK(contains(past.report, "an access to an element that the view does not have"));
    CHECK(contains(past.report, "element (20, 0) of weights"));
    CHECK(run([](const auto& window) { load(window); }).status.ok());
}

TEST_CASE("a vector that begins in the view and ends outside is reported where memory goes on behind it", "[tensor]")
{
    using target = arch::gfx942;
    using distribution = row_vectors<64, 2, 8, 4>; // [32, 32]
    auto in = counted_array<float>(32 * 32);
    emulator::memory_ranges memory;
    memory.read(in.data(), in.size_bytes(), "input");
    const auto run = [&](index_t columns) {
        const auto layout =
            make_strided_descriptor(make_tuple(32, columns), make_tuple(32, constant<1>{}), constant<4>{});
        return launch_on<target>(128, 0, memory, [&] {
            const auto window =
                make_tile_window<distribution>(global_view<target>(in.data(), layout, "weights"), {0, 0});
            auto tile = load(window);
            load<bounds::unchecked>(tile, window, 0.f);
        });
    };
    const auto past = run(30);
    INFO(past.report);
    CHECK(contains(past.report, "an access to an element that the view does not have"));
    CHECK(contains(past.report, "element (0, 31) of weights"));
    CHECK(run(32).status.ok());
}

TEST_CASE("a view that lies about its size is reported with its name and the element", "[tensor]")
{
    using target = arch::gfx942;
    using distribution = row_vectors<64, 2, 8, 4>; // [32, 32]
    auto in = counted_array<float>(20 * 32);
    emulator::memory_ranges memory;
    memory.read(in.data(), in.size_bytes(), "input");
    const auto layout = make_strided_descriptor(make_tuple(32, 32), make_tuple(32, constant<1>{}), constant<4>{});
    const auto load_report = launch_on<target>(128, 0, memory, [&] {
        load(make_tile_window<distribution>(global_view<target>(in.data(), layout, "weights"), {0, 0}));
    });
    INFO(load_report.report);
    CHECK(!load_report.status.ok());
    CHECK(contains(load_report.report, "element (20, 0) of weights"));
    CHECK(contains(load_report.report, "out of bounds"));
    CHECK(contains(load_report.report, "kernel tensor_test on gfx942"));

    const auto misaligned = launch_on<target>(128, 0, memory, [&] {
        load(make_tile_window<distribution>(global_view<target>(in.data() + 1, layout, "weights"), {0, 0}));
    });
    INFO(misaligned.report);
    CHECK(contains(misaligned.report, "misaligned"));
    CHECK(contains(misaligned.report, "element (0, 0) of weights"));

    // The element at a ragged end, not the vector it belongs to.
    const auto ragged_layout =
        make_strided_descriptor(make_tuple(20, 31), make_tuple(32, constant<1>{}), constant<4>{});
    emulator::memory_ranges less;
    less.read(in.data(), in.size_bytes() - 8, "input");
    const auto ragged = launch_on<target>(128, 0, less, [&] {
        load(make_tile_window<distribution>(global_view<target>(in.data(), ragged_layout, "weights"), {0, 0}));
    });
    INFO(ragged.report);
    CHECK(contains(ragged.report, "element (19, 30) of weights"));

    const auto shared = launch_on<target>(128, 1024, {}, [&] {
        const auto view = make_tensor_view<target, address_space::shared>(
            reinterpret_cast<float*>(target::shared_memory()), make_packed_descriptor(sequence<32, 32>{}), "stage");
        store(make_tile_window<distribution>(view, {0, 0}), make_distributed_tensor<float, distribution>(1));
    });
    INFO(shared.report);
    CHECK(contains(shared.report, ") of stage"));
}

TEMPLATE_TEST_CASE("rows of a softmax: spans, and results spread over their rows", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    using distribution = row_vectors<w, 2, 8, 4>;
    std::vector<int> wrong(2 * w);
    run_on<TestType>(2 * w, 0, {}, [&] {
        distributed_tensor<int, distribution> tile;
        sweep<TestType>(tile, [](int& e, const auto& x) { e = 100 * x[0] + x[1]; });
        auto total = reduce<TestType, 1>(tile, [](int a, int b) { return a + b; });
        int& bad = wrong[static_cast<std::size_t>(TestType::thread_id())];
        int spans = 0;
        sweep_spans<1>(std::as_const(tile), [&](auto row, auto span) {
            ++spans;
            int sum = 0;
            static_for<span.size()>([&](auto j) {
                sum += span[j];
                bad += span[j] != span[constant<0>{}] + j;
            });
            const int first = span[constant<0>{}] / 100;
            bad += total[row] != 3200 * first + 31 * 16 || sum != 4 * span[constant<0>{}] + 6;
        });
        bad += spans != 2;
        transform_with_reduced<1>(tile, total, [](int e, int sum) { return e - sum; });
        sweep<TestType>(std::as_const(tile),
                        [&](int e, const auto& x) { bad += e != 100 * x[0] + x[1] - 3200 * x[0] - 31 * 16; });
        sweep_spans<0>(tile, [&](auto, auto span) { static_for<span.size()>([&](auto j) { span[j] = j; }); });
        sweep<TestType>(std::as_const(tile), [&](int e, const auto& x) { bad += e != x[0] / (w / 4); });
    });
    for (int bad : wrong)
        REQUIRE(bad == 0);
}

TEST_CASE("elementwise operations and casts", "[tensor]")
{
    using distribution = row_vectors<64, 2, 8, 4>;
    auto a = make_distributed_tensor<float, distribution>(1.5f);
    const auto b = make_distributed_tensor<int, distribution>(3);
    const auto sum = elementwise([](float x, int y) { return static_cast<double>(x) + y; }, a, b);
    static_assert(std::is_same_v<decltype(sum)::value_type, double>);
    CHECK(sum[7] == 4.5);
    transform(a, [](float x) { return x * 2.25f; });
    CHECK(cast<int>(a)[3] == 3); // 3.375, to the nearest
    CHECK(cast<float>(a)[0] == 3.375f);
}

TEST_CASE("choose takes whole objects", "[tensor]")
{
    const pair_of a{1.5f, 2}, b{-3.5f, 4};
    CHECK(choose(true, a, b) == a);
    CHECK(choose(false, a, b) == b);
    CHECK(choose(false, triple{1, 2, 3}, triple{4, 5, 6}) == triple{4, 5, 6});
}
