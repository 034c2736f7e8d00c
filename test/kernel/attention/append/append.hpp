#pragma once

/// Appending to a cache, against the formula of the rotary embedding in double, and attending to what was appended.

#include <tegula/host/emulated_device.hpp>
#include <tegula/kernel/attention/append/append_and_attend.hpp>
#include <tegula/kernel/attention/append/kernel.hpp>
#include <tegula/kernel/attention/split/kernel.hpp>

#include "test/kernel/attention/harness.hpp"

#include <cmath>

namespace tegula::test {

/// Row `row` of x, turned by the embedding at `position`, in double.
template <class T>
std::vector<double> turned_row(const T* row, index_t columns, const rotary_embedding& r, index_t position)
{
    std::vector<double> x;
    for (index_t c = 0; c < columns; ++c)
        x.push_back(static_cast<double>(convert<float>(row[c])));
    if (r.cosines == nullptr)
        return x;
    std::vector<double> y = x;
    for (index_t i = 0; i < r.columns / 2; ++i) {
        const auto a = static_cast<std::size_t>(r.interleaved ? 2 * i : i);
        const auto b = static_cast<std::size_t>(r.interleaved ? 2 * i + 1 : i + r.columns / 2);
        const double c = r.cosines[position * r.row_stride + i], s = r.sines[position * r.row_stride + i];
        y[a] = x[a] * c - x[b] * s;
        y[b] = x[b] * c + x[a] * s;
    }
    return y;
}

/// Tensors [batch, rows, heads, columns] of a decoding step, and a cache of pages [page, kv_heads, page_length, columns]
/// or of sequences.
template <class T>
struct append_data
{
    std::vector<T> new_k, new_v, k, v, q, turned;
    std::vector<float> cosines, sines;
    std::vector<index_t> table, cached, offsets, lengths;
    attention_append_arguments<T> args;

    /// page_length 0: the cache is not paged.
    append_data(std::vector<index_t> cached_rows, index_t rows, index_t heads, index_t kv_heads, index_t head_dim,
                index_t value_dim, index_t capacity, index_t page_length)
        : cached(std::move(cached_rows)), lengths(cached.size(), -1)
    {
        args.batch = static_cast<long_index_t>(cached.size());
        args.heads = heads, args.kv_heads = kv_heads, args.rows = rows;
        args.head_dim = head_dim, args.value_dim = value_dim, args.capacity = capacity;
        args.new_k = tensor<const T>(new_k, args.batch, rows, kv_heads, head_dim, 1);
        args.new_v = tensor<const T>(new_v, args.batch, rows, kv_heads, value_dim, 2);
        args.q = tensor<const T>(q, args.batch, rows, heads, head_dim, 3);
        args.rotated_q = tensor<T>(turned, args.batch, rows, heads, head_dim, 4);
        const index_t each = page_length > 0 ? ceil_div(capacity, page_length) : 0;
        const long_index_t entries = page_length > 0 ? args.batch * each + 1 : args.batch;
        args.k = tensor<T>(k, entries, page_length > 0 ? page_length : capacity, kv_heads, head_dim, 5);
        args.v = tensor<T>(v, entries, page_length > 0 ? page_length : capacity, kv_heads, value_dim, 6);
        for (index_t p = 0; p < args.batch * each; ++p) // pages in descending order; page 0 is nobody's
            table.push_back(static_cast<index_t>(args.batch) * each - p);
        args.pages = {table.empty() ? nullptr : table.data(), each, page_length, static_cast<index_t>(entries)};
        args.cached = cached.data();
        args.key_lengths = lengths.data();
    }
    append_data(const append_data&) = delete;

    void embed(index_t columns, bool interleaved)
    {
        const index_t half = columns / 2, stride = half + 4;
        cosines.resize(static_cast<std::size_t>(args.capacity * stride));
        sines.resize(cosines.size());
        for (index_t p = 0; p < args.capacity; ++p)
            for (index_t i = 0; i < half; ++i) {
                const double angle = p * std::pow(10000.0, -2.0 * i / columns);
                cosines[static_cast<std::size_t>(p * stride + i)] = static_cast<float>(std::cos(angle));
                sines[static_cast<std::size_t>(p * stride + i)] = static_cast<float>(std::sin(angle));
            }
        args.rotary = {cosines.data(), sines.data(), stride, args.capacity, columns, interleaved};
    }

