// Fences: the last block of a grid, locks and barriers of a grid, written right and with what they need left out.
#include "planted_fences.hpp"

#include <tegula/arch/amd/targets.hpp>
#include <tegula/arch/nvidia/targets.hpp>
#include <tegula/arch/target.hpp>

#include "test/device/last_block.hpp"

using namespace planted;
using tegula::thread_scope;

namespace {

/// A fence that may be missing, or of too narrow a scope.
struct fence
{
    bool there = true;
    thread_scope scope = thread_scope::device;

    void operator()() const
    {
        if (there)
            emu::thread_fence(scope);
    }
};
constexpr fence missing{false};
constexpr fence of_block{true, thread_scope::block};
constexpr fence of_cluster{true, thread_scope::cluster};
constexpr fence of_system{true, thread_scope::system};

/// The step that is left out of a pattern, or done at the wrong place.
struct form
{
    const char* name;
    bool fine = false;
    fence before{};          ///< the atomic operation that tells of something
    fence behind{};          ///< the one that is told
    bool barrier = true;     ///< between what the block's lanes did and the lane that tells of it
    bool late_store = false; ///< between the fence and the atomic operation
    bool own_lane = true;    ///< the fence behind is that of the lane that was told
    bool asks = true;        ///< the last block alone reads
};
const form forms[] = {
    {"as it is", true},
    {"of the system", true, of_system, of_system},
    {"no fence before", false, missing},
    {"no fence behind", false, {}, missing},
    {"no fence at all", false, missing, missing},
    {"the fence before is of the block", false, of_block},
    {"the fence behind is of the block", false, {}, of_block},
    {"the fence before is of the cluster", false, of_cluster},
    {"no barrier before", false, {}, {}, false},
    {"a store behind the fence", false, {}, {}, true, true},
    {"another lane's fence behind", false, {}, {}, true, false, false},
};

/// Each block leaves a row; the last one adds them up and sets the counter back.
void last_block(fenced_ground& m, const form& f)
{
    const int block = emu::block_id().x;
    const int t = emu::thread_id();
    store(m.part(block, t), static_cast<float>(block + t));
    if (f.barrier)
        emu::block_barrier();
    if (t == 0) {
        f.before();
        if (f.late_store)
            store(m.part(block, 0), static_cast<float>(block));
        const int old = add(&m.count, 1);
        if (f.own_lane)
            f.behind();
        put<int>(0, old == blocks - 1 || !f.asks);
    }
    if (!f.own_lane && t == 64)
        f.behind();
    emu::block_barrier();
    if (take<int>(0) == 0)
        return;
    float sum = 0;
    for (int b = 0; b < blocks; ++b)
        sum += load(m.part(b, t));
    store(m.to(t), sum);
    if (t == 5) {
        const int zero = 0;
        emu::store_global<4>(&m.count, &zero);
    }
}

/// One lane a block adds to a number under a lock.
void locked_sum(fenced_ground& m, const form& f)
{
    if (emu::thread_id() != 0)
        return;
    while (compare_exchange(&m.lock, 0, 1) != 0)
        ;
    f.behind();
    store(&m.total, load(&m.total) + 1.f);
    f.before();
    if (f.late_store)
        store(&m.total, load(&m.total) + 1.f);
    exchange(&m.lock, 0);
}

/// Every block waits for all others, twice, and reads what the next one left.
void neighbours(fenced_ground& m, const form& f)
{
    const int t = emu::thread_id();
    const int block = emu::block_id().x;
    for (int round = 1; round <= 2; ++round) {
        store(m.part(block, t), static_cast<float>(round * (block + t)));
        for (const int target : {2 * round - 1, 2 * round}) {
            if (f.barrier || target % 2 == 0)
                emu::block_barrier();
            if (t == 0) {
                f.before();
                if (f.late_store && target % 2 == 1)
                    store(m.part(block, 0), static_cast<float>(round * block));
                add(&m.count, 1);
                while (add(&m.count, 0) < target * blocks)
                    ;
                if (f.own_lane)
                    f.behind();
            }
            if (!f.own_lane && t == 64)
                f.behind();
            emu::block_barrier();
            const int next = (block + 1) % blocks;
            if (target % 2 == 1 && load(m.part(next, t)) != static_cast<float>(round * (next + t)) && f.fine)
                emu::fail("the neighbour's row is not there", "");
        }
    }
}

void expect_forms(fenced_ground& g, const std::vector<form>& all, void (*kernel)(fenced_ground&, const form&),
                  const std::function<void()>& look)
{
    const std::vector<std::string> texts = {"races with the", "writes too", "reads too", "which nobody wrote"};
    for (const form& f : all)
        for (const int order : orders) {
            INFO(f.name << ", order " << order);
            g.config.order = order;
            g.refill();
            const emu::launch_result result = run(g.config, [&] { kernel(g, f); });
            INFO(result.report);
            CHECK(result.status.ok() == f.fine);
            if (f.fine) {
                look();
                continue;
            }
            bool found = false;
            for (const std::string& text : texts)
                found = found || contains(result.report, text);
            CHECK(found);
            CHECK((contains(result.report, "thread_fence") || contains(result.report, texts.back())));
        }
}
std::vector<form> forms_without(std::initializer_list<const char*> names)
{
    std::vector<form> kept;
    for (const form& f : forms) {
        bool left_out = false;
        for (const char* name : names)
            left_out = left_out || std::string(name) == f.name;
        if (!left_out)
            kept.push_back(f);
    }
    return kept;
}
const tegula::chip_info& any_chip()
{
    const tegula::chip_info* const chips[] = {&tegula::chip::gfx942, &tegula::chip::gfx1201, &tegula::chip::sm_80,
                                              &tegula::chip::sm_90a};
    return *chips[GENERATE(0, 1, 2, 3)];
}

} // namespace

