#pragma once

#include <tegula/core/number_traits.hpp>
#include <tegula/kernel/normalization/row_space.hpp>

namespace tegula {

/// How a row is normalised.
///
///   layer  subtracts the mean and divides by the standard deviation (Ba, Kiros and Hinton, "Layer normalization", 2016)
///   rms    divides by the root mean square (Zhang and Sennrich, "Root mean square layer normalization", 2019)
///   none   does neither; the residual, weight, bias, smooth and scale are applied alone
enum class norm_kind { layer, rms, none };

/// Whether outputs of type O are quantised with a scale for each row, stored = O(y / scale). This holds for types of 8 bits.
template <class O>
inline constexpr bool has_row_scale = sizeof(O) == 1;

/// y = (normalised(sum) * weight + bias) * smooth along the dimension `axis`, computed in float, where sum = x +
/// residual. normalised(sum) is (sum - mean) / deviation for norm_kind::layer, sum / root mean square for rms, and sum
/// for none. A row is all elements along `axis` at one place of the other dimensions.
///
///   x, y                     the same lengths; y may be x itself
///   residual, sum            both null, or both with the lengths of x. sum is an output, x + residual rounded to T; the norm
///                            is that of the rounded sum. sum may be the memory of x or of residual.
///   weight, bias             null, or one number for each element of a row
///   smooth                   null, or one factor for each element of a row, the inverse of a factor of Xiao et al.,
///                            "SmoothQuant", 2023
///   mean, inverse_deviation  outputs for the backward pass: null, or one number for each row, rows in C order. rms has no
///                            mean; its inverse_deviation is 1 / root mean square.
///   scale                    output if O has 8 bits: for each row the greatest |y| / the greatest number of O, so that
///                            y is about stored * scale. 0 if a row's numbers are all 0 or too small for a scale in float.
///                            NaN does not count for it, and is stored in int8 as 0.
template <class T, class O = T>
struct norm_arguments
{
    tensor_argument<const T> x = {};
    tensor_argument<O> y = {};
    int axis = -1;         ///< negative: from the last
    float epsilon = 1e-5f; ///< added to the variance or the mean square
    tensor_argument<const T> residual = {};
    tensor_argument<T> sum = {};
    tensor_argument<const T> weight = {};
    tensor_argument<const T> bias = {};
    tensor_argument<const T> smooth = {};
    float* mean = nullptr;
    float* inverse_deviation = nullptr;
    float* scale = nullptr;
};

namespace detail {

/// Checks an optional tensor of one dimension: if given, it is as long as a row.
template <class T>
status check_of_row(const tensor_argument<T>& w, long_index_t length, const char* name)
{
    if (w.data == nullptr && w.rank == 0)
        return {};
    if (status s = check_tensor(w, name); !s)
        return s;
    if (w.rank != 1 || w.lengths[0] != length)
        return bad_tensor(name) << "rank " << w.rank << " and length " << w.lengths[0]
                                << "; it has one number for each of the " << length << " elements of a row";
    return {};
}

inline status check_epsilon(float epsilon)
{
    if (epsilon >= 0 && epsilon < __builtin_huge_valf())
        return {};
    return status(status_code::invalid_argument,
                  "epsilon is negative or not finite; it is a small number such as 1e-5");
}

} // namespace detail

/// Whether a norm can be launched with these arguments.
///
/// Errors: those of check_rows and check_row_output. invalid_argument for a negative or infinite epsilon, operands of other
/// lengths, residual without sum or sum without residual, overlapping memory, and a missing scale.
template <class T, class O>
status can_implement(const norm_arguments<T, O>& a)
{
    if (status s = check_rows(a.x, a.axis, "x"); !s)
        return s;
    if (status s = check_row_output(a.x, "x", a.y, "y"); !s)
        return s;
    if (status s = detail::check_epsilon(a.epsilon); !s)
        return s;
    const long_index_t length = a.x.lengths[find_dimension(a.axis, a.x.rank)];
    if (status s = detail::check_of_row(a.weight, length, "weight"); !s)
        return s;
    if (status s = detail::check_of_row(a.bias, length, "bias"); !s)
        return s;
    if (status s = detail::check_of_row(a.smooth, length, "smooth"); !s)
        return s;
    if (is_given(a.residual) != is_given(a.sum))
        return status(status_code::invalid_argument,
                      "residual and sum: one is given and the other is not; give both, the sum is what is normalised");
    if (is_given(a.residual)) {
        if (status s = check_tensor(a.residual, "residual"); !s)
            return s;
        if (status s = check_same_lengths(a.x, "x", a.residual, "residual"); !s)
            return s;
        if (status s = check_row_output(a.x, "x", a.sum, "sum"); !s)
            return s;
        if (memory_overlaps(a.residual, a.sum) && !same_elements(a.residual, a.sum))
            return internal::bad_tensor("sum")
                   << "its memory overlaps that of residual; give it memory of its own, or the "
                      "same elements in place";
        if (memory_overlaps(a.residual, a.y) && !same_elements(a.residual, a.y))
            return internal::bad_tensor("y")
                   << "its memory overlaps that of residual; give it memory of its own, or the "
                      "same elements in place";
        if (memory_overlaps(a.y, a.sum))
            return internal::bad_tensor("sum") << "its memory overlaps that of y; give each memory of its own";
    }
    if (has_row_scale<O> && a.scale == nullptr && a.x.size() != 0)
        return status(status_code::invalid_argument,
                      "scale is a null pointer; an output of 8 bits has a scale for each row, give it memory");
    return {};
}

/// norm_arguments as kernels take them. A null pointer: the tensor is not given. Strides are in elements.
template <class T, class O>
struct norm_rows
{
    const T* x;
    O* y;
    const T* residual;
    T* sum;
    row_space<4> space; ///< rows of x, y, residual, sum
    const T *weight, *bias, *smooth;
    long_index_t weight_stride, bias_stride, smooth_stride;
    float *mean, *inverse_deviation, *scale;
    float epsilon, root_of_epsilon;
};

} // namespace tegula
