#pragma once

#include <tegula/arch/amd/primitives.hpp>

namespace tegula::arch::amd {

/// Loads from global memory straight into shared memory, 16 bytes a lane, which gfx950 has: no register is held while
/// they are in flight, and none is written to shared memory.
struct direct_loads
{
    static constexpr bool has_direct_load = true;

    /// Starts a load: lane l gets what is `offset` + Further bytes into the buffer at Further + 16 l bytes from
    /// `place`, zeros past the buffer's end. `place` is in shared memory, at a multiple of 16 bytes and the same in
    /// every lane; offsets, whose sums do not wrap around, are multiples of 16. Until direct_barrier() the bytes may be
    /// neither read nor written. Loads that differ only in Further share the register that holds `place`. Plain: that of
    /// load_buffer.
    template <int Further = 0, bool Plain = true>
    static TEGULA_INLINE void load_direct(const global_buffer& buffer, std::uint32_t offset, void* place,
                                          [[maybe_unused]] call_site where = call_site::here())
    {
        static_assert(
            Further >= 0 && Further < 4096 && Further % 16 == 0,
            "tegula: the further offset is a multiple of 16 bytes below 4096; the instruction has 12 bits for it");
#if defined(__gfx950__)
        __builtin_amdgcn_raw_ptr_buffer_load_lds(make_resource<Plain>(buffer),
                                                 (__attribute__((address_space(3))) void*)place, 16,
                                                 static_cast<int>(offset), 0, Further, 0);
#elif !TEGULA_DEVICE_PASS
        emulation::check_direct_load(buffer.base, buffer.bytes, place, where);
        const std::uint32_t from = offset + Further;
        const bool inside = from < buffer.bytes && buffer.bytes - from >= 16;
        emulation::async_copy<16>(static_cast<std::byte*>(place) + Further + 16 * emulation::lane_id(),
                                  static_cast<const std::byte*>(buffer.base) + from, inside, where);
#endif
    }

    /// All threads of the block meet when all but the newest `Pending` direct loads of each wave have arrived; accesses
    /// to shared memory before it, and loads that arrived, are seen by all after it. It has no fences: for these the
    /// compiler would wait for every load.
    ///
    ///   Additions  how many atomic additions to global memory the wave has started since its last load, at least. It
    ///              does not wait for them: one counter counts them and the loads, in order
    template <int Pending, int Additions = 0>
    static TEGULA_INLINE void direct_barrier([[maybe_unused]] call_site where = call_site::here())
    {
        static_assert(Pending >= 0 && Additions >= 0 && Pending + Additions < 64,
                      "tegula: gfx950 counts up to 63 loads and additions that are on their way");
#if defined(__gfx950__)
        // vmcnt(all) lgkmcnt(0), by the compiler's own instruction, so that its own waits merge with this one.
        constexpr int all = Pending + Additions, counters = (all & 0xf) | 0x70 | (all >> 4) << 14;
        asm volatile("" ::: "memory");
        __builtin_amdgcn_s_waitcnt(counters);
        asm volatile("" ::: "memory");
        __builtin_amdgcn_s_barrier();
        asm volatile("" ::: "memory");
#elif !TEGULA_DEVICE_PASS
        emulation::async_wait_newest<Pending, Additions>(where);
        emulation::shared_barrier(where);
#endif
    }
};

} // namespace tegula::arch::amd
