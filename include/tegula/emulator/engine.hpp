#pragma once

#include <tegula/emulator/counters.hpp>
#include <tegula/emulator/fiber.hpp>
#include <tegula/emulator/memory_checker.hpp>
#include <tegula/emulator/report.hpp>

#include <bit>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace tegula::emulator::detail {

/// What every block of a launch is run with.
struct launch_plan
{
    const chip_info* chip = nullptr;
    const char* kernel_name = "";
    extent3 grid{};
    int block_threads = 0;
    long shared_bytes = 0;
    bool checks = true;
    const memory_ranges* ranges = nullptr;
    void (*kernel)(const void*) = nullptr;
    const void* kernel_object = nullptr;
};

/// A misuse and the lane it is about.
struct failure
{
    bool happened = false;
    std::string who;
    std::string where; ///< tensor element, empty when none is known
    fault misuse;
};

/// Runs one block at a time on the calling CPU thread: a fiber a lane. Lanes of a wave run one after the other up to
/// the point where they meet; then the wave goes on, and when it waits for other waves, the next wave runs. The order
/// depends on nothing but the kernel.
class engine final : public runtime
{
public:
    explicit engine(std::size_t stack_bytes) : stacks_(stack_bytes) {}

    std::size_t stack_bytes() const { return stacks_.bytes(); }
    const counters& totals() const { return totals_; }
    block_traffic& traffic() { return checker_.traffic(); }

    /// Before the first block of a launch.
    void begin_launch(const launch_plan& plan)
    {
        plan_ = &plan;
        totals_ = {};
        const int wave_size = plan.chip->wave_size;
        waves_.assign(static_cast<std::size_t>((plan.block_threads + wave_size - 1) / wave_size), {});
        clocks_.resize(waves_.size());
        lanes_.resize(static_cast<std::size_t>(plan.block_threads));
        shared_.resize(static_cast<std::size_t>(plan.shared_bytes) + shared_alignment);
        const auto past = reinterpret_cast<std::uintptr_t>(shared_.data()) % shared_alignment;
        block_ = {
            {},       plan.grid, plan.block_threads, shared_.data() + (shared_alignment - past), plan.shared_bytes,
            plan.chip};
        checker_.begin_launch(*plan.chip, plan.ranges, plan.block_threads);
    }

    /// Runs block `number`, x fastest.
    failure run_block(long number)
    {
        begin_block(number);
        current_lane = lanes_.data();
        switch_fiber(main_, current_lane->flow);
        current_lane = nullptr;
        for (const wave_state& wave : waves_) {
            totals_.mma_instructions += wave.matrix_operations;
            totals_.shuffles += wave.shuffles;
        }
        return std::exchange(failure_, {});
    }

    void suspend(lane_state& me) override
    {
        lane_state* next = next_ready(me);
        if (next == nullptr)
            stop_stuck();
        if (next == &me)
            return;
        current_lane = next;
        switch_fiber(me.flow, next->flow);
    }

    void open_operation(lane_state& me, const char* name, operation_kind kind) override
    {
        wave_state& wave = *me.wave;
        if (wave.finished != 0) {
            record(me,
                   std::string(name) + " is skipped by part of the wave: " + lane_list(wave.finished) +
                       " returned from the kernel",
                   "let every lane of the wave reach it: mask the work, not the operation");
            abandon();
        }
        if (kind == operation_kind::matrix && wave.lanes != plan_->chip->wave_size) {
            record(me,
                   std::string(name) + " in a wave of " + std::to_string(wave.lanes) +
                       " lanes; the instruction takes " + std::to_string(plan_->chip->wave_size),
                   "make the block a whole number of waves");
            abandon();
        }
        wave.operation = name;
        wave.kind = kind;
    }

    void join_operation(lane_state& me, const char* name, operation_kind kind) override
    {
        const wave_state& wave = *me.wave;
        if (wave.kind == kind && std::strcmp(wave.operation, name) == 0)
            return;
        record(me,
               std::string(name) + " is reached while " + lane_list(gathered(wave)) + " of the wave wait in " +
                   wave.operation + ": each is skipped by part of the wave",
               "let every lane of a wave reach the same operations in the same order");
        abandon();
    }

