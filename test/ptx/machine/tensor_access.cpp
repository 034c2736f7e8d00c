// PTX ISA 9.0: 9.7.16.8 "Tensor Memory and Register Load/Store Instructions": tcgen05.ld, tcgen05.st, tcgen05.wait.

#include "tensor_core.hpp"

#include <optional>

namespace ptx {

using word = tensor_memory::word;

namespace {

/// Where register i of a thread is, relative to the address (9.7.16.8.1, figures of the shapes).
struct access_shape
{
    std::string name;
    int lanes = 32, registers = 1; ///< of .x1
    int split = 0;                 ///< of .16x32bx2: how many columns further lanes 16 to 31 of the warp are
    tensor_place place(int t, int i) const
    {
        if (name == "16x32bx2")
            return {t % 16, i + (t < 16 ? 0 : split)};
        if (name == "16x64b")
            return {t / 4 + 8 * (t % 2), t / 2 % 2 + 2 * i};
        if (name == "16x128b")
            return {t / 4 + 8 * (i % 2), t % 4 + 4 * (i / 2)};
        if (name == "16x256b")
            return {t / 4 + 8 * (i / 2 % 2), 2 * (t % 4) + i % 2 + 8 * (i / 4)};
        return {t, i};
    }
};

/// `split`: which operand that of .16x32bx2 is.
access_shape take_access_shape(decoder& d, std::size_t split)
{
    const std::string name = d.take_one({"32x32b", "16x32bx2", "16x64b", "16x128b", "16x256b"});
    if (name.empty())
        throw fault(d.what().text() + ": this shape is not in the machine");
    const std::string count = d.take_one({"x1", "x2", "x4", "x8", "x16", "x32", "x64", "x128"});
    access_shape s{name, name == "32x32b" ? 32 : 16, name == "16x256b" ? 4 : name == "16x128b" ? 2 : 1};
    s.registers *= std::stoi(count.substr(1));
    if (name == "16x32bx2")
        s.split = static_cast<int>(d.constant(split));
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

/// The reduction of "tcgen05.ld.red": over the columns that a thread loads, each half of .16x32bx2 for itself (9.7.16.8.3).
/// That section says nothing of .abs and .NaN; they mean what they do in "redux.sync".
struct reduction
{
    bool largest = false, absolute = false, keeps_nan = false;
    std::string type;

    std::uint32_t of(const std::vector<std::uint32_t>& words) const
    {
        std::optional<std::uint32_t> best;
        for (const std::uint32_t x : words) {
            const std::uint32_t bits = absolute ? x & 0x7fffffff : x;
            if (type != "f32" || !std::isnan(as_float(bits)))
                best = !best || less(*best, bits) == largest ? bits : *best;
            else if (keeps_nan)
                return canonical_nan;
        }
        return best.value_or(canonical_nan);
    }

private:
    static constexpr std::uint32_t canonical_nan = 0x7fffffff;

    /// -0 is below +0.
    bool less(std::uint32_t a, std::uint32_t b) const
    {
        const auto x = static_cast<std::int32_t>(a), y = static_cast<std::int32_t>(b);
        if (type == "u32")
            return a < b;
        if (type == "f32" && x < 0 && y < 0)
            return a > b;
        return x < y;
    }
};

std::optional<reduction> take_reduction(decoder& d)
{
    if (!d.take("red"))
        return std::nullopt;
    reduction r;
    const std::string operation = d.take_one({"min", "max"});
    r.type = d.take_one({"f32", "u32", "s32"});
    if (operation.empty() || r.type.empty())
        throw fault(d.what().text() + ": .min or .max is needed, of f32, u32 or s32");
    r.largest = operation == "max";
    if (r.type == "f32") {
        r.absolute = d.take("abs");
        r.keeps_nan = d.take("NaN");
    }
    return r;
}

} // namespace

/// The registers hold their values at once: "an intra-thread ordering through true register dependency will be respected"
/// (9.7.16.6.4.5). The wait is for what happens to tensor memory behind the load.
action load_tensor_memory(decoder& d)
{
    d.take("sync");
    d.result().aligned = d.take("aligned");
    const std::optional<reduction> reduces = take_reduction(d);
    const access_shape shape = take_access_shape(d, reduces ? 3 : 2);
    const std::vector<destination> to = d.list_to(0);
    if (static_cast<int>(to.size()) != shape.registers)
        throw fault(d.what().text() + ": another number of registers");
    if (!reduces)
        d.take("b32");
    else if (shape.registers < 2 || (shape.name != "32x32b" && shape.name != "16x32bx2"))
        throw fault(d.what().text() + ": .red is of .32x32b and .16x32bx2, from .x2 on");
    const destination reduced = reduces ? d.to(1) : destination{};
    const address at = d.memory(reduces ? 2 : 1, "");
    return [=](warp& w, lane_mask) {
        const std::uint64_t address =
            uniform(w, all_lanes, at.base, "the address") + static_cast<std::uint64_t>(at.offset);
        tensor_memory& t = w.of->tensors;
        std::vector<std::uint32_t> loaded;
        bool valid = true;
        each_word(w, shape, address, [&](int lane, int i, int row, int column) {
            check_allocated(t, column, 1, "tcgen05.ld");
            word& x = t.at(row, column);
            check_writer(w, x, row, column, "tcgen05.ld");
            ++x.loads;
            to[static_cast<std::size_t>(i)].write(w, lane, x.value, x.valid ? 0 : 0xff);
            if (!reduces)
                return;
            loaded.push_back(x.value);
            valid = valid && x.valid;
            if (i + 1 == shape.registers) {
                reduced.write(w, lane, reduces->of(loaded), valid ? 0 : 0xff);
                loaded.clear();
                valid = true;
            }
        });
        w.tensor_loads.emplace_back([=, &t](warp& own) {
            each_word(own, shape, address, [&](int, int, int row, int column) {
                word& x = t.at(row, column);
                --x.loads;
                x.read = own.in().time;
                x.loaded = &own;
                t.loads_of(row, column)[own.index / 4] = own.clock.tensor[static_cast<std::size_t>(own.number)];
            });
        });
        return outcome::next;
    };
}

action store_tensor_memory(decoder& d)
{
    d.take("sync");
    d.result().aligned = d.take("aligned");
    const access_shape shape = take_access_shape(d, 1);
    d.take("b32");
    const address at = d.memory(0, "");
    const std::vector<source> from = d.list_from(shape.name == "16x32bx2" ? 2 : 1, 32);
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
            check_reader(w, *w.of, row, column, "tcgen05.st", false);
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
                x.written_clock = own.clock.tensor[static_cast<std::size_t>(own.number)];
                x.stored = &own;
            });
        });
        return outcome::next;
    };
}

action wait_for_tensor_memory(decoder& d)
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

} // namespace ptx
