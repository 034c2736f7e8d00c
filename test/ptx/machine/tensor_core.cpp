// PTX ISA 9.0: 9.7.16 "TensorCore 5th Generation Family Instructions": tcgen05.alloc, dealloc, relinquish_alloc_permit
// (9.7.16.7.1), ld, st, wait (9.7.16.8), cp (9.7.16.9), mma (9.7.16.10), commit (9.7.16.12), fence (9.7.16.11); instruction
// and matrix descriptors (9.7.16.4); data paths A and D (9.7.16.10.5).
//
// Products and copies take effect when the machine's policy says. Words of tensor memory that they are to write or read are
// nobody else's from their issue on; what a thread does with words behind another's work counts from its last
// fence::after_thread_sync, and loads and stores for others from fence::before_thread_sync.

#include "shared_matrix.hpp"

#include <optional>

namespace ptx {

namespace {

using word = tensor_memory::word;

struct tensor_place
{
    int lane, column;
};
tensor_place place_of(std::uint64_t address)
{
    return {static_cast<int>(address >> 16 & 0xffff), static_cast<int>(address & 0xffff)};
}

std::string name_of(int lane, int column)
{
    return "tensor memory lane " + std::to_string(lane) + ", column " + std::to_string(column);
}

/// The blocks whose work an instruction is: the own one, or the pair.
std::vector<block*> blocks_of(warp& w, int group)
{
    tensor_memory& t = w.of->tensors;
    if (t.group == 0)
        t.group = group;
    if (t.group != group)
        throw fault("cta_group::" + std::to_string(group) +
                    " in a kernel that uses cta_group::" + std::to_string(t.group));
    if (group == 1)
        return {w.of};
    auto& all = w.of->of->blocks;
    const auto first = static_cast<std::size_t>(w.of->rank & ~1);
    if (first + 1 >= all.size())
        throw fault("cta_group::2 in a block without a peer");
    for (const std::size_t rank : {first, first + 1})
        if (all[rank]->running == 0)
            throw fault("cta_group::2 when block " + std::to_string(rank) + " of the cluster has ended");
    return {all[first].get(), all[first + 1].get()};
}

int take_group(decoder& d)
{
    if (d.take("cta_group::1"))
        return 1;
    if (d.take("cta_group::2"))
        return 2;
    throw fault(d.what().text() + ": .cta_group is missing");
}

std::uint64_t uniform(warp& w, lane_mask mask, const source& s, const char* what)
{
    std::optional<std::uint64_t> first;
    each_lane(mask, [&](int lane) {
        const std::uint64_t x = s.checked(w, lane, what);
        if (first.value_or(x) != x)
            throw fault(std::string(what) + " is not the same in all lanes");
        first = x;
    });
    return *first;
}

// Allocation

action allocate(decoder& d)
{
    const int group = take_group(d);
    d.take("sync");
    d.result().aligned = d.take("aligned");
    const address to = d.memory(0, d.take_space("shared::cta"));
    d.take("b32");
    const source count = d.from(1, 32);
    return [=](warp& w, lane_mask mask) {
        blocks_of(w, group);
        tensor_memory& t = w.of->tensors;
        const int columns = static_cast<int>(uniform(w, mask, count, "the columns of an allocation"));
        if (columns < 32 || columns > tensor_memory::columns || (columns & (columns - 1)) != 0)
            throw fault("tcgen05.alloc of " + std::to_string(columns) + " columns");
        if (t.relinquished)
            throw fault("tcgen05.alloc behind relinquish_alloc_permit");
        if (t.least != 0 && columns > t.least)
            throw fault("tcgen05.alloc of more columns than an allocation before");
        t.words.resize(std::size_t{tensor_memory::lanes} * tensor_memory::columns);
        // Where is left open; both blocks of a pair find the same place.
        const int places = tensor_memory::columns / columns;
        const auto first = static_cast<int>((w.in().options.seed + w.of->of->id) % static_cast<unsigned>(places));
        for (int i = 0; i < places; ++i) {
            const int column = (first + i) % places * columns;
            bool free = true;
            for (const auto& a : t.allocations)
                free = free && (a.column + a.count <= column || column + columns <= a.column);
            if (!free)
                continue;
            t.allocations.push_back({column, columns});
            t.least = columns;
            for (int lane = 0; lane < tensor_memory::lanes; ++lane)
                for (int c = column; c < column + columns; ++c)
                    t.at(lane, c) = {};
            const int leader = __builtin_ctz(mask);
            write_bytes(w, leader, to.resolve(w, leader, 4), 4, static_cast<std::uint64_t>(column), 0);
            ++w.in().progress;
            return outcome::next;
        }
        return outcome::retry;
    };
}

action deallocate(decoder& d)
{
    const int group = take_group(d);
    d.take("sync");
    d.result().aligned = d.take("aligned");
    d.take("b32");
    const source at = d.from(0, 32), count = d.from(1, 32);
    return [=](warp& w, lane_mask mask) {
        blocks_of(w, group);
        tensor_memory& t = w.of->tensors;
        const tensor_place p = place_of(uniform(w, mask, at, "the address of an allocation"));
        const auto columns = static_cast<int>(uniform(w, mask, count, "the columns of an allocation"));
        const auto found = std::find_if(t.allocations.begin(), t.allocations.end(),
                                        [&](const auto& a) { return a.column == p.column && a.count == columns; });
        if (p.lane != 0 || found == t.allocations.end())
            throw fault("tcgen05.dealloc of " + std::to_string(columns) + " columns at " + std::to_string(p.column) +
                        ", which were not allocated so");
        for (int lane = 0; lane < tensor_memory::lanes; ++lane)
            for (int c = p.column; c < p.column + columns; ++c)
                if (const word& x = t.at(lane, c); x.writers != 0 || x.readers != 0 || x.storing)
                    throw fault("tcgen05.dealloc of " + name_of(lane, c) + ", which is still in use");
        t.allocations.erase(found);
        ++w.in().progress;
        return outcome::next;
    };
}

action relinquish(decoder& d)
{
    const int group = take_group(d);
    d.take("sync");
    d.result().aligned = d.take("aligned");
    return [=](warp& w, lane_mask) {
        blocks_of(w, group);
        w.of->tensors.relinquished = true;
        return outcome::next;
    };
}

// Order

/// Before a warp, or what it has the tensor core do, reads or writes a word that others have written.
void check_writer(const warp& w, const word& x, int lane, int column, const char* who)
{
    if (x.writers != 0 || x.storing)
        throw fault(std::string(who) + " at " + name_of(lane, column) + ", which " +
                    (x.storing ? "a tcgen05.st without its wait" : "a tcgen05.mma or cp") + " is still writing");
    if (x.stored == &w || x.written == 0)
        return;
    if (x.stored != nullptr && x.stored->tensor_before < x.written)
        throw fault(std::string(who) + " at " + name_of(lane, column) +
                    ", behind a tcgen05.st without fence::before_thread_sync");
    if (w.tensor_after < x.written)
        throw fault(std::string(who) + " at " + name_of(lane, column) +
                    ", which others wrote, without fence::after_thread_sync");
}
/// Before it writes one that others have read.
void check_reader(const warp& w, const word& x, int lane, int column, const char* who)
{
    if (x.readers != 0 || w.tensor_after < x.core_read)
        throw fault(std::string(who) + " at " + name_of(lane, column) +
                    (x.readers != 0 ? ", which is still being read"
                                    : ", which a tcgen05.mma read, without fence::after_thread_sync"));
    if (x.loaded == nullptr || x.loaded == &w)
        return;
    if (x.loaded->tensor_before < x.read)
        throw fault(std::string(who) + " at " + name_of(lane, column) +
                    ", behind a tcgen05.ld without fence::before_thread_sync");
    if (w.tensor_after < x.read)
        throw fault(std::string(who) + " at " + name_of(lane, column) +
                    ", which others loaded, without fence::after_thread_sync");
}

void check_allocated(tensor_memory& t, int column, int count, const char* who)
{
    if (!t.holds(column, count))
        throw fault(std::string(who) + " of tensor memory columns " + std::to_string(column) + " to " +
                    std::to_string(column + count - 1) + ", which are not allocated");
}

action fence(decoder& d)
{
    const bool before = d.take("fence::before_thread_sync");
    if (!before)
        d.take("fence::after_thread_sync");
    return [=](warp& w, lane_mask) {
        (before ? w.tensor_before : w.tensor_after) = w.in().time;
        return outcome::next;
    };
}

// ld and st

/// Where register i of a thread is, relative to the address (9.7.16.8.1, figures of the shapes).
struct access_shape
{
    std::string name;
    int lanes = 32, registers = 1; ///< of .x1
    tensor_place place(int t, int i) const
    {
        if (name == "16x64b")
            return {t / 4 + 8 * (t % 2), t / 2 % 2 + 2 * i};
        if (name == "16x128b")
            return {t / 4 + 8 * (i % 2), t % 4 + 4 * (i / 2)};
        if (name == "16x256b")
            return {t / 4 + 8 * (i / 2 % 2), 2 * (t % 4) + i % 2 + 8 * (i / 4)};
        return {t, i};
    }
};

access_shape take_access_shape(decoder& d)
{
    const std::string name = d.take_one({"32x32b", "16x64b", "16x128b", "16x256b"});
    if (name.empty())
        throw fault(d.what().text() + ": this shape is not in the machine");
    const std::string count = d.take_one({"x1", "x2", "x4", "x8", "x16", "x32", "x64", "x128"});
    access_shape s{name, name == "32x32b" ? 32 : 16, name == "16x256b" ? 4 : name == "16x128b" ? 2 : 1};
    s.registers *= std::stoi(count.substr(1));
    return s;
}

/// f(lane of the warp, register, lane, column) for all words of an access of warp w.
template <class F>
void each_word(warp& w, const access_shape& shape, std::uint64_t address, const F& f)
{
    const tensor_place first = place_of(address);
    const int slab = w.index % 4 * 32;
    if (first.lane < slab || first.lane + shape.lanes > slab + 32 || first.lane % 16 != 0)
        throw fault("warp " + std::to_string(w.index) + " accesses tensor memory from lane " +
                    std::to_string(first.lane) + " on; it reaches lanes " + std::to_string(slab) + " to " +
                    std::to_string(slab + 31));
    for (int t = 0; t < lanes; ++t)
        for (int i = 0; i < shape.registers; ++i) {
            const tensor_place p = shape.place(t, i);
            f(t, i, first.lane + p.lane, first.column + p.column);
        }
}

action load(decoder& d)
{
    d.take("sync");
    d.result().aligned = d.take("aligned");
    const access_shape shape = take_access_shape(d);
    d.take("b32");
    const std::vector<destination> to = d.list_to(0);
    const address at = d.memory(1, "");
    if (static_cast<int>(to.size()) != shape.registers)
        throw fault(d.what().text() + ": another number of registers");
    return [=](warp& w, lane_mask) {
        const std::uint64_t address =
            uniform(w, all_lanes, at.base, "the address") + static_cast<std::uint64_t>(at.offset);
        tensor_memory& t = w.of->tensors;
        each_word(w, shape, address, [&](int lane, int i, int row, int column) {
            check_allocated(t, column, 1, "tcgen05.ld");
            word& x = t.at(row, column);
            check_writer(w, x, row, column, "tcgen05.ld");
            ++x.readers;
            to[static_cast<std::size_t>(i)].write(w, lane, 0xdededede, 0xff);
        });
        w.tensor_loads.emplace_back([=, &t](warp& own) {
            each_word(own, shape, address, [&](int lane, int i, int row, int column) {
                word& x = t.at(row, column);
                --x.readers;
                x.read = own.in().time;
                x.loaded = &own;
                to[static_cast<std::size_t>(i)].write(own, lane, x.value, x.valid ? 0 : 0xff);
            });
        });
        return outcome::next;
    };
}

action store(decoder& d)
{
    d.take("sync");
    d.result().aligned = d.take("aligned");
    const access_shape shape = take_access_shape(d);
    d.take("b32");
    const address at = d.memory(0, "");
    const std::vector<source> from = d.list_from(1, 32);
    if (static_cast<int>(from.size()) != shape.registers)
        throw fault(d.what().text() + ": another number of registers");
    return [=](warp& w, lane_mask) {
        const std::uint64_t address =
            uniform(w, all_lanes, at.base, "the address") + static_cast<std::uint64_t>(at.offset);
        tensor_memory& t = w.of->tensors;
        each_word(w, shape, address, [&](int lane, int i, int row, int column) {
            check_allocated(t, column, 1, "tcgen05.st");
            word& x = t.at(row, column);
            check_writer(w, x, row, column, "tcgen05.st");
            check_reader(w, x, row, column, "tcgen05.st");
            const source& s = from[static_cast<std::size_t>(i)];
            x.value = static_cast<std::uint32_t>(s.values(w)[lane]);
            x.valid = s.poison(w)[lane] == 0;
            x.storing = true;
        });
        w.tensor_stores.emplace_back([=, &t](warp& own) {
            each_word(own, shape, address, [&](int, int, int row, int column) {
                word& x = t.at(row, column);
                x.storing = false;
                x.core = nullptr;
                x.written = own.in().time;
                x.stored = &own;
            });
        });
        return outcome::next;
    };
}

action wait(decoder& d)
{
    const bool loads = d.take("wait::ld");
    if (!loads)
        d.take("wait::st");
    d.take("sync");
    d.result().aligned = d.take("aligned");
    return [=](warp& w, lane_mask) {
        auto& list = loads ? w.tensor_loads : w.tensor_stores;
        for (const auto& complete : list)
            complete(w);
        list.clear();
        ++w.in().progress;
        return outcome::next;
    };
}

// Products, copies, commits

tensor_pipe& pipe_of(warp& w, int lane)
{
    for (tensor_pipe& p : w.in().pipes)
        if (p.of == &w && p.lane == lane)
            return p;
    return w.in().pipes.emplace_back(tensor_pipe{&w, lane, {}});
}
void issue(warp& w, int lane, tensor_pipe::operation o)
{
    tensor_pipe& pipe = pipe_of(w, lane);
    pipe.operations.push_back(std::move(o));
    if (w.in().when == completion::early)
        while (w.in().work_tensor_core(pipe)) {
        }
}

/// "Shared memory descriptor", table 40.
matrix_place read_place(std::uint64_t x)
{
    static constexpr int modes[8] = {0, -1, 1, -1, 2, -1, 3, -1}; // none; 128, 64, 32 bytes
    const int mode = modes[x >> 61];
    if ((x >> 46 & 7) != 1 || mode < 0 || (x >> 49 & 15) != 0)
        throw fault("a shared memory descriptor " + hex(x) + " that is not in the machine");
    return {(x & 0x3fff) << 4, (x >> 16 & 0x3fff) << 4, (x >> 32 & 0x3fff) << 4, mode};
}

/// A region of words in the tensor memory of each block of a group.
struct words_of_group
{
    std::vector<block*> blocks;
    int column, count;

