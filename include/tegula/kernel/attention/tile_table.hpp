#pragma once

#include <tegula/chip/chip_info.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/attention/places.hpp>
#include <tegula/kernel/attention/variant.hpp>

namespace tegula {

/// Which kernel of the forward pass a tile is for.
enum class attention_form {
    multistage,       ///< attention_kernel with an attention_tile
    warp_specialized, ///< warp_specialized_attention, on sm_100a and sm_103a tcgen05_attention
    two_stages,       ///< attention_kernel with twice the waves and two stages of keys and values, on gfx942
    few_queries,      ///< attention_split_kernel with heads packed, by decoding_tile_for
    latent,           ///< attention_kernel with the tile of 576 and 512 columns
    /// warp_specialized_latent_attention, of 576 and 512 columns: heads packed, keys split
    warp_specialized_latent,
};

/// The sizes of an attention_tile.
struct attention_tile_size
{
    index_t queries = 0;
    index_t keys = 0;
    int waves = 0;
    query_place place = query_place::registers;
    key_value_place key_values = key_value_place::apart;
    int column_waves = 1;
};

/// Columns of the latent form of multi-head latent attention (DeepSeek-AI, "DeepSeek-V2", 2024): keys of 512 latent
/// numbers and 64 that carry the position, values of the same 512.
inline constexpr index_t latent_head_dim = 576, latent_value_dim = 512;

/// Tensor copies bring a tile in pieces of so many keys or more: pages have a multiple of it.
inline constexpr index_t tensor_copy_page_keys = 16;

namespace detail {

/// The targets of a row.
enum class tile_targets {
    cdna,   ///< gfx90a, gfx942, gfx950
    cdna_3, ///< gfx942
    cdna_4, ///< gfx950, with 160 KB of shared memory
    gfx11,  ///< which hold the operands of WMMA twice
    gfx12,  ///< and gfx1250
    gfx1250,
    nvidia,
    nvidia_large, ///< with more than 100 KB of shared memory
    sm_90a,
    sm_100a, ///< and sm_103a
};

constexpr bool are_of(tile_targets targets, const chip_info& chip)
{
    switch (targets) {
    case tile_targets::cdna:
        return chip.is_cdna();
    case tile_targets::cdna_3:
        return chip.family == chip_family::cdna_3;
    case tile_targets::cdna_4:
        return chip.family == chip_family::cdna_4;
    case tile_targets::gfx11:
        return chip.family == chip_family::rdna_3;
    case tile_targets::gfx12:
        return chip.has_wmma_2();
    case tile_targets::gfx1250:
        return chip.family == chip_family::cdna_5;
    case tile_targets::nvidia:
        return chip.vendor == vendor::nvidia;
    case tile_targets::nvidia_large:
        return chip.vendor == vendor::nvidia && chip.shared_bytes > 100 * 1024;
    case tile_targets::sm_90a:
        return chip.family == chip_family::hopper;
    case tile_targets::sm_100a:
        return chip.family == chip_family::blackwell;
    }
    return false;
}

/// Whether the form has tiles of elements of so many bytes that the chip multiplies.
constexpr bool has_tiles_of(const chip_info& chip, attention_form form, int element_bytes)
{
    const bool by_wgmma = form == attention_form::warp_specialized && chip.family == chip_family::hopper;
    return element_bytes == 2 ||
           (element_bytes == 1 && (form == attention_form::multistage || by_wgmma) && chip.has_fp8_products());
}

/// The scores that a row is for, in the order of the registers they take: each kind includes those before it.
enum class tile_scores {
    banded,        ///< keys are hidden by a band, if at all
    changed,       ///< a bias or a functor that reads no memory
    sloped,        ///< slopes
    dropped,       ///< dropout
    masked,        ///< a boolean mask or a functor that reads memory, one of the two and no bias
    masked_sloped, ///< one of the two, and slopes
    any_in_order,  ///< all but block lists, which tensor copies do not know
    any,
};

constexpr tile_scores kind_of(const attention_changes& x)
{
    if (x.mask == attention_mask::lists)
        return tile_scores::any;
    const int read = (x.mask == attention_mask::boolean) + (x.functor && x.functor_reads_memory);
    if (read > 1 || (read > 0 && x.bias == attention_bias::tensor))
        return tile_scores::any_in_order;
    if (read > 0)
        return x.bias == attention_bias::alibi ? tile_scores::masked_sloped : tile_scores::masked;
    if (x.dropout)
        return tile_scores::dropped;
    if (x.bias == attention_bias::alibi)
        return tile_scores::sloped;
    return x.bias != attention_bias::none || x.functor ? tile_scores::changed : tile_scores::banded;
}

struct attention_tile_row
{
    tile_targets targets;
    attention_form form;
    tile_scores scores;
    int most_bytes;    ///< most bytes of an element of Q, K and V
    index_t head_dim;  ///< most columns of Q and K
    index_t value_dim; ///< most columns of V
    attention_tile_size size;
};

inline constexpr query_place in_registers = query_place::registers, in_shared = query_place::shared;
inline constexpr key_value_place apart = key_value_place::apart, alternate = key_value_place::alternate,
                                 staged = key_value_place::two_stages;

// The first row that fits is taken. Blocks of any band skip the tiles of keys that it hides from all their queries and
// mask those that it hides from some, so that a band decides nothing.
using enum attention_form;
using enum tile_scores;
inline constexpr attention_tile_row attention_tiles[] = {
    // 32 queries a wave, the rows of a 32x32 instruction; past 128 columns keys and values share 64 KB. On gfx950 keys and
    // values come straight into two stages; two blocks have room.
    {tile_targets::cdna_4, multistage, any, 2, 128, 128, {128, 64, 4, in_registers, staged}},
    {tile_targets::cdna, multistage, any, 2, 128, 128, {128, 64, 4, in_registers}},
    // On gfx950 one instruction takes 64 keys of 8 bits.
    {tile_targets::cdna_4, multistage, any, 1, 256, 256, {128, 64, 4, in_registers, staged}},
    // 16 rows of 8 bits a wave multiply 64 keys at a time.
    {tile_targets::cdna_3, few_queries, any, 1, 256, 256, {64, 64, 4, in_registers}},
    {tile_targets::cdna_4, multistage, any, 2, 256, 256, {128, 32, 4, in_registers, staged}},
    {tile_targets::cdna, multistage, any, 2, 256, 256, {128, 32, 4, in_registers}},
    // Two stages of 64 keys of 128 columns take all 64 KB; more columns do not fit. There is one barrier a tile, and
    // half as many blocks read keys and values. choose_attention takes the rows above: the matrix units limit both by
    // the cycle model (docs/performance.md), and with a causal band blocks of 256 queries compute more needlessly.
    {tile_targets::cdna_3, two_stages, any, 2, 128, 128, {256, 64, 8, in_registers, staged}},
    // 16 queries a wave: 32 spill. gfx11 holds operands twice: those of 128 columns stay in shared memory. Past 128 the
    // output takes half of the registers, shared memory has 64 KB. More than 16 keys spill there on gfx11, and on
    // gfx1201 with dropout. An instruction of 8 bits takes 32 keys on gfx1201, 64 on gfx1250 (of 16 bits 32).
    {tile_targets::gfx11, multistage, any, 2, 64, 64, {128, 64, 8, in_registers}},
    {tile_targets::gfx11, multistage, any, 2, 128, 128, {128, 64, 8, in_shared}},
    {tile_targets::gfx11, multistage, any, 2, 256, 256, {64, 16, 4, in_shared}},
    {tile_targets::gfx12, multistage, any, 2, 128, 128, {128, 64, 8, in_registers}},
    {tile_targets::gfx1250, multistage, any, 1, 256, 256, {64, 64, 4, in_shared}},
    {tile_targets::gfx1250, multistage, any, 2, 256, 256, {64, 32, 4, in_shared}},
    {tile_targets::gfx12, multistage, any, 1, 256, 256, {64, 32, 4, in_shared}},
    {tile_targets::gfx12, multistage, banded, 2, 256, 256, {64, 32, 4, in_shared}},
    {tile_targets::gfx12, multistage, any, 2, 256, 256, {64, 16, 4, in_shared}},
    // Two stages of keys and values next to 64 KB of queries: as many keys as fit 228 KB and leave a consumer registers
    // for output, scores and probabilities. Up to 128 columns tiles of a causal band are square. 128 keys spill up to
    // 39 registers with a boolean mask or dropout and 19 with slopes, 64 keys up to 2 with a mask and a bias. Past 128
    // columns a bias or slopes spill, too: up to 14 for 112 keys of 192 columns, 4 even for 32 keys of 256.
    // With 64 columns the softmax of a consumer takes twice as long as its products: three consumers hide more of it.
    // They have 160 registers each, in which more than 112 keys do not fit.
    // With 8 bits the sums of one tile of V are apart from the output. Beside both of 128 columns 96 keys fit. Past 128
    // columns of V those of 64 columns are apart at a time, and 64 keys fit.
    {tile_targets::sm_90a, warp_specialized, sloped, 1, 64, 64, {128, 128, 12, in_shared}},
    {tile_targets::sm_90a, warp_specialized, masked_sloped, 1, 64, 64, {128, 64, 12, in_shared}},
    {tile_targets::sm_90a, warp_specialized, any_in_order, 1, 64, 64, {128, 32, 12, in_shared}},
    {tile_targets::sm_90a, warp_specialized, banded, 1, 192, 128, {128, 96, 12, in_shared}},
    {tile_targets::sm_90a, warp_specialized, sloped, 1, 192, 128, {128, 64, 12, in_shared}},
    {tile_targets::sm_90a, warp_specialized, any_in_order, 1, 192, 128, {128, 32, 12, in_shared}},
    {tile_targets::sm_90a, warp_specialized, banded, 1, 256, 256, {128, 64, 12, in_shared}},
    {tile_targets::sm_90a, warp_specialized, any, 1, 256, 256, {}},
    {tile_targets::sm_90a, warp_specialized, banded, 2, 64, 64, {192, 112, 16, in_shared}},
    {tile_targets::sm_90a, warp_specialized, changed, 2, 128, 128, {128, 128, 12, in_shared}},
    {tile_targets::sm_90a, warp_specialized, sloped, 2, 128, 128, {128, 96, 12, in_shared}},
    {tile_targets::sm_90a, warp_specialized, masked_sloped, 2, 128, 128, {128, 64, 12, in_shared}},
    {tile_targets::sm_90a, warp_specialized, any_in_order, 2, 128, 128, {128, 48, 12, in_shared}},
    {tile_targets::sm_90a, warp_specialized, banded, 2, 192, 128, {128, 112, 12, in_shared}},
    {tile_targets::sm_90a, warp_specialized, any_in_order, 2, 192, 128, {128, 48, 12, in_shared}},
    {tile_targets::sm_90a, warp_specialized, banded, 2, 256, 256, {128, 80, 12, in_shared}},
    // A consumer has 128 queries, a row a thread. Up to 128 columns scores, weights and output of two take all 512
    // columns of tensor memory, two stages 128 of 227 KB. With 192 and 128 columns queries take 96 KB, and two stages of
    // 128 keys would take 160. With 256 two outputs would take all columns: one consumer, 64 KB of queries and 128 KB of
    // stages. A thread with 128 scores spills with a boolean mask, one with 64 with a mask and a bias.
    {tile_targets::sm_100a, warp_specialized, dropped, 2, 128, 128, {256, 128, 12, in_shared}},
    {tile_targets::sm_100a, warp_specialized, masked_sloped, 2, 192, 128, {256, 64, 12, in_shared}},
    {tile_targets::sm_100a, warp_specialized, any_in_order, 2, 192, 128, {256, 32, 12, in_shared}},
    {tile_targets::sm_100a, warp_specialized, masked_sloped, 2, 256, 256, {128, 64, 8, in_shared}},
    {tile_targets::sm_100a, warp_specialized, any_in_order, 2, 256, 256, {128, 32, 8, in_shared}},
    // 8-bit tiles of few queries with 128 columns, a boolean mask, and slopes or a bias over pages spill one to ten registers
    // unless four warps share the columns. On sm_90a a band alone spills four unless two warps share them.
    {tile_targets::nvidia, few_queries, any, 1, 64, 64, {64, 64, 4, in_registers}},
    {tile_targets::sm_90a, few_queries, dropped, 1, 128, 128, {32, 64, 4, in_shared, apart, 2}},
    {tile_targets::nvidia, few_queries, dropped, 1, 128, 128, {64, 64, 4, in_registers}},
    {tile_targets::nvidia, few_queries, any, 1, 128, 128, {16, 64, 4, in_shared, apart, 4}},
    // The next keys and values are loaded while a tile is used, and two warps share the columns of 16 rows: two blocks
    // fit. An H200 decodes with it in 0.82 to 0.85 of the time of 64 rows and one stage (benchmark/results/gpu).
    {tile_targets::nvidia_large, few_queries, any, 2, 128, 128, {32, 64, 4, in_shared, staged, 2}},
    // Few queries of 16 bits and 128 columns that stay in registers spill six over pages. With a mask and a bias so do
    // 64 keys of 64 columns, wherever the queries are.
    {tile_targets::nvidia, few_queries, masked_sloped, 2, 64, 64, {64, 64, 4, in_registers}},
    {tile_targets::nvidia, few_queries, any, 2, 64, 64, {64, 32, 4, in_registers}},
    {tile_targets::nvidia, few_queries, any, 2, 128, 128, {64, 64, 4, in_shared}},
    // An 8-bit slice holds 64 keys: the same bytes as 32 keys of 16 bits. sm_90a widens them to 16 bits in registers.
    // 32 queries a warp spill there, and so do 16 of 128 columns if they stay in registers. With 256 columns four warps
    // share those of 16 rows of O, as below: with two, 12 registers spill.
    {tile_targets::sm_90a, multistage, any, 1, 64, 64, {128, 64, 8, in_registers}},
    {tile_targets::sm_90a, multistage, any, 1, 128, 128, {128, 64, 8, in_shared}},
    {tile_targets::sm_90a, multistage, any, 1, 256, 256, {32, 64, 8, in_shared, apart, 4}},
    {tile_targets::nvidia, multistage, banded, 1, 64, 64, {128, 64, 4, in_registers}},
    {tile_targets::nvidia, multistage, any, 1, 64, 64, {128, 64, 8, in_registers}},
    {tile_targets::nvidia, multistage, any, 1, 128, 128, {128, 64, 8, in_registers}},
    {tile_targets::nvidia, multistage, any, 1, 256, 256, {128, 64, 8, in_shared}},
    // A boolean mask, a bias in memory and dropout together spill up to 20 registers with 64 keys; from sm_100a on a mask
    // and slopes spill 12 with 128 columns. 32 queries a warp halve its reads of keys. Past 64 columns ptxas spills with
    // them, and up to 64 columns up to 80 registers with a bias, a mask or dropout. Past 128 columns of V 16 rows of O
    // are half of a warp's registers, and ptxas spills: two warps share their columns and both compute the scores, half
    // as many products again.
    {tile_targets::nvidia, multistage, banded, 2, 64, 64, {128, 64, 4, in_registers}},
    {tile_targets::nvidia, multistage, masked_sloped, 2, 64, 64, {128, 64, 8, in_registers}},
    {tile_targets::nvidia, multistage, any_in_order, 2, 64, 64, {128, 32, 8, in_registers}},
    {tile_targets::nvidia, multistage, any, 2, 64, 64, {128, 64, 8, in_registers}},
    {tile_targets::nvidia, multistage, masked, 2, 128, 128, {128, 64, 8, in_registers}},
    {tile_targets::nvidia, multistage, any_in_order, 2, 128, 128, {128, 32, 8, in_registers}},
    {tile_targets::nvidia, multistage, any, 2, 128, 128, {128, 64, 8, in_registers}},
    {tile_targets::nvidia, multistage, any, 2, 256, 128, {128, 32, 8, in_shared}},
    {tile_targets::nvidia, multistage, any, 2, 256, 256, {64, 32, 8, in_shared, apart, 2}},
    // All heads of the latent form share keys: queries are few rows with packed heads, or the heads'. 16 rows of O a wave
    // are 128 registers, those of Q 72. 64 KB hold a tile of K alone, so that K and V alternate; gfx950 has room for both.
    {tile_targets::cdna_4, latent, any, 2, 576, 512, {64, 32, 4, in_registers, apart}},
    {tile_targets::cdna, latent, any, 2, 576, 512, {64, 32, 4, in_registers, alternate}},
    // On RDNA 16 rows of O in one wave would be 256 registers: four waves share the columns and each computes the
    // scores. 64 KB hold 32 queries and 16 keys. gfx1250, whose instructions take 32 keys, has none: in its layout of
    // shared memory slices of 576 columns do not lie at equal distances.
    {tile_targets::gfx1250, latent, any, 2, 576, 512, {}},
    {tile_targets::gfx11, latent, any, 2, 576, 512, {32, 16, 8, in_shared, alternate, 4}},
    {tile_targets::gfx12, latent, any, 2, 576, 512, {32, 16, 8, in_shared, alternate, 4}},
    // On NVIDIA 16 rows of O are more than a warp's registers. Four warps share the columns and each computes the scores:
    // with two, whose products are half as many again instead of twice, ptxas spills 2 to 15 registers. The 99 KB of
    // sm_89 and sm_120a hold 16 queries and 32 keys: all eight warps share the columns.
    {tile_targets::nvidia_large, latent, any, 2, 576, 512, {32, 32, 8, in_shared, apart, 4}},
    {tile_targets::nvidia, latent, any, 2, 576, 512, {16, 32, 8, in_shared, apart, 8}},
    // By wgmma two consumers have half of the columns each: 128 registers of O. Beside 72 KB of queries two tiles of 64
    // keys fit.
    {tile_targets::sm_90a,
     warp_specialized_latent,
     banded,
     2,
     576,
     512,
     {64, 64, 12, in_shared, key_value_place::same}},
};

/// The columns of a tile for `dim` columns. They are a power of two, with which shared memory has no bank conflicts, of
/// at least 64 bytes. If Q and K or V have more than 256, they are the latent form's.
constexpr index_t attention_tile_columns(index_t dim, index_t most, index_t latent, int element_bytes)
{
    if (most > 256)
        return latent;
    index_t columns = element_bytes == 1 ? 64 : 32;
    while (columns < dim)
        columns *= 2;
    return columns;
}

constexpr index_t attention_key_columns(index_t head_dim, index_t value_dim, int element_bytes)
{
    return attention_tile_columns(head_dim, max(head_dim, value_dim), latent_head_dim, element_bytes);
}
constexpr index_t attention_value_columns(index_t head_dim, index_t value_dim, int element_bytes)
{
    return attention_tile_columns(value_dim, max(head_dim, value_dim), latent_value_dim, element_bytes);
}

} // namespace detail

/// The tile that the table above has for a chip, elements of so many bytes and up to so many columns; 0 queries if
/// there is none. Few queries without a row of their own have 64 rows in 4 waves, unless waves share columns. Products
/// for missing rows do not matter in decoding: the loads of keys take the time.
///
///   scale_rows  of 8 bits and by tensor copies: keys of which blocks with scales of their own are multiples, and the
///               tile's keys a divisor; 0: there are no such blocks
constexpr attention_tile_size find_attention_tile(const chip_info& chip, attention_form form, int element_bytes,
                                                  index_t head_dim, index_t value_dim,
                                                  const attention_changes& changes = {}, index_t scale_rows = 0)
{
    const bool few = form == attention_form::few_queries;
    const bool is_latent = max(head_dim, value_dim) > 256;
    const detail::tile_scores kind = detail::kind_of(changes);
    const attention_form listed = few && is_latent ? attention_form::latent : few ? attention_form::multistage : form;
    const auto divides_blocks = [&](const detail::attention_tile_row& row) {
        return row.form != attention_form::warp_specialized || row.size.keys == 0 || scale_rows % row.size.keys == 0;
    };
    for (const detail::attention_tile_row& row : detail::attention_tiles)
        if ((row.form == listed || row.form == form) && detail::are_of(row.targets, chip) &&
            element_bytes <= row.most_bytes && detail::has_tiles_of(chip, listed, element_bytes) &&
            head_dim <= row.head_dim && value_dim <= row.value_dim && kind <= row.scores && divides_blocks(row)) {
            attention_tile_size size = row.size;
            if (few && row.form == attention_form::multistage && size.column_waves == 1) {
                size.queries = 64;
                size.key_values = key_value_place::apart; // room for more blocks, as memory limits few queries
                // Past 64 columns gfx950 has no layout without bank conflicts for 16 rows a wave.
                size.waves =
                    detail::are_of(detail::tile_targets::cdna_4, chip) && max(head_dim, value_dim) > 64 ? 2 : 4;
            }
            return size;
        }
    return {};
}

} // namespace tegula
