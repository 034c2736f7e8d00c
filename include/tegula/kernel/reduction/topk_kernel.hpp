#pragma once

#include <tegula/arch/reload_arguments.hpp>
#include <tegula/kernel/reduction/reduce_kernel.hpp>
#include <tegula/kernel/space_grid.hpp>
#include <tegula/kernel/tensor_protocol.hpp>
#include <tegula/tensor/sort.hpp>

namespace tegula {

/// The k largest elements of each row along one dimension, largest first, and of equals the lower index first. NaN
/// comes before all numbers. `values` and `indices` are shaped like the input with k for the length of the axis.
template <class T>
struct topk_arguments
{
    tensor_argument<const T> input;
    tensor_argument<T> values;
    tensor_argument<long_index_t> indices; ///< along the axis
    int axis = -1;                         ///< negative: from the last
};

/// The arguments of a topk_kernel (plan_topk).
template <class T>
struct topk_plan
{
    static constexpr index_t splits = 1; ///< the grid's y

    const T* input;
    T* values;
    long_index_t* indices;
    index_space<3> rows = {};     ///< places in the input, the values and the indices
    index_space<1> elements = {}; ///< elements of a row of the input
    index_space<2> kept = {};     ///< elements of a row of the values and of the indices
    index_t blocks = 0;           ///< to launch; each takes every blocks-th row

    /// The last that the launch before found, of the first row; this launch looks after it. Null in the first launch.
    const T* last_value = nullptr;
    const long_index_t* last_index = nullptr;
};

namespace detail {

/// The last element of a row that was found before this launch; the identity if none was.
template <class Target, class Order, class T>
TEGULA_INLINE typename Order::accumulator found_before(const topk_plan<T>& plan, const array<long_index_t, 3>& places)
{
    if (plan.last_index == nullptr)
        return Order{}.identity();
    const T value = internal::read_scalar<Target>(plan.last_value + places[1]);
    return Order{}.lift(value, internal::read_scalar<Target>(plan.last_index + places[2]));
}

} // namespace detail

/// A block keeps the first half of a sorted tile, the best so far. It reads the row once, a vector a lane at a time. It
/// sorts in what it has read if one of its elements precedes the last that is kept, which is rare in most rows.
///
/// More than `half` elements take several launches, each of which continues after what the one before has found.
///
///   Vector  neighbours that an access reads: 16 bytes of them, or 1 element
template <class Target, class T, index_t Vector = 1>
struct topk_kernel
{
    using target = Target;
    using arguments = topk_plan<T>;
    using order = arg_reducer<T>;
    using entry = typename order::accumulator;

    static constexpr index_t half = 512; ///< elements; the most that a launch finds
    static constexpr int block_threads = 256;
    static constexpr index_t waves = 256 / Target::wave_size;
    using distribution = tile_distribution<tile_distribution_encoding<
        sequence<>, tuple<sequence<2, half / 256, waves, Target::wave_size>>, tuple<sequence<1>, sequence<1>>,
        tuple<sequence<2>, sequence<3>>, sequence<1, 1>, sequence<0, 1>>>;
    static constexpr index_t chunk_registers = max(Vector, half / 256);
    static constexpr index_t chunk = chunk_registers * 256; ///< elements that are read at a time
    using chunk_distribution = tile_distribution<tile_distribution_encoding<
        sequence<>, tuple<sequence<chunk_registers / Vector, waves, Target::wave_size, Vector>>,
        tuple<sequence<1>, sequence<1>>, tuple<sequence<1>, sequence<2>>, sequence<1, 1>, sequence<0, 3>>>;
    using lane_distribution = tile_distribution<
        tile_distribution_encoding<sequence<>, tuple<sequence<1, waves, Target::wave_size>>,
                                   tuple<sequence<1>, sequence<1>>, tuple<sequence<1>, sequence<2>>, sequence<1>,
                                   sequence<0>>>; ///< an element of each lane
    static constexpr index_t shared_bytes = max(reduce_scratch_bytes<Target, entry, distribution, 0>,
                                                max(reduce_scratch_bytes<Target, entry, lane_distribution, 0>,
                                                    sort_scratch_bytes<Target, entry, distribution, 0>));

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        TEGULA_ROLLED
        for (long_index_t row = target::block_id()[0]; row < args.rows.size; row += args.blocks)
            find_largest(internal::reload_arguments(args), args.rows.offsets(row));
    }

private:
    using tile = distributed_tensor<entry, distribution>;
    using chunk_tile = distributed_tensor<entry, chunk_distribution>;

