#pragma once

#include <tegula/mma/choose.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/convert.hpp>
#include <tegula/tensor/reduce.hpp>

/// The matrix product of distributed tensors of any distributions.

namespace tegula {

namespace encoding_rules {
template <bool Ok, class A, class B, class C, class Sum>
struct sums_are_of_the_accumulators_type
{
    static_assert(Ok,
                  "tegula: contract sums in accumulator_of<A's element type>; cast() C (the template arguments are the "
                  "element types of A, B and C, and what C must have)");
};
} // namespace encoding_rules

namespace detail {

/// How a contraction is divided: rows and columns of instruction tiles among the waves, all of k in each wave's
/// registers. Lengths that are not multiples of the instruction's are padded with zeros.
template <class Atom, index_t M, index_t N, index_t K, int Waves>
struct contraction_plan
{
    static constexpr int rows = static_cast<int>(ceil_div<index_t>(M, Atom::m));
    static constexpr int columns = static_cast<int>(ceil_div<index_t>(N, Atom::n));

    /// Waves along the rows: the divisor of Waves that gives a wave the fewest products; the greatest such divisor.
    static constexpr int find_waves_m()
    {
        int best = 1;
        for (int w = 1; w <= Waves; ++w)
            if (Waves % w == 0 && products(w) <= products(best))
                best = w;
        return best;
    }
    static constexpr int products(int w) { return ceil_div(rows, w) * ceil_div(columns, Waves / w); }

    static constexpr int waves_m = find_waves_m();
    static constexpr int waves_n = Waves / waves_m;
    static constexpr int iterations_m = ceil_div(rows, waves_m);
    static constexpr int iterations_n = ceil_div(columns, waves_n);
    static constexpr int iterations_k = static_cast<int>(ceil_div<index_t>(K, Atom::k));
    static constexpr index_t m = Atom::m * waves_m * iterations_m;
    static constexpr index_t n = Atom::n * waves_n * iterations_n;
    static constexpr index_t k = Atom::k * iterations_k;

private:
    using lengths = encoding_value::lengths_type;
    using digits = encoding_value::digits_type;

