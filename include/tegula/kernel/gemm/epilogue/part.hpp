#pragma once

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

/// The products an epilogue follows.
struct extents
{
    long_index_t m = 0;
    long_index_t n = 0;
    long_index_t batch = 1;

    constexpr bool empty() const { return m == 0 || n == 0 || batch == 0; }
};

/// A part may say four things of itself besides its call, each by an optional member:
///
///     status check(const extents&) const;                   // whether its own arguments are right
///     bool suits_vectors(const extents&) const;             // whether a kernel that reads and writes C in vectors can run it
///     bool leaves_unchanged() const;                        // whether it gives every value back, with the numbers it has;
///                                                           // on a GPU too, marked TEGULA_INLINE
///     template <class Memory>
///     void memory(const extents&, Memory&) const;           // reads and writes besides the accumulator and C; asked of a
///                                                           // part that may hold a pointer
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
{}; ///< C0, of add_source
struct prefetched_bias
{}; ///< of add_bias

/// How many parts of a part, itself among them, take What from a kernel that prefetches it.
template <class Part, class What>
inline constexpr int takers_of = 0;
template <class Part, class What>
    requires requires { Part::template takers<What>; }
inline constexpr int takers_of<Part, What> = Part::template takers<What>;

/// The first of them.
template <class Part, class What>
using taker_of = std::remove_cvref_t<decltype(std::declval<const Part&>().template taker<What>())>;

/// A window of C, of a kernel that has prefetched what is added: read_source() gives C0's tile, read_bias() the bias of
/// its columns, both distributed as the window. A kernel that prefetches only one has not_prefetched for the other.
template <class Window, class ReadSource, class ReadBias>
struct window_beside : Window
{
    using plain_window = Window;
    ReadSource read_source;
    ReadBias read_bias;
};
struct not_prefetched
{};
template <class Window, class ReadSource, class ReadBias>
TEGULA_INLINE auto make_window_beside(const Window& window, const ReadSource& source, const ReadBias& bias)
{
    if constexpr (std::is_same_v<ReadSource, not_prefetched> && std::is_same_v<ReadBias, not_prefetched>)
        return window;
    else
        return window_beside<Window, ReadSource, ReadBias>{{window}, source, bias};
}

/// The window as a part is given it: only what adds C0 or bias sees what the kernel has prefetched.
template <class Part, class Window>
TEGULA_INLINE const auto& window_for(const Window& window)
{
    constexpr int takers = takers_of<Part, prefetched_source> + takers_of<Part, prefetched_bias>;
    if constexpr (takers == 0 && requires { typename Window::plain_window; })
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
