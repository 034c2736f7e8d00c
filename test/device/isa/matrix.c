// Matrix instructions: MFMA of CDNA, WMMA of RDNA 3 and 4 and of gfx1250. Which lane holds which element is written down after AMD's
// ISA documents and matrix instruction calculator, not taken from the library's table.
#include "machine.h"

enum type { t_f32, t_f16, t_bf16, t_i8, t_u8, t_e4m3, t_e5m2, t_e4m3_fnuz, t_e5m2_fnuz, t_f64 };

/// Element e of a lane whose first word is x.
static f32 element_of(const u32* x, int e, int type)
{
    switch (type) {
    case t_f32:
        return as_f32(x[e * row_words]);
    case t_f16:
        return as_f16(x[e / 2 * row_words] >> 16 * (e % 2));
    case t_bf16:
        return bf16_to_f32(x[e / 2 * row_words] >> 16 * (e % 2));
    default:
        break;
    }
    u8 byte = x[e / 4 * row_words] >> 8 * (e % 4);
    switch (type) {
    case t_i8:
        return (i8)byte;
    case t_u8:
        return byte;
    case t_e4m3:
        return fp8_to_f32(byte, 4, 0);
    case t_e5m2:
        return fp8_to_f32(byte, 5, 0);
    case t_e4m3_fnuz:
        return fp8_to_f32(byte, 4, 1);
    default:
        return fp8_to_f32(byte, 5, 1);
    }
}

static u32 word(const u32* x, const operand* o, int r, int lane)
{
    return o->base < 0 ? o->value[0] : o->is_vector ? x[r * row_words + lane] : x[0];
}

// par: 0 rows (and columns), 1 depth, 2 blocks, 3 type of A, 4 of B, 5 integers.

void mfma(wave* w, const instruction* p)
{
    enum { most = 64 * 32 };
    static f32 a[most], b[most];
    static u32 result[32][64];
    int n = p->par[0], depth = p->par[1], blocks = p->par[2], integers = p->par[5];
    const u32 *x = words_of(w, &p->s[0]), *y = words_of(w, &p->s[1]), *c = words_of(w, &p->s[2]);
    // A lane holds one row of A (column of B): with several blocks the lanes beyond the rows are further blocks, with
    // one they hold further parts of k.
    int part = blocks > 1 ? depth : depth / (64 / n);
    for (int lane = 0; lane < 64; ++lane)
        for (int e = 0; e < part; ++e) {
            int group = lane / n, block = blocks > 1 ? group : 0, k = blocks > 1 ? e : group * part + e;
            a[(block * n + lane % n) * depth + k] = element_of(x + lane, e, p->par[3]);
            b[(block * n + lane % n) * depth + k] = element_of(y + lane, e, p->par[4]);
        }
    int count = n == 4 ? 4 : n * n * blocks / 64, of_block = count / blocks;
    for (int r = 0; r < count; ++r)
        for (int lane = 0; lane < 64; ++lane) {
            int block = n == 4 ? lane / 4 : r / of_block, q = n == 4 ? r : r % of_block;
            int row = n == 4 ? q : n == 32 ? 8 * (q / 4) + 4 * (lane / 32) + q % 4 : 4 * (lane / 16) + q;
            const f32 *u = a + (block * n + row) * depth, *v = b + (block * n + lane % n) * depth;
            u32 old = word(c, &p->s[2], r, lane);
            if (integers) {
                u32 sum = old;
                for (int k = 0; k < depth; ++k)
                    sum += (i32)u[k] * (i32)v[k];
                result[r][lane] = sum;
                continue;
            }
            f32 sum = 0;
            for (int k = 0; k < depth; ++k)
                sum += u[k] * v[k];
            result[r][lane] = of_f32(sum + as_f32(old));
        }
    memcpy(w->r + p->d.base, result, count * sizeof(result[0]));
}

/// f8f6f4: rows x rows x depth of types of 8, 6 and 4 bits, 32 elements a lane, and for each 32 along k a scale of A's row
/// and of B's column, one byte of a register (E8M0). par: 0 rows, 1 depth, 3 type of A, 4 of B (cbsz, blgp), 6 whether
/// there are scales, 7 and 8 their bytes; s[3] has the scales of A, d1 those of B. Layouts: AMD's rocjitsu, layout.h.
void mfma_small(wave* w, const instruction* p)
{
    static f64 x[2][32][128];
    static u32 result[16][64];
    int n = p->par[0], depth = p->par[1], groups = 64 / n;
    for (int side = 0; side < 2; ++side) {
        int type = p->par[3 + side], bits = small_bits(type), byte = p->par[7 + side];
        const operand *values = &p->s[side], *scales = side ? &p->d1 : &p->s[3];
        const u32 *from = words_of(w, values), *scale = words_of(w, scales);
        for (int lane = 0; lane < 64; ++lane)
            for (int e = 0; e < 32; ++e) {
                // Elements of 8 bits lie in two runs of 16, others in one of 32.
                int k = bits == 8 ? e / 16 * 16 * groups + lane / n * 16 + e % 16 : lane / n * 32 + e, at = e * bits;
                u64 code = from[at / 32 * row_words + lane];
                if (at % 32 + bits > 32)
                    code |= (u64)from[(at / 32 + 1) * row_words + lane] << 32;
                x[side][lane % n][k] = small_to_f64((u32)(code >> at % 32) & ((1u << bits) - 1), type);
            }
        for (int row = 0; row < n && p->par[6]; ++row)
            for (int k = 0; k < depth; ++k) {
                u32 word = scale[scales->is_vector ? k / 32 * n + row : 0], e8m0 = word >> 8 * byte & 0xff;
                x[side][row][k] = e8m0 == 0xff ? NAN : ldexp(x[side][row][k], (int)e8m0 - 127);
            }
    }
    const u32* c = words_of(w, &p->s[2]);
    for (int r = 0; r < n * n / 64; ++r)
        for (int lane = 0; lane < 64; ++lane) {
            int row = n == 32 ? 8 * (r / 4) + 4 * (lane / 32) + r % 4 : 4 * (lane / 16) + r;
            f64 sum = as_f32(word(c, &p->s[2], r, lane));
            for (int k = 0; k < depth; ++k)
                sum += x[0][row][k] * x[1][lane % n][k];
            result[r][lane] = of_f32((f32)sum);
        }
    memcpy(w->r + p->d.base, result, n * n / 64 * sizeof(result[0]));
}

