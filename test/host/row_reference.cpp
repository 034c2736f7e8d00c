/// The formulas for rows against other formulas: gradients against finite differences, softmax against its definition.

#include <tegula/reference/rows.hpp>

#include "test/catch.hpp"

using namespace tegula;

namespace {

const row_of_doubles x = {0.3, -1.2, 2.5, 0.7, -0.4}, weight = {1, -2, 0.5, 3, 0.1}, dy = {0.2, -0.7, 1.1, 0.4, -2};

/// sum(dy * norm(x)).
double weighted_norm(norm_kind kind, const row_of_doubles& of, const row_of_doubles& w, const row_of_doubles& bias)
{
    const row_of_doubles y = reference_norm(kind, of, w, bias, 0.01);
    return std::inner_product(y.begin(), y.end(), dy.begin(), 0.0);
}

} // namespace

TEST_CASE("gradients of norms are slopes of the norms")
{
    const row_of_doubles bias(5, 0.0);
    for (const norm_kind kind : {norm_kind::layer, norm_kind::rms}) {
        const reference_norm_gradients g(kind, x, weight, dy, 0.01);
        for (std::size_t i = 0; i < x.size(); ++i) {
            constexpr double step = 1e-6;
            const auto slope = [&](const auto& change) {
                row_of_doubles parts[3] = {x, weight, bias};
                change(parts, step);
                const double after = weighted_norm(kind, parts[0], parts[1], parts[2]);
                change(parts, -2 * step);
                return (after - weighted_norm(kind, parts[0], parts[1], parts[2])) / (2 * step);
            };
            CHECK(g.dx[i] == Approx(slope([&](auto& p, double d) { p[0][i] += d; })).margin(1e-8));
            CHECK(g.dweight[i] == Approx(slope([&](auto& p, double d) { p[1][i] += d; })).margin(1e-8));
            CHECK(g.dbias[i] == Approx(slope([&](auto& p, double d) { p[2][i] += d; })).margin(1e-8));
        }
    }
}

TEST_CASE("softmax of rows by its definition")
{
    double sum = 0;
    for (const double v : x)
        sum += std::exp(v);
    const row_of_doubles y = reference_softmax(x), logarithms = reference_softmax(x, true);
    for (std::size_t i = 0; i < x.size(); ++i) {
        CHECK(y[i] == Approx(std::exp(x[i]) / sum));
        CHECK(logarithms[i] == Approx(std::log(y[i])));
    }
    for (const double large : {1e12, -0x1.fffffep127, 1e300}) {
        const row_of_doubles equal(3, large);
        CHECK(reference_softmax(equal)[1] == Approx(1.0 / 3));
        CHECK(reference_softmax(equal, true)[2] == Approx(-std::log(3)));
    }
    std::vector<long_index_t> indices;
    CHECK(reference_topk_softmax(row_of_doubles{1e12, 1e12, 0}, 2, false, indices)[1] == Approx(0.5));
    const row_of_doubles top = reference_topk_softmax(row_of_doubles{1, 3, 3, 2}, 3, true, indices);
    CHECK(indices == std::vector<long_index_t>{1, 2, 3});
    CHECK(top[0] + top[1] + top[2] == Approx(1));
    CHECK(top[2] / top[0] == Approx(std::exp(-1)));
}
