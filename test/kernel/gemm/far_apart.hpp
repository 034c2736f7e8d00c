#pragma once

/// Rows that lie further apart than 32 bits can count: in memory that is reserved and mostly never touched.

#include "test/kernel/gemm/harness.hpp"

#include <sys/mman.h>

namespace tegula::test {

/// Addresses without memory behind them until they are written.
template <class T>
struct reserved_memory
{
    std::size_t bytes;
    T* data;

    explicit reserved_memory(std::size_t count)
        : bytes(count * sizeof(T)), data(static_cast<T*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)))
    {}
    reserved_memory(const reserved_memory&) = delete;
    reserved_memory& operator=(const reserved_memory&) = delete;
    ~reserved_memory() { munmap(data, bytes); }
    bool exists() const { return data != MAP_FAILED; }
};

/// 70 x 66 x 72, two products; A's and C's rows are 2^26 elements apart, their matrices 2^33.
template <class Kernel>
void check_far_apart()
{
    constexpr long_index_t m = 70, n = 66, k = 72, row = 1L << 26, matrix = 1L << 33;
    const reserved_memory<bfloat16> a(2 * matrix);
    const reserved_memory<float> c(2 * matrix);
    if (!a.exists() || !c.exists()) {
        WARN("skipped: the machine does not reserve 96 GB of addresses");
        return;
    }
    std::vector<bfloat16> b(k * 72);
    fill_uniform(std::span(b), 1);
    random_source random(2);
    for (long_index_t batch = 0; batch < 2; ++batch)
        for (long_index_t i = 0; i < m; ++i)
            for (long_index_t j = 0; j < k; ++j)
                a.data[batch * matrix + i * row + j] = convert<bfloat16>(random.uniform(-1, 1));
    const typename Kernel::arguments args{
        m, n, k, 2, {a.data, row, 1, matrix}, {b.data(), 72, 1, 0}, {c.data, row, 1, matrix}};
    const auto run = emulate(Kernel{}, args);
    INFO(run.report << run.status.message());
    REQUIRE(run.status.ok());

    const reference_gemm_problem<bfloat16, bfloat16> problem{
        m, n, k, 2, {a.data, row, 1, matrix}, {b.data(), 72, 1, 0}};
    CHECK(verify_gemm(problem, strided_matrix<float>{c.data, row, 1, matrix}, reference_gemm(problem)).passed);
}

} // namespace tegula::test
