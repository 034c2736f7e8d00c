#pragma once

// The record of a run: benchmark/results/*.json.

#include "shapes.hpp"
#include "statistics.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gemm_benchmark {

using json = nlohmann::ordered_json;

/// The measurement of one product. Speeds in TFLOP/s, medians over the rounds; absent where there is nothing to
/// measure, and `note` says why.
struct result
{
    gemm_benchmark::product product;
    std::string tile; ///< the one choose_tile takes of those built
    std::optional<double> tflops;
    std::string best_tile; ///< the fastest of those built
    std::optional<double> best_tflops;
    std::vector<std::pair<std::string, double>> tiles; ///< TFLOP/s of all, by one look at each
    std::optional<double> vendor_first; ///< the vendor's first heuristic, with the first of the workspaces
    std::optional<double> vendor_best;  ///< the fastest of all its heuristics, with any of the workspaces
    int vendor_algorithms = 0;          ///< tried
    std::string vendor_best_name;
    std::optional<double> ratio;  ///< tflops / vendor_best, median over the rounds
    std::optional<double> spread; ///< of the times of the rounds: largest less least, divided by the median
    std::optional<double> vendor_spread;
    // Speeds over one long window each, in which the clock settles under that load.
    std::optional<double> window_tflops;
    std::optional<double> window_vendor_best;
    bool graphs = false; ///< launches were recorded and replayed together
    std::optional<double> max_error;
    std::optional<double> vendor_max_error;
    bool verified = false;
    double megahertz = 0; ///< of the clock, median over the rounds; 0 where nothing tells
    bool settled = false; ///< times had stopped to drift before the rounds began
    int sets = 0;         ///< of matrices that launches went through in turn
    std::string note;
};

inline json to_json(const std::optional<double>& value) { return value ? json(*value) : json(nullptr); }

inline json to_json(const result& r)
{
    const product& p = r.product;
    json tiles = json::object();
    for (const auto& [name, tflops] : r.tiles)
        tiles[name] = tflops;
    return {{"name", p.name()},
            {"group", p.group},
            {"m", p.shape.m},
            {"n", p.shape.n},
            {"k", p.shape.k},
            {"type", name_of(p.type)},
            {"output", name_of(output_of(p.type))},
            {"layout", name_of(p.layout)},
            {"tile", r.tile},
            {"tflops", to_json(r.tflops)},
            {"best_tile", r.best_tile},
            {"best_tflops", to_json(r.best_tflops)},
            {"tiles", tiles},
            {"vendor_first_tflops", to_json(r.vendor_first)},
            {"vendor_best_tflops", to_json(r.vendor_best)},
            {"vendor_best", r.vendor_best_name},
            {"vendor_algorithms", r.vendor_algorithms},
            {"ratio", to_json(r.ratio)},
            {"spread", to_json(r.spread)},
            {"vendor_spread", to_json(r.vendor_spread)},
            {"window_tflops", to_json(r.window_tflops)},
            {"window_vendor_best_tflops", to_json(r.window_vendor_best)},
            {"graphs", r.graphs},
            {"max_error", to_json(r.max_error)},
            {"vendor_max_error", to_json(r.vendor_max_error)},
            {"verified", r.verified},
            {"megahertz", r.megahertz},
            {"settled", r.settled},
            {"sets", r.sets},
            {"note", r.note}};
}

/// Over the products that have a ratio; null where none has.
inline json summary_of(const std::vector<result>& results)
{
    std::vector<double> ratios;
    for (const result& r : results)
        if (r.ratio)
            ratios.push_back(*r.ratio);
    if (ratios.empty())
        return {{"products", results.size()}, {"compared", 0}, {"geometric_mean", nullptr}, {"least", nullptr}};
    return {{"products", results.size()},
            {"compared", ratios.size()},
            {"geometric_mean", geometric_mean(ratios)},
            {"least", *std::min_element(ratios.begin(), ratios.end())}};
}

/// A run: where, how and what. `about` holds GPU, driver, commit, command and method.
inline json to_json(json about, const std::vector<result>& results)
{
    about["summary"] = summary_of(results);
    about["results"] = json::array();
    for (const result& r : results)
        about["results"].push_back(to_json(r));
    return about;
}

} // namespace gemm_benchmark
