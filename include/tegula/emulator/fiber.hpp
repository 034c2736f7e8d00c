#pragma once

#include <tegula/emulator/fiber_stack.hpp>
#include <tegula/emulator/state.hpp>

// Shadow stacks (__CET__ & 2) allow a return only to the place of a call.
#if defined(__x86_64__) && defined(__ELF__) && !(defined(__CET__) && (__CET__ & 2))
#define TEGULA_FIBER_BY_RETURN 1
#else
#define TEGULA_FIBER_BY_RETURN 0
#include <boost/context/detail/fcontext.hpp>
#endif

/// The switch from one stack to another. Boost.Context does it; on x86-64 a few instructions do it faster: they end in
/// a return instead of a jump. The processor predicts returns by counting calls, and lanes stop at the same place of
/// the kernel one after the other, so that every prediction is right after a return and wrong after a jump.

namespace tegula::emulator::detail {

using fiber_entry = void (*)();

#if TEGULA_FIBER_BY_RETURN

/// Keeps the registers that calls preserve on this stack and the stack's top in *save, and goes on where `to` was kept.
/// The floating-point control words stay as they are: nothing a kernel does changes them.
[[gnu::naked, gnu::noinline]] inline void switch_context([[maybe_unused]] void** save, [[maybe_unused]] void* to)
{
    asm volatile("pushq %rbp\n\t"
                 "pushq %rbx\n\t"
                 "pushq %r12\n\t"
                 "pushq %r13\n\t"
                 "pushq %r14\n\t"
                 "pushq %r15\n\t"
                 "movq %rsp, (%rdi)\n\t"
                 "movq %rsi, %rsp\n\t"
                 "popq %r15\n\t"
                 "popq %r14\n\t"
                 "popq %r13\n\t"
                 "popq %r12\n\t"
                 "popq %rbx\n\t"
                 "popq %rbp\n\t"
                 "ret");
}

/// The frame that switch_context() finds on a stack that was never left: six registers, Entry, and a return address of
/// zero at which a debugger stops.
template <fiber_entry Entry>
void* first_context(std::byte* top, std::size_t)
{
    constexpr int registers = 6;
    auto* words = reinterpret_cast<std::uintptr_t*>(reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{15}) -
                  (registers + 2);
    for (int i = 0; i < registers + 2; ++i)
        words[i] = 0;
    words[registers] = reinterpret_cast<std::uintptr_t>(Entry);
    return words;
}

#else

inline void switch_context(void** save, void* to)
{
    const boost::context::detail::transfer_t from = boost::context::detail::jump_fcontext(to, save);
    *static_cast<void**>(from.data) = from.fctx;
}

template <fiber_entry Entry>
void* first_context(std::byte* top, std::size_t bytes)
{
    return boost::context::detail::make_fcontext(top, bytes, [](boost::context::detail::transfer_t from) {
        *static_cast<void**>(from.data) = from.fctx;
        Entry();
    });
}

#endif

/// Prepares `flow` to run Entry from the start on the given stack; what was left on that stack is given up.
template <fiber_entry Entry>
void prepare(fiber& flow, std::byte* bottom, std::size_t bytes, int thread)
{
#if TEGULA_ADDRESS_SANITIZER
    __asan_unpoison_memory_region(bottom, bytes);
#endif
    const std::size_t usable = bytes - stack_colour(thread);
    flow = {first_context<Entry>(bottom + usable, usable), bottom, bytes, nullptr};
}

/// An Entry calls this first; `from` is the fiber that started it.
inline void enter_fiber([[maybe_unused]] fiber& from)
{
#if TEGULA_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(nullptr, &from.stack_bottom, &from.stack_bytes);
#endif
}

/// Goes on in `to`; returns when someone switches back to `from`.
inline void switch_fiber(fiber& from, fiber& to)
{
#if TEGULA_ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(&from.sanitizer_stack, to.stack_bottom, to.stack_bytes);
#endif
    switch_context(&from.context, to.context);
#if TEGULA_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(from.sanitizer_stack, nullptr, nullptr);
#endif
}

/// Goes on in `to` and never comes back; `from` may be prepared again.
[[noreturn]] inline void leave_fiber(fiber& from, fiber& to)
{
#if TEGULA_ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(nullptr, to.stack_bottom, to.stack_bytes);
#endif
    switch_context(&from.context, to.context);
    __builtin_unreachable();
}

} // namespace tegula::emulator::detail
