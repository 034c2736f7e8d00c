#pragma once

#include <tegula/core/tuple.hpp>
#include <tegula/kernel/tensor_argument.hpp>

namespace tegula {

/// outputs = function(inputs...), element by element.
///
///   F        a function object, called with an element of each input: float for half, bfloat16 and narrower
///            floating-point types, else the element itself. It returns what is converted to the output's type, or a
///            tegula::tuple with one component for each output.
///   Outputs  tegula::tuple of the outputs' element types
///   Inputs   tegula::tuple of the inputs' element types
///
/// The outputs have the same lengths. Inputs are broadcast to them as NumPy does it: dimensions are matched from the
/// last to the first, and one that is missing or has length 1 is repeated. An output may be an input if both have the
/// same elements at the same places; else their memory must not overlap.
template <class F, class Outputs, class Inputs>
struct elementwise_arguments;

template <class F, class... Os, class... Is>
struct elementwise_arguments<F, tuple<Os...>, tuple<Is...>>
{
    static_assert(sizeof...(Os) > 0, "tegula: an elementwise operation has an output");

    static constexpr int num_outputs = static_cast<int>(sizeof...(Os));
    static constexpr int num_inputs = static_cast<int>(sizeof...(Is));

    F function;
    tuple<tensor_argument<Os>...> outputs;
    tuple<tensor_argument<const Is>...> inputs;
};

/// The arguments of a function from some tensors to one.
template <class F, class O, class... Is>
constexpr elementwise_arguments<F, tuple<O>, tuple<Is...>>
make_elementwise_arguments(const F& function, const tensor_argument<O>& output,
                           const tensor_argument<const Is>&... inputs)
{
    return {function, make_tuple(output), make_tuple(inputs...)};
}

} // namespace tegula
