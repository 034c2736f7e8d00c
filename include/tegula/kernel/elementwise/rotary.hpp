#pragma once

#include <tegula/core/functions.hpp>
#include <tegula/kernel/elementwise/can_implement.hpp>

/// Rotary position embedding (RoPE) as an elementwise operation (Su et al., "RoFormer", 2021). The pairs are those of GPT-NeoX:
/// elements i and i + d/2 of a row of d.

namespace tegula {

/// Computes the angle of pair i for one step of the position, base^(-2 i / d), in units of 2^-64 turns of the circle. The product
/// with an integer position wraps around at whole turns, as angles do. So angles are as accurate for large positions as for
/// small ones.
///
///   turns  output, d / 2 numbers on the host; copy them to the device. d is even.
inline void make_rotary_turns(std::uint64_t* turns, long_index_t d, double base)
{
    const long double log_base = __builtin_logl(static_cast<long double>(base));
    const long double two_pi = 6.283185307179586476925286766559L;
    for (long_index_t i = 0; i < d / 2; ++i) {
        const long double per_step =
            __builtin_expl(-2.0L * static_cast<long double>(i) / static_cast<long double>(d) * log_base) / two_pi;
        const long double part = per_step - __builtin_floorl(per_step);
        turns[i] = static_cast<std::uint64_t>(part * 18446744073709551616.0L);
    }
}

/// The pair (low, high) rotated by the angle position * turns, turns in units of 2^-64 of the circle.
struct rotate_pair
{
    /// Elements of an access: 16 bytes of the rotated tensor, whose elements are each moved once. The turns are wider,
    /// but all rows share their table.
    template <class T, class...>
    static constexpr index_t vector = widest_vector<T>;

    TEGULA_INLINE tuple<float, float> operator()(float low, float high, long_index_t position,
                                                 std::uint64_t turns) const
    {
        const std::uint64_t angle = static_cast<std::uint64_t>(position) * turns; // in units of 2^-64 turns
        const std::uint64_t quadrant = (angle + (std::uint64_t{1} << 61)) >> 62;
        const auto rest = static_cast<std::int32_t>(static_cast<std::uint32_t>(angle >> 32) -
                                                    static_cast<std::uint32_t>(quadrant << 30));
        constexpr float unit = 1.4629180792671596e-9f; // 2 pi / 2^32
        const internal::reduced_angle reduced{static_cast<float>(rest) * unit, static_cast<std::uint32_t>(quadrant)};
        const float cosine = internal::sine(reduced, 1), sine = internal::sine(reduced, 0);
        return {{{multiply_add(low, cosine, -rounded_product(high, sine))},
                 {multiply_add(low, sine, rounded_product(high, cosine))}}};
    }
};

/// output = RoPE of input: the pairs of its last dimension are rotated by the angles of their positions.
template <class T>
struct rotary_arguments
{
    tensor_argument<const T> input;                ///< [..., d], d even
    tensor_argument<T> output;                     ///< shaped like the input; may be the input itself
    tensor_argument<const long_index_t> positions; ///< broadcast to the input's other dimensions
    const std::uint64_t* turns = nullptr;          ///< [d / 2] on the device, from make_rotary_turns
};

template <class T>
using rotary_elementwise = elementwise_arguments<rotate_pair, tuple<T, T>, tuple<T, T, long_index_t, std::uint64_t>>;

/// The elementwise operation of RoPE: from the two halves of each row to the two halves. Precondition: can_implement is ok.
template <class T>
rotary_elementwise<T> make_rotary_elementwise(const rotary_arguments<T>& args)
{
    const int last = args.input.rank - 1;
    const long_index_t half = args.input.lengths[last] / 2;
    const auto half_of = [&](auto x, long_index_t which) {
        x.lengths[last] = half;
        if (half > 0)
            x.data += which * half * x.strides[last];
        return x;
    };
    auto positions = args.positions;
    if (positions.rank < max_tensor_rank) {
        positions.lengths[positions.rank] = 1;
        positions.strides[positions.rank++] = 0;
    }
    tensor_argument<const std::uint64_t> turns{args.turns, 1, {half}, {1}};
    return {{},
            make_tuple(half_of(args.output, 0), half_of(args.output, 1)),
            make_tuple(half_of(args.input, 0), half_of(args.input, 1), positions, turns)};
}

/// Whether the embedding can be computed: an input of rank 1 or more whose last length is even, an output like it, and
/// positions that are broadcast to the dimensions before.
///
/// Errors: invalid_argument.
template <class T>
status can_implement(const rotary_arguments<T>& args)
{
    status s = check_tensor(args.input, "input");
    if (s)
        s = check_output(args.output, "output");
    if (s)
        s = check_same_lengths(args.input, "input", args.output, "output");
    if (s)
        s = check_tensor(args.positions, "positions");
    if (!s)
        return s;
    const int rank = args.input.rank;
    if (rank < 1 || args.input.lengths[rank - 1] % 2 != 0)
        return internal::bad_tensor("input")
               << "its last dimension has length " << (rank < 1 ? 0 : args.input.lengths[rank - 1])
               << "; pairs of elements are rotated, so it must be even";
    if (args.positions.rank >= rank)
        return internal::bad_tensor("positions")
               << "rank " << args.positions.rank << "; they have at most the input's dimensions but the last, "
               << rank - 1;
    if (memory_overlaps(args.input, args.output) && !same_elements(args.input, args.output))
        return internal::bad_tensor("output")
               << "its memory overlaps the input's, whose elements lie elsewhere; give it "
                  "memory of its own, or exactly the input's elements";
    auto operation = make_rotary_elementwise(args);
    return detail::broadcast(get<2>(operation.inputs), get<0>(operation.outputs), "positions");
}

/// The kernels of a rotary embedding: launch(device, rotary_kernels<Target>{}, args).
template <class Target, class Arguments = any_arguments>
struct rotary_kernels;

template <class Target>
struct rotary_kernels<Target, any_arguments> : deduces_arguments<rotary_kernels, Target>
{};

template <class Target, class T>
struct rotary_kernels<Target, rotary_arguments<T>> : tensor_protocol<rotary_arguments<T>>
{
    using arguments = rotary_arguments<T>;

    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        add_tensor(memory, args.input, "input");
        add_tensor(memory, args.output, "output");
        add_tensor(memory, args.positions, "positions");
        add_array(memory, args.turns, args.input.lengths[args.input.rank - 1] / 2, "turns");
    }
    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        return dispatch_elementwise<Target>(plan_elementwise(make_rotary_elementwise(args)),
                                            start_plan("rotary embedding", launch));
    }
};

} // namespace tegula
