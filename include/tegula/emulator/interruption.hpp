#pragma once

#include <tegula/emulator/fiber.hpp>

#include <csignal>
#include <ctime>
#include <mutex>

#if defined(__linux__) && !TEGULA_ADDRESS_SANITIZER && !defined(__SANITIZE_THREAD__)
#define TEGULA_EMULATOR_SIGNALS 1
#include <sys/syscall.h>
#include <unistd.h>
#else
#define TEGULA_EMULATOR_SIGNALS 0
#endif

/// The interruptions that end a lane from outside: a fault of the processor, and a clock for one that never lets others
/// run. With a sanitizer, and on other systems than Linux, there is neither.

namespace tegula::emulator::detail {

/// The part of the engine on this CPU thread that the clock and the handlers see.
struct interruption
{
    volatile unsigned progress = 0;         ///< counts up whenever something happens that others can wait for
    volatile bool expired = false;          ///< the running lane must end itself at its next call of the engine
    volatile int signal = 0;                ///< the signal that ended the lane
    const void* volatile address = nullptr; ///< the address that the signal reports
    unsigned seen = 0;
    int ticks = 0; ///< clock ticks without progress
    int ticks_allowed = 0;
    fiber* back = nullptr; ///< fiber in which the engine goes on

    static constexpr long ticks_a_second = 10;
};

/// The one of this CPU thread; null if no engine runs.
inline constinit thread_local interruption* current_interruption = nullptr;

#if TEGULA_EMULATOR_SIGNALS

/// The handlers, while any launch runs.
class signal_handlers
{
public:
    static void begin()
    {
        const std::lock_guard lock(mutex());
        if (users()++ > 0)
            return;
        for (int i = 0; i < count; ++i) {
            struct sigaction action = {};
            action.sa_sigaction = &handle;
            action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK | SA_RESTART;
            sigaction(signals[i], &action, &before()[i]);
        }
    }
    static void end()
    {
        const std::lock_guard lock(mutex());
        if (--users() == 0)
            for (int i = 0; i < count; ++i)
                sigaction(signals[i], &before()[i], nullptr);
    }
    static constexpr int tick = SIGURG; // ignored without a handler, so that a late one does no harm

private:
    static constexpr int count = 4;
    static constexpr int signals[count] = {tick, SIGSEGV, SIGFPE, SIGBUS};

    static std::mutex& mutex()
    {
        static std::mutex m;
        return m;
    }
    static int& users()
    {
        static int n = 0;
        return n;
    }
    static struct sigaction* before()
    {
        static struct sigaction actions[count];
        return actions;
    }

    static void handle(int signal, siginfo_t* info, void*)
    {
        interruption* const run = current_interruption;
        const bool in_lane = run != nullptr && current_lane != nullptr;
        if (signal == tick) {
            if (in_lane && is_stuck(*run))
                end_lane(*run, signal, nullptr);
            return;
        }
        if (in_lane && run->signal == 0)
            end_lane(*run, signal, info->si_addr);
        for (int i = 0; i < count; ++i) // the signal comes again, to the handler that was there before
            if (signals[i] == signal)
                sigaction(signal, &before()[i], nullptr);
    }
    /// Whether the lane goes on without calling the engine even after it was asked to end.
    static bool is_stuck(interruption& run)
    {
        if (run.progress != run.seen) {
            run.seen = run.progress;
            run.ticks = 0;
            run.expired = false;
        } else if (++run.ticks > run.ticks_allowed) {
            if (run.ticks > run.ticks_allowed + 2)
                return true;
            run.expired = true;
        }
        return false;
    }
    [[noreturn]] static void end_lane(interruption& run, int signal, const void* address)
    {
        run.signal = signal;
        run.address = address;
        leave_fiber(current_lane->flow, *run.back);
    }
};

/// While it lives, the lanes of the engine of this CPU thread can be interrupted.
class interruptible
{
public:
    interruptible(interruption& run, double patience) : before_(current_interruption)
    {
        run.ticks_allowed = static_cast<int>(patience * interruption::ticks_a_second);
        run.ticks = 0;
        run.expired = false;
        run.signal = 0;
        signal_handlers::begin();
        stack_t mine = {};
        mine.ss_sp = stack_;
        mine.ss_size = sizeof(stack_);
        sigaltstack(&mine, &stack_before_);
        current_interruption = &run;
        if (patience <= 0)
            return;
        sigevent event = {};
        event.sigev_notify = SIGEV_THREAD_ID;
        event.sigev_signo = signal_handlers::tick;
        event._sigev_un._tid = static_cast<int>(syscall(SYS_gettid));
        if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) != 0)
            return;
        has_timer_ = true;
        constexpr long nanoseconds = 1000000000 / interruption::ticks_a_second;
        const itimerspec every = {{0, nanoseconds}, {0, nanoseconds}};
        timer_settime(timer_, 0, &every, nullptr);
    }
    interruptible(const interruptible&) = delete;
    interruptible& operator=(const interruptible&) = delete;
    ~interruptible()
    {
        if (has_timer_)
            timer_delete(timer_);
        current_interruption = before_;
        sigaltstack(&stack_before_, nullptr);
        signal_handlers::end();
    }

private:
    interruption* before_;
    stack_t stack_before_{};
    timer_t timer_{};
    bool has_timer_ = false;
    char stack_[64 * 1024];
};

#else

class interruptible
{
public:
    interruptible(interruption&, double) {}
};

#endif

} // namespace tegula::emulator::detail
