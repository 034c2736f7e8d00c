// Clusters of gfx1250: their barrier, and tiles that blocks ask for together.
#include "support.hpp"

#include <tegula/arch/amd/targets.hpp>

#include <cstdint>

namespace {

using target = tegula::arch::gfx1250;

/// Two blocks of one wave in a cluster; a matrix of 16 x 32 words of 16 bits.
struct fixture
{
    std::vector<std::uint16_t> in = std::vector<std::uint16_t>(16 * 32);
    emu::run_config config = two_waves();

    explicit fixture(int blocks = 2)
    {
        for (std::size_t i = 0; i < in.size(); ++i)
            in[i] = static_cast<std::uint16_t>(i + 1);
        config.chip = &tegula::chip::gfx1250;
        config.block_threads = 32;
        config.grid = {2, 1, 1};
        config.cluster = {blocks, 1, 1};
        config.shared_bytes = 4096;
        config.memory.write(in.data(), in.size() * 2, "in");
    }
    tegula::tensor_tile tile(std::uint32_t blocks, int place = 0) const
    {
        tegula::tensor_tile t;
        t.global = reinterpret_cast<std::uintptr_t>(in.data());
        t.shared = static_cast<std::uint32_t>(place);
        t.element_bytes = 2;
        t.rows = t.tile_rows = 16;
        t.columns = t.tile_columns = 32;
        t.row_stride = 32;
        t.blocks = blocks;
        return t;
    }
    void compare() const
    {
        for (int e = emu::lane_id(); e < 16 * 32; e += 32) {
            std::uint16_t value;
            emu::load_shared<2>(&value, emu::shared_memory() + 2 * e);
            if (value != in[static_cast<std::size_t>(e)])
                emu::fail("the tile has another element", "");
        }
    }
};

} // namespace

TEST_CASE("blocks of a cluster ask for a tile together, and each gets it", "[emulator]")
{
    fixture f;
    expect_fine(run(f.config, [&] {
        if (target::cluster_blocks() != 2 || target::cluster_rank() != target::block_id()[0])
            emu::fail("the block has another rank", "");
        for (int round = 0; round < 3; ++round) {
            target::load_tile(tegula::encode(f.tile(3)));
            target::wait_for_tiles<0>();
            target::cluster_barrier();
            f.compare();
            target::cluster_barrier();
        }
    }));
}

TEST_CASE("a tile for several blocks that is read before its wait is reported", "[emulator]")
{
    fixture f;
    expect_misuse(run(f.config,
                      [&] {
                          target::load_tile(tegula::encode(f.tile(3)));
                          target::cluster_barrier();
                          f.compare();
                      }),
                  {"shared load of 2 bytes", "in flight"});
}

TEST_CASE("blocks that share a tile ask for the same one, each of them", "[emulator]")
{
    fixture f;
    const auto report = [&](auto&& request, const char* text) {
        expect_misuse(run(f.config,
                          [&] {
                              request();
                              target::wait_for_tiles<0>();
                              target::cluster_barrier();
                          }),
                      {text});
    };
    report([&] { target::load_tile(tegula::encode(f.tile(3, target::cluster_rank() == 0 ? 0 : 1024))); },
           "is another one than a block that it names asked for");
    report(
        [&] {
            if (target::cluster_rank() == 0)
                target::load_tile(tegula::encode(f.tile(3)));
        },
        "returns without asking for a tile");
    report([&] { target::load_tile(tegula::encode(f.tile(target::cluster_rank() == 0 ? 2 : 3))); },
           "not for the block that asks for it");
    report([&] { target::load_tile(tegula::encode(f.tile(7))); }, "blocks of a cluster that are not there");
}

TEST_CASE("without a cluster no tile is shared", "[emulator]")
{
    fixture f(1);
    expect_misuse(run(f.config, [&] { target::load_tile(tegula::encode(f.tile(1))); }),
                  {"blocks of a cluster that are not there"});
}

TEST_CASE("a cluster's barrier that a block does not come to is reported", "[emulator]")
{
    fixture f;
    expect_misuse(run(f.config,
                      [&] {
                          if (target::cluster_rank() == 0) {
                              emu::cluster_arrive();
                              emu::cluster_arrive();
                          } else {
                              target::cluster_barrier();
                          }
                      }),
                  {"cluster_arrive again without cluster_wait"});
    f.config.chip = &tegula::chip::gfx1201;
    CHECK_FALSE(run(f.config, [] {}).status.ok());
}
