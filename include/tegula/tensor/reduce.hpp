#pragma once

#include <tegula/arch/target.hpp>
#include <tegula/core/monoid.hpp>
#include <tegula/tensor/choose.hpp>
#include <tegula/tensor/distributed_tensor.hpp>
#include <tegula/tensor/partition.hpp>
#include <tegula/tensor/vector_access.hpp>

namespace tegula {

namespace encoding_rules {
template <bool Ok, long Bytes>
struct scratch_is_given
{
    static_assert(Ok, "tegula: this operation crosses waves; give it its scratch bytes of shared memory "
                      "(the template argument says how many)");
};
} // namespace encoding_rules

namespace detail {
/// The scratch memory of an operation that was given none.
using no_scratch = decltype(nullptr);

/// Fails to compile if an operation that needs Bytes of shared memory was given none.
template <class Scratch, index_t Bytes>
using check_scratch = encoding_rules::scratch_is_given<(Bytes == 0 || !std::is_same_v<Scratch, no_scratch>), Bytes>;
} // namespace detail

/// The distribution of a tile reduced over the tensor dimensions Dims: reduced digits of lanes and waves become
/// replication, so that every lane has the results for the elements it held.
template <class Distribution, index_t... Dims>
using reduced_distribution =
    tile_distribution<reduce_encoding<typename distribution_of<Distribution>::encoding, Dims...>>;

namespace detail {

/// (p[p_dim] / stride) % length of a partition index p.
struct partition_digit
{
    int p_dim;
    index_t stride;
    index_t length;
};

/// How the partial results of lanes are combined, after every lane has combined its own registers.
struct reduce_plan
{
    static_vector<index_t, 16> masks;           ///< lanes that differ in these bits combine, one after the other
    static_vector<partition_digit, 48> between; ///< reduced digits that tell waves apart: parts of one result
    static_vector<partition_digit, 48> kept;    ///< digits of the kept dimensions: places of different results

    static constexpr index_t count(const static_vector<partition_digit, 48>& digits)
    {
        index_t n = 1;
        for (const partition_digit& d : digits)
            n *= d.length;
        return n;
    }
    constexpr index_t parts() const { return count(between); }
    constexpr index_t places() const { return count(kept); }
    constexpr index_t mask() const
    {
        index_t all = 0;
        for (index_t m : masks)
            all |= m;
        return all;
    }
};

/// Splits a reduced digit of the lane or thread index at the wave boundary: the part inside a wave is a power of two,
/// because wave sizes are. A digit that is not aligned to the wave stays whole.
constexpr void plan_thread_digit(reduce_plan& plan, const partition_digit& d, int wave_size)
{
    const int room = wave_size % d.stride == 0 ? static_cast<int>(wave_size / d.stride) : 1;
    const int inside = power_of_two_divisor(d.length, room);
    for (int bit = 1; bit < inside; bit *= 2)
        plan.masks.push_back(d.stride * bit);
    if (d.length > inside)
        plan.between.push_back({d.p_dim, d.stride * inside, d.length / inside});
}

constexpr reduce_plan make_reduce_plan(const encoding_value& e, dim_set dims, int wave_size)
{
    reduce_plan plan;
    for (const placed_digit& d : make_digit_table(e).digits) {
        if (d.x_dim < 0 || d.p_dim < 0 || d.length == 1)
            continue;
        const partition_digit digit{d.p_dim, static_cast<index_t>(d.p_stride), d.length};
        if (!dims.contains(d.x_dim))
            plan.kept.push_back(digit);
        else if (d.p_dim == e.num_p() - 1)
            plan_thread_digit(plan, digit, wave_size);
        else
            plan.between.push_back(digit);
    }
    return plan;
}

/// Which registers of the source are combined in which register of the result.
template <class Distribution, index_t... Dims>
struct reduced_registers
{
    using result = reduced_distribution<Distribution, Dims...>;
    static constexpr dim_set dims = make_dim_set(Dims...);

