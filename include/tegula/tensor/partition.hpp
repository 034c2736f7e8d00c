#pragma once

#include <tegula/layout/distribution.hpp>

namespace tegula {

namespace encoding_rules {
template <bool Ok, long Lanes, int WaveSize>
struct lanes_match_the_wave
{
    static_assert(Ok, "tegula: the last P of the distribution must have as many positions as the target's wave has "
                      "lanes, or be the thread id alone (the template arguments are its length and the wave size)");
};
} // namespace encoding_rules

/// Partition index of the calling lane: {lane}, {wave, lane} or {thread}.
///
/// A distribution with one P longer than a wave takes the thread id of the block. With two P the second one must have
/// exactly the target's wave size. A distribution of one element per P (no digits) is held by every lane.
/// A block has as many threads as a {wave, lane} or {thread} distribution has partition positions; the emulator reports
/// another size.
template <class Target, class Distribution>
TEGULA_INLINE multi_index<Distribution::num_p> partition_index()
{
    constexpr int num_p = Distribution::num_p;
    static_assert(num_p <= 2, "tegula: kernels take distributions with {lane}, {wave, lane} or {thread}");
    multi_index<num_p> p{};
    if constexpr (num_p > 0) {
        constexpr index_t last = Distribution::p_length(num_p - 1);
        constexpr bool whole_threads = num_p == 1 && last % Target::wave_size == 0;
        static_assert(
            sizeof(encoding_rules::lanes_match_the_wave < last == 1 || last == Target::wave_size || whole_threads, last,
                   Target::wave_size >));
        if constexpr (Distribution::partition_size > Target::wave_size)
            Target::require_block_threads(static_cast<int>(Distribution::partition_size));
        if constexpr (last == Target::wave_size)
            p[num_p - 1] = Target::lane_id();
        else if constexpr (last > 1)
            p[0] = Target::thread_id();
        if constexpr (num_p == 2 && Distribution::p_length(0) > 1)
            p[0] = Target::wave_id();
    }
    return p;
}

namespace detail {
/// Scratch memory of as many bytes as an operation can use.
inline constexpr index_t no_limit = 0x7fffffff;
} // namespace detail

/// The holders of one tile: every lane its own, the lanes of a wave, or the threads of a block.
enum class partition_scope { lane, wave, block };

template <class Target, class Distribution>
inline constexpr partition_scope scope_of =
    Distribution::partition_size == 1                   ? partition_scope::lane
    : Distribution::partition_size == Target::wave_size ? partition_scope::wave
                                                        : partition_scope::block;

} // namespace tegula
