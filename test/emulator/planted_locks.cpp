// Planted bugs of locks: by ticket, several in neighbouring words, for readers and writers, and queues of work; on AMD's and
// NVIDIA's GPUs, in shared and in global memory.
#include "planted_fences.hpp"

#include <tegula/arch/amd/targets.hpp>
#include <tegula/arch/nvidia/targets.hpp>

using namespace planted;
using tegula::thread_scope;

namespace {

/// Words that the lanes of a grid share, and who takes part: lane 0 of each block if they lie in global memory, lane 0 of
/// each wave if they lie in shared memory.
struct locks : fenced_ground
{
    bool in_shared = false;
    int words[8]{};

    locks(const tegula::chip_info& chip, bool shared) : fenced_ground(chip), in_shared(shared)
    {
        if (in_shared)
            config.grid = {1, 1, 1};
        config.block_threads = (in_shared ? blocks : 1) * chip.wave_size;
        const auto before = refills;
        refills = [this, before](ground& g) {
            before(g);
            for (int& word : words)
                word = 0;
            config.memory.write(words, sizeof(words), "words");
        };
        config.cooperative = !in_shared;
        refill();
    }
    void begin() const
    {
        if (!in_shared)
            return;
        if (emu::thread_id() < 8)
            put<int>(emu::thread_id(), 0);
        emu::block_barrier();
    }
    int number() const { return in_shared ? emu::wave_id() : emu::block_id().x; }
    bool takes_part() const { return (in_shared ? emu::lane_id() : emu::thread_id()) == 0; }
    template <class F>
    int change(int i, const F& f, tegula::call_site where = tegula::call_site::here()) const
    {
        return in_shared ? emu::shared_atomic(shared<int>(i), f, where)
                         : emu::global_atomic(const_cast<int*>(words) + i, f, where);
    }
    int plus(int i, int n, tegula::call_site where = tegula::call_site::here()) const
    {
        return change(i, [n](int old) { return old + n; }, where);
    }
    int swap(int i, int value, tegula::call_site where = tegula::call_site::here()) const
    {
        return change(i, [value](int) { return value; }, where);
    }
    int compare_swap(int i, int expected, int value, tegula::call_site where = tegula::call_site::here()) const
    {
        return change(i, [=](int old) { return old == expected ? value : old; }, where);
    }
    void plain(int i, int value) const
    {
        if (in_shared)
            put<int>(i, value);
        else
            emu::store_global<4>(const_cast<int*>(words) + i, &value);
    }
    int plain(int i) const
    {
        int value = 0;
        if (in_shared)
            value = take<int>(i);
        else
            emu::load_global<4>(&value, words + i);
        return value;
    }
    void fence(bool there = true) const
    {
        if (there)
            emu::thread_fence(in_shared ? thread_scope::block : thread_scope::device);
    }
    void spin_lock(int i, bool fenced = true) const
    {
        while (compare_swap(i, 0, 1) != 0)
            ;
        fence(fenced);
    }
    void unlock(int i, bool fenced = true) const
    {
        fence(fenced);
        swap(i, 0);
    }
};

/// Word 0 gives tickets, word 1 says whose turn it is.
void ticket_lock(locks& m, bool acquires, bool releases, bool plain_release = false, bool early_release = false)
{
    const int mine = m.plus(0, 1);
    while (m.plus(1, 0) != mine)
        ;
    m.fence(acquires);
    const float sum = load(&m.total);
    if (early_release)
        m.plus(1, 1);
    store(&m.total, sum + 1.f);
    if (early_release)
        return;
    m.fence(releases);
    if (plain_release)
        m.plain(1, mine + 1);
    else
        m.plus(1, 1);
}

/// How the bug shows.
enum class shows {
    always,
    together, ///< in lanes that take turns: not if blocks run one after the other
    by_chance ///< the same, and in some orders alone: others leave nothing out of order
};
struct lock_pair
{
    const char* name;
    void (*kernel)(locks&, bool right);
    shows how = shows::always;
};
/// One lane of each block or wave does them.
const lock_pair lock_pairs[] = {
    {"a ticket, no fence behind the turn", [](locks& m, bool right) { ticket_lock(m, right, true); }},
    {"a ticket, no fence before the turn goes on", [](locks& m, bool right) { ticket_lock(m, true, right); }},
    {"a ticket, no fence", [](locks& m, bool right) { ticket_lock(m, right, right); }},
    {"a ticket, the turn handed on by a plain store", [](locks& m, bool right) { ticket_lock(m, true, true, !right); }},
    {"a ticket, the turn handed on too early", [](locks& m, bool right) { ticket_lock(m, true, true, false, !right); }},
    {"a ticket whose turn is looked at by a plain load",
     [](locks& m, bool right) {
         const int mine = m.plus(0, 1);
         if (right)
             while (m.plus(1, 0) != mine)
                 ;
         else
             m.plain(1);
         m.fence();
         store(&m.total, 1.f);
         m.fence();
         m.plus(1, 1);
     }},
    {"a ticket whose turn is only looked at once",
     [](locks& m, bool right) {
         const int mine = m.plus(0, 1);
         while (m.plus(1, 0) != mine && right)
             ;
         m.fence();
         store(&m.total, load(&m.total) + 1.f);
         m.fence();
         m.plus(1, 1);
     },
     shows::together},
    {"two locks side by side, the other one's data",
     [](locks& m, bool right) {
         const int i = m.number() % 2;
         m.spin_lock(2 + i);
         float* const at = m.to(right ? i : 0);
         store(at, load(at) + 1.f);
         m.unlock(2 + i);
     }},
    {"four locks in one line, one without a fence",
     [](locks& m, bool right) {
         for (int k = 0; k < 4; ++k) {
             const int i = (m.number() + k) % 4;
             m.spin_lock(i);
             store(m.to(i), load(m.to(i)) + 1.f);
             m.unlock(i, right || i != 2);
         }
     }},
    {"a lock beside the word it is for",
     [](locks& m, bool right) {
         m.spin_lock(4, right);
         m.plain(5, m.plain(5) + 1);
         m.unlock(4);
     }},
    {"a lock beside a word of its own of each",
     [](locks& m, bool right) {
         m.plain(4 + (right ? m.number() : 0), 1);
         m.spin_lock(3);
         store(&m.total, load(&m.total) + 1.f);
         m.unlock(3);
     }},
    {"two locks of which one is held",
     [](locks& m, bool right) {
         m.spin_lock(0);
         if (right)
             m.spin_lock(1);
         store(m.to(0), load(m.to(0)) + 1.f);
         if (right)
             m.unlock(1);
         m.unlock(0);
         m.spin_lock(1);
         store(m.to(0), load(m.to(0)) + 1.f);
         m.unlock(1);
     }},
    {"a lock that was not got",
     [](locks& m, bool right) {
         const bool got = m.compare_swap(0, 0, 1) == 0;
         m.fence();
         if (got || !right)
             store(&m.total, 1.f);
         // Nobody gives it back.
     }},
    {"a lock given back before the work",
     [](locks& m, bool right) {
         m.spin_lock(0);
         if (!right)
             m.unlock(0);
         store(&m.total, load(&m.total) + 1.f);
         if (right)
             m.unlock(0);
     }},
    {"readers and writers: a reader that goes without a fence",
     [](locks& m, bool right) {
         for (int round = 0; round < 2; ++round) {
             for (bool in = false; !in;)
                 in = m.change(0, [](int old) { return old < 0 ? old : old + 1; }) >= 0;
             m.fence();
             load(&m.total);
             m.fence(right);
             m.plus(0, -1);
             while (m.compare_swap(0, 0, -1) != 0)
                 ;
             m.fence(right || round > 0); // else that of the writer would make good for the reader's
             store(&m.total, 7.f);
             m.fence();
             m.swap(0, 0);
         }
     },
     shows::by_chance},
    {"readers and a writer: a reader that writes",
     [](locks& m, bool right) {
         for (bool in = false; !in;)
             in = m.change(0, [](int old) { return old < 0 ? old : old + 1; }) >= 0;
         m.fence();
         load(&m.total);
         if (!right)
             store(&m.total, 1.f);
         m.fence();
         m.plus(0, -1);
     },
     shows::by_chance},
    {"what the first one makes, for all: looked at without a fence",
     [](locks& m, bool right) {
         if (m.compare_swap(0, 0, 1) == 0) {
             store(m.to(8), 3.f);
             m.fence();
             m.swap(0, 2);
         } else {
             while (m.plus(0, 0) != 2)
                 ;
             m.fence(right);
         }
         load(m.to(8));
     }},
    {"a ring of two places: given back before it is read",
     [](locks& m, bool right) {
         // Word 0 counts what came, word 1 what went.
         if (m.number() > 1)
             return;
         for (int i = 0; i < 5; ++i) {
             float* const place = m.to(i % 2);
             if (m.number() == 0) {
                 while (m.plus(1, 0) < i - 1)
                     ;
                 m.fence();
                 store(place, static_cast<float>(i));
                 m.fence();
                 m.plus(0, 1);
             } else {
                 while (m.plus(0, 0) <= i)
                     ;
                 m.fence();
                 if (!right)
                     m.plus(1, 1);
                 if (load(place) != static_cast<float>(i) && right)
                     emu::fail("another value is there", "");
                 m.fence();
                 if (right)
                     m.plus(1, 1);
             }
         }
     },
     shows::together},
    {"a ring of two places that is one round ahead",
     [](locks& m, bool right) {
         if (m.number() > 1)
             return;
         for (int i = 0; i < 5; ++i) {
             float* const place = m.to(i % 2);
             if (m.number() == 0) {
                 while (m.plus(1, 0) < i - (right ? 1 : 2))
                     ;
                 m.fence();
                 store(place, static_cast<float>(i));
                 m.fence();
                 m.plus(0, 1);
             } else {
                 while (m.plus(0, 0) <= i)
                     ;
                 m.fence();
                 load(place);
                 m.fence();
                 m.plus(1, 1);
             }
         }
     },
     shows::by_chance},
    {"a value beside its flag, in two words",
     [](locks& m, bool right) {
         if (m.number() > 1)
             return;
         if (m.number() == 0) {
             if (right) {
                 m.swap(0, 0x10005); // flag and value in one word need no fence
             } else {
                 m.plain(1, 5);
                 m.swap(0, 1);
             }
             return;
         }
         int seen = 0;
         while ((seen = m.plus(0, 0)) == 0)
             ;
         if (!right)
             seen = m.plain(1);
         const auto value = static_cast<float>(seen & 0xffff);
         store(m.to(3), value);
     }},
    {"each its own part, then one more of the next",
     [](locks& m, bool right) {
         for (;;) {
             const int next = m.plus(0, 1);
             if (next >= 9)
                 return;
             store(m.to(next), 1.f);
             if (!right)
                 store(m.to(next + 1), 2.f);
         }
     },
     shows::by_chance},
    {"a counter of those that are through, read too early",
     [](locks& m, bool right) {
         store(m.to(m.number()), 1.f);
         m.fence();
         m.plus(0, 1);
         if (m.number() != 0)
             return;
         while (m.plus(0, 0) < (right ? blocks : blocks - 1))
             ;
         m.fence();
         for (int i = 0; i < blocks; ++i)
             load(m.to(i));
     },
     shows::by_chance},
};

const std::vector<std::string> clashes = {"races with the", "writes too",         "reads too",
                                          "adds to too",    "which nobody wrote", "not atomic to each other"};

void expect_locks(locks& g, const lock_pair& p)
{
    INFO(p.name << (g.in_shared ? ", shared, " : ", global, ") << g.config.chip->name
                << (g.config.cooperative ? ", together" : ""));
    const auto kernel = [&](bool right) {
        g.begin();
        if (g.takes_part())
            p.kernel(g, right);
    };
    bool found = false;
    const auto look = [&](int order) {
        INFO("order " << order);
        g.config.order = order;
        g.refill();
        const emu::launch_result wrong = run(g.config, [&] { kernel(false); });
        INFO(wrong.report);
        bool told = false;
        for (const std::string& text : clashes)
            told = told || contains(wrong.report, text);
        CHECK((told || (wrong.status.ok() && p.how == shows::by_chance)));
        found = found || told;
        g.refill();
        expect_fine(run(g.config, [&] { kernel(true); }));
    };
    for (const int order : {0, -1, 1})
        look(order);
    for (int order = 2; order < 16 && !found; ++order)
        look(order);
    CHECK(found);
}

void expect_locks(const tegula::chip_info& chip)
{
    for (const bool in_shared : {false, true}) {
        locks g(chip, in_shared);
        for (const lock_pair& p : lock_pairs)
            expect_locks(g, p);
    }
}

} // namespace

TEST_CASE("locks, by ticket and side by side", "[emulator]")
{
    for (const tegula::chip_info* chip : {&tegula::chip::gfx1201, &tegula::chip::sm_80})
        expect_locks(*chip);
}

TEST_CASE("locks on more chips, and of blocks one after the other", "[emulator][.full]")
{
    for (const tegula::chip_info* chip : {&tegula::chip::gfx942, &tegula::chip::sm_90a})
        expect_locks(*chip);
    locks g(tegula::chip::gfx1201, false);
    g.config.cooperative = false;
    for (const lock_pair& p : lock_pairs)
        if (p.how == shows::always)
            expect_locks(g, p);
}
