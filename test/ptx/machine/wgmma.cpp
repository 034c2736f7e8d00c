// PTX ISA: "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions": wgmma.mma_async, wgmma.fence,
// wgmma.commit_group, wgmma.wait_group; "Shared Memory Matrix Layout", "Strides", "Matrix Descriptor Format".

#include "fragments.hpp"
#include "shared_matrix.hpp"

#include <algorithm>
#include <utility>

namespace ptx {

namespace {

shared_matrix read_descriptor(block& b, std::uint64_t descriptor, int rows, int k, int bits, bool k_major)
{
    if ((descriptor >> 49 & 7) != 0)
        throw fault("a matrix descriptor with a base offset is not in the machine");
    return locate_matrix(b,
                         {(descriptor & 0x3fff) << 4, (descriptor >> 16 & 0x3fff) << 4,
                          (descriptor >> 32 & 0x3fff) << 4, static_cast<int>(descriptor >> 62)},
                         rows, k, bits, k_major);
}

/// Elements [row][k] and whether a row has one without a value.
void read_matrix(warp& w, const shared_matrix& x, const matrix_type& type, int rows, int k, std::vector<double>& values,
                 std::vector<char>& poisoned)
{
    values.resize(static_cast<std::size_t>(rows * k));
    poisoned.assign(static_cast<std::size_t>(rows), 0);
    const int bytes = type.bits / 8;
    for (const std::uint32_t chunk : x.chunks)
        note_read(w, {x.memory, chunk}, 16);
    for (int r = 0; r < rows; ++r)
        for (int l = 0; l < k; ++l) {
            const auto [chunk, i] = x.find(r, l);
            std::uint64_t code = 0;
            for (int b = 0; b < bytes; ++b) {
                const std::size_t o = chunk + static_cast<std::size_t>(i * bytes + b);
                code |= std::uint64_t{x.memory->bytes[o]} << 8 * b;
                if (x.memory->states[o] == byte_state::in_flight)
                    throw fault("wgmma reads byte " + std::to_string(o) + " of shared memory, " +
                                describe(byte_state::in_flight));
                poisoned[static_cast<std::size_t>(r)] |= x.memory->states[o] != byte_state::valid;
            }
            values[static_cast<std::size_t>(r * k + l)] = type.decode(code);
        }
}

struct product
{
    matrix_shape shape;
    matrix_type td, ta, tb;
    bool saturate = false, a_k_major = true, b_k_major = true;
    double sign = 1;
    std::vector<destination> to;
    std::vector<source> accumulators, a; ///< a: registers, or none
    source a_descriptor, b_descriptor;
    predicate scale_d;

