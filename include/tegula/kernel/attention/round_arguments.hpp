#pragma once

#include <tegula/kernel/attention/variant.hpp>
#include <tegula/kernel/gemm/forms/reload_arguments.hpp>

namespace tegula {

/// What a round of the loop over tiles of keys reads the arguments by. On AMD there are no scalar registers for all that
/// depends on arguments alone where scores are changed and heads are packed, keys lie in pages or inputs have 8 bits, whose
/// scales are more of it; or where these are masked. There each round reads the arguments anew, as
/// internal::reload_arguments says, whose precondition holds.
template <class Tile, class Variant, class Arguments>
struct round_arguments
{
    static constexpr bool has_scales = sizeof(typename Tile::element) == 1;
    static constexpr bool changed = Variant::mask == attention_mask::lists ||
                                    Variant::mask == attention_mask::boolean || Variant::bias != attention_bias::none ||
                                    Variant::dropout ||
                                    !std::is_same_v<std::remove_const_t<decltype(Arguments::score)>, unchanged_score>;
    static constexpr bool reloads =
        Tile::target::vendor == vendor::amd && (has_scales ? changed || Variant::mask != attention_mask::none
                                                           : changed && (Variant::heads == attention_heads::packed ||
                                                                         Variant::cache == attention_cache::paged));

    static TEGULA_INLINE const Arguments& of(const Arguments& args)
    {
        return reloads ? internal::reload_arguments(args) : args;
    }
    /// Stops a kernel whose first parameter are other arguments.
    static TEGULA_INLINE void check([[maybe_unused]] const Arguments& args)
    {
#if TEGULA_DEVICE_PASS && defined(__AMDGCN__)
        if constexpr (reloads)
            if (of(args).q.data != args.q.data)
                __builtin_trap();
#endif
    }
};

} // namespace tegula