    template <class F>
    void each(const F& f) const
    {
        for (block* b : blocks)
            for (int lane = 0; lane < tensor_memory::lanes; ++lane)
                for (int c = column; c < column + count; ++c)
                    f(b->tensors.at(lane, c), lane, c);
    }
};

void claim_written(const warp& w, const words_of_group& words, const char* who, bool ordered)
{
    for (block* b : words.blocks)
        check_allocated(b->tensors, words.column, words.count, who);
    words.each([&](word& x, int lane, int c) {
        if (!ordered || (x.writers == 0 && x.core != &w)) // products on the same accumulators are in order
            check_writer(w, x, lane, c, who);
        check_reader(w, x, lane, c, who);
        ++x.writers;
    });
}

struct element_type
{
    std::string name;
    int bits = 8; ///< a place of so many bits; narrower elements fill 16 bytes by 16 from the start
    double (*decode)(std::uint32_t) = nullptr;
};
element_type small_type(int code)
{
    const auto from = [](const char* name, int bits, auto f) { return element_type{name, bits, f}; };
    static constexpr float_format e2m3{2, 3, float_format::special::none}, e3m2{3, 2, float_format::special::none},
        e2m1{2, 1, float_format::special::none};
    switch (code) {
    case 0:
        return from("e4m3", 8, [](std::uint32_t x) { return decode_float(x, format_e4m3); });
    case 1:
        return from("e5m2", 8, [](std::uint32_t x) { return decode_float(x, format_e5m2); });
    case 3:
        return from("e2m3", 6, [](std::uint32_t x) { return decode_float(x, e2m3); });
    case 4:
        return from("e3m2", 6, [](std::uint32_t x) { return decode_float(x, e3m2); });
    case 5:
        return from("e2m1", 4, [](std::uint32_t x) { return decode_float(x, e2m1); });
    default:
        throw fault("an instruction descriptor with element type " + std::to_string(code));
    }
}
element_type type_of(const std::string& kind, int code)
{
    if (kind == "f16" && code < 2)
        return code == 0 ? element_type{"f16", 16, [](std::uint32_t x) { return decode_float(x, format_f16); }}
                         : element_type{"bf16", 16, [](std::uint32_t x) { return decode_float(x, format_bf16); }};
    if (kind == "tf32" && code == 2)
        return {"tf32", 32, [](std::uint32_t x) { return static_cast<double>(as_float(x & 0xffffe000)); }};
    if (kind == "i8" && code < 2)
        return code == 0 ? element_type{"u8", 8, [](std::uint32_t x) { return static_cast<double>(x); }}
                         : element_type{"s8", 8, [](std::uint32_t x) {
                                            return static_cast<double>(static_cast<std::int8_t>(x));
                                        }};
    if (kind == "f8f6f4" || kind == "mxf8f6f4")
        return small_type(code);
    if ((kind == "mxf4" || kind == "mxf4nvf4") && code == 1)
        return small_type(5);
    throw fault("kind::" + kind + " with element type " + std::to_string(code) + " in the instruction descriptor");
}

/// "Instruction descriptor", tables 42 to 44.
struct product
{
    std::string kind;
    int group = 1, m = 0, n = 0, k = 0, block = 0; ///< block: elements along k of a scale, or 0
    int a_scale = 0, b_scale = 0;
    bool power_scales = false, a_k_major = true, b_k_major = true, accumulate = false;
    int result = 1;
    double sign_a = 1, sign_b = 1;
    element_type a, b;
    tensor_place d{}, sfa{}, sfb{};
    std::uint64_t a_bits = 0, b_bits = 0;

