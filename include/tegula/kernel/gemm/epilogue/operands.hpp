#pragma once

#include <tegula/block/exchanged_load.hpp>
#include <tegula/core/rounding.hpp>
#include <tegula/kernel/gemm/arguments.hpp>
#include <tegula/kernel/gemm/epilogue/arithmetic.hpp>
#include <tegula/tensor/access.hpp>

namespace tegula::epilogue {

namespace detail {

/// acc = op(acc, read(access)) for every vector of the tile.
template <class Window, class Accumulator, class Read, class Op>
TEGULA_INLINE void combine(Accumulator& acc, const Window& window, const Read& read, const Op& op)
{
    for_each_access<bounds::checked>(window, [&](auto a, const auto& access) {
        auto values = tegula::internal::gather_registers<Window, a>(acc);
        const auto others = read(access);
        static_for<Window::plan::vector>([&](auto j) { values[j] = op(values[j], others[j]); });
        tegula::internal::scatter_registers<Window, a>(acc, values);
    });
}

/// The tile, distributed as Distribution.
template <class Target, class Distribution, class Tile>
TEGULA_INLINE auto distribute(const Tile& tile)
{
    if constexpr (std::is_same_v<typename Tile::distribution, Distribution>)
        return tile;
    else
        return convert<Target, Distribution>(tile);
}

/// acc = op(acc, others) for `Count` registers from `First` on, which are distributed alike. Chips with packed floats take
/// two a step, by pair_op.
template <class Target, int First, int Count, class Accumulator, class Others, class Op, class PairOp>
TEGULA_INLINE void combine_registers(Accumulator& acc, const Others& others, const Op& op, const PairOp& pair_op)
{
    if constexpr (std::is_same_v<typename Accumulator::value_type, float> && Target::chip().has_packed_floats &&
                  Count % 2 == 0) {
        static_for<Count / 2>([&](auto pair) {
            constexpr int i = First + 2 * pair, j = i + 1;
            const array<float, 2> result =
                pair_op(array<float, 2>{acc[i], acc[j]},
                        array<float, 2>{static_cast<float>(others[i]), static_cast<float>(others[j])});
            acc[i] = result[0];
            acc[j] = result[1];
        });
    } else {
        static_for<Count>([&](auto r) {
            constexpr int i = First + r;
            acc[i] = op(acc[i], others[i]);
        });
    }
}

/// How a matrix of T is read or written in vectors next to C. If its elements are wider than C's, a few lanes access
/// neighbouring vectors and exchange them. Waves of 64 lanes do not: their boolean masks are two scalar registers each,
/// and next to the epilogue's gfx942 has no room for those of the exchange.
template <class Window, class T>
using companion_distribution =
    std::conditional_t<Window::target::wave_size == 64, typename Window::distribution,
                       memory_distribution<typename Window::target, T, typename Window::distribution>>;

/// Row and column of the lane's first element in a tile.
template <class Target, class Distribution>
TEGULA_INLINE auto lane_origin()
{
    return Distribution::origin(partition_index<Target, Distribution>());
}

/// Calls f(window of another matrix) for the tile that `window` covers in C; both matrices are [m, n]. If its elements
/// are wider than those of C and read in vectors, it is distributed so that accesses are whole sectors.
///
/// vectors  columns of the other matrix are neighbours and its rows start at multiples of 16 bytes
template <class Window, class T, class F>
TEGULA_INLINE void with_window_of(const matrix_argument<T>& matrix, bool vectors, const Window& window,
                                  long_index_t batch, const char* name, const F& f)
{
    using target = typename Window::target;
    T* const data = matrix.data + batch * matrix.batch_stride;
    const auto lengths = window.view.descriptor.lengths();
    auto call = [&]<class Distribution>(auto column_stride, auto promise, Distribution) {
        const auto view = make_tensor_view<target, address_space::global>(
            data,
            make_strided_descriptor(make_tuple(lengths[0], lengths[1]), make_tuple(matrix.row_stride, column_stride),
                                    promise),
            name);
        auto x = window.coordinate.index();
        if constexpr (!std::is_same_v<Distribution, typename Window::distribution>) {
            const auto before = lane_origin<target, typename Window::distribution>();
            const auto after = lane_origin<target, Distribution>();
            x = {x[0] - before[0] + after[0], x[1] - before[1] + after[1]};
        }
        f(tile_window<std::remove_const_t<decltype(view)>, Distribution>{view, make_coordinate(view.descriptor, x)});
    };
    if constexpr (Window::plan::vector > 1) {
        if (vectors) {
            call(constant<1>{}, constant<16 / static_cast<index_t>(sizeof(T))>{},
                 companion_distribution<Window, std::remove_const_t<T>>{});
            return;
        }
    }
    call(matrix.column_stride, constant<1>{}, typename Window::distribution{});
}

} // namespace detail

/// value += beta * source[m, n]; the source is not read if beta is 0. If the kernel reads C in vectors, the source must
/// lie as that C does: columns are neighbours, rows start at multiples of 16 bytes.
template <class Source>
struct add_source
{
    template <class What>
    static constexpr int prefetch_consumers = std::is_same_v<What, prefetched_source>;
    using value_type = Source;
    matrix_argument<const Source> source;
    float beta = 0.0f;

