// A mixture of experts.

#include "moe_problem.hpp"
#include "operands.hpp"
#include "operations.hpp"
#include "results.hpp"
#include "selection.hpp"

#include "examples/common/arrays.hpp"

#include <tegula/kernel/moe/layer.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ops_example {

using namespace examples;

namespace {

/// The operands as they were read.
struct moe_operands
{
    operand x, gate, w1, w2;
    bool gate_is_scores; ///< [tokens, experts] instead of [width, experts]
};

/// Checks the shapes and takes the sizes from them.
moe_operands read_operands(const options& o, element e, moe_problem& p)
{
    moe_operands m{read_operand("--in", o.in, e), read_operand("--gate", o.gate, element::f32),
                   read_operand("--w1", o.w1, e), read_operand("--w2", o.w2, e), false};
    if (m.x.shape.size() != 2)
        throw bad_input(m.x.text() + "; it must have two dimensions, tokens and their width");
    if (m.w1.shape.size() != 3)
        throw bad_input(m.w1.text() + "; it must have three dimensions, experts, width and hidden width");
    p.tokens = m.x.shape[0], p.width = m.x.shape[1], p.hidden = m.w1.shape[2];
    const long_index_t experts = m.w1.shape[0];
    check_shape(m.w1, {experts, p.width, p.hidden}, "experts x the width of --in x any hidden width");
    check_shape(m.w2, {experts, p.hidden, p.width}, "that of --w1 with its last two dimensions exchanged");
    const std::vector<long_index_t> scores = {p.tokens, experts}, matrix = {p.width, experts};
    if (m.gate.shape != scores && m.gate.shape != matrix)
        throw bad_input(m.gate.text() + "; it must be " + shape_text(matrix) +
                        ", a matrix that --in is multiplied by, or " + shape_text(scores) + ", scores");
    m.gate_is_scores = m.gate.shape != matrix;
    if (!m.gate_is_scores)
        m.gate = read_operand("--gate", o.gate, e);
    if (experts < 1 || experts > 1024)
        throw bad_input("--w1 has " + std::to_string(experts) + " experts; the kernels take 1 to 1024");
    if (o.k < 1 || o.k > experts)
        throw bad_input("--k is " + std::to_string(o.k) + "; a token goes to 1 of " + std::to_string(experts) +
                        " experts to all");
    p.experts = static_cast<index_t>(experts);
    p.k = static_cast<index_t>(o.k);
    return m;
}

/// The arrays of a problem in elements of T.
template <class T>
void add_arrays(moe_problem& p, const moe_operands& m)
{
    tegula::moe_arguments<T, float> sizes;
    sizes.tokens = p.tokens, sizes.width = p.width, sizes.hidden = p.hidden;
    sizes.experts = p.experts, sizes.k = p.k;
    if (const tegula::status wrong = tegula::check_moe_sizes(sizes); !wrong)
        throw bad_input(wrong.message());
    p.in = p.add_input<T>(m.x.values);
    p.w1 = p.add_input<T>(m.w1.values);
    p.w2 = p.add_input<T>(m.w2.values);
    if (m.gate_is_scores) {
        p.scores = p.add_input<float>(m.gate.values);
    } else {
        p.gate = p.add_input<T>(m.gate.values);
        p.scores = p.add_output<float>(p.tokens * p.experts);
    }
    p.workspace = p.add_output<float>(tegula::moe_workspace_bytes(sizes) / 4);
    p.out = p.add_output<float>(p.tokens * p.width);
}

/// The layer in double, by the scores that the kernels had, and for each element a bound of what rounding does: to float
/// in the sums, to T in the values between.
struct exact_layer
{
    std::vector<double> values, bounds;
};

exact_layer reference(const moe_problem& p, const moe_operands& m, const std::vector<float>& scores, double unit)
{
    const auto at = [](long_index_t i) { return static_cast<std::size_t>(i); };
    exact_layer r{std::vector<double>(at(p.tokens * p.width)), std::vector<double>(at(p.tokens * p.width))};
    std::vector<index_t> order(at(p.experts));
    const double eps = tegula::float_truncation_unit;
    for (long_index_t t = 0; t < p.tokens; ++t) {
        const float* const row = scores.data() + t * p.experts;
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](index_t a, index_t b) { return row[a] > row[b]; });
        const double top = static_cast<double>(row[order[0]]);
        double sum = 0;
        for (index_t i = 0; i < p.k; ++i)
            sum += std::exp(static_cast<double>(row[order[at(i)]]) - top);
        for (index_t i = 0; i < p.k; ++i) {
            const index_t e = order[at(i)];
            const double weight = std::exp(static_cast<double>(row[e]) - top) / sum;
            const double of_weight = eps * (std::fabs(static_cast<double>(row[e]) - top) + 16);
            for (long_index_t h = 0; h < p.hidden; ++h) {
                double z = 0, magnitude = 0;
                for (long_index_t d = 0; d < p.width; ++d) {
                    const double term = static_cast<double>(m.x.values[at(t * p.width + d)]) *
                                        static_cast<double>(m.w1.values[at((e * p.width + d) * p.hidden + h)]);
                    z += term;
                    magnitude += std::fabs(term);
                }
                const double y = z / (1 + std::exp(-z));
                // silu has a slope of at most 1.1; its own error is a few units.
                const double of_y =
                    1.1 * eps * static_cast<double>(p.width + 1) * magnitude + (unit + 8 * eps) * std::fabs(y) + 1e-7;
                for (long_index_t d = 0; d < p.width; ++d) {
                    const double w = weight * static_cast<double>(m.w2.values[at((e * p.hidden + h) * p.width + d)]);
                    r.values[at(t * p.width + d)] += w * y;
                    r.bounds[at(t * p.width + d)] +=
                        std::fabs(w) * (of_y + std::fabs(y) * (of_weight + eps * static_cast<double>(p.hidden + p.k)));
                }
            }
        }
    }
    return r;
}

outcome run_moe(const options& o)
{
    const auto s = select_kernel<moe_problem>(o);
    moe_problem p;
    p.type = s.kernel->element;
    const moe_operands m = read_operands(o, s.rounding, p);
    double unit = 0; // of rounding to the inputs' type
    with_type(p.type, [&](auto tag) {
        using type = typename decltype(tag)::type;
        add_arrays<type>(p, m);
        unit = std::ldexp(1.0, -tegula::number_traits<type>::mantissa_bits - 1);
    });
    outcome result;
    result.shape = m.x.shape;
    compute(s, p, result);
    const std::vector<float> y = p.values<float>(p.out);
    result.outputs.push_back({"--out", o.out, tegula::make_npy_array<float>(m.x.shape, y), {}});
    if (o.verify && result.run.status) {
        const exact_layer exact = reference(p, m, p.values<float>(p.scores), unit);
        result.outputs.back().errors = compare(y, exact.values, [&](std::size_t i) { return exact.bounds[i]; });
    }
    return result;
}

const bool added = add_operations({
    {"moe",
     "a mixture of experts: each row of --in through --k experts, silu(x w1) w2, weighted by the softmax of their "
     "scores",
     {"--gate", "--w1", "--w2"},
     {"--k"},
     &run_moe},
});

} // namespace
} // namespace ops_example