    void run(warp& w, std::uint64_t a_bits, std::uint64_t b_bits, bool accumulate) const;
};

void product::run(warp& w, std::uint64_t a_bits, std::uint64_t b_bits, bool accumulate) const
{
    const int n = shape.n, k = shape.k, first_row = w.index % 4 * 16;
    std::vector<double> ma(static_cast<std::size_t>(16 * k)), mb, sums(static_cast<std::size_t>(16 * n), 0.0);
    std::vector<char> pa(16, 0), pb, pc(static_cast<std::size_t>(16 * n), 0);
    if (a.empty()) {
        std::vector<double> all;
        std::vector<char> poisoned;
        read_matrix(w, read_descriptor(*w.of, a_bits, 64, k, ta.bits, a_k_major), ta, 64, k, all, poisoned);
        std::copy_n(all.begin() + first_row * k, 16 * k, ma.begin());
        std::copy_n(poisoned.begin() + first_row, 16, pa.begin());
    } else {
        fragment_reader{a, ta}.each(w, [&](int lane, int slot, double x, bool poisoned) {
            const element e = fragment_a(16, ta.bits, lane, slot);
            ma[static_cast<std::size_t>(e.row * k + e.column)] = x;
            pa[static_cast<std::size_t>(e.row)] |= poisoned;
        });
    }
    read_matrix(w, read_descriptor(*w.of, b_bits, n, k, tb.bits, b_k_major), tb, n, k, mb, pb);
    if (accumulate)
        fragment_reader{accumulators, td}.each(w, [&](int lane, int slot, double x, bool poisoned) {
            const element e = fragment_c(16, lane, slot);
            sums[static_cast<std::size_t>(e.row * n + e.column)] = x;
            pc[static_cast<std::size_t>(e.row * n + e.column)] = poisoned;
        });
    std::vector<double> column(static_cast<std::size_t>(k * n)); // b, transposed for the loop
    for (int j = 0; j < n; ++j)
        for (int l = 0; l < k; ++l)
            column[static_cast<std::size_t>(l * n + j)] = mb[static_cast<std::size_t>(j * k + l)];
    for (int i = 0; i < 16; ++i)
        for (int l = 0; l < k; ++l) {
            const double x = sign * ma[static_cast<std::size_t>(i * k + l)];
            const double* from = column.data() + l * n;
            double* into = sums.data() + i * n;
            for (int j = 0; j < n; ++j)
                into[j] += x * from[j];
        }
    const int packed = td.bits < 32 ? 2 : 1;
    for (std::size_t r = 0; r < to.size(); ++r)
        for (int lane = 0; lane < lanes; ++lane) {
            std::uint64_t value = 0;
            unsigned poison = 0;
            for (int i = 0; i < packed; ++i) {
                const element e = fragment_c(16, lane, static_cast<int>(r) * packed + i);
                const auto at = static_cast<std::size_t>(e.row * n + e.column);
                value |= td.encode(sums[at], saturate) << 16 * i;
                if (pa[static_cast<std::size_t>(e.row)] || pb[static_cast<std::size_t>(e.column)] || pc[at])
                    poison |= packed == 2 ? 3u << 2 * i : 0xff;
            }
            to[r].write(w, lane, value, static_cast<std::uint8_t>(poison));
        }
}

void run_pending(warp& w)
{
    const auto run = [&](std::vector<wgmma_operation>& list) {
        for (wgmma_operation& o : list)
            if (!std::exchange(o.done, true))
                o.run(w);
    };
    for (auto& g : w.wgmma_groups)
        run(g);
    run(w.open_wgmma);
}

void mark_uses(warp& w)
{
    std::fill(w.uses.begin(), w.uses.end(), register_use::none);
    w.in_flight = 0;
    const auto mark = [&](const std::vector<wgmma_operation>& list) {
        for (const wgmma_operation& o : list) {
            ++w.in_flight;
            for (const int r : o.operands)
                w.uses[static_cast<std::size_t>(r)] = register_use::operand_a;
            for (const int r : o.accumulators)
                w.uses[static_cast<std::size_t>(r)] = register_use::accumulator;
        }
    };
    for (const auto& g : w.wgmma_groups)
        mark(g);
    mark(w.open_wgmma);
}

/// Between the first wgmma, or any access to its registers by another instruction, and it there must be a wgmma.fence.
void check_fenced(warp& w, int r)
{
    if (w.fences == 0 || w.accessed_in[static_cast<std::size_t>(r)] == w.fences)
        throw fault("wgmma takes a register that was accessed after the last wgmma.fence");
}

/// All four warps of a warpgroup must execute the same instruction with the same descriptors.
void check_warpgroup(warp& w, const statement* what, std::uint64_t a, std::uint64_t b)
{
    auto& log = w.of->wgmma_log.at(static_cast<std::size_t>(w.index / 4));
    const auto [found, first] = log.try_emplace(w.wgmma_count++, block::wgmma_record{what, a, b});
    const auto& r = found->second;
    if (!first && (r.what != what || r.a != a || r.b != b))
        throw fault("the warps of a warpgroup execute different wgmma, or give different descriptors");
}

std::uint64_t uniform(warp& w, const source& s, const char* what)
{
    const std::uint64_t first = s.checked(w, 0, what);
    for (int lane = 1; lane < lanes; ++lane)
        if (s.checked(w, lane, what) != first)
            throw fault(std::string(what) + " is not the same in all lanes");
    return first;
}

action multiply(decoder& d)
{
    d.take("sync");
    d.result().aligned = d.take("aligned");
    product p;
    p.shape = take_shape(d);
    p.saturate = d.take("satfinite");
    p.td = matrix_type_of(d.take_type());
    p.ta = matrix_type_of(d.take_type());
    p.tb = matrix_type_of(d.take_type());
    if (p.shape.m != 64 || p.shape.n % 8 != 0 || p.shape.n < 8 || p.shape.n > 256 || p.shape.k * p.ta.bits != 256)
        throw fault(d.what().text() + ": the document has no such shape");
    p.to = d.list_to(0);
    p.accumulators = d.list_from(0);
    const bool registers = d.at(1).what == operand::kind::list;
    if (registers)
        p.a = d.list_from(1);
    else
        p.a_descriptor = d.from(1);
    p.b_descriptor = d.from(2);
    p.scale_d = d.test(3);
    if (static_cast<int>(p.to.size()) * (p.td.bits < 32 ? 2 : 1) * 4 * lanes != p.shape.m * p.shape.n ||
        (registers && p.a.size() != 4))
        throw fault(d.what().text() + ": the fragments have other numbers of registers");
    std::size_t i = 4;
    if (!p.ta.integer) {
        for (int side = 0; side < 2; ++side) {
            const std::int64_t scale = d.constant(i++);
            if (scale != 1 && scale != -1)
                throw fault("wgmma scales an operand by " + std::to_string(scale));
            p.sign *= static_cast<double>(scale);
        }
        if (p.ta.bits == 16) {
            if (!registers)
                p.a_k_major = d.constant(i++) == 0;
            p.b_k_major = d.constant(i++) == 0;
        }
    }
    // The registers belong to the operation until its wait; the general check does not apply to these.
    d.result().reads.clear();
    d.result().writes.clear();
    const statement* what = &d.what();
    return [p, what](warp& w, lane_mask) {
        machine& m = w.in();
        const std::uint64_t a = p.a.empty() ? uniform(w, p.a_descriptor, "a matrix descriptor") : 0;
        const std::uint64_t b = uniform(w, p.b_descriptor, "a matrix descriptor");
        const bool accumulate = (uniform(w, p.scale_d.from, "scale-d") & 1) != p.scale_d.negated;
        check_warpgroup(w, what, a, b);
        if (p.a.empty())
            check_arrived(w, read_descriptor(*w.of, a, 64, p.shape.k, p.ta.bits, p.a_k_major), "wgmma");
        check_arrived(w, read_descriptor(*w.of, b, p.shape.n, p.shape.k, p.tb.bits, p.b_k_major), "wgmma");
        wgmma_operation o;
        for (const destination& r : p.to) {
            check_fenced(w, r.reg);
            o.accumulators.push_back(r.reg);
            if (w.uses[static_cast<std::size_t>(r.reg)] == register_use::operand_a)
                throw fault("wgmma accumulates into a register that one in flight reads");
        }
        for (const source& r : p.a) {
            check_fenced(w, r.reg);
            o.operands.push_back(r.reg);
            if (w.uses[static_cast<std::size_t>(r.reg)] == register_use::accumulator)
                throw fault("wgmma reads a register that one in flight accumulates into");
        }
        o.run = [p, a, b, accumulate](warp& own) { p.run(own, a, b, accumulate); };
        w.open_wgmma.push_back(std::move(o));
        if (m.when == completion::early || (m.when == completion::random && m.pick(2) == 0))
            run_pending(w);
        mark_uses(w);
        return outcome::next;
    };
}

action wgmma(decoder& d)
{
    if (d.take("mma_async"))
        return multiply(d);
    const std::string kind = d.take_one({"fence", "commit_group", "wait_group"});
    d.take("sync");
    d.result().aligned = d.take("aligned");
    if (kind == "fence")
        return [](warp& w, lane_mask) {
            ++w.fences;
            return outcome::next;
        };
    if (kind == "commit_group")
        return [](warp& w, lane_mask) {
            w.wgmma_groups.push_back(std::move(w.open_wgmma));
            w.open_wgmma.clear();
            return outcome::next;
        };
    if (kind != "wait_group")
        throw fault("the machine does not know " + d.what().text());
    const auto left = static_cast<std::size_t>(d.constant(0));
    return [left](warp& w, lane_mask) {
        for (; w.wgmma_groups.size() > left; w.wgmma_groups.pop_front())
            for (wgmma_operation& o : w.wgmma_groups.front())
                if (!std::exchange(o.done, true))
                    o.run(w);
        mark_uses(w);
        ++w.in().progress;
        return outcome::next;
    };
}

} // namespace

void add_wgmma(decoder_table& table) { table["wgmma"] = wgmma; }

} // namespace ptx
