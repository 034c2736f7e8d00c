// Planted bugs that any GPU has: races through global memory, operations in both branches, values that vary.
#include "planted.hpp"

#include <tegula/emulator/interruption.hpp>

using namespace planted;

namespace {

struct nothing
{};

} // namespace

TEST_CASE("races of one block through global memory", "[emulator]")
{
    ground g;
    const std::vector<std::string> race = {"races with the write of wave", "races with the read of wave",
                                           "races with the atomic addition of wave"};
    expect("one wave stores, the other loads", g, race, [](ground& m, bool right) {
        if (emu::wave_id() == 0)
            store(m.to(emu::lane_id()), 5.f);
        if (right)
            emu::block_barrier();
        if (emu::wave_id() == 1 && load(m.to(emu::lane_id())) != 5.f && right)
            emu::fail("another wave's store is not there", "");
    });
    expect("one wave loads, the other stores", g, race, [](ground& m, bool right) {
        if (emu::wave_id() == 0)
            load(m.to(emu::lane_id()));
        if (right)
            emu::block_barrier();
        if (emu::wave_id() == 1)
            store(m.to(emu::lane_id()), 5.f);
    });
    expect("both waves store", g, race,
           [](ground& m, bool right) { store(m.to(right ? emu::thread_id() : emu::lane_id()), 5.f); });
    expect("bytes of one word", g, race, [](ground& m, bool right) {
        const char x = 1;
        auto* bytes = reinterpret_cast<char*>(m.to(0));
        emu::store_global<1>(bytes + (right ? emu::thread_id() : emu::thread_id() / 2), &x);
    });
    expect("lanes of a wave exchange", g, race, [](ground& m, bool right) {
        store(m.to(emu::thread_id()), 5.f);
        if (right)
            emu::wave_barrier();
        load(m.to(emu::thread_id() ^ 1));
    });
    expect("zero, then add", g, race, [](ground& m, bool right) {
        store(m.to(emu::thread_id()), 0.f);
        if (right)
            emu::block_barrier();
        emu::atomic_add(m.to(emu::thread_id() ^ 64), 1.f);
    });
    expect("add, then read the sum", g, race, [](ground& m, bool right) {
        emu::atomic_add(&m.total, 1.f);
        if (right)
            emu::block_barrier();
        if (emu::thread_id() == 77 && load(&m.total) != 128.f && right)
            emu::fail("the sum is not there", "");
    });
    expect("add, then store", g, race, [](ground& m, bool right) {
        emu::atomic_add(&m.total, 1.f);
        if (right)
            emu::block_barrier();
        if (emu::thread_id() == 3)
            store(&m.total, 7.f);
    });
    expect("a wide access beside a narrow one", g, race, [](ground& m, bool right) {
        float4 v{};
        if (emu::wave_id() == 0)
            emu::store_global<16>(m.to(4 * emu::lane_id()), &v);
        if (right)
            emu::block_barrier();
        if (emu::wave_id() == 1)
            load(m.to(4 * emu::lane_id() + 3));
    });
}

TEST_CASE("sums are there for the block that made them", "[emulator]")
{
    ground g;
    g.config.checks = GENERATE(true, false);
    g.config.grid = {2, 1, 1};
    int counts[2] = {};
    g.config.memory.write(counts, sizeof(counts), "counts");
    expect_fine(run(g.config, [&] {
        int* const count = counts + emu::block_id().x;
        emu::atomic_add(count, 1 + emu::block_id().x);
        emu::block_barrier();
        int sum = 0;
        emu::load_global<4>(&sum, count);
        if (sum != 128 * (1 + emu::block_id().x))
            emu::fail("the sum is not there", "");
        emu::block_barrier();
        if (emu::thread_id() == 0) {
            sum = 5;
            emu::store_global<4>(count, &sum);
        }
        emu::block_barrier();
        emu::atomic_add(count, 2);
        emu::atomic_add(&g.total, 1.f); // of both blocks
    }));
    CHECK(counts[0] == 5 + 256);
    CHECK(counts[1] == 5 + 256);
    CHECK(g.total == 256.f);
}

TEST_CASE("async copies from memory that changes", "[emulator]")
{
    ground g;
    g.config.chip = &tegula::chip::sm_80;
    const std::vector<std::string> texts = {"races with the write of wave", "races with the read of wave",
                                            "which an async copy or a bulk load is still reading"};
    const auto copy = [](ground& m) {
        emu::async_copy<16>(shared<float4>(emu::thread_id()), m.to(4 * emu::thread_id()));
        emu::async_commit();
    };
    expect("the source was written by another lane", g, texts, [&](ground& m, bool right) {
        store(m.to(4 * (emu::thread_id() ^ 32)), 1.f);
        if (right)
            emu::block_barrier();
        copy(m);
        emu::async_wait<0>();
    });
    expect("the source is written before the wait", g, texts, [&](ground& m, bool right) {
        copy(m);
        if (right)
            emu::async_wait<0>();
        store(m.to(4 * emu::thread_id()), 1.f);
        emu::async_wait<0>();
    });
    expect("the source is written by a wave that does not know of the wait", g, texts, [&](ground& m, bool right) {
        if (emu::wave_id() < 2) {
            copy(m);
            emu::async_wait<0>();
        }
        if (right)
            emu::block_barrier();
        if (emu::wave_id() >= 2)
            store(m.to(4 * (emu::thread_id() - 64)), 1.f);
    });
}

