#pragma once

#include <tegula/core/static_for.hpp>
#include <tegula/layout/digit_table.hpp>
#include <tegula/layout/encoding.hpp>

/// Operands with k permuted so that a lane reads consecutive elements.
///
/// An instruction gives each lane a few k of its own, often in short runs. A product stays the same if A and B permute
/// k alike. So a lane may take `pack` consecutive k and distribute them over pack / e calls of the instruction; e is
/// the number of k of a lane in one call.

namespace tegula {

/// Elements of dimension k_dim that one lane holds.
constexpr index_t own_length(const encoding_value& e, int k_dim)
{
    index_t n = 1;
    for (rh_digit d : e.ys)
        if (d.major == k_dim + 1)
            n *= e.length(d);
    return n;
}

/// The operand with k permuted. The digits of dimension k_dim that registers own are replaced by one digit of length
/// `pack`, the fastest of the dimension and the last Y. Those that lanes own keep their order above it. The dimension
/// grows to pack / own_length(e, k_dim) times its length.
///
/// Precondition: pack is a multiple of own_length(e, k_dim).
constexpr encoding_value packed_operand(const encoding_value& e, int k_dim, int pack)
{
    const int major = k_dim + 1;
    encoding_value r = e;
    r.hs[k_dim] = {};
    int renamed[encoding_value::max_minors] = {};
    for (int minor = 0; minor < e.hs[k_dim].size(); ++minor)
        if (internal::owned_by_p(e, {major, minor})) {
            renamed[minor] = r.hs[k_dim].size();
            r.hs[k_dim].push_back(e.hs[k_dim][minor]);
        }
    for (auto& p : r.ps)
        for (rh_digit& d : p)
            if (d.major == major)
                d.minor = renamed[d.minor];
    r.ys = {};
    for (rh_digit d : e.ys)
        if (d.major != major)
            r.ys.push_back(d);
    r.ys.push_back({major, r.hs[k_dim].size()});
    r.hs[k_dim].push_back(pack);
    return r;
}

/// The registers of packed_operand(e, k_dim, pack) that become the instruction's. Call c takes the lane's k elements
/// [c * own, (c + 1) * own) in the order of the instruction's own k. Here own is own_length(e, k_dim).
///
/// Precondition: pack is a multiple of own.
class packed_register_map
{
public:
    constexpr packed_register_map(const encoding_value& e, int k_dim, int pack)
        : lengths(y_lengths(e)), dims(e.num_y()), own(own_length(e, k_dim))
    {
        int stride = pack;
        for (int i = dims - 1; i >= 0; --i)
            if (e.ys[i].major != k_dim + 1) {
                strides[i] = stride;
                stride *= y_length(e, i);
            }
        const digit_table t = make_digit_table(e);
        stride = 1;
        for (int i = t.digits.size() - 1; i >= 0; --i)
            if (const placed_digit& d = t.digits[i]; d.x_dim == k_dim && d.y_dim >= 0) {
                strides[d.y_dim] = stride;
                stride *= d.length;
            }
    }

