// Arrays of the emulator's device have no neighbours.
#include <tegula/host/emulated_device.hpp>

#include "support.hpp"

#include <array>

using namespace tegula;

namespace {

using target = arch::gfx942;

/// One lane reads so many bytes behind the start of an array.
struct read_at
{
    using target = ::target;
    static constexpr int block_threads = 64;

    void operator()(const float* from, int bytes) const
    {
        float value = 0;
        if (target::lane_id() == 0)
            emu::load_global<4>(&value, from + bytes / 4);
    }
};

} // namespace

TEST_CASE("what is past an array of the device is nobody's", "[emulator]")
{
    constexpr int arrays = 6, bytes = 272;
    const std::array<float, bytes / 4> ones{};
    std::array<emulated_memory, arrays> memory; // allocated one behind the other
    emulated_device device;
    const char* const names[arrays] = {"a", "b", "c", "d", "e", "f"};
    for (std::size_t i = 0; i < arrays; ++i) {
        REQUIRE(memory[i].copy_from(ones.data(), bytes).ok());
        device.config.memory.read(memory[i].data(), bytes, names[i]);
    }
    for (std::size_t i = 0; i < arrays; ++i) {
        const auto* const from = static_cast<const float*>(memory[i].data());
        CHECK(launch(device, {}, read_at{}, from, bytes - 4).ok());
        for (int past = 0; past < 4096; past += 272)
            for (const int at : {bytes + past, -4 - past}) {
                INFO("byte " << at << " of " << names[i]);
                CHECK(!launch(device, {}, read_at{}, from, at).ok());
                CHECK(contains(device.result.report, "at byte " + std::to_string(at) + " of " + names[i] +
                                                         ", out of bounds: it has 272 bytes"));
            }
    }
    emulated_memory nothing;
    CHECK(nothing.allocate(0).ok());
    CHECK(nothing.data() == nullptr);
    CHECK(memory[0].copy_from(nullptr, 0).ok());
    CHECK(memory[0].data() == nullptr);
}
