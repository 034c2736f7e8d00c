#pragma once

/// Operands for tests of prologues, on the emulator and on GPUs.

#include <tegula/kernel/gemm/forms/prologue.hpp>
#include <tegula/reference/random.hpp>

#include <vector>

namespace tegula::test {

/// gate * up of two matrices, rounded to T: an operand made from several tensors.
template <class T>
struct product_of_two
{
    matrix_argument<const T> left, right;
    bool vectors = false; ///< both are row-major with rows at multiples of 16 bytes

    template <class Target, int N>
    TEGULA_INLINE array<T, N> make(index_t row, index_t k, long_index_t batch) const
    {
        array<T, N> made;
        if (vectors) {
            const auto x = read<Target, N>(left, row, k, batch), y = read<Target, N>(right, row, k, batch);
            static_for<N>([&](auto j) { made[j] = multiply(x[j], y[j]); });
        } else {
            static_for<N>([&](auto j) {
                made[j] =
                    multiply(read<Target, 1>(left, row, k + j, batch)[0], read<Target, 1>(right, row, k + j, batch)[0]);
            });
        }
        return made;
    }
    static TEGULA_INLINE T multiply(T x, T y) { return convert<T>(static_cast<float>(x) * static_cast<float>(y)); }

    template <class Target, int N>
    static TEGULA_INLINE array<T, N> read(const matrix_argument<const T>& x, index_t row, index_t k, long_index_t batch)
    {
        return tegula::detail::read_vector<Target, address_space::global, N>(
            x.data + batch * x.batch_stride + row * x.row_stride + k * x.column_stride, true);
    }

    status check(const char*, long_index_t rows, long_index_t k, long_index_t batch) const
    {
        if (status s = gemm_checks::check_input("the left factor of A", left, rows, k, batch); !s)
            return s;
        return gemm_checks::check_input("the right factor of A", right, rows, k, batch);
    }
    template <class Memory>
    void memory(const char*, long_index_t rows, long_index_t k, long_index_t batch, Memory& memory) const
    {
        add_matrix(memory, left, rows, k, batch, "left");
        add_matrix(memory, right, rows, k, batch, "right");
    }
};

/// Indices of rows of a table, some of them outside it.
inline std::vector<index_t> random_rows(long_index_t count, long_index_t table, std::uint64_t seed)
{
    random_source random(seed);
    std::vector<index_t> rows;
    for (long_index_t i = 0; i < count; ++i)
        rows.push_back(static_cast<index_t>(random.integer(-2, table + 1)));
    return rows;
}

} // namespace tegula::test
