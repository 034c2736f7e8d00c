#pragma once

#include <tegula/emulator/bulk_unit.hpp>
#include <tegula/emulator/cluster_line.hpp>

namespace tegula::emulator::detail {

/// Cluster launch control (PTX ISA, "clusterlaunchcontrol.try_cancel", "clusterlaunchcontrol.query_cancel"): a running
/// cluster asks for one that has not started and does its work.
class launch_control_unit : private fault_holder
{
public:
    launch_control_unit(cluster_state& cluster, bulk_unit& bulk) : cluster_(cluster), bulk_(bulk) {}

    void begin_cluster(cluster_line* line)
    {
        line_ = line;
        refused_.assign(cluster_.blocks.size(), false);
    }

    // Each returns a fault, or null when all is well.

    /// Writes the response's 16 bytes, in every block of the cluster if `multicast`, and counts them at the mbarrier.
    const fault* cancel(lane_state& me, void* response, void* barrier, bool multicast)
    {
        if (!me.block->holds(response) || !me.block->holds(barrier))
            return blame("try_cancel with a response or an mbarrier outside the shared memory of the lane's block",
                         "give places of the block's own; with multicast its peers get the response at the same ones");
        if (refused_[static_cast<std::size_t>(me.block->rank)])
            return blame("try_cancel by a block that has read a refusal", "ask no more once a request was refused");
        const long taken = line_ == nullptr ? -1 : line_->cancel();
        const extent3 first = taken < 0 ? extent3{-1, -1, -1} : cluster_.plan->block_of(taken, 0);
        cluster_.totals.canceled_clusters += taken < 0 ? 0 : 1;
        const std::int32_t words[4] = {taken < 0 ? refusal : grant, first.x, first.y, first.z};
        std::byte bytes[16];
        std::memcpy(bytes, words, 16);
        return bulk_.respond(me, response, barrier, bytes, multicast);
    }

    /// `response`: as the lane has read it.
    const fault* read(const lane_state& me, const void* response, bool& canceled, extent3& first_block)
    {
        std::int32_t words[4];
        std::memcpy(words, response, 16);
        if (words[0] != refusal && words[0] != grant)
            return blame("query_cancel of 16 bytes that are no response to a try_cancel",
                         "wait at the mbarrier of the request, and read the place that was named there");
        canceled = words[0] == grant;
        first_block = {words[1], words[2], words[3]};
        if (!canceled)
            refused_[static_cast<std::size_t>(me.block->rank)] = true;
        return nullptr;
    }

private:
    static constexpr std::int32_t grant = 0x4c434c43, refusal = 0x4c434c52;

    cluster_state& cluster_;
    bulk_unit& bulk_;
    cluster_line* line_ = nullptr;
    std::vector<bool> refused_; // blocks that know of a refusal
};

} // namespace tegula::emulator::detail
