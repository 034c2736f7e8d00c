#pragma once

/// Block-scaled formats on a device: quantisation bit by bit against the host's rule, and products of what the kernel
/// quantised against the plain product of the numbers that they stand for.

#include <tegula/gemm.hpp>
#include <tegula/host/block_quantized.hpp>
#include <tegula/host/launch.hpp>
#include <tegula/host/tensor_map.hpp>
#include <tegula/reference/product_check.hpp>

#include "test/gpu/kernel_checks.hpp"

#include <cstring>

namespace tegula::test {

struct scaled_sizes
{
    long_index_t m, n, k;
};

/// Numbers of which few are large; their range differs from block to block.
struct spread_numbers
{
    std::uint64_t seed;

    TEGULA_HOST_DEVICE float operator()(long_index_t i) const
    {
        const float x = uniform_numbers<float>{seed}(i);
        const int exponent = static_cast<int>(i / 40 % 9) - 2; // 2^exponent / 4
        return x * x * x * static_cast<float>(1 << (exponent + 2)) * 0.25f;
    }
};

/// Element (0, row, i) of a matrix of elements of Format by its block's scale, as they lie in memory.
template <class Format, class Layout>
struct scaled_number
{
    using element = typename Format::element_type;

    const std::uint8_t *values, *scales;
    long_index_t stride, rows, k;

    TEGULA_HOST_DEVICE float operator()(long_index_t, long_index_t row, long_index_t i) const
    {
        constexpr int width = element::format::width;
        const std::uint8_t* const bytes = values + row * stride;
        unsigned bits = 0;
        for (int b = 0; b < width; ++b)
            bits |= static_cast<unsigned>(bytes[(i * width + b) / 8] >> ((i * width + b) % 8) & 1) << b;
        const auto scale = Format::scale_type::from_bits(scales[Layout::offset(row, i / Format::block, rows, k)]);
        return static_cast<float>(element::from_bits(static_cast<std::uint8_t>(bits))) * static_cast<float>(scale);
    }
};

/// Rows of k numbers, quantised on the device, and what they stand for.
template <class Target, class Format>
struct scaled_operand
{
    using element = typename Format::element_type;
    using quantize = block_quantize<Target, Format, float>;
    using layout = typename quantize::layout;

    std::uint8_t* values = nullptr;
    std::uint8_t* scales = nullptr;
    const float* plain = nullptr; ///< [rows, k]
    long_index_t stride = 0;
    float tensor_scale = 1;
    std::string wrong; ///< what is; empty if nothing is

