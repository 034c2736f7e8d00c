#pragma once

/// Appending to a cache of keys and values on a device against the formula of the rotary embedding.

#include <tegula/attention.hpp>
#include <tegula/host/launch.hpp>

#include "test/gpu/device_data.hpp"

namespace tegula::test {

enum class appended { keys, values, queries };

/// Rows of a sequence behind what an append_kernel has done: of K or V all that the cache has room for, new ones and those
/// that were there `before`; of Q the turned ones.
template <class T, appended Which>
struct append_formula
{
    static constexpr bool of_queries = Which == appended::queries;

    attention_append_arguments<T> a;
    const T* before; ///< where the cache's tensor was copied from

    TEGULA_HOST_DEVICE index_t heads() const { return of_queries ? a.heads : a.kv_heads; }
    TEGULA_HOST_DEVICE index_t rows() const { return of_queries ? a.rows : a.capacity; }
    TEGULA_HOST_DEVICE index_t columns() const { return Which == appended::values ? a.value_dim : a.head_dim; }
    TEGULA_HOST_DEVICE long_index_t count() const { return a.batch * heads() * rows() * columns(); }

    TEGULA_HOST_DEVICE double found(long_index_t i) const
    {
        const place at(*this, i);
        if constexpr (of_queries)
            return wide(row_of(a.rotated_q, at)[at.column]);
        else
            return wide(cached_tensor().data[cache_place(at)]);
    }
    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        place at(*this, i);
        const index_t cached = a.cached[at.batch], position = of_queries ? cached + at.row : at.row;
        if constexpr (!of_queries) {
            if (at.row < cached || at.row >= cached + a.rows)
                return {wide(before[cache_place(at)]), 0};
            at.row -= cached;
        }
        if constexpr (of_queries)
            return turned(row_of(a.q, at), at.column, position);
        else if constexpr (Which == appended::keys)
            return turned(row_of(a.new_k, at), at.column, position);
        else
            return {wide(row_of(a.new_v, at)[at.column]), 0};
    }

private:
    struct place
    {
        long_index_t batch;
        index_t head, row, column;

        TEGULA_HOST_DEVICE place(const append_formula& f, long_index_t i)
            : batch(i / f.columns() / f.rows() / f.heads()),
              head(static_cast<index_t>(i / f.columns() / f.rows() % f.heads())),
              row(static_cast<index_t>(i / f.columns() % f.rows())), column(static_cast<index_t>(i % f.columns()))
        {}
    };

    template <class U>
    static TEGULA_HOST_DEVICE U* row_of(const attention_tensor<U>& x, const place& at)
    {
        return x.data + at.batch * x.batch_stride + at.head * x.head_stride + at.row * x.row_stride;
    }
    TEGULA_HOST_DEVICE const attention_tensor<T>& cached_tensor() const
    {
        return Which == appended::values ? a.v : a.k;
    }
    TEGULA_HOST_DEVICE long_index_t cache_place(const place& at) const
    {
        const attention_tensor<T>& x = cached_tensor();
        const index_t page = a.pages.table[at.batch * a.pages.batch_stride + at.row / a.pages.page_length];
        return page * x.batch_stride + at.head * x.head_stride + at.row % a.pages.page_length * x.row_stride +
               at.column;
    }
    TEGULA_HOST_DEVICE expected_value turned(const T* row, index_t column, index_t position) const
    {
        const index_t half = a.rotary.columns / 2;
        if (column >= 2 * half)
            return {wide(row[column]), 0};
        const index_t pair = column % half;
        const long_index_t at = position * a.rotary.row_stride + pair;
        const auto c = static_cast<double>(a.rotary.cosines[at]), s = static_cast<double>(a.rotary.sines[at]);
        const double x = wide(row[pair]), y = wide(row[pair + half]);
        const double value = column < half ? x * c - y * s : y * c + x * s;
        const double bound = 0x1p-22 * (std::fabs(x) + std::fabs(y));
        return {value, bound + tegula::detail::storing_error<T>(std::fabs(value) + bound)};
    }
};

