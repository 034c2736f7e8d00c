#pragma once

// From statements to instructions. Each family of opcodes has a file of its own, which adds its decoders to the table;
// a decoder takes every modifier it knows, and one that is left over is an error.

#include "state.hpp"
#include "values.hpp"

#include <initializer_list>
#include <unordered_map>

namespace ptx {

/// A register or a constant, the same for reading.
struct source
{
    int reg = -1;
    std::array<std::uint64_t, lanes> constant{};

    const std::uint64_t* values(warp& w) const { return reg >= 0 ? w.value(reg) : constant.data(); }
    const std::uint8_t* poison(warp& w) const
    {
        static constexpr std::uint8_t none[lanes]{};
        return reg >= 0 ? w.poisoned(reg) : none;
    }
    /// The value where it must be one: an address, a count, a predicate.
    std::uint64_t checked(warp& w, int lane, const char* what) const
    {
        if (reg >= 0 && w.poisoned(reg)[lane] != 0)
            throw fault(std::string(what) + " has no value in lane " + std::to_string(lane));
        return values(w)[lane];
    }
};

/// A predicate operand: p or !p.
struct predicate
{
    source from;
    bool negated = false;

    bool of(warp& w, int lane, const char* what) const { return (from.checked(w, lane, what) & 1) != negated; }
};

/// A register to write; none for _.
struct destination
{
    int reg = -1;
    int bits = 64;

    void write(warp& w, int lane, std::uint64_t value, std::uint8_t poison = 0) const
    {
        if (reg < 0)
            return;
        w.value(reg)[lane] = bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
        w.poisoned(reg)[lane] = poison & static_cast<std::uint8_t>((1u << ((bits + 7) / 8)) - 1);
    }
};

/// Poison of every byte of a value, where any byte of what it was computed from is.
constexpr std::uint8_t spread(unsigned poison) { return poison != 0 ? 0xff : 0; }

/// An address operand: [base + offset] in a state space.
struct address
{
    source base;
    std::int64_t offset = 0;
    state_space space = state_space::generic;

    std::uint64_t of(warp& w, int lane) const
    {
        return base.checked(w, lane, "the address") + static_cast<std::uint64_t>(offset);
    }
    place resolve(warp& w, int lane, std::uint64_t size) const
    {
        return w.in().resolve(w, lane, space, of(w, lane), size);
    }
};

class decoder
{
public:
    using symbols = std::map<std::string, std::pair<std::string, std::uint64_t>>; ///< space and address by name

    decoder(machine& m, const statement& s, int register_base, const symbols& names, instruction& into)
        : m_(m), s_(s), base_(register_base), names_(names), into_(into), taken_(s.modifiers.size())
    {}

    machine& in() const { return m_; }
    instruction& result() const { return into_; }
    const statement& what() const { return s_; }
    std::size_t operands() const { return s_.operands.size(); }
    const operand& at(std::size_t i) const;

    /// Whether the statement has the modifier, which is then known.
    bool take(const std::string& modifier);
    /// Whether it has it, taken or not.
    bool has(const std::string& modifier) const;
    /// The one of these that it has; the first of the list, or "", where it has none.
    std::string take_one(std::initializer_list<const char*> modifiers, const std::string& otherwise = "");
    /// The last modifiers that are types, from the left.
    std::string take_type();
    /// The rightmost modifier not taken yet.
    std::string take_last();
    /// The state space, with its ::sub-qualifier written out.
    std::string take_space(const std::string& otherwise);
    /// Hints about caches: they change no result.
    void take_cache_hints();
    void finish() const;

    source from(std::size_t i, int bits = 64) { return from(at(i), bits); }
    predicate test(std::size_t i);
    source from(const operand& o, int bits = 64);
    destination to(std::size_t i) { return to(at(i)); }
    destination to(const operand& o);
    address memory(std::size_t i, const std::string& space) { return memory(at(i), space); }
    address memory(const operand& o, const std::string& space);
    /// The registers of {a, b, ...}, or of a single one.
    std::vector<source> list_from(std::size_t i, int bits = 64);
    std::vector<destination> list_to(std::size_t i);
    std::int64_t constant(std::size_t i) const;

private:
    /// The register of an address of the own shared memory.
    int shared_register(std::uint64_t address);

