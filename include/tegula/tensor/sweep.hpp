#pragma once

#include <tegula/tensor/partition.hpp>
#include <tegula/tensor/reduce.hpp>

namespace tegula {

/// Calls f(element, x) for every element the calling lane holds; x is its coordinate in the tile, p the lane's
/// partition index. The tensor may be const. Each lane that holds a replicated element visits it.
TEGULA_CALLS_BACK
template <class Tensor, class F>
constexpr TEGULA_INLINE void sweep(Tensor& tensor, const multi_index<Tensor::distribution::num_p>& p, const F& f)
{
    using distribution = typename Tensor::distribution;
    const multi_index<distribution::num_x> origin = distribution::origin(p);
    static_for<distribution::num_elements>([&](auto n) {
        constexpr multi_index<distribution::num_x> step = distribution::step(n);
        constexpr int r = distribution::register_at(step);
        multi_index<distribution::num_x> x = origin;
        static_for<distribution::num_x>([&](auto d) { x[d] += step[d]; });
        f(tensor[r], x);
    });
}

/// sweep with the partition index of the calling lane. The tensor may be a temporary.
TEGULA_CALLS_BACK
template <class Target, class Tensor, class F>
TEGULA_INLINE void sweep(Tensor&& tensor, const F& f)
{
    sweep(tensor, partition_index<Target, typename std::remove_cvref_t<Tensor>::distribution>(), f);
}

namespace detail {

/// Registers of the spans along Dim: element j of span s, in the order of the tile.
template <class Distribution, index_t Dim>
struct span_registers
{
    using rest = reduced_distribution<Distribution, Dim>;

    static consteval int at(int s, int j)
    {
        const auto kept = rest::step(s);
        multi_index<Distribution::num_x> x{};
        for (int i = 0, k = 0; i < Distribution::num_x; ++i)
            if (i != Dim)
                x[i] = kept[k++];
        for (int d = Distribution::num_digits - 1; d >= 0; --d) {
            const placed_digit digit = Distribution::digit(d);
            if (digit.x_dim != Dim || digit.y_dim < 0)
                continue;
            x[Dim] += static_cast<index_t>(j % digit.length * digit.x_stride);
            j /= digit.length;
        }
        return Distribution::register_at(x);
    }
};

} // namespace detail

/// The elements a lane holds along tensor dimension Dim at one position of the others. Span is the position: the
/// register index of reduced_distribution<Distribution, Dim>.
template <class Tensor, index_t Dim, int Span>
struct register_span
{
    using distribution = typename Tensor::distribution;

    Tensor& tensor;

    static constexpr TEGULA_HOST_DEVICE int size() { return static_cast<int>(distribution::span_length(Dim)); }

    /// Element J of the lane's elements along Dim, in the order of the tile.
    template <index_t J>
    constexpr TEGULA_INLINE auto& operator[](constant<J>) const
    {
        constexpr int r = detail::span_registers<std::remove_const_t<distribution>, Dim>::at(Span, J);
        return tensor[r];
    }
};

/// Calls f(constant<s>, register_span) for every span along Dim that the lane holds: rows of a softmax with Dim 1.
/// s is the register of the same position in a tensor reduced over Dim, so that reduced[s] belongs to the span.
TEGULA_CALLS_BACK
template <index_t Dim, class Tensor, class F>
constexpr TEGULA_INLINE void sweep_spans(Tensor& tensor, const F& f)
{
    using distribution = typename Tensor::distribution;
    static_for<reduced_distribution<distribution, Dim>::num_registers>(
        [&](auto s) { f(s, register_span<Tensor, Dim, s>{tensor}); });
}

/// tensor = f(tensor, reduced) in place: f gets every element and the result of its own row. `reduced` has the
/// distribution of `tensor` reduced over Dims.
TEGULA_CALLS_BACK
template <index_t... Dims, class T, class Distribution, class Reduced, class F>
constexpr TEGULA_INLINE void transform_with_reduced(distributed_tensor<T, Distribution>& tensor, const Reduced& reduced,
                                                    const F& f)
{
    using registers = detail::reduced_registers<Distribution, Dims...>;
    static_assert(
        same_distribution<typename Reduced::distribution, typename registers::result>,
        "tegula: the second tensor must have the distribution of the first reduced over the dimensions named");
    static_for<Distribution::num_elements>([&](auto n) {
        constexpr int r = registers::source_of(n);
        constexpr int to = registers::target_of(n);
        tensor[r] = f(tensor[r], reduced[to]);
    });
}

} // namespace tegula
