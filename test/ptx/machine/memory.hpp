#pragma once

// Memory that knows of each byte whether it holds a value. PTX ISA: "State Spaces", "Generic Addressing", "Proxies".

#include "program.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ptx {

/// Why a byte holds no value.
enum class byte_state : std::uint8_t {
    valid,
    unwritten,
    in_flight, ///< an asynchronous copy writes it at some time to come
    poison,    ///< stored from a register without a value
    barrier,   ///< part of an mbarrier object
};
const char* describe(byte_state state);

/// Known progress of each warp of a cluster: element i is how far warp i had come when it was last heard of. A warp
/// knows of accesses at or before that.
using warp_clock = std::vector<std::uint32_t>;

/// Clocks of accesses to shared memory, and of those to tensor memory, which relaxed arrivals hand on too (9.7.16.6.4). The
/// latter has behind those of the warps one for the tensor core's work for each warp.
struct knowledge
{
    warp_clock shared, tensor;
};

/// Which warps touched each byte of shared memory, and when: numbers of their own clocks; 0: never.
struct race_record
{
    std::vector<std::uint32_t> written_at; ///< [byte], by the last writer
    std::vector<std::uint16_t> written_by; ///< [byte]
    std::vector<std::uint32_t> read_at;    ///< [warp][byte]
    // Strong accesses (atomics; relaxed, acquire, release, volatile), which do not race with each other: [warp][byte], empty
    // before the first.
    std::vector<std::uint32_t> strongly_written_at, strongly_read_at;
    std::map<std::uint64_t, knowledge> released; ///< by byte: what a release there has handed on
};

/// A piece of memory without gaps.
struct region
{
    std::string name;
    std::uint64_t base = 0;
    bool writable = true;
    std::vector<std::uint8_t> bytes;
    std::vector<byte_state> states;
    // Shared memory: when and by which thread of the block the generic proxy last wrote; 0: it is no generic write that
    // the async proxy could miss.
    std::vector<std::uint32_t> generic_time;
    std::vector<std::uint16_t> generic_thread;
    race_record accesses; ///< shared memory

    region(std::string name, std::uint64_t base, std::size_t size, bool shared = false)
        : name(std::move(name)), base(base), bytes(size), states(size, byte_state::unwritten),
          generic_time(shared ? size : 0), generic_thread(shared ? size : 0)
    {}
    bool holds(std::uint64_t offset, std::uint64_t size) const
    {
        return offset <= bytes.size() && size <= bytes.size() - offset;
    }
};

/// Windows of generic addresses. The bits that tell them apart are the machine's own choice.
namespace window {
inline constexpr std::uint64_t shared = std::uint64_t{1} << 40;
inline constexpr std::uint64_t local = std::uint64_t{2} << 40;
inline constexpr std::uint64_t parameter = std::uint64_t{3} << 40;
inline constexpr std::uint64_t global = std::uint64_t{16} << 40;
inline constexpr std::uint64_t mask = ~((std::uint64_t{1} << 40) - 1);
/// A shared address has the block's rank in the cluster from this bit on, also one of the own block. The document leaves
/// that open; CUTLASS clears the bit to name the first block of a pair.
inline constexpr int rank_bit = 24;
/// Shared memory begins here, so that 0 is no address of a variable.
inline constexpr std::uint64_t shared_base = 1024;
} // namespace window

/// Global memory: buffers with gaps that belong to nobody.
class global_memory
{
public:
    /// Null data: nothing is written yet.
    std::uint64_t add(const std::string& name, const std::uint8_t* data, std::size_t size, bool writable);
    /// Takes a buffer away, by the address of its first byte; no later buffer gets that address.
    void remove(std::uint64_t address);
    /// Errors: fault, where the bytes are not all within one buffer.
    region& find(std::uint64_t address, std::uint64_t size);
    const std::vector<std::unique_ptr<region>>& all() const { return regions_; }

private:
    std::vector<std::unique_ptr<region>> regions_;
    std::uint64_t end_ = window::global;
    region* last_ = nullptr;
};

/// State spaces that an address can be in. PTX ISA: "State Spaces".
enum class state_space : std::uint8_t { generic, global, shared_of_block, shared_of_cluster, local, parameter };

/// One place of memory, resolved.
struct place
{
    region* where = nullptr;
    std::uint64_t offset = 0;
};

std::string hex(std::uint64_t value);

} // namespace ptx
