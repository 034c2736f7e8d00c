// Products of operands in Microscaling formats on gfx950, quantised by the kernel: quantisation against the host's rule bit
// by bit, products against sums in double of the operands as quantised.

#include "test/catch.hpp"
#include "test/kernels.hpp"

#include <tegula/arch/target.hpp>
#include <tegula/host/block_quantized.hpp>
#include <tegula/host/emulated_device.hpp>
#include <tegula/host/launch.hpp>
#include <tegula/reference/random.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace tegula::test {

namespace {

using target = arch::gfx950;

/// A matrix [rows, k] quantised by the kernel, as it is in memory, and by the host's rule.
template <class T, mx_rule Rule = mx_rule::floor>
struct quantized
{
    block_quantized<T, float8_e8m0> expected;
    std::vector<std::uint8_t> memory, scales;
    std::uint8_t* values = nullptr; ///< in `memory`, aligned
    long_index_t stride = 0;

    quantized(const std::vector<float>& x, long_index_t rows, long_index_t k, bool by_columns = false)
    {
        REQUIRE(quantize_mx<T>(x, rows, k, expected, Rule).ok());
        stride = mx_row_bytes<T>(k) + 32;
        memory.assign(static_cast<std::size_t>(rows * stride + 16), 0xee);
        values = memory.data() + (16 - reinterpret_cast<std::uintptr_t>(memory.data()) % 16) % 16;
        scales.assign(static_cast<std::size_t>(mx_scale_bytes(rows, k)), 0xee);
        std::vector<float> turned = x;
        for (long_index_t r = 0; by_columns && r < rows; ++r)
            for (long_index_t i = 0; i < k; ++i)
                turned[static_cast<std::size_t>(i * rows + r)] = x[static_cast<std::size_t>(r * k + i)];
        block_quantize_arguments<float> args{turned.data(),         rows,   k,      by_columns ? 1 : k,
                                             by_columns ? rows : 1, values, stride, scales.data()};
        emulated_device device;
        const status s = launch(device, mx_quantize<target, T, float, Rule>{}, args);
        INFO(s.message() << device.result.report);
        REQUIRE(s.ok());
        if (!by_columns && k % 8 == 0)
            CHECK(device.result.counters.global_load_sectors == rows * k * 4 / 32);
    }

