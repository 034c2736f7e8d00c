// The tensor data mover of gfx1250: a tile arrives at the wait for tiles, padded and with zeros past the matrix.
#include "support.hpp"

#include <tegula/arch/amd/targets.hpp>

#include <cstdint>

namespace {

using target = tegula::arch::gfx1250;

/// Two waves; a matrix of 20 x 50 words of 16 bits with rows of 56, of which 40 bytes a row are padded by 8.
struct fixture
{
    static constexpr int rows = 20, columns = 50, stride = 56;
    std::vector<std::uint16_t> in = std::vector<std::uint16_t>(rows * stride);
    emu::run_config config = two_waves();

    fixture()
    {
        for (std::size_t i = 0; i < in.size(); ++i)
            in[i] = static_cast<std::uint16_t>(i + 1);
        config.chip = &tegula::chip::gfx1250;
        config.block_threads = 64;
        config.shared_bytes = 16384;
        config.memory.write(in.data(), in.size() * 2, "in");
    }
    /// The tile of 16 x 32 from element (row, column) on, at byte `place`.
    tegula::tensor_tile tile(int row, int column, int place = 0) const
    {
        tegula::tensor_tile t;
        t.global = reinterpret_cast<std::uintptr_t>(in.data() + row * stride + column);
        t.shared = static_cast<std::uint32_t>(place);
        t.element_bytes = 2;
        t.rows = static_cast<std::uint32_t>(rows - row);
        t.columns = static_cast<std::uint32_t>(columns - column);
        t.row_stride = stride;
        t.tile_rows = 16;
        t.tile_columns = 32;
        t.pad_interval = 64;
        t.pad_bytes = 16;
        return t;
    }
    /// By the first wave, as a kernel does it.
    void start(const tegula::tensor_tile& t) const
    {
        if (target::wave_id() == 0)
            target::load_tile(tegula::encode(t));
    }
    /// Element (i, j) of the tile at byte `place`.
    static std::uint16_t at(int i, int j, int place = 0)
    {
        std::uint16_t value;
        emu::load_shared<2>(&value, emu::shared_memory() + place + 80 * i + 2 * j);
        return value;
    }
    std::uint16_t expected(int row, int column) const
    {
        return row < rows && column < columns ? in[static_cast<std::size_t>(row * stride + column)] : std::uint16_t{};
    }
    /// All threads compare the tile of (row, column) at `place`.
    void compare(int row, int column, int place = 0) const
    {
        for (int e = emu::thread_id(); e < 16 * 32; e += 64)
            if (at(e / 32, e % 32, place) != expected(row + e / 32, column + e % 32))
                emu::fail("the tile has another element", "");
    }
};

} // namespace

TEST_CASE("a tile of the tensor data mover arrives at its wait, padded, with zeros past the matrix", "[emulator]")
{
    fixture f;
    for (bool checks : {true, false}) {
        f.config.checks = checks;
        expect_fine(run(f.config, [&] {
            f.start(f.tile(0, 0));
            f.start(f.tile(7, 25, 2048)); // 13 rows and 25 columns exist
            if (checks)
                target::wait_for_tiles<1>();
            else
                target::wait_for_tiles<0>();
            target::shared_barrier();
            f.compare(0, 0);
            target::wait_for_tiles<0>();
            target::shared_barrier();
            f.compare(7, 25, 2048);
        }));
    }
}

TEST_CASE("reading a tile before its wait", "[emulator]")
{
    fixture f;
    const auto report = [&](auto&& wait) {
        return run(f.config, [&] {
            f.start(f.tile(0, 0));
            wait();
            target::shared_barrier();
            f.compare(0, 0);
        });
    };
    expect_misuse(report([] {}), {"shared load of 2 bytes", "which an async copy of wave 0"});
    // The counter of the lanes' own copies says nothing of tiles, and a wait that leaves the newest leaves this one.
    expect_misuse(report([] { target::async_wait_newest<0>(); }), {"shared load of 2 bytes"});
    expect_misuse(report([] { target::wait_for_tiles<1>(); }), {"shared load of 2 bytes"});
}

TEST_CASE("a tile is for all waves behind a barrier only", "[emulator]")
{
    fixture f;
    expect_misuse(run(f.config,
                      [&] {
                          f.start(f.tile(0, 0));
                          target::wait_for_tiles<0>();
                          f.compare(0, 0);
                      }),
                  {"shared load of 2 bytes"});
}