    /// The packed register for the instruction's register `slot` < registers_per_lane(e) in call < pack / own.
    constexpr int operator()(int call, int slot) const
    {
        int r = call * own;
        for (int i = dims - 1; i >= 0; --i) {
            r += slot % static_cast<int>(lengths[i]) * strides[i];
            slot /= static_cast<int>(lengths[i]);
        }
        return r;
    }

private:
    long_indices lengths;
    int strides[encoding_value::max_y]{}; ///< registers from one position of a Y to the next
    int dims;
    index_t own;
};

namespace detail {

template <class Encoding, int KDim, int Pack>
struct packed_source
{
    static constexpr encoding_value raw = packed_operand(Encoding::raw, KDim, Pack);
};

/// B as memory has it, [N, K].
template <class Encoding>
using column_operand = transpose_encoding<Encoding, sequence<1, 0>>;

template <class Encoding, int Pack>
inline constexpr packed_register_map registers_along_k(Encoding::raw, 1, Pack);

/// The packed register that is the instruction's register `slot` in call `call`.
template <class Encoding, int Pack>
consteval int packed_register(int call, int slot)
{
    return registers_along_k<Encoding, Pack>(call, slot);
}

/// The instruction's operand of call `Call`, picked from the packed registers.
template <class Encoding, int Pack, int Call, int Registers, class T, int PackedRegisters>
TEGULA_INLINE array<T, Registers> unpack(const array<T, PackedRegisters>& packed)
{
    array<T, Registers> picked;
    static_for<Registers>([&](auto slot) {
        constexpr int from = packed_register<Encoding, Pack>(Call, decltype(slot)::value);
        picked[slot] = packed[from];
    });
    return picked;
}

/// Whether two operands divide k between lanes and registers alike, so that one permutation serves both.
constexpr bool same_k_digits(const encoding_value& a, const encoding_value& b, int k_dim)
{
    if (!(a.hs[k_dim] == b.hs[k_dim]))
        return false;
    for (int minor = 0; minor < a.hs[k_dim].size(); ++minor)
        if (owned_by_p(a, {k_dim + 1, minor}) != owned_by_p(b, {k_dim + 1, minor}))
            return false;
    return true;
}

} // namespace detail

/// An atom repeated along k with k permuted: each lane reads Pack consecutive k of its rows of A and its columns of B.
///
/// A is [m, k] and B is [n, k] (k fastest, as kernels keep it). The interface is otherwise that of an atom; multiply()
/// runs `calls` instructions. Pack is a multiple of the number of k that a lane of Atom holds.
template <class Atom, int Pack>
struct packed_atom
{
    using atom = Atom;
    using target = typename Atom::target;
    using a_type = typename Atom::a_type;
    using b_type = typename Atom::b_type;
    using c_type = typename Atom::c_type;

    using row_operand = typename Atom::a_encoding;
    using column_operand = detail::column_operand<typename Atom::b_encoding>;
    static constexpr int own_k = own_length(row_operand::raw, 1);
    static_assert(Pack % own_k == 0, "tegula: Pack must be a multiple of the k elements a lane holds in one call");
    static_assert(detail::same_k_digits(row_operand::raw, column_operand::raw, 1));

    static constexpr int calls = Pack / own_k;
    static constexpr int m = Atom::m;
    static constexpr int n = Atom::n;
    static constexpr int k = Atom::k * calls;
    static constexpr int wave_size = Atom::wave_size;
    static constexpr bool is_matrix_instruction = Atom::is_matrix_instruction;
    static constexpr bool keeps_k_order = false;
    static constexpr bool truncates_sums = Atom::truncates_sums;
    static constexpr bool widens_operands = Atom::widens_operands;

    using a_encoding = encoding_from<detail::packed_source<row_operand, 1, Pack>>;
    using b_encoding = encoding_from<detail::packed_source<column_operand, 1, Pack>>;
    using c_encoding = typename Atom::c_encoding;
    static constexpr int a_count = Atom::a_count * calls;
    static constexpr int b_count = Atom::b_count * calls;
    static constexpr int c_count = Atom::c_count;

    /// c += a b.
    static TEGULA_INLINE void multiply(array<c_type, c_count>& c, const array<a_type, a_count>& a,
                                       const array<b_type, b_count>& b)
    {
        static_for<calls>([&](auto call) {
            Atom::multiply(c, detail::unpack<row_operand, Pack, decltype(call)::value, Atom::a_count>(a),
                           detail::unpack<column_operand, Pack, decltype(call)::value, Atom::b_count>(b));
        });
    }
};

/// The Pack for which a lane reads at least 16 bytes of consecutive k.
template <class Atom>
inline constexpr int vector_pack = [] {
    constexpr int own = own_length(Atom::a_encoding::raw, 1);
    constexpr int wanted = 16 / static_cast<int>(sizeof(typename Atom::a_type));
    return own >= wanted ? own : wanted / own * own;
}();

} // namespace tegula
