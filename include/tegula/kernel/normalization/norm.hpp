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
    /// A lane of the longest rows holds 64 floats. Compilers that are not told take more registers for the rest than they
    /// need; for RDNA they do not.
    static constexpr int blocks_together = !Tile::resident || Tile::vector == 1 ? 1
                                           : target::vendor == vendor::nvidia
                                               ? (Tile::passes > 4 || has_row_scale<O> ? 2 : 3)
                                           : Tile::passes > 4 && !has_row_scale<O> && target::chip().is_cdna() ? 5
                                                                                                               : 1;
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
            const row_access<part, const T, false> residual{a.residual + at[2], length, strides[2], "residual"};
            const row_access<part, T, false> sum{a.sum + at[3], length, strides[3], "sum"};
            bool summed = false; // the sum is in memory
            const auto load_held = [&](index_t first) TEGULA_INLINE_LAMBDA {
                const bool from_sum = a.residual != nullptr && summed;
                const row_access<Tile, const T> from{from_sum ? sum.data : a.x + at[0], length,
                                                     strides[from_sum ? 3 : 0], from_sum ? "sum" : "x"};
                auto v = from.load_held(first);
                if (a.residual != nullptr && !summed)
                    for_each_register<parts>([&](auto p)
                                                 TEGULA_INLINE_LAMBDA { add_residual(v, residual, sum, first, p); });
                return v;
            };
            const auto load = [&](index_t first) TEGULA_INLINE_LAMBDA { return load_held(first).floats(); };
            using row_type = row_values<Tile, decltype(load)>;
            constexpr bool loads_later = changes_row<Tile> && Kind != norm_kind::none;
            auto values = [&] {
                if constexpr (loads_later)
                    return row_type(load, length, load_later{});
                else
                    return row_type(load, length);
            }();

            const auto again = [&] { summed = true; };
            const divisor by = find_divisor(
                a, row, exists, [&] { return find_moments(values, length, a.root_of_epsilon, again); },
                [&] { return find_squares(values, length, a.root_of_epsilon, again); });
            summed = Kind != norm_kind::none;
            if constexpr (loads_later)
                pairs::update(values.held.registers, [&](const auto& two, auto) TEGULA_INLINE_LAMBDA {
                    return pairs::multiply(two, pairs::of(by.factor));
                });

            // On NVIDIA the place of y is computed here: it would take registers in the sweeps before.
            long_index_t y_at = at[1];
            if constexpr (target::vendor == vendor::nvidia) {
                index_t hidden = 0;
                target::make_opaque(hidden);
                y_at = a.space.offsets(row + hidden)[1];
            }
            float inverse = 1;
            const auto write = [&](chunk& v, index_t first, auto, auto given) TEGULA_INLINE_LAMBDA {
                if constexpr (has_row_scale<O>)
                    for_each_register<part::registers>([&](auto r) { v[r] *= inverse; });
                access_of<O, given.value>{a.y + y_at, length_of<given.value>(length), strides[1], "y"}
                    .template store_float<short_nans>(first, v);
            };
            constexpr std::integral_constant<operands, operands::asked_for> asks{};
            if constexpr (has_row_scale<O>) {
                [[maybe_unused]] array<chunk, Tile::resident ? parts : 1> whole; // the operands are read once, too
                float greatest = 0;
                for_each_part(asks, a, values, length, by, [&](const chunk& v, index_t first, auto p, auto) {
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
                inverse = Tile::in_common(scaled ? most / greatest : 0.0f);
                store_of_row<Tile>(a.scale + row, scaled ? greatest / most : 0.0f, exists);
                if constexpr (Tile::resident)
                    return for_each_register<parts>([&](auto p) { write(whole[p], p * part::columns, p, asks); });
            }
            if constexpr (asks_once)
                if (length == Tile::columns && has_usual_operands(a))
                    return for_each_part(std::integral_constant<operands, operands::usual>{}, a, values, length, by,
                                         write);
            for_each_part(asks, a, values, length, by, write);
        });
    }