    bool packed() const { return kind == "mxf4" || kind == "mxf4nvf4"; }
    int place_bits() const { return packed() ? 4 : a.bits > 8 ? a.bits : 8; }

    void read_descriptor(std::uint32_t x)
    {
        if ((x & 7) != 0 || (x >> 31) != 0)
            throw fault("an instruction descriptor " + hex(x) + " with sparsity or another k");
        a = type_of(kind, static_cast<int>(x >> 7 & 7));
        b = type_of(kind, static_cast<int>(x >> 10 & 7));
        sign_a = x >> 13 & 1 ? -1 : 1;
        sign_b = x >> 14 & 1 ? -1 : 1;
        a_k_major = (x >> 15 & 1) == 0;
        b_k_major = (x >> 16 & 1) == 0;
        n = static_cast<int>(x >> 17 & 63) * 8;
        if (block > 0) {
            m = static_cast<int>(x >> 27 & 3) * 128;
            a_scale = static_cast<int>(x >> 29 & 3);
            b_scale = static_cast<int>(x >> 4 & 3);
            power_scales = x >> 23 & 1;
        } else {
            m = static_cast<int>(x >> 24 & 31) * 16;
            result = static_cast<int>(x >> 4 & 3);
        }
        k = 256 / place_bits();
        if (m != 128 * group || n < 16 || n > 256 || n % 16 != 0)
            throw fault("tcgen05.mma of " + std::to_string(m) + " rows and " + std::to_string(n) +
                        " columns is not in the machine");
        if ((kind == "i8") != (result == 2) || (result == 0 && kind == "tf32") || result == 3)
            throw fault("an instruction descriptor whose result is no type of its kind");
        if (block > 0 && k / block > 1 && (a_scale % (k / block) != 0 || b_scale % (k / block) != 0))
            throw fault("an instruction descriptor whose scales are not at a multiple of their number");
    }

