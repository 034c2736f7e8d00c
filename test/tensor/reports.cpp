// Reports of kernels written with views and windows: the sentence, and the array.
#include "support.hpp"

#include <tegula/block/stage_pipeline.hpp>

#include <source_location>

namespace {

using target = arch::gfx942;
using distribution = row_vectors<64, 2, 8, 4>; // 32 x 32

template <class Kernel>
std::string report_of(const emulator::memory_ranges& memory, const Kernel& kernel, long shared_bytes = 0)
{
    const emulator::launch_result result = launch_on<target>(128, shared_bytes, memory, kernel);
    CHECK_FALSE(result.status.ok());
    return result.report;
}

auto rows_of(index_t rows, index_t columns)
{
    return make_strided_descriptor(make_tuple(rows, columns), make_tuple(columns, constant<1>{}), constant<4>{});
}

} // namespace

TEST_CASE("a view of fewer than no rows is refused", "[tensor]")
{
    auto in = counted_array<float>(1024);
    emulator::memory_ranges memory;
    memory.read(in.data(), in.size_bytes(), "in");
    const std::string report = report_of(memory, [&] {
        const auto view = make_tensor_view<target, address_space::global>(in.data(), rows_of(-1, 32), "source");
        load(make_tile_window<distribution>(view, {0, 0}));
    });
    INFO(report);
    CHECK(contains(report, "the view source has a length of -1 along dimension 0"));
    CHECK(contains(report, "lengths of 0 or more"));
    run_on<target>(128, 0, memory, [&] {
        const auto view = make_tensor_view<target, address_space::global>(in.data(), rows_of(0, 32), "source");
        load(make_tile_window<distribution>(view, {0, 0}));
    });
}

TEST_CASE("a null pointer is called one, and no array is blamed for it", "[tensor]")
{
    auto in = counted_array<float>(1024);
    emulator::memory_ranges memory;
    memory.read(in.data(), in.size_bytes(), "source array");
    const auto store_to = [&](float* to, multi_index<2> origin) {
        return report_of(memory, [&, to, origin] {
            const auto from = make_tensor_view<target, address_space::global>(in.data(), rows_of(32, 32), "source");
            const auto result =
                make_tensor_view<target, address_space::global>(to, rows_of(1 << 18, 1 << 12), "result");
            store(make_tile_window<distribution>(result, origin), load(make_tile_window<distribution>(from, {0, 0})));
        });
    };
    for (const index_t row : {0, 100000}) { // within the first megabytes, where no program has memory, and far behind
        const std::string report = store_to(nullptr, {row, 0});
        INFO(report);
        CHECK(contains(report, "of a null pointer"));
        CHECK(contains(report, "of result"));
        CHECK_FALSE(contains(report, "source"));
        CHECK(contains(report, "remedy: give the kernel the address of the array"));
    }
    const std::string plain =
        report_of(memory, [] { target::load_global(reinterpret_cast<const float*>(std::uintptr_t{12})); });
    INFO(plain);
    CHECK(contains(plain, "global load of 4 bytes at byte 12 of a null pointer"));
    const std::string shared =
        report_of(memory, [] { target::load_shared(reinterpret_cast<const float*>(std::uintptr_t{12})); }, 1024);
    INFO(shared);
    CHECK(contains(shared, "shared load of 4 bytes at byte 12 of a null pointer, where shared memory is meant"));
    const std::string far = report_of(memory, [&] { target::load_global(in.data() + 5000); });
    INFO(far);
    CHECK(contains(far, "at byte 20000 of source array, out of bounds: it has 4096 bytes"));
}

namespace {

/// The line behind that of the call, as reports name it.
std::string next_line(const std::source_location& here = std::source_location::current())
{
    return "reports.cpp:" + std::to_string(here.line() + 1);
}

} // namespace

TEST_CASE("an access by a window is reported at the line that asked for it", "[tensor]")
{
    auto in = counted_array<float>(1024);
    emulator::memory_ranges memory;
    memory.read(in.data(), 512, "in");
    std::string at;
    const auto names_its_line = [&](const auto& access) {
        const std::string report = report_of(memory, [&] {
            const auto view = make_tensor_view<target, address_space::global>(in.data(), rows_of(32, 32), "source");
            access(view, make_tile_window<distribution>(view, {0, 0}));
        });
        INFO(report);
        CHECK(contains(report, at));
    };
    const auto all = make_distributed_tensor<bool, distribution>(true);
    const auto last = make_distributed_tensor<index_t, distribution>(31);
    names_its_line([&](const auto&, const auto& window) {
        at = next_line();
        load(window);
    });
    names_its_line([&](const auto&, const auto& window) {
        at = next_line();
        masked_load(window, all);
    });
    names_its_line([&](const auto& view, const auto&) {
        at = next_line();
        gather(view, 0.0f, last, last);
    });
}

