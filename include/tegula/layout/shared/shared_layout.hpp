#pragma once

#include <tegula/chip/bank_conflicts.hpp>
#include <tegula/core/math.hpp>
#include <tegula/layout/access_plan.hpp>

namespace tegula {

/// How a [rows, columns] tile lies in shared memory: row-major with `pitch` elements a row, then the index of each
/// 16-byte chunk inside its 128-byte line is XORed with ((line >> shift_a) ^ (line >> shift_b)) & mask.
///
/// A negative shift moves to the left. mask 0 is the plain or padded layout; shift_b equal to shift_a leaves the second
/// term out. Elements of a chunk stay together.
struct shared_layout_value
{
    index_t rows = 1;
    index_t columns = 1;
    index_t pitch = 1;
    int element_bits = 8;
    int shift_a = 0;
    int shift_b = 0;
    int mask = 0;

    constexpr TEGULA_HOST_DEVICE index_t chunk_elements() const { return 128 / element_bits; }

    /// Offset of element (row, column), in elements.
    constexpr TEGULA_HOST_DEVICE index_t offset(index_t row, index_t column) const
    {
        const unsigned linear = static_cast<unsigned>(row * pitch + column);
        if (mask == 0)
            return static_cast<index_t>(linear);
        const unsigned chunk = 128u / static_cast<unsigned>(element_bits);
        const unsigned line = linear / (8 * chunk);
        const unsigned second = shift_b == shift_a ? 0u : shifted(line, shift_b);
        const unsigned twist = (shifted(line, shift_a) ^ second) & static_cast<unsigned>(mask);
        return static_cast<index_t>(linear ^ (twist * chunk));
    }

    static constexpr TEGULA_HOST_DEVICE unsigned shifted(unsigned line, int shift)
    {
        return shift < 0 ? line << -shift : line >> shift;
    }

    /// Elements along a row that stay adjacent and aligned: a chunk of 16 bytes, or 1 if the pitch is no multiple of it.
    constexpr TEGULA_HOST_DEVICE index_t vector_length() const
    {
        return pitch % chunk_elements() == 0 ? chunk_elements() : 1;
    }

    /// The period of the layout, in elements. An element one period further on has an offset() one period higher, and
    /// lies in the same one of `banks` banks of 4 bytes.
    constexpr index_t period(int banks) const
    {
        const int highest = shift_a > shift_b ? shift_a : shift_b;
        const index_t lines = mask == 0 ? 1 : 8 << (highest > 0 ? highest : 0);
        const index_t twisted = lines * 1024 / element_bits, row_of_banks = banks * 32 / element_bits;
        return twisted > row_of_banks ? twisted : row_of_banks;
    }

    /// Elements that the tile takes, in whole 128-byte lines.
    constexpr TEGULA_HOST_DEVICE index_t element_space() const
    {
        const index_t line = 8 * chunk_elements();
        return round_up(rows * pitch, line);
    }
};

/// The accesses of one wave to a two-dimensional tile whose dimension 1 is contiguous.
struct wave_accesses
{
    static constexpr int max_lanes = 64;
    static constexpr int max_accesses = 256;