    template <class What>
    TEGULA_INLINE const add_source& prefetch_consumer() const
    {
        return *this;
    }

    status check(const extents& e) const
    {
        return beta == 0.0f ? status() : gemm_checks::check_input("the source", source, e.m, e.n, e.batch);
    }
    bool suits_vectors(const extents& e) const { return beta == 0.0f || has_vector_rows(source, e.m, e.n, e.batch); }
    template <class Memory>
    void memory(const extents& e, Memory& memory) const
    {
        if (beta != 0.0f)
            add_matrix(memory, source, e.m, e.n, e.batch, "C0");
    }

    TEGULA_INLINE bool leaves_unchanged() const { return beta == 0.0f; }
    template <class Accumulator, class Window>
    TEGULA_INLINE void operator()(Accumulator& acc, const Window& window, long_index_t batch) const
    {
        using T = typename Accumulator::value_type;
        if (beta == 0.0f)
            return;
        const auto sum = [&](T x, Source c) { return multiply_add(static_cast<T>(beta), static_cast<T>(c), x); };
        if constexpr (requires { window.read_source(); }) {
            using target = typename Window::target;
            const auto sums = [&](const array<float, 2>& x, const array<float, 2>& c) {
                return target::packed_multiply_add(c, {beta, beta}, x);
            };
            detail::combine_registers<target, 0, Accumulator::num_registers>(acc, window.read_source(), sum, sums);
        } else if constexpr (Window::plan::vector > 1 && !std::is_same_v<detail::companion_distribution<Window, Source>,
                                                                         typename Window::distribution>) {
            detail::with_window_of(source, true, window, batch, "C0", [&](const auto& from) {
                const auto others =
                    detail::distribute<typename Window::target, typename Window::distribution>(load(from));
                static_for<Accumulator::num_registers>([&](auto i) { acc[i] = sum(acc[i], others[i]); });
            });
        } else {
            const Source* const first = source.data + batch * source.batch_stride;
            detail::combine(
                acc, window,
                [&](const auto& access) {
                    const auto x = access.coordinate.index();
                    const long_index_t column_stride = Window::plan::vector > 1 ? 1 : source.column_stride;
                    return tegula::internal::read_elements(
                        access, first + x[0] * source.row_stride + x[1] * column_stride, "C0", first, Source{});
                },
                sum);
        }
    }
};

/// value += factor * source[m, n], with any strides of the source; a stride of 0 repeats a row or a column. Unlike
/// add_source it does not depend on the kernel's alignment: make_residual finds out that of the source.
template <class Source>
struct add_residual
{
    matrix_argument<const Source> source;
    float factor = 1.0f;
    bool vectors = false; ///< columns are neighbours, rows start at multiples of 16 bytes

    status check(const extents& e) const
    {
        if (status s = gemm_checks::check_input("the residual", source, e.m, e.n, e.batch); !s)
            return s;
        if (vectors && !e.empty() && !allows_vectors(source, e.m, e.batch))
            return gemm_checks::invalid(
                "the residual is marked as vectors, but its rows do not start at multiples of 16 "
                "bytes or its columns are not neighbours; make it with make_residual");
        return {};
    }
    template <class Memory>
    void memory(const extents& e, Memory& memory) const
    {
        add_matrix(memory, source, e.m, e.n, e.batch, "residual");
    }

