#pragma once

#include <tegula/emulator/async_engine.hpp>
#include <tegula/emulator/async_matrix_queue.hpp>
#include <tegula/emulator/fiber.hpp>

#include <bit>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace tegula::emulator::detail {

/// Runs one cluster at a time on the calling CPU thread, which is one block where there are no clusters: a fiber a
/// lane. Lanes of a wave run one after the other up to the point where they meet; then the wave goes on, and when it
/// waits for other waves, the next wave runs. The order depends on nothing but the kernel.
class engine final : public runtime
{
public:
    explicit engine(std::size_t stack_bytes) : stacks_(stack_bytes) {}

    std::size_t stack_bytes() const { return stacks_.bytes(); }
    const counters& totals() const { return cluster_.totals; }
    /// What block `rank` of the cluster did.
    block_traffic& traffic(int rank) { return cluster_.checkers[static_cast<std::size_t>(rank)].traffic(); }

    /// Before the first cluster of a launch.
    void begin_launch(const launch_plan& plan)
    {
        plan_ = &plan;
        cluster_.begin_launch(plan);
        barriers_.resize(cluster_.blocks.size());
        matrices_.resize(cluster_.blocks.size());
    }

    /// Runs cluster `number`, x fastest.
    failure run_cluster(long number)
    {
        begin_cluster(number);
        current_lane = cluster_.lanes.data();
        switch_fiber(main_, current_lane->flow);
        current_lane = nullptr;
        for (const wave_state& wave : cluster_.waves) {
            cluster_.totals.mma_instructions += wave.matrix_operations;
            cluster_.totals.shuffles += wave.shuffles;
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
                   "let every lane of the wave reach it: mask the work, not the "
                   "operation");
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
               "keep the source below the wave size, and the block a whole number "
               "of waves");
        abandon();
    }

    void wave_met(lane_state& last) override { flush(*last.wave); }

    void wave_barrier(lane_state& last) override
    {
        cluster_.tick(*last.wave);
        ++cluster_.totals.wave_barriers;
        leave(last);
    }

    void block_barrier(lane_state& last) override { meet(last, 0, plan_->block_threads); }
    void named_barrier(lane_state& last, int id, int threads) override
    {
        check_named_barrier(last, id, threads);
        meet(last, id, threads);
    }
    void named_barrier_arrive(lane_state& last, int id, int threads) override
    {
        check_named_barrier(last, id, threads);
        join(last, id, threads);
    }

    void check_access(lane_state& me, memory_access access, const void* address, int bytes, bool active) override
    {
        let_others_catch_up(me);
        const bool shared = access == memory_access::shared_load || access == memory_access::shared_store;
        if (shared && active && cluster_.blocks.size() > 1 && !me.block->holds(address)) {
            judge(me, async_.check_remote(me, access == memory_access::shared_store, address, bytes));
            return;
        }
        judge(me, cluster_.checker_of(me).check(me, cluster_.known_to(me), access, address, bytes, active));
    }

    void async_copy(lane_state& me, void* to, const void* from, int bytes, bool valid) override
    {
        let_others_catch_up(me);
        judge(me, cluster_.checker_of(me).start_copy(me, cluster_.known_to(me), to, from, bytes, valid));
    }
    void async_commit(lane_state& me) override { cluster_.checker_of(me).commit_copies(me); }
    void async_wait(lane_state& me, int groups_in_flight) override
    {
        judge(me, cluster_.checker_of(me).finish_copies(me, cluster_.known_to(me), groups_in_flight));
    }

    void fence_async_matrix(lane_state& last) override { matrices_of(last).of(*last.wave).fence(); }
    void begin_async_matrix(lane_state& last, async_matrix& operation) override
    {
        judge(last, matrices_of(last).of(*last.wave).begin(operation));
        judge(last, cluster_.checker_of(last).shared().begin_operands(last, cluster_.known_to(last), operation.chunks,
                                                                      operation.chunk_count));
    }
    void end_async_matrix(lane_state& last, const async_matrix& operation, const std::byte* results) override
    {
        warpgroup_queues& queues = matrices_of(last);
        queues.of(*last.wave).end(operation, results);
        judge(last, queues.check_warpgroup(*last.wave));
    }
    void commit_async_matrix(lane_state& last) override { matrices_of(last).commit(*last.wave); }
    void wait_async_matrix(lane_state& last, int groups_in_flight) override
    {
        warpgroup_queues& queues = matrices_of(last);
        async_matrix_queue& mine = queues.of(*last.wave);
        const int done = mine.committed() - groups_in_flight;
        judge(last, queues.check_present(*last.wave, done));
        while (queues.waits_for_warpgroup(last, done))
            suspend(last);
        if (!last.checks)
            return;
        shared_checker& shared = cluster_.checker_of(last).shared();
        knowledge& known = cluster_.known_to(last);
        queues.release_reads(*last.wave, done, shared_checker::stamp(last, known), known.happened,
                             [&](const auto& chunks) { shared.end_operands(last, known, chunks); });
        judge(last, mine.wait(groups_in_flight));
        cluster_.tick(*last.wave); // any lane may hand on what all of them have finished reading
    }

    void atomic_add(lane_state& me, float* to, float value) override
    {
        add(me, make_deferred_add(tensor_element::f32, to, &value));
    }
    void atomic_add(lane_state& me, int* to, int value) override
    {
        add(me, make_deferred_add(tensor_element::i32, to, &value));
    }

    [[noreturn]] void fail(lane_state& me, const char* what, const char* remedy) override
    {
        record(me, what, remedy);
        abandon();
    }

    void judge(lane_state& me, const fault* verdict) override
    {
        if (verdict != nullptr) {
            record(me, verdict->what, verdict->remedy);
            abandon();
        }
        me.label.tensor = nullptr;
    }
    async_runtime& async() override { return async_; }