    /// The host quantises, too, and bytes are compared, unless there are many numbers.
    template <class Device>
    scaled_operand(Device& device, arrays_on<Target, Device>& on, long_index_t rows, long_index_t k, std::uint64_t seed)
        : stride(mx_row_bytes<element>(k) + 32)
    {
        const float* const numbers = on.template make<float>(rows * k, spread_numbers{seed});
        const bool compares = rows * k <= 1 << 18;
        block_quantized<element, typename Format::scale_type> expected;
        status s = on.error;
        if (compares) {
            std::vector<float> x(static_cast<std::size_t>(rows * k));
            s = s ? on.copy_to(x, numbers) : s;
            if constexpr (Format::has_tensor_scale)
                s = s ? quantize_nvfp4(x, rows, k, expected) : s;
            else
                s = s ? quantize_mx<element>(x, rows, k, expected) : s;
            tensor_scale = expected.tensor_scale;
        } else if constexpr (Format::has_tensor_scale)
            tensor_scale = 0.1f;
        const long_index_t bytes = rows * stride, scale_bytes = layout::bytes(rows, k);
        values = on.template room<std::uint8_t>(bytes);
        scales = on.template room<std::uint8_t>(scale_bytes);
        const block_quantize_arguments<float> args{numbers, rows, k, k, 1, values, stride, scales, tensor_scale};
        s = s ? on.error : s;
        s = s ? launch(device, quantize{}, args) : s;
        plain = on.make(rows, k, 1, scaled_number<Format, layout>{values, scales, stride, rows, k}).data;
        s = s ? on.error : s;
        s = s ? wait_for(device) : s;
        if (s && compares) {
            std::vector<std::uint8_t> found(static_cast<std::size_t>(bytes)),
                factors(static_cast<std::size_t>(scale_bytes));
            s = on.copy_to(found, values);
            s = s ? on.copy_to(factors, scales) : s;
            if (s)
                compare(expected, found, factors);
        }
        if (!s)
            wrong = s.message();
    }

private:
    template <class Expected>
    void compare(const Expected& expected, const std::vector<std::uint8_t>& found,
                 const std::vector<std::uint8_t>& factors)
    {
        const auto row_bytes = static_cast<std::size_t>(expected.row_bytes());
        for (long_index_t r = 0; r < expected.rows && wrong.empty(); ++r) {
            if (std::memcmp(found.data() + r * stride, expected.values.data() + static_cast<std::size_t>(r) * row_bytes,
                            row_bytes) != 0)
                wrong = "the elements of row " + std::to_string(r) + " are not quantised as the host does";
            for (long_index_t b = 0; b < expected.blocks() && wrong.empty(); ++b)
                if (factors[static_cast<std::size_t>(layout::offset(r, b, expected.rows, expected.k))] !=
                    expected.scales[static_cast<std::size_t>(r * expected.blocks() + b)].bits)
                    wrong = "the scale of block " + std::to_string(b) + " of row " + std::to_string(r) +
                            " is not the host's";
        }
    }
};

/// A microscaled_gemm or a tcgen05_gemm with block scales, float C.
template <class Kernel, class FormatA, class FormatB, class Device>
std::string check_scaled(Device& device, const scaled_sizes& size, std::uint64_t seed)
{
    using target = typename Kernel::target;
    arrays_on<target, Device> on(device);
    const scaled_operand<target, FormatA> a(device, on, size.m, size.k, 2 * seed + 601);
    const scaled_operand<target, FormatB> b(device, on, size.n, size.k, 2 * seed + 602);
    if (!a.wrong.empty() || !b.wrong.empty())
        return a.wrong.empty() ? "B: " + b.wrong : "A: " + a.wrong;
    matrix_on<target, float, Device> c;
    status s = on.error;
    s = s ? c.create(device, size.m, size.n, 1, memory_order::row_major, padding::vectors) : s;
    const auto fill = [&](auto& args) {
        args.m = size.m, args.n = size.n, args.k = size.k;
        args.a = {a.values, a.stride, 1, 0};
        args.b = {b.values, 1, b.stride, 0};
        args.a_scales = a.scales, args.b_scales = b.scales;
        args.c = c.argument();
        args.epilogue = epilogue::make_linear<float, float>(1, 0, {}, nullptr, activation::none);
    };
    product_to_check<float, float, float> p;
    const auto scale = [&](auto& args) {
        if constexpr (requires { args.tensor_scale; })
            p.alpha = static_cast<double>(args.tensor_scale = a.tensor_scale * b.tensor_scale);
    };
    typename Kernel::product_type args;
    fill(args), scale(args);
    if constexpr (requires { Kernel::sharing; })
        s = s ? launch(device, Kernel{}, arguments_for(Kernel{}, args)) : s;
    else
        s = s ? launch(device, Kernel{}, {args}) : s;
    s = s ? wait_for(device) : s;
    if (!s)
        return s.message();
    p.m = size.m, p.n = size.n, p.k = size.k;
    p.a = {a.plain, size.k, 1, 0};
    p.b = {b.plain, 1, size.k, 0};
    p.c = c.source();
    return judge_product<target>(device, p, c);
}

/// Ragged at every edge of a tile and of the atoms of scales; a large one where the device is fast.
template <class Kernel, class FormatA, class FormatB, class Device>
std::string check_scaled_cases(Device& device, std::uint64_t seed, bool fast)
{
    std::vector<scaled_sizes> cases = {{130, 136, 700}, {3, 4, 31}};
    if (fast)
        cases.push_back({1025, 2056, 4100});
    for (const scaled_sizes& size : cases)
        if (std::string wrong = check_scaled<Kernel, FormatA, FormatB>(device, size, seed); !wrong.empty())
            return std::to_string(size.m) + " x " + std::to_string(size.n) + " x " + std::to_string(size.k) + ": " +
                   wrong;
    return {};
}

} // namespace tegula::test
