// Rows of pages of any length on a CPU, whose panels are packed from rows that follow each other.
//
// expect: tegula: attention on a CPU takes pages of a multiple of its tile's keys, 64; use attention_cache::paged

#include <tegula/kernel/attention/cpu/tiles.hpp>

using namespace tegula;
using tile = attention_tile_for<arch::x86_avx2, float, 64>;

void load(tile::key_loader& keys, const float* data)
{
#ifdef TEGULA_CONTROL
    keys.load(data, 3);
#else
    keys.load_rows(data, 3, [&](index_t) { return data; });
#endif
}
