#include "chips.hpp"
#include "commands.hpp"
#include "mma_rows.hpp"
#include "pictures.hpp"
#include "read_encoding.hpp"

#include <tegula/mma/table/operand_encoding.hpp>
#include <tegula/reference/run_conversion.hpp>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace inspect {

namespace {

using tegula::chip_info;
using tegula::conversion_method;
using tegula::conversion_plan;
using tegula::encoding_value;
using tegula::text_out;

/// The encoding of an operand named INSTRUCTION:A.
encoding_value operand_of(const convert_request& request, const chip_info& chip)
{
    const std::size_t colon = request.operand.rfind(':');
    const std::string letter = colon == std::string::npos ? "" : request.operand.substr(colon + 1);
    if (letter != "A" && letter != "B" && letter != "C")
        throw bad_input("--mma " + request.operand +
                        " names no operand; write INSTRUCTION:A, INSTRUCTION:B or "
                        "INSTRUCTION:C");
    const tegula::gpu_arch arch = arch_of(request.arch);
    mma_request row;
    row.arch = request.arch;
    row.instruction = request.operand.substr(0, colon);
    if (tegula::find_instruction(arch, row.instruction.c_str(), chip.wave_size) != nullptr)
        row.wave = chip.wave_size;
    const tegula::instruction& i = row_of(row, arch);
    const auto which = static_cast<tegula::operand>(letter[0] - 'A');
    if (!in_registers(i, which))
        throw bad_input("operand " + letter + " of " + row.instruction +
                        " is in shared memory; a conversion ends in registers");
    return operand_encoding(i, which);
}

encoding_value destination_of(const convert_request& request, const chip_info& chip)
{
    if (request.destination.empty() == request.operand.empty())
        throw bad_input("convert needs one destination: DST, or --mma INSTRUCTION:A|B|C");
    return request.operand.empty() ? read_encoding(request.destination) : operand_of(request, chip);
}

conversion_plan make_plan(const convert_request& request, const chip_info& chip, const encoding_value& source,
                          const encoding_value& destination)
{
    if (!request.force.empty() && request.force != "shared")
        throw bad_input("--force " + request.force + " is not known; there is --force shared");
    tegula::conversion_limits limits;
    limits.force_shared = request.force == "shared";
    if (request.shared_bytes > 0)
        limits.shared_bytes = request.shared_bytes;
    const tegula::status s = check_conversion(chip, source, destination, request.bits, limits);
    if (!s.ok())
        throw bad_input(s.message());
    conversion_plan plan = plan_conversion(chip, source, destination, request.bits, limits);
    if (plan.method == conversion_method::shared)
        count_conflicts(chip, plan);
    return plan;
}

/// Runs the plan on the numbers of all elements.
void verify(const conversion_plan& plan, const encoding_value& source)
{
    std::vector<tegula::long_index_t> lengths;
    for (tegula::long_index_t n : x_lengths(source))
        lengths.push_back(n);
    if (const auto wrong = count_wrong_elements(plan, lengths))
        throw std::runtime_error("the plan puts a wrong element into " + std::to_string(wrong) + " registers");
}

template <class Sink>
void write_plan(text_out<Sink>& out, const conversion_plan& plan)
{
    const bool shared = plan.method == conversion_method::shared;
    const tegula::shared_staging& p = plan.staging;
    out << "{\"method\":\"" << name_of(plan.method) << "\",\"shuffles\":" << plan.shuffles
        << ",\"shared_bytes\":" << (shared ? p.bytes() : 0)
        << ",\"store_vector_bits\":" << (shared ? p.store.vector * plan.element_bits : 0)
        << ",\"load_vector_bits\":" << (shared ? p.load.vector * plan.element_bits : 0)
        << ",\"store_conflicts\":" << (shared ? p.store.conflicts : 0)
        << ",\"load_conflicts\":" << (shared ? p.load.conflicts : 0) << ",\"swizzle\":";
    if (p.swizzle.empty()) {
        out << "null}\n";
        return;
    }
    out << '[';
    out.list(p.swizzle.size(), ",", [&](int i) { out << '[' << p.swizzle[i].bit << ',' << p.swizzle[i].with << ']'; });
    out << "]}\n";
}

template <class Sink>
void write_side(text_out<Sink>& out, const conversion_plan& plan, const char* does, const tegula::held_tile& tile,
                const tegula::staging_side& side)
{
    out << does << ": " << tegula::addressing_tile(tile, side).registers / side.vector << " accesses of "
        << side.vector * plan.staging.slot_bits << " bits a lane";
    if (side.matrices > 0)
        out << " (8x8 matrices, " << side.matrices << " at once" << (side.transposed ? ", transposed)" : ")");
    if (side.reads_columns)
        out << " (columns of rows that 4 lanes name)";
    out << ", " << side.conflicts << " extra cycles in total.\n";
}

/// The plan in words.
template <class Sink>
void write_words(text_out<Sink>& out, const conversion_plan& plan)
{
    switch (plan.method) {
    case conversion_method::none:
        out << "Nothing to do: every lane has its elements in their registers.\n";
        return;
    case conversion_method::registers:
        out << "Inside the lanes: registers are renamed"
            << (plan.by_gather || !plan.exchange.picks.empty() ? " or chosen by the lane.\n" : ".\n");
        return;
    case conversion_method::shuffle:
        out << "Inside the waves: " << plan.shuffles << " shuffles of 32 bits a lane.\n";
        return;
    default:
        break;
    }
    const tegula::shared_staging& p = plan.staging;
    out << "Through " << p.bytes() << " bytes of shared memory"
        << (p.within_waves ? ", each wave what it has written itself" : "");
    if (p.chunks() > 1)
        out << ", in " << p.chunks() << " chunks";
    out << (!p.by_xor ? ", in rows" : p.swizzle.empty() ? ", without a swizzle" : ", swizzled") << ".\n";
    write_side(out, plan, "Written", plan.sides.source, p.store);
    write_side(out, plan, "Read", plan.sides.destination, p.load);
    for (const tegula::swizzled_bit& s : p.swizzle)
        out << "Address bit " << s.bit << " is XORed with bit " << s.with << ".\n";
}

/// The number behind ` name="` in the first line of a drawing.
int attribute(const std::string& svg, const std::string& name)
{
    const std::size_t at = svg.find(' ' + name + "=\"");
    return at == std::string::npos ? 0 : std::stoi(svg.substr(at + name.size() + 3));
}

/// Both drawings one below the other.
void write_svg_of_both(const output_choice& output, const tegula::picture& source, const tegula::picture& destination)
{
    if (output.svg_file.empty())
        return;
    text_buffer first, second;
    draw_svg(first, source);
    draw_svg(second, destination);
    const int height = attribute(first.text, "height");
    const int width = std::max(attribute(first.text, "width"), attribute(second.text, "width"));
    const std::string size = "width=\"" + std::to_string(width) + "\" height=\"" +
                             std::to_string(height + attribute(second.text, "height")) + "\"";
    write_file(output.svg_file, "<svg xmlns=\"http://www.w3.org/2000/svg\" " + size + ">\n" + first.text +
                                    "<g transform=\"translate(0 " + std::to_string(height) + ")\">\n" + second.text +
                                    "</g>\n</svg>\n");
}

} // namespace

void run_convert(const convert_request& request)
{
    const chip_info& chip = chip_of(request.arch);
    const encoding_value source = read_encoding(request.source);
    const encoding_value destination = destination_of(request, chip);
    const conversion_plan plan = make_plan(request, chip, source, destination);
    verify(plan, source);
    const tegula::picture before{source, "Source"};
    const tegula::picture after{destination, "Destination"};
    write_svg_of_both(request.output, before, after);
    text_buffer words;
    text_out described(words);
    write_words(described, plan);
    tegula::html_page page{"Change of distribution", "", {&before, &after}};
    page.plan = words.text.c_str();
    page.chip = chip.name;
    page.element_bits = request.bits;
    write_html(request.output, page);
    standard_output sink;
    text_out out(sink);
    if (request.output.json)
        write_plan(out, plan);
    if (request.output.ascii || request.output.is_summary())
        write_words(out, plan);
    if (request.output.ascii) {
        draw_ascii(sink, before);
        draw_ascii(sink, after);
    }
    if (request.output.is_summary()) {
        write_summary_or_table(sink, before);
        write_summary_or_table(sink, after);
    }
    sink.finish();
}

} // namespace inspect
