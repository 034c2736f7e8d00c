#include "results.hpp"

#include "examples/common/arrays.hpp"
#include "examples/common/counters.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <limits>

namespace ops_example {

using namespace examples;

tegula::error_report compare(const std::vector<float>& result, const std::vector<double>& exact,
                             const std::function<double(std::size_t)>& bound,
                             const std::function<double(std::size_t)>& on_the_way, element type)
{
    constexpr double largest = std::numeric_limits<float>::max();
    const auto overflows = [&](double x, double y, double by) {
        return with_type(type, [&](auto tag) {
            return tegula::detail::is_expected_overflow<typename decltype(tag)::type>(x, y, by);
        });
    };
    tegula::error_report report;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        const double x = result[i], y = exact[i];
        const bool right = x == y || (std::isnan(x) && std::isnan(y)) || overflows(x, y, bound(i)) ||
                           (!std::isfinite(x) && on_the_way && on_the_way(i) >= largest);
        const double error = right ? 0 : std::isfinite(x) && std::isfinite(y) ? std::fabs(x - y) : HUGE_VAL;
        report.add(static_cast<long_index_t>(i), error, y, error == 0 ? 1 : bound(i));
        report.not_finite += !std::isfinite(x);
    }
    return report;
}

void write_results(const options& o, const outcome& result)
{
    for (const output& x : result.outputs)
        if (!x.path.empty())
            if (const tegula::status written = tegula::write_npy(x.path, x.array); !written)
                throw bad_input(std::string(x.option) + " " + written.message());
    if (!o.counters.empty())
        write_counters("--counters", o.counters, result.run.counters);
}

bool complain_about(const options& o, const outcome& result)
{
    for (const output& x : result.outputs) {
        if (x.errors.passed)
            continue;
        std::fprintf(stderr,
                     "tegula: the result of %s is wrong: element %lld of %s is off by %g times its bound (largest "
                     "error %g); nothing was written\n",
                     o.operation->name, static_cast<long long>(x.errors.worst_index), x.option, x.errors.worst_ratio,
                     x.errors.max_abs_error);
        return true;
    }
    return false;
}

void print_results(const options& o, const outcome& result)
{
    tegula::error_report worst;
    for (const output& x : result.outputs)
        if (x.errors.worst_index >= 0 && (worst.worst_index < 0 || x.errors.worst_ratio > worst.worst_ratio))
            worst = x.errors;
    // The emulator's time says nothing about a machine's.
    const bool timed = result.device != device::emulator && result.run.seconds > 0;
    const double rate = timed ? result.bytes / result.run.seconds * 1e-9 : 0;
    if (o.json) {
        using nlohmann::ordered_json;
        const auto error = [&](double x) { return o.verify && std::isfinite(x) ? ordered_json(x) : ordered_json(); };
        const ordered_json record = {{"operation", o.operation->name},
                                     {"shape", result.shape},
                                     {"type", o.type},
                                     {"arch", result.arch},
                                     {"device", name_of(result.device)},
                                     {"seconds", result.run.seconds},
                                     {"bytes", result.bytes},
                                     {"gb_per_s", timed ? ordered_json(rate) : ordered_json()},
                                     {"max_abs_error", error(worst.max_abs_error)},
                                     {"max_rel_error", error(worst.max_rel_error)},
                                     {"worst_ratio", error(worst.worst_ratio)}};
        std::cout << record.dump() << "\n";
        return;
    }
    std::printf("%s of %s, %s on %s (%s): %.6f s", o.operation->name, shape_text(result.shape).c_str(), o.type.c_str(),
                result.arch.c_str(), name_of(result.device), result.run.seconds);
    if (timed)
        std::printf(", %.4g GB/s", rate);
    std::printf("\n");
    if (o.verify)
        std::printf("verified: largest error %.3g, at most %.2g of an element's bound\n", worst.max_abs_error,
                    worst.worst_ratio);
}

} // namespace ops_example
