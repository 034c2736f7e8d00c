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
    if (e.n > 1 && part.source.column_stride != 1)
        return status(status_code::unsupported, "the source has column stride ")
               << part.source.column_stride << "; it must be 1, add_residual takes any";
    return gemm_checks::check_matrix("the source", part.source, e.m, e.n, e.batch);
}

template <class Source>
status check_part(const add_residual<Source>& part, const extents& e)
{
    const matrix_argument<const Source>& x = part.source;
    if (e.empty())
        return {};
    if (x.data == nullptr)
        return gemm_checks::invalid("the residual is a null pointer, but it has ")
               << e.m << " x " << e.n << " elements";
    if (x.row_stride < 0 || x.column_stride < 0 || x.batch_stride < 0)
        return gemm_checks::invalid("the residual has a negative stride (row ")
               << x.row_stride << ", column " << x.column_stride << ", batch " << x.batch_stride
               << "); strides start at 0";
    if (part.vectors && !detail::allows_vectors(x, e.m, e.batch))
        return gemm_checks::invalid("the residual is marked as vectors, but its rows do not start at multiples of 16 "
                                    "bytes or its columns are not neighbours; make it with make_residual");
    return {};
}

template <class D, class... Parts>
status check_part(const store_copy<D, Parts...>& part, const extents& e);

namespace detail {

inline status check_scales(const char* what, const float* scale, long_index_t batch_stride, long_index_t length,
                           const extents& e)
{
    if (e.empty())
        return {};
    if (scale == nullptr)
        return gemm_checks::invalid("the scales of each ")
               << what << " are a null pointer, but there are " << length << " of them";
    if (!gemm_checks::is_aligned(scale, alignof(float)))
        return gemm_checks::invalid("the scales of each ") << what << " are not aligned to 4 bytes";
    if (batch_stride < 0)
        return gemm_checks::invalid("the scales of each ")
               << what << " have batch stride " << batch_stride << "; it must be at least 0";
    return {};
}

} // namespace detail

template <scaling Use>
status check_part(const scale_tensor<Use>& part, const extents& e)
{
    return detail::check_scales("matrix", part.scale, part.batch_stride, 1, e);
}
template <scaling Use>
status check_part(const scale_rows<Use>& part, const extents& e)
{
    return detail::check_scales("row", part.scale, part.batch_stride, e.m, e);
}
template <scaling Use>
status check_part(const scale_columns<Use>& part, const extents& e)
{
    return detail::check_scales("column", part.scale, part.batch_stride, e.n, e);
}

inline status check_part(const clamp& part, const extents&)
{
    if (!(part.low <= part.high))
        return gemm_checks::invalid("clamp has a lower limit that is not below its upper one");
    return {};
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
    if (status s = gemm_checks::check_matrix("D", part.d, e.m, e.n, e.batch); !s)
        return s;
    const long_index_t one = gemm_checks::extent(part.d, e.m, e.n);
    if (e.batch > 1 && one > 0 && part.d.batch_stride < one)
        return gemm_checks::invalid("D has batch stride ") << part.d.batch_stride << ", which overlaps outputs of "
                                                           << one << " elements; it must be at least " << one;
    if (part.vectors && !e.empty() && !detail::allows_vectors(part.d, e.m, e.batch))
        return gemm_checks::invalid("D is marked as vectors, but its rows do not start at multiples of 16 bytes or its "
                                    "columns are not neighbours; make it with make_store_copy");
    return check_part(part.parts, e);
}

} // namespace epilogue

/// Whether what the epilogue reads and writes besides C can be: pointers, strides, limits. Nothing is read or written.
/// With check_gemm all that a kernel relies on, but for outputs that overlap each other.
template <class A, class B, class C, class Epilogue>
status check_epilogue(const gemm_arguments<A, B, C, Epilogue>& g)
{
    return epilogue::check_part(g.epilogue, epilogue::extents{g.m, g.n, g.batch});
}

} // namespace tegula
