// What a report says of a kernel written with views and windows: the sentence, and the array.
#include "support.hpp"

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
    const std::string plain = report_of(memory, [] { target::load_global(static_cast<const float*>(nullptr) + 3); });
    INFO(plain);
    CHECK(contains(plain, "global load of 4 bytes at byte 12 of a null pointer"));
    const std::string shared =
        report_of(memory, [] { target::load_shared(static_cast<const float*>(nullptr) + 3); }, 1024);
    INFO(shared);
    CHECK(contains(shared, "shared load of 4 bytes at byte 12 of a null pointer, where shared memory is meant"));
    const std::string far = report_of(memory, [&] { target::load_global(in.data() + 5000); });
    INFO(far);
    CHECK(contains(far, "at byte 20000 of source array, out of bounds: it has 4096 bytes"));
}
