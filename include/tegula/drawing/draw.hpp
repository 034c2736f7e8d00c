#pragma once

#include <tegula/layout/digit_table.hpp>
#include <tegula/notation/text.hpp>

namespace tegula {

/// A tile to draw: an encoding, what to call it and its dimensions, and how its registers are numbered.
struct picture
{
    encoding_value encoding; ///< valid
    const char* title = "";
    const char* note = ""; ///< added to the summary
    const char* axes[encoding_value::max_x] = {"x0", "x1", "x2", "x3", "x4", "x5"};
    /// The number drawn for register position i (row-major over Y) is i * register_stride + register_offset.
    int register_stride = 1;
    int register_offset = 0;
};

/// The values that one P takes over the replicas of an element: a first one plus multiples of a few strides.
struct replica_set
{
    static_vector<placed_digit, encoding_value::max_minors> digits; ///< by falling stride
    long_index_t count = 1;

    /// The i-th smallest value minus the first.
    constexpr long_index_t offset(long_index_t i) const
    {
        long_index_t sum = 0;
        for (int k = digits.size() - 1; k >= 0; --k) {
            sum += i % digits[k].length * digits[k].p_stride;
            i /= digits[k].length;
        }
        return sum;
    }
    /// The common distance of neighbouring values; 0 if there is none.
    constexpr long_index_t step() const
    {
        for (int k = 1; k < digits.size(); ++k)
            if (digits[k - 1].p_stride != digits[k].p_stride * digits[k].length)
                return 0;
        return digits.empty() ? 1 : digits.back().p_stride;
    }
};

/// A picture's tile cut into two-dimensional slices of cells, and who holds each cell.
///
/// The last dimension runs to the right, the one before it down; the others count slices, the last of them fastest.
/// Tiles longer than `limit` are drawn in part: their first rows and columns, up to a multiple of their inner digits.
class tile_view
{
public:
    static constexpr int limit = 64;

    explicit constexpr tile_view(const picture& source)
        : source_(source), table_(make_digit_table(source.encoding)), lengths_(x_lengths(source.encoding))
    {
        const int n = lengths_.size();
        for (int i = 0; i < n - 2; ++i)
            slices_ *= lengths_[i];
        drawn_rows_ = n > 1 ? drawn_length(n - 2) : 1;
        drawn_columns_ = n > 0 ? drawn_length(n - 1) : 1;
        const long_index_t room = limit * limit / (drawn_rows_ * drawn_columns_);
        drawn_slices_ = static_cast<int>(slices_ < room ? slices_ : room);
        for (int p = 0; p < source.encoding.num_p(); ++p)
            replicas_.push_back(find_replicas(p));
    }

    constexpr const picture& source() const { return source_; }
    constexpr const encoding_value& encoding() const { return source_.encoding; }
    constexpr int num_x() const { return lengths_.size(); }
    constexpr long_index_t length(int x_dim) const { return lengths_[x_dim]; }
    constexpr long_index_t rows() const { return num_x() > 1 ? lengths_[num_x() - 2] : 1; }
    constexpr long_index_t columns() const { return num_x() > 0 ? lengths_[num_x() - 1] : 1; }
    constexpr long_index_t slices() const { return slices_; }
    constexpr int drawn_rows() const { return drawn_rows_; }
    constexpr int drawn_columns() const { return drawn_columns_; }
    constexpr int drawn_slices() const { return drawn_slices_; }
    constexpr bool complete() const
    {
        return drawn_rows_ == rows() && drawn_columns_ == columns() && drawn_slices_ == slices_;
    }
    constexpr const replica_set& replicas(int p_dim) const { return replicas_[p_dim]; }

    /// Name of the axis that runs down (offset 2 from the end) or right (offset 1); empty if the tile has none.
    constexpr const char* axis(int from_end) const
    {
        return num_x() >= from_end ? source_.axes[num_x() - from_end] : "";
    }
    /// Index of a slice along the dimensions before the last two.
    constexpr long_indices slice_index(int slice) const { return unflatten(slice, lengths_, num_x() - 2); }

    /// The first holder of a cell.
    constexpr owner holder(int slice, int row, int column) const
    {
        long_indices x = num_x() > 2 ? slice_index(slice) : long_indices{};
        if (num_x() > 1)
            x.push_back(row);
        if (num_x() > 0)
            x.push_back(column);
        return find_owner(table_, x, 0);
    }
    /// The number drawn for the registers of a holder.
    constexpr long_index_t register_number(const owner& o) const
    {
        long_index_t position = 0;
        for (int i = 0; i < encoding().num_y(); ++i)
            position = position * y_length(encoding(), i) + o.y[i];
        return position * source_.register_stride + source_.register_offset;
    }
    /// Whether labels show a P: not one of length 1, except the last if all have length 1.
    constexpr bool is_told(int p_dim) const
    {
        if (p_length(encoding(), p_dim) > 1)
            return true;
        return p_dim == encoding().num_p() - 1 && partition_size(encoding()) == 1;
    }
    constexpr int num_told() const
    {
        int n = 0;
        for (int p = 0; p < encoding().num_p(); ++p)
            n += is_told(p);
        return n;
    }

private:
    constexpr int drawn_length(int dim) const
    {
        if (lengths_[dim] <= limit)
            return static_cast<int>(lengths_[dim]);
        const auto& h = encoding().hs[dim];
        int inner = 1;
        for (int i = h.size() - 1; i >= 0 && static_cast<long_index_t>(inner) * h[i] <= limit; --i)
            inner *= h[i];
        return limit / inner * inner;
    }
    constexpr replica_set find_replicas(int p) const
    {
        replica_set set;
        for (rh_digit name : encoding().ps[p])
            for (const placed_digit& d : table_.digits)
                if (d.name == name && name.major == 0 && d.length > 1) {
                    set.digits.push_back(d);
                    set.count *= d.length;
                }
        return set;
    }