TEST_CASE("both sides of a race are named by the lines of the kernel, in reductions too", "[tensor]")
{
    using across =
        tile_distribution_encoding<sequence<>, tuple<sequence<2>, sequence<64>>, tuple<sequence<1>, sequence<2>>,
                                   tuple<sequence<0>, sequence<0>>, sequence<>, sequence<>>;
    std::string write, read;
    const std::string of_windows = report_of(
        {},
        [&] {
            const auto view = make_tensor_view<target, address_space::shared>(
                reinterpret_cast<float*>(target::shared_memory()), make_packed_descriptor(sequence<32, 32>{}), "tile");
            const auto window = make_tile_window<distribution>(view, {0, 0});
            const auto other = make_tile_window<column_vectors<64, 1, 16>>(view, {-16, 0});
            const auto ones = make_distributed_tensor<float, distribution>(1);
            write = next_line();
            store(window, ones);
            read = next_line();
            load(other);
        },
        4096);
    INFO(of_windows);
    CHECK(contains(of_windows, "races with the write of"));
    CHECK(contains(of_windows, write));
    CHECK(contains(of_windows, read));

    const std::string of_reduction = report_of(
        {},
        [&] {
            const auto tile = make_distributed_tensor<float, across>(1);
            auto* const shared = reinterpret_cast<float*>(target::shared_memory());
            target::store_shared(shared + (target::thread_id() + 64) % 128, 0.0f);
            write = next_line();
            reduce<target, 0>(tile, plus{}, target::shared_memory());
        },
        512);
    INFO(of_reduction);
    CHECK(contains(of_reduction, write));
}

TEST_CASE("a wait for a stage that nobody fills is reported at the line of the kernel", "[tensor]")
{
    using hopper = arch::sm_90a;
    using stages = stage_barriers<2>;
    std::string wait;
    const auto result = launch_on<hopper>(32, sizeof(stages), {}, [&] {
        auto& ring = *reinterpret_cast<stages*>(hopper::shared_memory());
        if (hopper::lane_id() == 0)
            ring.initialize(1);
        hopper::block_barrier();
        wait = next_line();
        ring.wait({});
    });
    INFO(result.report);
    CHECK(contains(result.report, wait));
}

TEST_CASE("parts of a shared tile outside its view are left alone", "[tensor]")
{
    std::vector<float> got(128 * 8);
    run_on<target>(128, 4096, {}, [&] {
        auto* const shared = reinterpret_cast<float*>(target::shared_memory());
        const auto all =
            make_tensor_view<target, address_space::shared>(shared, make_packed_descriptor(sequence<32, 32>{}));
        const auto part = make_tensor_view<target, address_space::shared>(
            shared, make_strided_descriptor(make_tuple(20, 30), make_tuple(32, constant<1>{}), constant<4>{}), "part");
        const auto ones = make_distributed_tensor<float, distribution>(1);
        store(make_tile_window<distribution>(all, {0, 0}), make_distributed_tensor<float, distribution>(0));
        target::block_barrier();
        store(make_tile_window<distribution>(part, {0, 0}), ones);
        target::block_barrier();
        const auto back = load(make_tile_window<distribution>(part, {0, 0}), 7.0f);
        const auto whole = load(make_tile_window<distribution>(all, {0, 0}));
        int wrong = 0;
        sweep<target>(elementwise([](float x, float y) { return array<float, 2>{x, y}; }, back, whole),
                      [&](const array<float, 2>& e, const auto& x) {
                          const bool inside = x[0] < 20 && x[1] < 30;
                          wrong += e[0] != (inside ? 1.0f : 7.0f) || e[1] != (inside ? 1.0f : 0.0f);
                      });
        got[static_cast<std::size_t>(target::thread_id())] = static_cast<float>(wrong);
    });
    for (const float wrong : got)
        REQUIRE(wrong == 0);
    const std::string copied = [&] {
        auto in = counted_array<float>(1024);
        emulator::memory_ranges memory;
        memory.read(in.data(), in.size_bytes(), "in");
        using ampere = arch::sm_80;
        using tile = row_vectors<32, 4, 8, 4>; // 32 x 32
        const auto result = launch_on<ampere>(64, 8192, memory, [&] {
            const auto from = make_tensor_view<ampere, address_space::global>(in.data(), rows_of(32, 32), "source");
            const auto to = make_tensor_view<ampere, address_space::shared>(
                reinterpret_cast<float*>(ampere::shared_memory()), make_packed_descriptor(sequence<32, 32>{}), "stage");
            async_load(make_tile_window<tile>(to, {16, 0}), make_tile_window<tile>(from, {0, 0}));
        });
        return result.report;
    }();
    INFO(copied);
    CHECK(contains(copied, "an access to an element that the view does not have"));
    CHECK(contains(copied, ") of stage"));
}

TEST_CASE("windows, tensors, shared layouts and conversions take an encoding", "[tensor]")
{
    using encoding = distribution::encoding;
    using turned = column_vectors<64, 1, 16>::encoding; // 64 x 32
    static_assert(std::is_same_v<distribution_of<encoding>, distribution>);
    static_assert(
        std::is_same_v<decltype(make_distributed_tensor<float, encoding>(0)), distributed_tensor<float, distribution>>);
    static_assert(make_shared_layout<encoding, encoding, float, target>::bytes ==
                  make_shared_layout<distribution, distribution, float, target>::bytes);
    static_assert(reduce_scratch_bytes<target, float, encoding, 0> ==
                  reduce_scratch_bytes<target, float, distribution, 0>);
    auto in = counted_array<float>(64 * 32);
    emulator::memory_ranges memory;
    memory.read(in.data(), in.size_bytes(), "in");
    int wrong = 0;
    run_on<target>(128, 64 * 32 * 4, memory, [&] {
        const auto view = make_tensor_view<target, address_space::global>(in.data(), rows_of(64, 32), "source");
        using rows = row_vectors<64, 4, 8, 4>;
        const auto tile = load(make_tile_window<rows::encoding>(view, {0, 0}));
        const auto columns = convert<target, turned>(tile, target::shared_memory());
        sweep<target>(columns, [&](float e, const auto& x) { wrong += e != static_cast<float>(32 * x[0] + x[1]); });
    });
    CHECK(wrong == 0);
}