    machine& m_;
    const statement& s_;
    int base_;
    const symbols& names_;
    instruction& into_;
    std::vector<bool> taken_;
};

using decode = action (*)(decoder&);
using decoder_table = std::unordered_map<std::string, decode>;

void add_arithmetic(decoder_table& table);
void add_carries(decoder_table& table);
void add_functions(decoder_table& table);
void add_logic(decoder_table& table);
void add_comparison(decoder_table& table);
void add_conversion(decoder_table& table);
void add_memory(decoder_table& table);
void add_atomics(decoder_table& table);
void add_exchange(decoder_table& table);
void add_barriers(decoder_table& table);
void add_mbarriers(decoder_table& table);
void add_copies(decoder_table& table);
void add_matrix(decoder_table& table);
void add_wgmma(decoder_table& table);
void add_tensor_core(decoder_table& table);
void add_tensor_map_changes(decoder_table& table);
void add_launch_control(decoder_table& table);

/// The code of a kernel with the functions it calls, and what it needs of registers and memory.
void assemble(machine& m, const function& kernel);
/// Makes the cluster of that number resident.
void start_cluster(machine& m, std::uint32_t id);

// Helpers of several families.

/// Reads bytes, with a poison bit a byte; size up to 8.
std::uint64_t read_bytes(warp& w, const place& at, int size, std::uint8_t& poison);
/// A generic write by a lane.
void write_bytes(warp& w, int lane, const place& at, int size, std::uint64_t value, std::uint8_t poison);
/// Writes by the async proxy, or by cp.async.
void write_async(const place& at, std::uint64_t size, const std::uint8_t* bytes, const byte_state* states);
void check_alignment(std::uint64_t address, std::uint64_t size);
/// Faults where the async proxy would not see what the generic proxy wrote.
void check_proxy(const block& b, std::uint64_t offset, std::uint64_t size, const char* reader);
void check_writable(const place& at);

// Races of warps through shared memory (races.cpp): two accesses, one of them a write, that no barrier or mbarrier orders.

void note_read(warp& w, const place& at, std::uint64_t size);
/// `same`: the bytes hold already what is written.
void note_write(warp& w, const place& at, std::uint64_t size, bool same = false);
/// The warp hands on what it knows and has done; relaxed: of tensor memory alone.
void hand_over(warp& w, knowledge& to, bool relaxed = false);
/// The tensor core hands on what it has done for the warp.
void hand_over_core(warp& w, knowledge& to);
/// The one knows from now on what was handed over there.
void learn(knowledge& known, const knowledge& from, bool relaxed = false);

/// How an access is ordered. PTX ISA: "Memory Consistency Model: Morally strong operations", "Release and Acquire Patterns".
/// Scopes are not told apart.
struct access_order
{
    bool strong = false, acquires = false, releases = false;
};
/// Takes ".weak", ".relaxed", ".acquire" and so on with their scope; `otherwise`: what it is without one.
access_order take_access_order(decoder& d, const std::string& otherwise);
/// In front of a strong access: what it acquires and releases at that place of shared memory.
void order_access(warp& w, const access_order& order, const place& at, bool reads, bool writes);
/// "fence.acq_rel", "fence.sc", "membar": releases with the strong writes behind it, acquires with the reads before it.
void order_by_fence(warp& w, bool acquires, bool releases);

/// An mbarrier object of a block of the cluster.
struct mbarrier_place
{
    block* of;
    std::uint64_t offset;

    mbarrier_object& object() const;
};
mbarrier_place find_mbarrier(warp& w, int lane, const address& at);
/// By a copy of that warp.
void complete_transactions(warp& w, const mbarrier_place& at, std::int64_t bytes);
void arrive(warp& w, const mbarrier_place& at, std::uint32_t count, bool relaxed = false);
/// Faults where the asynchronous copy may not see the initialised object.
void check_initialised(const warp& w, const mbarrier_place& at);

/// The high half of a response of clusterlaunchcontrol.try_cancel.
inline constexpr std::uint64_t response_mark = 0x65736e6f70736572;
/// Its bytes on their way to these blocks, like a bulk copy's.
void start_response(warp& w, int lane, std::uint64_t to, const std::vector<std::uint8_t>& bytes,
                    const mbarrier_place& barrier, const std::vector<block*>& blocks);

action decode_store_async(decoder& d);
action decode_bulk_copy(decoder& d, bool reduce);
action decode_bulk_group(decoder& d);

} // namespace ptx