    shared_matrix operand(ptx::block& of, bool is_b) const
    {
        const int bits = packed() ? 8 : place_bits();
        return locate_matrix(of, read_place(is_b ? b_bits : a_bits), is_b ? n / group : 128, 256 / bits, bits,
                             is_b ? b_k_major : a_k_major);
    }

    /// [rows][k], and whether a row has an element without a value.
    void read(warp& w, const shared_matrix& x, const element_type& type, int rows, std::vector<double>& values,
              std::vector<char>& poisoned) const
    {
        values.assign(static_cast<std::size_t>(rows * k), 0);
        poisoned.assign(static_cast<std::size_t>(rows), 0);
        for (const std::uint32_t chunk : x.chunks)
            note_read(w, {x.memory, chunk}, 16);
        for (int r = 0; r < rows; ++r)
            for (int l = 0; l < k; ++l) {
                const int in_chunk = packed() ? 32 : x.per_chunk;
                const auto [chunk, first] = packed() ? x.find(r, l / 2) : x.find(r, l);
                const int i = packed() ? l % in_chunk : first;
                const int bit = i * type.bits;
                std::uint32_t code = 0;
                for (int b8 = 0; b8 < (type.bits + 7 + bit % 8) / 8; ++b8) {
                    const std::size_t o = chunk + static_cast<std::size_t>(bit / 8 + b8);
                    code |= b8 < 4 ? std::uint32_t{x.memory->bytes[o]} << 8 * b8 : 0;
                    if (x.memory->states[o] == byte_state::in_flight)
                        throw fault("tcgen05.mma reads byte " + std::to_string(o) + " of shared memory, " +
                                    describe(byte_state::in_flight));
                    poisoned[static_cast<std::size_t>(r)] |= x.memory->states[o] != byte_state::valid;
                }
                code >>= bit % 8;
                if (type.bits < 32)
                    code &= (1u << type.bits) - 1;
                values[static_cast<std::size_t>(r * k + l)] = type.decode(code);
            }
    }

