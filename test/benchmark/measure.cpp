// How bench_gemm measures a product, on a GPU made here: it computes on the CPU, and its clock says what each kernel
// was made to take.

#include "benchmark/gemm/measure.cpp"
#include "benchmark/gemm/registry.cpp"
#include "test/catch.hpp"

#include <cstdlib>
#include <cstring>

using namespace gemm_benchmark;

namespace {

double now = 0;  // seconds of the GPU
double cold = 0; // how much longer a launch takes while the clock rises; a tenth less with each
int flushes = 0;
const void* spoilt = nullptr; // the A with whose product one element is wrong that no sample looks at

class test_gpu : public gpu
{
public:
    int allocations = 0;
    int spoilt_matrix = -1; ///< of those allocated, in this order A, B and D of each set
    int recorded = 0;
    double cache_bytes = 0;

    const gpu_facts& facts() const override
    {
        facts_.arch = "test";
        facts_.cache_bytes = cache_bytes;
        return facts_;
    }
    double free_bytes() const override { return 1e9; }
    double megahertz() override { return 1000; }
    tegula::status allocate(void*& data, std::size_t bytes) override
    {
        ++allocations;
        data = std::malloc(bytes);
        if (made_++ == spoilt_matrix)
            spoilt = data;
        return {};
    }
    void release(void* data) override
    {
        --allocations;
        std::free(data);
    }
    tegula::status fill(void* data, element type, std::size_t count, std::uint64_t seed) override
    {
        with_type(type, [&](auto tag) {
            using number = typename decltype(tag)::type;
            for (std::size_t i = 0; i < count; ++i)
                static_cast<number*>(data)[i] = random_element<number>(seed, i);
        });
        return {};
    }
    tegula::status read(void* host, const void* data, std::size_t bytes) override
    {
        std::memcpy(host, data, bytes);
        return {};
    }
    void start_timer() override { start_ = now; }
    tegula::status stop_timer(double& seconds) override
    {
        seconds = now - start_;
        return {};
    }
    tegula::status record(const std::vector<launcher>& launches, launcher& replay) override
    {
        ++recorded;
        replay = [launches]() -> tegula::status {
            for (const launcher& launch : launches)
                if (tegula::status s = launch(); !s)
                    return s;
            return {};
        };
        return {};
    }
    tegula::status overwrite(void* data, std::size_t bytes) override
    {
        std::memset(data, 0, bytes);
        return {};
    }
    tegula::status flush_instructions() override
    {
        ++flushes;
        return {};
    }
    std::unique_ptr<vendor_library> open_vendor(const std::string&, std::string&) override { return nullptr; }

private:
    int made_ = 0;
    mutable gpu_facts facts_;
    double start_ = 0;
};

constexpr long_index_t spoilt_row = 4, spoilt_column = 5;

/// Computes the product in `seconds`; its last column is left out where `wrong`.
tegula::status prepare_product(const gpu_problem& p, launcher& launch, double seconds, bool wrong = false)
{
    launch = [p, seconds, wrong]() -> tegula::status {
        now += seconds * (1 + cold);
        cold *= 0.9;
        with_type(p.type, [&](auto tag) {
            using number = typename decltype(tag)::type;
            const auto [m, n, k] = p.shape;
            for (long_index_t i = 0; i < m; ++i)
                for (long_index_t j = 0; j < n - wrong; ++j) {
                    double sum = 0;
                    for (long_index_t l = 0; l < k; ++l)
                        sum += static_cast<double>(static_cast<const number*>(p.a)[i * k + l]) *
                               static_cast<double>(static_cast<const number*>(p.b)[j * k + l]);
                    static_cast<number*>(p.d)[i * n + j] = tegula::convert<number>(sum);
                }
            if (p.a == spoilt)
                static_cast<number*>(p.d)[spoilt_row * n + spoilt_column] = tegula::convert<number>(9.f);
        });
        return {};
    };
    return {};
}

constexpr double unit = 0.0001;

tegula::status prepare_small(const gpu_problem& p, launcher& l) { return prepare_product(p, l, 4 * unit); }
tegula::status prepare_large(const gpu_problem& p, launcher& l) { return prepare_product(p, l, 2 * unit); }
tegula::status prepare_stream(const gpu_problem& p, launcher& l) { return prepare_product(p, l, unit / 4); }
tegula::status prepare_split(const gpu_problem& p, launcher& l) { return prepare_product(p, l, unit / 2); }
tegula::status prepare_wrong(const gpu_problem& p, launcher& l) { return prepare_product(p, l, unit, true); }

tegula::status compare(const gpu_problem& p, double allowed, tegula::product_differences& found)
{
    with_type(p.type, [&](auto tag) {
        using number = typename decltype(tag)::type;
        for (long_index_t i = 0; i < p.shape.m; ++i)
            for (long_index_t j = 0; j < p.shape.n; ++j) {
                double sum = 0;
                for (long_index_t l = 0; l < p.shape.k; ++l)
                    sum += static_cast<double>(static_cast<const number*>(p.a)[i * p.shape.k + l]) *
                           static_cast<double>(static_cast<const number*>(p.b)[j * p.shape.k + l]);
                const long_index_t at = i * p.shape.n + j;
                const double error = std::fabs(static_cast<double>(static_cast<const number*>(p.d)[at]) - sum);
                found.add(at, error, error / (allowed + 0x1p-8 * std::fabs(sum)));
            }
    });
    return {};
}

class test_vendor : public vendor_library
{
public:
    std::string name() const override { return "test"; }
    tegula::status algorithms(const gpu_problem&, std::size_t workspace, int, std::vector<candidate>& found) override
    {
        const auto add = [&](const char* label, double seconds) {
            found.push_back(
                {label, [seconds](const gpu_problem& p, launcher& l) { return prepare_product(p, l, seconds); }});
        };
        add("first", (workspace > (1 << 20) ? 7 : 5) * unit);
        add("second", workspace > (1 << 20) ? 3 * unit : 6 * unit);
        found.push_back({"refused", [](const gpu_problem&, launcher&) {
                             return tegula::status(tegula::status_code::unsupported, "refused");
                         }});
        return {};
    }
};

tegula::tile_description tile(const char* name, int size)
{
    tegula::tile_description t;
    t.name = name;
    t.block_m = t.block_n = size;
    t.block_k = 32;
    t.waves_m = t.waves_n = 2;
    t.threads = 256;
    t.shared_bytes = 2L * 2 * size * 32 * 2;
    t.accumulators = size * size / 256;
    t.operands = 16;
    return t;
}

bool is_bf16_tn(const gpu_problem& p) { return p.layout == layout::tn && p.type == element::bf16; }
bool is_f16_tn(const gpu_problem& p) { return p.layout == layout::tn && p.type == element::f16; }

const bool added[] = {
    add_kernel(
        {"test", element::bf16, tile("large", 128), &tegula::chip::gfx942, &is_bf16_tn, &prepare_large, &compare}),
    add_kernel(
        {"test", element::bf16, tile("small", 16), &tegula::chip::gfx942, &is_bf16_tn, &prepare_small, &compare}),
    add_kernel({"test", element::f16, tile("large", 128), &tegula::chip::gfx942, &is_f16_tn, &prepare_large, &compare}),
    add_kernel({"test", element::f16, tile("small", 16), &tegula::chip::gfx942, &is_f16_tn, &prepare_wrong, &compare}),
    add_kernel({"test", element::bf16, tile("small split-K", 16), &tegula::chip::gfx942, &is_bf16_tn, &prepare_split,
                &compare, k_form::split_k}),
    add_kernel({"test", element::bf16, tile("small stream-K", 16), &tegula::chip::gfx942, &is_bf16_tn, &prepare_stream,
                &compare, k_form::stream_k}),
    add_kernel(
        {"other", element::bf16, tile("large", 128), &tegula::chip::gfx942, &is_bf16_tn, &prepare_wrong, &compare})};

options quick()
{
    options o;
    o.rounds = 3;
    o.group_seconds = 2 * unit;
    o.window_seconds = 30 * unit;
    o.workspaces = {1 << 20, 2 << 20};
    return o;
}

result measure(test_gpu& g, vendor_library* vendor, const options& o, element type, shape s = {8, 24, 16})
{
    product_measurement m(g, vendor, o, {"given", s, type, layout::tn});
    REQUIRE(m.prepare());
    double seconds = 0;
    for (int i = 0; i < o.rounds; ++i)
        REQUIRE(m.round(seconds));
    REQUIRE(m.window());
    const result r = m.finish();
    REQUIRE(r.tflops);
    CHECK(teraflops(s, seconds) == Approx(*r.tflops)); // a round's time is that of the tile chosen
    return r;
}

} // namespace