    void shuffle_source_missing(lane_state& me, int source) override
    {
        record(me,
               "shuffle reads lane " + std::to_string(source) + ", which the wave of " +
                   std::to_string(me.wave->lanes) + " lanes does not have",
               "keep the source below the wave size, and the block a whole number of waves");
        abandon();
    }

    void wave_met(lane_state& last) override { flush(*last.wave); }

    void wave_barrier(lane_state& last) override
    {
        ++clock_of(last).at(last.wave->index);
        ++totals_.wave_barriers;
        leave(last);
    }

    void block_barrier(lane_state& last) override { meet(last, 0, plan_->block_threads); }
    void named_barrier(lane_state& last, int id, int threads) override
    {
        check_named_barrier(last, id, threads);
        meet(last, id, threads);
    }

    void check_access(lane_state& me, memory_access access, const void* address, int bytes, bool active) override
    {
        let_others_catch_up(me);
        judge(me, checker_.check(me, clock_of(me), access, address, bytes, active));
    }

    void async_copy(lane_state& me, void* to, const void* from, int bytes, bool valid) override
    {
        let_others_catch_up(me);
        judge(me, checker_.start_copy(me, clock_of(me), to, from, bytes, valid));
    }
    void async_commit(lane_state& me) override { checker_.commit_copies(me); }
    void async_wait(lane_state& me, int groups_in_flight) override
    {
        judge(me, checker_.finish_copies(me, clock_of(me), groups_in_flight));
    }

    void atomic_add(lane_state& me, float* to, float value) override { add(me, {to, true, value, 0}); }
    void atomic_add(lane_state& me, int* to, int value) override { add(me, {to, false, 0, value}); }

    [[noreturn]] void fail(lane_state& me, const char* what, const char* remedy) override
    {
        record(me, what, remedy);
        abandon();
    }

private:
    static constexpr std::size_t shared_alignment = 1024;
    static constexpr int barrier_count = 16;

    struct barrier_state
    {
        int waves = 0;
        std::uint64_t arrived = 0;
        vector_clock clock{};
    };

    int waves_of(int threads) const { return (threads + plan_->chip->wave_size - 1) / plan_->chip->wave_size; }
    lane_state* lanes_of(const wave_state& wave)
    {
        return lanes_.data() + static_cast<std::ptrdiff_t>(wave.index) * plan_->chip->wave_size;
    }
    vector_clock& clock_of(const lane_state& me) { return clocks_[static_cast<std::size_t>(me.wave->index)]; }

    /// Lanes that have reached the open operation.
    static std::uint64_t gathered(const wave_state& wave)
    {
        return wave.all & ~(wave.ready | wave.paused | wave.finished);
    }

    void begin_block(long number)
    {
        const extent3& grid = plan_->grid;
        block_.id = {static_cast<int>(number % grid.x), static_cast<int>(number / grid.x % grid.y),
                     static_cast<int>(number / grid.x / grid.y)};
        std::memset(block_.shared, 0xff, static_cast<std::size_t>(plan_->shared_bytes));
        const int wave_size = plan_->chip->wave_size;
        for (int w = 0; w < static_cast<int>(waves_.size()); ++w) {
            wave_state& wave = waves_[static_cast<std::size_t>(w)];
            wave = {};
            wave.index = w;
            wave.lanes = wave.missing = std::min(wave_size, plan_->block_threads - w * wave_size);
            wave.all = wave.ready = ~std::uint64_t{0} >> (max_lanes - wave.lanes);
            clocks_[static_cast<std::size_t>(w)] = {};
            clocks_[static_cast<std::size_t>(w)].at(w) = 1;
            for (int l = 0; l < wave.lanes; ++l)
                begin_lane(wave, l);
        }
        for (barrier_state& b : barriers_)
            b = {};
        checker_.traffic().clear();
        if (plan_->checks)
            checker_.begin_block(block_, static_cast<int>(waves_.size()));
    }

