#pragma once

#include <tegula/core/monoid.hpp>
#include <tegula/core/status.hpp>
#include <tegula/kernel/computed_type.hpp>
#include <tegula/tensor/choose.hpp>

/// The operations that a reduction computes. A reducer has
///
///     element, accumulator             types of the tensor's elements and of what they are gathered in
///     accumulators_a_lane              vectors that a lane loads before it uses the first; a CPU keeps their results apart
///     ordered                          whether the number of an element counts
///     of_partials                      whether it reduces partial results of blocks, which lie across
///     element fill() const             what stands for elements past the end; changes no accumulator
///     accumulator identity() const
///     accumulator lift(element, n) const   of element number n of those that are reduced, in the order of the tensor
///     accumulator combine(a, b) const
///     finish(accumulator, count) const     the result of `count` elements
///     status check(count) const            whether so many elements have a result

namespace tegula {

/// The operations that `ops` and callers with a run-time choice name.
enum class reduce_operation { sum, product, minimum, maximum };

/// One of four operations, chosen at run time. One kernel with it as template argument serves all of them, at the cost
/// of a comparison of a uniform value for each element.
struct chosen_operation
{
    reduce_operation operation = reduce_operation::sum;

    template <class T>
    constexpr TEGULA_HOST_DEVICE T identity() const
    {
        return operation == reduce_operation::sum       ? plus::identity<T>()
               : operation == reduce_operation::product ? multiplies::identity<T>()
               : operation == reduce_operation::minimum ? minimum::identity<T>()
                                                        : maximum::identity<T>();
    }
    template <class T>
    constexpr TEGULA_INLINE T operator()(const T& a, const T& b) const
    {
        return operation == reduce_operation::sum       ? plus{}(a, b)
               : operation == reduce_operation::product ? multiplies{}(a, b)
               : operation == reduce_operation::minimum ? minimum{}(a, b)
                                                        : maximum{}(a, b);
    }
};

namespace detail {

/// Whether an operation needs at least one element: minimum and maximum.
template <class Op>
constexpr bool needs_elements(const Op& op)
{
    if constexpr (std::is_same_v<Op, chosen_operation>)
        return op.operation == reduce_operation::minimum || op.operation == reduce_operation::maximum;
    else
        return std::is_same_v<Op, minimum> || std::is_same_v<Op, maximum>;
}

} // namespace detail

/// op over all elements, in float for half and bfloat16; `mean` divides by their number.
///
///   Op  plus, multiplies, minimum, maximum (core/monoid.hpp: NaN wins), chosen_operation, or a monoid of the user's:
///       an associative and commutative T operator()(T, T) with identity<T>()
template <class T, class Op>
struct fold_reducer
{
    using element = T;
    using accumulator = computed_type<T>;
    static constexpr index_t accumulators_a_lane = 4;
    static constexpr bool ordered = false;
    static constexpr bool of_partials = false;

    Op op = {};
    bool mean = false;

    TEGULA_INLINE element fill() const { return from_computed<T>(identity()); }
    TEGULA_INLINE accumulator identity() const { return op.template identity<accumulator>(); }
    TEGULA_INLINE accumulator lift(const T& x, long_index_t) const { return to_computed(x); }
    TEGULA_INLINE accumulator combine(const accumulator& a, const accumulator& b) const { return op(a, b); }
    TEGULA_INLINE accumulator finish(const accumulator& all, long_index_t count) const
    {
        // The identity of plus is -0, and the sum of no elements is 0.
        const accumulator result = count == 0 ? static_cast<accumulator>(all + accumulator{}) : all;
        return mean ? result / static_cast<accumulator>(count) : result;
    }
    status check(long_index_t count) const
    {
        if (count == 0 && detail::needs_elements(op))
            return status(status_code::invalid_argument,
                          "the minimum or maximum of 0 elements; reduce along dimensions of length 1 or more");
        return {};
    }
};

/// The index of the largest element, or of the smallest. NaN comes before all numbers, of equals the lowest index.
template <class T>
struct arg_reducer
{
    using key_type = computed_type<T>;
    struct alignas(16) accumulator // moved by one access
    {
        key_type key;                                                               ///< the larger, the better
        std::conditional_t<sizeof(key_type) == 8, std::int64_t, std::int32_t> zero; ///< no byte is left unwritten
        long_index_t position;
    };
    using element = T;
    static constexpr index_t accumulators_a_lane = 1;
    static constexpr bool ordered = true;
    static constexpr bool of_partials = false;

    bool smallest = false;

    TEGULA_INLINE element fill() const { return from_computed<T>(key_of(maximum::identity<key_type>())); }
    TEGULA_INLINE accumulator identity() const { return {maximum::identity<key_type>(), 0, INT64_MAX}; }
    TEGULA_INLINE accumulator lift(const T& x, long_index_t number) const
    {
        return {key_of(to_computed(x)), 0, number};
    }
    TEGULA_INLINE accumulator combine(const accumulator& a, const accumulator& b) const
    {
        const bool a_nan = a.key != a.key, b_nan = b.key != b.key;
        const bool equal = a.key == b.key || (a_nan && b_nan);
        const bool earlier = a.position < b.position;
        const bool larger = a.key > b.key;
        const bool first = choose(equal, earlier, a_nan || larger);
        return {choose(first, a.key, b.key), 0, choose(first, a.position, b.position)};
    }
    TEGULA_INLINE long_index_t finish(const accumulator& all, long_index_t) const { return all.position; }
    status check(long_index_t count) const
    {
        if (count == 0)
            return status(status_code::invalid_argument,
                          "the largest or smallest of 0 elements has no index; reduce along dimensions of length 1 or "
                          "more");
        return {};
    }

private:
    /// In reverse order for the smallest. Integers are complemented: the least one has no negative.
    TEGULA_INLINE key_type key_of(key_type value) const
    {
        if constexpr (std::is_integral_v<key_type>)
            return smallest ? static_cast<key_type>(~value) : value;
        else
            return smallest ? -value : value;
    }
};

/// Reduces the partial results of several blocks for one result.
template <class Reducer>
struct partials_reducer
{
    using element = typename Reducer::accumulator;
    using accumulator = element;
    static constexpr index_t accumulators_a_lane = 4;
    static constexpr bool ordered = false;
    static constexpr bool of_partials = true;

    Reducer reducer = {};
    long_index_t elements = 0; ///< elements of each result, all blocks together

    TEGULA_INLINE element fill() const { return reducer.identity(); }
    TEGULA_INLINE accumulator identity() const { return reducer.identity(); }
    TEGULA_INLINE accumulator lift(const element& x, long_index_t) const { return x; }
    TEGULA_INLINE accumulator combine(const accumulator& a, const accumulator& b) const
    {
        return reducer.combine(a, b);
    }
    TEGULA_INLINE auto finish(const accumulator& all, long_index_t) const { return reducer.finish(all, elements); }
    status check(long_index_t) const { return {}; }
};

} // namespace tegula
