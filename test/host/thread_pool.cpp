#include <tegula/host/thread_pool.hpp>

#include "test/catch.hpp"

#include <vector>

using namespace tegula;

TEST_CASE("every index of a loop is run once, on any number of threads", "[thread_pool]")
{
    for (const int threads : {1, 2, 5, 0})
        for (const long_index_t count : {0, 1, 2, 7, 1000, 100003}) {
            std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
            thread_pool::instance().run(count, threads, [&](long_index_t first, long_index_t last) {
                for (long_index_t i = first; i < last; ++i)
                    ++runs[static_cast<std::size_t>(i)];
            });
            long wrong = 0;
            for (const auto& r : runs)
                wrong += r != 1;
            CHECK(wrong == 0);
        }
}

TEST_CASE("a loop inside a loop is run by its caller", "[thread_pool]")
{
    std::atomic<long> sum{0};
    thread_pool::instance().run(10, 3, [&](long_index_t first, long_index_t last) {
        for (long_index_t i = first; i < last; ++i)
            thread_pool::instance().run(10, 3, [&](long_index_t a, long_index_t b) { sum += b - a; });
    });
    CHECK(sum == 100);
}

TEST_CASE("loops of several callers at a time", "[thread_pool]")
{
    std::atomic<long> sum{0};
    std::vector<std::thread> callers;
    for (int t = 0; t < 4; ++t)
        callers.emplace_back([&] {
            for (int i = 0; i < 50; ++i)
                thread_pool::instance().run(100, 3, [&](long_index_t a, long_index_t b) { sum += b - a; });
        });
    for (std::thread& t : callers)
        t.join();
    CHECK(sum == 4 * 50 * 100);
}