    void begin_lane(wave_state& wave, int lane)
    {
        lane_state& me = lanes_of(wave)[lane];
        me = {};
        me.checks = plan_->checks;
        me.lane = lane;
        me.thread = wave.index * plan_->chip->wave_size + lane;
        me.wave = &wave;
        me.block = &block_;
        me.run = this;
        prepare<&engine::lane_main>(me.flow, stacks_.stack(me.thread), stacks_.bytes(), me.thread);
    }

    static void lane_main()
    {
        lane_state& me = *current_lane;
        engine& self = static_cast<engine&>(*me.run);
        fiber lane_before;
        enter_fiber(me.thread == 0 ? self.main_ : lane_before);
        bool thrown = true;
        try {
            self.plan_->kernel(self.plan_->kernel_object);
            thrown = false;
        } catch (const std::exception& e) {
            self.record(me, std::string("a C++ exception left the kernel: ") + e.what(), no_exceptions);
        } catch (...) {
            self.record(me, "a C++ exception left the kernel", no_exceptions);
        }
        if (thrown)
            self.abandon();
        self.finish_lane(me);
    }
    static constexpr const char* no_exceptions = "kernels cannot throw on a GPU: report errors before the launch";

    [[noreturn]] void finish_lane(lane_state& me)
    {
        wave_state& wave = *me.wave;
        wave.finished |= me.bit();
        wave.ready &= ~me.bit();
        if (wave.open()) {
            record(me,
                   "the lane returned from the kernel while " + lane_list(gathered(wave)) + " of its wave wait in " +
                       wave.operation + ", which it skips",
                   "let every lane of the wave reach it: mask the work, not the operation");
            abandon();
        }
        if (wave.finished == wave.all && plan_->checks)
            flush(wave);
        lane_state* next = next_ready(me);
        if (next == nullptr) {
            for (const wave_state& other : waves_)
                if (other.finished != other.all)
                    stop_stuck();
            leave_fiber(me.flow, main_);
        }
        current_lane = next;
        leave_fiber(me.flow, next->flow);
    }

    /// The lane to run when `me` cannot: the next one of its wave, or of the next wave that has one.
    lane_state* next_ready(lane_state& me)
    {
        const wave_state& own = *me.wave;
        if ((own.ready >> me.lane >> 1 & 1) != 0)
            return &me + 1; // nearly always; a guess the processor can follow before it knows the mask
        if (own.ready != 0)
            return lanes_of(own) + ((std::countr_zero(std::rotr(own.ready, me.lane + 1)) + me.lane + 1) & 63);
        const auto count = static_cast<int>(waves_.size());
        for (int i = 0; i < count; ++i) {
            wave_state& wave = waves_[static_cast<std::size_t>((own.index + i) % count)];
            if (wave.ready == 0 && wave.paused != 0) {
                flush(wave);
                wave.ready = std::exchange(wave.paused, 0);
            }
            if (wave.ready != 0)
                return lanes_of(wave) + std::countr_zero(wave.ready);
        }
        return nullptr;
    }

    /// The log of a wave has an end: a lane that reached it goes on when the others are there too, or wait.
    void let_others_catch_up(lane_state& me)
    {
        if (!access_log::full(me))
            return;
        me.wave->ready &= ~me.bit();
        me.wave->paused |= me.bit();
        suspend(me);
    }

    void flush(wave_state& wave) { checker_.flush(wave, lanes_of(wave), totals_); }

