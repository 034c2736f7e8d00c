#pragma once

#include <tegula/kernel/tensor_argument.hpp>

namespace tegula::test {

/// The tensor as a kernel reads it.
template <class T>
tensor_argument<const T> input_of(const tensor_argument<T>& tensor)
{
    tensor_argument<const T> x{tensor.data, tensor.rank};
    for (int d = 0; d < x.rank; ++d)
        x.lengths[d] = tensor.lengths[d], x.strides[d] = tensor.strides[d];
    return x;
}

} // namespace tegula::test