    int lanes = 0;
    int accesses = 0;
    int vector = 1; ///< elements per access of a lane
    access_kind kind = access_kind::load;
    index_t origins[max_lanes][2]{};
    index_t steps[max_accesses][2]{};
};

namespace detail {

/// The digit of the lane index whose weight is `stride`, the product of the lengths of the faster digits. If there is
/// none, a digit of length 2 that moves no element: the next one has twice the weight.
template <class Distribution>
consteval placed_digit lane_digit_of_stride(int stride)
{
    for (int i = 0; i < Distribution::num_digits; ++i)
        if (const placed_digit d = Distribution::digit(i);
            d.p_dim == Distribution::num_p - 1 && d.p_stride == stride && d.length > 1)
            return d;
    placed_digit none;
    none.length = 2;
    none.p_stride = stride;
    return none;
}

} // namespace detail

/// The accesses of wave 0 of a distribution when it reads or writes its tile in vectors of at most Limit elements. The
/// other waves differ by a shift, which moves the banks of all lanes alike.
template <class Distribution, int Limit>
consteval wave_accesses make_wave_accesses(const chip_info& chip, access_kind kind)
{
    static_assert(Distribution::num_x == 2, "tegula: bank analysis is for two-dimensional tiles");
    using plan = access_plan<Distribution, 1, Limit>;
    static_assert(plan::accesses <= wave_accesses::max_accesses,
                  "tegula: bank analysis holds 256 accesses a lane; use a smaller tile");
    wave_accesses w;
    w.lanes = chip.wave_size;
    w.accesses = plan::accesses;
    w.vector = plan::vector;
    w.kind = kind;
    // A lane's origin is one step past that of the lane whose most significant digit is one less.
    placed_digit top = detail::lane_digit_of_stride<Distribution>(1);
    for (int lane = 1; lane < chip.wave_size; ++lane) {
        if (lane == top.p_stride * top.length)
            top = detail::lane_digit_of_stride<Distribution>(lane);
        const auto& below = w.origins[lane - top.p_stride];
        for (int x = 0; x < 2; ++x)
            w.origins[lane][x] = below[x] + (x == top.x_dim ? static_cast<index_t>(top.x_stride) : 0);
    }
    for (int a = 0; a < plan::accesses; ++a) {
        const auto step = plan::step(a);
        w.steps[a][0] = step[0];
        w.steps[a][1] = step[1];
    }
    return w;
}

namespace detail {

/// How `chip` serves the accesses of the wave to elements of `element_bits` bits.
constexpr bank_rule bank_rule_of(const chip_info& chip, const wave_accesses& w, int element_bits)
{
    return find_bank_rule(chip, w.kind, w.vector * element_bits / 8);
}

/// Where lane `lane` of the wave reads or writes in access `a`, in bytes.
constexpr index_t address_of(const shared_layout_value& layout, const wave_accesses& w, int a, int lane)
{
    const auto& origin = w.origins[lane];
    return layout.offset(origin[0] + w.steps[a][0], origin[1] + w.steps[a][1]) * layout.element_bits / 8;
}

/// The most rows that one bank must serve in phase `phase` of access `a`. Its lanes are among the 32 that start
/// at lane `first`.
constexpr int rows_of_phase(const bank_rule& rule, const shared_layout_value& layout, const wave_accesses& w, int a,
                            int first, int phase)
{
    index_t addresses[32]{};
    for (std::uint32_t left = rule.lanes[phase]; left != 0; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        addresses[lane] = address_of(layout, w, a, first + lane);
    }
    return rows_of_busiest_bank(rule.banks, w.vector * layout.element_bits / 8, addresses, rule.lanes[phase]);
}

/// Extra cycles of access `a` in `layout`.
constexpr int count_conflicts(const bank_rule& rule, const shared_layout_value& layout, const wave_accesses& w, int a)
{
    int extra = 0;
    for (int first = 0; first < w.lanes; first += 32)
        for (int phase = 0; phase < rule.phases; ++phase)
            extra += rows_of_phase(rule, layout, w, a, first, phase) - 1;
    return extra;
}

/// Whether access `a` has no extra cycles in `layout`.
constexpr bool is_free(const bank_rule& rule, const shared_layout_value& layout, const wave_accesses& w, int a)
{
    for (int first = 0; first < w.lanes; first += 32)
        for (int phase = 0; phase < rule.phases; ++phase)
            if (!lanes_are_free(
                    rule.banks, w.vector * layout.element_bits / 8,
                    [&](int lane) { return address_of(layout, w, a, first + lane); }, rule.lanes[phase]))
                return false;
    return true;
}

/// Extra cycles of all accesses of the wave. `known_free`: access 0 is known to have none and is not counted again.
constexpr int count_conflicts(const chip_info& chip, const shared_layout_value& layout, const wave_accesses& w,
                              bool known_free)
{
    const bank_rule rule = bank_rule_of(chip, w, layout.element_bits);
    const index_t period = layout.period(rule.banks);
    // Accesses that differ by whole periods are served alike.
    index_t places[wave_accesses::max_accesses]{};
    int extra[wave_accesses::max_accesses]{};
    int different = 0;
    int n = 0;
    for (int a = 0; a < w.accesses; ++a) {
        const index_t place = (w.steps[a][0] * layout.pitch + w.steps[a][1]) % period;
        int i = 0;
        while (i < different && places[i] != place)
            ++i;
        if (i == different) {
            places[different] = place;
            extra[different++] = a == 0 && known_free ? 0 : count_conflicts(rule, layout, w, a);
        }
        n += extra[i];
    }
    return n;
}

/// Calls stop(layout) for the candidates of choose_shared_layout() in order until it returns true; whether it did.
template <class Stop>
constexpr bool search_layouts(shared_layout_value layout, Stop&& stop)
{
    if (stop(layout))
        return true;
    for (bool two_terms : {false, true})
        for (int mask : {7, 3, 1, 4, 6, 2, 5})
            for (int a = -2; a < 4; ++a)
                for (int b = two_terms ? a + 1 : a; b < (two_terms ? 4 : a + 1); ++b) {
                    layout.mask = mask;
                    layout.shift_a = a;
                    layout.shift_b = b;
                    if (stop(layout))
                        return true;
                }
    layout.mask = 0;
    for (int chunks = 1; chunks <= 8; ++chunks) {
        layout.pitch = layout.columns + chunks * layout.chunk_elements();
        if (stop(layout))
            return true;
    }
    return false;
}

/// The result of choose_shared_layout(), and whether the first access of store and load is free of bank conflicts in it.
struct found_layout
{
    shared_layout_value layout;
    bool is_free;
};

/// The first access of each side decides; the others differ from it by a shift. Most searches find a layout without
/// conflicts, so the first pass leaves every other layout at its first conflict.
constexpr found_layout find_shared_layout(const chip_info& chip, const shared_layout_value& plain,
                                          const wave_accesses& store, const wave_accesses& load)
{
    const bank_rule store_rule = bank_rule_of(chip, store, plain.element_bits);
    const bank_rule load_rule = bank_rule_of(chip, load, plain.element_bits);
    found_layout best{plain, false};
    search_layouts(plain, [&](const shared_layout_value& layout) {
        best.is_free = is_free(load_rule, layout, load, 0) && is_free(store_rule, layout, store, 0);
        if (best.is_free)
            best.layout = layout;
        return best.is_free;
    });
    if (best.is_free)
        return best;
    int least = INT32_MAX;
    search_layouts(plain, [&](const shared_layout_value& layout) {
        const int n = count_conflicts(load_rule, layout, load, 0) + count_conflicts(store_rule, layout, store, 0);
        if (n < least) {
            best.layout = layout;
            least = n;
        }
        return false;
    });
    return best;
}

} // namespace detail

/// Extra cycles of all accesses of the wave.
constexpr int count_conflicts(const chip_info& chip, const shared_layout_value& layout, const wave_accesses& w)
{
    return detail::count_conflicts(chip, layout, w, false);
}

/// The layout of a [rows, columns] tile with the least bank conflicts for one store and one load distribution by the
/// chip's own rule: plain, XOR with one or two terms, then rows padded by whole 16-byte chunks.
constexpr shared_layout_value choose_shared_layout(const chip_info& chip, index_t rows, index_t columns,
                                                   int element_bits, const wave_accesses& store,
                                                   const wave_accesses& load)
{
    return detail::find_shared_layout(chip, {rows, columns, columns, element_bits}, store, load).layout;
}

/// A layout, and the extra cycles that bank conflicts cost one wave as it writes and reads its part of the tile.
struct shared_layout_choice
{
    shared_layout_value layout;
    int store_conflicts;
    int load_conflicts;
};

/// The layout of choose_shared_layout() for elements of type Element, with its conflicts.
template <class Element>
constexpr shared_layout_choice evaluate_shared_layout(const chip_info& chip, index_t rows, index_t columns,
                                                      const wave_accesses& store, const wave_accesses& load)
{
    const auto [layout, is_free] =
        detail::find_shared_layout(chip, {rows, columns, columns, static_cast<int>(sizeof(Element) * 8)}, store, load);
    return {layout, detail::count_conflicts(chip, layout, store, is_free),
            detail::count_conflicts(chip, layout, load, is_free)};
}

/// Position in a shared tile: the index and its offset.
struct shared_coordinate
{
    multi_index<2> position;
    index_t element_offset;

