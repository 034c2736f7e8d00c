#pragma once

#include <tegula/arch/nvidia/dependent_launch.hpp>
#include <tegula/block/operand_maker.hpp>
#include <tegula/block/stage_pipeline.hpp>
#include <tegula/kernel/gemm/warp_specialized/mapped_product.hpp>

namespace tegula {

/// The place of this block in its cluster, whose blocks are numbered along M first, and of the cluster in the grid.
template <class Tile>
struct cluster_place
{
    /// Blocks that get a part of their operands from this one, itself among them.
    static constexpr int peers = Tile::cluster_m + Tile::cluster_n - 1;

    /// Among the blocks that have tiles of their own; those that share the k of a tile are one.
    static TEGULA_INLINE int block() { return peers > 1 ? arch::nvidia::cluster_rank() : 0; }
    static TEGULA_INLINE int rank_m() { return peers > 1 ? block() % Tile::cluster_m : 0; }
    static TEGULA_INLINE int rank_n() { return peers > 1 ? block() / Tile::cluster_m : 0; }
    static TEGULA_INLINE index_t number()
    {
        return static_cast<index_t>(Tile::target::block_id()[0]) / Tile::cluster_blocks;
    }

    /// The block that this lane tells that its wave has read a stage: each block that copies to this one has a lane.
    template <int Stages>
    static TEGULA_INLINE stage_release<Stages, (peers > 1)> make_release(stage_barriers<Stages>& stages)
    {
        const int lane = Tile::target::lane_id();
        if constexpr (peers == 1)
            return {stages, lane == 0, -1};
        // First the blocks along M, including this one, then the others along N.
        const int m = rank_m(), n = rank_n();
        const int other = lane - Tile::cluster_m;
        const int rank =
            lane < Tile::cluster_m ? lane + n * Tile::cluster_m : m + (other + (other >= n ? 1 : 0)) * Tile::cluster_m;
        return {stages, lane < peers, lane < peers ? rank : 0};
    }
};

/// How the first warpgroup of a warp_specialized_gemm fills the ring of stages.
template <class Kernel>
struct stage_producer
{
    using tile = typename Kernel::tile;
    using target = typename tile::target;
    using operands = typename Kernel::operands;
    using arguments = typename Kernel::arguments;
    using product_type = typename Kernel::product_type;
    using source = typename Kernel::source;
    using cluster = cluster_place<tile>;
    using barriers = stage_barriers<Kernel::stages>;