    /// Row of the cache of a sequence.
    template <class Tensor>
    auto* cache_row(const Tensor& x, long_index_t batch, index_t head, index_t row) const
    {
        const auto& p = args.pages;
        const long_index_t entry = p.table == nullptr ? batch : p.table[batch * p.batch_stride + row / p.page_length];
        return x.data + entry * x.batch_stride + head * x.head_stride +
               (p.table == nullptr ? row : row % p.page_length) * x.row_stride;
    }

private:
    template <class Pointed>
    static attention_tensor<Pointed> tensor(std::vector<T>& x, long_index_t entries, index_t rows, index_t heads,
                                            index_t columns, std::uint64_t seed)
    {
        constexpr long_index_t padding = 8;
        const long_index_t row = heads * (columns + padding);
        x.resize(static_cast<std::size_t>(entries * rows * row));
        fill_normal<T>(x, seed);
        return {x.data(), rows * row, columns + padding, row};
    }
};

/// Appends and compares every element of the cache, old ones and those of nobody too, and of the turned queries.
template <class Kernel, class T>
void check_append(append_data<T>& data)
{
    const auto& a = data.args;
    const std::vector<T> before_k = data.k, before_v = data.v;
    emulated_device device;
    const status s = launch(device, Kernel{}, a);
    INFO(s.message() << device.result.report);
    REQUIRE(s.ok());

    std::vector<T> k = before_k, v = before_v; // with the right rows
    long_index_t wrong = 0;
    const auto take = [&](const T* result, const T* row, index_t columns, const rotary_embedding& r, index_t position) {
        const std::vector<double> right = turned_row(row, columns, r, position);
        double largest = 0;
        for (index_t c = 0; c < columns; ++c)
            largest = std::fmax(largest, std::fabs(static_cast<double>(convert<float>(row[c]))));
        for (index_t c = 0; c < columns; ++c) {
            const double y = right[static_cast<std::size_t>(c)];
            const double ulp = std::is_same_v<T, half> ? 0x1p-11 : 0x1p-8;
            // To nearest in T, after products and a sum in float; a result near 0 has the smallest number of half.
            wrong += !(std::fabs(static_cast<double>(convert<float>(result[c])) - y) <=
                       ulp * std::fabs(y) + 0x1p-22 * largest + 0x1p-25);
        }
    };
    for (long_index_t b = 0; b < a.batch; ++b) {
        const index_t first = a.new_offsets != nullptr ? a.new_offsets[b] : 0;
        const index_t count = a.new_offsets != nullptr ? a.new_offsets[b + 1] - first : a.rows;
        const long_index_t entry = a.new_offsets != nullptr ? 0 : b;
        const index_t cached = data.cached[static_cast<std::size_t>(b)];
        CHECK(data.lengths[static_cast<std::size_t>(b)] == cached + count);
        for (index_t i = 0; i < count; ++i) {
            for (index_t h = 0; h < a.kv_heads; ++h) {
                const auto from = [&](const auto& x) {
                    return x.data + entry * x.batch_stride + h * x.head_stride + (first + i) * x.row_stride;
                };
                T* const at_k = data.cache_row(a.k, b, h, cached + i);
                T* const at_v = data.cache_row(a.v, b, h, cached + i);
                take(at_k, from(a.new_k), a.head_dim, a.rotary, cached + i);
                take(at_v, from(a.new_v), a.value_dim, {}, 0);
                std::copy(at_k, at_k + a.head_dim, k.begin() + (at_k - data.k.data()));
                std::copy(at_v, at_v + a.value_dim, v.begin() + (at_v - data.v.data()));
            }
            for (index_t h = 0; h < a.heads; ++h) {
                const long_index_t at = entry * a.q.batch_stride + h * a.q.head_stride + (first + i) * a.q.row_stride;
                take(data.turned.data() + at, data.q.data() + at, a.head_dim, a.rotary, cached + i);
            }
        }
    }
    CHECK(wrong == 0);
    // Nothing else was written.
    CHECK(std::memcmp(k.data(), data.k.data(), k.size() * sizeof(T)) == 0);
    CHECK(std::memcmp(v.data(), data.v.data(), v.size() * sizeof(T)) == 0);
}

template <class Target>
void check_appending()
{
    { // one row each, neighbours in pairs, in pages
        append_data<half> data({0, 31, 100}, 1, 4, 2, 64, 32, 128, 64);
        data.embed(64, true);
        check_append<append_kernel<Target, half, 64>>(data);
    }
    { // rows that cross pages, part of the columns turned
        append_data<half> data({0, 63, 27}, 37, 3, 1, 56, 64, 192, 32);
        data.embed(32, false);
        check_append<append_kernel<Target, half, 64>>(data);
    }
    for (const index_t page : {1, 12, 16, 48}) { // pages of any length
        INFO("pages of " << page << " rows");
        append_data<half> data({0, 31, 50}, 21, 2, 1, 64, 64, 96, page);
        data.embed(64, false);
        check_append<append_kernel<Target, half, 64>>(data);
    }
    { // sequences of 3, 0 and 20 new rows
        append_data<half> data({5, 7, 11}, 20, 2, 2, 64, 64, 40, 0);
        const std::vector<index_t> offsets = {0, 3, 3, 20};
        data.args.new_offsets = offsets.data();
        data.args.rows = 17;
        data.embed(64, false);
        check_append<append_kernel<Target, half, 64>>(data);
    }
    { // no embedding
        append_data<half> data({5, 0}, 9, 1, 1, 64, 40, 40, 0);
        check_append<append_kernel<Target, half, 64>>(data);
    }
}

} // namespace tegula::test
