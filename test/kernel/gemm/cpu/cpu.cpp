// GEMM as the machine's own code: f32 on AVX2, both tiles, strides and edges, against the bounds that the emulated GPUs are
// held to; caches and refusals. Other types and AVX-512: test/grid/gemm_cpu_*.cpp.

#include "test/kernel/gemm/cpu/cpu.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("CPU GEMM: f32 on AVX2", "[gemm][cpu]") { check_type<arch::x86_avx2, float, float>(quarter::first); }
TEST_CASE("CPU GEMM: few rows, f32", "[gemm][cpu]") { check_few_rows<arch::x86_avx2, float, float>(); }

TEST_CASE("CPU GEMM: operands are multiplied where they lie", "[gemm][cpu]")
{
    check_in_place<arch::x86_avx2, float>();
    check_in_place<arch::x86_avx512, float>();
}

TEST_CASE("CPU GEMM: the edges of the large tile", "[gemm][cpu]")
{
    check_edges<cpu_gemm_tiles<arch::x86_avx512, float, x86::avx512::fma_f32>::t1050x512, float, float>();
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
    REQUIRE(launch(device, cpu_gemm<arch::x86_avx2>{}, args).ok());
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

TEST_CASE("CPU GEMM: panels are as deep as the machine's caches hold", "[gemm][cpu]")
{
    using wide = x86::avx512::fma_f32;
    using narrow = x86::avx2::fma_f32;
    const auto kib = [](long level1, long level2) { return x86::cache_sizes{level1 << 10, level2 << 10, 0}; };
    CHECK(panel_depth<wide>(kib(48, 2048), 350, 256) == 256);
    CHECK(panel_depth<wide>(kib(32, 1024), 350, 256) == 256);
    CHECK(panel_depth<wide>(kib(16, 1024), 350, 256) == 128); // 32 columns of 128 words are 16 KiB
    CHECK(panel_depth<wide>(kib(32, 256), 350, 256) == 128);  // 350 rows of 128 words are 175 KiB
    CHECK(panel_depth<wide>(kib(32, 256), 84, 256) == 256);   // few rows fit
    CHECK(panel_depth<narrow>(kib(32, 128), 348, 256) == 64);
    CHECK(panel_depth<narrow>(kib(1, 1), 348, 256) == 64);         // never less
    CHECK(panel_depth<wide>(x86::cache_sizes{}, 350, 256) == 256); // not known
    CHECK(panel_depth<wide>(kib(48, 2048), 350, 16) == 16);
}

TEST_CASE("CPU GEMM: blocks are as wide as the second cache holds accumulators", "[gemm][cpu]")
{
    using tiles = cpu_gemm_tiles<arch::x86_avx2, float, x86::avx2::fma_f32>;
    const auto wide_by_narrow = [](long level2, long_index_t size) {
        const x86::cache_sizes caches{32 << 10, level2 << 10, 0};
        return estimate_cycles<tiles::t1050x512>(size, size, size, 1, 1, caches, {}) /
               estimate_cycles<tiles::t350x256>(size, size, size, 1, 1, caches, {});
    };
    for (const long_index_t size : {1024, 2048, 4096}) {
        CHECK(wide_by_narrow(2048, size) < 1);
        CHECK(wide_by_narrow(1024, size) < 1);
        CHECK(wide_by_narrow(512, size) > 1);
        CHECK(wide_by_narrow(0, size) < 1); // not known
    }
}

TEST_CASE("CPU GEMM: a product of bf16 is estimated at the rate of its instruction set", "[gemm][cpu]")
{
    using vectors = cpu_gemm_tiles<arch::x86_avx512, bfloat16, x86::avx512_dot::dot_bf16>;
    using tiles = cpu_gemm_tiles<arch::x86_amx, bfloat16, x86::amx::dot_bf16>;
    const x86::cache_sizes caches{48 << 10, 2048 << 10, 0};
    // 2^30 products of two: 2^24 cycles of two registers of 16 words, 2^21 of tiles; packing and storing add the same to both.
    const double by_vectors = estimate_cycles<vectors::t84x256>(1024, 1024, 1024, 1, 1, caches, {});
    const double by_tiles = estimate_cycles<tiles::t84x256>(1024, 1024, 1024, 1, 1, caches, {});
    CHECK(by_vectors > 1.0 * (1 << 24));
    CHECK(by_tiles > 1.0 * (1 << 21));
    CHECK(by_vectors - by_tiles > 0.8 * ((1 << 24) - (1 << 21)));
    CHECK(by_vectors - by_tiles < 1.2 * ((1 << 24) - (1 << 21)));
}

TEST_CASE("CPU GEMM: multiply-adds in a cycle go by the processor's model", "[gemm][cpu]")
{
    using enum x86::processor_model::vendor;
    const auto rates = [](x86::processor_model x, bool has_tiles = false) {
        const x86::multiply_rates r = x86::multiply_rates_of(x, has_tiles);
        return std::pair(r.of_32_bytes, r.of_64_bytes);
    };
    CHECK(rates({amd, 0x15, 0x65}) == std::pair(1, 1));      // Excavator
    CHECK(rates({amd, 0x17, 0x01}) == std::pair(1, 1));      // Zen
    CHECK(rates({amd, 0x17, 0x31}) == std::pair(2, 1));      // Zen 2
    CHECK(rates({amd, 0x19, 0x61}) == std::pair(2, 1));      // Zen 4
    CHECK(rates({amd, 0x1a, 0x02}) == std::pair(2, 2));      // Zen 5
    CHECK(rates({amd, 0x1a, 0x24}) == std::pair(2, 1));      // Strix Point
    CHECK(rates({intel, 6, 0x3c}) == std::pair(2, 2));       // Haswell
    CHECK(rates({intel, 6, 0x8c}) == std::pair(2, 1));       // Tiger Lake
    CHECK(rates({intel, 6, 0x8f}) == std::pair(2, 2));       // Sapphire Rapids
    CHECK(rates({intel, 6, 0xa7}) == std::pair(2, 1));       // Rocket Lake
    CHECK(rates({intel, 6, 0xa7}, true) == std::pair(2, 2)); // a server of this model in a virtual machine
    CHECK(rates({intel, 15, 0x8c}) == std::pair(2, 2));      // not known
    CHECK(rates({other, 7, 0x3b}) == std::pair(2, 2));

    using tiles = cpu_gemm_tiles<arch::x86_avx512, float, x86::avx512::fma_f32>;
    const auto cycles = [](const x86::multiply_rates& r) {
        return estimate_cycles<tiles::t84x256>(1024, 1024, 1024, 1, 1, {48 << 10, 2048 << 10, 0}, r);
    };
    CHECK(cycles({2, 1}) - cycles({2, 2}) > 0.9 * (1 << 25)); // 2^30 products of 16 in a register
    CHECK(cycles({2, 1}) - cycles({2, 2}) < 1.2 * (1 << 25));
    CHECK(cycles({1, 2}) == cycles({2, 2}));
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
    const status s = launch(device, cpu_gemm<arch::host>{}, args);
    CHECK(s.code() == status_code::invalid_argument);
    CHECK(std::string(s.message()) == "B is a null pointer, but it has 2 x 2 elements");
    CHECK(c == std::vector<float>(4, 7.0f));
}
