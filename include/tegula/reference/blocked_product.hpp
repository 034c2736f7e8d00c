#pragma once

#include <tegula/core/config.hpp>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace tegula {

/// Matrices of one size in memory, read only: element (i, j) of matrix `b` of the batch is
/// data[b * batch_stride + i * row_stride + j * column_stride]. Strides are in elements and of any sign; 0 repeats.
template <class T>
struct strided_matrix
{
    const T* data = nullptr;
    long_index_t row_stride = 0;
    long_index_t column_stride = 0;
    long_index_t batch_stride = 0;

    const T& operator()(long_index_t b, long_index_t i, long_index_t j) const
    {
        return data[b * batch_stride + i * row_stride + j * column_stride];
    }
};

/// Packed rows of `columns` elements, and packed matrices.
template <class T>
strided_matrix<T> row_major(const T* data, long_index_t rows, long_index_t columns)
{
    return {data, columns, 1, rows * columns};
}

/// Packed columns of `rows` elements, and packed matrices.
template <class T>
strided_matrix<T> column_major(const T* data, long_index_t rows, long_index_t columns)
{
    return {data, 1, rows, rows * columns};
}

namespace detail {

/// Calls work(0) ... work(count - 1), each once, on all cores of the machine.
template <class Work>
void parallel_for(long_index_t count, const Work& work)
{
    std::atomic<long_index_t> next{0};
    const auto run = [&] {
        for (long_index_t i = next++; i < count; i = next++)
            work(i);
    };
    const auto cores = static_cast<long_index_t>(std::max(1u, std::thread::hardware_concurrency()));
    std::vector<std::jthread> others;
    for (long_index_t i = 1; i < std::min(cores, count); ++i)
        others.emplace_back(run);
    run();
}

/// One square tile of a matrix product in double, computed from panels that hold four rows of A or four columns of B
/// as the innermost loop reads them.
class product_tile
{
public:
    static constexpr long_index_t size = 128; ///< rows and columns, and the part of K packed at once

    product_tile() : a_(size * size), b_(size * size), sums_(size * size) {}

    double operator()(long_index_t i, long_index_t j) const { return sums_[static_cast<std::size_t>(i * size + j)]; }

    /// The sums over all k of a_at(i, k) * b_at(k, j), for i below rows and j below columns.
    template <class A, class B>
    void compute(long_index_t rows, long_index_t columns, long_index_t k, const A& a_at, const B& b_at)
    {
        std::fill(sums_.begin(), sums_.end(), 0.0);
        for (long_index_t k0 = 0; k0 < k; k0 += size) {
            const long_index_t depth = std::min(size, k - k0);
            pack(a_, rows, depth, [&](long_index_t i, long_index_t kk) { return a_at(i, k0 + kk); });
            pack(b_, columns, depth, [&](long_index_t j, long_index_t kk) { return b_at(k0 + kk, j); });
            for (long_index_t i = 0; i < rows; i += width)
                for (long_index_t j = 0; j < columns; j += width)
                    multiply(&a_[static_cast<std::size_t>(i * size)], &b_[static_cast<std::size_t>(j * size)], depth,
                             &sums_[static_cast<std::size_t>(i * size + j)]);
        }
    }

private:
    static constexpr long_index_t width = 4;

    template <class At>
    static void pack(std::vector<double>& panels, long_index_t count, long_index_t depth, const At& at)
    {
        for (long_index_t first = 0; first < count; first += width) {
            double* panel = &panels[static_cast<std::size_t>(first * size)];
            for (long_index_t kk = 0; kk < depth; ++kk)
                for (long_index_t lane = 0; lane < width; ++lane)
                    panel[kk * width + lane] = first + lane < count ? at(first + lane, kk) : 0.0;
        }
    }

    static void multiply(const double* a, const double* b, long_index_t depth, double* sums)
    {
        double partial[width][width] = {};
        for (long_index_t kk = 0; kk < depth; ++kk, a += width, b += width)
            for (int i = 0; i < width; ++i)
                for (int j = 0; j < width; ++j)
                    partial[i][j] += a[i] * b[j];
        for (int i = 0; i < width; ++i)
            for (int j = 0; j < width; ++j)
                sums[i * size + j] += partial[i][j];
    }

    std::vector<double> a_, b_, sums_;
};

} // namespace detail

} // namespace tegula