    /// Scale of row r for block s of the instruction: lane r % 32, column r / 32, a byte (9.7.16.10.7.2).
    double scale(tensor_memory& t, const tensor_place& at, int id, int r, int s, bool& valid) const
    {
        const word& x = t.at(r % 32, at.column + r / 32);
        valid = valid && x.valid;
        const std::uint32_t code = x.value >> 8 * (id + s) & 0xff;
        if (!power_scales)
            return decode_float(code & 0x7f, format_e4m3);
        return code == 0xff ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, static_cast<int>(code) - 127);
    }
    void apply_scales(tensor_memory& t, const tensor_place& at, int id, int first, std::vector<double>& values,
                      std::vector<char>& poisoned) const
    {
        if (block == 0)
            return;
        for (std::size_t r = 0; r < poisoned.size(); ++r)
            for (int s = 0; s < k / block; ++s) {
                bool valid = true;
                const double x = scale(t, at, id, first + static_cast<int>(r), s, valid);
                poisoned[r] |= !valid;
                for (int l = s * block; l < (s + 1) * block; ++l)
                    values[r * static_cast<std::size_t>(k) + static_cast<std::size_t>(l)] *= x;
            }
    }

    void run(warp& w, const std::vector<ptx::block*>& blocks) const
    {
        for (ptx::block* rows_of : blocks) {
            std::vector<double> ma, mb;
            std::vector<char> pa, pb;
            read(w, operand(*rows_of, false), a, 128, ma, pa);
            apply_scales(rows_of->tensors, sfa, a_scale, 0, ma, pa);
            for (std::size_t part = 0; part < blocks.size(); ++part) {
                const int first = static_cast<int>(part) * n / group;
                read(w, operand(*blocks[part], true), b, n / group, mb, pb);
                apply_scales(rows_of->tensors, sfb, b_scale, first, mb, pb);
                multiply(w, rows_of->tensors, first, ma, pa, mb, pb);
            }
        }
    }

