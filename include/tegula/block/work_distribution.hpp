#pragma once

#include <tegula/core/array.hpp>
#include <tegula/core/math.hpp>

/// Distributes the work items of a grid among workers. A work item is a tile, for example; workers are the blocks of a launch,
/// the waves of a block, or GPUs. block/raster.hpp has the order in which one product's tiles run.

namespace tegula {

/// Each worker takes neighbouring items. The shares differ by at most one item; the first workers have the larger ones.
/// Preconditions: worker in [0, workers), items >= 0.
struct blocked
{
    /// Items of a worker.
    static constexpr TEGULA_HOST_DEVICE index_t count(index_t worker, index_t workers, index_t items)
    {
        return items / workers + (worker < items % workers ? 1 : 0);
    }
    /// The i-th item of a worker, i in [0, count).
    static constexpr TEGULA_HOST_DEVICE index_t item(index_t worker, index_t workers, index_t items, index_t i)
    {
        const index_t more = items % workers;
        return worker * (items / workers) + min(worker, more) + i;
    }
};

/// Chunks of `Chunk` neighbouring items, which workers take in turn; the last chunk may be shorter. Chunk 1 is the cyclic
/// distribution. Preconditions as for blocked.
template <index_t Chunk = 1>
struct block_cyclic
{
    static_assert(Chunk > 0, "tegula: a chunk has at least one item");

    static constexpr TEGULA_HOST_DEVICE index_t count(index_t worker, index_t workers, index_t items)
    {
        const index_t chunks = items / Chunk; // whole ones
        const index_t rest = chunks % workers == worker ? items % Chunk : 0;
        return (chunks / workers + (worker < chunks % workers ? 1 : 0)) * Chunk + rest;
    }
    static constexpr TEGULA_HOST_DEVICE index_t item(index_t worker, index_t workers, index_t, index_t i)
    {
        return (i / Chunk * workers + worker) * Chunk + i % Chunk;
    }
};

/// Distributes a grid of work items over a grid of workers. The d-th of Ways, blocked or block_cyclic<Chunk>, distributes
/// dimension d of the items over dimension d of the workers. Every item has exactly one worker.
///
///     grid_work<block_cyclic<>, blocked> work{{tiles_m, tiles_n}, {4, columns}}; // for 4 * columns blocks
///     work.for_each(block, [&](const multi_index<2>& tile) { ... });             // a persistent loop
///
/// items    length of the grid of items in each dimension; a 0 leaves every worker without work
/// workers  length of the grid of workers in each dimension, at least 1
///
/// A worker's number is its row-major place in the grid of workers. Precondition: it is below the product of `workers`.
template <class... Ways>
struct grid_work
{
    static constexpr int num_dims = static_cast<int>(sizeof...(Ways));

    multi_index<num_dims> items;
    multi_index<num_dims> workers;

    /// Items of a worker.
    constexpr TEGULA_HOST_DEVICE long_index_t count(index_t worker) const
    {
        const multi_index<num_dims> counts = counts_of(places_of(worker));
        long_index_t all = 1;
        for (int d = 0; d < num_dims; ++d)
            all *= counts[d];
        return all;
    }
    /// The i-th item of a worker, i in [0, count(worker)), in the row-major order of the worker's own items.
    constexpr TEGULA_HOST_DEVICE multi_index<num_dims> item(index_t worker, long_index_t i) const
    {
        const multi_index<num_dims> places = places_of(worker);
        const multi_index<num_dims> counts = counts_of(places);
        multi_index<num_dims> number{};
        for (int d = num_dims - 1; d >= 0; --d) {
            number[d] = static_cast<index_t>(i % counts[d]);
            i /= counts[d];
        }
        int d = 0;
        multi_index<num_dims> at{};
        ((at[d] = Ways::item(places[d], workers[d], items[d], number[d]), ++d), ...);
        return at;
    }
    /// Calls f(item) for every item of a worker, in the order of item().
    TEGULA_CALLS_BACK
    template <class F>
    constexpr TEGULA_INLINE void for_each(index_t worker, const F& f) const
    {
        const long_index_t n = count(worker);
        for (long_index_t i = 0; i < n; ++i)
            f(item(worker, i));
    }

private:
    constexpr TEGULA_HOST_DEVICE multi_index<num_dims> places_of(index_t worker) const
    {
        multi_index<num_dims> places{};
        for (int d = num_dims - 1; d >= 0; --d) {
            places[d] = worker % workers[d];
            worker /= workers[d];
        }
        return places;
    }
    constexpr TEGULA_HOST_DEVICE multi_index<num_dims> counts_of(const multi_index<num_dims>& places) const
    {
        int d = 0;
        multi_index<num_dims> counts{};
        ((counts[d] = Ways::count(places[d], workers[d], items[d]), ++d), ...);
        return counts;
    }
};

} // namespace tegula
