#pragma once

// Records of the instruction table as JSON and as lines of text.

#include <tegula/mma/table/operand_layout.hpp>
#include <tegula/mma/table/provenance.hpp>
#include <tegula/notation/text.hpp>

namespace inspect {

namespace detail {

/// "key":value pairs of an object, with the commas between them.
template <class Sink>
class object_writer
{
public:
    explicit object_writer(Sink& sink) : out_(sink) {}

    tegula::text_out<Sink>& key(const char* prefix, const char* name = "")
    {
        out_ << separator_ << '"' << prefix << name << "\": ";
        separator_ = ", ";
        return out_;
    }
    void word(const char* name, const char* value) { key(name) << '"' << value << '"'; }
    void number(const char* name, long long value) { key(name) << value; }
    void close() { out_ << "}"; }

private:
    tegula::text_out<Sink> out_;
    const char* separator_ = "{";
};

/// Writes the fields of a record that follow its kind, vendor, arch and name: the instruction itself.
template <class Sink>
void write_shape(object_writer<Sink>& object, const tegula::instruction& i)
{
    object.number("m", i.m);
    object.number("n", i.n);
    object.number("k", i.k);
    object.number("blocks", i.blocks);
    object.word("a_type", info(i.a).name);
    object.word("b_type", info(i.b).name);
    object.word("c_type", info(i.c).name);
}

template <class Sink>
void write_identity(object_writer<Sink>& object, const tegula::instruction& i, tegula::gpu_arch arch)
{
    object.word("kind", name_of(kind_of(i)));
    object.word("vendor", vendor_of(i));
    object.word("arch", name_of(arch));
    object.word("instruction", name_of(i).c_str());
    if (const char* variant = name_of(i.variant))
        object.word("variant", variant);
    object.number("wave", i.wave);
    if (kind_of(i) == tegula::instruction_kind::copy) {
        object.number("matrices", i.m / 8);
        object.key("trans") << (i.transposes ? "true" : "false");
    } else {
        write_shape(object, i);
    }
    object.word("compiler", compiler_of(arch));
    object.word("layout_witness", layout_witness(i));
    if (kind_of(i) == tegula::instruction_kind::wgmma)
        object.key("a_sources") << "[\"register\", \"shared\"]";
}

/// Lane-major: the element of every slot of every lane, -1 where there is none.
template <class Sink>
void write_slots(object_writer<Sink>& object, const char* name, const tegula::operand_layout& layout)
{
    auto& out = object.key(name);
    out << '[';
    out.list(layout.lanes * layout.slots, ",",
             [&](int at) { out << layout.element(at / layout.slots, at % layout.slots); });
    out << ']';
}

template <class Sink>
void write_operand(object_writer<Sink>& object, const tegula::instruction& i, tegula::operand which)
{
    constexpr const char* small[] = {"a", "b", "c"};
    constexpr const char* large[] = {"A", "B", "C"};
    const char* const x = small[static_cast<int>(which)];
    const char* const name = large[static_cast<int>(which)];
    if (!in_registers(i, which)) {
        object.key(name) << "null";
        object.key(x, "_source") << "\"shared\"";
        return;
    }
    const tegula::operand_layout layout = make_operand_layout(i, which);
    object.key(x, "_bits") << layout.slot_bits;
    object.key(x, "_elems_per_lane") << layout.slots;
    object.key(x, "_regs") << layout.registers;
    object.key(x, "_copies") << layout.copies;
    if (layout.unused_slots > 0)
        object.key(x, "_unused_slots") << layout.unused_slots;
    write_slots(object, name, layout);
}

/// arch/name, for AMD with /w64, and the variant where there is one.
template <class Sink>
void write_id(object_writer<Sink>& object, const tegula::instruction& i, tegula::gpu_arch arch)
{
    auto& out = object.key("id");
    out << '"' << name_of(arch) << '/' << name_of(i).c_str();
    if (is_amd(arch))
        out << "/w" << i.wave;
    if (const char* variant = name_of(i.variant))
        out << '/' << variant;
    out << '"';
}

} // namespace detail

/// A record of the list: what the instruction is.
template <class Sink>
void write_list_record(Sink& sink, const tegula::instruction& i, tegula::gpu_arch arch)
{
    detail::object_writer<Sink> object(sink);
    detail::write_identity(object, i, arch);
    object.close();
}

/// The full record with the arrays of its operands.
template <class Sink>
void write_record(Sink& sink, const tegula::instruction& i, tegula::gpu_arch arch)
{
    detail::object_writer<Sink> object(sink);
    detail::write_id(object, i, arch);
    detail::write_identity(object, i, arch);
    if (kind_of(i) == tegula::instruction_kind::copy) {
        const tegula::operand_layout layout = make_copy_layout(i);
        object.word("family", "copy");
        object.number("elem_bits", layout.slot_bits);
        object.number("elems_per_lane", layout.slots);
        object.number("regs", layout.registers);
        object.number("rows", i.m);
        object.number("cols", 8);
        detail::write_slots(object, "R", layout);
    } else {
        object.word("family", info(i.a).family);
        for (tegula::operand which : {tegula::operand::a, tegula::operand::b, tegula::operand::c})
            detail::write_operand(object, i, which);
    }
    object.close();
    tegula::text_out(sink) << "\n";
}

/// "gfx942  v_mfma_f32_32x32x8_f16  wave64  32x32x8  f16 x f16 -> f32"
template <class Sink>
void write_list_line(Sink& sink, const tegula::instruction& i, tegula::gpu_arch arch)
{
    tegula::text_out out(sink);
    out << name_of(arch) << "  " << name_of(i).c_str();
    if (const char* variant = name_of(i.variant))
        out << ' ' << variant;
    out << "  wave" << i.wave;
    if (kind_of(i) == tegula::instruction_kind::copy) {
        out << "  " << i.m / 8 << (i.m == 8 ? " matrix" : " matrices") << " of 8x8x16 bits"
            << (i.transposes ? ", transposed" : "");
    } else {
        out << "  " << i.m << 'x' << i.n << 'x' << i.k;
        if (i.blocks > 1)
            out << ", " << i.blocks << " blocks";
        out << "  " << info(i.a).name << " x " << info(i.b).name << " -> " << info(i.c).name;
    }
    out << "\n";
}

} // namespace inspect
