#pragma once

// The members of the engine that are about a whole wave: what its lanes do together, barriers, asynchronous products.

#include <tegula/emulator/engine.hpp>

namespace tegula::emulator::detail {

inline void engine::open_operation(lane_state& me, const char* name, operation_kind kind)
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
               std::string(name) + " in a wave of " + std::to_string(wave.lanes) + " lanes; the instruction takes " +
                   std::to_string(plan_->chip->wave_size),
               "make the block a whole number of waves");
        abandon();
    }
    wave.operation = name;
    wave.kind = kind;
    wave.where = me.where;
    note_event(me);
}

inline void engine::join_operation(lane_state& me, const char* name, operation_kind kind)
{
    const wave_state& wave = *me.wave;
    const bool same = wave.kind == kind && std::strcmp(wave.operation, name) == 0;
    const bool same_line = wave.where.line == me.where.line && std::strcmp(wave.where.file, me.where.file) == 0;
    if (same && same_line && wave.where.column == me.where.column)
        return;
    record(me,
           std::string(name) + " is reached while " + lane_list(gathered(wave)) + " of the wave wait in " +
               (same ? "another one" : wave.operation) + " at " + line_text(wave.where) +
               (same_line ? ", column " + std::to_string(wave.where.column) : "") +
               ": each is skipped by part of the wave",
           "let every lane of a wave reach the same operations in the same order: the same line, not one in each "
           "branch");
    abandon();
}

inline void engine::shuffle_source_missing(lane_state& me, int source)
{
    record(me,
           "shuffle reads lane " + std::to_string(source) + ", which the wave of " + std::to_string(me.wave->lanes) +
               " lanes does not have",
           "keep the source below the wave size, and the block a whole number "
           "of waves");
    abandon();
}

inline void engine::compare_uniforms(const wave_state& wave)
{
    lane_state* lanes = lanes_of(wave);
    const uniform_log::odd_one odd =
        uniforms_[static_cast<std::size_t>(wave.timeline)].flush(lanes, wave.lanes, wave.all);
    if (odd.lane < 0)
        return;
    lane_state& lane = lanes[odd.lane];
    lane.where = odd.where;
    lane.label.tensor = nullptr;
    if (odd.alone != 0) {
        record(lane,
               std::string(odd.what) + " is reached by " + lane_list(odd.alone) +
                   " of the wave alone; the instruction is " +
                   (odd.what == start_of_tile ? "the wave's, whichever of its lanes are masked off"
                                              : "one that every lane must take part in"),
               "let every lane of the wave reach it: choose by wave, not by lane");
        abandon();
    }
    const std::string other = "lane " + std::to_string(odd.other);
    record(lane,
           odd.what == uniform_log::buffer ? std::string(odd.what) + " varies: it is another one in " + other
                                           : std::string(odd.what) + " varies: " + std::to_string(odd.value) +
                                                 " here, " + std::to_string(odd.other_value) + " in " + other,
           "compute it from what is the same in all lanes of the wave");
    abandon();
}

inline void engine::meet(lane_state& last, int id, int threads, block_barriers::coming how)
{
    wave_state& wave = *last.wave;
    if (join(last, id, threads, how))
        return;
    wave.ready = 0;
    wave.waits_at = wave.operation;
    wave.waits_id = id;
    suspend(last);
}

inline bool engine::join(lane_state& last, int id, int threads, block_barriers::coming how)
{
    wave_state& wave = *last.wave;
    block_barriers& barriers = barriers_of(*last.block);
    if (how == block_barriers::coming::shares)
        note_atomics(wave, &barriers, true); // it carries what earlier fences released
    const bool opens = barriers.join(cluster_, wave, id, threads, how);
    release_wave(last);
    if (opens) {
        const wave_state* const first = &wave - wave.index;
        barriers.open(cluster_, id, first->timeline);
        for (int w = 0; w < plan_->waves_of(plan_->block_threads) && how == block_barriers::coming::shares; ++w)
            note_atomics(first[w], &barriers, false);
    }
    return opens;
}

inline void engine::begin_async_matrix(lane_state& last, async_matrix& operation)
{
    end_on_fault(last, matrices_of(last).of(*last.wave).begin(operation));
    end_on_fault(last, cluster_.checker_of(last).shared().begin_operands(last, cluster_.observer_at_line(last),
                                                                         operation.chunks, operation.chunk_count));
}

inline void engine::end_async_matrix(lane_state& last, const async_matrix& operation, const std::byte* results)
{
    warpgroup_queues& queues = matrices_of(last);
    queues.of(*last.wave).end(operation, results);
    if (operation.integers)
        last.wave->unset |= integers_in_flight;
    end_on_fault(last, queues.check_warpgroup(*last.wave));
}

inline void engine::wait_async_matrix(lane_state& last, int groups_in_flight)
{
    warpgroup_queues& queues = matrices_of(last);
    async_matrix_queue& mine = queues.of(*last.wave);
    const int done = mine.committed() - groups_in_flight;
    end_on_fault(last, queues.check_present(*last.wave, done));
    while (queues.waits_for_warpgroup(last, done))
        suspend(last);
    if (!last.checks)
        return;
    shared_checker& shared = cluster_.checker_of(last).shared();
    const observer now = cluster_.observer_at_line(last);
    queues.release_reads(*last.wave, done, now.stamp, cluster_.known_to(last).happened,
                         [&](const auto& chunks) { shared.end_operands(now, chunks); });
    end_on_fault(last, mine.wait(groups_in_flight));
    cluster_.tick(*last.wave); // any lane may release what all have finished reading
}

} // namespace tegula::emulator::detail
