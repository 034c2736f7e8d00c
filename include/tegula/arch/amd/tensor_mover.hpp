#pragma once

#include <tegula/arch/amd/primitives.hpp>
#include <tegula/chip/tensor_tile.hpp>

namespace tegula::arch::amd {

/// gfx1250's tensor data mover: one instruction of a wave loads a tile from global to shared memory, with no registers
/// of its lanes. The tiles that a wave has in flight are counted (TENSORcnt) and done in order. No fence waits for
/// them: use a wait, then a barrier. A lane's own copies (async_copies) have another counter, which counts no tiles.
struct tensor_mover
{
    /// The place of `shared` as tensor_tile encodes it.
    static TEGULA_INLINE std::uint32_t shared_place(const void* shared)
    {
#if defined(__gfx1250__) && TEGULA_AMD_PASS
        return static_cast<std::uint32_t>(
            reinterpret_cast<std::uintptr_t>((__attribute__((address_space(3))) const void*)shared));
#elif !TEGULA_DEVICE_PASS
        return static_cast<std::uint32_t>(static_cast<const std::byte*>(shared) - emulation::shared_memory());
#else
        return 0;
#endif
    }

    /// Starts loading the tile, once for the wave; the descriptor is the same in all lanes.
    static TEGULA_INLINE void load_tile(const tensor_tile_words& d,
                                        [[maybe_unused]] call_site where = call_site::here())
    {
#if defined(__gfx1250__) && TEGULA_AMD_PASS
        typedef std::uint32_t quad __attribute__((ext_vector_type(4)));
        typedef int quads __attribute__((ext_vector_type(8)));
        typedef int four __attribute__((ext_vector_type(4)));
        const auto group0 = d.group0;
        const auto group1 = d.group1;
        const quad first = __builtin_bit_cast(quad, group0);
        const quads second = __builtin_bit_cast(quads, group1);
#if __clang_major__ >= 23
        __builtin_amdgcn_tensor_load_to_lds(first, second, four{}, four{}, quads{}, 0);
#else
        __builtin_amdgcn_tensor_load_to_lds(first, second, four{}, four{}, 0);
#endif
#elif !TEGULA_DEVICE_PASS
        emulation::load_tile(d, where);
#endif
    }

    /// Waits until all but the newest `Tiles` tiles that this wave started have arrived. Waves that started none go on.
    template <int Tiles>
    static TEGULA_INLINE void wait_for_tiles([[maybe_unused]] call_site where = call_site::here())
    {
        static_assert(Tiles >= 0 && Tiles < 64, "tegula: gfx1250 counts up to 63 tiles that are on their way");
#if defined(__gfx1250__) && TEGULA_AMD_PASS
        asm volatile("s_wait_tensorcnt %0" ::"n"(Tiles) : "memory");
#elif !TEGULA_DEVICE_PASS
        emulation::wait_for_tiles<Tiles>(where);
#endif
    }
};

} // namespace tegula::arch::amd
