// More planted bugs of blocks that tell each other by fences and atomic operations: through others, by other lanes, of sums.
#include "planted_fences.hpp"

using namespace planted;
using tegula::thread_scope;

namespace {

void tell(int* flag, bool fenced, thread_scope scope = thread_scope::device)
{
    if (fenced)
        emu::thread_fence(scope);
    exchange(flag, 1);
}
void await(int* flag, bool fenced, thread_scope scope = thread_scope::device)
{
    while (add(flag, 0) == 0)
        ;
    if (fenced)
        emu::thread_fence(scope);
}

struct told_pair
{
    const char* name;
    void (*kernel)(fenced_ground&, bool right);
};
/// Only lane 0 of each block does something, but where other lanes are named.
const told_pair told_pairs[] = {
    {"through a block between, which needs one fence",
     [](fenced_ground& m, bool right) {
         const int block = emu::block_id().x;
         if (emu::thread_id() != 0)
             return;
         if (block == 0) {
             store(m.to(0), 5.f);
             tell(&m.flags[0], true);
         } else if (block == 1) {
             await(&m.flags[0], false);
             tell(&m.flags[1], right); // a fence that is both behind what it was told and before what it tells
         } else if (block == 2) {
             await(&m.flags[1], true);
             load(m.to(0));
         }
     }},
    {"another flag",
     [](fenced_ground& m, bool right) {
         const int block = emu::block_id().x;
         if (emu::thread_id() != 0 || block > 1)
             return;
         if (block == 0) {
             exchange(&m.flags[1], 1);
             store(m.to(0), 5.f);
             tell(&m.flags[0], true);
         } else {
             await(&m.flags[right ? 0 : 1], true);
             load(m.to(0));
         }
     }},
    {"a flag that is read and not looked at by an atomic operation",
     [](fenced_ground& m, bool right) {
         const int block = emu::block_id().x;
         if (emu::thread_id() != 0 || block > 1)
             return;
         if (block == 0) {
             tell(&m.flags[0], true);
         } else if (right) {
             await(&m.flags[0], true);
         } else {
             int flag = 0;
             emu::load_global<4>(&flag, &m.flags[0]);
         }
     }},
    {"a read, then another block's write",
     [](fenced_ground& m, bool right) {
         const int block = emu::block_id().x;
         if (emu::thread_id() != 0 || block > 1)
             return;
         if (block == 0) {
             load(m.to(0));
             tell(&m.flags[0], right);
         } else {
             await(&m.flags[0], true);
             store(m.to(0), 6.f);
         }
     }},
    {"the fence of a lane, the atomic operation of another",
     [](fenced_ground& m, bool right) {
         const int block = emu::block_id().x;
         const int t = emu::thread_id();
         if (block == 0 && t < 2) {
             if (t == 0) {
                 store(m.to(0), 5.f);
                 emu::thread_fence(thread_scope::device);
             }
             if (t == (right ? 0 : 1))
                 tell(&m.flags[0], right);
         } else if (block == 1 && t == 0) {
             await(&m.flags[0], true);
             load(m.to(0));
         }
     }},
    {"a lane that nobody hands on to",
     [](fenced_ground& m, bool right) {
         const int block = emu::block_id().x;
         const int t = emu::thread_id();
         if (block == 0 && t == 0) {
             store(m.to(0), 5.f);
             tell(&m.flags[0], true);
         } else if (block == 1) {
             if (t == 0)
                 await(&m.flags[0], true);
             if (right)
                 emu::block_barrier();
             if (t == 70)
                 load(m.to(0));
         }
     }},
    {"a sum that others added to",
     [](fenced_ground& m, bool right) {
         emu::atomic_add(&m.total, 1.f);
         emu::block_barrier();
         if (emu::thread_id() != 0)
             return;
         if (right)
             emu::thread_fence(thread_scope::device);
         const int before = add(&m.count, 1);
         emu::thread_fence(thread_scope::device);
         if (before == blocks - 1 && load(&m.total) != static_cast<float>(blocks * threads) && right)
             emu::fail("the sum is not there", "");
     }},
    {"a maximum of 64 bits that tells",
     [](fenced_ground& m, bool right) {
         auto* const most = reinterpret_cast<long long*>(m.to(512));
         const auto raise = [&](long long to) {
             return emu::global_atomic(most, [=](long long old) { return old < to ? to : old; });
         };
         const int block = emu::block_id().x;
         if (emu::thread_id() != 0 || block > 1)
             return;
         constexpr long long told = 0x7000000000000000;
         if (block == 0) {
             store(m.to(0), 5.f);
             if (right)
                 emu::thread_fence(thread_scope::system);
             raise(told);
         } else {
             while (raise(0) != told)
                 ;
             emu::thread_fence(thread_scope::system);
             load(m.to(0));
         }
     }},
    {"a lock of which the second part is forgotten",
     [](fenced_ground& m, bool right) {
         if (emu::thread_id() != 0)
             return;
         for (int round = 0; round < 2; ++round) {
             const bool fenced = right || round == 0;
             while (compare_exchange(&m.lock, 0, 1) != 0)
                 ;
             if (fenced)
                 emu::thread_fence(thread_scope::device);
             store(&m.total, load(&m.total) + 1.f);
             if (fenced)
                 emu::thread_fence(thread_scope::device);
             exchange(&m.lock, 0);
         }
     }},
    {"a word outside the lock",
     [](fenced_ground& m, bool right) {
         if (emu::thread_id() != 0)
             return;
         if (!right)
             load(&m.total);
         while (compare_exchange(&m.lock, 0, 1) != 0)
             ;
         emu::thread_fence(thread_scope::device);
         store(&m.total, 1.f);
         emu::thread_fence(thread_scope::device);
         exchange(&m.lock, 0);
     }},
};

} // namespace

TEST_CASE("a flag that lanes look at by a maximum", "[emulator]")
{
    fenced_ground g(tegula::chip::gfx942);
    g.config.grid = {1, 1, 1};
    for (const int order : orders) {
        g.config.order = order;
        g.refill();
        expect_fine(run(g.config, [&] {
            if (emu::thread_id() == 70)
                exchange(&g.flags[0], 1);
            else if (emu::wave_id() == 0)
                while (emu::global_atomic(
                           &g.flags[0], [](int old) { return old < 0 ? 0 : old; }, tegula::call_site::here(), false) ==
                       0)
                    ;
        }));
    }
}

TEST_CASE("fences in other forms", "[emulator]")
{
    fenced_ground g(tegula::chip::gfx942);
    for (const bool together : {false, true})
        for (const told_pair& p : told_pairs) {
            INFO(p.name << ", " << (together ? "together" : "one after the other"));
            g.config.cooperative = together;
            for (const int order : orders) {
                INFO("order " << order);
                g.config.order = order;
                g.refill();
                const emu::launch_result wrong = run(g.config, [&] { p.kernel(g, false); });
                INFO(wrong.report);
                CHECK(wrong.status.code() == tegula::status_code::device_error);
                CHECK((contains(wrong.report, "races with the") || contains(wrong.report, "writes too") ||
                       contains(wrong.report, "reads too") || contains(wrong.report, "adds to too")));
                g.refill();
                expect_fine(run(g.config, [&] { p.kernel(g, true); }));
            }
        }
}
