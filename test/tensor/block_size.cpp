// A distribution over a whole block asks for a block of its size.

#include "test/catch.hpp"

#include <tegula/emulator.hpp>
#include <tegula/tensor.hpp>

#include <string>
#include <vector>

namespace {

using namespace tegula;
using target = arch::sm_80;

// 2 waves of 32 lanes.
using two_waves = tile_distribution<
    tile_distribution_encoding<sequence<>, tuple<sequence<2, 4>, sequence<32, 2>>, tuple<sequence<1>, sequence<2>>,
                               tuple<sequence<0>, sequence<0>>, sequence<1, 2>, sequence<1, 1>>>;

emulator::launch_result copy_tile(int threads)
{
    std::vector<float> from(8 * 64, 1.0f), to(8 * 64);
    emulator::run_config config;
    config.chip = &chip_of<target>;
    config.grid = {1, 1, 1};
    config.block_threads = threads;
    config.memory.read(from.data(), from.size() * sizeof(float), "from")
        .write(to.data(), to.size() * sizeof(float), "to");
    return emulator::launch(config, [&] {
        const auto layout = make_packed_descriptor(sequence<8, 64>{});
        const auto source = make_tensor_view<target, address_space::global>(from.data(), layout, "from");
        const auto result = make_tensor_view<target, address_space::global>(to.data(), layout, "to");
        store(make_tile_window<two_waves>(result, {0, 0}), load(make_tile_window<two_waves>(source, {0, 0})));
    });
}

} // namespace

TEST_CASE("a block of another size than its distribution is reported")
{
    CHECK(copy_tile(64).status.ok());
    for (int threads : {32, 96, 128}) {
        const emulator::launch_result run = copy_tile(threads);
        CHECK(run.status.code() == status_code::device_error);
        CHECK(run.report.find("a tile distribution over 64 threads is used in a block of " + std::to_string(threads)) !=
              std::string::npos);
        CHECK(run.report.find("launch blocks of 64") != std::string::npos);
    }
}

TEST_CASE("what a view does not have, and registers that nobody wrote, are reported")
{
    // The view ends two rows before its memory does.
    const auto copy = [](bool unset, index_t rows) {
        std::vector<float> data(2 * 8 * 64, 1.0f);
        emulator::run_config config;
        config.chip = &chip_of<target>;
        config.grid = {1, 1, 1};
        config.block_threads = 64;
        config.memory.write(data.data(), data.size() * sizeof(float), "data");
        return emulator::launch(config, [&, unset, rows] {
            const auto view = make_tensor_view<target, address_space::global>(
                data.data(), make_packed_descriptor(make_tuple(rows, constant<64>{})), "data");
            const auto window = make_tile_window<two_waves>(view, {0, 0});
            distributed_tensor<float, two_waves> tile;
            if (!unset)
                load<bounds::unchecked>(tile, window, 0.f);
            store<bounds::unchecked>(window, tile);
        });
    };
    CHECK(copy(false, 8).status.ok());
    const emulator::launch_result past = copy(false, 6);
    CHECK(past.report.find("an access to an element that the view does not have") != std::string::npos);
    CHECK(past.report.find("element (6, ") != std::string::npos);
    const emulator::launch_result unset = copy(true, 8);
    CHECK(unset.report.find("of a register that was never written") != std::string::npos);
}

TEST_CASE("a sum that began with a tile that nobody wrote is reported")
{
    std::vector<float> data(8 * 64, 1.0f);
    const auto sum = [&](bool cleared) {
        emulator::run_config config;
        config.chip = &chip_of<target>;
        config.grid = {1, 1, 1};
        config.block_threads = 64;
        config.memory.write(data.data(), data.size() * sizeof(float), "data");
        return emulator::launch(config, [&, cleared] {
            const auto view = make_tensor_view<target, address_space::global>(
                data.data(), make_packed_descriptor(sequence<8, 64>{}), "data");
            const auto window = make_tile_window<two_waves>(view, {0, 0});
            distributed_tensor<float, two_waves> total{};
            if (cleared)
                total = make_distributed_tensor<float, two_waves>(0.f);
            store(window, elementwise([](float a, float b) { return a + b; }, total, load(window)));
        });
    };
    CHECK(sum(true).status.ok());
    const emulator::launch_result run = sum(false);
    CHECK(run.report.find("of a register that was never written") != std::string::npos);
    CHECK(run.report.find("element (0, 0)") != std::string::npos);
}
