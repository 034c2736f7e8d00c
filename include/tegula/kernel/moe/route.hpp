#pragma once

#include <tegula/block/softmax_rows.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/gemm/can_implement.hpp>
#include <tegula/kernel/tensor_protocol.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/arg_reduce.hpp>
#include <tegula/tensor/coalesced.hpp>

namespace tegula {

/// The protocol (kernel/protocol.hpp) of moe_route for every target.
template <index_t Experts>
struct moe_route_checks
{
    struct arguments
    {
        long_index_t tokens = 0;
        index_t experts = 0;
        index_t k = 0;                 ///< experts per token
        const float* logits = nullptr; ///< [tokens, experts], packed
        index_t* chosen = nullptr;     ///< [tokens, k], largest first
        float* weights = nullptr;      ///< [tokens, k]
    };

    static status check(const arguments& args)
    {
        if (status s = gemm_checks::check_size("tokens", args.tokens); !s)
            return s;
        if (args.experts < 1 || args.experts > Experts)
            return status(status_code::unsupported, "experts is ")
                   << args.experts << "; this kernel takes 1 to " << Experts;
        if (args.k < 1 || args.k > args.experts)
            return gemm_checks::invalid("a token goes to ")
                   << args.k << " of " << args.experts << " experts; it must be 1 of them to all";
        if (args.tokens > 0 && (args.logits == nullptr || args.chosen == nullptr || args.weights == nullptr))
            return gemm_checks::invalid("logits, chosen or weights is a null pointer, but there are tokens");
        return {};
    }
    static arguments normalize(const arguments& args) { return args; }
    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        add_array(memory, args.logits, args.tokens * args.experts, "logits");
        add_array(memory, args.chosen, args.tokens * args.k, "chosen experts");
        add_array(memory, args.weights, args.tokens * args.k, "weights of experts");
    }
    static constexpr const char* name = "moe_route";
};

/// Routes each token to the k experts of its largest logits, the lower expert first if logits are equal. The weights
/// are the softmax over these k logits, exp(x - max) / sum. This equals the k largest probabilities of the softmax over
/// all experts, divided by their sum.
///
///   Experts  the most experts there can be, a power of two of at least a wave
///
/// A wave takes one token, or several if there are few experts. A NaN counts as the largest logit, and makes all
/// weights of its token NaN.
template <class Target, index_t Experts>
struct moe_route : moe_route_checks<Experts>
{
    using target = Target;
    static constexpr int waves = 4;
    static constexpr int block_threads = waves * Target::wave_size;
    static constexpr index_t rows = max(block_threads * 4 / Experts, waves); ///< tokens per block
    using distribution = coalesced<Target, float, rows, Experts, waves>;
    static_assert(distribution::replication == 1 && reduced_distribution<distribution, 1>::num_registers == 1,
                  "tegula: a lane has experts of one token; take a power of two of experts, at least a wave");

    using arguments = typename moe_route_checks<Experts>::arguments;

    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return ceil_div(args.tokens, rows);
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const index_t first = target::block_id()[0] * rows;
        const auto view = make_tensor_view<target, address_space::global>(
            args.logits, make_packed_descriptor(make_tuple(static_cast<index_t>(args.tokens), args.experts)), "logits");
        constexpr float lowest = -__builtin_inff();
        auto left = with_index<target, 1>(load(make_tile_window<distribution>(view, {first, 0}), lowest));

        const multi_index<2> own = distribution::origin(partition_index<target, distribution>());
        const index_t token = first + own[0];
        const bool mine = token < args.tokens && own[1] == 0;
        const long_index_t row = static_cast<long_index_t>(token) * args.k;
        float largest = 0;
        float sum = 0;
        TEGULA_ROLLED
        for (index_t i = 0; i < args.k; ++i) {
            const indexed<float> best = reduce<target, 1>(left, first_of<largest_first>{})[0];
            // Experts already taken rank after all others, even after the padding past the last expert.
            static_for<distribution::num_registers>([&](auto r) {
                const bool taken = left[r].index == best.index;
                left[r] = choose(taken, indexed<float>{lowest, INT32_MAX}, left[r]);
            });
            largest = i == 0 ? best.value : largest;
            const float power = exp_by_exp2<target>(best.value - largest);
            sum += power;
            internal::write_scalar<target>(args.chosen + row + i, best.index, mine);
            internal::write_scalar<target>(args.weights + row + i, power, mine);
        }
        const float scale = 1.0f / sum;
        TEGULA_ROLLED
        for (index_t i = 0; i < args.k; ++i) {
            const float power = internal::read_scalar<target>(args.weights + row + i, mine);
            internal::write_scalar<target>(args.weights + row + i, power * scale, mine);
        }
    }
};

/// On a CPU the one lane keeps the k best of a token's experts in order, in the lists that it writes.
template <class Target, index_t Experts>
    requires(Target::wave_size == 1)
struct moe_route<Target, Experts> : moe_route_checks<Experts>
{
    using target = Target;
    static constexpr int block_threads = 1;
    using arguments = typename moe_route_checks<Experts>::arguments;

    /// Blocks to launch.
    static constexpr long_index_t blocks(const arguments& args) { return args.tokens; }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const long_index_t token = target::block_id()[0];
        const float* const logits = args.logits + token * args.experts;
        indexed<float> best[Experts];
        index_t count = 0;
        for (index_t e = 0; e < args.experts; ++e) {
            const indexed<float> x{internal::read_scalar<target>(logits + e), e};
            if (count == args.k && !precedes(x, best[count - 1]))
                continue;
            index_t at = count < args.k ? count++ : count - 1;
            for (; at > 0 && precedes(x, best[at - 1]); --at)
                best[at] = best[at - 1];
            best[at] = x;
        }
        float sum = 0;
        for (index_t i = 0; i < args.k; ++i)
            sum += power_of(best[i], best[0]);
        for (index_t i = 0; i < args.k; ++i) {
            internal::write_scalar<target>(args.chosen + token * args.k + i, best[i].index);
            internal::write_scalar<target>(args.weights + token * args.k + i, power_of(best[i], best[0]) / sum);
        }
    }

private:
    static TEGULA_INLINE bool precedes(const indexed<float>& a, const indexed<float>& b)
    {
        return first_of<largest_first>{}(a, b).index == a.index;
    }
    static TEGULA_INLINE float power_of(const indexed<float>& x, const indexed<float>& largest)
    {
        return exp_by_exp2<target>(x.value - largest.value);
    }
};

} // namespace tegula
