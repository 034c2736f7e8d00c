#pragma once

#include <tegula/block/softmax_rows.hpp>
#include <tegula/core/constants.hpp>
#include <tegula/kernel/normalization/row_space.hpp>
#include <tegula/kernel/normalization/row_tiles.hpp>
#include <tegula/kernel/normalization/softmax_statistics.hpp>

namespace tegula {

/// The k largest of the softmax of each row, largest first, and of equals the lowest index first. Tokens are routed to
/// experts in this way. NaN is larger than any number, and makes the row's weights NaN.
///
///   x        the scores, along `axis`
///   weights  [rows, k], rows in C order of the other dimensions
///   indices  [rows, k]: places of the weights along `axis`
///   k        at most the length of a row, and at most 32
///   renormalize  the weights of a row add up to 1; else they are those of the whole softmax
template <class T>
struct topk_softmax_arguments
{
    tensor_argument<const T> x = {};
    int axis = -1;
    index_t k = 1;
    bool renormalize = true;
    float* weights = nullptr;
    long_index_t* indices = nullptr;
};

/// Most weights of a row: one for each lane of the narrowest wave.
inline constexpr index_t max_topk_softmax = 32;

/// Errors: those of check_rows; invalid_argument and unsupported for k; invalid_argument for null pointers.
template <class T>
status can_implement(const topk_softmax_arguments<T>& a)
{
    if (status s = check_rows(a.x, a.axis, "x"); !s)
        return s;
    const long_index_t length = a.x.lengths[find_dimension(a.axis, a.x.rank)];
    if (a.k < 1 || a.k > length)
        return status(status_code::invalid_argument, "k is ")
               << a.k << " and a row has " << length << " elements; k is from 1 to the length of a row";
    if (a.k > max_topk_softmax)
        return status(status_code::unsupported, "k is ") << a.k << "; at most " << max_topk_softmax << " are supported";
    if (a.x.size() > 0 && (a.weights == nullptr || a.indices == nullptr))
        return status(status_code::invalid_argument,
                      "weights or indices is a null pointer; both need memory for k numbers a row");
    return {};
}

/// The rows of topk_softmax_arguments, as topk_softmax_kernels finds them.
template <class T>
struct topk_softmax_rows
{
    const T* x;
    row_space<1> space;
    index_t k;
    bool renormalize;
    float* weights;
    long_index_t* indices;
};

namespace detail {

/// A number of 32 bits for each float, in the order of the floats: -0 is +0, and NaN above all.
TEGULA_INLINE std::uint32_t ordered_bits(float x)
{
    const auto bits = __builtin_bit_cast(std::uint32_t, x == 0.0f ? 0.0f : x);
    return x != x ? 0xfffffffeu : (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
}
TEGULA_INLINE float from_ordered_bits(std::uint32_t key)
{
    const std::uint32_t bits = (key >> 31) != 0 ? key & 0x7fffffffu : ~key;
    return __builtin_bit_cast(float, bits);
}

} // namespace detail

/// Makes one sweep over the row for each of the k: finds the largest below the one before.
///
///   Tile  of whole waves: every lane of a row's first wave has room for one weight
template <class Tile, class T>
struct topk_softmax_kernel : row_kernel<Tile>
{
    static_assert(Tile::threads_of_row >= Tile::target::wave_size,
                  "tegula: the rows of top-k take whole waves; use a tile of more threads a row");

    using target = typename Tile::target;
    using arguments = topk_softmax_rows<T>;
    using candidate = std::uint64_t; ///< an element's order, then its index from the end
    static constexpr index_t shared_bytes = Tile::template scratch_bytes<candidate>;

