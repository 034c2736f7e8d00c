#pragma once

// A line on the terminal for what takes long.

#include <condition_variable>
#include <mutex>
#include <thread>

namespace examples {

/// While it lives and if standard error is a terminal: after two seconds, a line that says what is done, for how long,
/// and how much of it if that is known. The line is gone in the end.
class progress
{
public:
    explicit progress(const char* what);
    ~progress();
    progress(const progress&) = delete;

    /// To be called with the parts that are done; by any thread.
    static void report(long done, long all);

private:
    void show(const char* what);

    std::mutex mutex_;
    std::condition_variable over_;
    bool ended_ = false;
    std::thread thread_;
};

} // namespace examples
