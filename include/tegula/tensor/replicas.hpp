#pragma once

#include <tegula/tensor/reduce.hpp>

namespace tegula {

namespace detail {

/// Where the replicas of an element are: lanes that differ in the masks' bits, and digits that tell waves apart.
constexpr reduce_plan make_replica_plan(const encoding_value& e, int wave_size)
{
    reduce_plan plan;
    for (const placed_digit& d : make_digit_table(e).digits) {
        if (d.p_dim < 0 || d.length == 1)
            continue;
        const partition_digit digit{d.p_dim, static_cast<index_t>(d.p_stride), d.length};
        if (d.x_dim >= 0)
            plan.kept.push_back(digit);
        else if (d.p_dim == e.num_p() - 1)
            plan_thread_digit(plan, digit, wave_size);
        else
            plan.between.push_back(digit);
    }
    return plan;
}

/// The replicas of Distribution on Target, as scalars that device code may use.
template <class Target, class Distribution>
struct replica_places
{
private:
    static constexpr reduce_plan plan = make_replica_plan(Distribution::value, Target::wave_size);

public:
    static constexpr int num_masks = plan.masks.size();
    static constexpr bool crosses_waves = plan.parts() > 1;
    static constexpr index_t places = plan.places();
    static consteval index_t mask(int i) { return plan.masks[i]; }
    struct kept
    {
        static constexpr int count = plan.kept.size();
        static consteval partition_digit digit(int i) { return plan.kept[i]; }
    };
};

} // namespace detail

/// Bytes of shared memory that share_first_replica needs of a tile of T; 0 if replicas are in one wave.
template <class Target, class T, class Distribution>
inline constexpr index_t replica_scratch_bytes = detail::replica_places<Target, Distribution>::crosses_waves
                                                     ? detail::replica_places<Target, Distribution>::places *
                                                           Distribution::num_registers * static_cast<index_t>(sizeof(T))
                                                     : 0;

/// Every replica of an element gets the value of the first one. Scratch memory and lanes that take part: as for reduce.
template <class Target, class T, class Distribution>
TEGULA_INLINE void share_first_replica(distributed_tensor<T, Distribution>& tensor, [[maybe_unused]] std::byte* scratch,
                                       call_site where = call_site::here())
{
    using places = detail::replica_places<Target, Distribution>;
    if constexpr (places::crosses_waves) {
        using kept = typename places::kept;
        const auto p = partition_index<Target, Distribution>();
        const bool mine = Distribution::is_first_replica(p);
        T* const slots = reinterpret_cast<T*>(scratch) + detail::combine_digits<kept::count, kept>(p);
        static_for<Distribution::num_registers>([&](auto r) {
            detail::write_scalar<Target, address_space::shared>(slots + r * places::places, tensor[r], mine, where);
        });
        Target::block_barrier(where);
        static_for<Distribution::num_registers>([&](auto r) {
            tensor[r] = detail::read_scalar<Target, address_space::shared>(slots + r * places::places, true, where);
        });
        Target::block_barrier(where);
    } else {
        static_for<places::num_masks>([&](auto i) {
            constexpr index_t mask = places::mask(i);
            const bool upper = (Target::lane_id() & mask) != 0;
            static_for<Distribution::num_registers>([&](auto r) {
                const T other = Target::template shuffle_xor<mask>(tensor[r], where);
                tensor[r] = choose(upper, other, tensor[r]);
            });
        });
    }
}

} // namespace tegula
