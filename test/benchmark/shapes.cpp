// The list of products that bench_gemm measures, and the layouts.

#include "benchmark/gemm/shapes.hpp"
#include "benchmark/gemm/telemetry.hpp"
#include "benchmark/gemm/verification.hpp"
#include "test/catch.hpp"

#include <set>

using namespace gemm_benchmark;

namespace {

bool has(const shape& s)
{
    const std::vector<listed_shape> all = all_shapes();
    return std::any_of(all.begin(), all.end(), [&](const listed_shape& x) { return x.shape == s; });
}

} // namespace

TEST_CASE("every shape of the list", "[benchmark]")
{
    for (long_index_t size = 1024; size <= 16384; size *= 2)
        CHECK(has({size, size, size}));
    for (long_index_t m : {1, 16, 64, 128})
        for (long_index_t n : {4096, 8192, 14336})
            for (long_index_t k : {4096, 8192, 14336})
                CHECK(has({m, n, k}));
    CHECK(has({4096, 4096, 16384}));
    for (long_index_t tokens : {2048, 8192})
        for (const shape& s :
             {shape{tokens, 6144, 4096}, {tokens, 4096, 4096}, {tokens, 28672, 4096}, {tokens, 4096, 14336}})
            CHECK(has(s));
    CHECK(all_shapes().size() == 5 + 36 + 1 + 8);
}

TEST_CASE("bf16 in three layouts, f16 and fp8, none twice", "[benchmark]")
{
    const std::vector<product> products = all_products(all_shapes(), true, element::f8e4m3fnuz);
    std::set<std::string> names;
    int fp8 = 0;
    for (const product& p : products) {
        names.insert(p.name());
        fp8 += is_fp8(p.type);
        CHECK((p.type == element::bf16 || p.layout == layout::tn));
    }
    CHECK(names.size() == 5 * 50);
    CHECK(products.size() == names.size());
    CHECK(fp8 == 50);
    CHECK(names.count("bf16/NT/128x4096x14336") == 1);
    CHECK(all_products(all_shapes(), false, element::f8e4m3).size() == 4 * 50);
}

TEST_CASE("bytes of a product's matrices", "[benchmark]")
{
    CHECK(bytes_of(shape{2, 3, 5}, element::bf16) == 2 * (10 + 15 + 6));
    CHECK(bytes_of(shape{2, 3, 5}, element::f8e4m3) == 10 + 15 + 2 * 6); // D is bf16
}

TEST_CASE("random elements are spread over [-1, 1)", "[benchmark]")
{
    double sum = 0, squares = 0, least = 0, most = 0;
    constexpr int count = 20000;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto x = static_cast<double>(random_element<tegula::half>(1, i));
        sum += x;
        squares += x * x;
        least = std::min(least, x);
        most = std::max(most, x);
    }
    CHECK(std::abs(sum / count) < 0.02); // 5 standard deviations
    CHECK(squares / count == Approx(1. / 3).margin(0.011));
    CHECK((least < -0.99 && least >= -1));
    CHECK((most > 0.99 && most <= 1));
    // Neighbours, sets and the two operands have nothing in common.
    double along = 0, across = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        along +=
            static_cast<double>(random_element<float>(1, i)) * static_cast<double>(random_element<float>(1, i + 1));
        across += static_cast<double>(random_element<float>(1, i)) * static_cast<double>(random_element<float>(2, i));
    }
    CHECK(std::abs(along / count) < 0.012);
    CHECK(std::abs(across / count) < 0.012);
}

TEMPLATE_TEST_CASE("the exact sums of samples are those of the matrices in memory", "[benchmark]", tegula::bfloat16,
                   tegula::half, tegula::float8_e4m3)
{
    const shape s{5, 7, 33};
    for (layout l : all_layouts) {
        // The matrices as the GPU has them, read by the strides that the kernels get.
        std::vector<TestType> a(5 * 33), b(33 * 7);
        for (std::size_t i = 0; i < a.size(); ++i)
            a[i] = random_element<TestType>(seed_of_a(3), i);
        for (std::size_t i = 0; i < b.size(); ++i)
            b[i] = random_element<TestType>(seed_of_b(3), i);
        const auto [a_row, a_column] = l == layout::nt ? std::pair(1, 5) : std::pair(33, 1);
        const auto [b_row, b_column] = l == layout::tn ? std::pair(1, 33) : std::pair(7, 1);
        for (int row : {0, 4})
            for (int column : {0, 3, 6}) {
                double sum = 0;
                for (int i = 0; i < 33; ++i)
                    sum += static_cast<double>(a[static_cast<std::size_t>(row * a_row + i * a_column)]) *
                           static_cast<double>(b[static_cast<std::size_t>(i * b_row + column * b_column)]);
                CHECK(exact_element<TestType>(s, l, 3, row, column) == sum);
            }
    }
}

TEST_CASE("samples lie in the product, corners among them", "[benchmark]")
{
    const shape s{100, 60, 8};
    const std::vector<sample> samples = choose_samples(s, element::bf16, layout::nn);
    CHECK(samples.size() == 256);
    std::set<std::pair<long_index_t, long_index_t>> places;
    for (const sample& x : samples) {
        CHECK((x.row >= 0 && x.row < s.m && x.column >= 0 && x.column < s.n));
        places.insert({x.row, x.column});
    }
    CHECK(places.size() > 230);
    CHECK(places.count({99, 59}) == 1);
}

TEST_CASE("a verdict passes rounding and no wrong product", "[benchmark]")
{
    for (element type : {element::bf16, element::f16, element::f8e4m3})
        for (long_index_t k : {64, 1024, 4096, 16384}) {
            const double size = std::sqrt(static_cast<double>(k)) / 3; // of an element of D, one standard deviation
            verdict right;
            with_type(output_of(type), [&](auto tag) {
                using output = typename decltype(tag)::type;
                for (double exact : {size, -3 * size, 0.001})
                    right.add(type, k, static_cast<double>(tegula::convert<output>(exact)), exact);
            });
            CHECK(right.passed);
            verdict missing; // nothing was written
            missing.add(type, k, 0, size);
            CHECK_FALSE(missing.passed);
            CHECK(missing.max_error == Approx(size));
            verdict other; // an element from elsewhere
            other.add(type, k, -size, size / 2);
            CHECK_FALSE(other.passed);
            CHECK(allowed_error(type, k, size) < size / 2);
        }
    verdict broken;
    broken.add(element::bf16, 64, std::nan(""), 1);
    CHECK_FALSE(broken.passed);
}

TEST_CASE("f16 results are held to f16's precision, bf16 to bf16's", "[benchmark]")
{
    CHECK(allowed_error(element::bf16, 64, 1) == Approx(0x1p-8).epsilon(0.05));
    CHECK(allowed_error(element::f16, 64, 1) == Approx(0x1p-11).epsilon(0.15));
}

TEST_CASE("the clock that amdgpu marks", "[benchmark]")
{
    CHECK(marked_megahertz("0: 132Mhz\n1: 1700Mhz *\n2: 2100Mhz\n") == 1700);
    CHECK(marked_megahertz("S: 19Mhz *\n0: 500Mhz\n1: 2482Mhz\n") == 19);
    CHECK(marked_megahertz("0: 500Mhz\n") == 0);
    CHECK(marked_megahertz("") == 0);
}
