#pragma once

#include <tegula/arch/nvidia/tma.hpp>
#include <tegula/tensor/distributed_tensor.hpp>
#include <tegula/tensor/vector_access.hpp>

namespace tegula {

/// Sums in memory to which copies or lanes add the registers of waves, Count of each lane. A wave's lie as the lanes hold
/// them: [four registers, lane, 4].
template <class Target, int Count>
struct copied_sums
{
    static constexpr index_t wave_floats = 32 * Count;

    /// Starts to add the registers of `x` from First on, by way of `own`, shared memory that no other copy reads.
    template <int First = 0, class Registers>
    static TEGULA_INLINE void add_wave(const Registers& x, float* sums, float* own)
    {
        static_for<Count / 4>([&](auto v) {
            constexpr int r = First + 4 * v;
            internal::write_vector<Target, address_space::shared, 4>(
                own + (v * 32 + Target::lane_id()) * 4, array<float, 4>{x[r], x[r + 1], x[r + 2], x[r + 3]}, true);
        });
        arch::nvidia::fence_proxy_async();
        Target::wave_barrier();
        if (Target::lane_id() == 0) {
            arch::nvidia::bulk_add(sums, own, static_cast<int>(wave_floats * sizeof(float)));
            arch::nvidia::bulk_commit();
        }
    }
    /// Adds the registers of `x` by the lanes' own additions, which use no shared memory.
    template <class Registers>
    static TEGULA_INLINE void add_wave(const Registers& x, float* sums)
    {
        static_for<Count / 4>([&](auto v) {
            constexpr int r = 4 * v;
            arch::nvidia::add_four(sums + (v * 32 + Target::lane_id()) * 4,
                                   array<float, 4>{x[r], x[r + 1], x[r + 2], x[r + 3]});
        });
    }
    /// Waits until shared memory has been read; the wave that started the copies calls it.
    static TEGULA_INLINE void drain()
    {
        if (Target::lane_id() == 0)
            arch::nvidia::bulk_wait_read<0>();
    }
    /// The registers of a wave from its sums, as a tensor of Distribution.
    template <class Distribution>
    static TEGULA_INLINE auto read_wave(const float* sums)
    {
        distributed_tensor<float, Distribution> x;
        static_for<Count / 4>([&](auto v) {
            const auto four =
                internal::read_vector<Target, address_space::global, 4>(sums + (v * 32 + Target::lane_id()) * 4, true);
            static_for<4>([&](auto i) { x[4 * v + i] = four[i]; });
        });
        return x;
    }
};

} // namespace tegula
