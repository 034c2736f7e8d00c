// Rows of pages of any length in 8 bits by mma.sync, whose loader of pairs of values takes rows that follow each other.
//
// expect: tegula: attention of 8 bits by mma.sync takes pages of a multiple of its tile's keys; use attention_cache::paged

#include <tegula/kernel/attention/key_value_tiles.hpp>
#include <tegula/kernel/attention/tiles.hpp>

using namespace tegula;
using tile = attention_tile_for<arch::sm_89, float8_e4m3, 128>;
#ifdef TEGULA_CONTROL
constexpr attention_cache cache = attention_cache::paged;
#else
constexpr attention_cache cache = attention_cache::paged_by_key;
#endif
using variant = attention_variant<attention_mask::none, attention_bias::none, attention_weights::all, cache>;

int size() { return sizeof(key_value_tiles<tile, variant, attention_arguments<float8_e4m3, half>>); }
