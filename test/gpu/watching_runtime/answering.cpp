/// gpu_checks without a GPU: nothing runs, and comparisons with plain products say that every element is right, or what
/// the environment tells of kernels by parts of their names: TEGULA_ANSWERS="hangs:adding faults:numbering". A kernel `hangs`,
/// `crashes` the program, `faults` as an illegal access does, or is a comparison that finds something `wrong`.

#include "test/gpu/watching_runtime/watching_runtime.hpp"

#include <tegula/reference/product_check.hpp>

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <sstream>

namespace tegula::test {
namespace {

constexpr int illegal_address = 700; // an error of CUDA and of HIP

/// The arguments of compare_product, whose pointers may be of any types.
struct comparison
{
    product_to_check<float, float, float> product;
    long_index_t threads;
    product_differences* found;
};

/// The arguments of compare_formula for untouched_formula, whose number has at most 8 bytes.
struct surroundings
{
    const void* data;
    std::uint64_t value;
    long_index_t numbers, threads;
    product_differences* found;
};

/// Returns what the environment tells of a kernel, or an empty string.
std::string told(const char* kernel)
{
    const char* const all = std::getenv("TEGULA_ANSWERS");
    std::istringstream words(all == nullptr ? "" : all);
    for (std::string word; words >> word;)
        if (std::strstr(kernel, word.substr(word.find(':') + 1).c_str()) != nullptr)
            return word.substr(0, word.find(':'));
    return {};
}

int answer(const char* kernel, void** arguments)
{
    static bool lost = false; // after a fault every call fails
    const std::string what = told(kernel);
    while (what == "hangs")
        pause();
    if (what == "crashes")
        std::abort();
    if (lost |= what == "faults"; lost)
        return illegal_address;
    if (std::strstr(kernel, "compare_product") != nullptr) {
        const comparison& c = *static_cast<const comparison*>(arguments[0]);
        c.found[0].compared = c.product.m * c.product.n * c.product.batch;
        c.found[0].wrong = what == "wrong" ? 7 : 0;
        c.found[0].worst_index = 0;
    } else if (std::strstr(kernel, "untouched_formula") != nullptr) {
        const surroundings& s = *static_cast<const surroundings*>(arguments[0]);
        s.found[0].compared = s.numbers;
        s.found[0].worst_index = 0;
    }
    return 0;
}

struct answering_gpu : played_gpu
{
    int start(const asked_launch& asked) override { return answer(asked.kernel, asked.arguments); }
} answers;

[[maybe_unused]] const bool plays = (the_runtime().played = &answers, true);

} // namespace
} // namespace tegula::test
