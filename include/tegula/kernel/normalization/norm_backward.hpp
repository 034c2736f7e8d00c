#pragma once

#include <tegula/block/row_tile.hpp>
#include <tegula/kernel/normalization/moments.hpp>
#include <tegula/kernel/normalization/norm_arguments.hpp>
#include <tegula/kernel/normalization/row_tiles.hpp>

namespace tegula {

/// Gradients of norm_arguments' y = n * weight + bias with n = (x - mean) * inverse_deviation, for norm_kind layer and rms:
///
///     g  = dy * weight
///     dx = inverse_deviation * (g - average(g) - n * average(g * n))      rms: without average(g)
///     dweight = sum over rows of dy * n,    dbias = sum over rows of dy
///
///   dy, x, dx  the same lengths; dx may be dy or x itself unless dweight or dbias is asked for
///   weight     null: 1
///   mean, inverse_deviation  those of the forward pass; for rms mean is not read and may be null
///   dweight, dbias  null, or one number for each element of a row. Runs of rows are summed up, and then
///              their sums, always in the same order: the same bits each time.
///   workspace  if one of the two is given: norm_workspace_size floats
template <class T, class O = T>
struct norm_backward_arguments
{
    tensor_argument<const T> dy = {};
    tensor_argument<const T> x = {};
    tensor_argument<O> dx = {};
    int axis = -1;
    tensor_argument<const T> weight = {};
    const float* mean = nullptr;
    const float* inverse_deviation = nullptr;
    float* dweight = nullptr;
    float* dbias = nullptr;
    float* workspace = nullptr;
};

/// The rows of norm_backward_arguments, as norm_backward_kernels finds them.
template <class T, class O>
struct norm_backward_rows
{
    const T *dy, *x;
    O* dx;
    row_space<3> space; ///< rows of dy, x, dx
    const T* weight;
    long_index_t weight_stride;
    const float *mean, *inverse_deviation;
    float *dweight, *dbias, *workspace; ///< the workspace is [2, runs, length]
    index_t runs;                       ///< runs of rows, for dweight and dbias
};

/// Runs of rows whose sums are added up in the end: enough to fill the chip, few enough to add up.
constexpr index_t norm_gradient_runs(long_index_t rows)
{
    const long_index_t runs = ceil_div(rows, long_index_t{64});
    return static_cast<index_t>(runs < 1 ? 1 : runs > 256 ? 256 : runs);
}

/// Floats in the workspace.
template <class T, class O>
long_index_t norm_workspace_size(const norm_backward_arguments<T, O>& a)
{
    const int d = find_dimension(a.axis, a.x.rank);
    const long_index_t length = d < 0 ? 0 : a.x.lengths[d];
    return length == 0 ? 0 : 2 * length * norm_gradient_runs(a.x.size() / length);
}

/// Errors: those of norm_arguments; invalid_argument for statistics or a workspace that are missing.
template <norm_kind Kind, class T, class O>
status can_implement(const norm_backward_arguments<T, O>& a)
{
    const auto invalid = [](const char* text) { return status(status_code::invalid_argument, text); };
    if (status s = check_rows(a.x, a.axis, "x"); !s)
        return s;
    if (status s = check_tensor(a.dy, "dy"); !s)
        return s;
    if (status s = check_same_lengths(a.x, "x", a.dy, "dy"); !s)
        return s;
    if (status s = check_row_output(a.x, "x", a.dx, "dx"); !s)
        return s;
    if (status s = check_row_output(a.dy, "dy", a.dx, "dx"); !s)
        return s;
    if (status s = detail::check_of_row(a.weight, a.x.lengths[find_dimension(a.axis, a.x.rank)], "weight"); !s)
        return s;
    const bool sums = a.dweight != nullptr || a.dbias != nullptr;
    if (a.x.size() == 0)
        return {};
    if (a.inverse_deviation == nullptr)
        return invalid("inverse_deviation is a null pointer; give it what the forward pass has written");
    if (Kind == norm_kind::layer && a.mean == nullptr)
        return invalid("mean is a null pointer; give it what the forward pass has written");
    if (sums && a.workspace == nullptr)
        return invalid("workspace is a null pointer; dweight and dbias need norm_workspace_size numbers of float");
    if (sums && (memory_overlaps(a.x, a.dx) || memory_overlaps(a.dy, a.dx)))
        return invalid(
            "dx: its memory is that of x or dy, which dweight and dbias are made of; give it memory of its own");
    return {};
}

namespace detail {

/// n = (x - mean) * inverse_deviation of a row. If the deviation is large, a power of two is divided out first, so that
/// no difference of two floats overflows.
struct normalized_row
{
    float scale, mean, factor;

