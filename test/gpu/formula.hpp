#pragma once

/// Compares what a kernel has left on a device with its formula, which the device evaluates in double, an element a thread:
/// nothing of what is tested takes part.

#include <tegula/reference/product_check.hpp>

#include <span>
#include <string>
#include <vector>

/// Null on a GPU. A program that plays one may define it: it calls compare(what) while the host can read the device's memory
/// at the device's addresses.
extern "C" __attribute__((weak)) void tegula_read_on_host(void (*compare)(void* what), void* what);

namespace tegula::test {

/// The value that an element should have, and how far from it the element may be.
struct expected_value
{
    double value;
    double bound;
};

/// A stored number in double.
template <class T>
TEGULA_HOST_DEVICE double wide(T x)
{
    return static_cast<double>(convert<float>(x));
}

/// The kernel that compares. A Formula has expected(i) and found(i), of element number i; 1 element each thread at a time.
template <gpu_target Target, class Formula>
struct compare_formula
{
    using target = Target;
    static constexpr int block_threads = 256;

    struct arguments
    {
        comparison_share share;
        Formula formula;
    };

    TEGULA_HOST_DEVICE void operator()(const arguments& args) const
    {
        const long_index_t me = static_cast<long_index_t>(target::block_id()[0]) * block_threads + target::thread_id();
        args.share.found[me] = compare(args.formula, me, args.share.elements, args.share.threads);
    }

    static TEGULA_HOST_DEVICE product_differences compare(const Formula& formula, long_index_t first,
                                                          long_index_t elements, long_index_t step)
    {
        product_differences differences;
        for (long_index_t i = first; i < elements; i += step) {
            const expected_value e = formula.expected(i);
            const double error = std::fabs(formula.found(i) - e.value); // NaN is not 0, nor below 1
            differences.add(i, error, error == 0 ? 0 : error / e.bound);
        }
        return differences;
    }
};

/// As run_comparison, by the host: a machine that executes the code of a GPU takes minutes for it.
template <class Kernel, class Formula, class Device>
status compare_on_host(Device& device, const Formula& formula, product_differences& found)
{
    if (status s = wait_for(device); !s)
        return s;
    struct comparison
    {
        const Formula& formula;
        product_differences& found;
    } what{formula, found};
    tegula_read_on_host(
        [](void* p) {
            auto& [formula, found] = *static_cast<comparison*>(p);
            found = Kernel::compare(formula, 0, formula.count(), 1);
        },
        &what);
    return {};
}

/// Returns what is wrong with the elements of a formula, named `what`, or an empty string.
template <gpu_target Target, class Device, class Formula>
std::string check_formula(Device& device, const char* what, const Formula& formula)
{
    using kernel = compare_formula<Target, Formula>;
    product_differences found;
    const status s = tegula_read_on_host != nullptr
                         ? compare_on_host<kernel>(device, formula, found)
                         : tegula::detail::run_comparison<kernel>(device, what, formula, formula.count(), found);
    if (!s)
        return std::string(what) + ", comparing: " + s.message();
    if (found.compared != formula.count())
        return std::string(what) + ": " + std::to_string(found.compared) + " elements were compared";
    if (found.passed())
        return {};
    return std::string(what) + ": " + std::to_string(found.wrong) + " of " + std::to_string(found.compared) +
           " elements are wrong; the error of element " + std::to_string(found.worst_index) + " is " +
           std::to_string(found.worst_error) + ", " + std::to_string(found.worst_ratio) + " of its bound";
}

/// The first of these that is not empty.
template <class... Checks>
std::string first_wrong(const Checks&... checks)
{
    std::string wrong;
    static_cast<void>(((wrong = checks(), !wrong.empty()) || ...));
    return wrong;
}

/// The largest change by one rounding to T, in units of the number: half of the distance of its neighbours.
template <class T>
constexpr double rounding_of = sizeof(T) >= 4 ? 0x1p-24 : 1.0 / static_cast<double>(2 << T::format::mantissa_bits);

/// Rounding unit of a matrix unit's sums: NVIDIA's of fp8 keep 13 bits behind the point.
template <class Target, class T>
constexpr double unit_of_sums =
    Target::chip().vendor == vendor::nvidia && sizeof(T) == 1 ? 0x1p-13 : float_truncation_unit;

} // namespace tegula::test
