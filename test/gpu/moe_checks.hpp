#pragma once

/// A mixture of experts on a device against its formula.

#include <tegula/host/launch.hpp>
#include <tegula/moe.hpp>

#include "test/gpu/device_data.hpp"
#include "test/gpu/kernel_checks.hpp"

namespace tegula::test {

/// A float has no format.
template <>
inline constexpr double rounding_of<float> = 0x1p-24;

/// out [tokens, width] of silu between the two products, times the product with w1_up if there is one; x and out are packed.
///
/// Bounds are of first order, times 1.5: a value between is off by its sums' rounding, by silu's and by the rounding to T.
template <class T, class Out>
struct moe_formula
{
    moe_arguments<T, Out> g;
    double least_input, unit; ///< see product_to_check; the first is T's least number at least

    TEGULA_HOST_DEVICE long_index_t count() const { return g.tokens * g.width; }
    TEGULA_HOST_DEVICE double found(long_index_t i) const { return wide(g.out[i]); }
    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        const long_index_t token = i / g.width, column = i % g.width;
        double largest = -HUGE_VAL, sum = 0, value = 0, bound = 0;
        for (index_t e = 0; e < g.experts; ++e)
            largest = std::fmax(largest, logit(token, e));
        for (index_t e = 0; e < g.experts; ++e)
            sum += takes(token, e) ? std::exp(logit(token, e) - largest) : 0;
        for (index_t e = 0; e < g.experts; ++e)
            if (takes(token, e)) {
                const double weight = std::exp(logit(token, e) - largest) / sum;
                double part = 0, magnitude = 0, off = 0;
                multiply(token, e, column, part, magnitude, off);
                value += weight * part;
                bound += weight * (off + magnitude * (sum_error(g.hidden) + weight_error(token, e, largest)));
            }
        const double in_float = 1.5 * bound + 0x1p-23 * std::fabs(value);
        if constexpr (sizeof(Out) >= 4)
            return {value, in_float};
        else // rounded once more
            return {value, in_float + rounding_of<Out> * (std::fabs(value) + in_float) + least_input};
    }

private:
    TEGULA_HOST_DEVICE double sum_error(long_index_t terms) const { return static_cast<double>(terms + 4) * unit; }
    TEGULA_HOST_DEVICE double weight_error(long_index_t token, index_t e, double largest) const
    {
        return (16 + g.k + 8 * (largest - logit(token, e))) * 0x1p-23;
    }
    TEGULA_HOST_DEVICE double logit(long_index_t token, index_t e) const
    {
        return static_cast<double>(g.logits[token * g.experts + e]);
    }
    /// Whether the token goes to the expert: of equal logits to that of the lower number.
    TEGULA_HOST_DEVICE bool takes(long_index_t token, index_t expert) const
    {
        const double mine = logit(token, expert);
        index_t before = 0;
        for (index_t e = 0; e < g.experts; ++e)
            before += logit(token, e) > mine || (logit(token, e) == mine && e < expert);
        return before < g.k;
    }
    TEGULA_HOST_DEVICE void multiply(long_index_t token, index_t e, long_index_t column, double& part,
                                     double& magnitude, double& off) const
    {
        for (long_index_t h = 0; h < g.hidden; ++h) {
            double y_error = 0;
            const double y = value_between(token, e, h, y_error);
            const double w = wide(g.w2[(e * g.hidden + h) * g.width + column]);
            part += y * w;
            magnitude += std::fabs(y * w);
            off +=
                std::fabs(w) * (y_error + rounding_of<T> * std::fabs(y)) + least_input * (std::fabs(w) + std::fabs(y));
        }
    }
    /// Column h between the products, and how far it is off before it is rounded to T.
    TEGULA_HOST_DEVICE double value_between(long_index_t token, index_t e, long_index_t h, double& error) const
    {
        double z = 0, z_error = 0;
        multiply_row(token, e, h, g.w1, z, z_error);
        const double active = z / (1 + std::exp(-z));
        error = lipschitz_constant(activation::silu) * z_error + 16 * float_rounding_unit * std::fabs(z);
        if (g.w1_up == nullptr)
            return active;
        double up = 0, up_error = 0;
        multiply_row(token, e, h, g.w1_up, up, up_error);
        error = std::fabs(up) * error + std::fabs(active) * up_error + float_rounding_unit * std::fabs(active * up);
        return active * up;
    }
    /// The token by column h of the expert's matrix, and the rounding of the sum.
    TEGULA_HOST_DEVICE void multiply_row(long_index_t token, index_t e, long_index_t h, const T* weights, double& sum,
                                         double& error) const
    {
        double magnitude = 0;
        for (long_index_t d = 0; d < g.width; ++d) {
            const double x = wide(g.x[token * g.width + d]), w = wide(weights[(e * g.width + d) * g.hidden + h]);
            const bool is_zero = std::fabs(x) < least_input || std::fabs(w) < least_input;
            sum += is_zero ? 0 : x * w;
            magnitude += is_zero ? 0 : std::fabs(x * w);
        }
        error = sum_error(g.width) * magnitude;
    }
};