TEST_CASE("ours and the vendor's first and best are measured and verified", "[benchmark]")
{
    test_gpu g;
    test_vendor vendor;
    const result r = measure(g, &vendor, quick(), element::bf16);
    const auto speed = [&](double units) { return Approx(teraflops(r.product.shape, units * unit)); };
    CHECK(r.tile == "small"); // what choose_tile takes
    CHECK(r.best_tile == "large");
    REQUIRE((r.tflops && r.best_tflops && r.vendor_first && r.vendor_best && r.ratio));
    CHECK(*r.tflops == speed(4));
    CHECK(*r.best_tflops == speed(2));
    CHECK(*r.vendor_first == speed(5));
    CHECK(*r.vendor_best == speed(3)); // the second algorithm, with the larger workspace
    CHECK(*r.ratio == Approx(3. / 4));
    CHECK(*r.spread < 1e-9); // every round takes as long here
    CHECK(*r.vendor_spread < 1e-9);
    CHECK(*r.window_tflops == speed(4));
    CHECK(*r.window_vendor_best == speed(3));
    CHECK_FALSE(r.graphs); // launches take longer than the host
    CHECK(r.vendor_algorithms == 4);
    CHECK(r.note.find("refused") != std::string::npos);
    CHECK(r.verified);
    CHECK(r.settled);
    CHECK(r.sets == 2);
    CHECK(r.megahertz == 1000);
    CHECK(*r.max_error < 0.05);
    CHECK(g.allocations == 0); // all memory is given back
}

