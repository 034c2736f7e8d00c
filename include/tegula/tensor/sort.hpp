#pragma once

#include <tegula/tensor/arg_reduce.hpp>

namespace tegula {

namespace detail {

/// One round of a sorting network: position x meets position x ^ mask, and the lower one keeps the first element.
struct sort_round
{
    index_t mask = 0;
    index_t top = 0; ///< highest bit of the mask: the position that has it clear is the lower one
};

/// The bitonic network in which the lower position of a pair always keeps the element that is first. Runs of `size` are
/// merged by a round that mirrors them and rounds of halving distances. Positions past the end would hold the last
/// elements, which never move. So pairs with one of them are left out, and any length will do.
struct sorting_network
{
    static_vector<sort_round, 136> rounds;

    constexpr explicit sorting_network(index_t length)
    {
        for (index_t size = 2; size < 2 * length; size *= 2) {
            rounds.push_back({size - 1, size / 2});
            for (index_t distance = size / 4; distance > 0; distance /= 2)
                rounds.push_back({distance, distance});
        }
    }
};

/// The network along Dim, and its rounds for lanes and registers if every digit is a power of two that registers or
/// lanes of a wave count.
template <class Target, class Distribution, index_t Dim>
struct sort_of
{
    static constexpr index_t length = Distribution::x_length(Dim);

private:
    static constexpr sorting_network network{length};

public:
    static constexpr int num_rounds = network.rounds.size();
    static consteval sort_round round(int i) { return network.rounds[i]; }