private:
    static constexpr int barrier_count = 16;

    struct barrier_state
    {
        int waves = 0;
        std::uint64_t arrived = 0;
        std::uint64_t waiting = 0; ///< those of them that wait for the others
        knowledge known{};
    };
    struct block_barriers
    {
        barrier_state by_id[barrier_count]{}; ///< 0 is the block's own
    };

    lane_state* lanes_of(const wave_state& wave) { return cluster_.lanes_of(wave); }
    barrier_state& barrier_of(const block_state& block, int id)
    {
        return barriers_[static_cast<std::size_t>(block.rank)].by_id[id];
    }
    bool asynchronous() const { return cluster_.async_proxy; }
    warpgroup_queues& matrices_of(const lane_state& me) { return matrices_[static_cast<std::size_t>(me.block->rank)]; }

    /// Lanes that have reached the open operation.
    static std::uint64_t gathered(const wave_state& wave)
    {
        return wave.all & ~(wave.ready | wave.paused | wave.blocked | wave.finished);
    }

    void begin_cluster(long number)
    {
        cluster_.begin_cluster(number, *this);
        for (const wave_state& wave : cluster_.waves)
            for (int l = 0; l < wave.lanes; ++l) {
                lane_state& lane = lanes_of(wave)[l];
                const int stack = cluster_.number_of(lane);
                prepare<&engine::lane_main>(lane.flow, stacks_.stack(stack), stacks_.bytes(), stack);
            }
        for (block_barriers& of_block : barriers_)
            for (barrier_state& b : of_block.by_id)
                clear(b);
        for (warpgroup_queues& queues : matrices_)
            queues.begin_block(cluster_.waves.size() / cluster_.blocks.size());
        if (asynchronous())
            async_.begin_cluster();
    }
    void clear(barrier_state& b)
    {
        b.waves = 0;
        b.arrived = b.waiting = 0;
        b.known.reset(cluster_.timelines, asynchronous());
    }

    static void lane_main()
    {
        lane_state& me = *current_lane;
        engine& self = static_cast<engine&>(*me.run);
        fiber lane_before;
        enter_fiber(&me == self.cluster_.lanes.data() ? self.main_ : lane_before);
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
        if (asynchronous())
            async_.finish_lane(me);
        wave.finished |= me.bit();
        wave.ready &= ~me.bit();
        if (wave.open()) {
            record(me,
                   "the lane returned from the kernel while " + lane_list(gathered(wave)) + " of its wave wait in " +
                       wave.operation + ", which it skips",
                   "let every lane of the wave reach it: mask the work, not the "
                   "operation");
            abandon();
        }
        if (wave.finished == wave.all && plan_->checks) {
            flush(wave);
            judge(me, matrices_of(me).finish(wave, &wave - wave.index));
        }
        if (wave.finished == wave.all && asynchronous())
            async_.finish_wave(me);
        lane_state* next = next_ready(me);
        if (next == nullptr) {
            for (const wave_state& other : cluster_.waves)
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
        const auto count = static_cast<int>(cluster_.waves.size());
        for (int i = 0; i < count; ++i) {
            wave_state& wave = cluster_.waves[static_cast<std::size_t>((own.timeline + i) % count)];
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

    void flush(wave_state& wave)
    {
        lane_state* lanes = lanes_of(wave);
        cluster_.checker_of(*lanes).flush(wave, lanes, cluster_.totals);
    }

    void check_named_barrier(lane_state& last, int id, int threads)
    {
        record_named_barrier(last, id, threads);
        if (failure_.happened)
            abandon();
    }
    void record_named_barrier(lane_state& last, int id, int threads)
    {
        const int wave_size = plan_->chip->wave_size;
        const std::string name = "named_barrier " + std::to_string(id);
        if (id < 1 || id >= barrier_count)
            record(last, name + " does not exist", "use 1 to " + std::to_string(barrier_count - 1));
        else if (threads <= 0 || threads % wave_size != 0 || threads > plan_->block_threads)
            record(last, name + " for " + std::to_string(threads) + " threads",
                   "give a whole number of waves of " + std::to_string(wave_size) + ", no more than the block has");
        else if (const barrier_state& b = barrier_of(*last.block, id); b.arrived != 0 && b.waves != threads / wave_size)
            record(last,
                   name + " is reached for " + std::to_string(threads) + " threads here and for " +
                       std::to_string(b.waves * wave_size) + " by another wave",
                   "let all waves name the same count");
        else if ((barrier_of(*last.block, id).arrived >> last.wave->index & 1) != 0)
            record(last, name + " is reached again by a wave that it has counted already",
                   "let the wave wait, at this or another barrier, until it has opened");
    }

    /// The wave comes to barrier `id`, 0 being the block's own, hands over what it knows, and waits for the others.
    void meet(lane_state& last, int id, int threads)
    {
        wave_state& wave = *last.wave;
        barrier_of(*last.block, id).waiting |= std::uint64_t{1} << wave.index;
        if (join(last, id, threads))
            return;
        wave.ready = 0;
        wave.waits_at = wave.operation;
        wave.waits_id = id;
        suspend(last);
    }

    /// The wave is counted; true when it was the last.
    bool join(lane_state& last, int id, int threads)
    {
        wave_state& wave = *last.wave;
        barrier_state& b = barrier_of(*last.block, id);
        b.waves = plan_->waves_of(threads);
        b.arrived |= std::uint64_t{1} << wave.index;
        cluster_.settle(wave);
        b.known.join(cluster_.known_to(last));
        cluster_.tick(wave);
        leave(last);
        if (std::popcount(b.arrived) < b.waves)
            return false;
        open(b, wave.timeline - wave.index);
        return true;
    }

    /// All waves are there: those that wait now know what any of them knew. `first`: timeline of the block's wave 0.
    void open(barrier_state& b, int first)
    {
        for (int w = 0; w < max_waves; ++w) {
            if ((b.waiting >> w & 1) == 0)
                continue;
            const auto timeline = static_cast<std::size_t>(first + w);
            cluster_.known[timeline].join(b.known);
            cluster_.waves[timeline].ready = cluster_.waves[timeline].all;
            cluster_.waves[timeline].waits_at = nullptr;
        }
        clear(b);
        ++cluster_.totals.barriers;
    }

    void add(lane_state& me, const deferred_add& addition)
    {
        if (plan_->checks)
            judge(me, cluster_.checker_of(me).check_addition(me, addition.to));
        cluster_.checker_of(me).traffic().additions.push_back(addition);
    }

    // Ending a launch early

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
        std::string remedy = "let every wave reach the barrier the same number of times";
        const lane_state* first = nullptr;
        for (const wave_state& wave : cluster_.waves) {
            const lane_state& lane = *lanes_of(wave);
            text += (wave.timeline > 0 ? "; " : " ") + cluster_.names.of(wave.timeline);
            const std::string blocked = asynchronous() ? async_.describe_waits(wave) : "";
            if (first == nullptr && wave.finished != wave.all)
                first = &lane;
            if (wave.waits_at != nullptr) {
                text += std::string(" waits at ") + wave.waits_at;
                if (wave.waits_id > 0)
                    text += " for " + missing_waves(barrier_of(*lane.block, wave.waits_id));
                if (const std::string lacking = async_.describe_registers(wave); !lacking.empty()) {
                    text += " for " + lacking;
                    remedy = "let other warpgroups decrease theirs first, and ask for no more than the block has";
                }
            } else if (!blocked.empty()) {
                text += " waits, " + blocked;
                remedy = "let the arrivals and bytes come that an mbarrier counts, and wait with the phase's parity";
                if (wave.open())
                    text += ", the others in " + std::string(wave.operation);
            } else {
                text += " returned from the kernel";
            }
        }
        record(*first, text, remedy);
    }
    static std::string missing_waves(const barrier_state& b)
    {
        return std::to_string(b.waves - std::popcount(b.arrived)) + " more of " + std::to_string(b.waves) + " waves";
    }

    stack_pool stacks_;
    const launch_plan* plan_ = nullptr;
    cluster_state cluster_;
    async_engine async_{cluster_, *this};
    std::vector<block_barriers> barriers_;   // by block
    std::vector<warpgroup_queues> matrices_; // by block
    failure failure_;
    fiber main_{};
};

} // namespace tegula::emulator::detail
