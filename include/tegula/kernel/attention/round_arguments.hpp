#pragma once

#include <tegula/arch/reload_arguments.hpp>
#include <tegula/chip/chip_info.hpp>
#include <tegula/kernel/attention/places.hpp>
#include <tegula/kernel/attention/variant.hpp>

namespace tegula {

/// How a round of the loop over tiles of keys reads the arguments. On AMD it reloads them (internal::reload_arguments)
/// if scalar registers do not hold all that depends on arguments alone. That is so for 8 bits, whose scales are more
/// arguments, with any mask or change of scores, but not for a band alone on CDNA. It is so for 16 bits with two of these:
/// changes of scores, packed heads or pages, direct loads into two stages. On gfx1250, where compilers keep more scalars, the
/// first or the second is enough for 8 or 16 bits. Precondition on AMD: the arguments are, or begin, the first parameter of the
/// __global__ function.
template <class Tile, class Variant, class Arguments>
struct round_arguments
{
    static constexpr bool changed = changes_scores<Variant, std::remove_const_t<decltype(Arguments::score)>>();
    static constexpr bool spread = Variant::heads == attention_heads::packed || Variant::in_pages;
    static constexpr bool is_gfx1250 = Tile::target::chip().family == chip_family::cdna_5;
    static constexpr bool of_8_bits = sizeof(typename Tile::element) == 1;
    static constexpr bool band_alone =
        Tile::target::chip().is_cdna() && Variant::mask == attention_mask::band && !spread;
    static constexpr bool reloads =
        Tile::target::vendor == vendor::amd &&
        (of_8_bits || is_gfx1250
             ? changed || (is_gfx1250 && spread) || (Variant::mask != attention_mask::none && !band_alone)
             : changed + spread + (Tile::direct && Tile::key_values == key_value_place::two_stages) > 1);
    /// Whether the code after the loop reloads them. With 8 bits the loop does where scales change (input_scales). On gfx90a
    /// LLVM before 20 otherwise spills two scalars.
#if defined(__gfx90a__) && __clang_major__ < 20
    static constexpr bool reloads_behind = reloads || changed;
#else
    static constexpr bool reloads_behind = reloads || (of_8_bits && Tile::target::vendor == vendor::amd);
#endif

    /// The block's arguments, or arguments that begin with them; reloaded if `reloads`.
    template <class Whole>
    static TEGULA_INLINE const Whole& of(const Whole& args)
    {
        return reloads ? internal::reload_arguments(args) : args;
    }
    /// The functor, as the kernel was given it if it reads memory: LLVM does not know that a reloaded pointer points to
    /// global memory.
    static TEGULA_INLINE const auto& functor_of(const Arguments& in_round, const Arguments& args)
    {
        using functor = std::remove_const_t<decltype(Arguments::score)>;
        return detail::functor_reads_memory<functor>() ? args.score : in_round.score;
    }
    /// Traps if the kernel's first parameter is not `args`.
    static TEGULA_INLINE void check([[maybe_unused]] const Arguments& args)
    {
        if constexpr (reloads_behind)
            internal::check_reload(args, [](const Arguments& a) { return a.q.data; });
    }
};

} // namespace tegula
