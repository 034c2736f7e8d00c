#pragma once

#include <tegula/chip/chip_info.hpp>
#include <tegula/core/math.hpp>
#include <tegula/layout/digit_table.hpp>

namespace tegula {

/// One digit of a tensor index and its holder: (x[x_dim] / x_stride) % length is (n / stride) % length. Here n is the
/// number of the thread or of the register. Threads count as wave * wave size + lane, registers row-major over Y.
struct held_digit
{
    index_t length = 1;
    int x_dim = 0;
    index_t x_stride = 1;
    bool in_thread = false;
    index_t stride = 1;

    constexpr index_t x_end() const { return x_stride * length; }
    constexpr index_t end() const { return stride * length; }
    constexpr index_t value_of(index_t number) const { return number / stride % length; }
    constexpr index_t value_at(index_t x) const { return x / x_stride % length; }
};

/// A digit of the thread number that tells copies of the tile apart.
struct copy_digit
{
    index_t length = 1;
    index_t stride = 1;
};

/// One side of a conversion: a tile over the threads that take part and their registers.
///
/// Digits stand dimension by dimension, least significant first, and none has length 1. Digits of one dimension that
/// continue each other in the index and in the holder's number are merged, so that two spellings of one map are equal.
/// A digit that counts lanes and then whole waves is split in two.
struct held_tile
{
    static constexpr int max_digits = 32;

    static_vector<held_digit, max_digits> digits;
    static_vector<copy_digit, encoding_value::max_minors + 2> copies;
    index_t threads = 1;
    index_t registers = 1;
};

namespace detail {

constexpr void append_digit(held_tile& tile, held_digit d, int wave_size)
{
    if (d.length == 1)
        return;
    if (d.in_thread && d.stride < wave_size && d.end() > wave_size && wave_size % d.stride == 0 &&
        d.length % (wave_size / d.stride) == 0) {
        held_digit lanes = d;
        lanes.length = wave_size / d.stride;
        append_digit(tile, lanes, wave_size);
        d = {d.length / lanes.length, d.x_dim, lanes.x_end(), true, static_cast<index_t>(wave_size)};
    }
    if (!tile.digits.empty() && !(d.in_thread && d.stride == wave_size)) {
        held_digit& below = tile.digits.back();
        if (below.x_dim == d.x_dim && below.in_thread == d.in_thread && below.x_end() == d.x_stride &&
            below.end() == d.stride) {
            below.length *= d.length;
            return;
        }
    }
    tile.digits.push_back(d);
}

constexpr void append_copy(held_tile& tile, index_t length, index_t stride)
{
    if (length > 1)
        tile.copies.push_back({length, stride});
}

} // namespace detail

/// Why the tile of `e` cannot be held by waves of `wave_size` lanes; ok if it can.
constexpr status check_threads(const encoding_value& e, int wave_size)
{
    const int n = e.num_p();
    if (n > 2)
        return status(status_code::unsupported, "the distribution has ")
               << n << " P; a kernel knows {lane}, {wave, lane} and {thread}";
    const long_index_t last = n > 0 ? p_length(e, n - 1) : 1;
    if (last != 1 && last != wave_size && (n == 2 || last % wave_size != 0))
        return status(status_code::unsupported, "the last P has length ")
               << static_cast<long long>(last) << " and a wave has " << wave_size
               << " lanes; the lane has that length, a thread a multiple of it";
    long_index_t size = partition_size(e) * registers_per_lane(e);
    if (size >= INT32_MAX / 64)
        return status(status_code::unsupported, "the tile has ")
               << static_cast<long long>(size) << " places; conversions are planned for less than 33554431";
    return {};
}

/// Precondition: e is valid and check_threads(e, wave_size) is ok.
constexpr held_tile make_held_tile(const encoding_value& e, int wave_size)
{
    held_tile tile;
    const digit_table table = make_digit_table(e);
    const bool lanes_alike = e.num_p() == 0 || p_length(e, e.num_p() - 1) == 1;
    long_index_t p_scale[encoding_value::max_p]{};
    long_index_t y_scale[encoding_value::max_y]{};
    long_index_t threads = lanes_alike ? wave_size : 1;
    for (int p = e.num_p() - 1; p >= 0; --p) {
        p_scale[p] = threads;
        threads *= p_length(e, p);
    }
    long_index_t registers = 1;
    for (int y = e.num_y() - 1; y >= 0; --y) {
        y_scale[y] = registers;
        registers *= y_length(e, y);
    }
    tile.threads = static_cast<index_t>(threads);
    tile.registers = static_cast<index_t>(registers);
    if (lanes_alike)
        detail::append_copy(tile, wave_size, 1);
    for (int x = 0; x < e.num_x(); ++x)
        for (int i = table.digits.size() - 1; i >= 0; --i) {
            const placed_digit& d = table.digits[i];
            if (d.x_dim != x)
                continue;
            const long_index_t stride = d.p_dim >= 0 ? d.p_stride * p_scale[d.p_dim] : y_scale[d.y_dim];
            detail::append_digit(
                tile, {d.length, x, static_cast<index_t>(d.x_stride), d.p_dim >= 0, static_cast<index_t>(stride)},
                wave_size);
        }
    for (const placed_digit& d : table.digits)
        if (d.x_dim < 0)
            detail::append_copy(tile, d.length, static_cast<index_t>(d.p_stride * p_scale[d.p_dim]));
    return tile;
}

/// Both sides of a conversion over the same threads, their digits cut wherever both can be. If `refined`, digit i has
/// the same dimension, x_stride and length on both sides and only its holders differ; powers of two are cut into digits
/// of length 2.
struct conversion_digits
{
    held_tile source;
    held_tile destination;
    bool refined = true;
};

namespace detail {

/// Increasing strides at which digits of one dimension are cut.
struct cut_list
{
    static_vector<index_t, 2 * held_tile::max_digits> cuts;

