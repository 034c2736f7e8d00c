#pragma once

#include <tegula/tensor/elementwise.hpp>
#include <tegula/tensor/rearrange.hpp>

namespace tegula {

namespace detail {

/// The reduction of Distribution over all its dimensions.
template <class Distribution, class Dims = std::make_integer_sequence<int, Distribution::num_x>>
struct over_all_dims;
template <class Distribution, int... Dims>
struct over_all_dims<Distribution, std::integer_sequence<int, Dims...>>
{
    template <class Target, class T>
    static constexpr index_t scratch_bytes = reduce_scratch_bytes<Target, T, Distribution, Dims...>;

    TEGULA_CALLS_BACK
    template <class Target, class T, class Op>
    static TEGULA_INLINE T run(const distributed_tensor<T, Distribution>& tensor, const Op& op, std::byte* scratch,
                               call_site where)
    {
        return reduce<Target, Dims...>(tensor, op, scratch, where)[0];
    }
};

} // namespace detail

/// Bytes of shared memory that the reduction of a whole tile of T to one number needs (bool for any_true and all_true);
/// 0 if the tile belongs to one wave.
template <class Target, class T, class Distribution>
inline constexpr index_t reduce_all_scratch_bytes =
    detail::over_all_dims<Distribution>::template scratch_bytes<Target, T>;

/// The whole tile reduced to one number, which every lane gets. Like reduce over all dimensions.
TEGULA_CALLS_BACK
template <class Target, class T, class Distribution, class Op, class Scratch = detail::no_scratch>
TEGULA_INLINE T reduce_all(const distributed_tensor<T, Distribution>& tensor, const Op& op, Scratch scratch = nullptr,
                           call_site where = call_site::here())
{
    static_assert(sizeof(detail::check_scratch<Scratch, reduce_all_scratch_bytes<Target, T, Distribution>>) > 0);
    return detail::over_all_dims<Distribution>::template run<Target>(tensor, op, scratch, where);
}

/// Whether any element of the tile is true; every lane gets the result. Inside a wave by one vote, between waves
/// through scratch memory of reduce_all_scratch_bytes<Target, bool, Distribution>.
template <class Target, class Distribution, class Scratch = detail::no_scratch>
TEGULA_INLINE bool any_true(const distributed_tensor<bool, Distribution>& mask, Scratch scratch = nullptr,
                            call_site where = call_site::here())
{
    static_assert(sizeof(detail::check_scratch<Scratch, reduce_all_scratch_bytes<Target, bool, Distribution>>) > 0);
    if constexpr (scope_of<Target, Distribution> == partition_scope::block) {
        return reduce_all<Target>(mask, bit_or{}, scratch, where);
    } else {
        bool mine = false;
        static_for<Distribution::num_registers>([&](auto r) { mine |= mask[r]; });
        if constexpr (scope_of<Target, Distribution> == partition_scope::lane)
            return mine;
        else
            return Target::ballot(mine, where) != 0;
    }
}

/// Whether all elements of the tile are true. Otherwise like any_true.
template <class Target, class Distribution, class Scratch = detail::no_scratch>
TEGULA_INLINE bool all_true(const distributed_tensor<bool, Distribution>& mask, Scratch scratch = nullptr,
                            call_site where = call_site::here())
{
    static_assert(sizeof(detail::check_scratch<Scratch, reduce_all_scratch_bytes<Target, bool, Distribution>>) > 0);
    distributed_tensor<bool, Distribution> no;
    static_for<Distribution::num_registers>([&](auto r) { no[r] = !mask[r]; });
    return !any_true<Target>(no, scratch, where);
}

/// How many elements of the tile are true; copies of an element count once. Scratch memory:
/// reduce_all_scratch_bytes<Target, int, Distribution>.
template <class Target, class Distribution, class Scratch = detail::no_scratch>
TEGULA_INLINE int count(const distributed_tensor<bool, Distribution>& mask, Scratch scratch = nullptr,
                        call_site where = call_site::here())
{
    static_assert(sizeof(detail::check_scratch<Scratch, reduce_all_scratch_bytes<Target, int, Distribution>>) > 0);
    distributed_tensor<int, Distribution> ones;
    static_for<Distribution::num_registers>([&](auto r) { ones[r] = mask[r] ? 1 : 0; });
    return reduce_all<Target>(ones, plus{}, scratch, where);
}

namespace detail {

template <class Distribution, index_t Dim>
using ballot_word = std::conditional_t<(Distribution::x_length(Dim) <= 32), std::uint32_t, std::uint64_t>;

} // namespace detail

/// Bytes of shared memory that ballot needs; 0 if a row is in one wave.
template <class Target, class Distribution, index_t Dim>
inline constexpr index_t ballot_scratch_bytes =
    reduce_scratch_bytes<Target, detail::ballot_word<Distribution, Dim>, Distribution, Dim>;

/// The mask's rows along tensor dimension Dim as words whose bit i is element i, in the tile reduced along Dim. Words
/// have 32 bits, or 64 for rows of more elements; a row has at most 64. Otherwise like reduce.
template <class Target, index_t Dim, class Distribution, class Scratch = detail::no_scratch>
TEGULA_INLINE auto ballot(const distributed_tensor<bool, Distribution>& mask, Scratch scratch = nullptr,
                          call_site where = call_site::here())
{
    static_assert(sizeof(detail::check_scratch<Scratch, ballot_scratch_bytes<Target, Distribution, Dim>>) > 0);
    static_assert(Distribution::x_length(Dim) <= 64,
                  "tegula: ballot makes a word of a row, which has at most 64 elements");
    using word = detail::ballot_word<Distribution, Dim>;
    const auto bits = elementwise([](bool set, index_t i) { return set ? word{1} << i : word{0}; }, mask,
                                  step<Target, Distribution, Dim, index_t>());
    return reduce<Target, Dim>(bits, bit_or{}, scratch, where);
}

} // namespace tegula