    /// Fills stage after stage with this block's share of the operands. Run by one lane, or if operands are made by a
    /// warpgroup, of which one lane `copies` the other operand. Loads of the next step are in flight while a stage is
    /// written.
    static TEGULA_INLINE void run(const arguments& args, barriers& stages, bool copies)
    {
        using arch::nvidia::l2_hint;
        std::byte* const memory = target::shared_memory();
        const int share_a = cluster::rank_n(), share_b = cluster::rank_m();
        // This block's neighbours along N need the same rows of A, those along M the same columns of B.
        std::uint16_t blocks_a = 0, blocks_b = 0;
        static_for<tile::cluster_n>(
            [&](auto i) { blocks_a = static_cast<std::uint16_t>(blocks_a | 1 << (share_b + i * tile::cluster_m)); });
        static_for<tile::cluster_m>(
            [&](auto i) { blocks_b = static_cast<std::uint16_t>(blocks_b | 1 << (i + share_a * tile::cluster_m)); });
        constexpr bool swapped = tile::transposed;
        // With few rows of C the other operand, mostly weights, is read once and should not evict other data from L2.
        // A block that shares no copies is bound by L2, and the hint makes both operands faster (docs/performance.md).
        constexpr bool alone = cluster::peers == 1;
        constexpr l2_hint left_hint = alone ? l2_hint::evict_first : l2_hint::normal;
        constexpr l2_hint right_hint = alone && !swapped ? l2_hint::evict_first : l2_hint::normal;
        stage_position<Kernel::stages> at;
        work_queue<Kernel::sharing> queue(args.plan, cluster::number());
        product_finder<Kernel::sharing> products;
        for (cluster_work work; queue.next(args.plan, work);) {
            const auto& one = products.find(args, work);
            Kernel::sums::take_share(work);
            if constexpr (Kernel::takes_lists)
                if (products.changed() && one.steps > 0)
                    acquire_operand_maps<operands>(one);
            [[maybe_unused]] typename Kernel::expert of;
            if constexpr (Kernel::takes_experts) {
                of = Kernel::expert::find(args.first_row, args.experts, args.product.m, work.tile,
                                          Kernel::cluster_tiles_n(args.product));
                if (of.is_empty())
                    continue;
            }
            const auto& product = Kernel::product_of(one, of);
            const tile_position to = [&] {
                if constexpr (Kernel::takes_experts)
                    return of.at;
                else
                    return Kernel::position(one.product, work.tile, cluster::block());
            }();
            // Copies see the rows of all experts, and their matrices as a batch.
            const index_t copied_row = Kernel::takes_experts ? static_cast<index_t>(to.batch) : 0;
            const long_index_t copied_batch = Kernel::takes_experts ? long_index_t{of.expert} : to.batch;
            const index_t left_row = swapped ? to.n * tile::block_n : to.m * tile::block_m;
            const index_t right_row = swapped ? to.m * tile::block_m : to.n * tile::block_n;
            operand_makers makers{maker_of<true>(product, to.batch, left_row),
                                  maker_of<false>(product, to.batch, right_row)};
            if (work.first < work.last)
                makers.read(work.first);
            TEGULA_ROLLED
            for (index_t step = work.first; step < work.last; ++step, at.advance()) {
                std::byte* const stage = memory + at.stage * Kernel::stage_bytes;
                if constexpr (tile::makes_operands)
                    stages.claim_made(at);
                if (copies) {
                    arch::nvidia::mbarrier* const full = stages.claim(at, operands::copied_bytes);
                    const index_t k = step * tile::block_k;
                    if constexpr (operands::copies_left) {
                        const copied_place from = place_of<!swapped>(one.product, k, copied_batch);
                        operands::left_loads::template load<left_hint>(stage, one.left, left_row + copied_row, from.k,
                                                                       from.batch, full, swapped ? share_b : share_a,
                                                                       swapped ? blocks_b : blocks_a);
                    }
                    if constexpr (operands::copies_right) {
                        const copied_place from = place_of<swapped>(one.product, k, copied_batch);
                        operands::right_loads::template load<right_hint>(
                            stage + operands::left::bytes, one.right, right_row, from.k, from.batch, full,
                            swapped ? share_a : share_b, swapped ? blocks_a : blocks_b);
                        if constexpr (tile::gates)
                            operands::right_loads::template load<right_hint>(
                                stage + operands::left::bytes + operands::right::bytes / 2, one.up, right_row, from.k,
                                from.batch, full, 0, 0);
                    }
                }
                if constexpr (tile::makes_operands)
                    makers.template write<target>(stage, stage + operands::left::bytes, stages, at, step + 1,
                                                  work.last);
            }
            if constexpr (source::fit)
                if (Kernel::source_stages_of(one, work) > 0) {
                    if (Kernel::takes_lists && products.changed())
                        arch::nvidia::acquire_tensor_map(one.source);
                    source::prefetch(one, to.m * tile::block_m, to.n * tile::block_n, to.batch, memory, stages, at);
                }
        }
        arch::nvidia::launch_next_grid(); // its blocks start as this grid's end
        // Peers still arrive at this block's mbarriers, which exist only while one of its lanes runs.
        if constexpr (cluster::peers > 1)
            stages.drain(at);
    }

private:
    /// Where a copy of A or of B starts.
    template <bool OfA>
    static TEGULA_INLINE copied_place place_of(const product_type& product, index_t k, long_index_t batch)
    {
        if constexpr (OfA)
            return copied_place::of(product.a, k, batch);
        else
            return copied_place::of(first_weight(product.b), k, batch);
    }
    /// The maker of an operand that no tensor copy loads.
    template <bool Left>
    static TEGULA_INLINE auto maker_of(const product_type& product, long_index_t batch, index_t row)
    {
        if constexpr (tile::makes_operands)
            return operands::template maker<Left>(product, batch, row);
        else
            return no_operand_maker{};
    }
};

} // namespace tegula
