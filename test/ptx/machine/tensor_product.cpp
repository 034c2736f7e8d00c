// PTX ISA 9.0: 9.7.16.10 "tcgen05.mma", 9.7.16.4 instruction and matrix descriptors, 9.7.16.10.5 data paths A and D,
// 9.7.16.10.4.2 A in tensor memory, 9.7.16.10.7 block scales. Products of 128 rows a block, or of 64 without a peer or scales, with B
// in shared memory.

#include "tensor_core.hpp"

namespace ptx {

using word = tensor_memory::word;

namespace {

struct element_type
{
    std::string name;
    int bits = 8; ///< a place of so many bits; narrower elements fill 16 bytes by 16 from the start
    double (*decode)(std::uint32_t) = nullptr;
};
element_type small_type(int code)
{
    const auto from = [](const char* name, int bits, auto f) { return element_type{name, bits, f}; };
    switch (code) {
    case 0:
        return from("e4m3", 8, [](std::uint32_t x) { return decode_float(x, format_e4m3); });
    case 1:
        return from("e5m2", 8, [](std::uint32_t x) { return decode_float(x, format_e5m2); });
    case 3:
        return from("e2m3", 6, [](std::uint32_t x) { return decode_float(x, format_e2m3); });
    case 4:
        return from("e3m2", 6, [](std::uint32_t x) { return decode_float(x, format_e3m2); });
    case 5:
        return from("e2m1", 4, [](std::uint32_t x) { return decode_float(x, format_e2m1); });
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
    bool a_in_tensor_memory = false;
    tensor_place d{}, ta{}, sfa{}, sfb{};
    tensor_lanes off; ///< lanes that keep what they hold (disable-output-lane)
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
        if ((m != 128 * group && !(m == 64 && group == 1 && block == 0)) || n < 16 || n > 256 || n % 16 != 0)
            throw fault("tcgen05.mma of " + std::to_string(m) + " rows and " + std::to_string(n) +
                        " columns is not in the machine");
        if ((kind == "i8") != (result == 2) || (result == 0 && kind == "tf32") || result == 3)
            throw fault("an instruction descriptor whose result is no type of its kind");
        if (block > 0 && k / block > 1 && (a_scale % (k / block) != 0 || b_scale % (k / block) != 0))
            throw fault("an instruction descriptor whose scales are not at a multiple of their number");
    }

    int rows() const { return m / group; }
    /// The lane of a row: 64 rows are in 16 lanes of each warp's 32, the lower or the upper ones (data path F).
    int lane_of(int row, int first) const { return rows() == 64 ? row / 16 * 32 + row % 16 + first : row; }
    tensor_lanes lanes_of_rows(int first) const
    {
        tensor_lanes all;
        for (int r = 0; r < rows(); ++r)
            all.set(static_cast<std::size_t>(lane_of(r, first)));
        return all;
    }

    shared_matrix operand(ptx::block& of, bool is_b) const
    {
        const int bits = packed() ? 8 : place_bits();
        return locate_matrix(of, read_place(is_b ? b_bits : a_bits), is_b ? n / group : rows(), 256 / bits, bits,
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

    /// [rows][k] of A in tensor memory: a row in each lane, places of k side by side from the lowest bits of a word on.
    void read_tensor_memory(tensor_memory& t, std::vector<double>& values, std::vector<char>& poisoned) const
    {
        const int in_word = 32 / place_bits();
        values.assign(static_cast<std::size_t>(rows() * k), 0);
        poisoned.assign(static_cast<std::size_t>(rows()), 0);
        for (int r = 0; r < rows(); ++r)
            for (int l = 0; l < k; ++l) {
                const word& x = t.at(lane_of(r, ta.lane), ta.column + l / in_word);
                poisoned[static_cast<std::size_t>(r)] |= !x.valid;
                std::uint32_t code = x.value >> l % in_word * place_bits();
                if (a.bits < 32)
                    code &= (1u << a.bits) - 1;
                values[static_cast<std::size_t>(r * k + l)] = a.decode(code);
            }
    }
    int columns_of_a() const { return k * place_bits() / 32; }

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
            if (a_in_tensor_memory)
                read_tensor_memory(rows_of->tensors, ma, pa);
            else
                read(w, operand(*rows_of, false), a, rows(), ma, pa);
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
        for (int r = 0; r < rows(); ++r)
            for (int j = 0; j < n / group && !off[static_cast<std::size_t>(lane_of(r, d.lane))]; ++j) {
                word& x = t.at(lane_of(r, d.lane), d.column + first + j);
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
                x.written_clock = w.core_clock;
                x.stored = nullptr;
                x.core = &w;
            }
    }
};

} // namespace

action decode_tensor_product(decoder& d)
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
    const bool in_tensor_memory = d.what().operands[1].what == operand::kind::address;
    const address tensor_a = in_tensor_memory ? d.memory(1, "") : address{};
    const source a = in_tensor_memory ? source{} : d.from(1), b = d.from(2), descriptor = d.from(3, 32);
    const bool some = !scaled && d.operands() > 5 && d.at(4).what == operand::kind::list;
    const std::vector<source> lanes_off = some ? d.list_from(4, 32) : std::vector<source>{};
    if (some && lanes_off.size() != static_cast<std::size_t>(4 * p.group))
        throw fault(d.what().text() + ": disable-output-lane has 4 registers for each block");
    if (some && p.group == 2)
        throw fault(d.what().text() + ": disable-output-lane of a pair is not in the machine");
    const predicate accumulate = d.test(scaled ? 6 : some ? 5 : 4);
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            product x = p;
            const std::vector<block*> blocks = blocks_of(w, p.group);
            if (!in_tensor_memory)
                x.a_bits = a.checked(w, lane, "a matrix descriptor");
            x.b_bits = b.checked(w, lane, "a matrix descriptor");
            x.accumulate = accumulate.of(w, lane, "enable-input-d");
            x.read_descriptor(static_cast<std::uint32_t>(descriptor.checked(w, lane, "an instruction descriptor")));
            x.d = place_of(to.of(w, lane));
            for (std::size_t i = 0; i < lanes_off.size(); ++i)
                x.off |= tensor_lanes(lanes_off[i].checked(w, lane, "disable-output-lane") & 0xffffffff) << 32 * i;
            if (x.d.lane != 0 && !(x.rows() == 64 && x.d.lane == 16))
                throw fault("tcgen05.mma into tensor memory from lane " + std::to_string(x.d.lane) + " on");
            std::vector<words_of_group> taken; // of tensor memory
            if (in_tensor_memory) {
                x.a_in_tensor_memory = true;
                x.ta = place_of(tensor_a.of(w, lane));
                if (x.ta.lane != x.d.lane || !x.a_k_major)
                    throw fault("tcgen05.mma with A in tensor memory from lane " + std::to_string(x.ta.lane) +
                                " on, or along M");
                taken.push_back({blocks, x.ta.column, x.columns_of_a(), x.lanes_of_rows(x.ta.lane)});
            }
            for (block* of : blocks)
                for (const bool is_b : {false, true})
                    if (is_b || !in_tensor_memory)
                        check_arrived(w, x.operand(*of, is_b), "tcgen05.mma");
            if (scaled) {
                x.sfa = place_of(sfa.of(w, lane));
                x.sfb = place_of(sfb.of(w, lane));
                taken.push_back({blocks, x.sfa.column, 4, ~tensor_lanes{}});
                taken.push_back({blocks, x.sfb.column, (x.n + 31) / 32, ~tensor_lanes{}});
            }
            for (const words_of_group& s : taken) {
                for (block* of : blocks)
                    check_allocated(of->tensors, s.column, s.count, "an operand of a tcgen05.mma");
                s.each([&](block& of, int row, int c) { // a tcgen05.cp before it is done first
                    word& y = of.tensors.at(row, c);
                    if (y.writers == 0 && y.core != &w)
                        check_writer(w, y, row, c, "an operand of a tcgen05.mma");
                    ++y.operands;
                    y.multiplied = &w;
                });
            }
            claim_written(w, {blocks, x.d.column, x.n, x.lanes_of_rows(x.d.lane) & ~x.off}, "tcgen05.mma", true);
            issue(w, lane,
                  {[x, blocks, taken, &w] {
                       x.run(w, blocks);
                       for (const words_of_group& s : taken)
                           s.each([&w](block& of, int row, int c) {
                               word& y = of.tensors.at(row, c);
                               --y.operands;
                               y.core_read = w.in().time;
                               y.core_read_clock = w.core_clock;
                           });
                   },
                   false, false});
        });
        return outcome::next;
    };
}

} // namespace ptx