struct moe_sizes
{
    long_index_t tokens, width, hidden;
    index_t experts, k;
    bool equal; ///< many logits are
};

/// A layer whose products have this tile. Gated: with a w1_up.
template <class Tile, class Out = float, bool Gated = false, class Device>
std::string check_moe(Device& device, const moe_sizes& s, std::uint64_t seed)
{
    using T = typename Tile::a_type;
    using target = typename Tile::target;
    arrays_on<target, Device> on(device);
    std::vector<float> logits(static_cast<std::size_t>(s.tokens * s.experts));
    if (s.equal)
        fill_integers(std::span(logits), 5 * seed + 951, 0, 2);
    else
        fill_uniform(std::span(logits), 5 * seed + 951, -3, 3);
    moe_arguments<T, Out> args;
    args.tokens = s.tokens, args.width = args.x_stride = args.out_stride = s.width, args.hidden = s.hidden;
    args.experts = s.experts, args.k = s.k;
    args.x = on.template uniform<T>(s.tokens * s.width, 5 * seed + 952);
    args.w1 = on.template uniform<T>(s.experts * s.width * s.hidden, 5 * seed + 953);
    args.w2 = on.template uniform<T>(s.experts * s.width * s.hidden, 5 * seed + 954);
    if constexpr (Gated)
        args.w1_up = on.template uniform<T>(s.experts * s.width * s.hidden, 5 * seed + 955);
    args.logits = on.put(logits);
    args.out = on.template room<Out>(s.tokens * s.width);
    const long_index_t bytes = moe_workspace_bytes(args);
    args.workspace = {on.template room<unsigned char>(bytes), bytes};
    status ran = on.error;
    ran = ran ? launch(device, moe_kernels<Tile, Gated>{}, args) : ran;
    // T's least number, or that below which the matrix unit takes 0.
    double least = least_input(arch_of<target>(), kind_of_type<T>());
    if constexpr (sizeof(T) < 4)
        least = std::fmax(least, std::ldexp(1.0, 1 - T::format::bias - T::format::mantissa_bits));
    return ran ? check_formula<target>(device, "out", moe_formula<T, Out>{args, least, unit_of_sums<target, T>})
               : ran.message();
}

/// Rows in vectors, and odd ones; more where the device is fast.
inline std::vector<moe_sizes> moe_cases(bool fast)
{
    std::vector<moe_sizes> cases = {{37, 40, 72, 5, 2, false}, {9, 21, 35, 130, 3, true}};
    if (fast)
        cases.insert(cases.end(), {{700, 136, 264, 8, 2, false}, {513, 129, 201, 16, 4, true}});
    return cases;
}

/// check(sizes) of each; what is wrong with the first that fails.
template <class Check>
std::string check_each(const std::vector<moe_sizes>& cases, const Check& check)
{
    for (const moe_sizes& s : cases)
        if (std::string wrong = check(s); !wrong.empty())
            return std::to_string(s.tokens) + " tokens, " + std::to_string(s.width) + " x " + std::to_string(s.hidden) +
                   ", " + std::to_string(s.k) + " of " + std::to_string(s.experts) + " experts: " + wrong;
    return {};
}

} // namespace tegula::test