    TEGULA_INLINE void operator()(const arguments& a) const
    {
        for_each_row<Tile>(a.space.rows.size, a.space.blocks, [&](long_index_t row, bool exists) {
            const auto at = a.space.offsets(row);
            const row_access<Tile, const T> x{a.x + at[0], exists ? a.space.length : 0, a.space.strides[0], "x"};
            const auto load = [&](index_t first) { return x.load_float(first, -internal::infinity); };
            row_values<Tile, decltype(load)> values(load, x.length);

            const index_t place = Tile::column_of_lane() / Tile::vector; // place of the lane's weight
            float greatest = 0, sum = 0, mine = 0;
            long_index_t my_index = 0;
            candidate last = ~candidate{0};
            TEGULA_ROLLED
            for (index_t i = 0; i < a.k; ++i) {
                last = find_below(values, x.length, last);
                const float score = detail::from_ordered_bits(static_cast<std::uint32_t>(last >> 32));
                greatest = i == 0 ? score : greatest;
                const float power = exp_by_exp2<target>(score - greatest);
                sum += power;
                mine = place == i ? power : mine;
                my_index = place == i ? long_index_t{~static_cast<std::uint32_t>(last)} : my_index;
            }
            if (!a.renormalize) // the sum of all elements; the greatest is the same
                sum = find_softmax_statistics<false>(values).sum;
            const bool writes = exists && place < a.k;
            internal::write_scalar<target>(a.weights + row * a.k + place, mine / sum, writes);
            internal::write_scalar<target>(a.indices + row * a.k + place, my_index, writes);
        });
    }

private:
    template <class Values>
    static TEGULA_INLINE candidate find_below(Values& values, index_t length, candidate last)
    {
        candidate best = 0;
        values.sweep([&](auto& v, index_t first) {
            for_each_in_row<Tile>(first, length, [&](auto r, index_t column, bool inside) {
                const candidate c = candidate{detail::ordered_bits(v[r])} << 32 | ~static_cast<std::uint32_t>(column);
                best = inside && c < last && c > best ? c : best;
            });
        });
        return Tile::combine(best, maximum{});
    }
};

/// On a CPU the one lane keeps the k largest in order over one sweep.
template <class Tile, class T>
    requires(Tile::target::wave_size == 1)
struct topk_softmax_kernel<Tile, T> : row_kernel<Tile>
{
    using target = typename Tile::target;
    using arguments = topk_softmax_rows<T>;
    using candidate = std::uint64_t; ///< as on other targets
    static constexpr index_t shared_bytes = Tile::template scratch_bytes<candidate>;

    TEGULA_INLINE void operator()(const arguments& a) const
    {
        for_each_row<Tile>(a.space.rows.size, a.space.blocks, [&](long_index_t row, bool exists) {
            if (!exists)
                return;
            const auto at = a.space.offsets(row);
            const row_access<Tile, const T> x{a.x + at[0], a.space.length, a.space.strides[0], "x"};
            const auto load = [&](index_t first) { return x.load_float(first, -internal::infinity); };
            row_values<Tile, decltype(load)> values(load, x.length);

            candidate best[max_topk_softmax] = {};
            values.sweep([&](auto& v, index_t first) {
                for_each_in_row<Tile>(first, x.length, [&](auto r, index_t column, bool inside) {
                    const candidate c =
                        candidate{detail::ordered_bits(v[r])} << 32 | ~static_cast<std::uint32_t>(column);
                    if (!inside || c <= best[a.k - 1])
                        return;
                    index_t place = a.k - 1;
                    for (; place > 0 && c > best[place - 1]; --place)
                        best[place] = best[place - 1];
                    best[place] = c;
                });
            });
            const float greatest = score_of(best[0]);
            float powers[max_topk_softmax], sum = 0;
            for (index_t i = 0; i < a.k; ++i)
                sum += powers[i] = exp_by_exp2<target>(score_of(best[i]) - greatest);
            if (!a.renormalize)
                sum = find_softmax_statistics<false>(values).sum;
            for (index_t i = 0; i < a.k; ++i) {
                internal::write_scalar<target>(a.weights + row * a.k + i, powers[i] / sum);
                internal::write_scalar<target>(a.indices + row * a.k + i,
                                               long_index_t{~static_cast<std::uint32_t>(best[i])});
            }
        });
    }

private:
    static TEGULA_INLINE float score_of(candidate c)
    {
        return detail::from_ordered_bits(static_cast<std::uint32_t>(c >> 32));
    }
};

/// The kernels of top-k with softmax: launch(device, topk_softmax_kernels<Tiles>{}, arguments).
///
///   Tiles  the row_tile_list to pick from
template <class Tiles, class Arguments = any_arguments>
struct topk_softmax_kernels;

template <class Tiles>
struct topk_softmax_kernels<Tiles, any_arguments> : deduces_arguments<topk_softmax_kernels, Tiles>
{};

template <class Tiles, class T>
struct topk_softmax_kernels<Tiles, topk_softmax_arguments<T>> : tensor_protocol<topk_softmax_arguments<T>>
{
    using arguments = topk_softmax_arguments<T>;
    template <class Tile>
    using kernel = topk_softmax_kernel<Tile, T>;

    template <class Memory>
    static void memory(const arguments& a, Memory& memory)
    {
        const long_index_t results = count_rows(a.axis, a.x) * a.k;
        add_tensor(memory, a.x, "x");
        add_array(memory, a.weights, results, "weights");
        add_array(memory, a.indices, results, "indices");
    }
    /// Errors: those of start_rows.
    template <class Launcher>
    status launches(const arguments& a, Launcher& launch) const
    {
        const topk_softmax_rows<T> rows{a.x.data, make_row_space(a.axis, a.x), a.k, a.renormalize, a.weights,
                                        a.indices};
        const int vector = find_row_vector<1>(rows.space, {a.x.data}, {sizeof(T)}, 16);
        return start_rows<kernel>(Tiles{}, rows, vector, "top-k softmax", launch);
    }
};

} // namespace tegula
