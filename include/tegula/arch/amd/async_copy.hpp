#pragma once

#include <tegula/arch/amd/primitives.hpp>

namespace tegula::arch::amd {

/// gfx1250's copies from global to shared memory that bypass registers, each lane to its own place. The hardware counts
/// the copies that a wave has in flight (ASYNCcnt) and finishes loads in order, so that a wait says how many of the
/// newest may be left. It has no groups: async_wait() waits for all. No fence waits for copies: a wait, then a barrier.
struct async_copies
{
    static constexpr bool has_async_copy = true;

    /// Starts a copy of Bytes (4, 8 or 16) bytes, both places aligned to them. With `valid` false it writes zeros,
    /// which a barrier makes visible and no wait counts.
    template <int Bytes>
    static TEGULA_INLINE void async_copy(void* shared, const void* global, bool valid = true,
                                         [[maybe_unused]] call_site where = call_site::here())
    {
        static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16,
                      "tegula: the instruction copies 4, 8 or 16 bytes a lane");
#if defined(__gfx1250__) && TEGULA_AMD_PASS
        if (valid)
            start<Bytes>((__attribute__((address_space(3))) void*)shared,
                         (__attribute__((address_space(1))) void*)const_cast<void*>(global));
        else
            *(shared_pointer<Bytes>)shared = 0;
#elif !TEGULA_DEVICE_PASS
        constexpr std::uint32_t zeros[Bytes / 4] = {};
        emulation::store_shared<Bytes>(shared, zeros, !valid, where);
        if (valid)
            emulation::async_copy<Bytes>(shared, global, true, where);
        else
            emulation::skip_async_copy<Bytes>(where);
#endif
    }

    /// Does nothing: the hardware has no groups.
    static TEGULA_INLINE void async_commit() {}

    /// Waits until all but the newest `Copies` calls of async_copy with `valid` of this wave have arrived.
    template <int Copies>
    static TEGULA_INLINE void async_wait_newest([[maybe_unused]] call_site where = call_site::here())
    {
        static_assert(Copies >= 0 && Copies < 64, "tegula: gfx1250 counts up to 63 copies that are on their way");
#if defined(__gfx1250__) && TEGULA_AMD_PASS
        asm volatile("s_wait_asynccnt %0" ::"n"(Copies) : "memory");
#elif !TEGULA_DEVICE_PASS
        emulation::async_wait_newest<Copies>(where);
#endif
    }
    /// Waits until at most `Groups` groups are in flight; here until all copies have arrived.
    template <int Groups>
    static TEGULA_INLINE void async_wait([[maybe_unused]] call_site where = call_site::here())
    {
        async_wait_newest<0>(where);
    }

private:
#if defined(__gfx1250__) && TEGULA_AMD_PASS
    template <int Bytes>
    static TEGULA_INLINE void start(__attribute__((address_space(3))) void* to,
                                    __attribute__((address_space(1))) void* from)
    {
        typedef int pair __attribute__((ext_vector_type(2)));
        typedef int quad __attribute__((ext_vector_type(4)));
        if constexpr (Bytes == 16)
            __builtin_amdgcn_global_load_async_to_lds_b128((__attribute__((address_space(1))) quad*)from,
                                                           (__attribute__((address_space(3))) quad*)to, 0, 0);
        else if constexpr (Bytes == 8)
            __builtin_amdgcn_global_load_async_to_lds_b64((__attribute__((address_space(1))) pair*)from,
                                                          (__attribute__((address_space(3))) pair*)to, 0, 0);
        else
            __builtin_amdgcn_global_load_async_to_lds_b32((__attribute__((address_space(1))) int*)from,
                                                          (__attribute__((address_space(3))) int*)to, 0, 0);
    }
#endif
};

} // namespace tegula::arch::amd