    /// Whether registers alone count the dimension.
    static consteval bool in_registers()
    {
        for (int i = 0; i < Distribution::num_digits; ++i)
            if (Distribution::digit(i).x_dim == Dim && Distribution::digit(i).p_dim >= 0 &&
                Distribution::digit(i).length > 1)
                return false;
        return true;
    }
    static consteval bool in_wave()
    {
        for (int i = 0; i < Distribution::num_digits && !in_registers(); ++i) {
            const placed_digit d = Distribution::digit(i);
            if (d.x_dim != Dim || d.length == 1)
                continue;
            if ((d.length & (d.length - 1)) != 0)
                return false;
            if (d.p_dim >= 0 && (d.p_dim != Distribution::num_p - 1 || d.p_stride * d.length > Target::wave_size))
                return false;
        }
        return true;
    }
    /// Whether position n, in registers alone, has a partner.
    static consteval bool has_partner(int n, index_t mask)
    {
        return !in_registers() || (Distribution::step(n)[Dim] ^ mask) < length;
    }
    /// Bits of the lane number that correspond to the bits of `mask` in the position.
    static consteval index_t lane_mask(index_t mask)
    {
        index_t lanes = 0;
        for (int i = 0; i < Distribution::num_digits; ++i) {
            const placed_digit d = Distribution::digit(i);
            if (d.x_dim == Dim && d.p_dim >= 0)
                lanes |= static_cast<index_t>(mask / d.x_stride % d.length * d.p_stride);
        }
        return lanes;
    }
    /// The index of register position n along Dim, and the register of the position that differs in the bits of `mask`.
    static consteval index_t along(int n) { return Distribution::step(n)[Dim]; }
    static consteval int register_of(int n) { return Distribution::register_at(Distribution::step(n)); }
    static consteval int partner_of(int n, index_t mask)
    {
        auto x = Distribution::step(n);
        x[Dim] ^= mask;
        return Distribution::register_at(x);
    }
};

/// A round between lanes and registers of a wave.
template <class Target, class Sort, int Round, class Tensor, class Before>
TEGULA_INLINE void sort_in_wave(Tensor& tensor, const Before& before, call_site where)
{
    using T = typename Tensor::value_type;
    constexpr index_t mask = Sort::round(Round).mask, top = Sort::round(Round).top;
    constexpr index_t lanes = Sort::lane_mask(mask), top_lane = Sort::lane_mask(top);
    const bool upper_lane = (Target::lane_id() & top_lane) != 0;
    const Tensor old = tensor;
    static_for<Tensor::distribution::num_elements>([&](auto n) {
        constexpr int r = Sort::register_of(n);
        constexpr bool upper_register = (Sort::along(n) & top) != 0;
        if constexpr (Sort::has_partner(n, mask)) {
            constexpr int partner = Sort::partner_of(n, mask);
            T other = old[partner];
            if constexpr (lanes != 0)
                other = Target::template shuffle_xor<lanes>(old[partner], where);
            const bool upper = top_lane != 0 ? upper_lane : upper_register;
            // Equal elements both stay.
            const bool mine_first = before(old[r], other), other_first = before(other, old[r]);
            tensor[r] = choose(upper ? mine_first : other_first, other, old[r]);
        }
    });
}

/// Flat number of an element of the tile.
template <class Distribution>
TEGULA_INLINE index_t flat_index(const multi_index<Distribution::num_x>& x)
{
    index_t flat = 0;
    static_for<Distribution::num_x>([&](auto d) { flat = flat * Distribution::x_length(d) + x[d]; });
    return flat;
}
/// Row-major distance of one step along `dim`, in elements; all elements of the tile for -1.
template <class Distribution>
consteval index_t stride_of(int dim)
{
    index_t stride = 1;
    for (int i = Distribution::num_x - 1; i > dim; --i)
        stride *= Distribution::x_length(i);
    return stride;
}

/// All rounds through shared memory, for digits that are no powers of two or tell waves apart: Chunk elements of the
/// tile at a time.
template <class Target, index_t Dim, index_t Chunk, class Sort, class Tensor, class Before>
TEGULA_INLINE void sort_through_shared(Tensor& tensor, const Before& before, std::byte* scratch, call_site where)
{
    using T = typename Tensor::value_type;
    using distribution = typename Tensor::distribution;
    constexpr index_t stride = stride_of<distribution>(Dim), elements = stride_of<distribution>(-1);
    const auto p = partition_index<Target, distribution>();
    const bool writes = distribution::is_first_replica(p);
    T* const slots = reinterpret_cast<T*>(scratch);
    const auto barrier = [&] {
        if constexpr (scope_of<Target, distribution> == partition_scope::block)
            Target::shared_barrier(where);
        else
            Target::wave_barrier(where);
    };
    TEGULA_ROLLED
    for (index_t size = 2; size < 2 * Sort::length; size *= 2) {
        TEGULA_ROLLED
        for (index_t distance = size / 2; distance > 0; distance /= 2) {
            const index_t mask = distance == size / 2 ? size - 1 : distance;
            // A round compares elements as they were before it: an element meets its partner's chunk once.
            const Tensor old = tensor;
            TEGULA_ROLLED
            for (index_t first = 0; first < elements; first += Chunk) {
                const auto in_chunk = [&](index_t at) {
                    return Chunk >= elements || (at >= first && at - first < Chunk);
                };
                sweep(old, p, [&](const T& element, const auto& x) {
                    const index_t at = flat_index<distribution>(x);
                    const bool mine = writes && in_chunk(at);
                    write_scalar<Target, address_space::shared>(slots + (mine ? at - first : 0), element, mine, where);
                });
                barrier();
                sweep(tensor, p, [&](T& element, const auto& x) {
                    const index_t partner = x[Dim] ^ mask;
                    const index_t at = flat_index<distribution>(x) + (partner - x[Dim]) * stride;
                    const bool met = partner < Sort::length && in_chunk(at);
                    const bool reads = Chunk >= elements || met;
                    const T other =
                        read_scalar<Target, address_space::shared>(slots + (met ? at - first : 0), reads, where);
                    const bool takes = partner < x[Dim] ? before(element, other) : before(other, element);
                    element = choose(met && takes, other, element);
                });
                barrier();
            }
        }
    }
}

} // namespace detail

/// Bytes of shared memory that sort needs; 0 if registers alone count the dimension, or its digits are powers of two
/// inside waves.
template <class Target, class T, class Distribution, index_t Dim>
inline constexpr index_t sort_scratch_bytes =
    detail::sort_of<Target, Distribution, Dim>::in_wave()
        ? 0
        : detail::stride_of<Distribution>(-1) * static_cast<index_t>(sizeof(T));

/// Sorts the tile along tensor dimension Dim so that `before` holds from each element to the next:
/// sort<target, 0>(tile, before, scratch).
///
///   ScratchBytes  size of the scratch memory, at least an element. If it is less than sort_scratch_bytes, the size of
///                 the tile, each round passes in chunks: a row of 32768 floats in the 64 KB of gfx942 in two.
///   before   strict order bool before(T, T). Equal elements may change places: sort with_index() pairs by
///            largest_first or smallest_first if they must not.
///   scratch  shared memory of sort_scratch_bytes, aligned to 16 bytes, that no lane is using; free again on return
///
/// All lanes of the wave take part, each wave with scratch memory of its own; for a tile of several waves, all threads
/// of the block.
TEGULA_CALLS_BACK
template <class Target, index_t Dim, index_t ScratchBytes = detail::no_limit, class T, class Distribution, class Before,
          class Scratch = detail::no_scratch>
TEGULA_INLINE void sort(distributed_tensor<T, Distribution>& tensor, const Before& before,
                        [[maybe_unused]] Scratch scratch = nullptr, call_site where = call_site::here())
{
    using sorting = detail::sort_of<Target, Distribution, Dim>;
    static_assert(sizeof(detail::check_scratch<Scratch, sort_scratch_bytes<Target, T, Distribution, Dim>>) > 0);
    static_assert(ScratchBytes >= static_cast<index_t>(sizeof(T)),
                  "tegula: sort needs shared memory for at least one element");
    if constexpr (sorting::in_wave())
        static_for<sorting::num_rounds>(
            [&](auto i) { detail::sort_in_wave<Target, sorting, i>(tensor, before, where); });
    else
        detail::sort_through_shared<Target, Dim, ScratchBytes / static_cast<index_t>(sizeof(T)), sorting>(
            tensor, before, scratch, where);
}

/// The K largest elements along tensor dimension Dim with their indices, largest first, among equals the lower index
/// first: K tiles of indexed<T> reduced over Dim. Each is one arg_max of the remaining elements; if K is far below the
/// length, this costs less than a sort. K is at most the length. Scratch memory: arg_reduce_scratch_bytes.
template <class Target, int K, index_t Dim, class T, class Distribution, class Scratch = detail::no_scratch>
TEGULA_INLINE auto top_k(const distributed_tensor<T, Distribution>& tensor, Scratch scratch = nullptr,
                         call_site where = call_site::here())
{
    static_assert(sizeof(detail::check_scratch<Scratch, arg_reduce_scratch_bytes<Target, T, Distribution, Dim>>) > 0);
    static_assert(K > 0 && K <= Distribution::x_length(Dim),
                  "tegula: K of top_k must be from 1 to the length of the dimension");
    using element = indexed<T>;
    array<distributed_tensor<element, reduced_distribution<Distribution, Dim>>, K> result;
    // A taken element is marked by its index and stands after all others; no value could place it there.
    struct remaining_first
    {
        TEGULA_INLINE bool operator()(const element& a, const element& b) const
        {
            const bool a_taken = a.index < 0, b_taken = b.index < 0;
            return choose(a_taken || b_taken, !a_taken, largest_first{}(a, b));
        }
    };
    auto rest = with_index<Target, Dim>(tensor);
    static_for<K>([&](auto k) {
        result[k] = reduce<Target, Dim>(rest, first_of<remaining_first>{}, scratch, where);
        if constexpr (k + 1 < K)
            transform_with_reduced<Dim>(rest, result[k], [](element e, const element& taken) {
                e.index = e.index == taken.index ? -1 : e.index;
                return e;
            });
    });
    return result;
}

} // namespace tegula
