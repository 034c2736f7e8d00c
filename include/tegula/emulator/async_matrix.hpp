#pragma once

#include <tegula/emulator/state.hpp>

#include <cstring>

/// Asynchronous matrix instructions of four warps (wgmma), as functions of the lane that calls them; all lanes of its
/// wave call them together. The results are there after the wait. Until then, with checks on, the registers of the
/// accumulators hold poison_words::in_flight, which is NaN in all their floating-point types. The emulator reports
/// where a lane stores or shares this value, and any write to these registers.

namespace tegula::emulator {

/// One such instruction as one of its waves sees it. Lanes are those of the wave.
struct async_matrix
{
    static constexpr int lanes = 32;

    const char* name = "";
    void* accumulators[lanes]{};  ///< a lane's registers
    const void* current[lanes]{}; ///< what they hold once everything in flight has arrived
    int accumulator_bytes = 0;    ///< bytes per lane
    bool integers = false;        ///< accumulators are 32-bit integers, not floats
    const void* inputs[lanes]{};  ///< each lane's operand A, if it is in registers
    int input_bytes = 0;
    const std::uint32_t* chunks = nullptr; ///< the 16-byte chunks of shared memory that the wave reads, as byte offsets
    int chunk_count = 0;
    std::uint64_t fingerprint = 0; ///< what the four waves must agree in
};

namespace detail {

/// Runs `body` once for the wave when all its lanes are there.
template <class Body>
[[gnu::always_inline]] inline void with_whole_wave(const char* name, const call_site& where, Body&& body)
{
    lane_state& me = *current_lane;
    if (!gather(me, name, operation_kind::matrix, where))
        return;
    body(me);
    release_wave(me);
}

} // namespace detail

/// Issues an instruction. Every lane calls this with its own arguments. `describe(Args* const*, async_matrix&)` fills
/// in the description. `compute(Args* const*, const async_matrix&, std::byte* results)` computes the accumulators, lane
/// after lane, from `current`. ResultBytes: their bytes in all lanes.
///
/// Counted once for its four waves.
template <int ResultBytes, class Args, class Describe, class Compute>
[[gnu::always_inline]] inline void issue_async_matrix(const char* name, Args& mine, Describe&& describe,
                                                      Compute&& compute, call_site where = call_site::here())
{
    detail::lane_state& lane = *detail::current_lane;
    lane.wave->arguments[lane.lane] = &mine;
    detail::with_whole_wave(name, where, [&](detail::lane_state& last) {
        Args* arguments[async_matrix::lanes];
        for (int i = 0; i < async_matrix::lanes; ++i)
            arguments[i] = static_cast<Args*>(last.wave->arguments[i]);
        async_matrix operation;
        operation.name = name;
        describe(static_cast<Args* const*>(arguments), operation);
        std::memcpy(operation.current, operation.accumulators, sizeof(operation.current));
        if (last.checks)
            last.run->begin_async_matrix(last, operation);
        alignas(16) std::byte results[ResultBytes];
        compute(static_cast<Args* const*>(arguments), static_cast<const async_matrix&>(operation), results);
        if (last.checks)
            last.run->end_async_matrix(last, operation, results);
        else
            for (int i = 0; i < async_matrix::lanes; ++i)
                std::memcpy(operation.accumulators[i], results + i * operation.accumulator_bytes,
                            static_cast<unsigned>(operation.accumulator_bytes));
        if (last.wave->index % 4 == 0)
            ++last.wave->matrix_operations;
    });
}

/// Registers that were written before it may be operands after it.
inline void fence_async_matrix(call_site where = call_site::here())
{
    detail::with_whole_wave("wgmma.fence", where, [](detail::lane_state& last) {
        if (last.checks)
            last.run->fence_async_matrix(last);
    });
}

/// Adds registers of the lane to those that the next fence covers; they must not change from the fence on.
inline void note_fenced(const void* registers, int bytes)
{
    detail::lane_state& me = *detail::current_lane;
    if (me.checks)
        me.run->note_fenced(me, registers, bytes);
}

/// Closes a group: the instructions of this wave since the last commit.
inline void commit_async_matrix(call_site where = call_site::here())
{
    detail::with_whole_wave("wgmma.commit_group", where,
                            [](detail::lane_state& last) { last.run->commit_async_matrix(last); });
}

/// Returns when at most `groups` of this wave's newest groups are in flight.
inline void wait_async_matrix(int groups, call_site where = call_site::here())
{
    detail::with_whole_wave("wgmma.wait_group", where,
                            [groups](detail::lane_state& last) { last.run->wait_async_matrix(last, groups); });
}

} // namespace tegula::emulator

/// Names that other folders use.
namespace tegula::emulator::internal {
using tegula::emulator::detail::with_whole_wave;
} // namespace tegula::emulator::internal
