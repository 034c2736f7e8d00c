#pragma once

#include <tegula/block/stage_pipeline.hpp>
#include <tegula/block/warpgroup.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/gemm/forms/partials.hpp>
#include <tegula/kernel/gemm/warp_specialized/work.hpp>
#include <tegula/tensor/distributed_tensor.hpp>
#include <tegula/tensor/vector_access.hpp>

namespace tegula {

namespace warp_specialized_rules {
template <bool Ok, int Shares>
struct clusters_share_k
{
    static_assert(Ok,
                  "tegula: 2 to 8 blocks of a cluster share the k of a tile (the template argument is their number)");
};
template <bool Ok>
struct a_share_multiplies_at_once
{
    static_assert(Ok, "tegula: the k of a tile is shared in a cluster by blocks that have no other cluster, whose "
                      "consumers are cooperative and whose operands are copied; take a tile such as ws128x256 or "
                      "ws64x128, and no second weight or block scales");
};
template <bool Ok, long Bytes, long Ring>
struct sums_fit_the_ring
{
    static_assert(Ok, "tegula: the sums that blocks of a cluster send each other do not fit the ring of stages; use a "
                      "smaller tile or more stages (the template arguments are both in bytes)");
};
} // namespace warp_specialized_rules

/// A tile whose k the blocks of a cluster share. Each multiplies a run of its steps, then sends its sums to the blocks
/// whose parts of C they are, through their shared memory: no workspace, and no second launch. A cluster computes one
/// tile.
///
///   Tile    a warp_specialized_tile without a cluster whose consumers are cooperative
///   Shares  blocks of the cluster, 2 to 8. If k has fewer steps of block_k, some multiply zeros
template <class Tile, int Shares>
struct cluster_split_tile : Tile
{
    static_assert(sizeof(warp_specialized_rules::clusters_share_k < Shares >= 2 && Shares <= 8, Shares >) > 0);
    static_assert(sizeof(warp_specialized_rules::a_share_multiplies_at_once < Tile::cluster_blocks == 1 &&
                         Tile::consumers == Tile::consumers_of_stage && !Tile::makes_operands && !Tile::gates &&
                         !Tile::scales_sums >) > 0);

    static constexpr int k_shares = Shares;
    static constexpr int cluster_blocks = Shares;
};

/// The mbarriers of a cluster that shares the k of a tile; none if it does not.
template <int Shares>
struct cluster_sum_barriers
{
    arch::nvidia::mbarrier free;    ///< each consuming wave of the cluster: no product of its block reads the ring now
    arch::nvidia::mbarrier arrived; ///< the bytes of all shares of this block's part
};
template <>
struct cluster_sum_barriers<1>
{};

/// How the consumers of a cluster_split_tile add the sums of their shares, in the ring of stages, which is free behind
/// the products. Blocks own chunks in turn. Every share of a chunk has its place there, so that the sums are added in the
/// order of k, and results are the same from run to run.
///
///   Tile    a cluster_split_tile; Output: its warpgroup_output
template <class Tile, class Output>
class cluster_sums
{
    using target = warpgroup<typename Tile::target>;
    using value_type = typename Tile::accumulator_type;
    using words = arch::nvidia::stored_words;
    static constexpr auto scope = arch::nvidia::mbarrier_scope::cluster;
    static constexpr int shares = Tile::k_shares;
    static constexpr int pieces = Tile::iterations * Output::chunks;      ///< chunks of a consumer
    static constexpr int owned = (pieces + shares - 1) / shares;          ///< most that a block owns of them
    static constexpr int registers = static_cast<int>(Output::chunk / 2); ///< of a lane for a chunk
    static constexpr int stores = registers / 4;

public:
    using barriers = cluster_sum_barriers<shares>;
    static constexpr index_t bytes = Tile::consumers * owned * shares * stores * target::threads * 16;

    /// True, or the compilation stops. `Ring`: bytes of the stages.
    template <long Ring>
    static consteval bool fit()
    {
        return sizeof(warp_specialized_rules::sums_fit_the_ring<(bytes <= Ring), bytes, Ring>) > 0;
    }

    /// The block's share of the steps of a tile. If there are too few, it is one behind the end of k, where copies give
    /// zeros: a block that multiplies nothing would take a branch, in which ptxas moves descriptors in every step.
    static TEGULA_INLINE void take_share(cluster_work& work)
    {
        const even_share share{work.last, shares};
        const index_t rank = arch::nvidia::cluster_rank(), steps = work.last;
        work.first = rank < steps ? share.begin(rank) : steps;
        work.last = rank < steps ? share.begin(rank + 1) : steps + 1;
    }

