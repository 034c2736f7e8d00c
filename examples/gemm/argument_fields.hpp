#pragma once

// Where each member of a kernel's arguments lies: what a launcher that is not compiled with the library has to know.

#include "shipped.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace gemm_example {

/// A member of the arguments: "a.data", "b.row_stride", "alpha" ...
struct argument_field
{
    std::string name;
    std::string type; ///< i32, i64, f32, bool (a byte), or pointer
    std::string to;   ///< of a pointer: the elements' type, "structure" where it is no number
    int offset;       ///< bytes
};

/// Collects the members of one object in order.
class argument_fields
{
public:
    explicit argument_fields(const void* object) : begin_(static_cast<const std::byte*>(object)) {}

    template <class T>
    void add(const std::string& name, const T& member)
    {
        argument_field f{name, "i32", "", static_cast<int>(reinterpret_cast<const std::byte*>(&member) - begin_)};
        if constexpr (std::is_pointer_v<T>) {
            using element = std::remove_cv_t<std::remove_pointer_t<T>>;
            f.type = "pointer";
            if constexpr (requires { tegula::number_traits<element>::name(); })
                f.to = tegula::number_traits<element>::name();
            else
                f.to = "structure";
        } else if constexpr (std::is_same_v<T, bool>) {
            f.type = "bool";
        } else if constexpr (std::is_floating_point_v<T>) {
            f.type = "f32";
        } else {
            f.type = sizeof(T) == 8 ? "i64" : "i32";
        }
        fields_.push_back(f);
    }
    template <class T>
    void add(const std::string& name, const tegula::matrix_argument<T>& x)
    {
        add(name + ".data", x.data);
        add(name + ".row_stride", x.row_stride);
        add(name + ".column_stride", x.column_stride);
        add(name + ".batch_stride", x.batch_stride);
    }

    const std::vector<argument_field>& fields() const { return fields_; }

private:
    const std::byte* begin_;
    std::vector<argument_field> fields_;
};

namespace fields {

namespace epilogue = tegula::epilogue;

// Parts of an epilogue; no list has two of a kind.
inline void add(argument_fields& f, const epilogue::scale& x) { f.add("alpha", x.alpha); }
inline void add(argument_fields& f, const epilogue::activate& x) { f.add("activation", x.function); }
inline void add(argument_fields& f, const epilogue::clamp& x)
{
    f.add("low", x.low);
    f.add("high", x.high);
}
template <class T>
void add(argument_fields& f, const epilogue::add_source<T>& x)
{
    f.add("source", x.source);
    f.add("beta", x.beta);
}
template <class T>
void add(argument_fields& f, const epilogue::add_residual<T>& x)
{
    f.add("residual", x.source);
    f.add("residual.factor", x.factor);
    f.add("residual.vectors", x.vectors);
}
template <class T>
void add(argument_fields& f, const epilogue::add_bias<T>& x)
{
    f.add("bias", x.bias);
}
template <epilogue::scaling Use>
void add(argument_fields& f, const epilogue::scale_tensor<Use>& x)
{
    f.add("tensor_scale", x.scale);
    f.add("tensor_scale.batch_stride", x.batch_stride);
}
template <epilogue::scaling Use>
void add(argument_fields& f, const epilogue::scale_rows<Use>& x)
{
    f.add("row_scales", x.scale);
    f.add("row_scales.batch_stride", x.batch_stride);
}
template <epilogue::scaling Use>
void add(argument_fields& f, const epilogue::scale_columns<Use>& x)
{
    f.add("column_scales", x.scale);
    f.add("column_scales.batch_stride", x.batch_stride);
}
template <class D>
void add(argument_fields& f, const epilogue::store_copy<D>& x)
{
    f.add("d", x.d);
    f.add("d.vectors", x.vectors);
}
template <class... Parts>
void add(argument_fields& f, const epilogue::chain<Parts...>& x)
{
    tegula::static_for<sizeof...(Parts)>([&](auto i) { add(f, tegula::get<i>(x.parts)); });
}
template <class... Parts>
void add(argument_fields& f, const epilogue::as_float<Parts...>& x)
{
    add(f, x.parts);
}

// Arguments.
template <class A, class B, class C, class Epilogue>
void add(argument_fields& f, const tegula::gemm_arguments<A, B, C, Epilogue>& x)
{
    f.add("m", x.m);
    f.add("n", x.n);
    f.add("k", x.k);
    f.add("batch", x.batch);
    f.add("a", x.a);
    f.add("b", x.b);
    f.add("c", x.c);
    add(f, x.epilogue);
}

} // namespace fields

/// The members of a kernel's arguments.
template <class Arguments>
std::vector<argument_field> describe_arguments(const Arguments& x)
{
    argument_fields f(&x);
    if constexpr (requires { x.product; })
        fields::add(f, x.product);
    else if constexpr (requires { x.m; })
        fields::add(f, x);
    if constexpr (requires { x.product.a_scales; }) {
        f.add("a_scales", x.product.a_scales);
        f.add("b_scales", x.product.b_scales);
        if constexpr (requires { x.product.tensor_scale; })
            f.add("tensor_scale", x.product.tensor_scale);
    }
    if constexpr (requires { x.splits; })
        f.add("splits", x.splits);
    if constexpr (requires { x.workers; })
        f.add("workers", x.workers);
    if constexpr (requires { x.workspace; }) {
        f.add("workspace", static_cast<void* const&>(x.workspace.data));
        f.add("workspace.bytes", x.workspace.bytes);
    }
    if constexpr (requires { x.products; }) {
        f.add("products", x.products);
        f.add("first_block", x.first_block);
        f.add("count", x.count);
        f.add("blocks", x.blocks);
    }
    if constexpr (requires { x.scales; })
        f.add("scales", x.scales);
    else if constexpr (requires { x.product.scales; })
        f.add("scales", x.product.scales);
    if constexpr (requires { x.zeros; })
        f.add("zeros", x.zeros);
    else if constexpr (requires { x.product.zeros; })
        f.add("zeros", x.product.zeros);
    if constexpr (requires { x.a_scales; }) {
        f.add("a_scales", x.a_scales);
        f.add("b_scales", x.b_scales);
        if constexpr (requires { x.tensor_scale; })
            f.add("tensor_scale", x.tensor_scale);
    }
    return f.fields();
}

} // namespace gemm_example