    /// Element patterns and scales that are not the host's, and padding that is not zero.
    int count_wrong() const
    {
        constexpr int width = T::format::width;
        int wrong = 0;
        for (long_index_t r = 0; r < expected.rows; ++r)
            for (long_index_t i = 0; i < mx_row_bytes<T>(expected.k) * 8 / width; ++i) {
                unsigned pattern = 0;
                for (int b = 0; b < width; ++b)
                    pattern |= (values[r * stride + (i * width + b) / 8] >> (i * width + b) % 8 & 1u) << b;
                wrong += pattern != (i < expected.k ? expected.element(r, i).bits : 0u);
                if (i < expected.k)
                    wrong += scales[static_cast<std::size_t>(mx_scale_offset(r, i / 32, expected.rows))] !=
                             expected.scale(r, i).bits;
            }
        return wrong;
    }
};

/// Numbers of widely different magnitude from block to block.
std::vector<float> spread_numbers(long_index_t count, std::uint64_t seed)
{
    std::vector<float> x(static_cast<std::size_t>(count));
    fill_normal<float>(x, seed);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = std::ldexp(x[i], static_cast<int>(i / 32 * 37 % 60) - 30);
    return x;
}

template <class T>
void check_quantization()
{
    for (const auto& [rows, k] : {std::pair<long_index_t, long_index_t>{1, 1}, {3, 31}, {5, 160}, {2, 600}}) {
        std::vector<float> x = spread_numbers(rows * k, 7);
        if (k > 64) {
            x[40] = std::numeric_limits<float>::quiet_NaN();
            x[static_cast<std::size_t>(k)] = std::numeric_limits<float>::infinity();
            for (int i = 64; i < 96; ++i)
                x[static_cast<std::size_t>(i)] = 0;
            x[97] = 0x1p-140f;
        }
        INFO(rows << " x " << k);
        CHECK(quantized<T>(x, rows, k).count_wrong() == 0);
        CHECK(quantized<T>(x, rows, k, true).count_wrong() == 0);
        CHECK(quantized<T, mx_rule::ceil>(x, rows, k).count_wrong() == 0);
    }
}

/// Integers times powers of two: every sum is exact in float.
std::vector<float> exact_numbers(long_index_t count, std::uint64_t seed)
{
    std::vector<float> x(static_cast<std::size_t>(count));
    fill_integers<float>(x, seed, -6, 6);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = std::ldexp(x[i], static_cast<int>(i / 32 * 5 % 3) - 1);
    return x;
}

template <class Tile>
void check_product(long_index_t m, long_index_t n, long_index_t k, bool exact)
{
    using a_type = typename Tile::a_element;
    using b_type = typename Tile::b_element;
    using kernel = microscaled_gemm<Tile, float, epilogue::linear<>>;
    INFO(m << " x " << n << " x " << k);
    const quantized<a_type> a(exact ? exact_numbers(m * k, 1) : spread_numbers(m * k, 1), m, k);
    const quantized<b_type> b(exact ? exact_numbers(n * k, 2) : spread_numbers(n * k, 2), n, k);
    std::vector<float> c(static_cast<std::size_t>(m * n), -1);
    typename kernel::arguments args;
    args.m = m, args.n = n, args.k = k;
    args.a = {a.values, a.stride, 1, 0};
    args.b = {b.values, 1, b.stride, 0};
    args.c = {c.data(), n, 1, m * n};
    args.a_scales = a.scales.data();
    args.b_scales = b.scales.data();
    emulated_device device;
    const status s = launch(device, kernel{}, args);
    INFO(s.message() << device.result.report);
    REQUIRE(s.ok());
    CHECK(device.result.counters.shared_load_conflicts == 0);
    CHECK(device.result.counters.shared_store_conflicts == 0);
    int wrong = 0;
    for (long_index_t i = 0; i < m; ++i)
        for (long_index_t j = 0; j < n; ++j) {
            double sum = 0, magnitude = 0;
            for (long_index_t d = 0; d < k; ++d) {
                const double product = a.expected.value(i, d) * b.expected.value(j, d);
                sum += product;
                magnitude += std::fabs(product);
            }
            const double error = std::fabs(static_cast<double>(c[static_cast<std::size_t>(i * n + j)]) - sum);
            // A rounding of the accumulator for each 128 of k.
            wrong += !(error <= (exact ? 0 : magnitude * 0x1p-24 * static_cast<double>(k / 128 + 2)));
        }
    CHECK(wrong == 0);
}

template <class A, class B = A>
using small_tile = typename microscaled_tiles<target, A, B>::t128x128;

} // namespace

TEST_CASE("the kernel quantises as the Microscaling rule says", "[gemm][mx]")
{
    check_quantization<float8_e4m3>();
    check_quantization<float6_e2m3>();
    check_quantization<float4_e2m1>();
}

TEST_CASE("gfx950: products of Microscaling operands, exact where sums are", "[gemm][mx]")
{
    for (const bool exact : {true, false}) {
        check_product<small_tile<float8_e4m3>>(130, 70, 1500, exact);
        check_product<small_tile<float6_e2m3>>(17, 129, 640, exact);
        check_product<small_tile<float4_e2m1>>(129, 33, 1100, exact);
        check_product<small_tile<float8_e5m2, float4_e2m1>>(1, 40, 300, exact);
        check_product<small_tile<float4_e2m1>>(40, 1, 31, exact);
    }
}

TEST_CASE("microscaled products say what they cannot do", "[gemm][mx]")
{
    using arguments = microscaled_arguments<float4_e2m1, float4_e2m1, float, epilogue::linear<>>;
    alignas(16) std::uint8_t bytes[64]{};
    float c[4];
    arguments args;
    args.m = 2, args.n = 2, args.k = 100;
    args.a = {bytes, 64, 1, 0};
    args.b = {bytes, 1, 64, 0};
    args.c = {c, 2, 1, 0};
    args.a_scales = args.b_scales = bytes;
    CHECK(can_implement(args).ok());
    const auto refused = [&](auto change, const char* text) {
        arguments changed = args;
        change(changed);
        const status s = can_implement(changed);
        INFO(s.message());
        CHECK(!s.ok());
        CHECK(std::string(s.message()).find(text) != std::string::npos);
    };
    refused([](arguments& x) { x.a.row_stride = 48; }, "48 bytes apart");
    refused([](arguments& x) { x.a.row_stride = 72; }, "multiples of 16");
    refused([](arguments& x) { x.b.column_stride = 1 << 24; }, "limit");
    refused([](arguments& x) { x.b.data = nullptr; }, "null pointer");
    refused([](arguments& x) { x.a_scales = nullptr; }, "mx_quantize");
    refused([](arguments& x) { x.k = -1; }, "-1");
}

} // namespace tegula::test