    picture source_;
    digit_table table_;
    long_indices lengths_;
    static_vector<replica_set, encoding_value::max_p> replicas_;
    long_index_t slices_ = 1;
    int drawn_rows_ = 1;
    int drawn_columns_ = 1;
    int drawn_slices_ = 1;
};

namespace detail {

/// 3 | 3,19 | 0-7 | 0-28/4 | 0,1..9: the values of one P over the replicas.
template <class Sink>
void write_replicas(text_out<Sink>& out, const replica_set& set, long_index_t first)
{
    const long_index_t last = first + set.offset(set.count - 1);
    if (set.count == 1) {
        out << first;
    } else if (set.count > 2 && set.step() == 1) {
        out << first << '-' << last;
    } else if (set.count <= 4) {
        out.list(static_cast<int>(set.count), ",", [&](int i) { out << first + set.offset(i); });
    } else if (set.step() > 0) {
        out << first << '-' << last << '/' << set.step();
    } else {
        out << first << ',' << first + set.offset(1) << ".." << last;
    }
}

/// The name of what a P dimension counts: lanes last, waves before them, groups of waves before those.
constexpr const char* p_name(int p_dim, int num_p)
{
    return p_dim == num_p - 1 ? "lane" : p_dim == num_p - 2 ? "wave" : "group";
}

} // namespace detail

/// Writes the holders of a cell: "5" if the tile is spread over lanes only, else "w0 l5"; replicas as "5,21" or "0-63".
template <text_sink Sink>
void write_holders(Sink& sink, const tile_view& view, const owner& o)
{
    text_out out(sink);
    const int num_p = view.encoding().num_p();
    const int told = view.num_told();
    if (told == 0)
        out << '0';
    bool first = true;
    for (int p = 0; p < num_p; ++p) {
        if (!view.is_told(p))
            continue;
        if (told > 1)
            out << (first ? "" : " ") << detail::p_name(p, num_p)[0];
        detail::write_replicas(out, view.replicas(p), o.p[p]);
        first = false;
    }
}

/// Writes in words what write_holders tells: "lane", or "wave, lane".
template <text_sink Sink>
void write_holder_names(Sink& sink, const tile_view& view)
{
    text_out out(sink);
    const int num_p = view.encoding().num_p();
    const char* separator = "";
    for (int p = 0; p < num_p; ++p) {
        if (!view.is_told(p))
            continue;
        out << separator << detail::p_name(p, num_p);
        separator = ", ";
    }
    if (view.num_told() == 0)
        out << "lane";
}

/// "8 x 64 over 4 waves of 32 lanes, 4 elements a lane, every element held 2 times"
template <text_sink Sink>
void write_summary(Sink& sink, const tile_view& view)
{
    text_out out(sink);
    const encoding_value& e = view.encoding();
    out.list(view.num_x(), " x ", [&](int i) { out << view.length(i); });
    out << (view.num_x() == 0 ? "one element over " : " over ");
    const char* separator = "";
    for (int p = 0; p < e.num_p(); ++p) {
        const long_index_t n = p_length(e, p);
        if (!view.is_told(p))
            continue;
        out << separator << n << ' ' << detail::p_name(p, e.num_p()) << (n == 1 ? "" : "s");
        separator = " of ";
    }
    if (view.num_told() == 0)
        out << "1 lane";
    const long_index_t registers = registers_per_lane(e);
    out << ", " << registers << (registers == 1 ? " element a lane" : " elements a lane");
    if (replication(e) > 1)
        out << ", every element held " << replication(e) << " times";
    if (view.source().note[0] != '\0')
        out << "; " << view.source().note;
}

/// "slice x0 = 3, x1 = 0"
template <text_sink Sink>
void write_slice_name(Sink& sink, const tile_view& view, int slice)
{
    text_out out(sink);
    const long_indices index = view.slice_index(slice);
    out.list(index.size(), ", ", [&](int i) { out << view.source().axes[i] << " = " << index[i]; });
}

/// Which part of a large tile is drawn: "drawn: the first 64 of 256 rows, ..."; nothing if all of it is.
template <text_sink Sink>
void write_drawn_part(Sink& sink, const tile_view& view)
{
    text_out out(sink);
    if (view.complete())
        return;
    const char* separator = "drawn: the first ";
    auto part = [&](long_index_t drawn, long_index_t all, const char* name) {
        if (drawn == all)
            return;
        out << separator << drawn << " of " << all << ' ' << name;
        separator = ", the first ";
    };
    part(view.drawn_slices(), view.slices(), "slices");
    part(view.drawn_rows(), view.rows(), "rows");
    part(view.drawn_columns(), view.columns(), "columns");
    out << "; beyond them only the outer digits change";
}

} // namespace tegula