    void check_named_barrier(lane_state& last, int id, int threads)
    {
        const int wave_size = plan_->chip->wave_size;
        const std::string name = "named_barrier " + std::to_string(id);
        if (id < 1 || id >= barrier_count)
            record(last, name + " does not exist", "use 1 to " + std::to_string(barrier_count - 1));
        else if (threads <= 0 || threads % wave_size != 0 || threads > plan_->block_threads)
            record(last, name + " for " + std::to_string(threads) + " threads",
                   "give a whole number of waves of " + std::to_string(wave_size) + ", no more than the block has");
        else if (barriers_[id].arrived != 0 && barriers_[id].waves != threads / wave_size)
            record(last,
                   name + " is reached for " + std::to_string(threads) + " threads here and for " +
                       std::to_string(barriers_[id].waves * wave_size) + " by another wave",
                   "let all waves name the same count");
    }

    /// The wave comes to barrier `id`, 0 being the block's own: it hands over what it knows, and waits for the others.
    void meet(lane_state& last, int id, int threads)
    {
        if (failure_.happened)
            abandon();
        wave_state& wave = *last.wave;
        barrier_state& b = barriers_[id];
        b.waves = waves_of(threads);
        b.arrived |= std::uint64_t{1} << wave.index;
        b.clock.join(clock_of(last));
        leave(last);
        if (std::popcount(b.arrived) == b.waves) {
            open(b);
            return;
        }
        wave.ready = 0;
        wave.waits_at = wave.operation;
        wave.waits_id = id;
        suspend(last);
    }

    /// All waves are there: each now knows what any of them knew.
    void open(barrier_state& b)
    {
        for (std::size_t w = 0; w < waves_.size(); ++w) {
            if ((b.arrived >> w & 1) == 0)
                continue;
            clocks_[w].join(b.clock);
            ++clocks_[w].time[w];
            waves_[w].ready = waves_[w].all;
            waves_[w].waits_at = nullptr;
        }
        b = {};
        ++totals_.barriers;
    }

    void add(lane_state& me, const deferred_add& addition)
    {
        if (plan_->checks)
            judge(me, checker_.check_addition(me, addition.to));
        checker_.traffic().additions.push_back(addition);
    }

    // Ending a launch early

    void judge(lane_state& me, const fault* verdict)
    {
        if (verdict != nullptr) {
            record(me, verdict->what, verdict->remedy);
            abandon();
        }
        me.label.tensor = nullptr;
    }

    void record(const lane_state& me, const std::string& what, const std::string& remedy)
    {
        failure_ = {
            true, who(plan_->kernel_name, me), me.label.tensor != nullptr ? element(me.label) : "", {what, remedy}};
    }

    /// Leaves the running lane for good. Nothing on its stack is destroyed, so that callers keep no strings there.
    [[noreturn]] void abandon() { leave_fiber(current_lane->flow, main_); }

    /// Nobody can go on: says who waits for what.
    [[noreturn]] void stop_stuck()
    {
        record_stuck();
        abandon();
    }
    void record_stuck()
    {
        std::string text = "deadlock:";
        const lane_state* first = nullptr;
        for (const wave_state& wave : waves_) {
            text += (wave.index > 0 ? "; wave " : " wave ") + std::to_string(wave.index);
            if (wave.waits_at != nullptr) {
                text += std::string(" waits at ") + wave.waits_at;
                if (wave.waits_id > 0)
                    text += " for " + missing_waves(barriers_[wave.waits_id]);
                if (first == nullptr)
                    first = lanes_of(wave);
            } else {
                text += " returned from the kernel";
            }
        }
        record(*first, text, "let every wave reach the barrier the same number of times");
    }
    static std::string missing_waves(const barrier_state& b)
    {
        return std::to_string(b.waves - std::popcount(b.arrived)) + " more of " + std::to_string(b.waves) + " waves";
    }

    stack_pool stacks_;
    const launch_plan* plan_ = nullptr;
    block_state block_{};
    std::vector<wave_state> waves_;
    std::vector<vector_clock> clocks_;
    std::vector<lane_state> lanes_;
    std::vector<std::byte> shared_;
    barrier_state barriers_[barrier_count]{};
    memory_checker checker_;
    counters totals_{};
    failure failure_;
    fiber main_{};
};

} // namespace tegula::emulator::detail