TEST_CASE("an operation in both branches", "[emulator]")
{
    ground g;
    const std::vector<std::string> skipped = {": each is skipped by part of the wave"};
    expect("block_barrier", g, skipped, [](ground&, bool right) {
        if (right || emu::lane_id() < 20)
            emu::block_barrier();
        else
            emu::block_barrier();
    });
    expect("wave_barrier", g, skipped, [](ground&, bool right) {
        if (right || emu::lane_id() % 2 == 0)
            emu::wave_barrier();
        else
            emu::wave_barrier();
    });
    expect("shuffle", g, skipped, [](ground&, bool right) {
        int x = 0;
        if (right || emu::lane_id() < 20)
            emu::shuffle(&x, &x, 4, 0);
        else
            emu::shuffle(&x, &x, 4, 1);
    });
    expect("a matrix instruction", g, skipped, [](ground&, bool right) {
        nothing mine;
        const auto body = [](nothing* const*, int) {};
        if (right || emu::lane_id() < 20)
            emu::wave_operation("mfma", emu::operation_kind::matrix, mine, body);
        else
            emu::wave_operation("mfma", emu::operation_kind::matrix, mine, body);
    });
    // Waves may be at different lines.
    expect_fine(run(g.config, [] {
        if (emu::wave_id() == 0)
            emu::block_barrier();
        else
            emu::block_barrier();
    }));
}

TEST_CASE("values that vary where they must not", "[emulator]")
{
    ground g;
    expect("uniform", g, {"uniform varies: "},
           [](ground&, bool right) { emu::uniform(right ? emu::wave_id() : emu::lane_id() / 60); });
    expect("uniform in one of many rounds", g, {"uniform varies: "}, [](ground&, bool right) {
        for (int i = 0; i < 9; ++i)
            emu::uniform(!right && i == 7 && emu::lane_id() == 13 ? 8 : i);
        emu::block_barrier();
    });
    // Part of the lanes may go through a loop more often.
    expect_fine(run(g.config, [] {
        for (int i = 0; i < 5; ++i)
            if (i > 1 || emu::lane_id() < 7)
                emu::uniform(i);
    }));
    const auto buffer = [](const float* base, std::uint32_t bytes, std::uint32_t offset) {
        float4 v;
        emu::load_buffer<16>(&v, base, bytes, offset);
        return v.x[0];
    };
    expect("the base of a buffer", g, {"the base or the length of a buffer varies"}, [&](ground& m, bool right) {
        const int lane = emu::lane_id();
        buffer(m.in.data() + (right ? 0 : 4 * lane), 512, static_cast<std::uint32_t>(right ? 16 * lane : 0));
    });
    expect("the length of a buffer", g, {"the base or the length of a buffer varies"},
           [&](ground& m, bool right) { buffer(m.in.data(), right || emu::lane_id() > 3 ? 512 : 480, 0); });
    expect("a buffer that begins before its matrix", g, {"buffer of 256 bytes at byte -64 of in, out of bounds"},
           [&](ground& m, bool right) { buffer(m.in.data() - (right ? 0 : 16), 256, 64); });
    expect("a buffer that ends behind its matrix", g, {"buffer of 4096 bytes at byte 64 of in, out of bounds"},
           [&](ground& m, bool right) { buffer(m.in.data() + 16, right ? 4032 : 4096, 0); });
    // Zeros past its end, word by word.
    expect_fine(run(g.config, [&] {
        float4 v;
        emu::load_buffer<16>(&v, g.in.data(), 8, 0);
        if (v.x[1] != 1.f || v.x[2] != 0.f || buffer(g.in.data(), 8, 16) != 0.f)
            emu::fail("a buffer does not end where it does", "");
    }));
}

