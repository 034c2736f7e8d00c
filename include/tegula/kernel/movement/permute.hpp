#pragma once

#include <tegula/core/word.hpp>
#include <tegula/kernel/elementwise/can_implement.hpp>
#include <tegula/kernel/movement/permute_kernel.hpp>

namespace tegula {

/// output[x0, x1, ...] = input at the index whose component order[i] is xi: dimension i of the output is dimension
/// order[i] of the input, as NumPy's transpose has it. Elements are moved as bits; they have 1, 2, 4 or 8 bytes.
template <class T>
struct permute_arguments
{
    tensor_argument<const T> input;
    tensor_argument<T> output;
    int order[max_tensor_rank] = {}; ///< as many as the input has dimensions; negative ones count from the last
};

namespace detail {

/// The input with its dimensions in the output's order. Rank -1 if `order` is no permutation.
template <class T>
constexpr tensor_argument<const T> reorder(const permute_arguments<T>& args)
{
    tensor_argument<const T> x{args.input.data, args.input.rank};
    unsigned seen = 0;
    for (int i = 0; i < x.rank; ++i) {
        const int from = args.order[i] < 0 ? args.order[i] + x.rank : args.order[i];
        if (from < 0 || from >= x.rank || (seen >> from & 1) != 0)
            return {args.input.data, -1};
        seen |= 1u << from;
        x.lengths[i] = args.input.lengths[from];
        x.strides[i] = args.input.strides[from];
    }
    return x;
}

struct copy_element
{
    template <class T>
    constexpr TEGULA_HOST_DEVICE T operator()(T x) const
    {
        return x;
    }
};

/// The space of output and input, and the dimension along which the input's neighbours lie. It is 0 if it is the
/// output's own, too: the tensor is then copied in order.
struct permute_space
{
    index_space<2> all;
    int turned = 0;
};

template <class T>
permute_space find_permute_space(const permute_arguments<T>& args)
{
    auto space = make_index_space(args.output, reorder(args));
    sort_dimensions(space);
    permute_space found{canonicalize(space)};
    for (int d = 1; d < found.all.rank; ++d)
        if (found.all.strides[1][d] == 1 && found.all.strides[1][0] != 1 && found.all.strides[1][0] != 0)
            found.turned = d;
    return found;
}

template <class Word, class T>
permute_plan<Word> plan_permute(const permute_arguments<T>& args, const permute_space& space, index_t side)
{
    const auto& all = space.all;
    const int turned = space.turned;
    permute_plan<Word> plan{reinterpret_cast<const Word*>(args.input.data),
                            reinterpret_cast<Word*>(args.output.data),
                            all.lengths[0],
                            all.lengths[turned],
                            {all.strides[0][0], all.strides[1][0]},
                            {all.strides[0][turned], all.strides[1][turned]}};
    for (int d = 1; d < all.rank; ++d)
        if (d != turned)
            copy_dimension(plan.batch, plan.batch.rank++, all, d);
    plan.batch = canonicalize(plan.batch);
    const auto tiles_of = [&](long_index_t length) { return length / side + (length % side != 0 ? 1 : 0); };
    plan.row_tiles = wide_magic_divisor(tiles_of(plan.rows));
    plan.column_tiles = wide_magic_divisor(tiles_of(plan.columns));
    plan.tiles = plan.row_tiles.value() * plan.column_tiles.value() * plan.batch.size;
    plan.blocks = blocks_for(plan.tiles, 1);
    return plan;
}

/// Whether both tensors take accesses of `vector` elements, each along its own contiguous dimension.
template <class Word>
bool suits_vectors(const permute_plan<Word>& plan, index_t vector)
{
    const auto address = [](const void* data) { return reinterpret_cast<std::uintptr_t>(data) % 16 == 0; };
    return plan.row_strides[0] == 1 && plan.column_strides[1] == 1 && plan.column_strides[0] % vector == 0 &&
           plan.row_strides[1] % vector == 0 && has_strides_of(plan.batch, 0, vector) &&
           has_strides_of(plan.batch, 1, vector) && address(plan.input) && address(plan.output);
}

} // namespace detail

/// Whether the tensor can be permuted: check_tensor of the input, check_output of the output, an order that names each
/// dimension once, the lengths that follow, no memory in common.
///
/// Errors: invalid_argument.
template <class T>
status can_implement(const permute_arguments<T>& args)
{
    status s = check_tensor(args.input, "input");
    if (s)
        s = check_output(args.output, "output");
    if (!s)
        return s;
    const auto reordered = detail::reorder(args);
    if (reordered.rank < 0)
        return status(status_code::invalid_argument, "the order of axes is not one of each dimension of the input, "
                                                     "whose rank is ")
               << args.input.rank << "; name every dimension once";
    s = check_same_lengths(reordered, "the permuted input", args.output, "output");
    if (s && memory_overlaps(args.input, args.output))
        s = internal::bad_tensor("output") << "its memory overlaps the input's; give it memory of its own";
    return s;
}

/// Calls f(kernel, plan) with the kernel that moves the elements of args: a permute_kernel if the input's neighbours
/// are not the output's, else an elementwise_kernel that copies; both in accesses of 16 bytes if lengths, strides
/// and addresses allow. Precondition: can_implement.
template <class Target, class T, class Call>
status dispatch_permute(const permute_arguments<T>& args, const Call& f)
{
    using word = typename word_of_bytes<sizeof(T)>::type;
    const detail::permute_space space = detail::find_permute_space(args);
    if (space.turned == 0 || space.all.size == 0) {
        const auto as_words = [](const auto& x, auto* data) {
            tensor_argument<std::remove_pointer_t<decltype(data)>> words{data, x.rank};
            for (int i = 0; i < x.rank; ++i)
                words.lengths[i] = x.lengths[i], words.strides[i] = x.strides[i];
            return words;
        };
        const auto from = detail::reorder(args);
        const auto copy = make_elementwise_arguments(detail::copy_element{},
                                                     as_words(args.output, reinterpret_cast<word*>(args.output.data)),
                                                     as_words(from, reinterpret_cast<const word*>(from.data)));
        return dispatch_elementwise<Target>(plan_elementwise(copy), f);
    }
    const auto start = [&](auto kernel) { return f(kernel, detail::plan_permute<word>(args, space, kernel.side)); };
    using by_vectors = permute_kernel<Target, word, true>;
    const auto plan = detail::plan_permute<word>(args, space, by_vectors::side);
    if (by_vectors::transposes_words ? plan.row_strides[0] == 1 && plan.column_strides[1] == 1
                                     : detail::suits_vectors(plan, by_vectors::vector))
        return start(by_vectors{});
    return start(permute_kernel<Target, word, false>{});
}

/// The kernels of a permutation: launch(device, permute_kernels<Target>{}, args).
template <class Target, class Arguments = any_arguments>
struct permute_kernels;

template <class Target>
struct permute_kernels<Target, any_arguments> : deduces_arguments<permute_kernels, Target>
{};

template <class Target, class T>
struct permute_kernels<Target, permute_arguments<T>> : tensor_protocol<permute_arguments<T>>
{
    using arguments = permute_arguments<T>;

    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        add_tensor(memory, args.input, "input");
        add_tensor(memory, args.output, "output");
    }
    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        return dispatch_permute<Target>(args, start_plan("permute", launch));
    }
};

} // namespace tegula
