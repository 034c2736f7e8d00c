#pragma once

// Who multiplies in bench_cpu, and what.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cpu_benchmark {

/// C = A B; A [m, k] and C [m, n] row-major, B [k, n] row-major or, with b_transposed, stored as [n, k].
struct product
{
    std::string type; ///< f32, f64, bf16, int8
    long m = 0, n = 0, k = 0;
    bool b_transposed = false;

    double operations() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
};

/// Memory of one product: elements of the type for A and B, 64 bits for each of C at most.
struct matrices
{
    std::vector<std::byte> a, b, c;
};

/// One library. prepare() gives a function that computes the product, on `threads` threads; an empty one where the
/// library cannot.
struct contender
{
    std::string name;
    std::function<std::function<void()>(const product&, matrices&, int threads)> prepare;
};

/// Each library adds itself before main begins.
bool add_contender(contender c);
std::vector<contender>& contenders();

/// Operations a second, in billions, of multiply-adds on registers alone by `threads` threads: the machine's peak for
/// the type at its clock of this moment.
double measure_peak(const std::string& type, int threads);

} // namespace cpu_benchmark
