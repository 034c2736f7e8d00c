// Kernels on several threads of the CPU at once, and from several callers at once. ThreadSanitizer looks on where the build
// has it (test/CMakeLists.txt).

#include "test/catch.hpp"

#include <tegula/gemm_cpu.hpp>

#include <thread>
#include <vector>

using namespace tegula;

namespace {

/// Equal products of small integers, every sum of which is exact: C[i, j] = k (i % 5) (j % 7).
struct products
{
    long_index_t m, n, k, batch;
    std::vector<float> a, b, c;

    products(long_index_t rows, long_index_t columns, long_index_t depth, long_index_t count)
        : m(rows), n(columns), k(depth), batch(count), a(size(rows, depth)), b(size(depth, columns)),
          c(size(rows * count, columns), -1)
    {
        for (long_index_t i = 0; i < m; ++i)
            for (long_index_t l = 0; l < k; ++l)
                a[static_cast<std::size_t>(i * k + l)] = static_cast<float>(i % 5);
        for (long_index_t l = 0; l < k; ++l)
            for (long_index_t j = 0; j < n; ++j)
                b[static_cast<std::size_t>(l * n + j)] = static_cast<float>(j % 7);
    }
    status multiply(int threads)
    {
        cpu_device device;
        device.threads = threads;
        const gemm_arguments<float, float, float, epilogue::none> args{
            m, n, k, batch, {a.data(), k, 1, 0}, {b.data(), n, 1, 0}, {c.data(), n, 1, m * n}, {}};
        return launch(device, cpu_gemm<arch::x86_avx2>{}, args);
    }
    int count_wrong() const
    {
        int wrong = 0;
        for (long_index_t x = 0; x < batch * m * n; ++x)
            wrong += c[static_cast<std::size_t>(x)] != static_cast<float>(k * (x / n % m % 5) * (x % n % 7));
        return wrong;
    }

private:
    static std::size_t size(long_index_t x, long_index_t y) { return static_cast<std::size_t>(x * y); }
};

bool has_avx2() { return x86::host_features().contains(x86::feature::avx2); }

} // namespace

TEST_CASE("CPU: a product on several threads", "[cpu][threads]")
{
    if (!has_avx2())
        return;
    products p(171, 533, 300, 3);
    REQUIRE(p.multiply(4).ok());
    CHECK(p.count_wrong() == 0);
}

TEST_CASE("CPU: products from several threads at once", "[cpu][threads]")
{
    if (!has_avx2())
        return;
    std::vector<products> all;
    for (long_index_t i = 0; i < 4; ++i)
        all.emplace_back(90 + i, 280, 70 + i, 2);
    std::vector<int> good(all.size());
    std::vector<std::thread> callers;
    for (std::size_t i = 0; i < all.size(); ++i)
        callers.emplace_back([&, i] { good[i] = all[i].multiply(3).ok(); });
    for (std::thread& t : callers)
        t.join();
    for (std::size_t i = 0; i < all.size(); ++i) {
        CHECK(good[i] == 1);
        CHECK(all[i].count_wrong() == 0);
    }
}