private:
    using pairs = float_pairs<target>;
    static constexpr bool short_nans = std::is_same_v<T, bfloat16>;
    /// Operands of a row: asked for around each part, or those that has_usual_operands() found.
    enum class operands { asked_for, usual };
    /// Whether a row that fills the block's registers asks once.
    static constexpr bool asks_once = Tile::fills_block && !has_row_scale<O>;

    /// Whether a layer norm has weight and bias, another weight alone.
    static TEGULA_INLINE bool has_usual_operands(const arguments& a)
    {
        return a.weight != nullptr && (a.bias != nullptr) == (Kind == norm_kind::layer) && a.smooth == nullptr;
    }

    /// Accesses and the length of a row with these operands: if they are known, the row fills the block.
    template <class U, operands Given>
    using access_of = row_access<part, U, Given != operands::asked_for || !asks_once>;
    template <operands Given>
    static TEGULA_INLINE index_t length_of(index_t length)
    {
        return Given != operands::asked_for ? Tile::columns : length;
    }

    /// The numbers that normalise a row: its unit (row_unit), the mean and 1 / deviation measured in it.
    struct divisor
    {
        float inverse_unit = 1, mean = 0, factor = 1;
    };

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
            by.inverse_unit = Tile::in_common(unit.inverse);
            by.factor = Tile::in_common(inverse.of_units);
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

    /// Adds the residual to part p of v, the chunk at column `first`, and writes the sum as v then has it.
    template <class P>
    static TEGULA_INLINE void add_residual(held_values<Tile, T>& v, const row_access<part, const T, false>& residual,
                                           const row_access<part, T, false>& sum, index_t first, P p)
    {
        const index_t of_part = first + p * part::columns;
        const chunk more = residual.load_float(of_part);
        chunk both = v.template part<part>(p).floats();
        for_each_register<part::registers>([&](auto r) { both[r] += more[r]; });
        const auto stored = held_values<part, T>::template round<short_nans>(both);
        sum.store_held(of_part, stored);
        v.set_part(p, stored);
    }

    /// The element normalised; find_moments and find_squares did so with the elements of a row that they change.
    static TEGULA_INLINE float normalized(float v, const divisor& by)
    {
        if constexpr (Kind == norm_kind::none || changes_row<Tile>)
            return v;
        else if constexpr (Kind == norm_kind::rms)
            return v * by.inverse_unit * by.factor;
        else
            return multiply_add(v, by.inverse_unit, -by.mean) * by.factor;
    }

    /// f(normalised elements, their first column, their part's number, given) for the parts of a row in turn.
    ///
    ///   given  the operands, as a constant
    template <class Given, class Values, class F>
    static TEGULA_INLINE void for_each_part(Given given, const arguments& a, Values& values, index_t length,
                                            const divisor& by, const F& f)
    {
        values.sweep([&](const auto& held, index_t of_chunk) {
            for_each_register<parts>([&](auto p) TEGULA_INLINE_LAMBDA {
                const index_t first = of_chunk + p * part::columns;
                chunk v;
                for_each_register<part::registers>(
                    [&](auto r) { v[r] = normalized(held[p * part::registers + r], by); });
                apply_operands<Given::value>(a, v, first, length);
                f(v, first, p, given);
                target::scheduling_barrier();
            });
        });
    }

    /// v = (v * weight + bias) * smooth, as far as these are given.
    template <operands Given>
    static TEGULA_INLINE void apply_operands(const arguments& a, chunk& v, index_t first, index_t length)
    {
        constexpr bool asks = Given == operands::asked_for;
        const bool weighs = !asks || a.weight != nullptr, smooths = asks && a.smooth != nullptr;
        const bool adds = asks ? a.bias != nullptr : Kind == norm_kind::layer;
        const auto of_row = [&](const T* data, long_index_t stride, const char* name) {
            return access_of<const T, Given>{data, length_of<Given>(length), stride, name}.load_held(first);
        };
        if (weighs && adds) {
            const auto w = of_row(a.weight, a.weight_stride, "weight"), b = of_row(a.bias, a.bias_stride, "bias");
            update(v, [&](const auto& x, auto p) { return pairs::multiply_add(x, w.pair(p), b.pair(p)); });
        } else if (weighs) {
            const auto w = of_row(a.weight, a.weight_stride, "weight");
            update(v, [&](const auto& x, auto p) { return pairs::multiply(x, w.pair(p)); });
        } else if (adds) {
            const auto b = of_row(a.bias, a.bias_stride, "bias");
            update(v, [&](const auto& x, auto p) { return pairs::add(x, b.pair(p)); });
        }
        if (smooths) {
            const auto s = of_row(a.smooth, a.smooth_stride, "smooth");
            update(v, [&](const auto& x, auto p) { return pairs::multiply(x, s.pair(p)); });
        }
    }

    /// v = f(pair of v, its number). AMD's compiler makes floats of few operands at a time: there is no room for more.
    TEGULA_CALLS_BACK
    template <class F>
    static TEGULA_INLINE void update(chunk& v, const F& f)
    {
        pairs::update(v.registers, [&](const auto& x, auto p) TEGULA_INLINE_LAMBDA {
            if (p % 2 == 0)
                target::scheduling_barrier();
            return f(x, p);
        });
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
