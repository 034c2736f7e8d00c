#pragma once

#include <tegula/kernel/gemm/epilogue/make.hpp>

namespace tegula {

namespace epilogue {

/// The products an epilogue follows.
struct extents
{
    long_index_t m = 0;
    long_index_t n = 0;
    long_index_t batch = 1;

    constexpr bool empty() const { return m == 0 || n == 0 || batch == 0; }
};

/// Whether a part's own arguments are right; one overload a part, of one's own too. Parts without arguments that can be
/// wrong need none.
template <class Part>
status check_part(const Part&, const extents&)
{
    return {};
}

template <class Source>
status check_part(const add_source<Source>& part, const extents& e)
{
    if (part.beta == 0.0f)
        return {};
    return gemm_checks::check_input("the source", part.source, e.m, e.n, e.batch);
}

template <class Source>
status check_part(const add_residual<Source>& part, const extents& e)
{
    const matrix_argument<const Source>& x = part.source;
    if (status s = gemm_checks::check_input("the residual", x, e.m, e.n, e.batch); !s)
        return s;
    if (part.vectors && !e.empty() && !detail::allows_vectors(x, e.m, e.batch))
        return gemm_checks::invalid("the residual is marked as vectors, but its rows do not start at multiples of 16 "
                                    "bytes or its columns are not neighbours; make it with make_residual");
    return {};
}

template <class D, class... Parts>
status check_part(const store_copy<D, Parts...>& part, const extents& e);

namespace detail {

inline status check_scales(const char* name, const float* scale, long_index_t batch_stride, long_index_t length,
                           const extents& e)
{
    const matrix_argument<const float> x{scale, 0, 1, batch_stride};
    return gemm_checks::check_input(name, x, e.empty() ? 0 : 1, length, e.batch);
}

} // namespace detail

template <scaling Use>
status check_part(const scale_tensor<Use>& part, const extents& e)
{
    return detail::check_scales("the list of matrix scales", part.scale, part.batch_stride, 1, e);
}
template <scaling Use>
status check_part(const scale_rows<Use>& part, const extents& e)
{
    return detail::check_scales("the list of row scales", part.scale, part.batch_stride, e.m, e);
}
template <scaling Use>
status check_part(const scale_columns<Use>& part, const extents& e)
{
    return detail::check_scales("the list of column scales", part.scale, part.batch_stride, e.n, e);
}

inline status check_part(const clamp& part, const extents&)
{
    if (!(part.low <= part.high))
        return gemm_checks::invalid("clamp has a lower limit that is not below its upper one");
    return {};
}

/// Whether a part can be run by a kernel that reads and writes C in vectors; one overload a part if it depends on
/// the arguments.
template <class Part>
bool suits_vectors(const Part&, const extents&)
{
    return true;
}

template <class Source>
bool suits_vectors(const add_source<Source>& part, const extents& e)
{
    return part.beta == 0.0f || has_vector_rows(part.source, e.m, e.n, e.batch);
}

template <class... Parts>
bool suits_vectors(const chain<Parts...>& c, const extents& e)
{
    bool all = true;
    static_for<sizeof...(Parts)>([&](auto i) { all = all && suits_vectors(get<i>(c.parts), e); });
    return all;
}

template <class... Parts>
bool suits_vectors(const as_float<Parts...>& part, const extents& e)
{
    return suits_vectors(part.parts, e);
}

template <class D, class... Parts>
bool suits_vectors(const store_copy<D, Parts...>& part, const extents& e)
{
    return suits_vectors(part.parts, e);
}

template <class... Parts>
status check_part(const chain<Parts...>& c, const extents& e)
{
    status first;
    static_for<sizeof...(Parts)>([&](auto i) {
        if (first)
            first = check_part(get<i>(c.parts), e);
    });
    return first;
}

template <class... Parts>
status check_part(const as_float<Parts...>& part, const extents& e)
{
    return check_part(part.parts, e);
}

template <class D, class... Parts>
status check_part(const store_copy<D, Parts...>& part, const extents& e)
{
    if (status s = gemm_checks::check_output("D", part.d, e.m, e.n, e.batch); !s)
        return s;
    if (part.vectors && !e.empty() && !detail::allows_vectors(part.d, e.m, e.batch))
        return gemm_checks::invalid("D is marked as vectors, but its rows do not start at multiples of 16 bytes or its "
                                    "columns are not neighbours; make it with make_store_copy");
    return check_part(part.parts, e);
}

} // namespace epilogue

/// Whether what the epilogue reads and writes besides C can be: pointers, strides, limits. Nothing is read or written.
/// With can_implement all that a kernel relies on, but for outputs that overlap each other.
template <class A, class B, class C, class Epilogue>
status check_epilogue(const gemm_arguments<A, B, C, Epilogue>& g)
{
    return epilogue::check_part(g.epilogue, epilogue::extents{g.m, g.n, g.batch});
}

/// can_implement, then check_epilogue.
template <class Arguments>
status check_arguments(const Arguments& args)
{
    status s = can_implement(args);
    return s ? check_epilogue(args) : s;
}

} // namespace tegula