    constexpr TEGULA_HOST_DEVICE const multi_index<2>& index() const { return position; }
    constexpr TEGULA_HOST_DEVICE index_t offset() const { return element_offset; }
};

/// A descriptor of a shared tile that windows use like any other. Source is a type with a static constexpr `layout`: a
/// shared_layout_value (rows, padded or with chunks XORed), or a tma_swizzled_layout_value (the hardware's swizzle
/// modes).
template <class Source>
struct shared_descriptor
{
    static constexpr int num_dims = 2;

    static consteval auto layout() { return Source::layout; }
    static consteval index_t element_space_size() { return Source::layout.element_space(); }
    /// Elements that stay together and aligned along a dimension.
    static constexpr TEGULA_HOST_DEVICE index_t guaranteed_vector_length(int dim)
    {
        constexpr index_t length = layout().vector_length();
        return dim == 1 ? length : 1;
    }
    static constexpr TEGULA_INLINE index_t calculate_offset(const multi_index<2>& x)
    {
        constexpr auto l = layout();
        return l.offset(x[0], x[1]);
    }
    static constexpr TEGULA_INLINE bool is_valid(const multi_index<2>& x)
    {
        constexpr auto l = layout();
        return x[0] >= 0 && x[0] < l.rows && x[1] >= 0 && x[1] < l.columns;
    }
    friend constexpr TEGULA_INLINE shared_coordinate make_coordinate(const shared_descriptor&, const multi_index<2>& x)
    {
        return {x, calculate_offset(x)};
    }
    friend constexpr TEGULA_INLINE void move_coordinate(const shared_descriptor&, shared_coordinate& c,
                                                        const multi_index<2>& step)
    {
        const multi_index<2> x{c.position[0] + step[0], c.position[1] + step[1]};
        c = {x, calculate_offset(x)};
    }
};

/// The layout in shared memory of a two-dimensional tile that is written in one distribution and read in another: the
/// one with the least bank conflicts by the rule of the chip, found at compile time.
///
///   Store    distribution of the whole tile, or its encoding; its dimension 1 is contiguous in memory
///   Load     distribution of the tile or of a part of it that moves through it
///   Chip     a type with chip(): a target
///
/// `layout` is the layout found, `descriptor` the descriptor for a view of the tile. store_conflicts and load_conflicts are the
/// extra cycles with which one wave writes and reads its part of the tile. conflict_free says that there are none.
template <class Store, class Load, class Element, class Chip>
struct make_shared_layout
{
private:
    using store = distribution_of<Store>;
    using load = distribution_of<Load>;

public:
    static_assert(store::num_x == 2 && load::num_x == 2,
                  "tegula: make_shared_layout is for two-dimensional tiles; merge or drop dimensions");
    static_assert(16 % sizeof(Element) == 0, "tegula: elements in a shared layout have 1, 2, 4, 8 or 16 bytes");

private:
    static consteval shared_layout_choice find()
    {
        constexpr int vector = 16 / static_cast<int>(sizeof(Element));
        return evaluate_shared_layout<Element>(Chip::chip(), store::x_length(0), store::x_length(1),
                                               make_wave_accesses<store, vector>(Chip::chip(), access_kind::store),
                                               make_wave_accesses<load, vector>(Chip::chip(), access_kind::load));
    }
    static constexpr shared_layout_choice choice = computed_once<find()>;

public:
    static constexpr shared_layout_value layout = choice.layout;
    static constexpr int store_conflicts = choice.store_conflicts;
    static constexpr int load_conflicts = choice.load_conflicts;
    static constexpr bool conflict_free = store_conflicts + load_conflicts == 0;

    using descriptor = shared_descriptor<make_shared_layout>;
    static constexpr index_t bytes = layout.element_space() * static_cast<index_t>(sizeof(Element));
};

} // namespace tegula
