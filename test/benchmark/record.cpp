// The JSON that bench_gemm writes.

#include "benchmark/gemm/record.hpp"
#include "test/catch.hpp"

#include <nlohmann/json.hpp>

using namespace gemm_benchmark;

namespace {

result made_up(double ratio)
{
    result r;
    r.product = {"cube", {1024, 2048, 4096}, element::f8e4m3fnuz, layout::tn};
    r.tile = "huge";
    r.tflops = 100 * ratio;
    r.vendor_best = 100;
    r.ratio = ratio;
    r.spread = 0.25;
    return r;
}

} // namespace

TEST_CASE("a result has every figure under its name", "[benchmark]")
{
    const json j = to_json(made_up(0.5));
    CHECK(j["name"] == "fp8/TN/1024x2048x4096");
    CHECK(j["m"] == 1024);
    CHECK(j["n"] == 2048);
    CHECK(j["k"] == 4096);
    CHECK(j["type"] == "fp8");
    CHECK(j["output"] == "bf16");
    CHECK(j["layout"] == "TN");
    CHECK(j["tile"] == "huge");
    CHECK(j["tflops"] == 50);
    CHECK(j["vendor_best_tflops"] == 100);
    CHECK(j["ratio"] == 0.5);
    CHECK(j["spread"] == 0.25);
    for (const char* key : {"vendor_first_tflops", "window_tflops", "window_vendor_best_tflops", "vendor_spread",
                            "max_error"}) // what was not measured is not 0
        CHECK(j.at(key).is_null());
    CHECK(j["verified"] == false);
}

TEST_CASE("the summary is over the products that have a ratio", "[benchmark]")
{
    std::vector<result> results{made_up(0.5), made_up(2)};
    result alone = made_up(9);
    alone.ratio.reset();
    results.push_back(alone);
    const json s = summary_of(results);
    CHECK(s["products"] == 3);
    CHECK(s["compared"] == 2);
    CHECK(s["geometric_mean"].get<double>() == Approx(1));
    CHECK(s["least"] == 0.5);
    CHECK(summary_of({alone})["geometric_mean"].is_null());

    const json run = to_json({{"gpu", "none"}, {"command", "bench_gemm --out x"}}, results);
    CHECK(run["gpu"] == "none");
    CHECK(run["results"].size() == 3);
    CHECK(run["summary"]["least"] == 0.5);
    CHECK(json::parse(run.dump()) == run);
}
