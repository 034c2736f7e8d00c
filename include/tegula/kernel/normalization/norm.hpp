#pragma once

#include <tegula/arch/reload_arguments.hpp>
#include <tegula/kernel/normalization/moments.hpp>
#include <tegula/kernel/normalization/norm_arguments.hpp>
#include <tegula/kernel/normalization/row_tiles.hpp>

namespace tegula {

/// Layer and RMS normalisation with what is fused with it; see norm_arguments.
template <class Tile, norm_kind Kind, class T, class O = T>
struct norm_kernel : row_kernel<Tile>
{
    using target = typename Tile::target;
    using arguments = norm_rows<T, O>;
    /// The part that is normalised at a time, so that operands as long as a row take few registers.
    using part = typename Tile::part;
    using chunk = typename part::template values<float>;
    static constexpr int parts = Tile::passes / part::passes;
    /// A vector of the row is 4 registers; without a limit ptxas holds each sweep's floats in addition.
    static constexpr int blocks_together = target::vendor != vendor::nvidia       ? 1
                                           : !Tile::resident || Tile::vector == 1 ? 1
                                           : Tile::passes > 4 || has_row_scale<O> ? 2
                                                                                  : 3;
    static constexpr index_t shared_bytes = Tile::template scratch_bytes<float>;
    /// Floats of a CPU, where every tensor has neighbours.
    static constexpr bool takes_runs = is_native_cpu<target> && std::is_same_v<T, float> && std::is_same_v<O, float>;

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        for_each_row<Tile>(args.space.rows.size, args.space.blocks, [&](long_index_t row, bool exists) {
            // The fused operations need more scalar registers than AMD has: the arguments are reloaded for each row.
            const arguments& a = internal::reload_arguments(args);
            const auto at = a.space.offsets(row);
            if constexpr (takes_runs)
                if (has_runs(a))
                    return normalize_run(a, row, at);
            const index_t length = exists ? a.space.length : 0;
            const auto& strides = a.space.strides;
            const row_access<Tile, const T> x{a.x + at[0], length, strides[0], "x"};
            const row_access<Tile, const T> residual{a.residual + at[2], length, strides[2], "residual"};
            const row_access<Tile, T> sum{a.sum + at[3], length, strides[3], "sum"};
            bool summed = false; // the sum is in memory
            const auto load = [&](index_t first) {
                if (a.residual == nullptr)
                    return x.load_held(first);
                if (summed)
                    return sum.load_held(first);
                auto v = x.load_held(first);
                const auto more = residual.load_held(first);
                v.update([&](auto r, float number) { return number + more[r]; });
                sum.store_held(first, v);
                return v;
            };
            row_values<Tile, decltype(load)> values(load, length);

            const auto again = [&] { summed = true; };
            const divisor by = find_divisor(
                a, row, exists, [&] { return find_moments(values, length, a.root_of_epsilon, again); },
                [&] { return find_squares(values, a.root_of_epsilon, again); });
            summed = Kind != norm_kind::none;

            // On NVIDIA the place of y is computed here: it would take registers in the sweeps before.
            index_t hidden = 0;
            if constexpr (target::vendor == vendor::nvidia)
                target::make_opaque(hidden);
            const row_access<part, O> y{a.y + a.space.offsets(row + hidden)[1], length, strides[1], "y"};
            float inverse = 1;
            const auto write = [&](chunk& v, index_t first, auto) {
                if constexpr (has_row_scale<O>)
                    for_each_register<part::registers>([&](auto r) { v[r] *= inverse; });
                y.store_float(first, v);
            };
            if constexpr (has_row_scale<O>) {
                [[maybe_unused]] array<chunk, Tile::resident ? parts : 1> whole; // the operands are read once, too
                float greatest = 0;
                for_each_part(a, values, length, by, [&](const chunk& v, index_t first, auto p) {
                    for_each_in_row<part>(first, length, [&](auto r, index_t, bool inside) {
                        greatest = target::max_number(greatest, inside ? __builtin_fabsf(v[r]) : 0.0f);
                    });
                    if constexpr (Tile::resident)
                        whole[p] = v;
                });
                summed = true;
                greatest = Tile::combine(greatest, greater_number<target>{});
                constexpr auto most = static_cast<float>(number_traits<O>::max());
                const bool scaled = greatest >= most * 0x1p-126f; // a smaller row is 0: no float would be its inverse
                inverse = of_whole_waves(scaled ? most / greatest : 0.0f);
                store_of_row<Tile>(a.scale + row, scaled ? greatest / most : 0.0f, exists);
                if constexpr (Tile::resident)
                    return for_each_register<parts>([&](auto p) { write(whole[p], p * part::columns, p); });
            }
            for_each_part(a, values, length, by, write);
        });
    }

private:
    /// The numbers that normalise a row: its unit (row_unit), the mean and 1 / deviation measured in it.
    struct divisor
    {
        float inverse_unit = 1, mean = 0, factor = 1;
    };

