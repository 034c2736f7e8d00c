#include "tensor_core_rows.hpp"

#include "mma_records.hpp"
#include "pictures.hpp"

#include <tegula/chip/tensor_memory.hpp>
#include <tegula/mma/tcgen05_scaled.hpp>

#include <cstdio>

namespace inspect {

using tegula::element_kind;
using tegula::text_out;

namespace {

using enum element_kind;

/// An element type of a kind and its code in the instruction descriptor.
struct typed
{
    element_kind kind;
    int code;
};
constexpr typed small_floats[] = {{f8e4m3, 0}, {f8e5m2, 1}, {f6e2m3, 3}, {f6e3m2, 4}, {f4e2m1, 5}};
constexpr typed integers[] = {{u8, 0}, {i8, 1}};

std::string ptx_name(element_kind kind)
{
    switch (kind) {
    case i8:
        return "s8";
    case i32:
        return "s32";
    default: {
        const std::string name = info(kind).name;
        const bool small = name.size() == 6 && name[0] == 'f'; // f8e4m3
        return small ? name.substr(2) : name;
    }
    }
}

class rows_of_arch
{
public:
    explicit rows_of_arch(const char* arch) : arch_(arch) {}

    std::vector<tensor_core_row> list()
    {
        for (const int blocks : {1, 2})
            add_blocks(blocks);
        return std::move(rows_);
    }

private:
    void add_blocks(int blocks)
    {
        add("f16", blocks, 16, {f16, 0}, {f16, 0}, f16);
        add("f16", blocks, 16, {f16, 0}, {f16, 0}, f32);
        add("f16", blocks, 16, {bf16, 1}, {bf16, 1}, f32);
        add("tf32", blocks, 8, {tf32, 2}, {tf32, 2}, f32);
        for (int a = 0; a < 2; ++a)
            for (int b = 0; b < 2; ++b)
                for (const element_kind c : {f16, f32})
                    add("f8f6f4", blocks, 32, small_floats[a], small_floats[b], c);
        if (std::string(arch_) == "sm_100a")
            for (const typed& a : integers)
                for (const typed& b : integers)
                    add("i8", blocks, 32, a, b, i32);
        for (const typed& a : small_floats)
            for (const typed& b : small_floats)
                if (a.kind != f4e2m1 || b.kind != f4e2m1) // mxf4's
                    add_scaled("mxf8f6f4.block_scale.block32", blocks, 32, a, b, true);
        add_scaled("mxf4.block_scale.block32", blocks, 64, {f4e2m1, 1}, {f4e2m1, 1}, true);
        add_scaled("mxf4nvf4.block_scale.block16", blocks, 64, {f4e2m1, 1}, {f4e2m1, 1}, false);
    }

    void add(const char* kind, int blocks, int k, typed a, typed b, element_kind c)
    {
        tegula::tcgen05_instruction d;
        d.result = c == f16 ? 0 : c == f32 ? 1 : 2;
        d.a = a.code;
        d.b = b.code;
        d.m = 128 * blocks;
        push(kind, blocks, k, a, b, c, d.pack());
    }
    void add_scaled(const char* kind, int blocks, int k, typed a, typed b, bool powers)
    {
        push(kind, blocks, k, a, b, f32,
             tegula::tcgen05_scaled_instruction{a.code, b.code, powers, 128 * blocks, 256, 0, 0}.pack());
    }
    void push(const char* kind, int blocks, int k, typed a, typed b, element_kind c, std::uint32_t descriptor)
    {
        rows_.push_back({arch_, "tcgen05.mma.cta_group::" + std::to_string(blocks) + ".kind::" + kind,
                         ptx_name(c) + "." + ptx_name(a.kind) + "." + ptx_name(b.kind), blocks, 128 * blocks, 256, k,
                         a.kind, b.kind, c, descriptor});
    }