    /// Iterations and waves around an operand of the instruction; a tile of one wave has no P for waves.
    static constexpr encoding_value outer(lengths first, lengths second, int copies, rh_digit wave_m, rh_digit wave_n)
    {
        encoding_value e;
        if (copies > 0)
            e.rs = {copies};
        e.hs = {first, second};
        if (Waves > 1)
            e.ps = {digits{wave_m, wave_n}};
        e.ys = {rh_digit{1, 0}, rh_digit{2, 0}};
        return e;
    }
    static constexpr bool alone = Waves == 1;

public:
    struct a
    {
        static constexpr encoding_value raw =
            embed(outer(alone ? lengths{iterations_m} : lengths{iterations_m, waves_m}, lengths{iterations_k},
                        alone ? 0 : waves_n, {1, 1}, {0, 0}),
                  Atom::a_encoding::value);
    };
    struct b
    {
        static constexpr encoding_value raw =
            embed(outer(lengths{iterations_k}, alone ? lengths{iterations_n} : lengths{iterations_n, waves_n},
                        alone ? 0 : waves_m, {0, 0}, {2, 1}),
                  Atom::b_encoding::value);
    };
    struct c
    {
        static constexpr encoding_value raw =
            embed(outer(alone ? lengths{iterations_m} : lengths{iterations_m, waves_m},
                        alone ? lengths{iterations_n} : lengths{iterations_n, waves_n}, 0, {1, 1}, {2, 1}),
                  Atom::c_encoding::value);
    };
};

/// Waves that hold the tiles of these distributions together.
template <class Target, class... Distributions>
consteval int waves_of()
{
    long_index_t threads = Target::wave_size;
    ((threads = Distributions::partition_size > threads ? Distributions::partition_size : threads), ...);
    return static_cast<int>(threads / Target::wave_size);
}

template <class Target, class A, class B, class C>
struct contraction
{
    using a_tile = typename A::distribution;
    using b_tile = typename B::distribution;
    using c_tile = typename C::distribution;
    static_assert(
        a_tile::num_x == 2 && b_tile::num_x == 2 && c_tile::num_x == 2,
        "tegula: contract multiplies tiles of two dimensions, A [m, k] and B [k, n]; shape_cast() others first");
    static constexpr index_t m = c_tile::x_length(0), n = c_tile::x_length(1), k = a_tile::x_length(1);
    static_assert(a_tile::x_length(0) == m && b_tile::x_length(0) == k && b_tile::x_length(1) == n,
                  "tegula: contract adds A [m, k] times B [k, n] to C [m, n]; the lengths of the three tiles differ. "
                  "transpose() those that are the other way round");
    using atom = default_atom<Target, typename A::value_type, typename B::value_type>;
    static_assert(sizeof(encoding_rules::sums_are_of_the_accumulators_type<
                         std::is_same_v<typename atom::c_type, typename C::value_type>, typename A::value_type,
                         typename B::value_type, typename C::value_type, typename atom::c_type>));
    static constexpr int waves = waves_of<Target, a_tile, b_tile, c_tile>();
    using plan = contraction_plan<atom, m, n, k, waves>;
    using a_operand = tile_distribution<encoding_from<typename plan::a>>;
    using b_operand = tile_distribution<encoding_from<typename plan::b>>;
    using c_operand = tile_distribution<encoding_from<typename plan::c>>;
};

/// Bytes of shared memory that refit() takes: those of the conversion, or, if lengths differ, of the smaller tile.
template <class Target, class T, class From, class To>
inline constexpr index_t refit_scratch_bytes = [] {
    if constexpr (same_lengths<From, To>())
        return conversion_scratch_bytes<Target, T, From, To>;
    else
        return From::x_length(0) < To::x_length(0) || From::x_length(1) < To::x_length(1)
                   ? From::x_length(0) * From::x_length(1) * static_cast<index_t>(sizeof(T))
                   : To::x_length(0) * To::x_length(1) * static_cast<index_t>(sizeof(T));
}();

/// The tile in distribution To, whose lengths may differ. If To is longer, the elements past the tile are 0; if it is
/// shorter, it has the tile's first elements. If lengths differ, the tile goes through shared memory, row-major.
template <class Target, int Waves, class To, class T, class From>
TEGULA_INLINE distributed_tensor<T, To> refit(const distributed_tensor<T, From>& tile,
                                              [[maybe_unused]] std::byte* scratch)
{
    if constexpr (same_lengths<From, To>()) {
        return convert<Target, To>(tile, scratch);
    } else {
        constexpr index_t rows = From::x_length(0) < To::x_length(0) ? From::x_length(0) : To::x_length(0);
        constexpr index_t columns = From::x_length(1) < To::x_length(1) ? From::x_length(1) : To::x_length(1);
        const auto view = make_tensor_view<Target, address_space::shared>(
            reinterpret_cast<T*>(scratch), make_packed_descriptor(sequence<rows, columns>{}), "contract");
        const auto meet = [] {
            if constexpr (Waves > 1)
                Target::block_barrier();
            else
                Target::wave_barrier();
        };
        // All waves of the block have copies of a {lane} tile.
        constexpr bool copies = Waves > 1 && scope_of<Target, From> != partition_scope::block;
        if (!copies || Target::wave_id() == 0)
            store<bounds::checked>(make_tile_window<From>(view, {0, 0}), tile);
        meet();
        distributed_tensor<T, To> result;
        load<bounds::checked>(result, make_tile_window<To>(view, {0, 0}));
        meet();
        return result;
    }
}

} // namespace detail

/// Bytes of shared memory that contract needs for tiles of these types.
template <class Target, class C, class A, class B>
inline constexpr index_t contract_scratch_bytes = [] {
    using of = detail::contraction<Target, A, B, C>;
    const index_t a =
        detail::refit_scratch_bytes<Target, typename A::value_type, typename of::a_tile, typename of::a_operand>;
    const index_t b =
        detail::refit_scratch_bytes<Target, typename B::value_type, typename of::b_tile, typename of::b_operand>;
    const index_t c =
        detail::refit_scratch_bytes<Target, typename C::value_type, typename of::c_operand, typename of::c_tile>;
    return a > b ? (a > c ? a : c) : (b > c ? b : c);
}();

/// c += a b for tiles A [m, k], B [k, n], C [m, n] of any distributions and lengths, by the matrix instruction that
/// default_atom chooses. Lengths that are not multiples of its shape are padded with zeros. Operands are converted to
/// the instruction's registers in the cheapest way, through shared memory if a length is padded.
///
///   element types  those of a matrix instruction of Target, or of 32 bits and more; C is accumulator_of<A's>
///   scratch        shared memory of contract_scratch_bytes, aligned to 128 bytes, free again on return
///
/// If all three tiles have {lane} distributions, whose P has no waves, each wave multiplies for itself, with scratch
/// memory of its own. If one of them is distributed over the block, all threads take part, and a {lane} tile must be
/// the same in all waves. Each element is summed in ascending k; mma_atom documents the order within an instruction.
template <class Target, class C, class CDistribution, class A, class ADistribution, class B, class BDistribution,
          class Scratch = internal::no_scratch>
TEGULA_INLINE void contract(distributed_tensor<C, CDistribution>& c, const distributed_tensor<A, ADistribution>& a,
                            const distributed_tensor<B, BDistribution>& b, Scratch scratch = nullptr)
{
    static_assert(
        sizeof(internal::check_scratch<Scratch, contract_scratch_bytes<Target, distributed_tensor<C, CDistribution>,
                                                                       distributed_tensor<A, ADistribution>,
                                                                       distributed_tensor<B, BDistribution>>>) > 0);
    using of = detail::contraction<Target, distributed_tensor<A, ADistribution>, distributed_tensor<B, BDistribution>,
                                   distributed_tensor<C, CDistribution>>;
    using plan = typename of::plan;
    using atom = typename of::atom;
    const auto left = detail::refit<Target, of::waves, typename of::a_operand>(a, scratch);
    const auto right = detail::refit<Target, of::waves, typename of::b_operand>(b, scratch);
    distributed_tensor<C, typename of::c_operand> product;
    static_for<plan::iterations_m * plan::iterations_n>([&](auto tile) {
        constexpr int i = tile / plan::iterations_n, j = tile % plan::iterations_n;
        array<C, atom::c_count> sum;
        static_for<atom::c_count>([&](auto r) { sum[r] = C{}; });
        static_for<plan::iterations_k>([&](auto step) {
            array<A, atom::a_count> from_a;
            array<B, atom::b_count> from_b;
            static_for<atom::a_count>(
                [&](auto r) { from_a[r] = left[(i * plan::iterations_k + step) * atom::a_count + r]; });
            static_for<atom::b_count>(
                [&](auto r) { from_b[r] = right[(step * plan::iterations_n + j) * atom::b_count + r]; });
            atom::multiply(sum, from_a, from_b);
        });
        static_for<atom::c_count>([&](auto r) { product[tile * atom::c_count + r] = sum[r]; });
    });
    const auto result = detail::refit<Target, of::waves, CDistribution>(product, scratch);
    static_for<CDistribution::num_registers>([&](auto r) { c[r] = c[r] + result[r]; });
}

} // namespace tegula