TEST_CASE("the last block of a grid", "[emulator]")
{
    fenced_ground g(any_chip());
    g.config.cpu_threads = GENERATE(1, 3);
    const auto look = [&] {
        CHECK(g.out[7] == 0 + 1 + 2 + 3 + 4 * 7.f);
        CHECK(g.count == 0);
    };
    expect_forms(g, forms_without({}), last_block, look);
    form early = forms[0];
    early.fine = false;
    early.asks = false;
    early.name = "every block reads";
    expect_forms(g, {early}, last_block, look);
    g.config.checks = false;
    expect_forms(g, {forms[0]}, last_block, look);
}

TEST_CASE("the last block of a grid whose blocks run together", "[emulator]")
{
    fenced_ground g(any_chip());
    g.config.cooperative = true;
    expect_forms(g, forms_without({}), last_block, [&] { CHECK(g.out[7] == 0 + 1 + 2 + 3 + 4 * 7.f); });
}

namespace {

/// Lanes that spin are most of the emulator's tests' time: two chips in every run, the others in the whole.
void check_lock(const tegula::chip_info& chip, bool cooperative)
{
    fenced_ground g(chip);
    g.config.cooperative = cooperative;
    expect_forms(g, forms_without({"no barrier before", "another lane's fence behind"}), locked_sum,
                 [&] { CHECK(g.total == 4.f); });
    g.config.checks = false;
    expect_forms(g, {forms[0]}, locked_sum, [&] { CHECK(g.total == 4.f); });
}

} // namespace

TEST_CASE("a lock that blocks take", "[emulator]")
{
    check_lock(tegula::chip::gfx942, true);
    check_lock(tegula::chip::sm_90a, false);
}

TEST_CASE("a lock that blocks take, on other chips", "[.full]") { check_lock(any_chip(), GENERATE(false, true)); }

TEST_CASE("a barrier of all blocks of a grid", "[emulator]")
{
    fenced_ground g(any_chip());
    g.config.cooperative = true;
    expect_forms(g, forms_without({}), neighbours, [] {});
    g.config.checks = false;
    expect_forms(g, {forms[0]}, neighbours, [] {});
    // Blocks that do not run together wait for ever.
    g.config.checks = true;
    g.config.cooperative = false;
    g.config.order = 0;
    g.refill();
    expect_misuse(run(g.config, [&] { neighbours(g, forms[0]); }),
                  {"looks again and again at memory that no lane changes", "run_config::cooperative"});
    g.config.cooperative = true;
    g.config.grid = {49, 1, 1};
    g.config.chip = &tegula::chip::gfx942;
    CHECK(contains(run(g.config, [] {}).status.message(), "a cooperative launch of 98 waves; the emulator runs 96"));
}

