#include "results.hpp"

#include "examples/common/arrays.hpp"
#include "examples/common/counters.hpp"
#include "examples/common/progress.hpp"

#include <tegula/arch/amd/targets.hpp>
#include <tegula/mma/table/instruction.hpp>
#include <tegula/reference/attention_error_bound.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <optional>

namespace attention_example {

using namespace examples;

namespace {

using nlohmann::ordered_json;

/// The elements of a result, without what memory has between them.
template <class T>
std::vector<T> elements_of(const result_tensor& x)
{
    std::vector<T> values;
    const long_index_t columns = x.shape.back();
    long_index_t rows = 1;
    for (std::size_t i = 0; i + 1 < x.shape.size(); ++i)
        rows *= x.shape[i];
    values.reserve(static_cast<std::size_t>(rows * columns));
    for (long_index_t row = 0; row < rows; ++row)
        for (long_index_t c = 0; c < columns; ++c)
            values.push_back(static_cast<T>(x.data[row * x.row_stride + c]));
    return values;
}

/// The results by the formula, in the order of results_of and with the columns that were added.
template <class Variant, class T, class Score>
std::vector<tegula::attention_array> compute(const problem& p, double least_input)
{
    tegula::attention_result forward =
        tegula::reference_attention<Variant>(make_arguments<T, float, Score>(p), least_input);
    std::vector<tegula::attention_array> all = {std::move(forward.o), std::move(forward.lse)};
    if constexpr (sizeof(T) > 1) // 8 bits have no gradients
        if (p.dq.data != nullptr) {
            tegula::attention_gradients g =
                tegula::reference_attention_backward<Variant>(make_backward_arguments<T, Score>(p), least_input);
            for (tegula::attention_array* x : {&g.dq, &g.dk, &g.dv})
                all.push_back(std::move(*x));
        }
    return all;
}

/// Numbers of the array's elements, without its last columns.
std::vector<double> first_columns(const tegula::attention_array& x, const std::vector<double>& numbers,
                                  const result_tensor& like)
{
    if (like.shape.size() == 3) // lse
        return numbers;
    std::vector<double> values;
    for (std::size_t at = 0; at < numbers.size(); at += static_cast<std::size_t>(x.columns))
        values.insert(values.end(), numbers.begin() + static_cast<std::ptrdiff_t>(at),
                      numbers.begin() + static_cast<std::ptrdiff_t>(at) + like.shape.back());
    return values;
}

template <class Variant, class T, class Score>
std::vector<tegula::error_report> verify_as(const operands& x, const problem& p, double least_input)
{
    const auto exact = compute<Variant, T, Score>(p, least_input);
    const std::vector<result_tensor> results = results_of(x, p);
    std::vector<tegula::error_report> errors;
    for (std::size_t i = 0; i < results.size(); ++i)
        errors.push_back(tegula::verify_within(elements_of<double>(results[i]),
                                               first_columns(exact[i], exact[i].values, results[i]),
                                               first_columns(exact[i], exact[i].bounds, results[i])));
    return errors;
}

/// Keys that the queries of one head of all sequences see, added up.
double visible_pairs(const tegula::attention_arguments<void, float>& a)
{
    const bool varies = a.lengths.key_lengths != nullptr;
    double pairs = 0;
    for (index_t b = 0; b < (varies ? a.batch : 1); ++b) {
        const auto sequence = tegula::attention_sequence::at(a, b);
        for (index_t i = 0; i < a.seq_q; ++i) {
            const tegula::key_range seen = sequence.keys_of(i, i + 1);
            pairs += std::max(0, seen.last - seen.first);
        }
    }
    return varies ? pairs : pairs * static_cast<double>(a.batch);
}

/// "[0, 1, 2, 3]" of the element at `at` of a tensor of that shape.
std::string place_text(long_index_t at, const std::vector<long_index_t>& shape)
{
    std::vector<long_index_t> place(shape.size());
    for (std::size_t i = shape.size(); i-- > 0; at /= shape[i])
        place[i] = at % shape[i];
    std::string text = shape_text(place);
    text.front() = '[', text.back() = ']';
    return text;
}

ordered_json number_or_null(double x) { return std::isfinite(x) ? ordered_json(x) : ordered_json(); }

} // namespace

void check_outputs(const options& o)
{
    const std::pair<const char*, const std::string*> outputs[] = {{"--out", &o.out}, {"--lse", &o.lse},
                                                                  {"--dq", &o.dq},   {"--dk", &o.dk},
                                                                  {"--dv", &o.dv},   {"--counters", &o.counters}};
    for (const auto& [option, path] : outputs)
        check_output(option, *path);
}

std::vector<result_tensor> results_of(const operands& x, const problem& p)
{
    const auto &q = x.q.shape, &k = x.k.shape, &v = x.v.shape;
    std::vector<result_tensor> all = {{"--out", "O", p.plain.o.data, p.plain.o.row_stride, {q[0], q[1], q[2], v[3]}},
                                      {"--lse", "lse", p.plain.lse.data, q[2], {q[0], q[1], q[2]}}};
    if (p.dq.data != nullptr) {
        all.push_back({"--dq", "dQ", p.dq.data, p.dq.row_stride, {q[0], q[1], q[2], q[3]}});
        all.push_back({"--dk", "dK", p.dk.data, p.dk.row_stride, {k[0], k[1], k[2], k[3]}});
        all.push_back({"--dv", "dV", p.dv.data, p.dv.row_stride, {v[0], v[1], v[2], v[3]}});
    }
    return all;
}

std::vector<tegula::error_report> verify(const kernel_entry& kernel, const operands& x, const problem& p)
{
    const progress shown("verifying");
    return with_type(kernel.element, [&](auto tag) {
        using type = typename decltype(tag)::type;
        using cap = tegula::soft_cap<tegula::arch::gfx942>; // in double it is the same on every target
        double least = 0;
        if (tegula::gpu_arch arch{}; tegula::find_arch(kernel.arch.c_str(), arch))
            least = tegula::least_input(arch, kernel.element);
        if (p.needed() == feature::dropout)
            return verify_as<dropping_variant, type, cap>(x, p, least);
        if (p.needed() == feature::pages)
            return verify_as<paged_variant, type, cap>(x, p, least);
        return p.changes_scores() ? verify_as<changing_variant, type, cap>(x, p, least)
                                  : verify_as<plain_variant, type, tegula::unchanged_score>(x, p, least);
    });
}

bool passed(const std::vector<tegula::error_report>& errors)
{
    return std::all_of(errors.begin(), errors.end(), [](const tegula::error_report& e) { return e.passed; });
}

void complain_about(const std::vector<tegula::error_report>& errors, const operands& x, const problem& p,
                    const std::string& input)
{
    const std::vector<result_tensor> results = results_of(x, p);
    const auto at = std::find_if(errors.begin(), errors.end(), [](const tegula::error_report& e) { return !e.passed; });
    const result_tensor& wrong = results[static_cast<std::size_t>(at - errors.begin())];
    std::fprintf(stderr,
                 "tegula: the result is wrong: %s%s is off by %g times its bound (largest error %g)%s%s; nothing was "
                 "written\n",
                 wrong.name, place_text(at->worst_index, wrong.shape).c_str(), at->worst_ratio, at->max_abs_error,
                 input.empty() ? "" : "; of the input ", input.c_str());
}

void write_result(const options& o, const operands& x, const problem& p)
{
    const std::string* const paths[] = {&o.out, &o.lse, &o.dq, &o.dk, &o.dv};
    const std::vector<result_tensor> results = results_of(x, p);
    for (std::size_t i = 0; i < results.size(); ++i)
        if (!paths[i]->empty())
            write_array(results[i].option, *paths[i], results[i].shape, elements_of<float>(results[i]));
}

void write_counters(const options& o, const tegula::emulator::counters& counters)
{
    examples::write_counters("--counters", o.counters, counters);
}

void print_result(const options& o, const operands& x, const problem& p, const kernel_entry& kernel,
                  const backward_entry* backward, const run_result& run,
                  const std::vector<tegula::error_report>& errors, const std::string& input)
{
    const auto &q = x.q.shape, &k = x.k.shape, &v = x.v.shape;
    // Two products; of the backward pass Q K^T and dO V^T, and dV, dQ and dK.
    const long_index_t products = q[3] + v[3] + (x.has_gradient ? 3 * q[3] + 2 * v[3] : 0);
    const double operations = 2.0 * static_cast<double>(products) * static_cast<double>(q[1]) * visible_pairs(p.plain);
    // The emulator's time says nothing about a machine's.
    std::optional<double> tflops;
    if (kernel.device != device::emulator && run.seconds > 0)
        tflops = operations / run.seconds * 1e-12;
    const std::vector<result_tensor> results = results_of(x, p);
    if (o.json) {
        const auto of_o = [&](double tegula::error_report::* member) {
            return errors.empty() ? ordered_json() : number_or_null(errors.front().*member);
        };
        // The errors of the other results, too.
        auto others = ordered_json::object();
        for (std::size_t i = 1; i < errors.size(); ++i)
            others[results[i].name] = number_or_null(errors[i].max_abs_error);
        const ordered_json record = {
            {"batch", q[0]},
            {"heads", q[1]},
            {"kv_heads", k[1]},
            {"seq_q", q[2]},
            {"seq_k", x.seq_k},
            {"head_dim", q[3]},
            {"value_dim", v[3]},
            {"type", kernel.type},
            {"arch", kernel.arch},
            {"device", name_of(kernel.device)},
            {"tile", kernel.tile_for(p)},
            {"backward_tile", backward ? ordered_json(backward->tile()) : ordered_json()},
            {"splits", p.splits},
            {"seconds", run.seconds},
            {"backward_seconds", backward ? ordered_json(run.backward_seconds) : ordered_json()},
            {"tflops", tflops ? ordered_json(*tflops) : ordered_json()},
            {"max_abs_error", of_o(&tegula::error_report::max_abs_error)},
            {"max_rel_error", of_o(&tegula::error_report::max_rel_error)},
            {"worst_ratio", of_o(&tegula::error_report::worst_ratio)},
            {"max_abs_errors", errors.empty() ? ordered_json() : others},
            {"not_finite", errors.empty() ? ordered_json() : ordered_json(errors.front().not_finite)},
            {"not_finite_input", input.empty() ? ordered_json() : ordered_json(input)}};
        std::cout << record.dump() << "\n";
        return;
    }
    const auto number = [](long_index_t n) { return static_cast<long long>(n); };
    std::printf(
        "batch %lld, heads %lld of %lld, %lld queries, %lld keys, columns %lld and %lld, %s on %s (%s), tile %s%s: "
        "%.6f s",
        number(q[0]), number(q[1]), number(k[1]), number(q[2]), number(x.seq_k), number(q[3]), number(v[3]),
        kernel.type.c_str(), kernel.arch.c_str(), name_of(kernel.device), kernel.tile_for(p).c_str(),
        backward ? (", backward " + backward->tile()).c_str() : "", run.seconds);
    if (tflops)
        std::printf(", %.4g TFLOP/s", *tflops);
    std::printf("\n");
    if (!input.empty())
        std::printf("of the input %s\n", input.c_str());
    for (std::size_t i = 0; i < errors.size(); ++i)
        std::printf("%s%s: largest error %.3g of %.3g%s", i == 0 ? "verified: " : "; ", results[i].name,
                    errors[i].max_abs_error, errors[i].worst_bound(), i + 1 == errors.size() ? "\n" : "");
    if (!errors.empty() && errors.front().not_finite > 0)
        std::printf("but %lld elements of O are infinite or NaN, as they must be from these inputs\n",
                    number(errors.front().not_finite));
}

} // namespace attention_example
