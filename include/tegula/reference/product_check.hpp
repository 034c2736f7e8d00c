#pragma once

#include <tegula/core/math.hpp>
#include <tegula/host/launch.hpp>
#include <tegula/kernel/gemm/arguments.hpp>
#include <tegula/reference/error_bound.hpp>

#include <cstdint>
#include <type_traits>
#include <vector>

/// Compares whole products on the device that computed them, with plain sums in 64-bit arithmetic. It uses no code of
/// the kernels under test.

namespace tegula {

/// The differences that a comparison found, in one thread or in all.
struct product_differences
{
    double worst_ratio = 0;        ///< largest |error| / bound; at most 1 passes
    double worst_error = 0;        ///< the |error| of that element
    double largest_error = 0;      ///< largest |error| of all elements
    long_index_t worst_index = -1; ///< where: row-major over batch, row, column; -1: nothing was compared
    long_index_t wrong = 0;        ///< elements past their bound
    long_index_t compared = 0;

    bool passed() const { return wrong == 0; }

    TEGULA_HOST_DEVICE void add(long_index_t index, double error, double ratio)
    {
        ++compared;
        wrong += !(ratio <= 1);
        largest_error = error > largest_error ? error : largest_error;
        if (worst_index < 0 || !(ratio <= worst_ratio)) {
            worst_ratio = ratio;
            worst_error = error;
            worst_index = index;
        }
    }
    void add(const product_differences& other)
    {
        if (other.worst_index >= 0 && (worst_index < 0 || !(other.worst_ratio <= worst_ratio))) {
            worst_ratio = other.worst_ratio;
            worst_error = other.worst_error;
            worst_index = other.worst_index;
        }
        largest_error = other.largest_error > largest_error ? other.largest_error : largest_error;
        wrong += other.wrong;
        compared += other.compared;
    }
};

/// A product that a kernel has computed: C = activation(alpha A B + beta source + bias). Addresses are the device's.
template <class A, class B, class C, class Bias = float>
struct product_to_check
{
    long_index_t m = 0, n = 0, k = 0, batch = 1;
    matrix_argument<const A> a = {};
    matrix_argument<const B> b = {};
    matrix_argument<const C> c = {};
    double alpha = 1, beta = 0;
    matrix_argument<const C> source = {}; ///< as it was before; not read if beta is 0
    const Bias* bias = nullptr;
    tegula::activation activation = tegula::activation::none;
    double unit = float_truncation_unit; ///< rounding unit of one addition; see gemm_error_model
    /// The absolute error that a value may have before it is stored, if you know a narrower one for your data. 0: the
    /// bound of gemm_error_model, which holds for any data.
    double allowed = 0;
    double least_input = 0; ///< elements of A and B of smaller magnitude count as zero, as gfx90a's MFMA has it
};

/// The part of a comparison that all kernels which compare have first in their arguments: each thread takes elements at a
/// stride of the number of threads, and writes its differences to found[its number].
struct comparison_share
{
    long_index_t elements;
    long_index_t threads;
    product_differences* found; ///< [threads]
};

/// The kernel that compares the elements of C.
template <gpu_target Target, class A, class B, class C, class Bias = float>
struct compare_product
{
    using target = Target;
    static constexpr int block_threads = 256;

    struct arguments
    {
        comparison_share share;
        product_to_check<A, B, C, Bias> product;
    };

    TEGULA_HOST_DEVICE void operator()(const arguments& args) const
    {
        const product_to_check<A, B, C, Bias>& p = args.product;
        const long_index_t me = static_cast<long_index_t>(target::block_id()[0]) * block_threads + target::thread_id();
        product_differences mine;
        for (long_index_t i = me; i < args.share.elements; i += args.share.threads)
            compare(mine, p, i);
        args.share.found[me] = mine;
    }

private:
    template <class T>
    static TEGULA_HOST_DEVICE double element(const matrix_argument<const T>& x, long_index_t batch, long_index_t i,
                                             long_index_t j)
    {
        return static_cast<double>(
            convert<float>(x.data[batch * x.batch_stride + i * x.row_stride + j * x.column_stride]));
    }