    /// Called by one lane of the block; fence_mbarrier_init() and expect() follow.
    static TEGULA_INLINE void initialize(barriers& b)
    {
        arch::nvidia::mbarrier_init(&b.free, 4 * Tile::consumers * shares);
        arch::nvidia::mbarrier_init(&b.arrived, 1);
    }
    /// Called by the lane that has initialised them, before the cluster meets.
    static TEGULA_INLINE void expect(barriers& b)
    {
        constexpr int of_share = Tile::consumers * stores * target::threads * 16;
        const int rank = arch::nvidia::cluster_rank();
        arch::nvidia::mbarrier_arrive_expect(&b.arrived, owned_by(rank) * shares * of_share);
    }

    /// Called by all consumers with the sums of this block's share. Sends them to the blocks that own them.
    template <class Accumulators>
    static TEGULA_INLINE void send(const Accumulators& acc, std::byte* ring, barriers& b, int consumer)
    {
        meet(b);
        words* const own = place(ring, consumer, 0, arch::nvidia::cluster_rank());
        static_for<shares>([&](auto owner) {
            const auto to = arch::nvidia::address_in_peer(own, owner);
            const auto arrived = arch::nvidia::address_in_peer(&b.arrived, owner);
            static_for<owned_by(owner)>([&](auto number) {
                constexpr int piece = number * shares + owner;
                static_for<stores>([&](auto s) {
                    constexpr int first = piece % Output::chunks * registers + 4 * s;
                    const auto& sums = acc[piece / Output::chunks];
                    const array<value_type, 4> four{sums[first], sums[first + 1], sums[first + 2], sums[first + 3]};
                    arch::nvidia::store_async(to, (number * shares * stores + s) * target::threads,
                                              __builtin_bit_cast(words, four), arrived);
                });
            });
        });
    }

    /// Calls f(iteration, chunk, tile) for every chunk that this block owns, summed over the shares.
    TEGULA_CALLS_BACK
    template <class F>
    static TEGULA_INLINE void for_each_chunk(std::byte* ring, barriers& b, int consumer, const F& f)
    {
        arch::nvidia::mbarrier_wait<scope>(&b.arrived, 0);
        const int rank = arch::nvidia::cluster_rank();
        TEGULA_ROLLED
        for (int piece = rank, number = 0; piece < pieces; piece += shares, ++number) {
            auto tile = read(place(ring, consumer, number, 0));
            static_for<shares - 1>([&](auto before) {
                const auto more = read(place(ring, consumer, number, before + 1));
                static_for<registers>([&](auto r) { tile[r] += more[r]; });
            });
            f(piece / Output::chunks, piece % Output::chunks, tile);
        }
    }

private:
    using tile_type = typename Output::tile_type;

    /// Returns when no product of the cluster reads the ring any more. No block reaches into another one later, but by
    /// the words that it waits for.
    static TEGULA_INLINE void meet(barriers& b)
    {
        if (const int lane = target::lane_id(); lane < shares)
            arch::nvidia::mbarrier_arrive<scope>(arch::nvidia::address_in_peer(&b.free, lane), 0);
        arch::nvidia::mbarrier_wait<scope>(&b.free, 0);
    }
    /// Chunks of a consumer that block `rank` owns.
    static constexpr TEGULA_HOST_DEVICE int owned_by(int rank) { return (pieces - rank + shares - 1) / shares; }

    /// The lane's words of the share of a chunk; those of a store are 128 apart.
    static TEGULA_INLINE words* place(std::byte* ring, int consumer, int number, int share)
    {
        const int lane = target::wave_id() * target::wave_size + target::lane_id();
        return reinterpret_cast<words*>(ring) +
               ((consumer * owned + number) * shares + share) * stores * target::threads + lane;
    }
    static TEGULA_INLINE tile_type read(const words* from)
    {
        tile_type tile;
        static_for<stores>([&](auto s) {
            const auto four = internal::read_vector<target, address_space::shared, 4>(
                reinterpret_cast<const value_type*>(from + s * target::threads), true);
            static_for<4>([&](auto i) { tile[4 * s + i] = four[i]; });
        });
        return tile;
    }
};

/// In the place of cluster_sums if one block computes all of a tile.
struct no_cluster_sums
{
    using barriers = cluster_sum_barriers<1>;
    template <long Ring>
    static consteval bool fit()
    {
        return true;
    }
    static TEGULA_INLINE void take_share(const cluster_work&) {}
    static TEGULA_INLINE void initialize(barriers&) {}
    static TEGULA_INLINE void expect(barriers&) {}
};

/// The kernel, `Shares` blocks of a cluster sharing the k of each tile; see cluster_split_tile.
template <int Shares, class Tile, operand_order A, operand_order B, class C, class Epilogue, output_store Store>
constexpr auto with_cluster_split(warp_specialized_gemm<Tile, A, B, C, Epilogue, Store, work_partition::tiles>)
{
    return warp_specialized_gemm<cluster_split_tile<Tile, Shares>, A, B, C, Epilogue, Store, work_partition::tiles>{};
}

} // namespace tegula
