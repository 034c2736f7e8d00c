#pragma once

// The map of an encoding as JSON.

#include "output.hpp"

#include <tegula/layout/digit_table.hpp>
#include <tegula/notation/text.hpp>

#include <string>
#include <vector>

namespace inspect {

inline constexpr tegula::long_index_t max_map_entries = 1 << 26;

template <class Sink, class List>
void write_numbers(tegula::text_out<Sink>& out, const List& list)
{
    out << '[';
    out.list(list.size(), ",", [&](int i) { out << list[i]; });
    out << ']';
}

/// Walks the registers of a lane in the order of ys_to_d: x moves along with the Y that changed.
class register_walk
{
public:
    register_walk(const tegula::encoding_value& e, const tegula::digit_table& table, const tegula::long_indices& origin)
        : x(origin), y_(tegula::zeros(e.num_y())), digits_(e.num_y())
    {
        for (const tegula::placed_digit& d : table.digits)
            if (d.y_dim >= 0)
                digits_[d.y_dim] = d;
    }

    tegula::long_indices x; ///< element in the current register

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
    tegula::long_indices y_;
    std::vector<tegula::placed_digit> digits_;
};

/// [[[x0,x1,..] per register] per flattened P]
template <class Sink>
void write_map(tegula::text_out<Sink>& out, const tegula::encoding_value& e)
{
    const tegula::digit_table table = make_digit_table(e);
    const tegula::long_index_t registers = registers_per_lane(e);
    const tegula::long_indices first = tegula::zeros(e.num_y());
    out << '[';
    for (tegula::long_index_t flat = 0; flat < partition_size(e); ++flat) {
        out << (flat > 0 ? ",[" : "[");
        register_walk walk(e, table, calculate_index(table, unflatten(flat, p_lengths(e), e.num_p()), first));
        for (tegula::long_index_t i = 0; i < registers; ++i, walk.advance()) {
            out << (i > 0 ? "," : "");
            write_numbers(out, walk.x);
        }
        out << ']';
    }
    out << ']';
}

/// Refuses a map that is too long to be printed.
inline void require_printable_map(const tegula::encoding_value& e)
{
    const tegula::long_index_t entries = partition_size(e) * registers_per_lane(e);
    if (entries > max_map_entries)
        throw bad_input("the map of this encoding has " + std::to_string(entries) +
                        " entries and --json prints at most " + std::to_string(max_map_entries) +
                        "; draw a part with --ascii or --svg");
}

} // namespace inspect
