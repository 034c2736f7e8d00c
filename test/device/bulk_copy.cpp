// Clusters, mbarriers and bulk copies of sm_90a: each primitive is its instruction.
// targets: sm_90a
// may fail sm_90a: a fence wider than the block
// may fail sm_90a: an ERRBAR
// expect sm_90a: matrix == 0
// expect sm_90a [every_rank]: registers <= 32
// expect sm_90a [pipeline]: registers == 168
// expect sm_90a [pipeline]: /^mbarrier\.init\.shared::cta\.b64/ == 2, /^fence\.mbarrier_init\.release\.cluster/ == 1
// expect sm_90a [pipeline]: /mbarrier\.arrive\.expect_tx\.shared::cta\.b64/ == 1
// expect sm_90a [pipeline]: /mbarrier\.try_wait\.parity\.shared::cta\.b64/ == 2, /mbarrier\.test_wait\.parity/ == 1
// expect sm_90a [pipeline]: /mapa\.shared::cluster\.u32/ == 1, /mbarrier\.arrive\.shared::cluster/ == 1
// expect sm_90a [pipeline]: /mbarrier\.arrive\.shared::cta\.b64/ == 1, /mbarrier\.expect_tx\.relaxed\.cta/ == 1
// expect sm_90a [pipeline]: /mbarrier\.inval\.shared::cta\.b64/ == 1, /prefetch\.tensormap/ == 1
// expect sm_90a [pipeline]: /createpolicy\.fractional\.L2::evict_first/ == 1, /elect\.sync/ == 1
// expect sm_90a [pipeline]: /setmaxnreg\.dec\.sync\.aligned\.u32 40/ == 1
// expect sm_90a [pipeline]: /setmaxnreg\.inc\.sync\.aligned\.u32 232/ == 1
// expect sm_90a [pipeline]: /barrier\.cluster\.arrive\.release\.aligned/ == 2
// expect sm_90a [pipeline]: /barrier\.cluster\.wait\.acquire\.aligned/ == 2
// expect sm_90a [pipeline]: /cp\.async\.bulk\.tensor\.2d\.shared::cluster\.global\.mbarrier[\w.:]*\.multicast/ == 1
// expect sm_90a [pipeline]: /fence\.proxy\.async\.shared/ == 1, /bar\.sync/ == 1, /bar\.arrive/ == 1, /mapa\.u64/ == 1
// expect sm_90a [pipeline]: /cp\.async\.bulk\.tensor\.2d\.global\.shared::cta\.bulk_group/ == 1
// expect sm_90a [pipeline]: /cp\.reduce\.async\.bulk\.tensor\.2d\.global\.shared::cta\.add/ == 1
// expect sm_90a [pipeline]: /cp\.async\.bulk\.shared::cluster\.global\.mbarrier/ == 1
// expect sm_90a [pipeline]: /cp\.async\.bulk\.global\.shared::cta\.bulk_group/ == 1
// expect sm_90a [pipeline]: /cp\.async\.bulk\.commit_group/ == 1, /cp\.async\.bulk\.wait_group 0/ == 1
// expect sm_90a [pipeline]: /cp\.async\.bulk\.wait_group\.read 1/ == 1
// expect sm_90a [every_rank]: /cp\.async\.bulk\.tensor\.[1-5]d\.shared::cluster[\w.:]*bytes\.L2/ == 5
// expect sm_90a [every_rank]: /cp\.async\.bulk\.tensor\.[1-5]d\.shared::cluster[\w.:]*multicast::cluster\.L2/ == 5
// expect sm_90a [every_rank]: /cp\.async\.bulk\.tensor\.[1-5]d\.global\.shared::cta\.bulk_group\.L2/ == 5
// expect sm_90a [every_rank]: /cp\.reduce\.async\.bulk\.tensor\.[1-5]d\.global\.shared::cta\.add/ == 5
// expect sm_90a [exchange]: /st\.async\.shared::cluster\.mbarrier::complete_tx::bytes\.v4\.b32/ == 1, /mapa\.shared::cluster\.u32/ == 2

#include <tegula/arch/nvidia/cluster.hpp>
#include <tegula/arch/nvidia/tma.hpp>
#include <tegula/arch/target.hpp>

using namespace tegula;
using namespace tegula::arch::nvidia;

struct arguments
{
    tensor_map map;
    float* memory;
};

