#include "progress.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <unistd.h>

namespace examples {

namespace {

std::atomic<long> parts_done{0}, parts_of_all{0};

std::string bar(long done, long all)
{
    constexpr long width = 30;
    const long filled = done * width / all;
    return " [" + std::string(static_cast<std::size_t>(filled), '#') +
           std::string(static_cast<std::size_t>(width - filled), ' ') + "] " + std::to_string(100 * done / all) + " %";
}

} // namespace

progress::progress(const char* what)
{
    parts_done = parts_of_all = 0;
    if (::isatty(STDERR_FILENO) != 0)
        thread_ = std::thread([this, what] { show(what); });
}

progress::~progress()
{
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    over_.notify_one();
    if (thread_.joinable())
        thread_.join();
}

void progress::report(long done, long all)
{
    parts_done = done;
    parts_of_all = all;
}

void progress::show(const char* what)
{
    using namespace std::chrono_literals;
    const auto start = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    if (over_.wait_for(lock, 2s, [&] { return ended_; }))
        return;
    do {
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        const long all = parts_of_all;
        std::fprintf(stderr, "\r\033[K%s%s, %.0f s", what, all > 0 ? bar(parts_done, all).c_str() : "", seconds);
        std::fflush(stderr);
    } while (!over_.wait_for(lock, 500ms, [&] { return ended_; }));
    std::fputs("\r\033[K", stderr);
}

} // namespace examples
