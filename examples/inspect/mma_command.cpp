#include "commands.hpp"
#include "mma_records.hpp"
#include "mma_rows.hpp"
#include "pictures.hpp"
#include "tensor_core_rows.hpp"

#include <tegula/mma/table/instruction_table.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

namespace inspect {

using tegula::gpu_arch;
using tegula::instruction;
using tegula::operand;
using tegula::text_out;

gpu_arch arch_of(const std::string& name)
{
    gpu_arch arch{};
    if (tegula::find_arch(name.c_str(), arch))
        return arch;
    std::string all;
    for (int i = 0; i < tegula::num_gpu_archs; ++i)
        all += (i > 0 ? ", " : "") + std::string(tegula::name_of(static_cast<gpu_arch>(i)));
    throw bad_input("architecture \"" + name + "\" is not in the table; there are " + all);
}

namespace {

/// Edits that turn a into b.
int distance(const std::string& a, const std::string& b)
{
    std::vector<int> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 0; i < a.size(); ++i) {
        int diagonal = row[0];
        row[0] = static_cast<int>(i) + 1;
        for (std::size_t k = 0; k < b.size(); ++k) {
            const int replaced = diagonal + (a[i] != b[k]);
            diagonal = row[k + 1];
            row[k + 1] = std::min({replaced, row[k] + 1, diagonal + 1});
        }
    }
    return row.back();
}

[[noreturn]] void refuse_name(gpu_arch arch, const std::string& name)
{
    std::string nearest;
    int least = 1 << 30;
    for (const instruction& i : tegula::instruction_table()) {
        const std::string other = name_of(i).c_str();
        const int edits = available_on(i, arch) ? distance(name, other) : 1 << 30;
        if (edits < least) {
            least = edits;
            nearest = other;
        }
    }
    throw bad_input(std::string(tegula::name_of(arch)) + " has no instruction \"" + name + "\"; did you mean \"" +
                    nearest + "\"? mma --list names all");
}

/// The forms of an instruction in words: "wave32; wave32 with --variant opsel_hi; wave64".
std::string forms_of(gpu_arch arch, const std::string& name)
{
    std::string forms;
    for (const instruction& i : tegula::instruction_table()) {
        if (!available_on(i, arch) || !has_name(i, name.c_str()))
            continue;
        const std::string wave = "--wave " + std::to_string(i.wave);
        const char* variant = name_of(i.variant);
        forms += (forms.empty() ? "" : "; ") + wave + (variant ? " --variant " + std::string(variant) : "");
    }
    return forms;
}

} // namespace

const instruction& row_of(const mma_request& request, gpu_arch arch)
{
    const std::string& name = request.instruction;
    if (forms_of(arch, name).empty())
        refuse_name(arch, name);
    auto variant = tegula::instruction_variant::none;
    const bool known = request.variant.empty() || tegula::find_variant(request.variant.c_str(), variant);
    const instruction* row = known ? tegula::find_instruction(arch, name.c_str(), request.wave, variant) : nullptr;
    if (!row)
        throw bad_input("instruction \"" + name + "\" of " + request.arch + " has no such form; there is " +
                        forms_of(arch, name));
    return *row;
}

