#pragma once

#include <sys/mman.h>
#include <tegula/core/math.hpp>
#include <unistd.h>

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define TEGULA_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEGULA_ADDRESS_SANITIZER 1
#endif
#endif
#ifndef TEGULA_ADDRESS_SANITIZER
#define TEGULA_ADDRESS_SANITIZER 0
#endif

#if TEGULA_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace tegula::emulator::detail {

/// Stacks of one size, kept from launch to launch; memory is touched only as deep as a kernel goes. Below each lies a
/// page that faults, so that a kernel that needs more cannot spoil its neighbour.
class stack_pool
{
public:
    explicit stack_pool(std::size_t bytes) : bytes_(round_up(bytes, page())) {}

    std::size_t bytes() const { return bytes_; }

    /// Lowest byte of stack `i`; grows the pool as needed.
    std::byte* stack(int i)
    {
        while (static_cast<int>(chunks_.size()) <= i / stacks_of_chunk)
            chunks_.push_back(std::make_unique<chunk>(bytes_));
        return chunks_[static_cast<unsigned>(i / stacks_of_chunk)]->base +
               static_cast<std::size_t>(i % stacks_of_chunk) * (page() + bytes_) + page();
    }

private:
    static constexpr int stacks_of_chunk = 32;

    static std::size_t page()
    {
        static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        return bytes;
    }

    struct chunk
    {
        explicit chunk(std::size_t bytes) : size(stacks_of_chunk * (page() + bytes))
        {
            void* memory =
                mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (memory == MAP_FAILED)
                throw std::bad_alloc();
            base = static_cast<std::byte*>(memory);
            for (int i = 0; i < stacks_of_chunk; ++i)
                mprotect(base + static_cast<std::size_t>(i) * (page() + bytes), page(), PROT_NONE);
        }
        chunk(const chunk&) = delete;
        chunk& operator=(const chunk&) = delete;
        ~chunk()
        {
#if TEGULA_ADDRESS_SANITIZER
            __asan_unpoison_memory_region(base, size);
#endif
            munmap(base, size);
        }

        std::byte* base = nullptr;
        std::size_t size;
    };

    std::size_t bytes_;
    std::vector<std::unique_ptr<chunk>> chunks_;
};

/// Offsets the stacks of lanes to different cache sets: equal strides would put all of them into the same few.
inline std::size_t stack_colour(int thread) { return static_cast<std::size_t>(thread % 64) * 192; }

} // namespace tegula::emulator::detail