    TEGULA_INLINE normalized_row(float row_mean, float inverse_deviation)
    {
        const row_unit unit(min(inverse_deviation, 1.0f));
        scale = unit.size;
        mean = row_mean * unit.size;
        factor = inverse_deviation * unit.inverse;
    }
    TEGULA_INLINE float operator()(float x) const { return multiply_add(x, scale, -mean) * factor; }
};

} // namespace detail

/// dx of each row.
template <class Tile, norm_kind Kind, class T, class O = T>
struct norm_backward_kernel : row_kernel<Tile>
{
    using target = typename Tile::target;
    using arguments = norm_backward_rows<T, O>;
    using chunk = typename Tile::template values<float>;
    static constexpr index_t shared_bytes = Tile::template scratch_bytes<float>;

    /// g and n of a chunk.
    struct factors
    {
        chunk g, n;
    };

    TEGULA_INLINE void operator()(const arguments& a) const
    {
        for_each_row<Tile>(a.space.rows.size, a.space.blocks, [&](long_index_t row, bool exists) {
            const auto at = a.space.offsets(row);
            const index_t length = exists ? a.space.length : 0;
            const row_access<Tile, const T> dy{a.dy + at[0], length, a.space.strides[0], "dy"};
            const row_access<Tile, const T> x{a.x + at[1], length, a.space.strides[1], "x"};
            const row_access<Tile, O> dx{a.dx + at[2], length, a.space.strides[2], "dx"};
            const row_access<Tile, const T> weight{a.weight, length, a.weight_stride, "weight"};
            const float mean = Kind == norm_kind::layer ? load_of_row<Tile>(a.mean + row) : 0.0f;
            const float inverse_deviation = load_of_row<Tile>(a.inverse_deviation + row);
            const detail::normalized_row normalized(mean, inverse_deviation);
            const auto load = [&](index_t first) {
                // Past the end n is that of the mean, which is finite, and g is 0: their products are 0.
                factors f{dy.load_float(first), x.load_float(first, mean)};
                for_each_register<Tile::registers>([&](auto r) { f.n[r] = normalized(f.n[r]); });
                if (a.weight != nullptr) {
                    const chunk w = weight.load_float(first);
                    for_each_register<Tile::registers>([&](auto r) { f.g[r] = rounded_product(f.g[r], w[r]); });
                }
                return f;
            };
            row_values<Tile, decltype(load)> values(load, length);

            float sum = 0, products = 0; // sums of g, which is 0 past the end, and of g * n
            values.sweep([&](auto& f, index_t) {
                float part = 0, part_of_products = 0;
                for_each_register<Tile::registers>([&](auto r) {
                    part += f.g[r];
                    part_of_products = multiply_add(f.g[r], f.n[r], part_of_products);
                });
                sum += part;
                products += part_of_products;
            });
            const float share = 1.0f / static_cast<float>(a.space.length);
            const float average = Kind == norm_kind::layer ? rounded_product(Tile::combine(sum, plus{}), share) : 0.0f;
            const float slope = Tile::combine(products, plus{}) * share;
            values.sweep([&](auto& f, index_t first) {
                for_each_register<Tile::registers>(
                    [&](auto r) { f.g[r] = inverse_deviation * multiply_add(-f.n[r], slope, f.g[r] - average); });
                dx.store_float(first, f.g);
            });
        });
    }
};

/// dweight and dbias of runs of rows, into the workspace. A block has a strip of columns and a run; its waves take the
/// rows of the run in turn.
///
///   Tile  a row_tile of one row a wave
template <class Tile, norm_kind Kind, class T, class O = T>
struct norm_gradient_sums : row_kernel<Tile>
{
    static_assert(Tile::rows == Tile::waves, "tegula: the rows of a strip belong to one wave each");