    /// A number that a row's lanes have in common, in a scalar register if AMD's waves belong to one row each: these
    /// kernels run out of vector registers.
    static TEGULA_INLINE float of_whole_waves(float x)
    {
        if constexpr (target::chip().vendor == vendor::amd && Tile::threads_of_row >= target::wave_size)
            return __builtin_bit_cast(float, target::uniform(__builtin_bit_cast(int, x)));
        else
            return x;
    }

    /// The numbers that normalise row `row`, from moments() or squares(), as the kind needs; writes its mean and deviation if
    /// they are wanted.
    template <class Moments, class Squares>
    static TEGULA_INLINE divisor find_divisor(const arguments& a, long_index_t row, bool exists, const Moments& moments,
                                              const Squares& squares)
    {
        divisor by; // for a row that is only scaled: changes nothing
        float mean = 0, inverse_deviation = 1;
        const auto divide_by = [&](float sum, const row_unit& unit) {
            const auto inverse =
                find_inverse_deviation<target>(sum / static_cast<float>(a.space.length), unit, a.epsilon);
            by.inverse_unit = of_whole_waves(unit.inverse);
            by.factor = of_whole_waves(inverse.of_units);
            inverse_deviation = inverse.of_numbers;
        };
        if constexpr (Kind == norm_kind::layer) {
            const row_moments of = moments();
            by.mean = exists ? of.mean : 0.0f;
            mean = by.mean * of.unit.size;
            divide_by(of.squares, of.unit);
        } else if constexpr (Kind == norm_kind::rms) {
            const row_squares of = squares();
            divide_by(of.squares, of.unit);
        }
        if (a.mean != nullptr)
            store_of_row<Tile>(a.mean + row, mean, exists);
        if (a.inverse_deviation != nullptr)
            store_of_row<Tile>(a.inverse_deviation + row, inverse_deviation, exists);
        return by;
    }

    /// Whether neighbours in a row are neighbours in every tensor.
    static TEGULA_INLINE bool has_runs(const arguments& a)
    {
        bool all = (a.weight == nullptr || a.weight_stride == 1) && (a.bias == nullptr || a.bias_stride == 1) &&
                   (a.smooth == nullptr || a.smooth_stride == 1);
        for (const long_index_t stride : a.space.strides)
            all = all && stride == 1;
        return all;
    }

    /// A row of floats that follow each other in every tensor, as passes over memory that is in cache after the first.
    static TEGULA_INLINE void normalize_run(const arguments& a, long_index_t row, const array<long_index_t, 4>& at)
    {
        using rows = rows_of_lane<target>;
        const index_t length = a.space.length;
        const float* x = a.x + at[0];
        if (a.residual != nullptr) {
            rows::add(a.sum + at[3], x, a.residual + at[2], length);
            x = a.sum + at[3];
        }
        const divisor by = find_divisor(
            a, row, true, [&] { return find_moments_of_run<target>(x, length, a.root_of_epsilon); },
            [&] { return find_squares_of_run<target>(x, length, a.root_of_epsilon); });
        rows::normalize(a.y + at[1], x, length, by.inverse_unit, by.mean, by.factor, a.weight, a.bias, a.smooth);
    }

    /// The element's difference from the mean in units.
    static TEGULA_INLINE float difference(float v, const divisor& by)
    {
        if constexpr (Kind == norm_kind::none)
            return v;
        else if constexpr (Kind == norm_kind::rms)
            return v * by.inverse_unit;
        else
            return v * by.inverse_unit - by.mean;
    }

    /// f(normalised elements, their first column, their part's number) for the parts of a row in turn.
    template <class Values, class F>
    static TEGULA_INLINE void for_each_part(const arguments& a, Values& values, index_t length, const divisor& by,
                                            const F& f)
    {
        values.sweep([&](const auto& held, index_t of_chunk) {
            for_each_register<parts>([&](auto p) {
                const index_t first = of_chunk + p * part::columns;
                chunk v;
                for_each_register<part::registers>(
                    [&](auto r) { v[r] = difference(held[p * part::registers + r], by) * by.factor; });
                apply_operands(a, v, first, length);
                f(v, first, p);
            });
        });
    }

