/// Kernels for an NVIDIA GPU that are compiled when they are needed, launched with a CUDA runtime that has no GPU and
/// watches: what reaches the runtime, and how many instructions of the host a launch takes beside it.

#include "test/catch.hpp"
#include "test/gpu/watching_runtime/watching_runtime.hpp"
#include "test/jit/scale.hpp"

#include <tegula/jit.hpp>

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace tegula;
using namespace tegula::test;

namespace {

status start(const jit::kernel& k, const launch_config& config)
{
    float* const memory = nullptr;
    return k.launch(static_cast<void*>(nullptr), config, static_cast<const float*>(memory), memory, 0.5f, 200);
}

/// The instructions that `run` takes in a child process; -1 where the system does not allow to count them.
template <class Run>
long count_instructions(const Run& run)
{
    const pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0)
            _exit(1);
        raise(SIGUSR1);
        run();
        raise(SIGUSR2);
        _exit(0);
    }
    long count = -1;
    int state = 0;
    while (waitpid(child, &state, 0) == child && WIFSTOPPED(state) && WSTOPSIG(state) != SIGUSR2) {
        ++count;
        if (ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) != 0)
            break;
    }
    const bool counted = WIFSTOPPED(state) && WSTOPSIG(state) == SIGUSR2;
    kill(child, SIGKILL);
    waitpid(child, &state, 0);
    return counted ? count : -1;
}

} // namespace

TEST_CASE("a kernel that is compiled on demand is launched by the CUDA runtime")
{
    the_runtime() = {};
    const jit::kernel k =
        jit::get_kernel({.source = scale, .kernel = "scale", .target = "sm_80", .device = jit::runs_on::gpu});
    INFO(k.state().message());
    REQUIRE(k);
    const status s = start(k, {.grid = {2}, .shared_bytes = 1024, .name = "scale"});
    INFO(s.message());
    REQUIRE(s);
    CHECK(the_runtime().launches == 1);
    CHECK(the_runtime().shared_bytes == std::vector<std::size_t>{1024});
    // More shared memory than the chip has is refused before anything is launched.
    CHECK_FALSE(start(k, {.grid = {2}, .shared_bytes = 1 << 30, .name = "scale"}));
    CHECK(the_runtime().launches == 1);

    const long instructions = count_instructions([&] { static_cast<void>(start(k, {.grid = {2}, .name = "scale"})); });
    if (instructions < 0)
        WARN("this system does not let a process count another's instructions");
    CHECK(instructions < 20000); // with g++ 12 at -O1: 3,130 or 10,790, by the machine
}
