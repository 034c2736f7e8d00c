#include "decode.hpp"

#include <algorithm>
#include <utility>

namespace ptx {

const operand& decoder::at(std::size_t i) const
{
    if (i >= s_.operands.size())
        throw fault(s_.text() + " has too few operands");
    return s_.operands[i];
}

bool decoder::take(const std::string& modifier)
{
    for (std::size_t i = 0; i < taken_.size(); ++i)
        if (!taken_[i] && s_.modifiers[i] == modifier)
            return taken_[i] = true;
    return false;
}

bool decoder::has(const std::string& modifier) const
{
    return std::find(s_.modifiers.begin(), s_.modifiers.end(), modifier) != s_.modifiers.end();
}

std::string decoder::take_one(std::initializer_list<const char*> modifiers, const std::string& otherwise)
{
    for (const char* m : modifiers)
        if (take(m))
            return m;
    return otherwise;
}

std::string decoder::take_type()
{
    for (std::size_t i = 0; i < taken_.size(); ++i) {
        const std::string& m = s_.modifiers[i];
        const std::size_t digit = m.find_first_of("0123456789");
        static const std::vector<std::string> others = {"tf32",  "e4m3",   "e5m2",   "e2m3",  "e3m2",
                                                        "e2m1",  "e4m3x2", "e5m2x2", "bf16",  "bf16x2",
                                                        "f16x2", "u16x2",  "s16x2",  "f32x2", "b128"};
        const bool plain = digit == 1 && std::string("bsuf").find(m[0]) != std::string::npos &&
                           m.find_first_not_of("0123456789", 1) == std::string::npos;
        if (!taken_[i] && (plain || m == "pred" || std::find(others.begin(), others.end(), m) != others.end())) {
            taken_[i] = true;
            return m;
        }
    }
    throw fault(s_.text() + ": a type is missing");
}

std::string decoder::take_last()
{
    for (std::size_t i = taken_.size(); i-- > 0;) {
        if (!taken_[i]) {
            taken_[i] = true;
            return s_.modifiers[i];
        }
    }
    throw fault(s_.text() + ": a modifier is missing");
}

std::string decoder::take_space(const std::string& otherwise)
{
    const std::string found = take_one({"global", "shared", "shared::cta", "shared::cluster", "local", "const", "param",
                                        "param::entry", "param::func"});
    if (found.empty())
        return otherwise;
    if (found == "shared")
        return "shared::cta";
    return found.starts_with("param") ? "param" : found;
}

void decoder::take_cache_hints()
{
    take_one({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
    take_one({"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate"});
    take_one({"L2::64B", "L2::128B", "L2::256B"});
    take_one({"L2::evict_last", "L2::evict_normal", "L2::evict_first"});
}

void decoder::finish() const
{
    for (std::size_t i = 0; i < taken_.size(); ++i)
        if (!taken_[i])
            throw fault("the machine does not know ." + s_.modifiers[i] + " of " + s_.text());
}

int decoder::shared_register(std::uint64_t address)
{
    const auto [at, added] = m_.shared_addresses.try_emplace(address, static_cast<int>(m_.registers.size()));
    if (added)
        m_.registers.push_back({'u', 64});
    return at->second;
}

source decoder::from(const operand& o, int bits)
{
    source s;
    if (o.negated)
        throw fault(s_.text() + ": a negated operand");
    if (o.what == operand::kind::reg) {
        s.reg = o.reg + base_;
        into_.reads.push_back(s.reg);
        return s;
    }
    std::uint64_t value = 0;
    if (o.what == operand::kind::immediate) {
        value = o.bits;
        // A constant of the other width takes part as a number.
        if (o.float_bits == 64 && bits == 32)
            value = bits_of(static_cast<float>(as_double(o.bits)));
        else if (o.float_bits == 32 && bits == 64)
            value = bits_of(static_cast<double>(as_float(o.bits)));
    } else if (o.what == operand::kind::symbol) {
        const auto found = names_.find(o.symbol);
        if (found == names_.end())
            throw fault("the machine does not know " + o.symbol);
        if (found->second.first == "register") {
            s.reg = static_cast<int>(found->second.second);
            return s;
        }
        value = found->second.second + static_cast<std::uint64_t>(o.offset);
        if (found->second.first == "shared::cta") {
            s.reg = shared_register(value);
            return s;
        }
    } else {
        throw fault(s_.text() + ": an operand of a kind that the machine does not know");
    }
    s.constant.fill(value);
    return s;
}

predicate decoder::test(std::size_t i)
{
    operand o = at(i);
    const bool negated = std::exchange(o.negated, false);
    return {from(o, 0), negated};
}

destination decoder::to(const operand& o)
{
    if (o.what == operand::kind::sink)
        return {};
    if (o.what != operand::kind::reg)
        throw fault(s_.text() + ": the destination is no register");
    const int r = o.reg + base_;
    into_.writes.push_back(r);
    return {r, m_.registers[static_cast<std::size_t>(r)].bits};
}

namespace {

state_space space_named(const std::string& name)
{
    if (name.empty())
        return state_space::generic;
    if (name == "global" || name == "const")
        return state_space::global;
    if (name == "shared::cta")
        return state_space::shared_of_block;
    if (name == "shared::cluster")
        return state_space::shared_of_cluster;
    return name == "param" ? state_space::parameter : state_space::local;
}

} // namespace

address decoder::memory(const operand& o, const std::string& space)
{
    if (o.what != operand::kind::address)
        throw fault(s_.text() + ": an address in brackets is missing");
    address a;
    a.space = space_named(space);
    a.offset = o.offset;
    if (o.reg >= 0) {
        a.base.reg = o.reg + base_;
        into_.reads.push_back(a.base.reg);
    } else if (!o.symbol.empty()) {
        const auto found = names_.find(o.symbol);
        if (found == names_.end())
            throw fault("the machine does not know " + o.symbol);
        if (space == "param")
            a.space = space_named(found->second.first); // parameters of calls are in local memory
        if (found->second.first == "shared::cta")
            a.base.reg = shared_register(found->second.second);
        else
            a.base.constant.fill(found->second.second);
    } else {
        a.base.constant.fill(0);
    }
    return a;
}

std::vector<source> decoder::list_from(std::size_t i, int bits)
{
    std::vector<source> all;
    if (at(i).what != operand::kind::list)
        return {from(i, bits)};
    for (const operand& o : at(i).elements)
        all.push_back(from(o, bits));
    return all;
}

std::vector<destination> decoder::list_to(std::size_t i)
{
    std::vector<destination> all;
    if (at(i).what != operand::kind::list)
        return {to(i)};
    for (const operand& o : at(i).elements)
        all.push_back(to(o));
    return all;
}

std::int64_t decoder::constant(std::size_t i) const
{
    if (at(i).what != operand::kind::immediate)
        throw fault(s_.text() + ": operand " + std::to_string(i) + " must be a constant");
    return static_cast<std::int64_t>(at(i).bits);
}

namespace {

const decoder_table& table()
{
    static const decoder_table all = [] {
        decoder_table t;
        for (const auto add : {add_arithmetic, add_carries, add_functions, add_logic, add_comparison, add_conversion,
                               add_memory, add_atomics, add_exchange, add_barriers, add_mbarriers, add_copies,
                               add_matrix, add_wgmma, add_tensor_core, add_tensor_map_changes, add_launch_control})
            add(t);
        return t;
    }();
    return all;
}

std::uint64_t place_variable(std::uint64_t& end, const variable& v)
{
    end = (end + v.alignment - 1) / v.alignment * v.alignment;
    const std::uint64_t at = end;
    end += v.bytes;
    return at;
}

/// Kernel and called functions, one after another; a call is the callee's code in its place, with registers of its own.
class assembler
{
public:
    explicit assembler(machine& m) : m_(m) {}

    void run(const function& kernel)
    {
        m_.code.clear();
        m_.registers.clear();
        m_.shared_addresses.clear();
        m_.most_registers = 0;
        m_.static_shared = window::shared_base;
        m_.local_bytes = 16;
        decoder::symbols names;
        for (const auto& [name, address] : m_.globals)
            names[name] = {"global", address};
        for (const variable& v : m_.program.variables)
            if (v.space == "shared" && !v.external)
                names[v.name] = {"shared::cta", place_variable(m_.static_shared, v)};
        add_special_registers(names);
        std::uint64_t end = 0;
        for (const variable& p : kernel.parameters)
            names[p.name] = {"param", place_variable(end, p)};
        // Dynamic shared memory lies behind all variables of fixed size; so those of functions come first.
        for (const auto& [name, f] : m_.program.functions)
            for (const variable& v : f.variables)
                if (v.space == "shared" && (&f == &kernel || !f.is_entry))
                    names[v.name] = {"shared::cta", place_variable(m_.static_shared, v)};
        for (const variable& v : m_.program.variables)
            if (v.space == "shared" && v.external)
                names[v.name] = {"shared::cta", (m_.static_shared + v.alignment - 1) / v.alignment * v.alignment};
        m_.parameters = std::make_unique<region>("the parameters", window::parameter, end);
        add(kernel, names);
    }

private:
    void add_special_registers(decoder::symbols& names)
    {
        for (const char* name : {"%tid.x",
                                 "%tid.y",
                                 "%tid.z",
                                 "%ntid.x",
                                 "%ntid.y",
                                 "%ntid.z",
                                 "%ctaid.x",
                                 "%ctaid.y",
                                 "%ctaid.z",
                                 "%nctaid.x",
                                 "%nctaid.y",
                                 "%nctaid.z",
                                 "%laneid",
                                 "%warpid",
                                 "%nwarpid",
                                 "%clusterid.x",
                                 "%clusterid.y",
                                 "%clusterid.z",
                                 "%nclusterid.x",
                                 "%nclusterid.y",
                                 "%nclusterid.z",
                                 "%cluster_ctaid.x",
                                 "%cluster_ctaid.y",
                                 "%cluster_ctaid.z",
                                 "%cluster_nctaid.x",
                                 "%cluster_nctaid.y",
                                 "%cluster_nctaid.z",
                                 "%cluster_ctarank",
                                 "%cluster_nctarank",
                                 "%lanemask_eq",
                                 "%lanemask_le",
                                 "%lanemask_lt",
                                 "%lanemask_ge",
                                 "%lanemask_gt",
                                 "%dynamic_smem_size",
                                 "%total_smem_size",
                                 "%smid",
                                 "%nsmid",
                                 "%clock",
                                 "%clock64",
                                 "%globaltimer",
                                 "%gridid"}) {
            names[name] = {"register", m_.registers.size()};
            m_.registers.push_back({'u', 64});
        }
    }

    void add(const function& f, decoder::symbols names)
    {
        if (std::find(active_.begin(), active_.end(), &f) != active_.end())
            throw fault(f.name + " calls itself; the machine puts functions in the place of calls");
        active_.push_back(&f);
        const int base = static_cast<int>(m_.registers.size());
        m_.registers.insert(m_.registers.end(), f.registers.begin(), f.registers.end());
        for (const variable& v : f.variables) {
            if (v.space == "shared")
                continue; // placed already
            else if (v.space == "local" || v.space == "param")
                names[v.name] = {"local", place_variable(m_.local_bytes, v)};
            else
                throw fault("variable " + v.name + " in a function has space " + v.space);
        }
        std::vector<int> first(f.body.size() + 1); // instruction of each statement
        std::vector<std::pair<std::size_t, std::pair<const statement*, std::string>>> branches;
        std::vector<std::size_t> returns;
        for (std::size_t i = 0; i < f.body.size(); ++i) {
            const statement& s = f.body[i];
            first[i] = static_cast<int>(m_.code.size());
            try {
                if (s.opcode == "call" && call(f, s, names, base))
                    continue;
                if (s.opcode == "bra") {
                    begin(f, s, base);
                    branches.push_back({m_.code.size() - 1, {&s, s.operands.at(0).symbol}});
                } else if (s.opcode == "brx") {
                    add_indexed_branch(f, s, names, base, branches);
                } else if ((s.opcode == "ret" && active_.size() == 1) || s.opcode == "exit") {
                    begin(f, s, base).is_exit = true;
                } else if (s.opcode == "ret") {
                    begin(f, s, base);
                    returns.push_back(m_.code.size() - 1);
                } else {
                    decode_into(begin(f, s, base), s, names, base);
                }
            } catch (const fault& e) {
                throw fault(m_.program.line_of(s) + ": " + e.what());
            }
        }
        first.back() = static_cast<int>(m_.code.size());
        for (const auto& [at, branch] : branches)
            m_.code[at].target = first[f.find_label(branch.second, branch.first->scope)];
        for (const std::size_t at : returns)
            m_.code[at].target = first.back();
        if (active_.size() == 1) { // falling off the end ends the kernel
            static const statement end{};
            instruction last;
            last.source = &end;
            last.of = &f;
            last.is_exit = true;
            m_.code.push_back(last);
        }
        active_.pop_back();
    }

    instruction& begin(const function& f, const statement& s, int base)
    {
        instruction i;
        i.source = &s;
        i.of = &f;
        i.guard_negated = s.guard_negated;
        if (s.guard >= 0) {
            i.guard = s.guard + base;
            i.reads.push_back(i.guard);
        }
        m_.code.push_back(std::move(i));
        return m_.code.back();
    }

    void decode_into(instruction& i, const statement& s, const decoder::symbols& names, int base)
    {
        const auto found = table().find(s.opcode);
        if (found == table().end())
            throw fault("the machine does not know " + s.text());
        decoder d(m_, s, base, names, i);
        action run = found->second(d);
        d.finish();
        i.run = std::move(run);
    }

    /// brx.idx as comparisons and branches. PTX ISA, control flow: "brx.idx".
    template <class Branches>
    void add_indexed_branch(const function& f, const statement& s, const decoder::symbols& names, int base,
                            Branches& branches)
    {
        const auto& targets = f.branch_targets.at(s.operands.at(1).symbol);
        for (std::size_t t = 0; t < targets.size(); ++t) {
            const int predicate = static_cast<int>(m_.registers.size());
            m_.registers.push_back({'p', 1});
            instruction& compare = begin(f, s, base);
            decoder d(m_, s, base, names, compare);
            const source index = d.from(0, 32);
            compare.writes.push_back(predicate);
            compare.run = [index, predicate, t](warp& w, lane_mask mask) {
                each_lane(mask, [&](int lane) {
                    w.value(predicate)[lane] =
                        static_cast<std::uint32_t>(index.checked(w, lane, "the index of a branch")) == t;
                    w.poisoned(predicate)[lane] = 0;
                });
                return outcome::next;
            };
            instruction& jump = begin(f, s, base);
            jump.guard = predicate;
            jump.guard_negated = false;
            branches.push_back({m_.code.size() - 1, {&s, targets[t]}});
        }
        begin(f, s, base).run = [](warp&, lane_mask) -> outcome {
            throw fault("the index of a branch is past its table");
        };
    }

    /// Control flow: "call". False: nothing was called, the statement is decoded as an instruction.
    bool call(const function& f, const statement& s, const decoder::symbols& names, int base)
    {
        std::size_t at = s.operands.at(0).what == operand::kind::list ? 1 : 0;
        const std::string& name = s.operands.at(at).symbol;
        const auto found = m_.program.functions.find(name);
        if (found == m_.program.functions.end() || s.guard >= 0)
            throw fault("a call through a pointer or under a guard is not in the machine");
        const function& callee = found->second;
        if (!callee.has_body) {
            begin(f, s, base).run = [name](warp&, lane_mask) {
                if (name != "vprintf") // what a program prints is not shown
                    throw fault("call of " + name);
                return outcome::next;
            };
            return true;
        }
        decoder::symbols inner = names;
        const auto bind = [&](const std::vector<variable>& formal, const operand& actual) {
            for (std::size_t i = 0; i < formal.size(); ++i)
                inner[formal[i].name] = names.at(actual.elements.at(i).symbol);
        };
        if (at == 1)
            bind(callee.results, s.operands[0]);
        if (at + 1 < s.operands.size())
            bind(callee.parameters, s.operands[at + 1]);
        add(callee, inner);
        return true;
    }

    machine& m_;
    std::vector<const function*> active_;
};

} // namespace

void assemble(machine& m, const function& kernel) { assembler(m).run(kernel); }

} // namespace ptx
