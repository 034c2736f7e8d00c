#pragma once

#include <tegula/core/static_for.hpp>
#include <tegula/layout/encoding.hpp>

namespace tegula {

/// The order of a distribution's registers: row-major over the Y lengths, without gaps.
struct packed_registers
{};

namespace encoding_rules {
template <bool Ok>
struct register_strides_are_injective
{
    static_assert(Ok, "tegula: the given register strides put two elements into one register");
};
} // namespace encoding_rules

namespace detail {

/// Strides of ys_to_d: packed in Y order, or the ones given.
template <class YStrides>
constexpr long_indices register_strides(const encoding_value& e)
{
    if constexpr (is_sequence<YStrides>) {
        long_indices v;
        for (index_t s : to_lengths(YStrides{}))
            v.push_back(s);
        return v;
    } else {
        long_indices v = zeros(e.num_y());
        long_index_t stride = 1;
        for (int i = e.num_y() - 1; i >= 0; --i) {
            v[i] = stride;
            stride *= y_length(e, i);
        }
        return v;
    }
}

/// Largest register index + 1.
constexpr long_index_t register_space(const encoding_value& e, const long_indices& strides)
{
    long_index_t last = 0;
    for (int i = 0; i < e.num_y(); ++i)
        last += (y_length(e, i) - 1) * strides[i];
    return last + 1;
}

constexpr bool strides_are_injective(const encoding_value& e, const long_indices& strides)
{
    bool used[4096] = {};
    const long_index_t n = registers_per_lane(e);
    if (strides.size() != e.num_y() || register_space(e, strides) > 4096)
        return false;
    for (long_index_t flat = 0; flat < n; ++flat) {
        const long_indices y = unflatten(flat, y_lengths(e), e.num_y());
        long_index_t d = 0;
        for (int i = 0; i < e.num_y(); ++i)
            d += y[i] * strides[i];
        if (used[d])
            return false;
        used[d] = true;
    }
    return true;
}

} // namespace detail

/// Which lane and register hold which element of a tile: the maps of an encoding, for kernels.
///
/// A partition index p is {lane}, {wave, lane} or {thread}. A register position y has one index for each Y of the encoding.
/// YStrides is packed_registers, or a sequence with one register stride for each Y.
template <class Encoding, class YStrides = packed_registers>
struct tile_distribution
{
    using encoding = Encoding;

    static constexpr encoding_value value = Encoding::value;
    static constexpr int num_x = value.num_x();
    static constexpr int num_p = value.num_p();
    static constexpr int num_y = value.num_y();

private:
    static constexpr digit_table table = make_digit_table(value);
    static constexpr long_indices strides = detail::register_strides<YStrides>(value);
    static consteval bool strides_are_injective()
    {
        if constexpr (is_sequence<YStrides>)
            return detail::strides_are_injective(value, strides);
        else
            return true;
    }
    static_assert(sizeof(encoding_rules::register_strides_are_injective<strides_are_injective()>));

    /// The digits that Ys own, by Y.
    struct y_digits
    {
        placed_digit of[num_y > 0 ? num_y : 1];
    };
    static consteval y_digits find_y_digits()
    {
        y_digits ys{};
        for (const placed_digit& digit : table.digits)
            if (digit.y_dim >= 0)
                ys.of[digit.y_dim] = digit;
        return ys;
    }
    static constexpr y_digits ys = find_y_digits();

public:
    static constexpr int num_digits = table.digits.size();

private:
    /// The digits longer than 1 that Ps own: those of elements, or of replicas.
    using digit_list = static_vector<int, num_digits + 1>;
    static consteval digit_list find_p_digits(bool replicas)
    {
        digit_list list;
        for (int i = 0; i < num_digits; ++i)
            if (const placed_digit& d = table.digits[i]; d.p_dim >= 0 && d.length > 1 && (d.x_dim < 0) == replicas)
                list.push_back(i);
        return list;
    }
    static constexpr digit_list element_digits = find_p_digits(false);
    static constexpr digit_list replica_digits = find_p_digits(true);

public:
    /// Elements that a lane holds, and registers that they take: more if YStrides leaves gaps.
    static constexpr int num_elements = static_cast<int>(registers_per_lane(value));
    static constexpr int num_registers = static_cast<int>(detail::register_space(value, strides));
    static constexpr int replication = static_cast<int>(tegula::replication(value));
    static constexpr long_index_t partition_size = tegula::partition_size(value);

    static consteval index_t x_length(int i) { return static_cast<index_t>(tegula::x_length(value, i)); }
    static consteval index_t p_length(int i) { return static_cast<index_t>(tegula::p_length(value, i)); }
    static consteval index_t y_length(int i) { return tegula::y_length(value, i); }
    static consteval placed_digit digit(int i) { return table.digits[i]; }
    static consteval index_t register_stride(int i) { return static_cast<index_t>(strides[i]); }

