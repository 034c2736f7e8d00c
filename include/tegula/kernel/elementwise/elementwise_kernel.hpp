#pragma once

#include <tegula/arch/reload_arguments.hpp>
#include <tegula/kernel/computed_type.hpp>
#include <tegula/kernel/elementwise/arguments.hpp>
#include <tegula/kernel/space_descriptor.hpp>
#include <tegula/tensor/access.hpp>

namespace tegula {

namespace detail {

template <class T>
inline constexpr bool is_tuple = false;
template <class... Ts>
inline constexpr bool is_tuple<tuple<Ts...>> = true;

} // namespace detail

/// The arguments of an elementwise kernel: elementwise_arguments in a common index space (plan_elementwise in
/// can_implement.hpp).
template <class F, class Outputs, class Inputs>
struct elementwise_plan;
template <class F, class... Os, class... Is>
struct elementwise_plan<F, tuple<Os...>, tuple<Is...>>
{
    static constexpr int tensors = static_cast<int>(sizeof...(Os) + sizeof...(Is));
    static constexpr index_t splits = 1; ///< the grid's y

    F function;
    tuple<Os*..., const Is*...> data;
    index_space<tensors> space; ///< outputs first
    bool repeated[tensors];     ///< the tensor is the same along dimension 0
    index_t blocks = 0;         ///< to launch; each takes every blocks-th tile
};

/// A block takes tiles of 4 accesses a lane, of 2 if there are more than 4 tensors.
///
///   Vector  elements of an access; 1 fits any tensors, more are for tensors that are contiguous along dimension 0 of
///           the plan's space, or repeated (suits_vector)
template <class Target, class F, class Outputs, class Inputs, index_t Vector>
struct elementwise_kernel;

template <class Target, class F, class... Os, class... Is, index_t Vector>
struct elementwise_kernel<Target, F, tuple<Os...>, tuple<Is...>, Vector>
{
    using target = Target;
    using arguments = elementwise_plan<F, tuple<Os...>, tuple<Is...>>;

    static constexpr index_t vector = Vector;
    static constexpr int waves = default_block_threads<Target> / Target::wave_size;
    static constexpr int block_threads = default_block_threads<Target>;
    static constexpr index_t shared_bytes = 0;
    static constexpr index_t passes = (arguments::tensors <= 4 ? 4 : 2) * lane_multiple<Target>;
    static constexpr index_t tile = passes * block_threads * Vector;

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const long_index_t step = static_cast<long_index_t>(args.blocks) * tile;
        TEGULA_ROLLED
        for (long_index_t first = static_cast<long_index_t>(target::block_id()[0]) * tile; first < args.space.size;
             first += step)
            run_tile(internal::reload_arguments(args), first, std::make_integer_sequence<int, sizeof...(Os)>{},
                     std::make_integer_sequence<int, sizeof...(Is)>{});
    }

private:
    using distribution = flat_distribution<Target, passes, waves, Vector>;
    using lanes = flat_distribution<Target, passes, waves, 1>; // an element for each vector
    static constexpr int num_outputs = static_cast<int>(sizeof...(Os));

    template <class D, index_t V, class T>
    static TEGULA_INLINE auto window(const arguments& args, int tensor, T* data, long_index_t first, index_t step)
    {
        const numbered_descriptor<arguments::tensors, V> elements{
            &args.space, tensor, first, internal::count_from(first, args.space.size, tile) / step, step};
        return make_tile_window<D>(
            make_tensor_view<target, address_space::global>(data, elements, tensor < num_outputs ? "output" : "input"),
            {0});
    }

    template <int Tensor>
    static TEGULA_INLINE auto load_input(const arguments& args, long_index_t first)
    {
        const auto* const data = get<Tensor>(args.data);
        if constexpr (Vector > 1) {
            if (args.repeated[Tensor]) {
                const auto one = load(window<lanes, 1>(args, Tensor, data, first, Vector));
                distributed_tensor<std::remove_cvref_t<decltype(one[0])>, distribution> all;
                static_for<distribution::num_registers>([&](auto r) { all[r] = one[r / Vector]; });
                return all;
            }
        }
        return load(window<distribution, Vector>(args, Tensor, data, first, 1));
    }

    template <int... Outputs, int... Inputs>
    static TEGULA_INLINE void run_tile(const arguments& args, long_index_t first,
                                       std::integer_sequence<int, Outputs...>, std::integer_sequence<int, Inputs...>)
    {
        const auto inputs = make_tuple(load_input<num_outputs + Inputs>(args, first)...);
        tuple<distributed_tensor<Os, distribution>...> outputs;
        static_for<distribution::num_registers>([&](auto r) {
            const auto value = args.function(to_computed(get<Inputs>(inputs)[r])...);
            if constexpr (detail::is_tuple<std::remove_cvref_t<decltype(value)>>)
                ((get<Outputs>(outputs)[r] = from_computed<Os>(get<Outputs>(value))), ...);
            else
                ((get<Outputs>(outputs)[r] = from_computed<Os>(value)), ...);
        });
        (store(window<distribution, Vector>(args, Outputs, get<Outputs>(args.data), first, 1), get<Outputs>(outputs)),
         ...);
    }
};

} // namespace tegula
