// Global memory: bounds, alignment, read-only ranges, blocks at the same bytes.
#include "support.hpp"

namespace {

struct fixture
{
    std::vector<float> in = std::vector<float>(256, 1.f);
    std::vector<float> out = std::vector<float>(256);
    emu::run_config config = two_waves();

    fixture()
    {
        config.grid = {2, 1, 1};
        config.memory.read(in.data(), in.size() * 4, "in").write(out.data(), out.size() * 4, "out");
    }
    static float load(const float* from)
    {
        float value = 0;
        emu::load_global<4>(&value, from);
        return value;
    }
    static void store(float* to, float value) { emu::store_global<4>(to, &value); }
};

int here() { return emu::block_id().x * emu::block_threads() + emu::thread_id(); }

} // namespace

TEST_CASE("global memory out of bounds", "[emulator]")
{
    fixture f;
    expect_misuse(run(f.config,
                      [&] {
                          const tegula::index_t x[] = {0, here() + 1};
                          emu::set_element("in_view", x, 2);
                          fixture::load(f.in.data() + here() + 1);
                      }),
                  {"global load of 4 bytes at byte 1024 of in, out of bounds: it has 1024 bytes", "block (1, 0, 0)",
                   "wave 1, lane 63 (thread 127)", "element (0, 256) of in_view"});
    expect_misuse(run(f.config, [&] { fixture::store(f.out.data() - 1, 0.f); }), {"at byte -4 of out, out of bounds"});
    expect_misuse(run(f.config,
                      [&] {
                          float4 v{};
                          emu::load_global<16>(&v, f.in.data() + 4 * here()); // straddles nothing, ends past the end
                      }),
                  {"global load of 16 bytes at byte 1024 of in"});
    // Masked off where it would be outside.
    expect_fine(run(f.config, [&] {
        float value = 5.f;
        const int i = here() + 1;
        emu::load_global<4>(&value, f.in.data() + i, i < 256);
        fixture::store(f.out.data() + here(), value);
    }));
    CHECK(f.out[254] == 1.f);
    CHECK(f.out[255] == 0.f);
}

TEST_CASE("global memory of which the launch was not told", "[emulator]")
{
    float x = 0;
    expect_misuse(run(two_waves(), [&] { fixture::load(&x); }), {"but the launch was given no global memory"});
    emu::run_config config = two_waves();
    config.memory.read(&x, 4, "x");
    expect_fine(run(config, [&] { fixture::load(&x); }));
}

TEST_CASE("misaligned global accesses", "[emulator]")
{
    fixture f;
    expect_misuse(run(f.config,
                      [&] {
                          float4 v{};
                          emu::load_global<16>(&v, f.in.data() + 1);
                      }),
                  {"global load of 16 bytes at byte 4 of in, misaligned: the address is not a multiple of 16"});
}

TEST_CASE("writing to what is read-only", "[emulator]")
{
    fixture f;
    expect_misuse(run(f.config, [&] { fixture::store(f.in.data() + here(), 0.f); }),
                  {"global store of 4 bytes at byte 0 of in, which is read-only"});
    expect_misuse(run(f.config, [&] { emu::atomic_add(f.in.data(), 1.f); }),
                  {"atomic_add of 4 bytes at byte 0 of in, which is read-only"});
    CHECK(f.in[0] == 1.f);
}

TEST_CASE("blocks of one launch touch the same bytes", "[emulator]")
{
    fixture f;
    f.config.cpu_threads = GENERATE(1, 2);
    expect_misuse(
        run(f.config, [&] { fixture::store(f.out.data() + emu::thread_id() + 8 * emu::block_id().x, 0.f); }),
        {"the block writes bytes 32 to 511 of out, which block (0, 0, 0), wave 0, lane 8 (thread 8) writes too at "
         "test/emulator/global_misuse.cpp:",
         "on gfx942, block (1, 0, 0), wave 0, lane 0"});
    expect_misuse(run(f.config,
                      [&] {
                          fixture::store(f.out.data() + here(), 0.f);
                          fixture::load(f.out.data() + (here() ^ 128));
                      }),
                  {"of out, which block (0, 0, 0), wave "});
    expect_misuse(
        run(f.config,
            [&] {
                emu::atomic_add(f.out.data(), 1.f);
                if (here() == 128)
                    fixture::load(f.out.data());
            }),
        {"the block reads bytes 0 to 3 of out, which block (0, 0, 0), wave 0, lane 0 (thread 0) adds to too"});
    // The writing block reads further than the other one, whichever comes first.
    for (const int writer : {0, 1})
        expect_misuse(
            run(f.config,
                [&] {
                    const int t = emu::thread_id();
                    const bool writes = emu::block_id().x == writer;
                    if (writes || t < 4)
                        fixture::load(f.out.data() + t);
                    if (writes && t == 127)
                        fixture::store(f.out.data() + 1, 0.f);
                }),
            {writer == 1
                 ? "the block writes bytes 4 to 7 of out, which block (0, 0, 0), wave 0, lane 1 (thread 1) reads too"
                 : "the block reads bytes 4 to 7 of out, which block (0, 0, 0), wave 1, lane 63 (thread 127) writes "
                   "too"});
    expect_fine(run(f.config, [&] {
        fixture::store(f.out.data() + here(), fixture::load(f.out.data() + here()));
        emu::block_barrier();
        fixture::load(f.out.data() + (here() ^ 1));
    }));
}

TEST_CASE("a conflict is found among many blocks and scattered accesses", "[emulator]")
{
    std::vector<float> data(64 * 1024);
    emu::run_config config = two_waves();
    config.grid = {64, 1, 1};
    config.block_threads = 64;
    config.cpu_threads = 2;
    config.memory.write(data.data(), data.size() * 4, "data");
    // Every block writes every 64th element of everything; two blocks agree on one.
    const auto kernel = [&](bool clash) {
        return [&data, clash] {
            const int b = emu::block_id().x;
            for (int i = 0; i < 16; ++i) {
                const int row = i * 64 + emu::lane_id();
                const int column = clash && b == 41 && row == 777 ? 17 : b;
                fixture::store(&data[static_cast<std::size_t>(row * 64 + column)], 1.f);
            }
        };
    };
    expect_fine(run(config, kernel(false)));
    expect_misuse(run(config, kernel(true)),
                  {"block (41, 0, 0), wave 0, lane 9", "which block (17, 0, 0), wave 0, lane 9 (thread 9) writes too"});
}