    void multiply(warp& w, tensor_memory& t, int first, const std::vector<double>& ma, const std::vector<char>& pa,
                  const std::vector<double>& mb, const std::vector<char>& pb) const
    {
        for (int r = 0; r < 128; ++r)
            for (int j = 0; j < n / group; ++j) {
                word& x = t.at(r, d.column + first + j);
                double sum = 0;
                for (int l = 0; l < k; ++l)
                    sum += ma[static_cast<std::size_t>(r * k + l)] * mb[static_cast<std::size_t>(j * k + l)];
                sum *= sign_a * sign_b;
                const bool valid = !pa[static_cast<std::size_t>(r)] && !pb[static_cast<std::size_t>(j)];
                x.valid = valid && (!accumulate || x.valid);
                if (result == 2)
                    x.value = (accumulate ? x.value : 0) + static_cast<std::uint32_t>(static_cast<std::int64_t>(sum));
                else if (result == 1)
                    x.value = static_cast<std::uint32_t>(
                        bits_of(static_cast<float>(sum + (accumulate ? static_cast<double>(as_float(x.value)) : 0))));
                else
                    x.value =
                        encode_float(sum + (accumulate ? decode_float(x.value & 0xffff, format_f16) : 0), format_f16);
                --x.writers;
                x.written = w.in().time;
                x.stored = nullptr;
                x.core = &w;
            }
    }
};

action multiply(decoder& d)
{
    product p;
    p.group = take_group(d);
    for (const char* kind : {"f16", "tf32", "f8f6f4", "i8", "mxf8f6f4", "mxf4", "mxf4nvf4"})
        if (d.take(std::string("kind::") + kind))
            p.kind = kind;
    if (p.kind.empty())
        throw fault(d.what().text() + ": the kind is not in the machine");
    const bool scaled = d.take("block_scale");
    if (scaled)
        p.block = d.take_one({"block16", "block32"}, p.kind == "mxf4nvf4" ? "" : "block32") == "block16" ? 16 : 32;
    if (scaled != (p.kind[0] == 'm') || (p.block == 16 && p.kind != "mxf4nvf4"))
        throw fault(d.what().text() + ": the document has no such kind");
    const address to = d.memory(0, ""), sfa = scaled ? d.memory(4, "") : address{},
                  sfb = scaled ? d.memory(5, "") : address{};
    const source a = d.from(1), b = d.from(2), descriptor = d.from(3, 32);
    const predicate accumulate = d.test(scaled ? 6 : 4);
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            product x = p;
            const std::vector<block*> blocks = blocks_of(w, p.group);
            x.a_bits = a.checked(w, lane, "a matrix descriptor");
            x.b_bits = b.checked(w, lane, "a matrix descriptor");
            x.accumulate = accumulate.of(w, lane, "enable-input-d");
            x.read_descriptor(static_cast<std::uint32_t>(descriptor.checked(w, lane, "an instruction descriptor")));
            x.d = place_of(to.of(w, lane));
            if (x.d.lane != 0)
                throw fault("tcgen05.mma into tensor memory from lane " + std::to_string(x.d.lane) + " on");
            for (block* of : blocks)
                for (const bool is_b : {false, true})
                    check_arrived(w, x.operand(*of, is_b), "tcgen05.mma");
            std::vector<words_of_group> scales;
            if (scaled) {
                x.sfa = place_of(sfa.of(w, lane));
                x.sfb = place_of(sfb.of(w, lane));
                scales = {{blocks, x.sfa.column, 4}, {blocks, x.sfb.column, (x.n + 31) / 32}};
                for (const words_of_group& s : scales) {
                    for (block* of : blocks)
                        check_allocated(of->tensors, s.column, s.count, "the scales of a tcgen05.mma");
                    s.each([&](word& y, int row, int c) { // a tcgen05.cp before it is done first
                        if (y.writers == 0 && y.core != &w)
                            check_writer(w, y, row, c, "the scales of a tcgen05.mma");
                        ++y.readers;
                    });
                }
            }
            claim_written(w, {blocks, x.d.column, x.n}, "tcgen05.mma", true);
            issue(w, lane,
                  {[x, blocks, scales, &w] {
                       x.run(w, blocks);
                       for (const words_of_group& s : scales)
                           s.each([&w](word& y, int, int) {
                               --y.readers;
                               y.core_read = w.in().time;
                           });
                   },
                   false, false});
        });
        return outcome::next;
    };
}

