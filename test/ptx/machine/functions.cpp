// Functions of floating point. PTX ISA: "Floating Point Instructions": rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh,
// copysign, testp. An approximation here is the nearest number: it is within every error bound of the document.

#include "elementwise.hpp"

namespace ptx {

namespace {

template <class F>
action function_of(decoder& d, F f)
{
    d.take("approx");
    const float_mode mode = take_float_mode(d);
    return float_operation<1>(d, d.take_type(), mode, [f](auto a) {
        // In double, so that one rounding is left.
        return static_cast<decltype(a)>(f(static_cast<double>(a)));
    });
}

/// "rcp".
action reciprocal(decoder& d)
{
    return function_of(d, [](double x) { return 1 / x; });
}
/// "sqrt".
action square_root(decoder& d)
{
    return function_of(d, [](double x) { return std::sqrt(x); });
}
/// "rsqrt".
action reciprocal_root(decoder& d)
{
    return function_of(d, [](double x) { return 1 / std::sqrt(x); });
}
/// "sin".
action sine(decoder& d)
{
    return function_of(d, [](double x) { return std::sin(x); });
}
/// "cos".
action cosine(decoder& d)
{
    return function_of(d, [](double x) { return std::cos(x); });
}
/// "lg2".
action logarithm(decoder& d)
{
    return function_of(d, [](double x) { return std::log2(x); });
}
/// "ex2".
action power_of_two(decoder& d)
{
    return function_of(d, [](double x) { return std::exp2(x); });
}
/// "tanh".
action hyperbolic_tangent(decoder& d)
{
    return function_of(d, [](double x) { return std::tanh(x); });
}

/// "copysign": b with the sign of a.
action copy_sign(decoder& d)
{
    const bool wide = d.take_type() == "f64";
    const std::uint64_t bit = std::uint64_t{1} << (wide ? 63 : 31);
    return elementwise<2>(d.to(0), sources<2>(d, wide ? 64 : 32),
                          [bit](auto a, auto b) { return (a & bit) | (b & ~bit); });
}

/// "testp".
action test_property(decoder& d)
{
    const std::string property = d.take_one({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
    const bool wide = d.take_type() == "f64";
    return elementwise<1>(d.to(0), sources<1>(d, wide ? 64 : 32), [property, wide](auto a) -> std::uint64_t {
        const int kind = wide ? std::fpclassify(as_double(a)) : std::fpclassify(as_float(a));
        if (property == "finite")
            return kind != FP_INFINITE && kind != FP_NAN;
        if (property == "infinite")
            return kind == FP_INFINITE;
        if (property == "number")
            return kind != FP_NAN;
        if (property == "notanumber")
            return kind == FP_NAN;
        return property == "subnormal" ? kind == FP_SUBNORMAL : kind == FP_NORMAL || kind == FP_ZERO;
    });
}

} // namespace

void add_functions(decoder_table& table)
{
    table["rcp"] = reciprocal;
    table["sqrt"] = square_root;
    table["rsqrt"] = reciprocal_root;
    table["sin"] = sine;
    table["cos"] = cosine;
    table["lg2"] = logarithm;
    table["ex2"] = power_of_two;
    table["tanh"] = hyperbolic_tangent;
    table["copysign"] = copy_sign;
    table["testp"] = test_property;
}

} // namespace ptx
