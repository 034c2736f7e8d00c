#pragma once

#include <tegula/core/config.hpp>

#if TEGULA_DEVICE_PASS && defined(__AMDGCN__)
#define TEGULA_AMD_PASS 1
#else
#define TEGULA_AMD_PASS 0
#endif

namespace tegula::arch::amd {

#if TEGULA_AMD_PASS
/// `word` of the lane whose number differs in the bits of Mask. Moves inside a row are operands of the instruction that
/// takes them (DPP: quad permutations, rotations and mirrors of a row; from gfx10 on any mask of a row). Between rows,
/// chips from gfx10 on use permlanex16, gfx950 exchanges rows of two registers, and others of gfx9 use a swizzle, which
/// needs no address.
template <int Mask>
__attribute__((device)) inline __attribute__((always_inline)) int move_xor(int word)
{
    constexpr int all_rows = 0xf, all_banks = 0xf;
    if constexpr (Mask < 4) {
        constexpr int quad = (0 ^ Mask) | (1 ^ Mask) << 2 | (2 ^ Mask) << 4 | (3 ^ Mask) << 6;
        return __builtin_amdgcn_mov_dpp(word, quad, all_rows, all_banks, true);
    } else if constexpr (Mask == 7) {
        return __builtin_amdgcn_mov_dpp(word, 0x141, all_rows, all_banks, true); // row_half_mirror
    } else if constexpr (Mask == 8) {
        return __builtin_amdgcn_mov_dpp(word, 0x128, all_rows, all_banks, true); // row_ror:8
    } else if constexpr (Mask == 15) {
        return __builtin_amdgcn_mov_dpp(word, 0x140, all_rows, all_banks, true); // row_mirror
    }
#if defined(__GFX9__)
    else if constexpr (Mask == 4) {
        // Lanes 4 up for the even banks of 4 lanes, 4 down for the odd ones.
        const int from_above = __builtin_amdgcn_mov_dpp(word, 0x104, all_rows, all_banks, true);
        return __builtin_amdgcn_update_dpp(from_above, word, 0x114, all_rows, 0xa, false);
    }
#if defined(__gfx950__)
    // Both registers are the word: one gets the lower rows twice, the other the upper ones.
    else if constexpr (Mask == 16 || Mask == 32) {
        const auto of = static_cast<unsigned>(word);
        const auto rows = [&] {
            if constexpr (Mask == 16)
                return __builtin_amdgcn_permlane16_swap(of, of, false, false);
            else
                return __builtin_amdgcn_permlane32_swap(of, of, false, false);
        }();
        const auto lane = __builtin_amdgcn_mbcnt_hi(~0U, __builtin_amdgcn_mbcnt_lo(~0U, 0U));
        return static_cast<int>((lane & Mask) == 0 ? rows[1] : rows[0]);
    } else if constexpr (Mask > 32) {
        return move_xor < Mask & 31 > (move_xor<32>(word));
    }
#endif
    else if constexpr (Mask < 32) {
        return __builtin_amdgcn_ds_swizzle(word, Mask << 10 | 0x1f);
    }
#else
    else if constexpr (Mask < 16) {
        return __builtin_amdgcn_mov_dpp(word, 0x160 | Mask, all_rows, all_banks, true); // row_xmask
    } else if constexpr (Mask == 16) {
        return __builtin_amdgcn_permlanex16(word, word, 0x76543210, static_cast<int>(0xfedcba98), false, false);
    } else if constexpr (Mask < 32) {
        return move_xor < Mask & 15 > (move_xor<16>(word));
    }
#endif
    else {
        const int lane = static_cast<int>(__builtin_amdgcn_mbcnt_hi(~0U, __builtin_amdgcn_mbcnt_lo(~0U, 0U)));
        return __builtin_amdgcn_ds_bpermute((lane ^ Mask) * 4, word);
    }
}
#endif

} // namespace tegula::arch::amd