action copy(decoder& d)
{
    const int group = take_group(d);
    const std::string shape = d.take_one({"32x128b", "128x128b", "128x256b"});
    if (shape.empty() || (shape == "32x128b") != d.take("warpx4"))
        throw fault(d.what().text() + ": this shape is not in the machine");
    const address to = d.memory(0, "");
    const source from = d.from(1);
    const int rows = shape == "32x128b" ? 32 : 128, columns = shape == "128x256b" ? 8 : 4;
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            const std::vector<block*> blocks = blocks_of(w, group);
            const matrix_place place = read_place(from.checked(w, lane, "a matrix descriptor"));
            const tensor_place at = place_of(to.of(w, lane));
            if (at.lane != 0)
                throw fault("tcgen05.cp to tensor memory from lane " + std::to_string(at.lane) + " on");
            const auto source_of = [=](block& b) { return locate_matrix(b, place, rows, columns * 4, 8, true); };
            for (block* b : blocks)
                check_arrived(w, source_of(*b), "tcgen05.cp");
            const words_of_group words{blocks, at.column, columns};
            claim_written(w, words, "tcgen05.cp", false);
            issue(w, lane,
                  {[=, &w] {
                       for (block* b : blocks) {
                           const shared_matrix x = source_of(*b);
                           for (int l = 0; l < tensor_memory::lanes; ++l)
                               for (int c = 0; c < columns; ++c) {
                                   const std::uint32_t chunk =
                                       x.find(l % rows, c * 4).first + static_cast<std::uint32_t>(c % 4 * 4);
                                   note_read(w, {x.memory, chunk}, 4);
                                   word& y = b->tensors.at(l, at.column + c);
                                   y.value = 0;
                                   y.valid = true;
                                   y.written = w.in().time;
                                   y.stored = nullptr;
                                   y.core = &w;
                                   for (std::uint32_t i = 0; i < 4; ++i) {
                                       y.value |= std::uint32_t{x.memory->bytes[chunk + i]} << 8 * i;
                                       if (x.memory->states[chunk + i] == byte_state::in_flight)
                                           throw fault("tcgen05.cp reads byte " + std::to_string(chunk + i) +
                                                       " of shared memory, " + describe(byte_state::in_flight));
                                       y.valid = y.valid && x.memory->states[chunk + i] == byte_state::valid;
                                   }
                                   --y.writers;
                               }
                       }
                   },
                   true, false});
        });
        return outcome::next;
    };
}