/// One producer warp, one consumer warpgroup, two blocks a cluster.
struct pipeline_body
{
    TEGULA_INLINE void operator()(const arguments& args) const
    {
        std::byte* tile = primitives::shared_memory();
        auto* full = reinterpret_cast<mbarrier*>(tile + 65536);
        mbarrier* empty = full + 1;
        if (primitives::thread_id() == 0) {
            prefetch_tensor_map(args.map);
            mbarrier_init(full, 1);
            mbarrier_init(empty, 2);
            fence_mbarrier_init();
        }
        cluster_barrier();
        if (primitives::wave_id() < 4) {
            decrease_registers<40>();
            if (primitives::wave_id() == 0 && elect_one()) {
#pragma unroll 1
                for (int i = 0; i < 8; ++i) {
                    mbarrier_wait(empty, i % 2 ^ 1);
                    mbarrier_arrive_expect(full, 16384);
                    tensor_load_multicast<l2_hint::evict_first>(tile, args.map, array<int, 2>{i, 0}, full, 3);
                }
                mbarrier_expect(full, 128);
                bulk_load(tile, args.memory, 128, full);
                if (mbarrier_test(empty, 0))
                    mbarrier_arrive(full);
            }
            named_barrier_arrive(1, 384);
        } else {
            increase_registers<232>();
#pragma unroll 1
            for (int i = 0; i < 8; ++i) {
                mbarrier_wait(full, i % 2);
                auto* mine = reinterpret_cast<float*>(tile) + primitives::thread_id();
                *mine += *in_peer(mine, cluster_rank() ^ 1);
                if (primitives::lane_id() < cluster_blocks())
                    mbarrier_arrive_at(empty, primitives::lane_id());
            }
            fence_proxy_async();
            named_barrier(1, 384);
            if (primitives::thread_id() == 128) {
                tensor_store(args.map, array<int, 2>{0, 1}, tile);
                tensor_add(args.map, array<int, 2>{0, 2}, tile);
                bulk_store(args.memory, tile, 256);
                bulk_commit();
                bulk_wait_read<1>();
                bulk_wait<0>();
                mbarrier_invalidate(full);
            }
        }
        cluster_barrier();
    }
};

__global__ void __launch_bounds__(384, 1) pipeline(const __grid_constant__ arguments args)
{
    run_kernel<arch::sm_90a>(pipeline_body{}, args);
}

template <int... X>
TEGULA_INLINE void copy(const tensor_map& map)
{
    const array<int, sizeof...(X)> x{X...};
    std::byte* tile = primitives::shared_memory();
    auto* full = reinterpret_cast<mbarrier*>(tile + 65536);
    tensor_load(tile, map, x, full);
    tensor_load_multicast<l2_hint::evict_last>(tile, map, x, full, 3);
    tensor_store(map, x, tile);
    tensor_add(map, x, tile);
}

struct every_rank_body
{
    TEGULA_INLINE void operator()(const tensor_map& map) const
    {
        copy<1>(map);
        copy<1, 2>(map);
        copy<1, 2, 3>(map);
        copy<1, 2, 3, 4>(map);
        copy<1, 2, 3, 4, 5>(map);
    }
};

__global__ void every_rank(const __grid_constant__ tensor_map map) { run_kernel<arch::sm_90a>(every_rank_body{}, map); }

/// Each lane sends 16 bytes to the other block of its cluster.
struct exchange_body
{
    TEGULA_INLINE void operator()(const arguments& args) const
    {
        auto* const words = reinterpret_cast<stored_words*>(primitives::shared_memory());
        auto* const arrived = reinterpret_cast<mbarrier*>(words + 128);
        const int t = primitives::thread_id(), peer = cluster_rank() ^ 1;
        if (t == 0) {
            mbarrier_init(arrived, 1);
            fence_mbarrier_init();
            mbarrier_arrive_expect(arrived, 128 * 16);
        }
        cluster_arrive_relaxed();
        cluster_wait();
        const auto x = static_cast<std::uint32_t>(t);
        store_async(address_in_peer(words, peer), t, stored_words{x, x, x, x}, address_in_peer(arrived, peer));
        mbarrier_wait<mbarrier_scope::cluster>(arrived, 0);
        args.memory[t] = static_cast<float>(words[t][0]);
    }
};

__global__ void __launch_bounds__(128, 1) exchange(const __grid_constant__ arguments args)
{
    run_kernel<arch::sm_90a>(exchange_body{}, args);
}
