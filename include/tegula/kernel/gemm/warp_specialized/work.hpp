#pragma once

#include <tegula/core/math.hpp>
#include <tegula/kernel/gemm/forms/partials.hpp>
#include <tegula/kernel/gemm/warp_specialized/output_store.hpp>
#include <tegula/mma/operand_order.hpp>

namespace tegula {

namespace persistent_rules {
template <bool Ok, int Stages>
struct enough_stages
{
    static_assert(Ok,
                  "tegula: a persistent GEMM needs at least 3 stages in shared memory: one is multiplied, one has "
                  "arrived, one is on its way; use a smaller tile or more stages (the template arguments are whether "
                  "there are enough, and their number)");
};
} // namespace persistent_rules

/// One piece of work of a cluster: the steps [first, last) of block_k of one tile of each of its blocks.
struct cluster_work
{
    index_t tile = 0; ///< cluster tile, in raster order
    index_t first = 0;
    index_t last = 0;
    long_index_t part = -1; ///< -1: the whole k; else the place of its partial sum, in cluster tiles
};

/// How the clusters of a persistent grid share a product. Every warp computes the pieces of its cluster itself.
///
///   tiles    one cluster computes all of a tile
///   split_k  `splits` pieces of each tile, split after split
///   stream   all steps of all tiles in runs of the same length, one for each cluster
///   launch_control  each tile is a cluster of the grid, and running clusters take over those that have not started
///   list     like tiles, over the products of a list one after the other
///   experts  like tiles, over the products of experts, see experts.hpp
enum class work_partition { tiles, split_k, stream, launch_control, list, experts };

/// Whether clusters share the k of a tile, whose partial sums go to a workspace.
constexpr TEGULA_HOST_DEVICE bool shares_k(work_partition partition)
{
    return partition == work_partition::split_k || partition == work_partition::stream;
}

// What tiles name as their kernel.
template <class Tile, operand_order OrderA, operand_order OrderB, class C, class Epilogue, output_store Store,
          work_partition Partition>
struct warp_specialized_gemm;
template <class Tile, operand_order OrderA, operand_order OrderB, class C, class Epilogue, output_store Store,
          work_partition Partition>
struct tcgen05_gemm;

struct work_plan
{
    index_t tiles = 0;    ///< cluster tiles of all products of the batch
    index_t steps = 1;    ///< steps of block_k per tile
    index_t splits = 1;   ///< pieces per tile, at most its steps
    index_t clusters = 1; ///< clusters in the grid
};

/// The pieces of one cluster, in order.
template <work_partition Partition>
class work_queue
{
public:
    TEGULA_INLINE work_queue(const work_plan& plan, index_t cluster) : next_(cluster), end_(plan.tiles * plan.splits)
    {
        if constexpr (Partition == work_partition::stream) {
            const even_share share = shared(plan);
            next_ = cluster < share.count ? share.begin(cluster) : 0;
            end_ = cluster < share.count ? share.begin(cluster + 1) : 0;
            cluster_ = cluster;
        }
    }

    /// The next piece; false if there is none.
    TEGULA_INLINE bool next(const work_plan& plan, cluster_work& work)
    {
        if (next_ >= end_)
            return false;
        if constexpr (Partition == work_partition::stream) {
            work.tile = next_ / plan.steps;
            work.first = next_ % plan.steps;
            work.last = min(plan.steps, work.first + end_ - next_);
            work.part = work.last - work.first == plan.steps ? -1 : stream_slot(cluster_, work.first == 0);
            next_ += work.last - work.first;
        } else {
            const even_share share{plan.steps, plan.splits};
            const index_t split = Partition == work_partition::split_k ? next_ / plan.tiles : 0;
            work.tile = Partition == work_partition::split_k ? next_ % plan.tiles : next_;
            work.first = Partition == work_partition::split_k ? share.begin(split) : 0;
            work.last = Partition == work_partition::split_k ? share.begin(split + 1) : plan.steps;
            work.part = Partition == work_partition::split_k ? next_ : -1;
            next_ += plan.clusters;
        }
        check(plan, work);
        return true;
    }

    static constexpr TEGULA_HOST_DEVICE even_share shared(const work_plan& plan)
    {
        const index_t total = plan.tiles * plan.steps;
        return {total, min(plan.clusters, total)};
    }
    /// The slot for a cluster's partial sum. A cluster has at most two: one for the tile in which its run ends, whose
    /// first steps it has (`starts_tile`), and one for the tile in which its run begins.
    static constexpr TEGULA_HOST_DEVICE long_index_t stream_slot(index_t cluster, bool starts_tile)
    {
        return 2 * static_cast<long_index_t>(cluster) + (starts_tile ? 1 : 0);
    }

private:
    /// On the emulator: the piece is one of the plan's.
    static TEGULA_INLINE void check([[maybe_unused]] const work_plan& plan, [[maybe_unused]] const cluster_work& work)
    {
#if !TEGULA_DEVICE_PASS
        if (work.tile < 0 || work.tile >= plan.tiles || work.first < 0 || work.last > plan.steps ||
            work.first >= work.last + (plan.steps == 0)) // no k: a tile without steps
            arch::emulation::fail("the work queue hands out a tile, or steps of k, that its plan does not have",
                                  "let make_work_plan() make the plan for the kernel's own way of sharing");
#endif
    }

    index_t next_;
    index_t end_;
    index_t cluster_ = 0;
};

} // namespace tegula
