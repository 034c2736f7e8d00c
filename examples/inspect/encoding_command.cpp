#include "chips.hpp"
#include "commands.hpp"
#include "pictures.hpp"
#include "read_encoding.hpp"

#include <tegula/drawing/analysis.hpp>
#include <tegula/drawing/explain.hpp>

namespace inspect {

namespace {

using tegula::encoding_value;
using tegula::text_out;

/// The cost of the encoding on a chip, for elements of some bits in an order in memory.
struct cost
{
    const tegula::chip_info* chip = nullptr; ///< null: not asked for
    tegula::access_question question;

    bool has_banks(const encoding_value& e) const { return e.num_x() == 1 || e.num_x() == 2; }
    tegula::bank_analysis banks(const encoding_value& e, tegula::access_kind kind) const
    {
        return analyze_banks(e, *chip, kind, question);
    }
};

cost cost_of(const encoding_request& request)
{
    cost c;
    if (request.arch.empty() != (request.bits == 0) || (request.column_major && request.bits == 0))
        throw bad_input("the analysis needs a chip and the width of an element; give --arch and --bits");
    if (request.arch.empty())
        return c;
    c.chip = &chip_of(request.arch);
    require_element_bits(request.bits);
    c.question = {c.chip->wave_size, request.bits,
                  request.column_major ? tegula::tile_order::column_major : tegula::tile_order::row_major};
    return c;
}

template <class Sink>
void write_cost_json(text_out<Sink>& out, const encoding_value& e, const cost& c)
{
    const auto global = analyze_coalescing(e, c.question);
    const auto covered = analyze_coverage(e, c.question.element_bits);
    out << ",\"analysis\":{\"vector\":" << global.vector << ",\"access_bytes\":" << global.access_bytes
        << ",\"accesses\":" << global.accesses << ",\"sectors_per_access\":" << global.sectors_per_access
        << ",\"fewest_sectors\":" << global.fewest_sectors << ",\"registers\":" << covered.register_words;
    if (c.has_banks(e)) {
        const auto load = c.banks(e, tegula::access_kind::load), store = c.banks(e, tegula::access_kind::store);
        out << ",\"load_conflicts\":" << load.conflicts << ",\"store_conflicts\":" << store.conflicts
            << ",\"bank_rule\":\"" << (load.rule_is_published && store.rule_is_published ? "published" : "assumed")
            << '"';
    }
    out << '}';
}

void write_cost_words(standard_output& sink, const encoding_value& e, const cost& c)
{
    const auto global = analyze_coalescing(e, c.question);
    const auto covered = analyze_coverage(e, c.question.element_bits);
    text_out out(sink);
    out << "On " << c.chip->name << ", with elements of " << c.question.element_bits
        << " bits: " << covered.register_words << (covered.register_words == 1 ? " register" : " registers")
        << " a lane; " << global.accesses << (global.accesses == 1 ? " access of " : " accesses of ")
        << global.access_bytes << " bytes a lane, each touching up to " << global.sectors_per_access
        << " sectors of 32 bytes (at least " << global.fewest_sectors << ").";
    if (c.has_banks(e)) {
        const auto load = c.banks(e, tegula::access_kind::load), store = c.banks(e, tegula::access_kind::store);
        out << " The tile packed in shared memory: " << load.conflicts << " extra cycles a wave to load it, "
            << store.conflicts << " to store it"
            << (load.rule_is_published && store.rule_is_published ? "."
                                                                  : " (assumed: no published bank rule was found).");
    }
    out << "\n";
}

void write_answer(standard_output& sink, const encoding_value& e, const cost& c)
{
    text_out out(sink);
    out << "{\"x_lengths\":";
    write_numbers(out, x_lengths(e));
    out << ",\"p_lengths\":";
    write_numbers(out, p_lengths(e));
    out << ",\"y_lengths\":";
    write_numbers(out, y_lengths(e));
    out << ",\"replication\":" << replication(e) << ",\"map\":";
    write_map(out, e);
    if (c.chip != nullptr)
        write_cost_json(out, e, c);
    out << "}\n";
}

} // namespace

void run_encoding(const encoding_request& request)
{
    const encoding_value e = read_encoding(request.json);
    const cost c = cost_of(request);
    tegula::html_page page;
    if (c.chip != nullptr) {
        page.chip = c.chip->name;
        page.element_bits = request.bits;
    }
    show_encoding(request.output, e, "Tile distribution", [&](standard_output& out) { write_answer(out, e, c); }, page);
    if (!request.output.is_summary())
        return;
    standard_output out;
    explain(out, e);
    if (c.chip != nullptr)
        write_cost_words(out, e, c);
    out.finish();
}

} // namespace inspect