    /// v = (v * weight + bias) * smooth, as far as these are given.
    static TEGULA_INLINE void apply_operands(const arguments& a, chunk& v, index_t first, index_t length)
    {
        const auto of_row = [&](const T* data, long_index_t stride, const char* name) {
            return row_access<part, const T>{data, length, stride, name}.load_float(first);
        };
        if (a.weight != nullptr && a.bias != nullptr) {
            const chunk w = of_row(a.weight, a.weight_stride, "weight"), b = of_row(a.bias, a.bias_stride, "bias");
            for_each_register<part::registers>([&](auto r) { v[r] = v[r] * w[r] + b[r]; });
        } else if (a.weight != nullptr) {
            const chunk w = of_row(a.weight, a.weight_stride, "weight");
            for_each_register<part::registers>([&](auto r) { v[r] *= w[r]; });
        } else if (a.bias != nullptr) {
            const chunk b = of_row(a.bias, a.bias_stride, "bias");
            for_each_register<part::registers>([&](auto r) { v[r] += b[r]; });
        }
        if (a.smooth != nullptr) {
            const chunk s = of_row(a.smooth, a.smooth_stride, "smooth");
            for_each_register<part::registers>([&](auto r) { v[r] *= s[r]; });
        }
    }
};

/// The kernels of a norm: launch(device, norm_kernels<Tiles, Kind>{}, arguments).
///
///   Tiles  the row_tile_list to pick from
template <class Tiles, norm_kind Kind, class Arguments = any_arguments>
struct norm_kernels;

template <class Tiles, norm_kind Kind>
struct norm_kernels<Tiles, Kind, any_arguments>
{
    template <class Arguments>
    using with_arguments = norm_kernels<Tiles, Kind, Arguments>;
};

template <class Tiles, class T, class O, norm_kind Kind>
struct norm_kernels<Tiles, Kind, norm_arguments<T, O>> : tensor_protocol<norm_arguments<T, O>>
{
    using arguments = norm_arguments<T, O>;
    template <class Tile>
    using kernel = norm_kernel<Tile, Kind, T, O>;

    template <class Memory>
    static void memory(const arguments& a, Memory& memory)
    {
        const long_index_t rows = count_rows(a.axis, a.x);
        add_tensor(memory, a.x, "x");
        add_tensor(memory, a.y, "y");
        add_tensor(memory, a.residual, "residual");
        add_tensor(memory, a.sum, "sum");
        add_tensor(memory, a.weight, "weight");
        add_tensor(memory, a.bias, "bias");
        add_tensor(memory, a.smooth, "smooth");
        add_array(memory, a.mean, rows, "mean");
        add_array(memory, a.inverse_deviation, rows, "inverse deviation");
        add_array(memory, a.scale, rows, "scale");
    }
    /// Errors: those of start_rows.
    template <class Launcher>
    status launches(const arguments& a, Launcher& launch) const
    {
        const norm_rows<T, O> rows{
            a.x.data,
            a.y.data,
            a.residual.data,
            a.sum.data,
            make_row_space(a.axis, a.x, a.y, given_or_like(a.residual, a.x), given_or_like(a.sum, a.x)),
            a.weight.data,
            a.bias.data,
            a.smooth.data,
            a.weight.strides[0],
            a.bias.strides[0],
            a.smooth.strides[0],
            a.mean,
            a.inverse_deviation,
            a.scale,
            a.epsilon,
            __builtin_sqrtf(a.epsilon)};
        int vector = find_row_vector<4>(rows.space, {a.x.data, a.y.data, a.residual.data, a.sum.data},
                                        {sizeof(T), sizeof(O), sizeof(T), sizeof(T)}, 16);
        for (const auto* w : {&a.weight, &a.bias, &a.smooth})
            vector = limit_row_vector(*w, vector);
        constexpr const char* name = Kind == norm_kind::layer ? "layernorm"
                                     : Kind == norm_kind::rms ? "rmsnorm"
                                                              : "row scaling";
        return start_rows<kernel>(Tiles{}, rows, vector, name, launch);
    }
};

} // namespace tegula
