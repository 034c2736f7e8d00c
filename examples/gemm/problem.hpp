#pragma once

// One product as the program hands it to a back end, and the element types it may have.

#include "examples/common/bad_input.hpp"
#include "shipped.hpp"

#include <tegula/reference/with_type.hpp>

#include <string>
#include <string_view>
#include <type_traits>

namespace gemm_example {

using tegula::long_index_t;

using examples::bad_input;
using element = tegula::element_kind;

/// f(tegula::type_tag<T>{}) with the number type of `e`, one of those that inputs may be rounded to.
template <class F>
auto with_type(element e, F&& f)
{
    return tegula::with_type<tegula::half, tegula::bfloat16, tegula::tfloat32, tegula::float8_e4m3,
                             tegula::float8_e4m3_fnuz, std::int8_t, float>(e, f);
}

/// C = activation(alpha A B + beta source + bias). A and B hold elements of one type, C and the source float, or C
/// int32 where the inputs are int8; alpha to activation then have no meaning. Memory is the host's.
struct problem
{
    long_index_t m = 0, n = 0, k = 0, batch = 1;
    tegula::matrix_argument<const void> a, b;
    tegula::matrix_argument<void> c;
    tegula::matrix_argument<const float> source;
    const float* bias = nullptr;
    float alpha = 1, beta = 0;
    tegula::activation activation = tegula::activation::none;
};

template <class T>
using arguments_of = tegula::gemm_arguments<T, T, tegula::accumulator_of<T>, epilogue_of<T>>;

/// The library's arguments for inputs of type T.
template <class T>
arguments_of<T> make_arguments(const problem& p)
{
    const auto typed = [](const auto& x, auto tag) {
        using element_type = typename decltype(tag)::type;
        return tegula::matrix_argument<element_type>{static_cast<element_type*>(x.data), x.row_stride, x.column_stride,
                                                     x.batch_stride};
    };
    arguments_of<T> args{p.m,
                         p.n,
                         p.k,
                         p.batch,
                         typed(p.a, tegula::type_tag<const T>{}),
                         typed(p.b, tegula::type_tag<const T>{}),
                         typed(p.c, tegula::type_tag<tegula::accumulator_of<T>>{}),
                         {}};
    if constexpr (!std::is_integral_v<T>)
        args.epilogue = tegula::epilogue::make_linear<float, float>(p.alpha, p.beta, p.source, p.bias, p.activation);
    return args;
}

} // namespace gemm_example
