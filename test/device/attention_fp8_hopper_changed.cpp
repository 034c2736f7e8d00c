// Warp-specialised attention of 8 bits with changed scores, of 192 and 128 columns, of 256, and of any length, in the tiles that keep each
// to the registers of a consumer; and a tile that divides blocks of 64 keys with scales of their own.
//
// full targets: sm_90a
// expect sm_90a: /wgmma\.mma_async/ >= 6, /fence\.proxy\.async/ >= 1, registers <= 168
// expect sm_90a [ELi64ELi128ELi128E]: sass_issue_percent <= 369, sass_shared_percent <= 125
// expect sm_90a [ELi128ELi64E]: sass_issue_percent <= 565, sass_shared_percent <= 113
// expect sm_90a [ELi64ELi64ELi64E]: sass_issue_percent <= 2560, sass_shared_percent <= 125
// expect sm_90a [ELi32ELi64E]: sass_issue_percent <= 2740, sass_shared_percent <= 150
// expect sm_90a [ELi32ELi128E weightsE0E]: sass_issue_percent <= 340, sass_shared_percent <= 150
// expect sm_90a [ELi32ELi128E weightsE1E]: sass_issue_percent <= 1475, sass_shared_percent <= 150
// expect sm_90a [ELi96ELi128E]: sass_issue_percent <= 159, sass_shared_percent <= 117
// expect sm_90a [ELi96ELi192E]: sass_issue_percent <= 153, sass_shared_percent <= 125
// expect sm_90a [ELi64ELi256E]: sass_issue_percent <= 144, sass_shared_percent <= 125
// expect sm_90a [ELi64ELi192E]: sass_issue_percent <= 272, sass_shared_percent <= 135
// expect sm_90a [ELi32ELi192E]: sass_issue_percent <= 1220, sass_shared_percent <= 165

#include <tegula/kernel/attention/soft_cap.hpp>

#include "test/device/attention_hopper_words.hpp"
#include "test/device/same_document.hpp"

namespace tegula {

using enum attention_sequences;

template <index_t D, class Variant, class Score = unchanged_score, attention_sequences Sequences = of_one_length,
          index_t ValueDim = D, class O = half>
const void* changed()
{
    using tile = warp_specialized_attention_tile_for<target, e4m3, D, ValueDim, Variant, Score>;
    return reinterpret_cast<const void*>(
        plain_by_roles<warp_specialized_attention<tile, O, Variant, Score, Sequences>>);
}

void keep_all(const void** kept)
{
    using enum attention_mask;
    using bias = attention_bias;
    constexpr attention_weights dropped = attention_weights::dropped;
    using everything = attention_variant<boolean, bias::tensor, dropped>;
    *kept++ = changed<64, attention_variant<band, bias::tensor>, soft_cap<target>>();
    *kept++ = changed<64, attention_variant<band, bias::alibi>, unchanged_score, of_any_length>();
    *kept++ = changed<64, attention_variant<none, bias::none, dropped>>();
    *kept++ = changed<64, attention_variant<boolean, bias::alibi, dropped>, soft_cap<target>>();
    *kept++ = changed<64, everything, same_document>();
    *kept++ = changed<128, attention_variant<none, bias::tensor>>();
    *kept++ = changed<128, attention_variant<band, bias::alibi>, soft_cap<target>, of_any_length>();
    *kept++ = changed<128, attention_variant<boolean>>();
    *kept++ = changed<128, attention_variant<band, bias::tensor, dropped>, soft_cap<target>>();
    *kept++ = changed<128, everything, soft_cap<target>, of_any_length>();
    *kept++ = changed<128, everything, same_document>();
    using of_blocks =
        warp_specialized_attention_tile_for<target, e4m3, 128, 128, attention_variant<band>, unchanged_score, 64>;
    *kept++ = reinterpret_cast<const void*>(
        plain_by_roles<warp_specialized_attention<of_blocks, half, attention_variant<band>>>);
    *kept++ = changed<128, attention_variant<band>, unchanged_score, of_any_length>();
    *kept++ = changed<192, attention_variant<band>, unchanged_score, of_any_length, 128, bfloat16>();
    *kept++ = changed<256, attention_variant<band>>();
    *kept++ = changed<256, attention_variant<none>>();
    *kept++ = changed<256, attention_variant<band>, unchanged_score, of_any_length>();
    *kept++ = changed<192, attention_variant<band, bias::alibi>, soft_cap<target>, of_one_length, 128>();
    *kept++ = changed<192, everything, soft_cap<target>, of_any_length, 128>();
}

} // namespace tegula