    /// Tile index of the first element that partition index p holds, at register position 0 of every Y.
    static constexpr TEGULA_INLINE multi_index<num_x> origin(const multi_index<num_p>& p)
    {
        return origin(p, std::make_integer_sequence<int, element_digits.size()>{});
    }

    /// Tile index of the element that partition index p holds at register position y. Exactly `replication` pairs (p, y) hold
    /// each element.
    static constexpr TEGULA_INLINE multi_index<num_x> calculate_index(const multi_index<num_p>& p,
                                                                      const multi_index<num_y>& y)
    {
        multi_index<num_x> x = origin(p);
        static_for<num_digits>([&](auto i) {
            constexpr placed_digit d = digit(i);
            if constexpr (d.y_dim >= 0)
                x[d.x_dim] += y[d.y_dim] * static_cast<index_t>(d.x_stride);
        });
        return x;
    }

    /// Whether partition index p is the one replica that writes: all its R digits are 0.
    static constexpr TEGULA_INLINE bool is_first_replica(const multi_index<num_p>& p)
    {
        return is_first_replica(p, std::make_integer_sequence<int, replica_digits.size()>{});
    }

    /// The register, in [0, num_registers), of register position y.
    static constexpr TEGULA_INLINE index_t register_index(const multi_index<num_y>& y)
    {
        index_t d = 0;
        static_for<num_y>([&](auto i) {
            constexpr index_t stride = register_stride(i);
            d += y[i] * stride;
        });
        return d;
    }

    /// The register of the element at origin(p) + step. Precondition: the lane holds it.
    static consteval int register_at(const multi_index<num_x>& step)
    {
        long_index_t d = 0;
        for (int y = 0; y < num_y; ++y)
            d += (step[ys.of[y].x_dim] / ys.of[y].x_stride) % ys.of[y].length * strides[y];
        return static_cast<int>(d);
    }

    /// The step from origin(p) to the element at the n-th register position (Y flattened row-major).
    static consteval multi_index<num_x> step(int n)
    {
        // No call for each digit: the compiler evaluates this for every register of every access of every window.
        multi_index<num_x> x{};
        for (int y = num_y - 1; y >= 0; --y) {
            const placed_digit& digit = ys.of[y];
            x[digit.x_dim] += static_cast<index_t>(n % digit.length * digit.x_stride);
            n /= digit.length;
        }
        return x;
    }

    /// Elements that a lane holds along tensor dimension `dim`.
    static consteval index_t span_length(int dim)
    {
        index_t n = 1;
        for (const placed_digit& digit : table.digits)
            if (digit.y_dim >= 0 && digit.x_dim == dim)
                n *= digit.length;
        return n;
    }

private:
    template <int... Is>
    static constexpr TEGULA_INLINE multi_index<num_x> origin(const multi_index<num_p>& p,
                                                             std::integer_sequence<int, Is...>)
    {
        multi_index<num_x> x{};
        ((x[digit(element_digits[Is]).x_dim] +=
          lane_digit<element_digits[Is]>(p) * static_cast<index_t>(digit(element_digits[Is]).x_stride)),
         ...);
        return x;
    }

    template <int... Is>
    static constexpr TEGULA_INLINE bool is_first_replica(const multi_index<num_p>& p, std::integer_sequence<int, Is...>)
    {
        return ((lane_digit<replica_digits[Is]>(p) == 0) && ...);
    }

    template <int I>
    static constexpr TEGULA_INLINE index_t lane_digit(const multi_index<num_p>& p)
    {
        constexpr placed_digit d = digit(I);
        constexpr index_t stride = static_cast<index_t>(d.p_stride);
        constexpr bool most_significant = d.p_stride * d.length == p_length(d.p_dim);
        // Unsigned division by a constant is a shift or a multiply; the topmost digit needs no remainder.
        const unsigned quotient = static_cast<unsigned>(p[d.p_dim]) / static_cast<unsigned>(stride);
        return static_cast<index_t>(most_significant ? quotient : quotient % static_cast<unsigned>(d.length));
    }
};

namespace detail {
template <class D>
struct distribution_from
{
    static_assert(encoding<D>,
                  "tegula: a tile distribution is asked for, and this type is neither one nor an encoding; "
                  "write tile_distribution<tile_distribution_encoding<...>> or coalesced<...>");
    using type = tile_distribution<D>;
};
template <class D>
    requires requires { typename D::encoding; }
struct distribution_from<D>
{
    using type = D;
};
} // namespace detail

/// D itself if it is a distribution, tile_distribution<D> if it is an encoding. With it, templates accept both.
template <class D>
using distribution_of = typename detail::distribution_from<D>::type;

/// Makes a distribution from an encoding.
template <encoding E>
constexpr tile_distribution<E> make_static_tile_distribution(E)
{
    return {};
}

} // namespace tegula