    /// The register of the result that the n-th register position of the source belongs to.
    static consteval int target_of(int n)
    {
        if constexpr (result::num_x == 0) {
            return 0;
        } else {
            const auto step = Distribution::step(n);
            multi_index<result::num_x> kept{};
            for (int i = 0, k = 0; i < Distribution::num_x; ++i)
                if (!dims.contains(i))
                    kept[k++] = step[i];
            return result::register_at(kept);
        }
    }
    static consteval int source_of(int n) { return Distribution::register_at(Distribution::step(n)); }
    /// Whether position n is the first of its result.
    static consteval bool starts(int n)
    {
        const auto step = Distribution::step(n);
        for (int i = 0; i < Distribution::num_x; ++i)
            if (dims.contains(i) && step[i] != 0)
                return false;
        return true;
    }
};

/// Mixed-radix number of some digits of p. Digits is consteval: digits(i) is the i-th one.
template <int Count, class Digits, class P>
TEGULA_INLINE index_t combine_digits(const P& p)
{
    index_t number = 0;
    static_for<Count>([&](auto i) {
        constexpr partition_digit d = Digits::digit(i);
        const auto rest = static_cast<unsigned>(p[d.p_dim]) / static_cast<unsigned>(d.stride);
        number = number * d.length + static_cast<index_t>(rest % static_cast<unsigned>(d.length));
    });
    return number;
}

/// A reduction of Distribution over Dims on Target, as scalars that device code may use.
template <class Target, class Distribution, index_t... Dims>
struct reduction
{
private:
    static constexpr reduce_plan plan = make_reduce_plan(Distribution::value, make_dim_set(Dims...), Target::wave_size);

public:
    using registers = reduced_registers<Distribution, Dims...>;
    static constexpr int num_masks = plan.masks.size();
    static constexpr index_t all_masks = plan.mask();
    static constexpr index_t parts = plan.parts();
    static constexpr index_t places = plan.places();

    static consteval index_t mask(int i) { return plan.masks[i]; }

