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
        bool valid = false;               ///< it holds a value
        std::uint16_t writers = 0;        ///< products and copies that are to write it
        std::uint16_t loads = 0;          ///< loads without their wait
        std::uint16_t operands = 0;       ///< products that are to read it
        bool storing = false;             ///< a store without its wait
        const warp* core = nullptr;       ///< whose products and copies wrote it
        const warp* stored = nullptr;     ///< by whom, of a store
        const warp* loaded = nullptr;     ///< by whom last
        const warp* multiplied = nullptr; ///< whose product read it last
        // When a product or copy was done with it or a store waited for; a load waited for; a product had read it.
        std::uint32_t written = 0, read = 0, core_read = 0;
        // Clocks of those accesses: the tensor core's or a warp's.
        std::uint32_t written_clock = 0, core_read_clock = 0;
    };
    struct allocation
    {
        int column, count;
    };

    std::vector<word> words; ///< [lane][column]; empty before the first allocation
    /// Clocks of the last load of each warp that reaches the lane, the block's warps lane / 32, lane / 32 + 4, ...:
    /// [lane][column][warp / 4].
    std::vector<std::uint32_t> load_clocks;
    int warps_of_a_lane = 0;
    std::vector<allocation> allocations;
    int least = 0; ///< columns of the smallest allocation
    bool relinquished = false;
    int group = 0; ///< the .cta_group in use

    word& at(int lane, int column) { return words[static_cast<std::size_t>(lane * columns + column)]; }
    std::uint32_t* loads_of(int lane, int column)
    {
        return load_clocks.data() + static_cast<std::size_t>((lane * columns + column) * warps_of_a_lane);
    }
    bool holds(int column, int count) const
    {
        for (const allocation& a : allocations)
            if (column >= a.column && column + count <= a.column + a.count)
                return true;
        return false;
    }
};

/// Operations that one thread has given the tensor core, in order. A copy may overtake products: 9.7.16.6.2 does not
/// order them.
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