namespace {

void check_flags(const tegula::chip_info& chip)
{
    fenced_ground g(chip);
    // Each block adds its row to that of the block before.
    const auto kernel = [](fenced_ground& m, const form& f) {
        const int block = emu::block_id().x;
        const int t = emu::thread_id();
        if (t == 0 && block > 0) {
            while (add(&m.flags[block - 1], 0) == 0)
                ;
            f.behind();
        }
        emu::block_barrier();
        store(m.part(block, t), block > 0 ? load(m.part(block - 1, t)) + 1.f : 1.f);
        if (f.barrier)
            emu::block_barrier();
        if (t == 0) {
            f.before();
            exchange(&m.flags[block], 1);
        }
    };
    expect_forms(g, forms_without({"a store behind the fence", "another lane's fence behind"}), kernel,
                 [&] { CHECK(g.work[3 * threads + 7] == 4.f); });
}

} // namespace

TEST_CASE("flags that say which block is through", "[emulator]")
{
    check_flags(tegula::chip::gfx942);
    check_flags(tegula::chip::sm_90a);
}

TEST_CASE("flags that say which block is through, on other chips", "[.full]") { check_flags(any_chip()); }

TEST_CASE("fences between the waves of a block", "[emulator]")
{
    fenced_ground g(any_chip());
    g.config.grid = {1, 1, 1};
    const auto locked = [](int* lock, float* sum, bool before, bool behind) {
        if (emu::lane_id() != 0)
            return;
        const auto swap = [&](int expected, int value) {
            const auto change = [=](int old) { return expected < 0 || old == expected ? value : old; };
            return lock == nullptr ? emu::shared_atomic(shared<int>(), change) : emu::global_atomic(lock, change);
        };
        while (swap(0, 1) != 0)
            ;
        if (behind)
            emu::thread_fence(thread_scope::block);
        store(sum, load(sum) + 1.f);
        if (before)
            emu::thread_fence(thread_scope::block);
        swap(-1, 0);
    };
    for (const bool in_shared : {false, true})
        for (const bool before : {true, false})
            for (const bool behind : {true, false})
                for (const int order : orders) {
                    INFO(in_shared << before << behind << ", order " << order);
                    g.config.order = order;
                    g.refill();
                    const emu::launch_result result = run(g.config, [&] {
                        if (in_shared && emu::thread_id() == 0)
                            put<int>(0, 0);
                        emu::block_barrier();
                        locked(in_shared ? nullptr : &g.lock, &g.total, before, behind);
                    });
                    INFO(result.report);
                    CHECK(result.status.ok() == (before && behind));
                    if (before && behind)
                        CHECK(g.total == static_cast<float>(threads / g.config.chip->wave_size));
                }
}

namespace {

template <class Target>
void sum_rows()
{
    using kernel = tegula::last_block_sum<Target>;
    constexpr int width = kernel::block_threads;
    ground g;
    float sums[width];
    int arrived = 0;
    g.config.chip = &tegula::chip_of<Target>;
    g.config.block_threads = width;
    g.config.grid = {5, 1, 1};
    g.config.memory.write(sums, sizeof(sums), "sums").write(&arrived, 4, "arrived");
    expect_fine(run(g.config, kernel{g.in.data(), g.work.data(), &arrived, sums, 5}));
    CHECK(sums[3] == 5 * 3 + (0 + 1 + 2 + 3 + 4) * width);
    CHECK(arrived == 0);
}

} // namespace

TEST_CASE("the last block of a grid as test/device compiles it", "[emulator]")
{
    sum_rows<tegula::arch::gfx942>();
    sum_rows<tegula::arch::gfx1201>();
    sum_rows<tegula::arch::sm_80>();
}
