#pragma once

/// The members of kernels' arguments, so that a program without C++ can fill them in.

#include <tegula/chip/tensor_map.hpp>
#include <tegula/core/tuple.hpp>

#include "library/operations.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <type_traits>

namespace gpu_library {

/// The name of a number's type; "map" for a tensor map.
template <class T>
constexpr const char* type_of_member()
{
    if constexpr (std::is_same_v<T, tegula::tensor_map>)
        return "map";
    else if constexpr (std::is_pointer_v<T>)
        return "pointer";
    else if constexpr (std::is_same_v<T, bool>)
        return "bool";
    else if constexpr (std::is_enum_v<T>)
        return type_of_member<std::underlying_type_t<T>>();
    else if constexpr (std::is_same_v<T, float>)
        return "float32";
    else if constexpr (std::is_same_v<T, double>)
        return "float64";
    else if constexpr (std::is_integral_v<T>)
        return sizeof(T) == 8   ? (std::is_signed_v<T> ? "int64" : "uint64")
               : sizeof(T) == 4 ? (std::is_signed_v<T> ? "int32" : "uint32")
               : sizeof(T) == 2 ? (std::is_signed_v<T> ? "int16" : "uint16")
                                : (std::is_signed_v<T> ? "int8" : "uint8");
}

template <class T>
inline constexpr bool is_tuple = false;
template <class... Ts>
inline constexpr bool is_tuple<tegula::tuple<Ts...>> = true;

/// Lists the members of an object by the names that arguments of kernels have.
class member_list
{
public:
    template <class Object>
    explicit member_list(const Object& object)
        : object_(reinterpret_cast<const char*>(&object)), bytes_(static_cast<std::ptrdiff_t>(sizeof object))
    {}

    template <class T>
    void add(const std::string& name, const T& value)
    {
        if constexpr (std::is_function_v<T>) {
            return; // a static one
        } else if constexpr (std::is_array_v<T>) {
            for (std::size_t i = 0; i < std::extent_v<T>; ++i)
                add(name + "[" + std::to_string(i) + "]", value[i]);
        } else if constexpr (requires {
                                 value.begin();
                                 value.size();
                             }) {
            for (std::size_t i = 0; i < static_cast<std::size_t>(value.size()); ++i)
                add(name + "[" + std::to_string(i) + "]", value.begin()[i]);
        } else if constexpr (is_tuple<T>) {
            add_parts(name, value);
        } else if constexpr (std::is_class_v<T> && !std::is_same_v<T, tegula::tensor_map>) {
            add_members(name.empty() ? name : name + ".", value);
        } else {
            const std::ptrdiff_t at = reinterpret_cast<const char*>(&value) - object_;
            if (at >= 0 && at < bytes_) // a static member lies elsewhere
                all.push_back({name, type_of_member<T>(), static_cast<std::size_t>(at), text_of(value)});
        }
    }

    std::vector<member> all;

private:
    template <class... Ts>
    void add_parts(const std::string& name, const tegula::tuple<Ts...>& parts)
    {
        [&]<int... Is>(std::integer_sequence<int, Is...>) {
            (add(name + "[" + std::to_string(Is) + "]", tegula::get<Is>(parts)), ...);
        }(std::make_integer_sequence<int, sizeof...(Ts)>{});
    }

    template <class T>
    void add_members(const std::string& prefix, const T& x)
    {
#define TEGULA_MEMBER(name)                                                                                            \
    if constexpr (requires { x.name; })                                                                                \
        add(prefix + #name, x.name);
#include "library/member_names.inc"
#undef TEGULA_MEMBER
    }

    /// A number as JSON has it.
    template <class T>
    static std::string text_of(const T& value)
    {
        if constexpr (std::is_enum_v<T>) {
            return text_of(static_cast<std::underlying_type_t<T>>(value));
        } else if constexpr (std::is_same_v<T, bool>) {
            return value ? "1" : "0";
        } else if constexpr (std::is_integral_v<T>) {
            return std::to_string(value);
        } else if constexpr (std::is_floating_point_v<T>) {
            char text[32];
            std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
            return text;
        } else {
            return "0";
        }
    }

    const char* object_;
    std::ptrdiff_t bytes_;
};

/// The members of arguments of a type.
template <class Arguments>
std::vector<member> members_of()
{
    const Arguments arguments{};
    member_list list(arguments);
    list.add("", arguments);
    std::sort(list.all.begin(), list.all.end(), [](const member& x, const member& y) { return x.at < y.at; });
    return std::move(list.all);
}

} // namespace gpu_library
