#pragma once

// The libraries that bench_cpu compares, and the products that they multiply.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cpu_benchmark {

/// C = A B; A [m, k] and C [m, n] row-major, B [k, n] row-major or, with b_transposed, stored as [n, k]; `batch` times, one
/// after the other in memory. In f32 also
///
///   bias_gelu                            C = gelu(A B + bias), bias the first n elements of A
///   softmax, layernorm, transpose, sum   of rows: C of A [m, n], where k is 1; sum: [m]
struct product
{
    std::string type; ///< f32, f64, bf16, f16, int8; C has it too, of int8 32 bits
    long m = 0, n = 0, k = 0;
    bool b_transposed = false;
    long batch = 1;
    std::string operation = "gemm";
    bool avx2 = false; ///< by AVX2 alone, whatever the machine has

    bool multiplies() const { return operation == "gemm" || operation == "bias_gelu"; }
    bool is_plain() const { return operation == "gemm" && batch == 1; }
    /// Multiplications and additions of a product; else the bytes that are read and written.
    double operations() const
    {
        const double rows = static_cast<double>(m), columns = static_cast<double>(n);
        return multiplies()         ? 2.0 * rows * columns * static_cast<double>(k) * static_cast<double>(batch)
               : operation == "sum" ? 4.0 * (rows * columns + rows)
                                    : 8.0 * rows * columns;
    }
    /// Elements of C.
    long results() const { return operation == "sum" ? m : m * n * batch; }
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
    std::string name, version;
    std::function<std::function<void()>(const product&, matrices&, int threads)> prepare;
};

/// Each library adds itself before main begins.
bool add_contender(contender c);
std::vector<contender>& contenders();

/// The library's operations on rows, in operations.cpp.
std::function<void()> prepare_operation(const product& p, matrices& x, int threads);

/// A function that reads all of the memory and writes nothing: what one row times a B that lies there takes at least.
/// `threads` threads read parts of it; 0: all of the machine.
std::function<void()> prepare_read(const std::vector<std::byte>& bytes, int threads);

/// Operations a second, in billions, of multiply-adds on registers alone by `threads` threads: the machine's peak for
/// the product's type and instruction sets at its clock of this moment.
double measure_peak(const product& p, int threads, bool processor_time);

/// Seconds from a time in the past; processor_time: in which the threads of the process ran.
double now(bool processor_time);

} // namespace cpu_benchmark
