#pragma once

#include <tegula/core/array.hpp>
#include <tegula/core/math.hpp>
#include <tegula/core/rounding.hpp>
#include <tegula/core/static_for.hpp>

namespace tegula {

/// A product whose operands are read from shared memory some steps ahead of the step that is multiplied.
///
///   Steps     steps of the product
///   Ahead     steps that reads are ahead
///   read      read(constant<i>) gives the operands of step i
///   multiply  multiply(constant<i>, operands)
template <int Steps, int Ahead, class Read, class Multiply>
struct product_stream
{
    static constexpr int steps = Steps;
    using operands = decltype(std::declval<const Read&>()(constant<0>{}));

    Read read;
    Multiply multiply;
    array<operands, Ahead> next;

    TEGULA_INLINE product_stream(const Read& r, const Multiply& m) : read(r), multiply(m)
    {
        static_for<min(Ahead, Steps)>([&](auto i) { next[i] = read(i); });
    }
    /// With the operands of the first Ahead steps, read before.
    TEGULA_INLINE product_stream(const Read& r, const Multiply& m, const array<operands, Ahead>& first)
        : read(r), multiply(m), next(first)
    {}
    template <int I>
    TEGULA_INLINE void run_step()
    {
        if constexpr (I < Steps) {
            const auto now = next[I % Ahead];
            if constexpr (I + Ahead < Steps)
                next[I % Ahead] = read(constant<I + Ahead>{});
            multiply(constant<I>{}, now);
        }
    }
};

TEGULA_CALLS_BACK
template <int Steps, int Ahead, class Read, class Multiply>
TEGULA_INLINE auto make_product_stream(const Read& read, const Multiply& multiply)
{
    return product_stream<Steps, Ahead, Read, Multiply>(read, multiply);
}

/// With the operands of the first Ahead steps, read before.
TEGULA_CALLS_BACK
template <int Steps, int Ahead, class Read, class Multiply, class First>
TEGULA_INLINE auto make_product_stream(const Read& read, const Multiply& multiply, const First& first)
{
    return product_stream<Steps, Ahead, Read, Multiply>(read, multiply, first);
}

/// Reads the operands b of a product from shared memory, a part of a slice of k for each step.
///
///   Mma     a mma_tile
///   Parts   parts of a slice
///   stream  a reader of slices, see sequence_loader::stream()
template <class Mma, int Parts, class Stream>
TEGULA_INLINE auto part_reader(const Stream& stream)
{
    return [stream](auto step) {
        constexpr int n = decltype(step)::value;
        return stream.template read<n / Parts* static_cast<int>(Mma::slice_k), n % Parts, Parts>();
    };
}

/// acc += a b^T for the part of b that part_reader() has read for step Step, and a's slice of that step.
template <class Mma, int Step, int Parts, class Words>
TEGULA_INLINE void multiply_part(typename Mma::accumulators& acc, const typename Mma::a_slice& a, const Words& read)
{
    typename Mma::template b_part<Step % Parts, Parts> b;
    b.registers = __builtin_bit_cast(decltype(b.registers), read);
    Mma::multiply(acc, a, b);
}

/// acc += factor * a b^T for what multiply_part() multiplies. Each instruction's columns have sums of their own, which are
/// added to acc in f32: for instructions that truncate long sums (promoted_accumulators.hpp).
///
///   InOrder  whether columns keep their order on NVIDIA, which takes fewer registers
template <class Mma, int Step, int Parts, bool InOrder, class Words>
TEGULA_INLINE void add_part(typename Mma::accumulators& acc, const typename Mma::a_slice& a, const Words& read,
                            float factor)
{
    constexpr int columns = Mma::iterations_n / Parts, words = Words::size() / columns;
    static_for<columns>([&](auto c) {
        constexpr int first = decltype(c)::value * words, column = Step % Parts * columns + decltype(c)::value;
        array<std::uint32_t, words> own;
        static_for<words>([&](auto w) { own[w] = read[first + w]; });
        typename Mma::accumulators sums;
        sums.clear();
        multiply_part<Mma, column, Mma::iterations_n>(sums, a, own);
        static_for<Mma::iterations_m>([&](auto row) {
            constexpr int tile = decltype(row)::value * Mma::iterations_n + column;
            static_for<Mma::atom::c_count>(
                [&](auto i) { acc.tiles[tile][i] = multiply_add(sums.tiles[tile][i], factor, acc.tiles[tile][i]); });
        });
        if constexpr (InOrder)
            Mma::target::wave_barrier();
    });
}

/// Something that is done once beside a product, at its step At.
template <int At, class Task>
struct task_stream
{
    static constexpr int steps = At + 1;
    Task task;

    template <int I>
    TEGULA_INLINE void run_step()
    {
        if constexpr (I == At)
            task();
    }
};

TEGULA_CALLS_BACK
template <int At, class Task>
TEGULA_INLINE auto make_task_stream(const Task& task)
{
    return task_stream<At, Task>{task};
}

/// Something that is done beside each step of a product: task(constant<i>).
template <int Steps, class Task>
struct tasks_stream
{
    static constexpr int steps = Steps;
    Task task;

    template <int I>
    TEGULA_INLINE void run_step()
    {
        if constexpr (I < Steps)
            task(constant<I>{});
    }
};

TEGULA_CALLS_BACK
template <int Steps, class Task>
TEGULA_INLINE auto make_tasks_stream(const Task& task)
{
    return tasks_stream<Steps, Task>{task};
}

/// Runs products together, step by step: a wave that is alone on its SIMD then has instructions that do not wait for each
/// other.
template <class Target, class... Streams>
TEGULA_INLINE void run_product_streams(Streams... streams)
{
    constexpr int steps = [] {
        int most = 0;
        ((most = max(most, Streams::steps)), ...);
        return most;
    }();
    static_for<steps>([&](auto i) {
        (streams.template run_step<decltype(i)::value>(), ...);
        Target::scheduling_barrier(); // no later reads
    });
}

} // namespace tegula