    using target = typename Tile::target;
    using arguments = norm_backward_rows<T, O>;
    using chunk = typename Tile::template values<float>;
    static constexpr index_t shared_bytes = reduce_scratch_bytes<target, float, typename Tile::distribution, 0>;

    /// Strips, a block for each of them in each run.
    static constexpr TEGULA_HOST_DEVICE index_t strips(const arguments& a)
    {
        return ceil_div(a.space.length, Tile::columns);
    }

    TEGULA_INLINE void operator()(const arguments& a) const
    {
        const index_t first = static_cast<index_t>(target::block_id()[0]) * Tile::columns;
        const index_t run = target::block_id()[1], length = a.space.length;
        const long_index_t rows_of_run = ceil_div(a.space.rows.size, long_index_t{a.runs});
        const long_index_t begin = run * rows_of_run, end = min(begin + rows_of_run, a.space.rows.size);
        auto weight_sums = make_distributed_tensor<float, typename Tile::distribution>(0.0f);
        auto bias_sums = weight_sums;
        TEGULA_ROLLED
        for (long_index_t row = begin + Tile::row_of_lane(); row < end; row += Tile::rows) {
            const auto at = a.space.offsets(row);
            const detail::normalized_row normalized(Kind == norm_kind::layer ? load_of_row<Tile>(a.mean + row) : 0.0f,
                                                    load_of_row<Tile>(a.inverse_deviation + row));
            const chunk dy =
                row_access<Tile, const T>{a.dy + at[0], length, a.space.strides[0], "dy"}.load_float(first);
            const chunk x = row_access<Tile, const T>{a.x + at[1], length, a.space.strides[1], "x"}.load_float(first);
            for_each_register<Tile::registers>([&](auto r) {
                weight_sums[r] = multiply_add(dy[r], normalized(x[r]), weight_sums[r]);
                bias_sums[r] += dy[r];
            });
        }
        // All waves have the sums; one writes them.
        const index_t mine = Tile::row_of_lane() == 0 ? length : 0;
        const auto write = [&](const auto& sums, int which, const char* name) {
            const auto total = reduce<target, 0>(sums, plus{}, target::shared_memory());
            float* const to = a.workspace + (static_cast<long_index_t>(which) * a.runs + run) * length;
            chunk values;
            values.registers = total.registers;
            row_access<Tile, float>{to, mine, 1, name}.store(first, values);
        };
        if (a.dweight != nullptr)
            write(weight_sums, 0, "workspace of dweight");
        if (a.dbias != nullptr)
            write(bias_sums, 1, "workspace of dbias");
    }
};

/// The totals of the runs' sums. The waves of a block take runs of a strip of columns in turn, and their totals are added
/// in their order.
///
///   Tile  a row_tile of one row a wave
template <class Tile, class T, class O = T>
struct norm_gradient_totals : row_kernel<Tile>
{
    static_assert(Tile::rows == Tile::waves, "tegula: the runs of a strip belong to one wave each");

    using target = typename Tile::target;
    using arguments = norm_backward_rows<T, O>;
    using chunk = typename Tile::template values<float>;
    static constexpr index_t shared_bytes = reduce_scratch_bytes<target, float, typename Tile::distribution, 0>;

    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE index_t blocks(const arguments& a)
    {
        return ceil_div(a.space.length, Tile::columns);
    }