    const char* arch_;
    std::vector<tensor_core_row> rows_;
};

template <class Sink>
void write_words(detail::object_writer<Sink>& object, const tensor_core_row& row)
{
    object.word("kind", "tcgen05");
    object.word("vendor", "nvidia");
    object.word("arch", row.arch);
    object.word("instruction", row.instruction.c_str());
    object.word("variant", row.variant.c_str());
    object.number("wave", 1); // one lane issues it
    object.number("cta_group", row.blocks);
    object.number("m", row.m);
    object.number("n", row.n);
    object.number("k", row.k);
    object.number("blocks", 1);
    object.word("a_type", info(row.a).name);
    object.word("b_type", info(row.b).name);
    object.word("c_type", info(row.c).name);
    object.word("compiler", "nvcc 13");
    object.word("layout_witness", "CuTe");
}

/// Lane-major over the words of the first block's tensor memory, as golden/README.md has it for registers.
void write_full_record(standard_output& sink, const tensor_core_row& row)
{
    detail::object_writer<standard_output> object(sink);
    object.word("id", (std::string(row.arch) + "/" + row.instruction + "/" + row.variant).c_str());
    write_words(object, row);
    for (const char* name : {"A", "B"}) {
        object.key(name) << "null";
        object.key(name[0] == 'A' ? "a" : "b", "_source") << "\"shared\"";
    }
    char descriptor[16];
    std::snprintf(descriptor, sizeof(descriptor), "0x%08x", static_cast<unsigned>(row.descriptor));
    object.word("descriptor", descriptor);
    const tegula::tensor_product_shape shape = {row.blocks, row.m, row.n};
    std::vector<int> words(static_cast<std::size_t>(tegula::tensor_memory_lanes * shape.columns()), -1);
    for (int r = 0; r < shape.rows(); ++r)
        for (int c = 0; c < row.n; ++c) {
            const tegula::tensor_memory_place at = shape.place(r, c);
            words[static_cast<std::size_t>(at.lane * shape.columns() + at.column)] = r * row.n + c;
        }
    object.word("c_source", "tensor memory");
    object.number("c_bits", 32);
    object.number("c_elems_per_lane", shape.columns());
    auto& out = object.key("C");
    out << '[';
    out.list(static_cast<int>(words.size()), ",", [&](int i) { out << words[static_cast<std::size_t>(i)]; });
    out << ']';
    object.close();
    text_out(sink) << "\n";
}

/// A tile whose rows are lanes of tensor memory and whose elements fill a lane's columns in order, `bits` each.
struct tensor_memory_picture
{
    std::string title, note;
    tegula::picture picture;

    tensor_memory_picture(const tensor_core_row& row, const char* name, int columns, int bits, const char* axis)
        : title(std::string(name) + " of " + row.instruction + " in tensor memory"),
          note(std::string(info(name[0] == 'A' ? row.a : row.c).name) + " in " + std::to_string(columns * bits / 32) +
               " columns: a lane is one of the 128 of tensor memory, r counts " +
               (bits == 32 ? "columns" : "its slots of " + std::to_string(bits) + " bits"))
    {
        if (row.blocks == 2)
            note += "; rows from 128 on are the second block's";
        if (name[0] == 'A')
            note += "; A may be in shared memory instead";
        tegula::encoding_value& e = picture.encoding; // rows are lanes, columns registers
        for (const int length : {tegula::tensor_memory_lanes, columns}) {
            tegula::encoding_value::lengths_type lengths;
            lengths.push_back(length);
            e.hs.push_back(lengths);
        }
        tegula::encoding_value::digits_type lanes;
        lanes.push_back({1, 0});
        e.ps.push_back(lanes);
        e.ys.push_back({2, 0});
        picture.axes[0] = "m";
        picture.axes[1] = axis;
    }
    tensor_memory_picture(const tensor_memory_picture&) = delete;
    tensor_memory_picture& operator=(const tensor_memory_picture&) = delete;