TEST_CASE("what lies in the padding was never written", "[emulator]")
{
    fixture f;
    expect_misuse(run(f.config,
                      [&] {
                          f.start(f.tile(0, 0));
                          target::wait_for_tiles<0>();
                          target::shared_barrier();
                          f.at(0, 32);
                      }),
                  {"shared load of 2 bytes"});
}

TEST_CASE("asynchronous copies of gfx1250's lanes are waited for by their number", "[emulator]")
{
    fixture f;
    const auto report = [&](auto&& wait, bool valid) {
        return run(f.config, [&] {
            const int t = emu::thread_id();
            for (int part = 0; part < 2; ++part)
                target::async_copy<16>(shared<float4>(64 * part + t), f.in.data() + 8 * t, valid);
            target::async_commit();
            wait();
            target::shared_barrier();
            const float4 first = take<float4>(63 - t);
            if (!valid && first.x[0] != 0)
                emu::fail("what is not there is not zero", "");
        });
    };
    expect_fine(report([] { target::async_wait_newest<1>(); }, true));
    expect_fine(report([] { target::async_wait<1>(); }, true)); // groups are not known: for all
    expect_fine(report([] {}, false));                          // zeros are stored, and a barrier is enough
    expect_misuse(report([] { target::async_wait_newest<2>(); }, true), {"which an async copy of wave"});
    expect_misuse(report([] { target::wait_for_tiles<0>(); }, true), {"which an async copy of wave"});
}

TEST_CASE("requests that the tensor data mover does not take", "[emulator]")
{
    fixture f;
    const auto report = [&](auto&& change) {
        return run(f.config, [&] {
            tegula::tensor_tile t = f.tile(0, 0);
            change(t);
            target::load_tile(tegula::encode(t));
        });
    };
    expect_misuse(report([](tegula::tensor_tile& t) { t.tile_rows = 0; }), {"copy nothing for an empty one"});
    expect_misuse(report([](tegula::tensor_tile& t) { t.tile_columns = 31; }), {"multiples of 4 bytes"});
    expect_misuse(report([](tegula::tensor_tile& t) {
                      t.rows = 60;
                      t.tile_rows = 60;
                  }),
                  {"global"}); // past the memory
    expect_misuse(report([](tegula::tensor_tile& t) { t.shared += 64 * static_cast<unsigned>(target::lane_id()); }),
                  {});
}

namespace {
// The words are those of the bit fields of HIP's amd_gfx1250_TDM.h (ROCm/rocm-systems at 234afbe3), filled and printed.
constexpr tegula::tensor_tile example = {0x1234567'89abcde8ull, 0x4564, 2,      0x12345678, 0x9abcdef0,
                                         0xfedc'ba987654ull,    0xa1b2, 0xc3d4, 256,        16};
constexpr auto words = tegula::encode(example);
constexpr tegula::array<std::uint32_t, 4> group0 = {0x00000001u, 0x00004564u, 0x89abcde8u, 0x81234567u};
constexpr tegula::array<std::uint32_t, 8> group1 = {0x07510000u, 0x56780000u, 0xdef01234u, 0xa1b29abcu,
                                                    0x0000c3d4u, 0xba987654u, 0x0000fedcu, 0x00000000u};
static_assert(words.group0 == group0 && words.group1 == group1);
constexpr auto again = tegula::decode(words);
static_assert(again.global == example.global && again.shared == example.shared && again.columns == example.columns &&
              again.rows == example.rows && again.row_stride == example.row_stride &&
              again.tile_columns == example.tile_columns && again.tile_rows == example.tile_rows &&
              again.pad_interval == example.pad_interval && again.pad_bytes == example.pad_bytes &&
              again.element_bytes == example.element_bytes);
} // namespace

TEST_CASE("a tile that only part of a wave's lanes asks for", "[emulator]")
{
    fixture f;
    for (const int form : {0, 1, 2}) {
        expect_misuse(
            run(f.config,
                [&] {
                    const int lane = target::lane_id();
                    if (target::wave_id() == 0 && (form == 0 ? lane == 0 : form == 1 ? lane < 9 : lane % 2 == 1))
                        target::load_tile(tegula::encode(f.tile(0, 0)));
                    target::wait_for_tiles<0>();
                    target::block_barrier();
                }),
            {"load_tile is reached by lane", " of the wave alone; the instruction is the wave's"});
    }
    expect_fine(run(f.config, [&] { // by a wave, whichever it is
        if (target::wave_id() == 1)
            target::load_tile(tegula::encode(f.tile(0, 0)));
        target::wait_for_tiles<0>();
        target::block_barrier();
        f.compare(0, 0);
    }));
}
