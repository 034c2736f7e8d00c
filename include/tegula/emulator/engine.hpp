#pragma once

#include <tegula/emulator/async_engine.hpp>
#include <tegula/emulator/async_matrix_queue.hpp>
#include <tegula/emulator/block_barriers.hpp>
#include <tegula/emulator/event_log.hpp>
#include <tegula/emulator/interruption.hpp>
#include <tegula/emulator/spin_watch.hpp>
#include <tegula/emulator/stuck_text.hpp>
#include <tegula/emulator/thread_fences.hpp>
#include <tegula/emulator/turns.hpp>
#include <tegula/emulator/uniform_log.hpp>
#include <tegula/emulator/value_log.hpp>

#include <bit>
#include <cfenv>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace tegula::emulator::detail {

/// Runs one cluster at a time (one block if there are no clusters) on the calling CPU thread. Each lane is a fiber.
/// Lanes of a wave run one after the other up to the point where they meet. Then the wave goes on; when it waits for
/// other waves, the next wave runs. The order depends only on the kernel and run_config::order.
///
/// A misuse ends the launch. One that a race, or merely the order, may have caused is kept while the other lanes go on:
/// what they do then may explain it.
class engine final : public runtime
{
public:
    explicit engine(std::size_t stack_bytes) : stacks_(stack_bytes) {}

    std::size_t stack_bytes() const { return stacks_.bytes(); }
    const counters& totals() const { return cluster_.totals; }
    /// The accesses of block `rank` of the cluster.
    block_traffic& traffic(int rank) { return cluster_.checkers[static_cast<std::size_t>(rank)].traffic(); }
    std::vector<deferred_add>& additions() { return cluster_.global.additions(); }
    write_undo& undo() { return cluster_.global.undo(); }
    interruption& interrupted() { return interrupted_; }
    /// Makes the access a fault: see global_checker.
    void look_out_for(const global_checker::watch& w)
    {
        cluster_.global.look_out_for(w);
        looks_out_ = true;
    }

    /// Before the first cluster of a launch.
    void begin_launch(const launch_plan& plan, cluster_turns* turns = nullptr)
    {
        plan_ = &plan;
        turns_ = turns;
        cluster_.begin_launch(plan);
        barriers_.resize(cluster_.blocks.size());
        matrices_.resize(cluster_.blocks.size());
        uniforms_.resize(cluster_.waves.size());
        interrupted_.back = &main_;
        looks_out_ = false;
    }

    /// Runs cluster `number`, x fastest, which may take over those of `line`, if there is one. When in doubt about its
    /// registers, this runs it again with other poison.
    failure run_cluster(long number, long turn, cluster_line* line);