TEST_CASE("kernels that share k are measured where that is estimated to be faster", "[benchmark]")
{
    test_gpu g;
    const result whole = measure(g, nullptr, quick(), element::bf16);
    CHECK(whole.best_tile == "large"); // the others would be faster
    const result shared = measure(g, nullptr, quick(), element::bf16, {8, 24, 8192});
    CHECK(shared.tile == "small split-K");
    CHECK(shared.best_tile == "small stream-K");
    CHECK(*shared.best_tflops == Approx(teraflops(shared.product.shape, unit / 4)));
    CHECK(shared.verified);
    const result f16 = measure(g, nullptr, quick(), element::f16, {8, 24, 8192});
    CHECK(f16.tile == "small"); // nothing is built that shares k
}

TEST_CASE("kernels are ranked when the clock has settled", "[benchmark]")
{
    test_gpu g;
    cold = 20; // the faster kernel is the first to be looked at
    const result r = measure(g, nullptr, quick(), element::bf16);
    cold = 0;
    CHECK(r.best_tile == "large");
    CHECK(*r.best_tflops == Approx(teraflops(r.product.shape, 2 * unit)).epsilon(0.01));
}

/// One algorithm is fast as long as it is new, one takes a few microseconds.
class moody_vendor : public vendor_library
{
public:
    double steady = 3 * unit;

    std::string name() const override { return "moody"; }
    tegula::status algorithms(const gpu_problem&, std::size_t, int, std::vector<candidate>& found) override
    {
        found.push_back(
            {"steady", [this](const gpu_problem& p, launcher& l) { return prepare_product(p, l, steady); }});
        found.push_back({"lucky", [this](const gpu_problem& p, launcher& l) {
                             launcher slow, fast;
                             static_cast<void>(prepare_product(p, slow, 3 * steady));
                             static_cast<void>(prepare_product(p, fast, steady / 2));
                             l = [slow, fast, launches = 0]() mutable { return ++launches > 4 ? slow() : fast(); };
                             return tegula::status();
                         }});
        return {};
    }
};