    const tegula::picture* get()
    {
        picture.title = title.c_str();
        picture.note = note.c_str();
        return &picture;
    }
};

/// D, and A if its elements have 8 bits or more; how smaller ones lie in a lane has no witness here.
void draw_tensor_core(const output_choice& output, const tensor_core_row& row)
{
    const int bits = info(row.a).bits;
    tensor_memory_picture a(row, "A", row.k, bits, "k"), c(row, "C", row.n, 32, "n");
    const std::string title = row.instruction + " " + row.variant;
    tegula::product_picture product{title.c_str(), bits >= 8 ? a.get() : nullptr, nullptr, c.get()};
    write_svg(output, product);
    tegula::html_page page;
    const std::string heading = title + " on " + row.arch;
    page.title = heading.c_str();
    if (product.a != nullptr)
        page.tiles.push_back(product.a);
    page.tiles.push_back(product.c);
    page.chip = row.arch;
    write_html(output, page);
    if (!output.ascii)
        return;
    standard_output out;
    if (product.a != nullptr)
        draw_ascii(out, *product.a);
    draw_ascii(out, *product.c);
    out.finish();
}

} // namespace

std::vector<tensor_core_row> tensor_core_rows(const std::string& arch)
{
    std::vector<tensor_core_row> all;
    for (const char* one : {"sm_100a", "sm_103a"})
        if (arch.empty() || arch == one)
            for (tensor_core_row& row : rows_of_arch(one).list())
                all.push_back(std::move(row));
    return all;
}

bool is_tensor_core(const std::string& instruction) { return instruction.starts_with("tcgen05."); }

void write_tensor_core_list_record(standard_output& out, const tensor_core_row& row)
{
    detail::object_writer<standard_output> object(out);
    write_words(object, row);
    object.close();
}

void write_tensor_core_line(standard_output& sink, const tensor_core_row& row)
{
    text_out(sink) << row.arch << "  " << row.instruction.c_str() << ' ' << row.variant.c_str() << "  one lane  "
                   << row.m << 'x' << row.n << 'x' << row.k << "  " << info(row.a).name << " x " << info(row.b).name
                   << " -> " << info(row.c).name << "\n";
}

void run_tensor_core(const mma_request& request)
{
    const std::vector<tensor_core_row> rows = tensor_core_rows(request.arch);
    std::string variants, names;
    const tensor_core_row* found = nullptr;
    for (const tensor_core_row& row : rows) {
        if (row.instruction != request.instruction) {
            if (names.find(row.instruction + ",") == std::string::npos)
                names += row.instruction + ", ";
            continue;
        }
        variants += (variants.empty() ? "" : ", ") + row.variant;
        if (found == nullptr && (request.variant.empty() || request.variant == row.variant))
            found = &row;
    }
    if (variants.empty())
        throw bad_input(
            request.arch + " has no instruction \"" + request.instruction + "\"; " +
            (rows.empty() ? "sm_100a and sm_103a have tcgen05" : "there are " + names.substr(0, names.size() - 2)));
    if (found == nullptr)
        throw bad_input("instruction \"" + request.instruction + "\" has no such form; there is --variant " + variants);
    if (request.output.is_drawn())
        draw_tensor_core(request.output, *found);
    standard_output out;
    if (request.output.json)
        write_full_record(out, *found);
    else if (request.output.is_summary())
        write_tensor_core_line(out, *found);
    out.finish();
}

void write_tensor_core_section(standard_output& sink)
{
    text_out out(sink);
    out << "\n## tcgen05.mma (tensor memory)\n\nOne lane issues it. A and B are in shared memory, C is in tensor "
           "memory: "
           "rows are lanes, columns are columns\n(`tegula-inspect mma sm_100a INSTRUCTION --variant TYPES --svg FILE`, "
           "or `--json`). A may be in tensor memory, too. m is 64\nor 128, of a pair of blocks (cta_group::2) 128 or "
           "256; block-scaled 128 and 256. n is a multiple of 8 or 16 up to 256.\n`tcgen05_atom` and "
           "`tcgen05_scaled_atom` issue and emulate them.\n"
        << "\n| Instruction | k | Types | Architectures | Compiler | Layout | GEMM |\n"
        << "| --- | --- | --- | --- | --- | --- | --- |\n";
    struct page_row
    {
        const char *name, *k, *types, *archs, *uses;
    };
    static constexpr page_row rows[] = {
        {"f16", "16", "f16 x f16 -> f16 or f32; bf16 x bf16 -> f32", "sm_100a, sm_103a",
         "shipped: bf16 (sm_100a, sm_103a), f16 (sm_100a, sm_103a)"},
        {"tf32", "8", "tf32 x tf32 -> f32", "sm_100a, sm_103a", "shipped: tf32 (sm_100a, sm_103a)"},
        {"f8f6f4", "32", "f8e4m3 or f8e5m2, each of either -> f16 or f32", "sm_100a, sm_103a",
         "shipped: f8e4m3 (sm_100a, sm_103a)"},
        {"i8", "32", "i8 or u8, each of either -> i32", "sm_100a", "shipped: i8 (sm_100a)"},
        {"mxf8f6f4.block_scale.block32", "32", "f8e4m3, f8e5m2, f6e2m3, f6e3m2 or f4e2m1, each of either -> f32",
         "sm_100a, sm_103a", "shipped: mxfp6_e2m3 (sm_100a, sm_103a), mxfp8_e4m3 (sm_100a, sm_103a)"},
        {"mxf4.block_scale.block32", "64", "f4e2m1 x f4e2m1 -> f32", "sm_100a, sm_103a",
         "shipped: mxfp4 (sm_100a, sm_103a)"},
        {"mxf4nvf4.block_scale.block16", "64", "f4e2m1 x f4e2m1 -> f32", "sm_100a, sm_103a",
         "shipped: nvfp4 (sm_100a, sm_103a)"},
    };
    for (const page_row& r : rows)
        out << "| `tcgen05.mma.cta_group::{1,2}.kind::" << r.name << "` | " << r.k << " | " << r.types << " | "
            << r.archs << " | nvcc 13 | CuTe | " << r.uses << " |\n";
}

} // namespace inspect