    static TEGULA_INLINE bool precedes(const entry& a, const entry& b)
    {
        return a.position != b.position && order{}.combine(a, b).position == a.position;
    }

    /// The elements of the row from `element` on. Those past its end or found before are replaced by what sorts last.
    static TEGULA_INLINE chunk_tile read(const arguments& args, const T* row, long_index_t element,
                                         const entry& found_before)
    {
        const auto view = make_tensor_view<target, address_space::global>(
            row,
            numbered_descriptor<1, Vector>{&args.elements, 0, element,
                                           internal::count_from(element, args.elements.size, chunk)},
            "input");
        const auto values = load(make_tile_window<chunk_distribution>(view, {0}), order{}.fill());
        chunk_tile news = elementwise([](const T& x) { return order{}.lift(x, 0); }, values);
        sweep<target>(news, [&](entry& e, const auto& x) {
            const long_index_t number = element + x[0];
            e.position = number;
            if (number >= args.elements.size || (args.last_index != nullptr && !precedes(found_before, e)))
                e = {order{}.identity().key, 0, INT64_MAX - chunk + x[0]};
        });
        return news;
    }

    /// The entry that sorts first, in every lane.
    static TEGULA_INLINE entry first_of(const chunk_tile& news, std::byte* scratch)
    {
        const auto first_of_two = [](const entry& a, const entry& b) { return order{}.combine(a, b); };
        auto one = make_distributed_tensor<entry, lane_distribution>(news[0]);
        static_for<chunk_registers - 1>([&](auto r) { one[0] = first_of_two(one[0], news[r + 1]); });
        return reduce<target, 0>(one, first_of_two, scratch)[0];
    }

    static TEGULA_INLINE void find_largest(const arguments& args, const array<long_index_t, 3>& places)
    {
        constexpr index_t halves = chunk / half;
        const auto before = [](const entry& a, const entry& b) { return precedes(a, b); };
        const T* const row = args.input + places[0];
        std::byte* const scratch = target::shared_memory();
        const auto k = static_cast<index_t>(args.kept.size);

        const entry found_before = detail::found_before<Target, order>(args, places);
        tile best = make_distributed_tensor<entry, distribution>(order{}.identity());
        entry last = order{}.identity();
        TEGULA_ROLLED
        for (long_index_t element = 0; element < args.elements.size; element += chunk) {
            const chunk_tile news = read(internal::reload_arguments(args), row, element, found_before);
            const entry first = first_of(news, scratch);
            if (element > 0 && !precedes(first, last))
                continue;
            TEGULA_ROLLED
            for (index_t h = 0; h < halves; ++h) {
                static_for<half / 256>([&](auto r) {
                    entry e = news[r];
                    static_for<halves - 1>(
                        [&](auto q) { e = choose(h == q + 1, news[(q + 1) * (half / 256) + r], e); });
                    best[half / 256 + r] = e;
                });
                sort<target, 0>(best, before, scratch);
            }
            last = last_kept(best, k, scratch);
        }
        write(internal::reload_arguments(args), best, places, k);
    }

    /// The entry at position k - 1, in every lane.
    static TEGULA_INLINE entry last_kept(const tile& best, index_t k, std::byte* scratch)
    {
        tile one = best;
        sweep<target>(one, [&](entry& e, const auto& x) { e = x[0] == k - 1 ? e : order{}.identity(); });
        return reduce<target, 0>(
            one, [](const entry& a, const entry& b) { return choose(a.position != INT64_MAX, a, b); }, scratch)[0];
    }

