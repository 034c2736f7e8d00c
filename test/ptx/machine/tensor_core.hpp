#pragma once

// Common parts of the families of tcgen05: groups of blocks, order of accesses to tensor memory, tensor-core pipes.

#include "shared_matrix.hpp"

#include <bitset>

namespace ptx {

struct tensor_place
{
    int lane, column;
};
inline tensor_place place_of(std::uint64_t address)
{
    return {static_cast<int>(address >> 16 & 0xffff), static_cast<int>(address & 0xffff)};
}

/// The blocks whose work an instruction is: the own one, or the pair. `collective`: both of the pair execute it, and the one
/// that did may have ended.
std::vector<block*> blocks_of(warp& w, int group, bool collective = false);
int take_group(decoder& d);

/// The name of a word in reports.
std::string name_of(int lane, int column);
/// A number that must be the same in all lanes.
std::uint64_t uniform(warp& w, lane_mask mask, const source& s, const char* what);

/// Before a warp, or what it has the tensor core do, reads or writes a word that others have written.
void check_writer(const warp& w, const tensor_memory::word& x, int lane, int column, const char* who);
/// Before it writes one that others have read; `ordered`: behind products of the same thread.
void check_reader(const warp& w, block& of, int lane, int column, const char* who, bool ordered);
void check_allocated(tensor_memory& t, int column, int count, const char* who);

using tensor_lanes = std::bitset<tensor_memory::lanes>;

/// A region of words in the tensor memory of each block of a group.
struct words_of_group
{
    std::vector<block*> blocks;
    int column, count;
    tensor_lanes lanes = ~tensor_lanes{};

    template <class F>
    void each(const F& f) const
    {
        for (block* b : blocks)
            for (int lane = 0; lane < tensor_memory::lanes; ++lane)
                for (int c = column; lanes[static_cast<std::size_t>(lane)] && c < column + count; ++c)
                    f(*b, lane, c);
    }
};

/// The words become an operation's to write; `ordered`: behind products of the same thread without a wait.
void claim_written(const warp& w, const words_of_group& words, const char* who, bool ordered);
/// Gives the tensor core an operation of a thread.
void issue(warp& w, int lane, tensor_pipe::operation o);
/// "Shared memory descriptor", table 40.
matrix_place read_place(std::uint64_t descriptor);

/// "tcgen05.alloc", "tcgen05.dealloc", "tcgen05.relinquish_alloc_permit".
action allocate(decoder& d);
action deallocate(decoder& d);
action relinquish(decoder& d);
/// "tcgen05.ld", "tcgen05.st", "tcgen05.wait".
action load_tensor_memory(decoder& d);
action store_tensor_memory(decoder& d);
action wait_for_tensor_memory(decoder& d);
/// "tcgen05.mma".
action decode_tensor_product(decoder& d);

} // namespace ptx