    static TEGULA_HOST_DEVICE void compare(product_differences& mine, const product_to_check<A, B, C, Bias>& p,
                                           long_index_t index)
    {
        const long_index_t j = index % p.n, i = index / p.n % p.m, batch = index / p.n / p.m;
        const bool multiplies = p.alpha != 0;
        double sum = 0, magnitude = 0;
        for (long_index_t l = 0; l < (multiplies ? p.k : 0); ++l) {
            const double x = element(p.a, batch, i, l), y = element(p.b, batch, l, j);
            const bool is_zero = std::fabs(x) < p.least_input || std::fabs(y) < p.least_input;
            sum += is_zero ? 0 : x * y;
            magnitude += is_zero ? 0 : std::fabs(x * y);
        }
        if constexpr (std::is_integral_v<C>) {
            const long_index_t at = batch * p.c.batch_stride + i * p.c.row_stride + j * p.c.column_stride;
            const double error = std::fabs(static_cast<double>(p.c.data[at]) - sum);
            mine.add(index, error, error == 0 ? 0 : HUGE_VAL);
        } else {
            const double source = p.beta == 0 ? 0 : p.beta * element(p.source, batch, i, j);
            const double bias = p.bias == nullptr ? 0 : static_cast<double>(p.bias[j]);
            const double value = apply(p.activation, (multiplies ? p.alpha * sum : 0) + source + bias);
            const double all = std::fabs(p.alpha) * magnitude + std::fabs(source) + std::fabs(bias);
            const double bound =
                p.allowed > 0 ? p.allowed + tegula::detail::storing_error<C>(std::fabs(value) + p.allowed)
                              : gemm_error_bound<C>({multiplies ? p.k : 0, p.alpha, p.activation, p.unit}, value, all);
            const double error = std::fabs(element(p.c, batch, i, j) - value);
            mine.add(index, error, error == 0 ? 0 : error / bound); // NaN is not below 1
        }
    }
};

namespace detail {

/// Starts a kernel that compares `elements` elements as compare_product does, waits, and combines the differences of
/// its threads. Kernel::arguments are {comparison_share, subject}.
template <class Kernel, class Device, class Subject>
status run_comparison(Device&& device, const char* name, const Subject& subject, long_index_t elements,
                      product_differences& all)
{
    constexpr long_index_t most_blocks = 4096;
    all = {};
    if (elements == 0)
        return {};
    launch_config config;
    config.name = name;
    config.grid.x = ceil_div(elements, Kernel::block_threads);
    config.grid.x = config.grid.x < most_blocks ? config.grid.x : most_blocks;
    const long_index_t threads = config.grid.x * Kernel::block_threads;
    std::vector<product_differences> found(static_cast<std::size_t>(threads));
    const std::size_t bytes = found.size() * sizeof(found[0]);
    typename std::remove_cvref_t<Device>::memory memory;
    if (status s = memory.copy_from(found.data(), bytes); !s)
        return s;
    const typename Kernel::arguments args{{elements, threads, static_cast<product_differences*>(memory.data())},
                                          subject};
    if (status s = launch(device, config, Kernel{}, args); !s)
        return s;
    if (status s = wait_for(device); !s)
        return s;
    if (status s = memory.copy_to(found.data(), bytes); !s)
        return s;
    for (const product_differences& one : found)
        all.add(one);
    return {};
}

} // namespace detail

/// Compares every element of C on the device, after all work started there before, and waits for the result.
///
/// Target: the device's, or one whose kernels it runs
///
/// Errors: those of launch and of the device's memory. A product that differs is no error; `all` has the differences.
template <gpu_target Target, class Device, class A, class B, class C, class Bias>
status check_product(Device&& device, const product_to_check<A, B, C, Bias>& product, product_differences& all)
{
    return detail::run_comparison<compare_product<Target, A, B, C, Bias>>(
        device, "comparison with a plain product", product, product.batch * product.m * product.n, all);
}

} // namespace tegula