    TEGULA_INLINE void operator()(const arguments& a) const
    {
        const index_t first = static_cast<index_t>(target::block_id()[0]) * Tile::columns, length = a.space.length;
        const auto total = [&](float* to, int which) {
            if (to == nullptr)
                return;
            auto sums = make_distributed_tensor<float, typename Tile::distribution>(0.0f);
            for (index_t run = Tile::row_of_lane(); run < a.runs; run += Tile::rows) {
                const float* const from = a.workspace + (static_cast<long_index_t>(which) * a.runs + run) * length;
                const chunk part = row_access<Tile, const float>{from, length, 1, "workspace"}.load(first);
                for_each_register<Tile::registers>([&](auto r) { sums[r] += part[r]; });
            }
            chunk values;
            values.registers = reduce<target, 0>(sums, plus{}, target::shared_memory()).registers;
            const index_t mine = Tile::row_of_lane() == 0 ? length : 0;
            row_access<Tile, float>{to, mine, 1, which == 0 ? "dweight" : "dbias"}.store(first, values);
        };
        total(a.dweight, 0);
        total(a.dbias, 1);
    }
};

/// The kernels of a norm's gradient, one after the other; used like norm_kernels.
///
///   StripTile  a row_tile of one row a wave, with which dweight and dbias are summed up (strip_tile_for); rows of vectors
///              take vector_strip_of it
template <class Tiles, class StripTile, norm_kind Kind, class Arguments = any_arguments>
struct norm_backward_kernels;

template <class Tiles, class StripTile, norm_kind Kind>
struct norm_backward_kernels<Tiles, StripTile, Kind, any_arguments>
{
    template <class Arguments>
    using with_arguments = norm_backward_kernels<Tiles, StripTile, Kind, Arguments>;
};

template <class Tiles, class StripTile, class T, class O, norm_kind Kind>
struct norm_backward_kernels<Tiles, StripTile, Kind, norm_backward_arguments<T, O>>
    : tensor_protocol<norm_backward_arguments<T, O>>
{
    using arguments = norm_backward_arguments<T, O>;
    template <class Tile>
    using kernel = norm_backward_kernel<Tile, Kind, T, O>;

    /// Errors: those of can_implement.
    static status check(const arguments& a) { return can_implement<Kind>(a); }
    template <class Memory>
    static void memory(const arguments& a, Memory& memory)
    {
        const long_index_t rows = count_rows(a.axis, a.x);
        const long_index_t length = a.x.lengths[find_dimension(a.axis, a.x.rank)];
        add_tensor(memory, a.dy, "dy");
        add_tensor(memory, a.x, "x");
        add_tensor(memory, a.dx, "dx");
        add_tensor(memory, a.weight, "weight");
        add_array(memory, a.mean, rows, "mean");
        add_array(memory, a.inverse_deviation, rows, "inverse deviation");
        add_array(memory, a.dweight, length, "dweight");
        add_array(memory, a.dbias, length, "dbias");
        add_array(memory, a.workspace, norm_workspace_size(a), "workspace");
    }
    /// Errors: those of start_rows.
    template <class Launcher>
    status launches(const arguments& a, Launcher& launch) const
    {
        norm_backward_rows<T, O> rows{a.dy.data,     a.x.data,
                                      a.dx.data,     make_row_space(a.axis, a.dy, a.x, a.dx),
                                      a.weight.data, a.weight.strides[0],
                                      a.mean,        a.inverse_deviation,
                                      a.dweight,     a.dbias,
                                      a.workspace,   0};
        rows.runs = norm_gradient_runs(rows.space.rows.size);
        const int vector = limit_row_vector(a.weight, find_row_vector<3>(rows.space, {a.dy.data, a.x.data, a.dx.data},
                                                                         {sizeof(T), sizeof(T), sizeof(O)}, 16));
        if (status s = start_rows<kernel>(Tiles{}, rows, vector, "norm backward", launch);
            !s || rows.space.length == 0 || (a.dweight == nullptr && a.dbias == nullptr))
            return s;
        using totals = norm_gradient_totals<StripTile, T, O>;
        launch_config config;
        const auto start_sums = [&](auto sums) {
            config.grid = {sums.strips(rows), rows.runs, 1};
            config.name = "sums of norm gradients";
            return launch(config, sums, rows);
        };
        const auto start_strips = [&] {
            if constexpr (StripTile::target::wave_size > 1) {
                using wide = vector_strip_of<StripTile>;
                const int of_inputs = find_row_vector<3>(rows.space, {a.dy.data, a.x.data, a.x.data},
                                                         {sizeof(T), sizeof(T), sizeof(T)}, 16);
                if (of_inputs >= wide::vector && reinterpret_cast<std::uintptr_t>(rows.workspace) % 16 == 0)
                    return start_sums(norm_gradient_sums<wide, Kind, T, O>{});
            }
            return start_sums(norm_gradient_sums<StripTile, Kind, T, O>{});
        };
        if (status s = start_strips(); !s)
            return s;
        config.grid = {totals::blocks(rows), 1, 1};
        config.name = "totals of norm gradients";
        return launch(config, totals{}, rows);
    }
};

} // namespace tegula
