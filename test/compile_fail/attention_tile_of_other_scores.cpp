// Beside a boolean mask the scores of 128 keys do not fit the registers of a consumer.
//
// expect: tegula: a tile of so many keys spills registers beside this mask

#include <tegula/arch/nvidia/targets.hpp>
#include <tegula/kernel/attention/warp_specialized/kernel.hpp>

using namespace tegula;
using target = arch::sm_90a;
using masked = attention_variant<attention_mask::boolean>;

#ifdef TEGULA_CONTROL
using tile = warp_specialized_attention_tile_for<target, bfloat16, 128, 128, masked>;
#else
using tile = warp_specialized_attention_tile_for<target, bfloat16, 128>;
#endif

template struct tegula::warp_specialized_attention<tile, bfloat16, masked>;
