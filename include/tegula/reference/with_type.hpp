#pragma once

#include <tegula/mma/element_type.hpp>

namespace tegula {

/// A type as a value.
template <class T>
struct type_tag
{
    using type = T;
};

/// Calls f(type_tag<T>{}) with the T of Types whose element kind is `kind`: selects code compiled for an element type
/// that is known only at run time. Precondition: T is one of Types; any other kind takes the last one.
template <class T, class... Others, class F>
auto with_type(element_kind kind, F&& f)
{
    if constexpr (sizeof...(Others) > 0)
        if (kind != kind_of_type<T>())
            return with_type<Others...>(kind, f);
    return f(type_tag<T>{});
}

} // namespace tegula