    static TEGULA_INLINE void write(const arguments& args, const tile& best, const array<long_index_t, 3>& places,
                                    index_t k)
    {
        const auto store_part = [&](auto* to, int tensor, const char* name, const auto& part) {
            const auto view = make_tensor_view<target, address_space::global>(
                to, numbered_descriptor<2, 1>{&args.kept, tensor, 0, k}, name);
            store(make_tile_window<distribution>(view, {0}), part);
        };
        store_part(args.values + places[1], 0, "values",
                   elementwise([](const entry& e) { return from_computed<T>(e.key); }, best));
        store_part(args.indices + places[2], 1, "indices",
                   elementwise([](const entry& e) { return e.position; }, best));
    }
};

/// On a CPU the one lane keeps the best in order and inserts an element that precedes the last, which is rare in most
/// rows.
template <class Target, class T, index_t Vector>
    requires(Target::wave_size == 1)
struct topk_kernel<Target, T, Vector>
{
    using target = Target;
    using arguments = topk_plan<T>;
    using order = arg_reducer<T>;
    using entry = typename order::accumulator;

    static constexpr index_t half = 512; ///< the most that a launch finds
    static constexpr int block_threads = 1;

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        for (long_index_t row = target::block_id()[0]; row < args.rows.size; row += args.blocks)
            find_largest(args, args.rows.offsets(row));
    }

private:
    static TEGULA_INLINE bool precedes(const entry& a, const entry& b)
    {
        return a.position != b.position && order{}.combine(a, b).position == a.position;
    }
    static TEGULA_INLINE long_index_t stride_of(long_index_t size, long_index_t stride)
    {
        return size > 1 ? stride : 0;
    }

    static TEGULA_INLINE void find_largest(const arguments& args, const array<long_index_t, 3>& places)
    {
        const auto k = static_cast<index_t>(args.kept.size);
        const entry found_before = detail::found_before<Target, order>(args, places);
        const long_index_t step = stride_of(args.elements.size, args.elements.strides[0][0]);
        entry best[half];
        index_t count = 0;
        for (long_index_t i = 0; i < args.elements.size; ++i) {
            const T x = internal::read_scalar<target>(args.input + places[0] + i * step);
            const entry e = order{}.lift(x, i);
            if ((count == k && !precedes(e, best[k - 1])) || (args.last_index != nullptr && !precedes(found_before, e)))
                continue;
            index_t at = count < k ? count++ : k - 1;
            for (; at > 0 && precedes(e, best[at - 1]); --at)
                best[at] = best[at - 1];
            best[at] = e;
        }
        const long_index_t value_step = stride_of(k, args.kept.strides[0][0]);
        const long_index_t index_step = stride_of(k, args.kept.strides[1][0]);
        for (index_t i = 0; i < k; ++i) {
            internal::write_scalar<target>(args.values + places[1] + i * value_step, from_computed<T>(best[i].key));
            internal::write_scalar<target>(args.indices + places[2] + i * index_step, best[i].position);
        }
    }
};

/// Whether the elements can be found: check_tensor of the input, check_output of the others, lengths that fit, a k of at
/// most the length of the axis.
///
/// Errors: invalid_argument.
template <class T>
status can_implement(const topk_arguments<T>& args)
{
    status s = check_tensor(args.input, "input");
    if (s)
        s = check_output(args.values, "values");
    if (s)
        s = check_output(args.indices, "indices");
    if (s)
        s = check_same_lengths(args.values, "values", args.indices, "indices");
    if (!s)
        return s;
    const int rank = args.input.rank, axis = args.axis < 0 ? args.axis + rank : args.axis;
    if (axis < 0 || axis >= rank)
        return status(status_code::invalid_argument, "axis ")
               << args.axis << " is not a dimension of the input, whose rank is " << rank;
    const long_index_t k = args.values.rank == rank ? args.values.lengths[axis] : 0;
    auto expected = args.input;
    expected.lengths[axis] = k;
    if (s = check_same_lengths(expected, "the input, with k along the axis,", args.values, "values"); !s)
        return s;
    if (k > args.input.lengths[axis])
        return status(status_code::invalid_argument, "k is ")
               << k << ", and the axis has " << args.input.lengths[axis] << " elements; k is at most as many";
    if (memory_overlaps(args.input, args.values) || memory_overlaps(args.input, args.indices) ||
        memory_overlaps(args.values, args.indices))
        return internal::bad_tensor("values")
               << "the memory of input, values and indices overlaps; give each memory of "
                  "its own";
    return {};
}