    constexpr void insert(index_t cut)
    {
        int at = cuts.size();
        for (int i = 0; i < cuts.size(); ++i)
            if (cuts[i] == cut)
                return;
        cuts.push_back(cut);
        for (; at > 0 && cuts[at - 1] > cut; --at)
            cuts[at] = cuts[at - 1];
        cuts[at] = cut;
    }
    constexpr void insert_all(const held_tile& tile, int x_dim)
    {
        for (const held_digit& d : tile.digits)
            if (d.x_dim == x_dim) {
                insert(d.x_stride);
                insert(d.x_end());
            }
    }
    constexpr bool is_chain() const
    {
        for (int i = 1; i < cuts.size(); ++i)
            if (cuts[i] % cuts[i - 1] != 0)
                return false;
        return true;
    }
    /// Keeps the cuts that both sides can have, and adds those that are powers of two above or below a cut. The
    /// result is a chain: a digit of 6 can be cut at 2 or at 3, not at both.
    constexpr void keep_common(const held_tile& a, const held_tile& b, int x_dim)
    {
        const cut_list all = *this;
        const index_t end = all.cuts.back();
        cuts = {};
        const auto keep = [&](index_t cut) {
            if (can_cut(a, x_dim, cut) && can_cut(b, x_dim, cut) && continues_chain(cut))
                insert(cut);
        };
        for (index_t cut : all.cuts)
            keep(cut);
        for (index_t cut : all.cuts) {
            for (index_t c = 2 * cut; c <= end; c *= 2)
                keep(c);
            for (index_t c = cut; c % 2 == 0; c /= 2)
                keep(c / 2);
        }
    }
    constexpr bool continues_chain(index_t cut) const
    {
        for (index_t c : cuts)
            if (c % cut != 0 && cut % c != 0)
                return false;
        return true;
    }
    static constexpr bool can_cut(const held_tile& tile, int x_dim, index_t at)
    {
        for (const held_digit& d : tile.digits)
            if (d.x_dim == x_dim && at >= d.x_stride && at <= d.x_end())
                return at % d.x_stride == 0 && d.x_end() % at == 0;
        return false;
    }
    /// Adds cuts that split off every factor of two.
    constexpr void insert_bits()
    {
        const cut_list coarse = *this;
        for (int i = 1; i < coarse.cuts.size(); ++i)
            for (index_t c = 2 * coarse.cuts[i - 1]; coarse.cuts[i] % c == 0 && c < coarse.cuts[i]; c *= 2)
                insert(c);
    }
};

/// The tile with its digits of one dimension cut.
constexpr held_tile cut_digits(const held_tile& tile, int x_dim, const cut_list& at)
{
    held_tile result = tile;
    result.digits = {};
    for (held_digit d : tile.digits) {
        if (d.x_dim == x_dim)
            for (index_t cut : at.cuts)
                if (cut > d.x_stride && cut < d.x_end()) {
                    held_digit low = d;
                    low.length = cut / d.x_stride;
                    result.digits.push_back(low);
                    d.length /= low.length;
                    d.stride *= low.length;
                    d.x_stride = cut;
                }
        result.digits.push_back(d);
    }
    return result;
}

constexpr void spread_over(held_tile& tile, index_t threads)
{
    append_copy(tile, threads / tile.threads, tile.threads);
    tile.threads = threads;
}

} // namespace detail

/// Why `source` cannot become `destination`; ok if it can.
constexpr status check_conversion_pair(const encoding_value& source, const encoding_value& destination, int wave_size)
{
    if (source.num_x() != destination.num_x())
        return status(status_code::invalid_argument, "the source has ")
               << source.num_x() << " dimensions and the destination " << destination.num_x()
               << "; a conversion is between two distributions of one tile";
    for (int i = 0; i < source.num_x(); ++i)
        if (x_length(source, i) != x_length(destination, i))
            return status(status_code::invalid_argument, "dimension ")
                   << i << " has length " << static_cast<long long>(x_length(source, i)) << " in the source and "
                   << static_cast<long long>(x_length(destination, i))
                   << " in the destination; a conversion is between two distributions of one tile";
    status s = check_threads(source, wave_size);
    if (s.ok())
        s = check_threads(destination, wave_size);
    if (!s.ok())
        return s;
    const index_t a = make_held_tile(source, wave_size).threads;
    const index_t b = make_held_tile(destination, wave_size).threads;
    if (a != b && min(a, b) != wave_size)
        return status(status_code::unsupported, "the source is spread over ")
               << a << " threads and the destination over " << b
               << "; both must be the block's, or one a single wave's " << wave_size;
    return {};
}

/// The two sides with their digits cut alike. Precondition: check_conversion_pair() is ok. A side of one wave is the
/// same in every wave.
constexpr conversion_digits make_conversion_digits(const encoding_value& source, const encoding_value& destination,
                                                   int wave_size)
{
    conversion_digits both{make_held_tile(source, wave_size), make_held_tile(destination, wave_size)};
    const index_t threads = max(both.source.threads, both.destination.threads);
    detail::spread_over(both.source, threads);
    detail::spread_over(both.destination, threads);
    for (int x = 0; x < source.num_x(); ++x) {
        detail::cut_list cuts;
        cuts.insert_all(both.source, x);
        cuts.insert_all(both.destination, x);
        if (cuts.is_chain()) {
            cuts.insert_bits();
        } else {
            both.refined = false;
            cuts.keep_common(both.source, both.destination, x);
        }
        both.source = detail::cut_digits(both.source, x, cuts);
        both.destination = detail::cut_digits(both.destination, x, cuts);
    }
    return both;
}

/// Part of a tensor index between two neighbouring places at which both sides are cut; a dimension that they cut
/// differently is one such part.
struct index_part
{
    int x_dim = 0;
    index_t x_stride = 1;
    index_t length = 1;

    constexpr bool contains(const held_digit& d) const
    {
        return d.x_dim == x_dim && d.x_stride >= x_stride && d.x_stride < x_stride * length;
    }
};

namespace detail {

constexpr bool is_cut(const held_tile& tile, int x_dim, index_t at)
{
    for (const held_digit& d : tile.digits)
        if (d.x_dim == x_dim && d.x_end() == at)
            return true;
    return false;
}

} // namespace detail

/// All parts, dimension by dimension, least significant first.
constexpr static_vector<index_part, held_tile::max_digits> index_parts(const conversion_digits& both)
{
    static_vector<index_part, held_tile::max_digits> parts;
    index_part open;
    bool is_open = false;
    for (int i = 0; i < both.source.digits.size(); ++i) {
        const held_digit& d = both.source.digits[i];
        if (!is_open)
            open = {d.x_dim, d.x_stride, 1};
        open.length *= d.length;
        is_open = !both.refined && !detail::is_cut(both.destination, d.x_dim, d.x_end());
        if (!is_open)
            parts.push_back(open);
    }
    return parts;
}

} // namespace tegula
