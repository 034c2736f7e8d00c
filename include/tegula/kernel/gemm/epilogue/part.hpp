#pragma once

/// The steps between the accumulator and C: functions on the distributed accumulator of a tile, run in order.
///
/// A part is a function object f(accumulator, window, batch). `accumulator` is a distributed_tensor of the tile,
/// `window` its place in C (accesses give coordinates and which elements exist), `batch` the product's index. f changes
/// the accumulator, or returns another tensor to be stored instead. At the end the values are converted to C: rounded
/// to nearest even; saturated for fp8 and int8.
///
///   part.hpp        optional members of a part: checks, memory
///   arithmetic.hpp  scale, activate, clamp, chain, as_float
///   operands.hpp    add_source, add_residual, add_bias, store_copy (a further output)
///   scales.hpp      scale_tensor, scale_rows, scale_columns: multiply or divide by scales in memory
///   make.hpp        linear (BLAS's alpha and beta, bias, activation) and makers
///   check.hpp       check_epilogue

#include <tegula/core/holds_pointer.hpp>
#include <tegula/kernel/gemm/memory.hpp>

#include <type_traits>
#include <utility>

namespace tegula {

namespace internal {

/// The rule that the emulator knows what memory a part of an epilogue or a maker of elements touches.
template <bool Ok, class Part>
struct memory_of_part_is_known
{
    static_assert(Ok, "tegula: this part of an epilogue may hold pointers, and nothing says what memory they lead to; "
                      "give it a member memory(extents, memory), which calls memory.read or memory.write "
                      "(kernel/gemm/epilogue/part.hpp)");
    static constexpr bool ok = Ok;
};

} // namespace internal

namespace epilogue {

/// Sizes of the products that an epilogue follows.
struct extents
{
    long_index_t m = 0;
    long_index_t n = 0;
    long_index_t batch = 1;

    constexpr bool empty() const { return m == 0 || n == 0 || batch == 0; }
};

/// In addition to its call, a part may have four optional members:
///
///     status check(const extents&) const;                // whether its own arguments are right
///     bool suits_vectors(const extents&) const;          // whether kernels that access C in vectors can run it
///     bool leaves_unchanged() const;                     // whether it changes no value with these arguments; called
///                                                        // on GPUs too, so mark it TEGULA_INLINE
///     template <class Memory>
///     void memory(const extents&, Memory&) const;        // names what it accesses in addition to the accumulator and
///                                                        // C; required of a part that may hold a pointer
template <class Part>
status check_part(const Part& part, const extents& e)
{
    if constexpr (requires { part.check(e); })
        return part.check(e);
    else
        return {};
}

template <class Part>
bool part_suits_vectors(const Part& part, const extents& e)
{
    if constexpr (requires { part.suits_vectors(e); })
        return part.suits_vectors(e);
    else
        return true;
}

template <class Part, class Memory>
void add_part_memory(const Part& part, const extents& e, Memory& memory)
{
    if constexpr (requires { part.memory(e, memory); })
        part.memory(e, memory);
    else
        static_assert(tegula::internal::memory_of_part_is_known<holds_no_pointer<Part>(), Part>::ok);
}

/// Tags of a matrix that a kernel can prefetch for the one part that adds it.
struct prefetched_source
{}; ///< C0, which add_source adds
struct prefetched_bias
{}; ///< the bias, which add_bias adds

/// How many parts of Part, itself included, take What from a kernel that prefetches it.
template <class Part, class What>
inline constexpr int prefetch_consumers_of = 0;
template <class Part, class What>
    requires requires { Part::template prefetch_consumers<What>; }
inline constexpr int prefetch_consumers_of<Part, What> = Part::template prefetch_consumers<What>;

/// The type of the first part that takes What.
template <class Part, class What>
using prefetch_consumer_of =
    std::remove_cvref_t<decltype(std::declval<const Part&>().template prefetch_consumer<What>())>;

/// A window of C in a kernel that has prefetched C0 or the bias: read_source() gives C0's tile, read_bias() the bias of
/// its columns, both distributed as the window. If the kernel prefetches only one, the other is not_prefetched.
template <class Window, class ReadSource, class ReadBias>
struct companion_window : Window
{
    using plain_window = Window;
    ReadSource read_source;
    ReadBias read_bias;
};
struct not_prefetched
{};
template <class Window, class ReadSource, class ReadBias>
TEGULA_INLINE auto make_companion_window(const Window& window, const ReadSource& source, const ReadBias& bias)
{
    if constexpr (std::is_same_v<ReadSource, not_prefetched> && std::is_same_v<ReadBias, not_prefetched>)
        return window;
    else
        return companion_window<Window, ReadSource, ReadBias>{{window}, source, bias};
}

/// The window that a part receives: only parts that add C0 or bias see what the kernel has prefetched.
template <class Part, class Window>
TEGULA_INLINE const auto& window_for(const Window& window)
{
    constexpr int consumers =
        prefetch_consumers_of<Part, prefetched_source> + prefetch_consumers_of<Part, prefetched_bias>;
    if constexpr (consumers == 0 && requires { typename Window::plain_window; })
        return static_cast<const typename Window::plain_window&>(window);
    else
        return window;
}

/// The products that the arguments of a kernel describe.
template <class Arguments>
extents extents_of(const Arguments& args)
{
    return {args.m, args.n, args.batch};
}

/// Whether the matrix of m rows can be read and written in vectors of 16 bytes.
template <class T>
bool allows_vectors(const matrix_argument<T>& x, long_index_t m, long_index_t batch)
{
    return has_vector_rows(x, m, 2, batch);
}

} // namespace epilogue
} // namespace tegula