    failure run_once(long number, long turn, cluster_line* line)
    {
        turn_ = turn;
        has_turn_ = false;
        met_nan_ = false;
        std::feclearexcept(FE_INVALID);
        begin_cluster(number, line);
        first_ = order_.in_turn() ? cluster_.lanes.data() : next_ready(cluster_.lanes.front());
        current_lane = first_;
        switch_fiber(main_, current_lane->flow);
        if (interrupted_.signal != 0)
            record_interruption(*current_lane);
        current_lane = nullptr;
        for (wave_state& wave : cluster_.waves) {
            if (failure_.happened && plan_->checks)
                flush(wave); // what its blocks touched may clash with others
            cluster_.totals.mma_instructions += wave.matrix_operations;
            cluster_.totals.shuffles += wave.shuffles;
        }
        failed_ = failure_.happened;
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

    void open_operation(lane_state& me, const char* name, operation_kind kind) override;
    void join_operation(lane_state& me, const char* name, operation_kind kind) override;
    void shuffle_source_missing(lane_state& me, int source) override;

    void wave_met(lane_state& last) override
    {
        flush(*last.wave);
        compare_uniforms(*last.wave);
    }

    void wave_barrier(lane_state& last) override
    {
        ++cluster_.totals.wave_barriers;
        order_lanes(last);
    }
    void order_lanes(lane_state& last) override
    {
        cluster_.meet(*last.wave);
        cluster_.tick(*last.wave);
        release_wave(last);
    }

    void block_barrier(lane_state& last, bool shared_only) override
    {
        meet(last, 0, plan_->block_threads,
             shared_only ? block_barriers::coming::shares : block_barriers::coming::meets);
    }
    void named_barrier(lane_state& last, int id, int threads) override
    {
        end_on_fault(last, barriers_of(*last.block).check(cluster_, last, id, threads));
        meet(last, id, threads, block_barriers::coming::meets);
    }
    void named_barrier_arrive(lane_state& last, int id, int threads) override
    {
        end_on_fault(last, barriers_of(*last.block).check(cluster_, last, id, threads));
        join(last, id, threads, block_barriers::coming::only_arrives);
    }

    void check_access(lane_state& me, memory_access access, const void* address, int bytes, bool active,
                      const void* value) override
    {
        const bool shared = access == memory_access::shared_load || access == memory_access::shared_store;
        if (!me.checks) { // only so that a block sees its own additions
            if (!shared && active)
                cluster_.global.settle_additions(address, static_cast<std::size_t>(bytes));
            return;
        }
        let_others_catch_up(me);
        note_touch(me, address);
        if (value != nullptr && active) {
            check_value(me, value, bytes, shared ? "shared store" : "global store");
            look_at_store(me, address, bytes);
        }
        if (shared && active && cluster_.blocks.size() > 1 && !me.block->holds(address)) {
            end_on_fault(me, async_.check_remote(me, access == memory_access::shared_store, address, bytes));
            return;
        }
        observer seen = cluster_.observer_of(me);
        pass(me, cluster_.checker_of(me).check(me, seen, access, address, bytes, active));
    }

    void check_value(lane_state& me, const void* value, int bytes, const char* action) override;
    void note_hidden_nan() override { doubtful_ = true; }

    void async_copy(lane_state& me, void* to, const void* from, int bytes, bool valid, copy_queue queue) override
    {
        note_touch(me, from);
        let_others_catch_up(me);
        look_at_store(me, to, bytes);
        observer seen = cluster_.observer_of(me);
        end_on_fault(me, cluster_.checker_of(me).start_copy(me, seen, to, from, bytes, valid, queue, cluster_.totals));
    }
    void skip_async_copy(lane_state& me, int bytes) override
    {
        let_others_catch_up(me);
        cluster_.checker_of(me).skip_copy(me, bytes);
    }
    void async_commit(lane_state& me, copy_queue queue) override { cluster_.checker_of(me).commit_copies(me, queue); }
    void async_wait(lane_state& me, int groups_in_flight, copy_queue queue) override
    {
        observer seen = cluster_.observer_of(me);
        cluster_.checker_of(me).finish_copies(me, seen, groups_in_flight, queue);
    }

    void async_wait_newest(lane_state& me, int instructions) override
    {
        if (instructions > 0) { // only the whole wave knows how many there are
            me.wave->ready &= ~me.bit();
            me.wave->paused |= me.bit();
            suspend(me);
        }
        observer seen = cluster_.observer_of(me);
        cluster_.checker_of(me).finish_older_copies(me, seen, instructions);
    }

    void uniform(lane_state& me, std::int64_t value, const char* what) override
    {
        const bool whole = what == start_of_tile || plan_->chip->vendor == vendor::nvidia;
        uniforms_[static_cast<std::size_t>(me.wave->timeline)].note(me, value, what, whole);
        end_on_fault(me, nullptr);
    }
    void check_buffer(lane_state& me, const void* base, std::uint32_t bytes) override
    {
        // Both at once: addresses end below bit 48.
        const auto both = reinterpret_cast<std::uintptr_t>(base) ^ std::rotl(std::uint64_t{bytes}, 40);
        uniforms_[static_cast<std::size_t>(me.wave->timeline)].note(me, static_cast<std::int64_t>(both),
                                                                    uniform_log::buffer, false);
        if (bytes == 0 || (base == buffer_base_ && bytes <= buffer_bytes_))
            return;
        global_place place;
        end_on_fault(me,
                     cluster_.global.locate(traffic_kind::read, base, bytes, "buffer",
                                            "let the buffer begin and end in memory that the launch was given", place));
        buffer_base_ = base;
        buffer_bytes_ = bytes;
    }

    void note_progress() override
    {
        interrupted_.progress = interrupted_.progress + 1;
        repeats_ = false;
        polls_ = 0;
    }
    void note_event(lane_state& me) override
    {
        if (!plan_->checks) // what lanes touch is not seen
            return note_progress();
        wave_state& wave = *me.wave;
        const std::uint64_t who =
            static_cast<std::uint64_t>(turn_) << 40 ^ static_cast<std::uint64_t>(wave.timeline) << 32 ^
            static_cast<std::uint64_t>(me.where.line) ^ reinterpret_cast<std::uintptr_t>(me.where.file) << 8;
        if (events_.note(event_log::hash(std::exchange(wave.trail, 0) * 0x9e3779b97f4a7c15 + who)))
            note_progress();
        else if (repeats_ = true; interrupted_.expired)
            stop_expired(me);
    }
    void yield(lane_state& me) override
    {
        if (++polls_ > most_polls)
            stop_stuck();
        let_others_run(me);
    }

    void note_fenced(lane_state& me, const void* registers, int bytes) override
    {
        matrices_of(me).of(*me.wave).note_fenced(me.lane, registers, bytes);
    }
    void fence_async_matrix(lane_state& last) override { matrices_of(last).of(*last.wave).fence(); }
    void begin_async_matrix(lane_state& last, async_matrix& operation) override;
    void end_async_matrix(lane_state& last, const async_matrix& operation, const std::byte* results) override;
    void commit_async_matrix(lane_state& last) override { matrices_of(last).commit(*last.wave); }
    void wait_async_matrix(lane_state& last, int groups_in_flight) override;

    void atomic_add(lane_state& me, float* to, float value) override
    {
        if (me.checks)
            check_value(me, &value, 4, "atomic_add");
        add(me, make_deferred_add(tensor_element::f32, to, &value));
    }
    void atomic_add(lane_state& me, int* to, int value) override
    {
        if (me.checks)
            check_value(me, &value, 4, "atomic_add");
        add(me, make_deferred_add(tensor_element::i32, to, &value));
    }
    bool check_shared_atomic(lane_state& me, const void* address, int bytes, bool exchange) override;

    bool begin_global_atomic(lane_state& me, const void* address, int bytes, bool exchange) override;
    void end_atomic(lane_state& me, const void* address, bool wrote, bool looks) override;
    void note_atomics(const wave_state& wave, const void* address, bool wrote) override
    {
        for (int l = 0; l < wave.lanes && fences_.used(); ++l)
            fences_.note_atomic(lanes_of(wave)[l], address, wrote);
    }
    void note_atomic(lane_state& me, const void* address, bool wrote) override
    {
        if (me.checks)
            fences_.note_atomic(me, address, wrote);
    }
    void thread_fence(lane_state& me, thread_scope scope) override
    {
        fences_.fence(me, scope);
        end_on_fault(me, nullptr);
    }

    /// Publishes the cluster's accesses for later clusters, if it ended well. True if the order of its accesses is
    /// checked in this way, so that the end of the launch does not compare them.
    bool publish(long cluster);

    [[noreturn]] void fail(lane_state& me, const char* what, const char* remedy) override
    {
        record(me, what, remedy);
        abandon();
    }

    void end_on_fault(lane_state& me, const fault* verdict) override { pass(me, verdict); }
    [[gnu::always_inline]] void pass(lane_state& me, const fault* verdict)
    {
        if (verdict != nullptr) {
            record(me, *verdict);
            abandon();
        }
        me.label.tensor = nullptr;
        if (interrupted_.expired)
            stop_expired(me);
    }
    async_runtime& async() override { return async_; }

private:
    static constexpr long most_polls = 20000; ///< without anything else happening

    lane_state* lanes_of(const wave_state& wave) { return cluster_.lanes_of(wave); }
    block_barriers& barriers_of(const block_state& block) { return barriers_[static_cast<std::size_t>(block.rank)]; }
    bool asynchronous() const { return cluster_.async_proxy; }
    bool runs_clusters() const { return plan_->chip->runs_clusters(); }
    bool loads_tensors() const { return plan_->chip->tensor_columns > 0; }
    warpgroup_queues& matrices_of(const lane_state& me) { return matrices_[static_cast<std::size_t>(me.block->rank)]; }

    /// Lanes that have reached the open operation.
    static std::uint64_t gathered(const wave_state& wave)
    {
        return wave.all & ~(wave.ready | wave.paused | wave.stepping | wave.blocked | wave.polling | wave.finished);
    }

    /// Whether the value may come from an unwritten register.
    static bool may_be_unset(const lane_state& me, const void* value, int bytes);
    static bool looks_unset(const lane_state& me, const void* value, int bytes);
    void blame_value(lane_state& me, int bytes, const char* action);
    void begin_cluster(long number, cluster_line* line);
    static void lane_main();
    static constexpr const char* no_exceptions = "kernels cannot throw on a GPU: report errors before the launch";

    [[noreturn]] void finish_lane(lane_state& me);

    /// The lane to run when `me` cannot: the next one of its wave, or of the next wave that has one. Lanes that poll
    /// run only when there is no other.
    [[gnu::always_inline]] lane_state* next_ready(lane_state& me)
    {
        if (order_.in_turn() && (me.wave->ready >> me.lane >> 1 & 1) != 0)
            return &me + 1; // nearly always; a guess the processor can follow before it knows the mask
        const auto flush_wave = [this](wave_state& wave) { flush(wave); };
        return order_.in_turn() ? next_ready_in_turn(cluster_, me, flush_wave)
                                : next_ready_out_of_turn(cluster_, order_, flush_wave);
    }
    /// The log of a wave has an end: a lane that reached it goes on when the others have reached it, too, or wait.
    void let_others_catch_up(lane_state& me)
    {
        if (!access_log::full(me))
            return;
        me.wave->ready &= ~me.bit();
        me.wave->paused |= me.bit();
        suspend(me);
    }

    void flush(wave_state& wave)
    {
        lane_state* lanes = lanes_of(wave);
        cluster_.checker_of(*lanes).flush(wave, lanes, cluster_.totals);
    }

    void compare_uniforms(const wave_state& wave);

    /// The wave arrives at barrier `id` (0: the block's own), releases what it knows, and waits for the others.
    void meet(lane_state& last, int id, int threads, block_barriers::coming how);

    /// Counts the wave; true if it was the last.
    bool join(lane_state& last, int id, int threads, block_barriers::coming how);

    void add(lane_state& me, const deferred_add& addition);

    void let_others_run(lane_state& me)
    {
        if (interrupted_.expired)
            stop_expired(me);
        me.wave->ready &= ~me.bit();
        me.wave->polling |= me.bit();
        suspend(me);
    }
    static void note_touch(lane_state& me, const void* address)
    {
        ++me.touches;
        me.wave->trail += reinterpret_cast<std::uintptr_t>(address);
    }
    /// Waits until all clusters before this one have ended.
    void take_turn(lane_state& me);
    /// Lets the other lanes of the wave take the same step.
    void let_wave_catch_up(lane_state& me)
    {
        me.wave->ready &= ~me.bit();
        me.wave->stepping |= me.bit();
        suspend(me);
    }
    /// An atomic operation of the lane changed nothing. The lane lets others run if it did nothing else since its last
    /// one, or if it `looks`.
    void look_again(lane_state& me, const void* address, bool looks);

    // Ending a launch early

    void record(const lane_state& me, const std::string& what, const std::string& remedy)
    {
        record(me, fault{what, remedy});
    }
    void record(const lane_state& me, const fault& misuse);
    /// A store to bytes for whose early read a lane was stopped shows what is missing.
    void look_at_store(const lane_state& me, const void* address, int bytes);

    /// Leaves the running lane for good: the launch ends, or others go on first. Nothing on its stack is destroyed, so
    /// that callers keep no strings there.
    [[noreturn]] void abandon();

    // A lane that the clock or the processor ends

    [[noreturn]] void stop_expired(lane_state& me);
    /// The lane waits for what lane `holder` of its wave does after the same loop.
    [[noreturn]] void stop_spinning(lane_state& me, int holder);
    void record_interruption(const lane_state& me);

    /// No lane can go on: reports which lanes wait for what.
    [[noreturn]] void stop_stuck();
    stack_pool stacks_;
    const launch_plan* plan_ = nullptr;
    cluster_turns* turns_ = nullptr;
    long turn_ = 0; // of the cluster that runs
    bool has_turn_ = false;
    bool failed_ = false; // the one that ran last
    cluster_state cluster_;
    async_engine async_{cluster_, *this};
    thread_fences fences_{cluster_};
    std::vector<block_barriers> barriers_;   // by block
    std::vector<warpgroup_queues> matrices_; // by block
    std::vector<uniform_log> uniforms_;      // by wave
    run_order order_;
    lane_state* first_ = nullptr; // the first to run
    failure failure_;
    const lane_state* held_ = nullptr; // the lane whose misuse is kept while others go on
    interruption interrupted_;
    event_log events_;
    bool repeats_ = false; // waves meet, and do what they did before
    spin_watch spins_;
    value_log values_;
    const poison_words* poison_ = &poison::first;
    bool doubtful_ = false;  // a value of the cluster may be poison
    bool met_nan_ = false;   // the processor flagged a comparison with a NaN, or a conversion of one
    bool looks_out_ = false; // for one access alone
    long polls_ = 0;
    const void* buffer_base_ = nullptr; // the last one that passed the check
    std::uint32_t buffer_bytes_ = 0;
    fiber main_{};
};

} // namespace tegula::emulator::detail

#include <tegula/emulator/engine_atomics.hpp>
#include <tegula/emulator/engine_doubts.hpp>
#include <tegula/emulator/engine_lanes.hpp>
#include <tegula/emulator/engine_waves.hpp>
