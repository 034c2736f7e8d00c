#pragma once

#include <tegula/mma/element_type.hpp>

namespace tegula {

/// A type as a value.
template <class T>
struct type_tag
{
    using type = T;
};

/// f(type_tag<T>{}) with the T of Types that `kind` is: from an element type known when the program runs to code that
/// was compiled for it. Precondition: it is one of Types; for any other the last one is taken.
template <class T, class... Others, class F>
auto with_type(element_kind kind, F&& f)
{
    if constexpr (sizeof...(Others) > 0)
        if (kind != kind_of_type<T>())
            return with_type<Others...>(kind, f);
    return f(type_tag<T>{});
}

} // namespace tegula
