#pragma once

#include "support.hpp"

#include <cmath>
#include <cstring>
#include <limits>

/// Tiles on the host, what they and a block's tiles are filled with, and the comparison of the two. The elements of every
/// thread are compared bit by bit, copies included.

/// A tile on the host, row-major.
template <class T>
struct host_tile
{
    std::vector<long> lengths;
    std::vector<T> values;

    explicit host_tile(const std::vector<long>& of) : lengths(of)
    {
        long total = 1;
        for (long n : of)
            total *= n;
        values.resize(static_cast<std::size_t>(total));
    }
    long stride(int dim) const
    {
        long s = 1;
        for (int i = static_cast<int>(lengths.size()) - 1; i > dim; --i)
            s *= lengths[static_cast<std::size_t>(i)];
        return s;
    }
};

template <class Distribution>
std::vector<long> lengths_of()
{
    const long_indices all = x_lengths(Distribution::value);
    return {all.begin(), all.end()};
}

template <class Distribution>
long flat_of(const multi_index<Distribution::num_x>& x)
{
    return detail::flat_index<Distribution>(x);
}

/// Calls f(values along `dim`, their places in the tile) for each row along `dim`.
template <class T, class F>
void for_each_row(const host_tile<T>& tile, int dim, const F& f)
{
    const long n = tile.lengths[static_cast<std::size_t>(dim)], stride = tile.stride(dim);
    for (long first = 0; first < static_cast<long>(tile.values.size()); ++first) {
        if (first / stride % n != 0)
            continue;
        std::vector<T> row;
        std::vector<std::size_t> places;
        for (long i = 0; i < n; ++i) {
            places.push_back(static_cast<std::size_t>(first + i * stride));
            row.push_back(tile.values[places.back()]);
        }
        f(row, places);
    }
}

template <class T>
bool same_bits(const T& a, const T& b)
{
    if constexpr (std::is_floating_point_v<T>)
        if (a != a && b != b)
            return true; // the payload of a NaN does not count
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}
inline bool same_bits(const indexed<float>& a, const indexed<float>& b)
{
    return same_bits(a.value, b.value) && a.index == b.index;
}

/// The elements that each thread of a block got of one tile.
template <class Target, class T, class Distribution>
struct result_of
{
    static constexpr int n = Distribution::num_registers;
    std::vector<T> all;

    explicit result_of(int threads) : all(static_cast<std::size_t>(threads * n)) {}
    void keep(const distributed_tensor<T, Distribution>& tile)
    {
        for (int r = 0; r < n; ++r)
            all[static_cast<std::size_t>(Target::thread_id() * n + r)] = tile[r];
    }
    /// Elements that differ from the host's.
    int wrong(const host_tile<T>& expected) const
    {
        int bad = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto x = element_held<Target, Distribution>(static_cast<int>(i) / n, static_cast<int>(i) % n);
            bad += !same_bits(all[i], expected.values[static_cast<std::size_t>(flat_of<Distribution>(x))]);
        }
        return bad;
    }
};

inline std::uint32_t mixed(long flat)
{
    auto h = static_cast<std::uint32_t>(flat + 1) * 2654435761u;
    h ^= h >> 15;
    return h * 2246822519u;
}

/// Numbers with many equal ones, zeros of both signs, infinities and NaN.
inline float special_number(long flat)
{
    const std::uint32_t h = mixed(flat) >> 8;
    switch (h % 61) {
    case 0:
        return std::numeric_limits<float>::quiet_NaN();
    case 1:
        return std::numeric_limits<float>::infinity();
    case 2:
        return -std::numeric_limits<float>::infinity();
    case 3:
        return -0.0f;
    case 4:
        return 0.0f;
    default:
        return static_cast<float>(h % 17) - 8.0f;
    }
}

/// special_number with -0 for every zero, or with 1 and -1 for the other finite numbers. Their sums, or products, are
/// exact in any order.
inline float number_to_add(long flat)
{
    const float x = special_number(flat);
    return x == 0.0f ? -0.0f : x;
}
inline float number_to_multiply(long flat)
{
    const float x = special_number(flat);
    return x == 0.0f || std::isnan(x) || std::isinf(x) ? x : std::copysign(1.0f, x);
}

/// x -> a x + b modulo 2^32: composition is associative and does not commute.
struct affine
{
    std::uint32_t a, b;
};
constexpr auto compose = [](const affine& f, const affine& g) { return affine{f.a * g.a, g.a * f.b + g.b}; };
inline affine affine_number(long flat) { return {mixed(flat) | 1, mixed(flat + 1000)}; }

template <class Target, class Distribution, class T, class Make>
distributed_tensor<T, Distribution> tile_of(const Make& make)
{
    distributed_tensor<T, Distribution> tile;
    sweep<Target>(tile, [&](T& element, const auto& x) { element = make(flat_of<Distribution>(x)); });
    return tile;
}
template <class Distribution, class T, class Make>
host_tile<T> host_of(const Make& make)
{
    host_tile<T> tile(lengths_of<Distribution>());
    for (std::size_t i = 0; i < tile.values.size(); ++i)
        tile.values[i] = make(static_cast<long>(i));
    return tile;
}

/// How many, their sum and that of their squares, modulo 2^32.
struct moments
{
    std::uint32_t count, sum, squares;
};
constexpr auto add_moments = [](const moments& x, const moments& y) {
    return moments{x.count + y.count, x.sum + y.sum, x.squares + y.squares};
};
inline moments one_moment(long flat) { return {1, mixed(flat), mixed(flat) * mixed(flat)}; }

inline bool starts_segment(long flat) { return mixed(flat + 77) % 5 == 0; }

/// The reduced tile on the host: op over each row in its order.
template <class T, class Op>
host_tile<T> host_reduce(const host_tile<T>& tile, int dim, const Op& op)
{
    std::vector<long> lengths = tile.lengths;
    lengths.erase(lengths.begin() + dim);
    host_tile<T> result(lengths);
    std::size_t at = 0;
    for_each_row(tile, dim, [&](const std::vector<T>& row, const auto&) {
        T value = row[0];
        for (std::size_t i = 1; i < row.size(); ++i)
            value = op(value, row[i]);
        result.values[at++] = value;
    });
    return result;
}
