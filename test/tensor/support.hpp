#pragma once

#include <tegula/emulator.hpp>
#include <tegula/tensor.hpp>

#include "test/catch.hpp"

#include <string>
#include <vector>

/// Helpers for the tensor tests: a memory with guards around it, a way to run a kernel on a target, and distributions.

using namespace tegula;

/// The targets every operation runs on: waves of 64 and of 32 lanes, with and without asynchronous copies.
// With sanitizers one: the others walk the same memory, and run with --full.
#if defined(__SANITIZE_ADDRESS__)
#define TEGULA_TENSOR_TARGETS arch::sm_80
#else
#define TEGULA_TENSOR_TARGETS arch::gfx942, arch::gfx1100, arch::sm_80
#endif

/// An array in global memory between two guards, which nothing may touch. Its first element is aligned to 128 bytes.
template <class T>
class guarded_array
{
public:
    explicit guarded_array(long size, T value = T{})
        : size_(size),
          bytes_(static_cast<std::size_t>(2 * guard + 128) + static_cast<std::size_t>(size) * sizeof(T), pattern)
    {
        for (long i = 0; i < size; ++i)
            data()[i] = value;
    }
    T* data()
    {
        const auto at = reinterpret_cast<std::uintptr_t>(bytes_.data()) + guard;
        return reinterpret_cast<T*>((at + 127) / 128 * 128);
    }
    T& operator[](long i) { return data()[i]; }
    long size() const { return size_; }
    std::size_t size_bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }

    /// Whether every byte before and behind the array is what it was.
    bool guards_are_intact()
    {
        const auto begin = reinterpret_cast<const unsigned char*>(data()) - bytes_.data();
        const auto end = begin + static_cast<long>(size_bytes());
        for (long i = 0; i < static_cast<long>(bytes_.size()); ++i)
            if ((i < begin || i >= end) && bytes_[static_cast<std::size_t>(i)] != pattern)
                return false;
        return true;
    }

private:
    static constexpr long guard = 256;
    static constexpr unsigned char pattern = 0xa5;

    long size_;
    std::vector<unsigned char> bytes_;
};

/// 0, 1, 2, ... as T.
template <class T>
guarded_array<T> counted_array(long size)
{
    guarded_array<T> a(size);
    for (long i = 0; i < size; ++i)
        a[i] = static_cast<T>(i);
    return a;
}

template <class Target, class Kernel>
emulator::launch_result launch_on(int threads, long shared_bytes, const emulator::memory_ranges& memory,
                                  const Kernel& kernel)
{
    emulator::run_config config;
    config.chip = &chip_of<Target>;
    config.kernel_name = "tensor_test";
    config.block_threads = threads;
    config.shared_bytes = shared_bytes;
    config.cpu_threads = 1;
    config.memory = memory;
    return emulator::launch(config, kernel);
}

/// Runs one block with every check on; the launch must be fine.
template <class Target, class Kernel>
emulator::counters run_on(int threads, long shared_bytes, const emulator::memory_ranges& memory, const Kernel& kernel)
{
    const emulator::launch_result result = launch_on<Target>(threads, shared_bytes, memory, kernel);
    INFO(result.report << result.status.message());
    REQUIRE(result.status.ok());
    return result.counters;
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Visits every index of a tile.
template <class Distribution, class F>
void for_each_index(const F& f)
{
    constexpr int n = Distribution::num_x;
    const long_indices lengths = x_lengths(Distribution::value);
    long total = 1;
    for (long_index_t length : lengths)
        total *= length;
    for (long flat = 0; flat < total; ++flat) {
        const long_indices at = unflatten(flat, lengths, n);
        multi_index<n> x{};
        for (int i = 0; i < n; ++i)
            x[i] = static_cast<index_t>(at[i]);
        f(x);
    }
}

template <class Target, class Distribution>
multi_index<Distribution::num_p> partition_of(int thread)
{
    multi_index<Distribution::num_p> p{};
    if constexpr (Distribution::num_p == 2)
        p = {thread / Target::wave_size, thread % Target::wave_size};
    else if constexpr (Distribution::num_p == 1)
        p = {static_cast<index_t>(thread % Distribution::p_length(0))};
    return p;
}

/// Element of the tile that a thread holds in register position n, by the algebra on values.
template <class Target, class Distribution>
multi_index<Distribution::num_x> element_held(int thread, int n)
{
    static const digit_table table = make_digit_table(Distribution::value);
    const long_indices at = calculate_index(table, partition_of<Target, Distribution>(thread),
                                            unflatten(n, y_lengths(Distribution::value), Distribution::num_y));
    multi_index<Distribution::num_x> x{};
    if constexpr (Distribution::num_x > 0) // clang warns of elements of an array of none
        for (int i = 0; i < Distribution::num_x; ++i)
            x[i] = static_cast<index_t>(at[i]);
    return x;
}

// Distributions of two-dimensional tiles for waves of W lanes. Names say what stands along the rows of the tile.

/// [Rows * 2 waves * W / Lanes, Lanes * V]: a wave takes whole rows, a lane V neighbours.
template <index_t W, index_t Rows, index_t Lanes, index_t V>
using row_vectors =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<Rows, 2, W / Lanes>, sequence<Lanes, V>>,
                                                 tuple<sequence<1>, sequence<1, 2>>, tuple<sequence<1>, sequence<2, 0>>,
                                                 sequence<1, 2>, sequence<0, 1>>>;

/// [W * V, 2 * Columns]: lanes down the rows, waves and registers along them.
template <index_t W, index_t V, index_t Columns>
using column_vectors = tile_distribution<
    tile_distribution_encoding<sequence<>, tuple<sequence<W, V>, sequence<2, Columns>>, tuple<sequence<2>, sequence<1>>,
                               tuple<sequence<0>, sequence<0>>, sequence<2, 1>, sequence<1, 1>>>;