namespace {

/// Calls f(row, arch) for every record of the table, or for those of one architecture.
template <class F>
void for_each_record(const std::string& only, F&& f)
{
    for (const instruction& i : tegula::instruction_table())
        for (int a = 0; a < tegula::num_gpu_archs; ++a) {
            const gpu_arch arch = static_cast<gpu_arch>(a);
            if (i.archs.contains(arch) && (only.empty() || only == name_of(arch)))
                f(i, arch);
        }
}

void list_instructions(const mma_request& request)
{
    if (!request.instruction.empty())
        throw bad_input("--list takes no instruction; give an architecture or nothing");
    if (request.output.is_drawn())
        throw bad_input("--list cannot be drawn; name an instruction");
    if (!request.arch.empty())
        arch_of(request.arch);
    standard_output sink;
    text_out out(sink);
    if (request.output.json) {
        const char* separator = "[\n";
        for_each_record(request.arch, [&](const instruction& i, gpu_arch arch) {
            out << separator;
            write_list_record(sink, i, arch);
            separator = ",\n";
        });
        for (const tensor_core_row& row : tensor_core_rows(request.arch)) {
            out << separator;
            write_tensor_core_list_record(sink, row);
            separator = ",\n";
        }
        out << "\n]\n";
    } else {
        for_each_record(request.arch, [&](const instruction& i, gpu_arch arch) { write_list_line(sink, i, arch); });
        for (const tensor_core_row& row : tensor_core_rows(request.arch))
            write_tensor_core_line(sink, row);
    }
    sink.finish();
}

/// Words of a picture that have to outlive it.
struct operand_picture
{
    std::string title, note;
    tegula::picture picture;
};

operand_picture picture_of(const instruction& i, const char* name, const tegula::operand_layout& layout,
                           const char* type, std::vector<const char*> axes)
{
    operand_picture p;
    p.title = std::string(name) + " of " + name_of(i).c_str();
    p.note = std::string(type) + " in " + std::to_string(layout.registers) +
             (layout.registers == 1 ? " register" : " registers");
    if (layout.slot_bits < 32)
        p.note += ", r counts slots of " + std::to_string(layout.slot_bits) + " bits";
    if (layout.slot_bits > 32)
        p.note += ", r counts register pairs";
    p.picture.encoding = layout.encoding;
    p.picture.register_stride = layout.pattern.stride;
    p.picture.register_offset = layout.pattern.offset;
    if (layout.encoding.num_x() == 3)
        axes.insert(axes.begin(), "block");
    std::copy(axes.begin(), axes.end(), p.picture.axes);
    return p;
}

/// The scales of an operand of v_mfma_scale_* and v_wmma_scale_*: a byte for 32 of k in gfx950's lanes, a word for 128 of
/// k in gfx1250's.
operand_picture picture_of_scales(const instruction& i, operand which)
{
    const bool is_a = which == operand::a;
    const long rows = is_a ? i.m : i.n, blocks = i.k / 32;
    const int row = is_a ? 1 : 2, block = is_a ? 2 : 1; // dimensions, from 1 on
    tegula::encoding_value e;
    e.hs = {tegula::encoding_value::lengths_type{is_a ? rows : blocks},
            tegula::encoding_value::lengths_type{is_a ? blocks : rows}};
    const tegula::rh_digit of_row{row, 0}, of_block{block, 0};
    if (i.wave == 64) {
        e.ps = {tegula::encoding_value::digits_type{of_block, of_row}};
    } else {
        e.ps = {tegula::encoding_value::digits_type{of_row}};
        e.ys = {of_block};
    }
    operand_picture p;
    p.title = std::string("Scales of ") + (is_a ? "A" : "B") + " of " + name_of(i).c_str();
    p.note = i.wave == 64 ? "a byte of a register, which the instruction chooses"
             : rows == 32 ? "a byte each of a register"
                          : "a byte each of a register; of lanes 16 to 31 instead, if the instruction says so";
    p.picture.encoding = e;
    p.picture.axes[0] = is_a ? "m" : "block of k";
    p.picture.axes[1] = is_a ? "block of k" : "n";
    return p;
}

/// The operands of an instruction that are in registers, in the order A, B, C and scales of A, of B; R of a copy.
std::vector<operand_picture> pictures_of(const instruction& i)
{
    std::vector<operand_picture> all;
    if (kind_of(i) == tegula::instruction_kind::copy) {
        all.push_back(picture_of(i, "R", tegula::make_copy_layout(i), "b16", {"row", "column"}));
    } else {
        const std::vector<const char*> axes[] = {{"m", "k"}, {"k", "n"}, {"m", "n"}};
        const char* const names[] = {"A", "B", "C"};
        const tegula::element_kind types[] = {i.a, i.b, i.c};
        for (operand which : {operand::a, operand::b, operand::c})
            if (const int at = static_cast<int>(which); in_registers(i, which))
                all.push_back(picture_of(i, names[at], make_operand_layout(i, which), info(types[at]).name, axes[at]));
    }
    if (i.block_scaled && kind_of(i) != tegula::instruction_kind::copy && std::string(vendor_of(i)) == "amd") {
        all.push_back(picture_of_scales(i, operand::a));
        all.push_back(picture_of_scales(i, operand::b));
    }
    for (operand_picture& p : all) {
        p.picture.title = p.title.c_str();
        p.picture.note = p.note.c_str();
    }
    return all;
}

void draw_instruction(const output_choice& output, const instruction& i, const std::vector<operand_picture>& all)
{
    if (kind_of(i) == tegula::instruction_kind::copy) {
        write_svg(output, all[0].picture);
        return;
    }
    const std::string title = name_of(i).c_str();
    const std::size_t operands = std::min<std::size_t>(all.size(), 3); // scales are drawn by --html and --ascii
    tegula::product_picture product{title.c_str(), &all[0].picture, nullptr, &all[operands - 1].picture};
    if (operands == 3)
        product.b = &all[1].picture;
    write_svg(output, product);
}

void write_page(const output_choice& output, const instruction& i, gpu_arch arch,
                const std::vector<operand_picture>& all)
{
    const std::string title = std::string(name_of(i).c_str()) + " on " + tegula::name_of(arch);
    tegula::html_page page;
    page.title = title.c_str();
    for (const operand_picture& p : all)
        page.tiles.push_back(&p.picture);
    if (const tegula::chip_info* chip = tegula::chip::find(tegula::name_of(arch)))
        page.chip = chip->name;
    else
        page.chip = i.wave == 64 ? "gfx942" : "sm_80";
    write_html(output, page);
}

} // namespace

void run_mma(const mma_request& request)
{
    if (request.markdown) {
        if (!request.list || !request.arch.empty() || request.output.json)
            throw bad_input("--markdown prints the page of all instructions: mma --list --markdown");
        write_instruction_page();
        return;
    }
    if (request.list) {
        list_instructions(request);
        return;
    }
    if (request.arch.empty() || request.instruction.empty())
        throw bad_input("mma needs an architecture and an instruction, or --list");
    const gpu_arch arch = arch_of(request.arch);
    if (is_tensor_core(request.instruction)) {
        run_tensor_core(request);
        return;
    }
    const instruction& i = row_of(request, arch);
    const std::vector<operand_picture> pictures = pictures_of(i);
    draw_instruction(request.output, i, pictures);
    write_page(request.output, i, arch, pictures);
    standard_output out;
    if (request.output.json)
        write_record(out, i, arch);
    if (request.output.is_summary())
        write_list_line(out, i, arch);
    for (const operand_picture& p : pictures)
        if (request.output.ascii)
            draw_ascii(out, p.picture);
        else if (request.output.is_summary())
            write_summary_or_table(out, p.picture);
    out.finish();
}

} // namespace inspect