/// Three sequences of a cache in pages whose order is not that of the sequences: few and many rows at once, from places
/// inside a page and at its start.
template <class Kernel, class Device>
std::string check_append(Device& device, index_t rows, std::uint64_t seed)
{
    using T = typename Kernel::element;
    using target = typename Kernel::target;
    constexpr index_t page_length = 64, columns = Kernel::columns;
    arrays_on<target, Device> on(device);
    attention_append_arguments<T> args;
    args.batch = 3, args.heads = 4, args.kv_heads = 2, args.rows = rows;
    args.head_dim = columns, args.value_dim = columns - 8;
    const index_t each = ceil_div(130 + rows, page_length);
    args.capacity = each * page_length;
    const auto tensor = [&](auto* data, index_t heads, index_t length, index_t width) {
        return attention_tensor<std::remove_pointer_t<decltype(data)>>{data, long_index_t{heads} * length * width,
                                                                       long_index_t{length} * width, width};
    };
    const auto random = [&](index_t heads, index_t width, std::uint64_t number) -> const T* {
        return on.template uniform<T>(args.batch * heads * rows * width, 9 * seed + number);
    };
    args.q = tensor(random(args.heads, columns, 971), args.heads, rows, columns);
    args.new_k = tensor(random(args.kv_heads, columns, 972), args.kv_heads, rows, columns);
    args.new_v = tensor(random(args.kv_heads, args.value_dim, 973), args.kv_heads, rows, args.value_dim);
    args.rotated_q = tensor(on.template room<T>(args.batch * args.heads * rows * columns), args.heads, rows, columns);
    const long_index_t pages = args.batch * each, of_k = pages * args.kv_heads * page_length * columns;
    args.k = tensor(on.template uniform<T>(of_k, 9 * seed + 974), args.kv_heads, page_length, columns);
    args.v = tensor(on.template uniform<T>(of_k, 9 * seed + 975), args.kv_heads, page_length, args.value_dim);
    const T* const k_before = on.template uniform<T>(of_k, 9 * seed + 974);
    const T* const v_before = on.template uniform<T>(of_k, 9 * seed + 975);
    std::vector<index_t> table;
    for (index_t p = 0; p < pages; ++p)
        table.push_back(static_cast<index_t>(pages) - 1 - p);
    args.pages = {on.put(table), each, page_length, static_cast<index_t>(pages)};
    const std::vector<index_t> cached = {0, 61, 128};
    args.cached = on.put(cached);
    args.key_lengths = on.put(std::vector<index_t>(3, -1));
    const index_t half = columns / 4; // half of the columns turn
    args.rotary = {on.template uniform<float>(long_index_t{args.capacity} * half, 9 * seed + 976),
                   on.template uniform<float>(long_index_t{args.capacity} * half, 9 * seed + 977),
                   half,
                   args.capacity,
                   2 * half,
                   false};
    status s = on.error;
    s = s ? launch(device, Kernel{}, args) : s;
    s = s ? wait_for(device) : s;
    std::vector<index_t> lengths(3);
    s = s ? on.copy_to(lengths, args.key_lengths) : s;
    if (!s)
        return s.message();
    for (std::size_t b = 0; b < 3; ++b)
        if (lengths[b] != cached[b] + rows)
            return "sequence " + std::to_string(b) + " is said to have " + std::to_string(lengths[b]) + " keys";
    return first_wrong(
        [&] { return check_formula<target>(device, "K", append_formula<T, appended::keys>{args, k_before}); },
        [&] { return check_formula<target>(device, "V", append_formula<T, appended::values>{args, v_before}); },
        [&] { return check_formula<target>(device, "Q", append_formula<T, appended::queries>{args, nullptr}); });
}

} // namespace tegula::test