    template <class Accumulator, class Window>
    TEGULA_INLINE void operator()(Accumulator& acc, const Window& window, long_index_t batch) const
    {
        using T = typename Accumulator::value_type;
        detail::with_window_of(source, vectors, window, batch, "residual", [&](const auto& from) {
            const auto others = detail::distribute<typename Window::target, typename Window::distribution>(load(from));
            static_for<Accumulator::num_registers>(
                [&](auto i) { acc[i] = multiply_add(static_cast<T>(factor), static_cast<T>(others[i]), acc[i]); });
        });
    }
};

/// value += bias[n]; no bias if the pointer is null.
template <class Bias>
struct add_bias
{
    static constexpr bool same_for_every_row = true;
    template <class What>
    static constexpr int prefetch_consumers = std::is_same_v<What, prefetched_bias>;
    using value_type = Bias;
    const Bias* bias = nullptr;

    template <class What>
    TEGULA_INLINE const add_bias& prefetch_consumer() const
    {
        return *this;
    }

    template <class Memory>
    void memory(const extents& e, Memory& memory) const
    {
        memory.read(bias, static_cast<std::size_t>(e.n) * sizeof(Bias), "bias");
    }

    TEGULA_INLINE bool leaves_unchanged() const { return bias == nullptr; }
    template <class Accumulator, class Window>
    TEGULA_INLINE void operator()(Accumulator& acc, const Window& window, long_index_t) const
    {
        using T = typename Accumulator::value_type;
        constexpr int n = Window::plan::vector;
        if (bias == nullptr)
            return;
        if constexpr (requires { window.read_bias(); }) {
            using target = typename Window::target;
            const auto sum = [](T x, Bias b) { return x + static_cast<T>(b); };
            const auto sums = [](const array<float, 2>& x, const array<float, 2>& b) {
                return target::packed_add(x, b);
            };
            constexpr int all = Accumulator::num_registers;
            constexpr int count = target::chip().has_packed_floats && all % 16 == 0 ? 16 : all;
            static_for<all / count>([&](auto part) {
                // Always true. ptxas moves no load ahead of a branch; all loads at once would need so many registers that
                // it moves the accumulators to others.
                constexpr int first = part * count;
                if (part == 0 || reinterpret_cast<std::uintptr_t>(bias) > part)
                    detail::combine_registers<target, first, count>(acc, window.read_bias(), sum, sums);
            });
        } else {
            detail::combine(
                acc, window,
                [&](const auto& access) {
                    const Bias* at = bias + access.coordinate.index()[1];
                    array<Bias, n> values;
                    static_for<n>([&](auto j) {
                        values[j] = tegula::internal::read_scalar<typename Window::target>(
                            at + j, access.all || access.contains(j));
                    });
                    return values;
                },
                [](T x, Bias b) { return x + static_cast<T>(b); });
        }
    }
};

/// Runs its parts on a copy of the value and stores the result as one more output D[m, n] of any strides. The
/// accumulator stays as it was. For the value before an activation, or a quantised copy.
template <class D, class... Parts>
struct store_copy
{
    matrix_argument<D> d;
    bool vectors = false; ///< columns are neighbours, rows start at multiples of 16 bytes
    chain<Parts...> parts;

    status check(const extents& e) const
    {
        if (status s = gemm_checks::check_output("D", d, e.m, e.n, e.batch); !s)
            return s;
        if (vectors && !e.empty() && !allows_vectors(d, e.m, e.batch))
            return gemm_checks::invalid(
                "D is marked as vectors, but its rows do not start at multiples of 16 bytes or its "
                "columns are not neighbours; make it with make_store_copy");
        return parts.check(e);
    }
    bool suits_vectors(const extents& e) const { return parts.suits_vectors(e); }
    template <class Memory>
    void memory(const extents& e, Memory& memory) const
    {
        add_matrix(memory, d, e.m, e.n, e.batch, "D");
        parts.memory(e, memory);
    }

    template <class Accumulator, class Window>
    TEGULA_INLINE void operator()(const Accumulator& acc, const Window& window, long_index_t batch) const
    {
        auto copy = acc;
        parts(copy, window, batch);
        detail::with_window_of(d, vectors, window, batch, "D", [&](const auto& to) {
            using distribution = typename std::remove_cvref_t<decltype(to)>::distribution;
            store(to, detail::distribute<typename Window::target, distribution>(cast<D>(copy)));
        });
    }
};

} // namespace tegula::epilogue
