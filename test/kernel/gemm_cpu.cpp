// GEMM as the machine's own code: every type on every CPU target that this machine runs, both tiles, strides and edges,
// against the bounds that the emulated GPUs are held to.

#include <tegula/gemm_cpu.hpp>
#include <tegula/mma/choose.hpp>

#include "test/catch.hpp"
#include "test/kernel/gemm_data.hpp"

#include <cmath>

using namespace tegula;
using namespace tegula::test;
using enum operand_order;

namespace {

/// Whether the machine runs it; where it does not, the test says so.
bool has(x86::feature_set needed, const char* what)
{
    const status s = x86::check_features(needed, x86::host_features(), what);
    if (!s)
        WARN("not run: " << s.message());
    return s.ok();
}
template <class Target>
bool has_target()
{
    return has(needed_features<Target>(), Target::chip().name);
}

template <class T, class C, class Run>
void check_case(const gemm_case& what, const Run& run)
{
    INFO(what.text());
    gemm_data<T, C> data(what);
    cpu_device device;
    device.threads = static_cast<int>(what.m % 3);
    const status s = run(device, data.arguments());
    INFO(s.message());
    REQUIRE(s.ok());
    const error_report error = data.verify();
    INFO("error " << error.max_abs_error << ", " << error.worst_ratio << " of the bound, at " << error.worst_index);
    CHECK(error.passed);
    CHECK(data.c.surroundings_untouched());
}

/// The product as users call it, and each tile of each instruction on its edges.
template <class Target, class T, class C>
void check_type(quarter part)
{
    if (!has_target<Target>())
        return;
    for (const gemm_case& what : two_kernel_cases(k_contiguous, row_contiguous, part))
        check_case<T, C>(what, [](cpu_device& device, const auto& args) { return cpu_gemm<Target>(device, args); });
}

template <class Tile, class T, class C>
void check_edges()
{
    using epilogue = typename test_epilogue<C>::type;
    using I = typename Tile::instruction;
    if (!has(Tile::needed, "the tile"))
        return;
    for (const memory_order order : {memory_order::row_major, memory_order::column_major, memory_order::strided}) {
        gemm_case what;
        what.m = Tile::block_m + I::rows / 2 + 1;
        what.n = Tile::block_n + I::columns + 1;
        what.k = 2 * Tile::block_k + I::per_word * I::columns + 1;
        what.a = what.b = order;
        what.bias = true;
        check_case<T, C>(what, [](cpu_device& device, const auto& args) {
            using kernel = gemm_kernel<Tile, any, any, C, epilogue, output_access::elements>;
            return launch_gemm(device, kernel{}, args);
        });
    }
}

} // namespace

TEST_CASE("CPU GEMM: f32 on AVX2", "[gemm][cpu]") { check_type<arch::x86_avx2, float, float>(quarter::first); }
TEST_CASE("CPU GEMM: f32 on AVX-512", "[gemm][cpu]") { check_type<arch::x86_avx512, float, float>(quarter::all); }
TEST_CASE("CPU GEMM: bf16 on AVX2", "[gemm][cpu]") { check_type<arch::x86_avx2, bfloat16, bfloat16>(quarter::second); }
TEST_CASE("CPU GEMM: bf16 on AVX-512", "[gemm][cpu]") { check_type<arch::x86_avx512, bfloat16, float>(quarter::third); }
TEST_CASE("CPU GEMM: f16 on AVX-512", "[gemm][cpu]") { check_type<arch::x86_avx512, half, half>(quarter::fourth); }
TEST_CASE("CPU GEMM: int8 on AVX2 is exact", "[gemm][cpu]")
{
    check_type<arch::x86_avx2, std::int8_t, std::int32_t>(quarter::first);
}
TEST_CASE("CPU GEMM: int8 on AVX-512 is exact", "[gemm][cpu]")
{
    check_type<arch::x86_avx512, std::int8_t, std::int32_t>(quarter::second);
}

TEST_CASE("CPU GEMM: the edges of the large tile", "[gemm][cpu]")
{
    check_edges<cpu_gemm_tiles<arch::x86_avx512, float, x86::avx512::fma_f32>::t350x512, float, float>();
}

TEST_CASE("CPU GEMM: bf16 by dot products", "[gemm][cpu]")
{
    check_edges<cpu_gemm_tiles<arch::x86_avx512, bfloat16, x86::avx512_dot::dot_bf16>::t84x256, bfloat16, float>();
}

TEST_CASE("CPU GEMM: int8 without and with a dot product of 256 bits", "[gemm][cpu]")
{
    check_edges<cpu_gemm_tiles<arch::x86_avx2, std::int8_t, x86::avx2::madd_i16>::t84x256, std::int8_t, std::int32_t>();
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
    check(cpu_gemm<arch::x86_avx2>(device, args));
    check(cpu_gemm<arch::host>(device, args));
}

TEST_CASE("CPU GEMM: 100 000 small products in a batch", "[gemm][cpu]")
{
    if (!has_target<arch::x86_avx2>())
        return;
    constexpr long_index_t batch = 100000, m = 3, n = 2, k = 5;
    std::vector<float> a(batch * m * k), b(batch * k * n), c(batch * m * n);
    random_source random(6);
    for (std::vector<float>* x : {&a, &b})
        for (float& v : *x)
            v = static_cast<float>(random.integer(-8, 8));
    cpu_device device;
    const gemm_arguments<float, float, float, epilogue::linear<float, float>> args{
        m, n, k, batch, {a.data(), k, 1, m * k}, {b.data(), n, 1, k * n}, {c.data(), n, 1, m * n}, {}};
    REQUIRE(cpu_gemm<arch::x86_avx2>(device, args).ok());
    long wrong = 0;
    for (long_index_t p = 0; p < batch; ++p)
        for (long_index_t i = 0; i < m; ++i)
            for (long_index_t j = 0; j < n; ++j) {
                float sum = 0;
                for (long_index_t l = 0; l < k; ++l)
                    sum += a[static_cast<std::size_t>((p * m + i) * k + l)] *
                           b[static_cast<std::size_t>((p * k + l) * n + j)];
                wrong += c[static_cast<std::size_t>((p * m + i) * n + j)] != sum;
            }
    CHECK(wrong == 0);
}

TEST_CASE("CPU GEMM: what the machine lacks is refused with a sentence", "[gemm][cpu]")
{
    const status s = x86::check_features(x86::feature::avx512 | x86::feature::amx_tile, x86::feature::avx2, "x86_amx");
    CHECK(s.code() == status_code::unsupported);
    CHECK(std::string(s.message()) ==
          "x86_amx needs AVX-512 (F, BW, DQ, VL), which this machine has not; take arch host, which is the best of "
          "what it has, or the emulator");
    CHECK(x86::check_features(x86::feature::avx2, x86::feature::avx2 | x86::feature::avx512, "x86_avx2").ok());
}

TEST_CASE("CPU GEMM: bad arguments run nothing", "[gemm][cpu]")
{
    std::vector<float> a(4), c(4, 7.0f);
    gemm_arguments<float, float, float, epilogue::linear<float, float>> args{
        2, 2, 2, 1, {a.data(), 2, 1, 0}, {nullptr, 2, 1, 0}, {c.data(), 2, 1, 0}, {}};
    cpu_device device;
    const status s = cpu_gemm<arch::host>(device, args);
    CHECK(s.code() == status_code::invalid_argument);
    CHECK(std::string(s.message()) == "B is a null pointer, but it has 2 x 2 elements");
    CHECK(c == std::vector<float>(4, 7.0f));
}
