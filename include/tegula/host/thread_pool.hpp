#pragma once

#include <tegula/core/config.hpp>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#if defined(TEGULA_WITH_TBB)
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#elif defined(_OPENMP)
#include <omp.h>
#endif

// Loops run on the threads of oneTBB with TEGULA_WITH_TBB (link it), else on those of OpenMP with -fopenmp, else on the
// standard library's. Names differ, as one program may have translation units of several kinds.
#if defined(TEGULA_WITH_TBB)
#define TEGULA_THREADS threads_of_tbb
#elif defined(_OPENMP)
#define TEGULA_THREADS threads_of_openmp
#else
#define TEGULA_THREADS own_threads
#endif

namespace tegula {
inline namespace TEGULA_THREADS {

/// Threads that wait for the next loop. The caller is one of them.
///
/// A loop started while another runs, or from within one, is run by its caller alone.
class thread_pool
{
public:
    static thread_pool& instance()
    {
        static thread_pool pool;
        return pool;
    }
    static int threads_of_machine()
    {
        const unsigned n = std::thread::hardware_concurrency();
        return n > 0 ? static_cast<int>(n) : 1;
    }

    /// Calls body(first, last) for runs of [0, count), on `threads` threads (0: all the machine has), in any order.
    template <class Body>
    void run(long_index_t count, int threads, const Body& body)
    {
        if (count <= 0)
            return;
        const long_index_t all = threads > 0 ? threads : threads_of_machine();
        const auto used = static_cast<int>(all < count ? all : count);
        std::unique_lock<std::mutex> turn(busy_, std::defer_lock);
        if (used <= 1 || is_inside() || !turn.try_lock()) {
            body(0, count);
            return;
        }
        // Runs short enough that threads end together, long enough that the counter is no bottleneck.
        const long_index_t step = count / (used * 64) + 1;
        std::atomic<long_index_t> next{0};
        const std::function<void()> work = [&] {
            for (long_index_t i; (i = next.fetch_add(step)) < count;)
                body(i, i + step < count ? i + step : count);
        };
#if defined(TEGULA_WITH_TBB)
        tbb::task_arena arena(used);
        arena.execute([&] { tbb::parallel_for(0, used, [&](int) { mark_inside(work); }); });
#elif defined(_OPENMP)
#pragma omp parallel num_threads(used)
        mark_inside(work);
#else
        start(used - 1, work);
        mark_inside(work);
        finish();
#endif
    }

    thread_pool(const thread_pool&) = delete;
    thread_pool& operator=(const thread_pool&) = delete;

private:
    /// Whether this thread runs part of a loop.
    static bool is_inside()
    {
#if defined(_OPENMP) && !defined(TEGULA_WITH_TBB)
        return inside_ || omp_in_parallel() != 0;
#else
        return inside_;
#endif
    }
    /// Calls work(); this thread alone runs the loops within it.
    static void mark_inside(const std::function<void()>& work)
    {
        const bool before = inside_;
        inside_ = true;
        work();
        inside_ = before;
    }

    thread_pool() = default;
    ~thread_pool()
    {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            stops_ = true;
        }
        wake_.notify_all();
        for (std::thread& t : threads_)
            t.join();
    }

    void start(int helpers, const std::function<void()>& work)
    {
        while (static_cast<int>(threads_.size()) < helpers)
            threads_.emplace_back([this] { wait_for_work(); });
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            work_ = &work;
            wanted_ = helpers;
            running_ = helpers;
        }
        wake_.notify_all();
    }
    void finish()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        done_.wait(lock, [this] { return running_ == 0; });
        work_ = nullptr;
    }
    void wait_for_work()
    {
        inside_ = true;
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            wake_.wait(lock, [this] { return stops_ || wanted_ > 0; });
            if (stops_)
                return;
            --wanted_;
            const std::function<void()>& work = *work_;
            lock.unlock();
            work();
            lock.lock();
            if (--running_ == 0)
                done_.notify_one();
        }
    }

    static inline thread_local bool inside_ = false;
    std::mutex busy_; ///< held by the caller of a loop
    std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::vector<std::thread> threads_;
    const std::function<void()>* work_ = nullptr;
    int wanted_ = 0, running_ = 0; ///< helpers that are still to begin, and those that have not ended
    bool stops_ = false;
};

} // namespace TEGULA_THREADS
} // namespace tegula

#undef TEGULA_THREADS