    struct between
    {
        static constexpr int count = plan.between.size();
        static consteval partition_digit digit(int i) { return plan.between[i]; }
    };
    struct kept
    {
        static constexpr int count = plan.kept.size();
        static consteval partition_digit digit(int i) { return plan.kept[i]; }
    };
};

/// value = op over the lanes that differ in Mask. The lower lane's value is the first operand in both, so that both get
/// the same bits whatever op is.
TEGULA_CALLS_BACK
template <class Target, int Mask, class T, class Op>
TEGULA_INLINE T combine_lanes(const T& value, const Op& op, call_site where)
{
    const T other = Target::template shuffle_xor<Mask>(value, where);
    if constexpr (is_commutative<Op>)
        return op(value, other);
    const bool upper = (Target::lane_id() & Mask) != 0;
    return op(choose(upper, other, value), choose(upper, value, other));
}

/// Combines the results of lanes of a wave that differ in the masks of Reduction.
TEGULA_CALLS_BACK
template <class Target, class Reduction, class Result, class Op>
TEGULA_INLINE void combine_in_wave(Result& result, const Op& op, call_site where)
{
    using T = typename Result::value_type;
    if constexpr (Reduction::all_masks == Target::wave_size - 1 && Target::template has_wave_reduction<Op, T>)
        static_for<Result::num_registers>([&](auto r) { result[r] = Target::reduce_wave(result[r], op, where); });
    else
        static_for<Reduction::num_masks>([&](auto i) {
            constexpr index_t mask = Reduction::mask(i);
            static_for<Result::num_registers>(
                [&](auto r) { result[r] = combine_lanes<Target, mask>(result[r], op, where); });
        });
}

/// Combines the partial results of several waves, register by register, through shared memory.
TEGULA_CALLS_BACK
template <class Target, class Distribution, class Reduction, class Result, class Op>
TEGULA_INLINE void combine_waves(Result& result, const Op& op, std::byte* scratch, call_site where)
{
    using T = typename Result::value_type;
    using between = typename Reduction::between;
    using kept = typename Reduction::kept;
    constexpr int last = Distribution::num_p - 1;
    constexpr index_t part_stride = Result::num_registers * Reduction::places;
    const auto p = partition_index<Target, Distribution>();
    const index_t part = combine_digits<between::count, between>(p);
    T* const slots = reinterpret_cast<T*>(scratch) + combine_digits<kept::count, kept>(p);

    // Lanes that differ in a mask hold the same partial result by now.
    const bool writes = Distribution::is_first_replica(p) && (p[last] & Reduction::all_masks) == 0;
    static_for<Result::num_registers>([&](auto r) {
        write_scalar<Target, address_space::shared>(slots + part * part_stride + r * Reduction::places, result[r],
                                                    writes, where);
    });
    Target::block_barrier(where);
    static_for<Result::num_registers>([&](auto r) {
        const T* const first = slots + r * Reduction::places;
        T sum = read_scalar<Target, address_space::shared>(first, true, where);
        for (index_t i = 1; i < Reduction::parts; ++i)
            sum = op(sum, read_scalar<Target, address_space::shared>(first + i * part_stride, true, where));
        result[r] = sum;
    });
    Target::block_barrier(where);
}

} // namespace detail

/// Bytes of shared memory that reduce needs; 0 if the reduced dimensions stay within waves.
template <class Target, class T, class Distribution, index_t... Dims>
inline constexpr index_t reduce_scratch_bytes =
    detail::reduction<Target, distribution_of<Distribution>, Dims...>::parts == 1
        ? 0
        : detail::reduction<Target, distribution_of<Distribution>, Dims...>::parts *
              detail::reduction<Target, distribution_of<Distribution>, Dims...>::places *
              reduced_distribution<distribution_of<Distribution>, Dims...>::num_registers *
              static_cast<index_t>(sizeof(T));

/// The part of reduce() that a lane does alone: its own registers combined. The results of lanes that share an element
/// differ until reduce_lanes() combines them.
TEGULA_CALLS_BACK
template <index_t... Dims, class T, class Distribution, class Op>
TEGULA_INLINE auto reduce_registers(const distributed_tensor<T, Distribution>& tensor, const Op& op)
{
    using registers = detail::reduced_registers<Distribution, Dims...>;
    distributed_tensor<T, typename registers::result> result;
    static_for<Distribution::num_elements>([&](auto n) {
        constexpr int from = registers::source_of(n);
        constexpr int to = registers::target_of(n);
        if constexpr (registers::starts(n))
            result[to] = tensor[from];
        else
            result[to] = op(result[to], tensor[from]);
    });
    return result;
}

/// The second part of reduce(), between the lanes of a wave. `result` is that of reduce_registers<Dims...> for a tensor
/// of Distribution.
TEGULA_CALLS_BACK
template <class Target, class Distribution, index_t... Dims, class Result, class Op>
TEGULA_INLINE void reduce_lanes(Result& result, const Op& op, call_site where = call_site::here())
{
    using reduction = detail::reduction<Target, Distribution, Dims...>;
    detail::combine_in_wave<Target, reduction>(result, op, where);
}

/// The tile reduced over the tensor dimensions Dims by `op`: in each lane's registers, then between lanes of a wave,
/// then between waves. The result is distributed by reduced_distribution<Distribution, Dims...>: every lane gets the
/// results for the elements it held. All copies of a result have the same bits. A replicated element counts once.
///
///   op       T op(T, T): plus, multiplies, minimum, maximum, bit_and, bit_or or a function of the user. It should be
///            associative and commutative, except for rounding. The order of operations is fixed. T is any trivially
///            copyable type, also a pair of value and index (see choose). nvcc requires that op is host-device.
///   scratch  reduce_scratch_bytes of shared memory, aligned to T (16 bytes are enough), that no lane is using. It is
///            free again on return.
///
/// All lanes of the wave take part; if scratch is needed, all threads of the block.
TEGULA_CALLS_BACK
template <class Target, index_t... Dims, class T, class Distribution, class Op>
TEGULA_INLINE auto reduce(const distributed_tensor<T, Distribution>& tensor, const Op& op, std::byte* scratch,
                          call_site where = call_site::here())
{
    using reduction = detail::reduction<Target, Distribution, Dims...>;
    auto result = reduce_registers<Dims...>(tensor, op);
    reduce_lanes<Target, Distribution, Dims...>(result, op, where);
    if constexpr (reduction::parts > 1)
        detail::combine_waves<Target, Distribution, reduction>(result, op, scratch, where);
    return result;
}

/// reduce() without shared memory, for reductions that stay within waves. Others do not compile.
TEGULA_CALLS_BACK
template <class Target, index_t... Dims, class T, class Distribution, class Op>
TEGULA_INLINE auto reduce(const distributed_tensor<T, Distribution>& tensor, const Op& op,
                          call_site where = call_site::here())
{
    static_assert(reduce_scratch_bytes<Target, T, Distribution, Dims...> == 0,
                  "tegula: this reduction crosses waves; give it reduce_scratch_bytes of shared memory");
    return reduce<Target, Dims...>(tensor, op, nullptr, where);
}

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::check_scratch;
using tegula::detail::no_scratch;
using tegula::detail::reduced_registers;
} // namespace tegula::internal
