#pragma once

// Tensor memory of a block, and the tensor core's work on it. PTX ISA 9.0: 9.7.16.1 "Tensor Memory", 9.7.16.6 "Memory
// Consistency Model for 5th generation of TensorCore operations".

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

namespace ptx {

struct warp;

struct tensor_memory
{
    static constexpr int lanes = 128, columns = 512;

    struct word
    {
        std::uint32_t value = 0;
        bool valid = false;           ///< it holds a value
        std::uint16_t writers = 0;    ///< products and copies that are to write it
        std::uint16_t readers = 0;    ///< loads without their wait, products that are to read it
        bool storing = false;         ///< a store without its wait
        std::uint32_t written = 0;    ///< when a product or copy was done with it, or a store waited for
        const warp* core = nullptr;   ///< whose products and copies wrote it
        std::uint32_t core_read = 0;  ///< when a product had read it
        const warp* stored = nullptr; ///< by whom, of a store
        std::uint32_t read = 0;       ///< when its last load was waited for
        const warp* loaded = nullptr; ///< by whom
    };
    struct allocation
    {
        int column, count;
    };

    std::vector<word> words; ///< [lane][column]; empty before the first allocation
    std::vector<allocation> allocations;
    int least = 0; ///< columns of the smallest allocation
    bool relinquished = false;
    int group = 0; ///< the .cta_group in use

    word& at(int lane, int column) { return words[static_cast<std::size_t>(lane * columns + column)]; }
    bool holds(int column, int count) const
    {
        for (const allocation& a : allocations)
            if (column >= a.column && column + count <= a.column + a.count)
                return true;
        return false;
    }
};

/// What one thread has the tensor core do, in order; a copy may overtake products (9.7.16.6.2 does not order them).
struct tensor_pipe
{
    struct operation
    {
        std::function<void()> run;
        bool copies = false;
        bool commits = false;
    };
    warp* of = nullptr;
    int lane = 0;
    std::deque<operation> operations;
};

} // namespace ptx