/// The plan of arguments that can_implement accepts, for the launch that finds elements `first` to first +
/// topk_kernel::half of each row.
template <class T>
topk_plan<T> plan_topk(const topk_arguments<T>& args, long_index_t first = 0)
{
    const int axis = args.axis < 0 ? args.axis + args.input.rank : args.axis;
    auto input = args.input;
    const long_index_t length = input.lengths[axis];
    input.lengths[axis] = args.values.lengths[axis];
    const auto parts = split_dimensions(make_index_space(input, args.values, args.indices), 1u << axis);
    topk_plan<T> plan{args.input.data, args.values.data, args.indices.data};
    plan.rows = canonicalize(parts.kept);
    plan.elements.rank = plan.kept.rank = 1;
    plan.elements.lengths[0] = length;
    plan.elements.strides[0][0] = input.strides[axis];
    plan.kept.lengths[0] = min(args.values.lengths[axis] - first, long_index_t{topk_kernel<arch::gfx942, T>::half});
    plan.kept.strides[0][0] = args.values.strides[axis];
    plan.kept.strides[1][0] = args.indices.strides[axis];
    plan.elements = canonicalize(plan.elements);
    plan.kept = canonicalize(plan.kept);
    if (first > 0) {
        plan.last_value = args.values.data + (first - 1) * args.values.strides[axis];
        plan.last_index = args.indices.data + (first - 1) * args.indices.strides[axis];
        plan.values += first * args.values.strides[axis];
        plan.indices += first * args.indices.strides[axis];
    }
    plan.blocks = plan.kept.size == 0 ? 0 : blocks_for(plan.rows.size, 1);
    return plan;
}

/// Whether rows of the plan start at multiples of 16 bytes and their elements are neighbours.
template <class T>
bool has_vector_rows(const topk_plan<T>& plan)
{
    constexpr index_t vector = widest_vector<T>;
    return plan.elements.rank == 1 && plan.elements.strides[0][0] == 1 &&
           reinterpret_cast<std::uintptr_t>(plan.input) % (vector * sizeof(T)) == 0 &&
           has_strides_of(plan.rows, 0, vector);
}

/// The kernels of top-k, topk_kernel::half elements in each launch: launch(device, topk_kernels<Target>{}, args).
template <class Target, class Arguments = any_arguments>
struct topk_kernels;

template <class Target>
struct topk_kernels<Target, any_arguments> : deduces_arguments<topk_kernels, Target>
{};

template <class Target, class T>
struct topk_kernels<Target, topk_arguments<T>> : tensor_protocol<topk_arguments<T>>
{
    using arguments = topk_arguments<T>;

    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        add_tensor(memory, args.input, "input");
        add_tensor(memory, args.values, "values");
        add_tensor(memory, args.indices, "indices");
    }
    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        constexpr long_index_t half = topk_kernel<Target, T>::half;
        const int axis = args.axis < 0 ? args.axis + args.values.rank : args.axis;
        status s = launch_behind(args, 0, launch);
        for (long_index_t first = half; s && first < args.values.lengths[axis]; first += half)
            s = launch_behind(args, first, launch);
        return s;
    }

private:
    /// Finds elements of each row from number `first` on.
    template <class Launcher>
    static status launch_behind(const arguments& args, long_index_t first, Launcher& launch)
    {
        const auto start = start_plan("top-k", launch);
        const topk_plan<T> plan = plan_topk(args, first);
        if constexpr (Target::vendor != vendor::x86)
            if (has_vector_rows(plan))
                return start(topk_kernel<Target, T, widest_vector<T>>{}, plan);
        return start(topk_kernel<Target, T>{}, plan);
    }
};

} // namespace tegula