action commit(decoder& d)
{
    const int group = take_group(d);
    d.take("mbarrier::arrive::one");
    const std::string space = d.take_space("");
    const bool multicast = d.take("multicast::cluster");
    d.take("b64");
    const address at = d.memory(0, space);
    const source set = multicast ? d.from(1, 16) : source{};
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            blocks_of(w, group);
            const mbarrier_place own = find_mbarrier(w, lane, at);
            std::vector<mbarrier_place> to{own};
            if (multicast) {
                to.clear();
                const std::uint64_t blocks = set.checked(w, lane, "the blocks of a commit") & 0xffff;
                for (std::size_t b = 0; b < 16; ++b)
                    if (blocks >> b & 1) {
                        if (b >= w.of->of->blocks.size())
                            throw fault("tcgen05.commit to block " + std::to_string(b) + " of a cluster of " +
                                        std::to_string(w.of->of->blocks.size()));
                        to.push_back({w.of->of->blocks[b].get(), own.offset});
                    }
            }
            issue(w, lane,
                  {[to, &w] {
                       for (const mbarrier_place& p : to) {
                           if (p.of->running == 0)
                               throw fault("tcgen05.commit to block " + std::to_string(p.of->rank) +
                                           " of the cluster, which has ended");
                           arrive(w, p, 1);
                       }
                   },
                   false, true});
        });
        return outcome::next;
    };
}

action tensor_core(decoder& d)
{
    if (d.what().modifiers.empty())
        throw fault("the machine does not know " + d.what().text());
    const std::string what = d.what().modifiers.front();
    if (what.starts_with("fence"))
        return fence(d);
    if (what.starts_with("wait"))
        return wait(d);
    d.take(what);
    if (what == "alloc")
        return allocate(d);
    if (what == "dealloc")
        return deallocate(d);
    if (what == "relinquish_alloc_permit")
        return relinquish(d);
    if (what == "ld")
        return load(d);
    if (what == "st")
        return store(d);
    if (what == "mma")
        return multiply(d);
    if (what == "cp")
        return copy(d);
    if (what == "commit")
        return commit(d);
    throw fault("the machine does not know " + d.what().text());
}

} // namespace

bool machine::work_tensor_core(tensor_pipe& pipe)
{
    if (pipe.operations.empty())
        return false;
    std::size_t chosen = 0;
    if (when == completion::random && pick(2) == 0) // a copy before products that nothing orders before it
        for (std::size_t i = 0; i < pipe.operations.size() && !pipe.operations[i].commits; ++i)
            if (pipe.operations[i].copies) {
                chosen = i;
                break;
            }
    const tensor_pipe::operation o = std::move(pipe.operations[chosen]);
    pipe.operations.erase(pipe.operations.begin() + static_cast<std::ptrdiff_t>(chosen));
    o.run();
    ++progress;
    return true;
}

void add_tensor_core(decoder_table& table) { table["tcgen05"] = tensor_core; }

} // namespace ptx
