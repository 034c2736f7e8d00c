#include "commands.hpp"
#include "pictures.hpp"
#include "read_encoding.hpp"

#include <vector>

namespace inspect {

namespace {

using tegula::encoding_value;
using tegula::long_index_t;
using tegula::long_indices;
using tegula::text_out;

constexpr long_index_t max_entries = 1 << 26;

template <class Sink, class List>
void write_numbers(text_out<Sink>& out, const List& list)
{
    out << '[';
    out.list(list.size(), ",", [&](int i) { out << list[i]; });
    out << ']';
}

/// Walks the registers of a lane in the order of ys_to_d: x moves along with the Y that changed.
class register_walk
{
public:
    register_walk(const encoding_value& e, const tegula::digit_table& table, const long_indices& origin)
        : x(origin), y_(tegula::zeros(e.num_y())), digits_(e.num_y())
    {
        for (const tegula::placed_digit& d : table.digits)
            if (d.y_dim >= 0)
                digits_[d.y_dim] = d;
    }

    long_indices x; ///< element in the current register

    void advance()
    {
        for (int i = y_.size() - 1; i >= 0; --i) {
            const tegula::placed_digit& d = digits_[i];
            x[d.x_dim] += d.x_stride;
            if (++y_[i] < d.length)
                return;
            x[d.x_dim] -= d.length * d.x_stride;
            y_[i] = 0;
        }
    }

private:
    long_indices y_;
    std::vector<tegula::placed_digit> digits_;
};

/// [[[x0,x1,..] per register] per flattened P]
template <class Sink>
void write_map(text_out<Sink>& out, const encoding_value& e)
{
    const tegula::digit_table table = make_digit_table(e);
    const long_index_t registers = registers_per_lane(e);
    const long_indices first = tegula::zeros(e.num_y());
    out << '[';
    for (long_index_t flat = 0; flat < partition_size(e); ++flat) {
        out << (flat > 0 ? ",[" : "[");
        register_walk walk(e, table, calculate_index(table, unflatten(flat, p_lengths(e), e.num_p()), first));
        for (long_index_t i = 0; i < registers; ++i, walk.advance()) {
            out << (i > 0 ? "," : "");
            write_numbers(out, walk.x);
        }
        out << ']';
    }
    out << ']';
}

void require_printable_map(const encoding_value& e)
{
    const long_index_t entries = partition_size(e) * registers_per_lane(e);
    if (entries > max_entries)
        throw bad_input("the map of this encoding has " + std::to_string(entries) +
                        " entries and --json prints at most " + std::to_string(max_entries) +
                        "; draw a part with --ascii or --svg");
}

void write_answer(standard_output& sink, const encoding_value& e)
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
    out << "}\n";
}

} // namespace

void run_encoding(const encoding_request& request)
{
    const encoding_value e = read_encoding(request.json);
    if (request.output.json)
        require_printable_map(e);
    text_buffer notation;
    write_json(notation, e);
    tegula::picture picture{e, "Tile distribution"};
    if (notation.text.size() <= 160)
        picture.note = notation.text.c_str();
    write_svg(request.output, picture);
    standard_output out;
    if (request.output.json)
        write_answer(out, e);
    if (request.output.ascii)
        draw_ascii(out, picture);
    if (request.output.is_summary()) {
        write_type(out, e);
        text_out(out) << "\n";
        write_summary_or_table(out, picture);
    }
    out.finish();
}

} // namespace inspect