TEST_CASE("what nobody wrote, and what is written too late", "[emulator]")
{
    ground g;
    expect("a workspace", g, {"global load of 4 bytes at byte 36 of work, which nobody wrote"},
           [](ground& m, bool right) {
               const int t = emu::thread_id();
               if (right || t != 9)
                   store(m.work.data() + t, 0.f);
               emu::block_barrier();
               if (load(m.work.data() + t) != 0.f)
                   emu::fail("the store is not there", "");
           });
    expect("adding to a workspace", g, {"atomic_add of 4 bytes at byte 0 of work, which nobody wrote"},
           [](ground& m, bool right) {
               if (right && emu::thread_id() == 0)
                   store(m.work.data(), 0.f);
               emu::block_barrier();
               emu::atomic_add(m.work.data(), 1.f);
           });
    expect("a register", g, {"global store of 4 bytes of a register that was never written"},
           [](ground& m, bool right) {
               auto x = right ? 0U : emu::unset_registers<std::uint32_t>();
               emu::store_global<4>(m.to(emu::thread_id()), &x);
           });
    // The first is the lane that reads too early; the report says who comes too late.
    g.config.order = 0;
    g.refill();
    expect_misuse(run(g.config,
                      [] {
                          const int t = emu::thread_id();
                          if (t < 64)
                              take<int>(t);
                          else
                              put<int>(t - 64, t);
                      }),
                  {"shared load of 4 bytes at shared memory byte 0, which nobody wrote yet: wave 1, lane 0 at "
                   "test/emulator/support.hpp:",
                   " writes it later", "block (0, 0, 0), wave 0, lane 0", "put block_barrier() between"});
    expect_misuse(run(g.config,
                      [&] {
                          const int t = emu::thread_id();
                          if (t < 64)
                              load(g.work.data() + t);
                          else
                              store(g.work.data() + t - 64, 1.f);
                      }),
                  {"at byte 0 of work, which nobody wrote yet: wave 1, lane 0 at ", "wave 0, lane 0"});
}

TEST_CASE("a race is reported before what it led to", "[emulator]")
{
    ground g;
    // The index depends on which thread comes first. Its first value leads out of bounds.
    const std::vector<std::string> race = {"races with the write of wave 0, lane 0", "races with the read of wave 1"};
    expect("an index from shared memory", g, race, [](ground& m, bool right) {
        if (emu::thread_id() == 0)
            put<int>(0, 4000);
        emu::block_barrier();
        if (emu::thread_id() == 0)
            put<int>(0, 3);
        if (right)
            emu::block_barrier();
        if (emu::wave_id() == 1)
            load(m.in.data() + take<int>(0));
    });
    expect("an index from global memory", g, race, [](ground& m, bool right) {
        if (emu::thread_id() == 0)
            store(m.to(0), 3.f);
        if (right)
            emu::block_barrier();
        if (emu::wave_id() == 1)
            load(m.in.data() + 1023 + (load(m.to(0)) == 3.f ? 0 : 1));
    });
    // Between blocks, luck decides which comes first.
    g.config.grid = {4, 1, 1};
    g.config.order = 0;
    g.config.cpu_threads = 4;
    std::string first;
    for (int i = 0; i < 100; ++i) {
        g.refill();
        const emu::launch_result result = run(g.config, [&] {
            if (emu::block_id().x == 3 && emu::thread_id() == 0)
                store(g.to(0), 5000.f);
            if (emu::block_id().x == 1 && emu::thread_id() == 2)
                load(g.in.data() + static_cast<int>(load(g.to(0))));
        });
        if (i == 0)
            first = result.report;
        CHECK(result.report == first);
    }
    CHECK(contains(first, "which block (1, 0, 0), wave 0, lane 2 (thread 2) reads too"));
}

TEST_CASE("a named barrier that counts too few", "[emulator]")
{
    ground g;
    g.config.block_threads = 256;
    expect("four waves, two of which it takes", g, {"named_barrier 1 for 128 threads is reached by more waves"},
           [](ground&, bool right) { emu::named_barrier(1, right ? 256 : 128); });
    // Round after round of the same two is fine, and of others behind a barrier.
    expect_fine(run(g.config, [] {
        for (int i = 0; i < 3; ++i)
            if (emu::wave_id() < 2)
                emu::named_barrier(1, 128);
        emu::block_barrier();
        if (emu::wave_id() >= 2)
            emu::named_barrier(1, 128);
    }));
}

#if TEGULA_EMULATOR_SIGNALS // not with a sanitizer, which has handlers of its own
TEST_CASE("a lane that never lets others run, or that the processor stops", "[emulator]")
{
    ground g;
    const int t = 70;
    const std::string who = "block (0, 0, 0), wave 1, lane 6 (thread 70)";
    g.config.patience = 0.1;
    volatile bool for_ever = true;
    expect_misuse(run(g.config,
                      [&] {
                          emu::block_barrier();
                          while (emu::thread_id() == t && for_ever)
                              ;
                      }),
                  {"of processor time and met no other lane", who});
    expect_misuse(run(g.config,
                      [&] {
                          while (load(g.to(0)) == 2.f) // nobody changes it
                              ;
                      }),
                  {"of processor time and met no other lane"});
    volatile int zero = 0;
    volatile int result = 0;
    expect_misuse(run(g.config,
                      [&] {
                          emu::wave_barrier();
                          if (emu::thread_id() == t)
                              result = 1000 / zero;
                      }),
                  {"(SIGFPE)", who});
    expect_misuse(run(g.config,
                      [&] {
                          if (emu::thread_id() == t)
                              *reinterpret_cast<volatile int*>(zero + 64) = 0;
                      }),
                  {"memory at 0x40 is not there (SIGSEGV)", who});
    // All is as before.
    expect_fine(run(g.config, [] { emu::block_barrier(); }));
}
#endif
