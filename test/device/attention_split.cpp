// Attention whose keys are split and whose heads are packed, in the tiles for decoding: 128 columns with a band over a
// cache in pages of whole tiles and in pages of any length, 256 plain but on CDNA, whose registers are many, and what puts
// the shares together.
//
// targets: gfx942
// full targets: gfx90a gfx950 gfx1100 gfx1201 sm_80 sm_89 sm_90a sm_100a
// expect * [shares]: matrix >= 8, wide_global_load >= 2, wide_shared_load >= 4
// expect * [sum]: wide_global_load >= 1
// expect gfx90a gfx942 [shares]: /v_mfma_f32_16x16x16_?b?f16/ >= 16
// expect gfx1100 gfx1201 [shares]: /v_wmma_f32_16x16x16_b?f16/ >= 16
// expect sm_80 sm_89 sm_90a sm_100a [shares]: /mma\.sync\.aligned\.m16n8k16/ >= 32
// expect gfx90a gfx942 gfx950 gfx1100 gfx1201 [attention_cacheE2]: loop_awaited_numbers == 0
// expect sm_80 sm_89 sm_90a sm_100a [attention_cacheE2]: sass_awaited_numbers == 0
// expect sm_80 [shares cacheE2E]: sass_issue_percent <= 75, sass_shared_percent <= 154
// expect sm_80 [shares cacheE1E]: sass_issue_percent <= 62, sass_shared_percent <= 154
// expect sm_80 [shares cacheE0E]: sass_issue_percent <= 49, sass_shared_percent <= 154
// expect sm_89 [shares cacheE2E]: sass_issue_percent <= 30, sass_shared_percent <= 78
// expect sm_89 [shares cacheE1E]: sass_issue_percent <= 26, sass_shared_percent <= 78
// expect sm_89 [shares cacheE0E]: sass_issue_percent <= 25, sass_shared_percent <= 78
// expect sm_90a [shares cacheE2E]: sass_issue_percent <= 148, sass_shared_percent <= 308
// expect sm_90a [shares cacheE1E]: sass_issue_percent <= 124, sass_shared_percent <= 308
// expect sm_90a [shares cacheE0E]: sass_issue_percent <= 94, sass_shared_percent <= 308
// expect sm_100a [shares cacheE2E]: sass_issue_percent <= 276, sass_shared_percent <= 614
// expect sm_100a [shares cacheE1E]: sass_issue_percent <= 226, sass_shared_percent <= 614
// expect sm_100a [shares cacheE0E]: sass_issue_percent <= 178, sass_shared_percent <= 614

#include "test/device/attention_words.hpp"

#include <tegula/kernel/attention/split/kernel.hpp>

namespace tegula {

template <class T, index_t D, attention_mask Mask, attention_cache Cache>
using packed = attention_split_kernel<
    decoding_tile_for<target, T, D>, T,
    attention_variant<Mask, attention_bias::none, attention_weights::all, Cache, attention_heads::packed>>;

void keep_all(const void** kept)
{
    using middle = packed<half, 128, attention_mask::band, attention_cache::paged>;
    *kept++ = reinterpret_cast<const void*>(shares<middle>);
    *kept++ =
        reinterpret_cast<const void*>(shares<packed<half, 128, attention_mask::band, attention_cache::paged_by_key>>);
    using wide = packed<bfloat16, 256, attention_mask::none, attention_cache::contiguous>;
    if constexpr (target::wave_size == 32)
        *kept++ = reinterpret_cast<const void*>(shares<wide>);
    *kept++ = reinterpret_cast<const void*>(sum<middle::combine>);
}

} // namespace tegula
