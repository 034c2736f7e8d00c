// Rows of pages of any length on a CPU, whose panels are packed from rows that follow each other.
//
// expect: tegula: attention on a CPU takes pages of a multiple of its tile's keys, 64; use attention_cache::paged

#include <tegula/kernel/attention/cpu/tiles.hpp>
#include <tegula/kernel/attention/key_value_tiles.hpp>

using namespace tegula;
using tile = attention_tile_for<arch::x86_avx2, float, 64>;
#ifdef TEGULA_CONTROL
constexpr attention_cache cache = attention_cache::paged;
#else
constexpr attention_cache cache = attention_cache::paged_by_key;
#endif
using variant = attention_variant<attention_mask::none, attention_bias::none, attention_weights::all, cache>;

int size() { return sizeof(key_value_tiles<tile, variant, attention_arguments<float, float>>); }
