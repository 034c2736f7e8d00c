#pragma once

// The members of the engine that are about one lane: how it starts and ends, and what is recorded when it misuses.

#include <tegula/emulator/engine.hpp>

namespace tegula::emulator::detail {

inline void engine::begin_cluster(long number, cluster_line* line)
{
    cluster_.begin_cluster(number, *this);
    fences_.begin_cluster();
    spins_.begin_cluster(cluster_);
    order_.begin(plan_->order, static_cast<int>(cluster_.waves.size()));
    held_ = nullptr;
    buffer_base_ = nullptr;
    interrupted_.signal = 0;
    note_progress();
    for (uniform_log& of_wave : uniforms_)
        of_wave.clear();
    for (const wave_state& wave : cluster_.waves)
        for (int l = 0; l < wave.lanes; ++l) {
            lane_state& lane = lanes_of(wave)[l];
            lane.poison = poison_;
            const int stack = cluster_.number_of(lane);
            prepare<&engine::lane_main>(lane.flow, stacks_.stack(stack), stacks_.bytes(), stack);
        }
    for (block_barriers& of_block : barriers_)
        of_block.begin_block(cluster_);
    for (warpgroup_queues& queues : matrices_)
        queues.begin_block(cluster_.waves.size() / cluster_.blocks.size());
    if (runs_clusters())
        async_.begin_cluster(line);
}

inline void engine::lane_main()
{
    lane_state& me = *current_lane;
    engine& self = static_cast<engine&>(*me.run);
    fiber lane_before;
    enter_fiber(&me == self.first_ ? self.main_ : lane_before);
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

inline void engine::finish_lane(lane_state& me)
{
    wave_state& wave = *me.wave;
    note_progress();
    met_nan_ = met_nan_ || std::fetestexcept(FE_INVALID) != 0; // Boost.Context keeps the flags of each fiber apart
    if (runs_clusters())
        async_.finish_lane(me);
    wave.finished |= me.bit();
    wave.ready &= ~me.bit();
    if (wave.open()) {
        record(me,
               "the lane returned from the kernel while " + lane_list(gathered(wave)) + " of its wave wait in " +
                   wave.operation + " at " + line_text(wave.where) + ", which it skips",
               "let every lane of the wave reach it: mask the work, not the "
               "operation");
        abandon();
    }
    if (wave.finished == wave.all && plan_->checks) {
        flush(wave);
        compare_uniforms(wave);
        end_on_fault(me, matrices_of(me).finish(wave, &wave - wave.index));
    }
    if (wave.finished == wave.all && runs_clusters())
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

inline void engine::record(const lane_state& me, const fault& misuse)
{
    if (held_ != nullptr && misuse.kind == fault_kind::unset) {
        held_ = nullptr;
    } else if (held_ != nullptr) {
        // While others go on after a first misuse, only a race with its lane explains more.
        const bool with_it = misuse.kind == fault_kind::race && misuse.timeline == held_->wave->timeline &&
                             (misuse.lanes & held_->bit()) != 0;
        if (!with_it)
            return;
        held_ = nullptr;
    } else if (misuse.kind == fault_kind::unwritten || misuse.kind == fault_kind::out_of_bounds) {
        held_ = &me;
    }
    const std::string line = line_text(me.where);
    failure_ = {true, who(plan_->kernel_name, me), line.empty() ? "the lane had called no primitive" : line,
                me.label.tensor != nullptr ? element(me.label) : "", misuse};
}

inline void engine::look_at_store(const lane_state& me, const void* address, int bytes)
{
    if (held_ == nullptr || failure_.misuse.kind != fault_kind::unwritten)
        return;
    const auto* begin = static_cast<const std::byte*>(address);
    const fault& early = failure_.misuse;
    if (begin >= early.place + early.bytes || early.place >= begin + bytes)
        return;
    shadow_verdict later{shadow_clash::unwritten, 0, {}, me.bit(), cluster_.sites.number_of(me.where)};
    later.other.wave = static_cast<std::uint8_t>(me.wave->timeline);
    const clash_words words{&cluster_.names, &cluster_.sites};
    failure_.misuse.what += " yet: " + words.other(later) + " writes it later";
    failure_.misuse.remedy = words.barrier(*held_, later, "that write and this read");
    held_ = nullptr;
    abandon();
}

inline void engine::abandon()
{
    lane_state& me = *current_lane;
    if (held_ != nullptr) {
        me.wave->ready &= ~me.bit();
        if (lane_state* next = next_ready(me); next != nullptr) {
            current_lane = next;
            leave_fiber(me.flow, next->flow);
        }
    }
    leave_fiber(me.flow, main_);
}

inline void engine::stop_expired(lane_state& me)
{
    held_ = nullptr;
    if (!failure_.happened)
        record(me, repeats_ ? repeating_fault(plan_->patience) : expired_fault(plan_->patience));
    failure_.endless = true;
    abandon();
}

inline void engine::stop_spinning(lane_state& me, int holder)
{
    record(
        me,
        "the lane goes round until lane " + std::to_string(holder) +
            " of its own wave changes memory behind the loop; lanes of a wave run in step, and that one never gets "
            "there",
        "let one lane of the wave take the lock, or let the lanes meet in every round (any_lane), so that the one that "
        "holds it does its work in the loop");
    abandon();
}

inline void engine::record_interruption(const lane_state& me)
{
    const int signal = std::exchange(interrupted_.signal, 0);
    if (failure_.happened)
        return;
    record(me, is_tick(signal) ? expired_fault(plan_->patience) : stopped_fault(signal, interrupted_.address));
    failure_.endless = is_tick(signal);
}

inline void engine::stop_stuck()
{
    if (held_ == nullptr) {
        const lane_state* first = nullptr;
        const fault misuse = deadlock_fault(cluster_, async_, barriers_, first);
        record(*first, misuse);
    }
    held_ = nullptr;
    abandon();
}

} // namespace tegula::emulator::detail