TEST_CASE("the best of each side are timed again before one is taken", "[benchmark]")
{
    test_gpu g;
    moody_vendor vendor;
    options o = quick();
    o.workspaces = {1 << 20};
    const result r = measure(g, &vendor, o, element::bf16);
    CHECK(r.vendor_best_name == "steady of 1 MiB");
    CHECK(*r.vendor_best == Approx(teraflops(r.product.shape, 3 * unit)));
    CHECK(g.recorded == 0);
}

TEST_CASE("where launches of one kernel take a few microseconds, all of the product are recorded", "[benchmark]")
{
    test_gpu g;
    moody_vendor vendor;
    vendor.steady = 5e-6;
    options o = quick();
    o.workspaces = {1 << 20};
    const result r = measure(g, &vendor, o, element::bf16);
    CHECK(g.recorded == 4); // ours, too, which take longer
    CHECK(r.graphs);
    CHECK(*r.vendor_best == Approx(teraflops(r.product.shape, 5e-6)));
}

TEST_CASE("without the vendor's library ours are measured alone", "[benchmark]")
{
    test_gpu g;
    const result r = measure(g, nullptr, quick(), element::bf16);
    CHECK((r.tflops && r.verified));
    CHECK_FALSE((r.vendor_first || r.vendor_best || r.ratio));
}

TEST_CASE("a wrong product is not verified", "[benchmark]")
{
    test_gpu g;
    const result r = measure(g, nullptr, quick(), element::f16);
    CHECK_FALSE(r.verified);
    CHECK(*r.max_error > 0.1);
}

TEST_CASE("one wrong element of any set of matrices is seen", "[benchmark]")
{
    constexpr shape size = {64, 24, 16};
    for (const sample& x : choose_samples(size, element::bf16, layout::tn))
        REQUIRE((x.row != spoilt_row || x.column != spoilt_column));
    for (const int which : {-1, 0, 1}) {
        test_gpu watched;
        watched.cache_bytes = 1e4;
        watched.spoilt_matrix = which < 0 ? -1 : 3 * which; // A of this set
        const result r = measure(watched, nullptr, quick(), element::bf16, size);
        CHECK(r.sets > 1);
        CHECK(r.verified == (which < 0));
        spoilt = nullptr;
    }
}

TEST_CASE("without a kernel the vendor's is measured, without either it is an error", "[benchmark]")
{
    test_gpu g;
    test_vendor vendor;
    const options o = quick();
    const product p{"given", {8, 24, 16}, element::bf16, layout::nn};
    product_measurement alone(g, nullptr, o, p);
    const tegula::status s = alone.prepare();
    CHECK(s.code() == tegula::status_code::unsupported);
    CHECK(std::string(s.message()).find("configure with -DTEGULA_GPU_KERNELS=") != std::string::npos);
    product_measurement with(g, &vendor, o, p);
    REQUIRE(with.prepare());
    double seconds = 0;
    REQUIRE(with.round(seconds));
    const result r = with.finish();
    CHECK((r.vendor_best && !r.tflops && !r.verified));
}

TEST_CASE("caches are flushed before every launch, or filled with other matrices", "[benchmark]")
{
    test_gpu g;
    g.cache_bytes = 5000;
    CHECK(measure(g, nullptr, quick(), element::bf16).sets == 9); // 2.5 * 5000 bytes in sets of 1408
    options o = quick();
    o.flush_cache = true;
    o.flush_instructions = true;
    flushes = 0;
    const result r = measure(g, nullptr, o, element::bf16);
    CHECK(r.sets == 1);
    CHECK(flushes > 3);
    CHECK(*r.best_tflops == Approx(teraflops(r.product.shape, 2 * unit)));
}
