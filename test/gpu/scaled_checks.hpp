#pragma once

/// Block-scaled formats on a device: quantisation bit by bit against the host's rule, and products of what the kernel
/// quantised against the plain product of the numbers that they stand for.

#include <tegula/gemm.hpp>
#include <tegula/host/block_quantized.hpp>
#include <tegula/host/launch.hpp>
#include <tegula/host/tensor_map.hpp>
#include <tegula/reference/product_check.hpp>

#include "test/gpu/formula.hpp"
#include "test/gpu/kernel_checks.hpp"

#include <cstring>

namespace tegula::test {

struct scaled_sizes
{
    long_index_t m, n, k;
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

    template <class Device>
    scaled_operand(Device& device, arrays_on<Device>& on, long_index_t rows, long_index_t k, std::uint64_t seed)
        : stride(mx_row_bytes<element>(k) + 32)
    {
        std::vector<float> x(static_cast<std::size_t>(rows * k));
        fill_normal(std::span(x), seed);
        for (std::size_t i = 0; i < x.size(); ++i) // scales differ from block to block
            x[i] = std::ldexp(x[i], static_cast<int>(i / 40 % 9) - 4);
        block_quantized<element, typename Format::scale_type> expected;
        status s;
        if constexpr (Format::has_tensor_scale)
            s = quantize_nvfp4(x, rows, k, expected);
        else
            s = quantize_mx<element>(x, rows, k, expected);
        tensor_scale = expected.tensor_scale;
        const long_index_t bytes = rows * stride, scale_bytes = layout::bytes(rows, k);
        values = on.template room<std::uint8_t>(bytes);
        scales = on.template room<std::uint8_t>(scale_bytes);
        const block_quantize_arguments<float> args{on.put(x), rows, k, k, 1, values, stride, scales, tensor_scale};
        s = s ? on.error : s;
        s = s ? launch(device, quantize{}, args) : s;
        s = s ? wait_for(device) : s;
        std::vector<std::uint8_t> found(static_cast<std::size_t>(bytes)),
            factors(static_cast<std::size_t>(scale_bytes));
        s = s ? on.copy_to(found, values) : s;
        s = s ? on.copy_to(factors, scales) : s;
        if (!s) {
            wrong = s.message();
            return;
        }
        compare(expected, found, factors);
        std::vector<float> numbers(x.size());
        for (long_index_t r = 0; r < rows; ++r)
            for (long_index_t i = 0; i < k; ++i)
                numbers[static_cast<std::size_t>(r * k + i)] =
                    static_cast<float>(expected.value(r, i) / static_cast<double>(tensor_scale));
        plain = on.put(numbers);
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
    arrays_on<Device> on;
    const scaled_operand<target, FormatA> a(device, on, size.m, size.k, 2 * seed + 601);
    const scaled_operand<target, FormatB> b(device, on, size.n, size.k, 2 * seed + 602);
    if (!a.wrong.empty() || !b.wrong.empty())
        return a.wrong.empty() ? "B: " + b.wrong : "A: " + a.wrong;
    stored_matrix<float> c(size.m, size.n, 1, memory_order::row_major, padding::vectors);
    float* const first = on.put(c.values) + c.where.first;
    const auto fill = [&](auto& args) {
        args.m = size.m, args.n = size.n, args.k = size.k;
        args.a = {a.values, a.stride, 1, 0};
        args.b = {b.values, 1, b.stride, 0};
        args.a_scales = a.scales, args.b_scales = b.scales;
        args.c = {first, c.where.row_stride, c.where.column_stride, c.where.batch_stride};
        args.epilogue = epilogue::make_linear<float, float>(1, 0, {}, nullptr, activation::none);
    };
    product_to_check<float, float, float> p;
    status s = on.error;
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
    p.c = {first, c.where.row_stride, c.where.column_stride, c.where.batch_stride};
    return judge_product<target>(device, p, c, on.last());
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
