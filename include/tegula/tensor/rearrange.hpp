#pragma once

#include <tegula/tensor/reduce.hpp>
#include <tegula/tensor/sweep.hpp>

/// Tiles that reuse the registers of a tile, and tiles made of indices. Nothing here moves an element to another lane.

namespace tegula {

namespace detail {

/// `tensor` under the name of another distribution, whose n-th register position is the tensor's n-th.
template <class Result, class T, class Distribution>
TEGULA_INLINE distributed_tensor<T, Result> rename_registers(const distributed_tensor<T, Distribution>& tensor)
{
    distributed_tensor<T, Result> result;
    static_for<Result::num_elements>([&](auto n) {
        constexpr int to = Result::register_at(Result::step(n));
        constexpr int from = Distribution::register_at(Distribution::step(n));
        result[to] = tensor[from];
    });
    return result;
}

template <class Begins, class Part, int... Is>
sequence<(Begins::at(Is) + Part::x_length(Is))...> add_lengths(std::integer_sequence<int, Is...>);
/// Where a slice of Part's lengths ends.
template <class Begins, class Part>
using slice_ends = decltype(add_lengths<Begins, Part>(std::make_integer_sequence<int, Part::num_x>{}));

/// Register of the slice's source that holds the element at position n of the slice.
template <class Distribution, class Slice, class Begins>
consteval int source_of_slice(int n)
{
    auto x = Slice::step(n);
    const auto begins = to_lengths(Begins{});
    for (int i = 0; i < Distribution::num_x; ++i)
        x[i] += begins[i];
    return Distribution::register_at(x);
}

} // namespace detail

/// The tile with its dimensions reordered: dimension i of the result is dimension Order[i].
template <index_t... Order, class T, class Distribution>
TEGULA_INLINE auto transpose(const distributed_tensor<T, Distribution>& tensor)
{
    using result = tile_distribution<transpose_encoding<typename Distribution::encoding, sequence<Order...>>>;
    return detail::rename_registers<result>(tensor);
}

/// The tile with other lengths; elements keep their row-major numbers. The tile must have as many elements, and a new
/// length must divide the digit that it cuts. Otherwise the call does not compile.
template <index_t... Lengths, class T, class Distribution>
TEGULA_INLINE auto shape_cast(const distributed_tensor<T, Distribution>& tensor)
{
    using result = tile_distribution<reshape_encoding<typename Distribution::encoding, sequence<Lengths...>>>;
    return detail::rename_registers<result>(tensor);
}

/// The part [Begins, Ends) of the tile, cut along digits that registers count, so that every lane keeps its place.
template <class Begins, class Ends, class T, class Distribution>
TEGULA_INLINE auto slice(const distributed_tensor<T, Distribution>& tensor)
{
    using part = tile_distribution<slice_encoding<typename Distribution::encoding, Begins, Ends>>;
    distributed_tensor<T, part> result;
    static_for<part::num_elements>([&](auto n) {
        constexpr int to = part::register_at(part::step(n));
        constexpr int from = detail::source_of_slice<Distribution, part, Begins>(n);
        result[to] = tensor[from];
    });
    return result;
}

/// tensor[Begins + x] = part[x]: the inverse of slice().
template <class Begins, class T, class Distribution, class Part>
TEGULA_INLINE void insert(distributed_tensor<T, Distribution>& tensor, const distributed_tensor<T, Part>& part)
{
    using ends = detail::slice_ends<Begins, Part>;
    using expected = tile_distribution<slice_encoding<typename Distribution::encoding, Begins, ends>>;
    static_assert(same_distribution<expected, Part>,
                  "tegula: the part that is inserted must have the distribution that a slice of the tile has there");
    static_for<Part::num_elements>([&](auto n) {
        constexpr int from = Part::register_at(Part::step(n));
        constexpr int to = detail::source_of_slice<Distribution, Part, Begins>(n);
        tensor[to] = part[from];
    });
}

/// Tiles of one distribution one after the other along tensor dimension Dim, as one tile.
template <index_t Dim, class T, class Distribution, class... Others>
TEGULA_INLINE auto concatenate(const distributed_tensor<T, Distribution>& first, const Others&... others)
{
    static_assert((std::is_same_v<Others, distributed_tensor<T, Distribution>> && ...),
                  "tegula: concatenate joins tiles of one distribution and one element type");
    constexpr int count = 1 + static_cast<int>(sizeof...(Others));
    using result = tile_distribution<stack_encoding<typename Distribution::encoding, Dim, count>>;
    distributed_tensor<T, result> joined;
    const distributed_tensor<T, Distribution>* const parts[] = {&first, &others...};
    static_for<result::num_elements>([&](auto n) {
        // The new digit is the first Y: the slowest one.
        constexpr int to = result::register_at(result::step(n));
        constexpr int from = Distribution::register_at(Distribution::step(n % Distribution::num_elements));
        joined[to] = (*parts[n / Distribution::num_elements])[from];
    });
    return joined;
}

/// The tile of Distribution in which every element is that of `reduced` at its place:
/// reduced_distribution<Distribution, Dims...> spread over the dimensions Dims again.
template <class Distribution, index_t... Dims, class T, class Reduced>
TEGULA_INLINE distributed_tensor<T, Distribution> broadcast(const distributed_tensor<T, Reduced>& reduced)
{
    using registers = detail::reduced_registers<Distribution, Dims...>;
    static_assert(same_distribution<Reduced, typename registers::result>,
                  "tegula: broadcast takes a tile of the distribution reduced over the dimensions named; convert() it "
                  "to reduced_distribution<Distribution, Dims...> first");
    distributed_tensor<T, Distribution> result;
    static_for<Distribution::num_elements>([&](auto n) {
        constexpr int to = registers::source_of(n);
        constexpr int from = registers::target_of(n);
        result[to] = reduced[from];
    });
    return result;
}

/// Elements of `yes` if their mask is true, else of `no`. Both are evaluated, neither by a branch.
template <class T, class Distribution>
TEGULA_INLINE distributed_tensor<T, Distribution> select(const distributed_tensor<bool, Distribution>& mask,
                                                         const distributed_tensor<T, Distribution>& yes,
                                                         const distributed_tensor<T, Distribution>& no)
{
    distributed_tensor<T, Distribution> result;
    static_for<Distribution::num_registers>(
        [&](auto r) { result[r] = choose(static_cast<bool>(mask[r]), yes[r], no[r]); });
    return result;
}

/// Elements of `yes` if their mask is true, else the one value `no`.
template <class T, class Distribution>
TEGULA_INLINE distributed_tensor<T, Distribution> select(const distributed_tensor<bool, Distribution>& mask,
                                                         const distributed_tensor<T, Distribution>& yes,
                                                         const std::type_identity_t<T>& no)
{
    return select(mask, yes, make_distributed_tensor<T, Distribution>(no));
}

/// The tile whose elements are their own indices along tensor dimension Dim: first, first + 1, ...
template <class Target, class Distribution, index_t Dim, class T = index_t>
TEGULA_INLINE distributed_tensor<T, Distribution> step(T first = T{})
{
    distributed_tensor<T, Distribution> result;
    sweep<Target>(result, [&](T& element, const auto& x) { element = static_cast<T>(first + static_cast<T>(x[Dim])); });
    return result;
}

/// The tile of bool that is true if the index along every dimension i is below lengths[i]. This holds for any digits:
/// an earlier block of registers may be full while a later one is not.
template <class Target, class Distribution>
TEGULA_INLINE distributed_tensor<bool, Distribution> create_mask(const multi_index<Distribution::num_x>& lengths)
{
    distributed_tensor<bool, Distribution> mask;
    sweep<Target>(mask, [&](bool& element, const auto& x) {
        bool inside = true;
        static_for<Distribution::num_x>([&](auto d) { inside &= x[d] < lengths[d]; });
        element = inside;
    });
    return mask;
}

} // namespace tegula
