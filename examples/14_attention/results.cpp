#include "results.hpp"

#include "examples/common/arrays.hpp"
#include "examples/common/counters.hpp"
#include "examples/common/progress.hpp"

#include <tegula/arch/amd/targets.hpp>
#include <tegula/host/attention_error_bound.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <iostream>

namespace attention_example {

using namespace examples;

namespace {

using nlohmann::ordered_json;

template <class Variant, class T, class Arguments>
verification verify_as(const Arguments& args)
{
    const tegula::attention_result exact = tegula::reference_attention<Variant>(args);
    const tegula::attention_result rounded = tegula::reference_attention<Variant, T>(args);
    return {
        tegula::verify_attention(tegula::gather_attention(args.o, exact.o), exact.o.values, rounded.o.values),
        tegula::verify_attention(tegula::gather_attention(args.lse, exact.lse), exact.lse.values, rounded.lse.values)};
}

/// Keys that the queries of one head see, added up.
double visible_pairs(const tegula::attention_arguments<void, float>& a)
{
    const auto sequence = tegula::attention_sequence::at(a, 0);
    double pairs = 0;
    for (index_t i = 0; i < a.seq_q; ++i) {
        const tegula::key_range seen = sequence.keys_of(i, i + 1);
        pairs += std::max(0, seen.last - seen.first);
    }
    return pairs;
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
    const std::pair<const char*, const std::string*> outputs[] = {
        {"--out", &o.out}, {"--lse", &o.lse}, {"--counters", &o.counters}};
    for (const auto& [option, path] : outputs)
        check_output(option, *path);
}

verification verify(const kernel_entry& kernel, const problem& p)
{
    const progress shown("verifying");
    return with_type(kernel.element, [&](auto tag) {
        using type = typename decltype(tag)::type;
        using cap = tegula::soft_cap<tegula::arch::gfx942>; // in double it is the same on every target
        return p.changes_scores() ? verify_as<changing_variant, type>(make_arguments<type, cap>(p))
                                  : verify_as<plain_variant, type>(make_arguments<type, tegula::unchanged_score>(p));
    });
}

void complain_about(const verification& errors, const operands& x, const std::string& input)
{
    const auto one = [&](const char* name, const tegula::error_report& e, const std::vector<long_index_t>& shape) {
        if (!e.passed)
            std::fprintf(stderr,
                         "tegula: the result is wrong: %s%s is off by %g times its bound (largest error %g)%s%s; "
                         "nothing was written\n",
                         name, place_text(e.worst_index, shape).c_str(), e.worst_ratio, e.max_abs_error,
                         input.empty() ? "" : "; of the input ", input.c_str());
    };
    const auto& q = x.q.shape;
    one("O", errors.o, {q[0], q[1], q[2], tegula::round_up(x.v.shape[3], long_index_t{8})});
    if (errors.o.passed)
        one("lse", errors.lse, {q[0], q[1], q[2]});
}

void write_result(const options& o, const operands& x, const problem& p)
{
    const auto& q = x.q.shape;
    if (!o.out.empty()) {
        const long_index_t columns = x.v.shape[3];
        std::vector<float> values;
        values.reserve(static_cast<std::size_t>(q[0] * q[1] * q[2] * columns));
        for (long_index_t row = 0; row < q[0] * q[1] * q[2]; ++row) {
            const float* const first = p.plain.o.data + row * p.plain.o.row_stride;
            values.insert(values.end(), first, first + columns);
        }
        write_array("--out", o.out, {q[0], q[1], q[2], columns}, values);
    }
    if (!o.lse.empty()) {
        const float* const first = p.plain.lse.data;
        write_array("--lse", o.lse, {q[0], q[1], q[2]}, std::vector<float>(first, first + q[0] * q[1] * q[2]));
    }
}

void write_counters(const options& o, const tegula::emulator::counters& counters)
{
    examples::write_counters("--counters", o.counters, counters);
}

void print_result(const options& o, const operands& x, const problem& p, const kernel_entry& kernel,
                  const run_result& run, const std::optional<verification>& errors, const std::string& input)
{
    const auto &q = x.q.shape, &k = x.k.shape, &v = x.v.shape;
    const double operations =
        2.0 * static_cast<double>(q[3] + v[3]) * static_cast<double>(q[0] * q[1]) * visible_pairs(p.plain);
    // The emulator's time says nothing about a GPU's.
    std::optional<double> tflops;
    if (kernel.device == device::gpu && run.seconds > 0)
        tflops = operations / run.seconds * 1e-12;
    const tegula::error_report none, &of_o = errors ? errors->o : none, &of_lse = errors ? errors->lse : none;
    if (o.json) {
        const auto of = [&](double value) { return errors ? number_or_null(value) : ordered_json(); };
        const ordered_json record = {{"batch", q[0]},
                                     {"heads", q[1]},
                                     {"kv_heads", k[1]},
                                     {"seq_q", q[2]},
                                     {"seq_k", k[2]},
                                     {"head_dim", q[3]},
                                     {"value_dim", v[3]},
                                     {"type", kernel.type},
                                     {"arch", kernel.arch},
                                     {"device", name_of(kernel.device)},
                                     {"tile", kernel.tile()},
                                     {"seconds", run.seconds},
                                     {"tflops", tflops ? ordered_json(*tflops) : ordered_json()},
                                     {"max_abs_error", of(of_o.max_abs_error)},
                                     {"max_rel_error", of(of_o.max_rel_error)},
                                     {"worst_ratio", of(of_o.worst_ratio)},
                                     {"lse_max_abs_error", of(of_lse.max_abs_error)},
                                     {"not_finite", errors ? ordered_json(of_o.not_finite) : ordered_json()},
                                     {"not_finite_input", input.empty() ? ordered_json() : ordered_json(input)}};
        std::cout << record.dump() << "\n";
        return;
    }
    const auto number = [](long_index_t n) { return static_cast<long long>(n); };
    std::printf(
        "batch %lld, heads %lld of %lld, %lld queries, %lld keys, columns %lld and %lld, %s on %s (%s), tile %s: "
        "%.6f s",
        number(q[0]), number(q[1]), number(k[1]), number(q[2]), number(k[2]), number(q[3]), number(v[3]),
        kernel.type.c_str(), kernel.arch.c_str(), name_of(kernel.device), kernel.tile().c_str(), run.seconds);
    if (tflops)
        std::printf(", %.4g TFLOP/s", *tflops);
    std::printf("\n");
    if (!input.empty())
        std::printf("of the input %s\n", input.c_str());
    if (errors)
        std::printf("verified: largest error of O %.3g (bound %.3g), of lse %.3g (bound %.3g)\n", of_o.max_abs_error,
                    of_o.worst_bound(), of_lse.max_abs_error, of_lse.worst_bound());
    if (errors && of_o.not_finite > 0)
        std::printf("but %lld elements of O are infinite or NaN, as they must be from these inputs\n",
                    number(of_o.not_finite));
}

} // namespace attention_example
