// Transposing reads of gfx950, and what a kernel may do wrong with them and with loads straight to shared memory.
#include "support.hpp"

#include <tegula/arch/amd/column_read.hpp>
#include <tegula/arch/amd/targets.hpp>

#include <cstdint>

namespace {

using target = tegula::arch::gfx950;

struct fixture
{
    std::vector<std::uint32_t> in = std::vector<std::uint32_t>(1024);
    emu::run_config config = two_waves();

    fixture()
    {
        for (std::size_t i = 0; i < in.size(); ++i)
            in[i] = static_cast<std::uint32_t>(i * 2654435761u);
        config.chip = &tegula::chip::gfx950;
        config.block_threads = 64;
        config.shared_bytes = 4096;
        config.memory.write(in.data(), in.size() * 4, "in");
    }
    /// The first 1024 bytes of `in` to the place, by one load of the wave.
    void start(int place = 0) const
    {
        target::load_direct({in.data(), 4096}, static_cast<std::uint32_t>(16 * emu::lane_id()),
                            emu::shared_memory() + place);
    }
    /// Element `number` of `in` as Words.
    template <class Word>
    Word at(int number) const
    {
        return reinterpret_cast<const Word*>(in.data())[number];
    }
    /// All lanes read columns of the matrices, one behind the other, that 16 lanes each have of 16 elements a row.
    template <class Word>
    void compare_columns() const
    {
        constexpr int depth = 8 / static_cast<int>(sizeof(Word));
        const int lane = emu::lane_id(), first = lane / 16 * 16 * depth;
        // Rows lie one behind the other, so that a lane's part of them is its own 8 bytes.
        const auto column = tegula::arch::amd::read_column<Word>(emu::shared_memory() + 8 * lane);
        for (int row = 0; row < depth; ++row)
            if (column[row] != at<Word>(first + 16 * row + lane % 16))
                emu::fail("the column has another element", "");
    }
};

} // namespace

TEST_CASE("sixteen lanes read columns of 4 rows of 16 bits and of 8 rows of 8 bits", "[emulator]")
{
    fixture f;
    expect_fine(run(f.config, [&] {
        f.start();
        target::direct_barrier<0>();
        f.compare_columns<std::uint16_t>();
        f.compare_columns<std::uint8_t>();
    }));
}

TEST_CASE("a transposing read before its load's wait, of memory that nobody wrote, or misaligned, is reported",
          "[emulator]")
{
    fixture f;
    expect_misuse(run(f.config,
                      [&] {
                          f.start();
                          f.start(1024);
                          target::direct_barrier<1>();
                          tegula::arch::amd::read_column(emu::shared_memory() + 1024 + 8 * emu::lane_id());
                      }),
                  {"in flight"});
    expect_misuse(
        run(f.config, [&] { tegula::arch::amd::read_column<std::uint8_t>(emu::shared_memory() + 8 * emu::lane_id()); }),
        {"which nobody wrote"});
    expect_misuse(run(f.config,
                      [&] {
                          f.start();
                          target::direct_barrier<0>();
                          tegula::arch::amd::read_column(emu::shared_memory() + 8 * emu::lane_id() + 4);
                      }),
                  {"multiple of 8"});
}

TEST_CASE("a transposing read that part of the wave skips is reported", "[emulator]")
{
    fixture f;
    expect_misuse(run(f.config,
                      [&] {
                          f.start();
                          target::direct_barrier<0>();
                          if (emu::lane_id() < 48)
                              tegula::arch::amd::read_column(emu::shared_memory() + 8 * emu::lane_id());
                      }),
                  {"ds_read_b64_tr_b16"});
}

TEST_CASE("a slot that is loaded again while another wave reads it is reported", "[emulator]")
{
    fixture f;
    f.config.block_threads = 128;
    const auto kernel = [&](bool waits) {
        return [&f, waits] {
            if (target::wave_id() == 0)
                f.start();
            target::direct_barrier<0>();
            if (target::wave_id() == 1)
                tegula::arch::amd::read_column(emu::shared_memory() + 8 * emu::lane_id());
            if (waits)
                target::direct_barrier<0>();
            if (target::wave_id() == 0)
                f.start();
            target::direct_barrier<0>();
        };
    };
    expect_fine(run(f.config, kernel(true)));
    expect_misuse(run(f.config, kernel(false)), {"shared memory"});
}
