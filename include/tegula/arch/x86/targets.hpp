#pragma once

#include <tegula/arch/x86/features.hpp>
#include <tegula/arch/x86/primitives.hpp>

namespace tegula::arch {

/// AVX2 and FMA: 16 registers of 256 bits. int8 by vpdpbusd if the machine has AVX-VNNI.
struct x86_avx2 : x86::primitives<false>
{
    static consteval chip_info chip() { return tegula::chip::x86_avx2; }
};

/// AVX-512 (F, BW, DQ, VL): 32 registers of 512 bits. bf16 and int8 products need AVX-512 BF16 and VNNI.
struct x86_avx512 : x86::primitives<false>
{
    static consteval chip_info chip() { return tegula::chip::x86_avx512; }
};

/// AVX-512 and the tile registers of AMX.
struct x86_amx : x86::primitives<false>
{
    static consteval chip_info chip() { return tegula::chip::x86_amx; }
};

/// The best of these that this machine has, chosen when the program runs. A name for functions of host/, which call
/// the kernels of one of them; no target of a kernel.
struct host
{};

/// A CPU target on the strict emulator: its kernels, with every primitive emulated and checked as a GPU's are.
template <class Target>
struct strict : x86::primitives<true>
{
    using native = Target;
    static consteval chip_info chip() { return Target::chip(); }
};

} // namespace tegula::arch

namespace tegula {

/// The features that a machine must have for any kernel of a CPU target; an instruction may need more.
template <class Target>
constexpr x86::feature_set needed_features()
{
    using enum x86::feature;
    if constexpr (std::is_same_v<Target, arch::x86_avx2>)
        return avx2;
    else if constexpr (std::is_same_v<Target, arch::x86_avx512>)
        return avx512;
    else
        return avx512 | amx_tile;
}

} // namespace tegula
