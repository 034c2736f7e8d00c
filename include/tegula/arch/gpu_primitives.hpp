#pragma once

#include <tegula/arch/emulation.hpp>

/// The primitives that all GPUs have in common.

namespace tegula::arch {

/// `value` with each of its words of 32 bits replaced by move(word): how lanes exchange values of any size.
template <class T, class Move>
TEGULA_INLINE T move_words(T value, const Move& move)
{
    static_assert(std::is_trivially_copyable_v<T>);
    constexpr int words = (sizeof(T) + 3) / 4;
    int buffer[words] = {};
    __builtin_memcpy(buffer, &value, sizeof(T));
    for (int& word : buffer)
        word = move(word);
    __builtin_memcpy(&value, buffer, sizeof(T));
    return value;
}

/// Functions of one float, as fast as the chip computes them. Issue carries them out: the target's own instructions in
/// its device pass, host_functions in a host pass.
template <class Issue>
struct scalar_functions
{
    /// 2 to the power x.
    static TEGULA_INLINE float exp2(float x) { return Issue::exp2(x); }
    /// The logarithm of x to the base 2, for normal x: an absolute error below 2^-22 near 1.
    static TEGULA_INLINE float log2(float x) { return Issue::log2(x); }
    /// 1 / sqrt(x).
    static TEGULA_INLINE float rsqrt(float x) { return Issue::rsqrt(x); }
    /// 1 / x, for normal x; a result below the least normal number may be 0.
    static TEGULA_INLINE float reciprocal(float x) { return Issue::reciprocal(x); }
};

/// By the host's library.
struct host_functions
{
    static TEGULA_INLINE float exp2(float x) { return __builtin_exp2f(x); }
    static TEGULA_INLINE float log2(float x) { return __builtin_log2f(x); }
    static TEGULA_INLINE float rsqrt(float x) { return 1.0f / __builtin_sqrtf(x); }
    static TEGULA_INLINE float reciprocal(float x) { return 1.0f / x; }
};

/// Four bytes of two words: byte i of the result is byte (bytes >> 4 * i & 7) of the eight bytes of `low` and then `high`.
constexpr TEGULA_INLINE std::uint32_t host_pick_bytes(std::uint32_t bytes, std::uint32_t low, std::uint32_t high)
{
    const std::uint64_t all = static_cast<std::uint64_t>(high) << 32 | low;
    std::uint32_t picked = 0;
    for (int i = 0; i < 4; ++i)
        picked |= static_cast<std::uint32_t>(all >> 8 * (bytes >> 4 * i & 7) & 0xff) << 8 * i;
    return picked;
}

/// Names for the emulator's reports; nothing on a device.
struct report_labels
{
    /// Checks that the running block has that many threads.
    static TEGULA_INLINE void require_block_threads([[maybe_unused]] int threads,
                                                    [[maybe_unused]] call_site where = call_site::here())
    {
#if !TEGULA_DEVICE_PASS
        emulation::require_block_threads(threads, where);
#endif
    }
    static TEGULA_INLINE bool labels_enabled()
    {
#if TEGULA_DEVICE_PASS
        return false;
#else
        return emulation::checks_enabled();
#endif
    }
    /// The next access touches element x[0..dims) of `tensor`.
    static TEGULA_INLINE void set_element([[maybe_unused]] const char* tensor, [[maybe_unused]] const index_t* x,
                                          [[maybe_unused]] int dims, [[maybe_unused]] const void* data = nullptr,
                                          [[maybe_unused]] int element_bytes = 0)
    {
#if !TEGULA_DEVICE_PASS
        emulation::set_element(tensor, x, dims, data, element_bytes);
#endif
    }
};

} // namespace tegula::arch
