#pragma once

#include <tegula/arch/x86/targets.hpp>
#include <tegula/block/packed/packed_rows.hpp>
#include <tegula/block/packed/panels.hpp>
#include <tegula/core/math.hpp>
#include <tegula/host/launch.hpp>
#include <tegula/host/thread_pool.hpp>

#include <cstdlib>
#include <cstring>
#include <memory>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tegula {

/// Memory of the host, as device_memory is of a GPU; its start is a multiple of 64 bytes.
class host_memory
{
public:
    /// Errors: out_of_memory. Filled with zeros.
    status allocate(std::size_t bytes)
    {
        const std::size_t whole = round_up(bytes, std::size_t{64});
        memory_.reset(bytes > 0 ? std::aligned_alloc(64, whole) : nullptr);
        if (bytes > 0 && !memory_)
            return status(status_code::out_of_memory, "cannot allocate ") << static_cast<long>(bytes) << " bytes";
        if (bytes > 0)
            std::memset(memory_.get(), 0, whole);
        return {};
    }
    status copy_from(const void* host, std::size_t bytes)
    {
        status s = allocate(bytes);
        if (s && bytes > 0)
            std::memcpy(memory_.get(), host, bytes);
        return s;
    }
    status copy_to(void* host, std::size_t bytes) const
    {
        if (bytes > 0)
            std::memcpy(host, memory_.get(), bytes);
        return {};
    }
    void* data() const { return memory_.get(); }

private:
    struct free_memory
    {
        void operator()(void* p) const { std::free(p); }
    };
    std::unique_ptr<void, free_memory> memory_;
};

/// The CPU as a device for launch(): kernels of arch::x86_avx2 and its relatives run as native code, with blocks spread
/// over threads. A launch is done when it returns. Addresses are the host's. Memory accesses are not checked; the
/// emulator does that.
struct cpu_device
{
    /// Memory that kernels take, which is the host's.
    using memory = host_memory;
    static constexpr bool has_host_memory = true;

    int threads = 0; ///< CPU threads; 0: all that the machine has
    status result{}; ///< result of the last launch

    /// Keeps what is wrong with a launch, which then does not happen.
    status refuse(const status& why)
    {
        result = why;
        return why;
    }
    /// Calls launch(); a CPU needs no memory ranges.
    template <class Add, class Launch>
    status with_memory(const Add&, const Launch& launch)
    {
        return launch();
    }
};

namespace detail {

/// The memory that kernels see as shared: a buffer of the running thread, kept for its next launch.
class thread_buffer
{
public:
    std::byte* reserve(std::size_t bytes)
    {
        if (bytes > size_) {
            // Whole large pages: panels are read all over, and with pages of 4 KiB they would miss the TLB.
            constexpr std::size_t page = std::size_t{2} << 20;
            const std::size_t all = round_up(bytes, page);
            memory_.reset(static_cast<std::byte*>(std::aligned_alloc(page, all)));
            size_ = memory_ ? all : 0;
#if defined(__linux__)
            if (memory_)
                madvise(memory_.get(), all, MADV_HUGEPAGE);
#endif
        }
        return memory_.get();
    }

private:
    struct free_memory
    {
        void operator()(std::byte* p) const { std::free(p); }
    };
    std::unique_ptr<std::byte, free_memory> memory_;
    std::size_t size_ = 0;
};
inline thread_local thread_buffer shared_buffer;

/// The features that the machine must have for a kernel: those that its target promises, and those that its tile adds.
/// The tile, and its `needed`, are optional members.
template <class Kernel>
constexpr x86::feature_set features_of()
{
    constexpr x86::feature_set all = needed_features<typename Kernel::target>();
    if constexpr (requires { Kernel::tile::needed; })
        return all | Kernel::tile::needed;
    else
        return all;
}

/// Whether a kernel is compiled for the target's instruction set as a whole, with all that it calls inlined. This
/// vectorises its loops and takes the compiler seconds. A kernel asks for it by an optional member `compiled_whole`.
/// Those of GEMM and attention enable the instruction set in parts of their own.
template <class Kernel>
consteval bool is_compiled_whole()
{
    if constexpr (requires { Kernel::compiled_whole; })
        return Kernel::compiled_whole;
    else
        return false;
}

/// Runs a block.
template <class Kernel, class... Arguments>
void run_block(const Kernel& kernel, const Arguments&... arguments)
{
    if constexpr (!is_compiled_whole<Kernel>())
        kernel(arguments...);
    else if constexpr (std::is_same_v<typename Kernel::target, arch::x86_avx2>)
        call_flat(x86::avx2::fma_f32{}, [&] { kernel(arguments...); });
    else
        call_flat(x86::avx512::fma_f32{}, [&] { kernel(arguments...); });
}

/// launch() of any kernel: run(block) is the work of the block that this_block names.
inline status launch_blocks(cpu_device& device, const launch_config& config, x86::feature_set needed, std::size_t bytes,
                            const void* block, void (*run)(const void* block))
{
    if (status s = x86::check_features(needed, x86::host_features(), config.name); !s)
        return device.refuse(s);
    const launch_config::extent grid = config.grid;
    std::atomic<bool> no_memory{false};
    thread_pool::instance().run(grid.volume(), device.threads, [&](long_index_t first, long_index_t last) {
        arch::x86::this_block.shared = shared_buffer.reserve(bytes);
        if (arch::x86::this_block.shared == nullptr && bytes > 0) {
            no_memory = true;
            return;
        }
        int x = static_cast<int>(first % grid.x), y = static_cast<int>(first / grid.x % grid.y),
            z = static_cast<int>(first / grid.x / grid.y);
        for (long_index_t i = first; i < last; ++i) {
            arch::x86::this_block.id = {x, y, z};
            run(block);
            if (++x == grid.x) { // counted, as divisions would cost more than a short row
                x = 0;
                if (++y == grid.y) {
                    y = 0;
                    ++z;
                }
            }
        }
    });
    device.result = {};
    if (no_memory)
        return device.refuse(status(status_code::out_of_memory, config.name)
                             << ": no " << static_cast<long>(bytes)
                             << " bytes for each thread's panels; use fewer threads");
    return {};
}

} // namespace detail

/// Runs kernel(arguments...) for every block on this machine.
///
/// Errors: those of check_launch; unsupported if the machine lacks the kernel's instructions; out_of_memory for the
/// threads' buffers.
template <class Kernel, class... Arguments>
status launch(cpu_device& device, const launch_config& config, const Kernel& kernel, const Arguments&... arguments)
{
    static_assert(detail::check_kernel<Kernel, Arguments...>());
    static_assert(Kernel::target::vendor == vendor::x86 && Kernel::block_threads == 1,
                  "tegula: only kernels of a CPU target run on a cpu_device; emulated_device runs those of GPUs");
    if (status s = check_launch<Kernel>(config); !s)
        return device.refuse(s);
    const auto block = [&] { detail::run_block(kernel, arguments...); };
    return detail::launch_blocks(device, config, detail::features_of<Kernel>(),
                                 static_cast<std::size_t>(detail::shared_bytes_of<Kernel>(config)), &block,
                                 [](const void* one) { (*static_cast<decltype(&block)>(one))(); });
}

/// The result of the last launch.
inline status wait_for(const cpu_device& device) { return device.result; }

} // namespace tegula
