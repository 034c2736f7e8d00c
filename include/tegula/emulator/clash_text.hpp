#pragma once

#include <tegula/emulator/call_sites.hpp>
#include <tegula/emulator/memory_shadow.hpp>
#include <tegula/emulator/report.hpp>

#include <string>

namespace tegula::emulator::detail {

/// The words of reports for clashing accesses: names of waves, lines of the program.
struct clash_words
{
    const wave_names* names = nullptr;
    const call_sites* sites = nullptr;
    int tensor_timelines = 0; ///< number of the last timelines, those of tensor core instructions

    static constexpr const char* order_of_blocks =
        "let the first lane call thread_fence() of device scope between its access and its atomic operation, "
        "and the "
        "other lane after the atomic operation that sees that one; a barrier extends this to all lanes of a block";

    bool by_lane(const shadow_verdict& v) const { return v.other.wave < names->waves(); }

    /// "wave 0, lane 3 at kernel.hpp:12".
    std::string other(const shadow_verdict& v) const
    {
        const std::string line = line_text((*sites)[v.site]);
        const std::string who = by_lane(v)          ? names->of(v.other.wave) + ", " + lane_list(v.others)
                                : by_tensor_core(v) ? "a tensor core instruction"
                                                    : "a bulk load";
        return who + (line.empty() ? "" : " at " + line);
    }
    /// The barrier that orders the two.
    std::string barrier(const lane_state& me, const shadow_verdict& v, const char* between) const
    {
        if (!by_lane(v) && by_tensor_core(v))
            return std::string("put a wait at the mbarrier of its commit between ") + between;
        if (!by_lane(v))
            return std::string("put a wait for its phase between ") + between;
        const bool other_block = names->rank_of(v.other.wave) != me.block->rank;
        if (other_block && me.block->cluster_blocks() == 1)
            return order_of_blocks;
        if (me.atomic_after == me.wave->met) // it may hold a lock: at a barrier lanes would wait for each other
            return std::string("if atomic operations order ") + between +
                   ", put a thread_fence() behind the one that acquires and before the one that releases; else put a "
                   "barrier, "
                   "where nobody waits for the lane, between " +
                   between;
        const bool same_wave = v.other.wave == me.wave->timeline;
        return std::string("put ") +
               (other_block ? "a cluster barrier"
                : same_wave ? "wave_barrier()"
                            : "block_barrier()") +
               " between " + between +
               (other_block ? ", where every block of the cluster comes through, or arrive at an mbarrier and wait "
                              "there with the "
                              "scope of a cluster"
                : same_wave ? std::string(", where every lane of the wave comes through") +
                                  (me.block->threads > me.block->chip->wave_size
                                       ? ", or block_barrier() if other waves touch the place, too"
                                       : "")
                            : ", where every wave of the block comes through");
    }

    /// Describes an access, named by `what`, in the words for shared and for global memory.
    fault describe(const lane_state& me, const shadow_verdict& v, const std::string& what, const std::byte* place,
                   int bytes) const
    {
        fault f = text(me, v, what);
        f.kind = v.clash == shadow_clash::unwritten ? fault_kind::unwritten
                 : is_race(v) && by_lane(v)         ? fault_kind::race
                                                    : fault_kind::plain;
        f.place = place;
        f.bytes = bytes;
        f.timeline = v.other.wave;
        f.lanes = v.others;
        return f;
    }

private:
    bool by_tensor_core(const shadow_verdict& v) const { return v.other.wave >= max_timelines - tensor_timelines; }
    static bool is_race(const shadow_verdict& v)
    {
        return v.clash == shadow_clash::read_after_write || v.clash == shadow_clash::write_after_read ||
               v.clash == shadow_clash::write_after_write || v.clash == shadow_clash::with_addition;
    }
    fault text(const lane_state& me, const shadow_verdict& v, const std::string& what) const
    {
        switch (v.clash) {
        case shadow_clash::unwritten:
            return {what + ", which nobody wrote", "store it first, or mask the load"};
        case shadow_clash::mbarrier:
            return {what + ", which holds an mbarrier",
                    "keep data and mbarriers apart, or invalidate the mbarrier first"};
        case shadow_clash::no_proxy_fence:
            return {what + ", which " + other(v) + " wrote without a proxy fence behind it",
                    "let every lane that writes call fence_proxy_async() between its stores and the barrier"};
        case shadow_clash::read_after_write:
            return {what + " races with the write of " + other(v), barrier(me, v, "the write and this read")};
        case shadow_clash::write_after_read:
            return {what + " races with the read of " + other(v), barrier(me, v, "the read and this write")};
        case shadow_clash::with_addition:
            return {what + " races with the atomic addition of " + other(v), barrier(me, v, "the two")};
        case shadow_clash::other_width:
            return {what + " overlaps the one of " + std::to_string(v.width) + (v.width == 1 ? " byte" : " bytes") +
                        " of " + other(v) + ": they are not atomic to each other",
                    "give all atomic operations on the bytes one width and place"};
        case shadow_clash::async_addition:
            return {what + ", which a bulk add is still adding to",
                    "wait for its group, and not only for its reads, then put a barrier before other lanes touch it"};
        default:
            return {what + " races with the write of " + other(v),
                    barrier(me, v, "the two writes") + ", or let one lane write"};
        }
    }
};

} // namespace tegula::emulator::detail