/// 16x16x4 in float64: a lane holds one element of A and of B, row of C = 4 * register pair + lane / 16.
void mfma_f64(wave* w, const instruction* p)
{
    f64 a[16][4], b[16][4];
    static u32 result[8][64];
    const u32 *x = words_of(w, &p->s[0]), *y = words_of(w, &p->s[1]), *c = words_of(w, &p->s[2]);
    for (int lane = 0; lane < 64; ++lane) {
        a[lane % 16][lane / 16] = as_f64(x[lane] | (u64)x[row_words + lane] << 32);
        b[lane % 16][lane / 16] = as_f64(y[lane] | (u64)y[row_words + lane] << 32);
    }
    for (int r = 0; r < 4; ++r)
        for (int lane = 0; lane < 64; ++lane) {
            f64 sum = p->s[2].base < 0
                          ? (f64)as_f32(p->s[2].value[0])
                          : as_f64(c[2 * r * row_words + lane] | (u64)c[(2 * r + 1) * row_words + lane] << 32);
            for (int k = 0; k < 4; ++k)
                sum += a[4 * r + lane / 16][k] * b[lane % 16][k];
            u64 bits = of_f64(sum);
            result[2 * r][lane] = (u32)bits;
            result[2 * r + 1][lane] = bits >> 32;
        }
    memcpy(w->r + p->d.base, result, sizeof(result));
}

/// 16 x 16 x depth of a wave of 32. par: 1 depth, 2 elements along k that a lane holds before the other half of the lanes has
/// those behind them, 3 type of A, 4 of B, 5 integers, 6 generation (11, 12), 7 bits of the result, 8 whether those are
/// bfloat16. gfx11: lanes 16 to 31 must hold what lanes 0 to 15 hold.
void wmma(wave* w, const instruction* p)
{
    static f32 a[16][128], b[16][128];
    u32 result[8][64] = {{0}};
    int depth = p->par[1], run = p->par[2];
    int later = p->par[6] == 12, halves = p->par[7] == 16, words = p->par[3] >= t_i8 ? 4 : 8;
    const u32 *x = words_of(w, &p->s[0]), *y = words_of(w, &p->s[1]), *c = words_of(w, &p->s[2]);
    for (int lane = 0; !later && lane < 16; ++lane)
        for (int j = 0; j < words; ++j)
            if (x[j * row_words + lane] != x[j * row_words + lane + 16] ||
                y[j * row_words + lane] != y[j * row_words + lane + 16])
                report(w, unequal_halves, p->address);
    for (int i = 0; i < 16; ++i)
        for (int k = 0; k < depth; ++k) {
            int lane = i + 16 * (k / run % 2), e = k / (2 * run) * run + k % run;
            f32 u = element_of(x + lane, e, p->par[3]), v = element_of(y + lane, e, p->par[4]);
            a[i][k] = (k % 2 ? p->s[0].negate_high : p->s[0].negate) ? -u : u;
            b[i][k] = (k % 2 ? p->s[1].negate_high : p->s[1].negate) ? -v : v;
        }
    if (p->s[2].negate || p->s[2].negate_high)
        report(w, unsupported_use, p->address);
    for (int r = 0; r < 8; ++r)
        for (int lane = 0; lane < 32; ++lane) {
            int row = later ? 8 * (lane / 16) + r : 2 * r + lane / 16;
            int packed = halves && later, high = packed ? r % 2 : p->s[2].low_from_high;
            u32 old = word(c, &p->s[2], packed ? r / 2 : r, lane);
            if (p->par[5]) {
                i64 sum = (i32)old;
                for (int k = 0; k < depth; ++k)
                    sum += (i32)a[row][k] * (i32)b[lane % 16][k];
                if (p->clamp)
                    sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
                result[r][lane] = (u32)sum;
                continue;
            }
            f32 start = !halves ? as_f32(old) : p->par[8] ? bf16_to_f32(old >> 16 * high) : as_f16(old >> 16 * high);
            f32 sum = 0;
            for (int k = 0; k < depth; ++k)
                sum += a[row][k] * b[lane % 16][k];
            sum += start;
            if (!halves) {
                result[r][lane] = of_f32(sum);
                continue;
            }
            u32 half = p->par[8] ? f32_to_bf16(sum) : of_f16((f16)sum), to = packed ? r / 2 : r;
            u32 other =
                packed ? result[to][lane] : w->r[p->d.base + r * row_words + lane] & (high ? 0xffff : 0xffff0000);
            result[to][lane] = other | half << 16 * high;
        }
    for (int r = 0; r < (halves && later ? 4 : 8); ++r)
        memcpy(w->r + p->d.base + r * row_words, result[r], 32 * sizeof(u32));
}
