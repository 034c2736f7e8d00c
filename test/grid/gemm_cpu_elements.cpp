// GEMM as the machine's own code: bf16, f64, int8 and int16, both tiles, strides and edges,
// against the bounds that the emulated GPUs are held to.

#include "test/kernel/gemm/cpu/cpu.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("CPU GEMM: bf16 on AVX2", "[gemm][cpu]") { check_type<arch::x86_avx2, bfloat16, bfloat16>(quarter::second); }
TEST_CASE("CPU GEMM: few rows, bf16 and int8", "[gemm][cpu]")
{
    check_few_rows<arch::x86_avx2, bfloat16, bfloat16>();
    check_few_rows<arch::x86_avx2, std::int8_t, std::int32_t>();
    check_few_rows<arch::x86_avx512, std::int8_t, std::int32_t>();
    check_few_rows<arch::x86_avx512, bfloat16, float>();
}

TEST_CASE("CPU GEMM: f64 has the accuracy of double", "[gemm][cpu]")
{
    if (!has_target<arch::x86_avx2>())
        return;
    constexpr long_index_t m = 97, n = 61, k = 301;
    random_source random(5);
    std::vector<double> a(m * k), b(k * n), c(m * n);
    for (std::vector<double>* x : {&a, &b})
        for (double& v : *x)
            v = random.uniform(-1, 1) + random.uniform(-1, 1) * 0x1p-30;
    const gemm_arguments<double, double, double, epilogue::none> args{
        m, n, k, 1, {a.data(), 1, m, 0}, {b.data(), n, 1, 0}, {c.data(), n, 1, 0}, {}};
    const auto check = [&](const status& s) {
        REQUIRE(s.ok());
        double worst = 0;
        for (long_index_t i = 0; i < m; ++i)
            for (long_index_t j = 0; j < n; ++j) {
                long double sum = 0, magnitude = 0;
                for (long_index_t l = 0; l < k; ++l) {
                    const long double x = static_cast<long double>(a[static_cast<std::size_t>(i + l * m)]) *
                                          b[static_cast<std::size_t>(l * n + j)];
                    sum += x;
                    magnitude += std::fabs(x);
                }
                const long double bound = (k + 4) * 0x1p-53L * magnitude;
                worst = std::fmax(worst,
                                  static_cast<double>(std::fabs(c[static_cast<std::size_t>(i * n + j)] - sum) / bound));
            }
        CHECK(worst <= 1);
    };
    cpu_device device;
    check(launch(device, cpu_gemm<arch::x86_avx2>{}, args));
    check(launch(device, cpu_gemm<arch::host>{}, args));
}

TEST_CASE("CPU GEMM: int16 is exact", "[gemm][cpu]")
{
    if (!has_target<arch::x86_avx2>())
        return;
    constexpr long_index_t m = 61, n = 75, k = 530;
    std::vector<std::int16_t> a(m * k), b(k * n);
    std::vector<std::int32_t> c(m * n);
    random_source random(7);
    for (auto* x : {&a, &b})
        for (std::int16_t& v : *x)
            v = static_cast<std::int16_t>(random.integer(-2000, 2000));
    cpu_device device;
    gemm_arguments<std::int16_t, std::int16_t, std::int32_t, epilogue::none> args{
        m, n, k, 1, {a.data(), k, 1, 0}, {b.data(), n, 1, 0}, {c.data(), n, 1, 0}, {}};
    const status s = launch(device, cpu_gemm<arch::host>{}, args);
    INFO(s.message());
    REQUIRE(s.ok());
    long wrong = 0;
    for (long_index_t i = 0; i < m; ++i)
        for (long_index_t j = 0; j < n; ++j) {
            std::int32_t sum = 0;
            for (long_index_t l = 0; l < k; ++l)
                sum += a[static_cast<std::size_t>(i * k + l)] * b[static_cast<std::size_t>(l * n + j)];
            wrong += c[static_cast<std::size_t>(i * n + j)] != sum;
        }
    CHECK(wrong == 0);
}
