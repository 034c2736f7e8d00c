#pragma once

#include <tegula/kernel/normalization/moments.hpp>
#include <tegula/kernel/normalization/norm_arguments.hpp>

namespace tegula {

/// Layer and RMS normalisation with what is fused with it; see norm_arguments.
template <class Tile, norm_kind Kind, class T, class O = T>
struct norm_kernel
{
    using target = typename Tile::target;
    using tile = Tile;
    using arguments = norm_rows<T, O>;
    using chunk = typename Tile::template values<float>;
    static constexpr int block_threads = Tile::block_threads;
    static constexpr index_t shared_bytes = Tile::template scratch_bytes<float>;

    TEGULA_INLINE void operator()(const arguments& a) const
    {
        for_each_row<Tile>(a.space.rows.size, a.space.blocks, [&](long_index_t row, bool exists) {
            const auto at = a.space.offsets(row);
            const index_t length = exists ? a.space.length : 0;
            const auto& strides = a.space.strides;
            const row_access<Tile, const T> x{a.x + at[0], length, strides[0], "x"};
            const row_access<Tile, O> y{a.y + at[1], length, strides[1], "y"};
            const row_access<Tile, const T> residual{a.residual + at[2], length, strides[2], "residual"};
            const row_access<Tile, T> sum{a.sum + at[3], length, strides[3], "sum"};
            bool summed = false; // the sum is in memory
            const auto load = [&](index_t first) {
                if (a.residual == nullptr)
                    return x.load_float(first);
                if (summed)
                    return sum.load_float(first);
                chunk v = x.load_float(first);
                const chunk more = residual.load_float(first);
                for_each_register<Tile::registers>([&](auto r) { v[r] = convert<float>(convert<T>(v[r] + more[r])); });
                sum.store_float(first, v);
                return v;
            };
            row_values<Tile, decltype(load)> values(load, length);

            float mean = 0, factor = 1;
            const auto n = static_cast<float>(a.space.length);
            if constexpr (Kind == norm_kind::layer) {
                const row_moments of = find_moments(values, length);
                mean = exists ? of.mean : 0.0f;
                factor = target::rsqrt(of.squares / n + a.epsilon);
            } else if constexpr (Kind == norm_kind::rms) {
                factor = target::rsqrt(find_squares(values) / n + a.epsilon);
            }
            summed = Kind != norm_kind::none;
            if (a.mean != nullptr)
                store_of_row<Tile>(a.mean + row, mean, exists);
            if (a.inverse_deviation != nullptr)
                store_of_row<Tile>(a.inverse_deviation + row, factor, exists);

            float inverse = 1;
            if constexpr (has_row_scale<O>) {
                float greatest = 0;
                values.sweep([&](auto& v, index_t first) {
                    normalize(a, v, first, length, mean, factor);
                    for_each_in_row<Tile>(first, length, [&](auto r, index_t, bool inside) {
                        greatest = target::max_number(greatest, inside ? __builtin_fabsf(v[r]) : 0.0f);
                    });
                });
                summed = true;
                greatest = Tile::combine(greatest, greater_number<target>{});
                constexpr auto most = static_cast<float>(number_traits<O>::max());
                const bool scaled = greatest >= most * 0x1p-126f; // a smaller row is 0: no float would be its inverse
                inverse = scaled ? most / greatest : 0.0f;
                store_of_row<Tile>(a.scale + row, scaled ? greatest / most : 0.0f, exists);
            }
            values.sweep([&](auto& v, index_t first) {
                if constexpr (!has_row_scale<O> || !Tile::resident)
                    normalize(a, v, first, length, mean, factor);
                if constexpr (has_row_scale<O>)
                    for_each_register<Tile::registers>([&](auto r) { v[r] *= inverse; });
                y.store_float(first, v);
            });
        });
    }

private:
    /// Whether the elements in registers are their differences from the mean already (find_moments).
    static constexpr bool centred = Kind != norm_kind::layer || Tile::resident;

    /// v = ((v - mean) * factor * weight + bias) * smooth, as far as these are given.
    static TEGULA_INLINE void normalize(const arguments& a, chunk& v, index_t first, index_t length, float mean,
                                        float factor)
    {
        for_each_register<Tile::registers>([&](auto r) { v[r] = (centred ? v[r] : v[r] - mean) * factor; });
        const auto of_row = [&](const T* data, long_index_t stride, const char* name) {
            return row_access<Tile, const T>{data, length, stride, name}.load_float(first);
        };
        if (a.weight != nullptr && a.bias != nullptr) {
            const chunk w = of_row(a.weight, a.weight_stride, "weight"), b = of_row(a.bias, a.bias_stride, "bias");
            for_each_register<Tile::registers>([&](auto r) { v[r] = v[r] * w[r] + b[r]; });
        } else if (a.weight != nullptr) {
            const chunk w = of_row(a.weight, a.weight_stride, "weight");
            for_each_register<Tile::registers>([&](auto r) { v[r] *= w[r]; });
        } else if (a.bias != nullptr) {
            const chunk b = of_row(a.bias, a.bias_stride, "bias");
            for_each_register<Tile::registers>([&](auto r) { v[r] += b[r]; });
        }
        if (a.smooth != nullptr) {
            const chunk s = of_row(a.smooth, a.smooth_stride, "smooth");
            for_each_register<Tile::registers>([&](auto r) { v[r] *= s[r]; });
        }
    }
};

} // namespace tegula
