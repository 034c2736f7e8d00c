#include "results.hpp"

#include "examples/common/arrays.hpp"
#include "examples/common/counters.hpp"
#include "examples/common/progress.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <iostream>

namespace gemm_example {

namespace {

using nlohmann::ordered_json;
using tegula::strided_matrix;

template <class T>
strided_matrix<T> view(const host_matrix& x, const std::vector<T>& values)
{
    return {values.data(), x.columns, 1, x.batch_stride()};
}

/// Rows of C as the program's memory has them.
template <class T>
strided_matrix<T> view(const device_matrix& x)
{
    return {reinterpret_cast<const T*>(x.data.data()), x.row_stride, x.column_stride, x.batch_stride};
}

/// Some matrix units cut off where others round.
double rounding_unit(const kernel_entry& kernel)
{
    return kernel.device == device::gpu ? tegula::float_truncation_unit : tegula::float_rounding_unit;
}

tegula::error_report verify_integers(const operands& x, const device_matrix& c)
{
    const std::vector<std::int8_t> a(x.a.values.begin(), x.a.values.end()), b(x.b.values.begin(), x.b.values.end());
    tegula::reference_gemm_problem<std::int8_t, std::int8_t> exact{x.m, x.n, x.k, x.batch, view(x.a, a), view(x.b, b)};
    return verify_integer_gemm(exact, view<std::int32_t>(c), reference_integer_gemm(exact));
}

tegula::error_report verify_floats(const options& o, const operands& x, const kernel_entry& kernel,
                                   const device_matrix& c)
{
    tegula::reference_gemm_problem<float, float> exact{
        x.m, x.n, x.k, x.batch, view(x.a, x.a.values), view(x.b, x.b.values)};
    exact.alpha = o.alpha;
    exact.beta = o.beta;
    exact.c = view(x.c, x.c.values);
    exact.bias = x.bias.empty() ? nullptr : x.bias.data();
    exact.activation = o.activation;
    if (tegula::gpu_arch arch{}; find_arch(kernel.arch.c_str(), arch))
        exact.least_input = least_input(arch, kernel.element);
    return verify_gemm(exact, view<float>(c), reference_gemm(exact), rounding_unit(kernel));
}

template <class T>
void write_as(const options& o, const operands& x, const device_matrix& c)
{
    std::vector<T> values;
    values.reserve(static_cast<std::size_t>(x.batch * x.m * x.n));
    const strided_matrix<T> matrix = view<T>(c);
    for (long_index_t b = 0; b < x.batch; ++b)
        for (long_index_t i = 0; i < x.m; ++i)
            for (long_index_t j = 0; j < x.n; ++j)
                values.push_back(matrix(b, i, j));
    examples::write_array("--out", o.out, x.shape, values);
}

ordered_json number_or_null(const std::optional<tegula::error_report>& errors, double tegula::error_report::* member)
{
    return errors && std::isfinite((*errors).*member) ? ordered_json((*errors).*member) : ordered_json(nullptr);
}

} // namespace

void check_outputs(const options& o)
{
    examples::check_output("--out", o.out);
    examples::check_output("--quantized-a", o.quantized_a);
    examples::check_output("--quantized-b", o.quantized_b);
    examples::check_output("--counters", o.counters);
}

tegula::error_report verify(const options& o, const operands& x, const kernel_entry& kernel, const device_matrix& c)
{
    const examples::progress shown("verifying");
    return kernel.element == element::i8 ? verify_integers(x, c) : verify_floats(o, x, kernel, c);
}

void complain_about(const tegula::error_report& errors, const operands& x, const std::string& input)
{
    const long_index_t at = errors.worst_index;
    std::fprintf(stderr,
                 "tegula: the product is wrong: C[%s%lld, %lld] is off by %g times its bound (largest error %g, "
                 "relative %g)%s%s; nothing was written\n",
                 x.batched ? (std::to_string(at / (x.m * x.n)) + ", ").c_str() : "",
                 static_cast<long long>(at / x.n % x.m), static_cast<long long>(at % x.n), errors.worst_ratio,
                 errors.max_abs_error, errors.max_rel_error, input.empty() ? "" : "; of the input ", input.c_str());
}

void write_product(const options& o, const operands& x, const kernel_entry& kernel, const device_matrix& c)
{
    if (kernel.element == element::i8)
        write_as<std::int32_t>(o, x, c);
    else
        write_as<float>(o, x, c);
}

void write_quantized(const options& o, const operands& x)
{
    const auto write = [](const char* option, const std::string& path, const host_matrix& matrix) {
        if (!path.empty())
            examples::write_array(option, path, matrix.shape, matrix.values);
    };
    write("--quantized-a", o.quantized_a, x.a);
    write("--quantized-b", o.quantized_b, x.b);
}

void write_counters(const options& o, const tegula::emulator::counters& counters)
{
    examples::write_counters("--counters", o.counters, counters);
}

void print_result(const options& o, const operands& x, const kernel_entry& kernel, const run_result& run,
                  const std::optional<tegula::error_report>& errors, const std::string& input)
{
    const double operations = 2.0 * static_cast<double>(x.m) * static_cast<double>(x.n) * static_cast<double>(x.k) *
                              static_cast<double>(x.batch);
    // The emulator's time says nothing about a GPU's.
    std::optional<double> tflops;
    if (kernel.device != device::emulator && run.seconds > 0)
        tflops = operations / run.seconds * 1e-12;
    const char* const where = examples::name_of(kernel.device);
    if (o.json) {
        const ordered_json record = {
            {"m", x.m},
            {"n", x.n},
            {"k", x.k},
            {"batch", x.batch},
            {"type", kernel.type},
            {"arch", kernel.arch},
            {"device", where},
            {"tile", kernel.shape()},
            {"splits", run.sharing.stream ? ordered_json("stream") : ordered_json(run.sharing.splits)},
            {"seconds", run.seconds},
            {"tflops", tflops ? ordered_json(*tflops) : ordered_json()},
            {"max_abs_error", number_or_null(errors, &tegula::error_report::max_abs_error)},
            {"max_rel_error", number_or_null(errors, &tegula::error_report::max_rel_error)},
            {"worst_ratio", number_or_null(errors, &tegula::error_report::worst_ratio)},
            {"not_finite", errors ? ordered_json(errors->not_finite) : ordered_json()},
            {"not_finite_input", input.empty() ? ordered_json() : ordered_json(input)}};
        std::cout << record.dump() << "\n";
        return;
    }
    std::printf("%lld x %lld x %lld", static_cast<long long>(x.m), static_cast<long long>(x.n),
                static_cast<long long>(x.k));
    if (x.batched)
        std::printf(", batch %lld", static_cast<long long>(x.batch));
    const std::string splits = run.sharing.stream     ? ", stream-K"
                               : run.sharing.shares() ? ", k in " + std::to_string(run.sharing.splits) + " splits"
                                                      : "";
    std::printf(", %s on %s (%s), tile %s%s: %.6f s", kernel.type.c_str(), kernel.arch.c_str(), where,
                kernel.shape().c_str(), splits.c_str(), run.seconds);
    if (tflops)
        std::printf(", %.4g TFLOP/s", *tflops);
    std::printf("\n");
    if (!input.empty())
        std::printf("of the input %s\n", input.c_str());
    if (errors)
        std::printf("verified: largest error %.3g, relative %.3g; closest to its bound %.3g of %.3g (%.3g)\n",
                    errors->max_abs_error, errors->max_rel_error, errors->worst_error, errors->worst_bound(),
                    errors->worst_ratio);
    if (errors && errors->not_finite > 0)
        std::printf("but %lld of %lld elements are infinite or NaN, as they must be from these inputs\n",
                    static_cast<long long>(errors->not_finite), static_cast<long long>(x.batch * x.m * x.n));
}

} // namespace gemm_example
