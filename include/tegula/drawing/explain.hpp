#pragma once

#include <tegula/drawing/draw.hpp>
#include <tegula/layout/access_plan.hpp>

namespace tegula {

namespace detail {

template <class Sink>
void write_count(text_out<Sink>& out, long_index_t n, const char* what)
{
    out << n << ' ' << what << (n == 1 ? "" : "s");
}

/// Writes, for example, "x0 counts 4 waves, in each of them 16 lanes": the digits from the slowest to the fastest, without
/// those of length 1.
template <class Sink>
void explain_dimension(text_out<Sink>& out, const encoding_value& e, const digit_table& t, int dim)
{
    out << 'x' << dim << " counts ";
    const char* separator = "";
    for (const placed_digit& d : t.digits) {
        if (d.x_dim != dim || d.length == 1)
            continue;
        out << separator;
        write_count(out, d.length, d.y_dim >= 0 ? "register" : p_name(d.p_dim, e.num_p()));
        separator = ", in each of them ";
    }
    if (*separator == '\0')
        out << "nothing, its length is 1";
}

/// The digits that one P or all Ys count, fastest first, without those of length 1.
using counted_digits = static_vector<placed_digit, encoding_value::max_y>;

constexpr counted_digits digits_of_p(const encoding_value& e, const digit_table& t, int p)
{
    counted_digits list;
    for (int i = e.ps[p].size() - 1; i >= 0; --i)
        for (const placed_digit& d : t.digits)
            if (d.name == e.ps[p][i] && d.length > 1)
                list.push_back(d);
    return list;
}

constexpr counted_digits digits_of_ys(const encoding_value& e, const digit_table& t)
{
    counted_digits list;
    for (int y = e.num_y() - 1; y >= 0; --y)
        for (const placed_digit& d : t.digits)
            if (d.y_dim == y && d.length > 1)
                list.push_back(d);
    return list;
}

/// Writes "Among 64 lanes, lane + 1 is 1 further along x0 (16 values), lane + 16 is 4 further along x1 (4 values). ",
/// for example.
template <class Sink>
void explain_steps(text_out<Sink>& out, const char* name, const counted_digits& digits)
{
    long_index_t total = 1;
    for (const placed_digit& d : digits)
        total *= d.length;
    out << "Among ";
    write_count(out, total, name);
    long_index_t stride = 1;
    for (const placed_digit& d : digits) {
        out << ", " << name << " + " << stride;
        if (d.x_dim < 0)
            out << " holds the same elements";
        else
            out << " is " << d.x_stride << " further along x" << d.x_dim;
        out << " (" << d.length << " values)";
        stride *= d.length;
    }
    out << ". ";
}

} // namespace detail

/// Says in words what an encoding does: the tile and who shares it, what each dimension counts, where the next lane,
/// wave and register are, how wide an access can be, and what is held more than once. One paragraph.
/// Precondition: validate(e) is empty.
template <text_sink Sink>
void explain(Sink& sink, const encoding_value& e)
{
    text_out out(sink);
    const digit_table t = make_digit_table(e);
    const picture source{e};
    out << "A tile of ";
    write_summary(sink, tile_view(source));
    out << ". ";
    for (int i = 0; i < e.num_x(); ++i) {
        detail::explain_dimension(out, e, t, i);
        out << ". ";
    }
    for (int p = e.num_p() - 1; p >= 0; --p)
        if (p_length(e, p) > 1)
            detail::explain_steps(out, detail::p_name(p, e.num_p()), detail::digits_of_p(e, t, p));
    if (registers_per_lane(e) > 1)
        detail::explain_steps(out, "register", detail::digits_of_ys(e, t));
    for (int i = e.num_x() - 1; i >= 0; --i)
        if (const long_index_t run = internal::contiguous_run(e, i); run > 1) {
            out << "Along x" << i << " a lane holds runs of " << run
                << " neighbours, which one vector access can move. ";
            break;
        }
    if (replication(e) == 1)
        out << "No element is held twice.";
    else
        out << "Every element is held " << replication(e)
            << " times; only the replica whose R digits are 0 should write it.";
    out << "\n";
}

} // namespace tegula
