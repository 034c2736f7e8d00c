#pragma once

#include "test/catch.hpp"

#include <sys/mman.h>

#include <cstddef>

namespace tegula::test {

/// Address space for a tensor of which few pages are touched.
class far_memory
{
public:
    explicit far_memory(std::size_t bytes)
        : bytes_(bytes),
          data_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))
    {
        REQUIRE(data_ != MAP_FAILED);
    }
    far_memory(const far_memory&) = delete;
    ~far_memory() { munmap(data_, bytes_); }
    void* data() const { return data_; }

private:
    std::size_t bytes_;
    void* data_;
};

} // namespace tegula::test
