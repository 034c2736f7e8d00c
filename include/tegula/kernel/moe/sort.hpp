#pragma once

#include <tegula/core/math.hpp>
#include <tegula/core/monoid.hpp>
#include <tegula/kernel/gemm/can_implement.hpp>
#include <tegula/kernel/tensor_protocol.hpp>
#include <tegula/layout/descriptor/descriptor.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/coalesced.hpp>
#include <tegula/tensor/scan.hpp>
#include <tegula/tensor/sweep.hpp>
#include <tegula/tensor/votes.hpp>

namespace tegula {

/// The protocol (kernel/protocol.hpp) of moe_sort for every target.
struct moe_sort_arguments
{
    struct arguments
    {
        long_index_t slots = 0; ///< tokens * k
        index_t k = 1;
        index_t experts = 0;
        const index_t* chosen = nullptr; ///< [slots], each in [0, experts); others get no row
        const float* weights = nullptr;  ///< [slots]
        index_t* first_row = nullptr;    ///< [experts + 1]
        index_t* slot_of_row = nullptr;  ///< [slots]
        index_t* token_of_row = nullptr; ///< [slots]
        float* weight_of_row = nullptr;  ///< [slots]
    };

    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args) { return args.experts; }

    static status check(const arguments& args)
    {
        if (status s = gemm_checks::check_size("the number of tokens times their experts", args.slots); !s)
            return s;
        if (args.k < 1)
            return gemm_checks::invalid("a token goes to ") << args.k << " experts; it must be at least 1";
        if (status s = gemm_checks::check_size("experts", args.experts); !s)
            return s;
        if (args.experts > 0 && args.first_row == nullptr)
            return gemm_checks::invalid("first_row is a null pointer; it has one element more than there are experts");
        const void* const lists[] = {args.chosen, args.weights, args.slot_of_row, args.token_of_row,
                                     args.weight_of_row};
        for (const void* list : lists)
            if (list == nullptr && args.slots > 0 && args.experts > 0)
                return gemm_checks::invalid("a list of ") << args.slots << " slots or rows is a null pointer";
        return {};
    }
    static arguments normalize(const arguments& args) { return args; }
    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        add_array(memory, args.chosen, args.slots, "chosen experts");
        add_array(memory, args.weights, args.slots, "weights of experts");
        add_array(memory, args.first_row, args.experts + long_index_t{1}, "first rows");
        add_array(memory, args.slot_of_row, args.slots, "slots of rows");
        add_array(memory, args.token_of_row, args.slots, "tokens of rows");
        add_array(memory, args.weight_of_row, args.slots, "weights of rows");
    }
    static constexpr const char* name = "moe_sort";
};

/// Sorts slots, the k experts of each token, by expert: a counting sort, stable, the same from run to run. Row r of the
/// sorted order is slot slot_of_row[r] = token * k + i; expert e has the rows [first_row[e], first_row[e + 1]).
///
/// A block takes an expert. It goes through all slots twice, counts those of lower experts, and places its own. This
/// needs no atomic additions; it costs experts * slots * 8 bytes of reads from L2.
template <class Target>
struct moe_sort : moe_sort_arguments
{
    using target = Target;
    static constexpr int block_threads = 256;
    static constexpr int waves = block_threads / Target::wave_size;
    static constexpr index_t slots_of_step = 4 * block_threads;
    using distribution = coalesced_vector<Target, index_t, slots_of_step, waves>;
    static constexpr index_t scan_bytes = scan_scratch_bytes<Target, index_t, distribution, 0>;
    static constexpr index_t sum_bytes = reduce_all_scratch_bytes<Target, index_t, distribution>;
    static constexpr index_t shared_bytes = max(scan_bytes, sum_bytes);

    using arguments = typename moe_sort_arguments::arguments;

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const index_t expert = target::block_id()[0];
        const auto slots = static_cast<index_t>(args.slots);
        const auto view = make_tensor_view<target, address_space::global>(
            args.chosen, make_packed_descriptor(make_tuple(slots)), "chosen experts");
        const auto all = make_tile_window<distribution>(view, {0});

        auto lower = make_distributed_tensor<index_t, distribution>(0); // slots of experts before this one
        for_each_step(all, slots, [&](const auto& chosen, index_t) {
            static_for<distribution::num_registers>(
                [&](auto r) { lower[r] += static_cast<index_t>(chosen[r] >= 0 && chosen[r] < expert); });
        });
        index_t row = reduce_all<target>(lower, plus{}, target::shared_memory());
        const bool writes = target::thread_id() == 0;
        internal::write_scalar<target>(args.first_row + expert, row, writes);

        for_each_step(all, slots, [&](const auto& chosen, index_t first) {
            distributed_tensor<index_t, distribution> own;
            static_for<distribution::num_registers>(
                [&](auto r) { own[r] = static_cast<index_t>(chosen[r] == expert); });
            auto place = exclusive_scan<target, 0>(own, plus{}, index_t{0}, target::shared_memory());
            static_for<distribution::num_registers>([&](auto r) { place[r] = own[r] != 0 ? row + place[r] : -1; });
            sweep<target>(place, [&](index_t at, const auto& x) { place_slot(args, at, first + x[0]); });
            row += reduce_all<target>(own, plus{}, target::shared_memory());
        });
        internal::write_scalar<target>(args.first_row + args.experts, row, writes && expert == args.experts - 1);
    }

private:
    /// Calls f(experts of the slots of a step, its first slot); -1 past the last slot.
    TEGULA_CALLS_BACK
    template <class Window, class F>
    static TEGULA_INLINE void for_each_step(Window window, index_t slots, const F& f)
    {
        TEGULA_ROLLED
        for (index_t first = 0; first < slots; first += slots_of_step) {
            f(load(window, index_t{-1}), first);
            window.move({slots_of_step});
        }
    }

    /// Makes `slot` row `row`; does nothing if row is below 0.
    static TEGULA_INLINE void place_slot(const arguments& args, index_t row, index_t slot)
    {
        const bool mine = row >= 0;
        const float weight = internal::read_scalar<target>(args.weights + slot, mine);
        internal::write_scalar<target>(args.slot_of_row + row, slot, mine);
        internal::write_scalar<target>(
            args.token_of_row + row,
            static_cast<index_t>(static_cast<std::uint32_t>(slot) / static_cast<std::uint32_t>(args.k)), mine);
        internal::write_scalar<target>(args.weight_of_row + row, weight, mine);
    }
};

/// On a CPU a block is one lane and takes an expert.
template <class Target>
    requires(Target::wave_size == 1)
struct moe_sort<Target> : moe_sort_arguments
{
    using target = Target;
    static constexpr int block_threads = 1;
    using arguments = typename moe_sort_arguments::arguments;

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const index_t expert = target::block_id()[0];
        index_t row = 0;
        for (long_index_t slot = 0; slot < args.slots; ++slot) {
            const index_t chosen = internal::read_scalar<target>(args.chosen + slot);
            row += static_cast<index_t>(chosen >= 0 && chosen < expert);
        }
        internal::write_scalar<target>(args.first_row + expert, row);
        for (index_t slot = 0; slot < args.slots; ++slot)
            if (internal::read_scalar<target>(args.chosen + slot) == expert) {
                internal::write_scalar<target>(args.slot_of_row + row, slot);
                internal::write_scalar<target>(args.token_of_row + row, slot / args.k);
                internal::write_scalar<target>(args.weight_of_row + row,
                                               internal::read_scalar<target>(args.weights + slot));
                ++row;
            }
        if (expert == args.experts - 1)
            internal::write_scalar<target>(args.first_row + args.experts, row);
    }
};

} // namespace tegula
