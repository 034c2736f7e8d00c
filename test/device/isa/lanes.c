// Operations of lanes whose pseudo-code is not translated: exchanges, and what the documents describe with tables.
#include "machine.h"

#define EACH_LANE                                                                                                      \
    const u64 active = exec_of(w);                                                                                     \
    for (int lane = 0; lane < (int)w->lanes; ++lane)                                                                   \
        if (active >> lane & 1)

#define S(i) (u32) lane_value(w, &p->s[i], lane, 1, 32, 0)
#define F(i) as_f32(S(i))

static void write_f32(wave* w, const instruction* p, int lane, f32 value)
{
    write_lane(w, p, lane, of_f32(p->clamp || p->scale ? (f32)scaled_output(p, value) : value), 32);
}

void v_readfirstlane_b32(wave* w, const instruction* p)
{
    u64 active = exec_of(w);
    int lane = active ? __builtin_ctzll(active) : 0;
    write_scalar(w, &p->d, S(0), 1);
}
void v_readlane_b32(wave* w, const instruction* p)
{
    int lane = (u32)scalar_value(w, &p->s[1], 1) % w->lanes;
    write_scalar(w, &p->d, S(0), 1);
}
void v_writelane_b32(wave* w, const instruction* p)
{
    w->r[p->d.base + (u32)scalar_value(w, &p->s[1], 1) % w->lanes] = (u32)scalar_value(w, &p->s[0], 1);
}

void v_accvgpr(wave* w, const instruction* p) { EACH_LANE write_lane(w, p, lane, S(0), 32); }

/// 64 bits: of each operand the half that op_sel names.
void v_pk_mov_b32(wave* w, const instruction* p)
{
    EACH_LANE
    {
        u64 low = lane_value(w, &p->s[0], lane, 2, 64, 1), high = lane_value(w, &p->s[1], lane, 2, 64, 1);
        write_lane(w, p, lane, (u32)low | high >> 32 << 32, 64);
    }
}

void v_mad_u64_u32(wave* w, const instruction* p)
{
    u64 carries = 0;
    EACH_LANE
    {
        unsigned __int128 x = (u64)S(0) * S(1);
        x += lane_value(w, &p->s[2], lane, 2, 64, 0);
        write_lane(w, p, lane, (u64)x, 64);
        carries |= (u64)(x >> 64) << lane;
    }
    write_mask(w, &p->d1, carries);
}

void v_mad_i64_i32(wave* w, const instruction* p)
{
    u64 carries = 0;
    EACH_LANE
    {
        i64 product = (i64)(i32)S(0) * (i32)S(1), old = (i64)lane_value(w, &p->s[2], lane, 2, 64, 0);
        __int128 x = (__int128)product + old;
        write_lane(w, p, lane, (u64)x, 64);
        carries |= (u64)(x >> 64 & 1) << lane;
    }
    write_mask(w, &p->d1, carries);
}

static u32 permuted_byte(u64 data, u32 select)
{
    if (select >= 13)
        return 0xff;
    if (select == 12)
        return 0;
    if (select >= 8) // the sign of bytes 1, 3, 5, 7
        return data >> (16 * (select - 8) + 15) & 1 ? 0xff : 0;
    return data >> 8 * select & 0xff;
}
void v_perm_b32(wave* w, const instruction* p)
{
    EACH_LANE
    {
        u64 data = (u64)S(0) << 32 | S(1);
        u32 select = S(2), result = 0;
        for (int i = 0; i < 4; ++i)
            result |= permuted_byte(data, select >> 8 * i & 0xff) << 8 * i;
        write_lane(w, p, lane, result, 32);
    }
}

/// par[0]: the truth table; bit 4 a + 2 b + c is the result of bits a, b, c of the operands (AMD's CDNA 4 ISA document).
void v_bitop3_b32(wave* w, const instruction* p)
{
    EACH_LANE
    {
        u32 a = S(0), b = S(1), c = S(2), result = 0;
        for (int i = 0; i < 32; ++i)
            result |= (u32)(p->par[0] >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
        write_lane(w, p, lane, result, 32);
    }
}

/// To the type par[0] of two floats over the power of two that is the exponent of the third, at bit par[1] of the result,
/// whose other bits stay (AMD's CDNA4 ISA document, VOP3 instructions, V_CVT_SCALEF32_PK_FP8_F32, _BF8_F32, _FP4_F32).
void v_cvt_scaled_pair(wave* w, const instruction* p)
{
    int type = p->par[0], bits = small_bits(type);
    EACH_LANE
    {
        int power = (int)(S(2) >> 23 & 0xff) - 127;
        u32 result = (u32)lane_result(w, p, lane, 1, 0), pair = 0;
        for (int i = 0; i < 2; ++i) {
            f64 x = ldexp(as_f32(S(i)), -power);
            pair |= (u32)(bits == 8 ? f32_to_fp8((f32)x, type ? 5 : 4, 0) : f64_to_fp4(x)) << bits * i;
        }
        u32 mask = ((1u << 2 * bits) - 1) << p->par[1];
        write_lane(w, p, lane, (result & ~mask) | pair << p->par[1], 32);
    }
}

void v_permlane(wave* w, const instruction* p) // par[0]: from the other row; [1]: fetch inactive; [2]: bound control
{
    u32 x[64];
    u64 select = (u32)scalar_value(w, &p->s[1], 1) | scalar_value(w, &p->s[2], 1) << 32;
    const u32* from = words_of(w, &p->s[0]);
    memcpy(x, from, sizeof(x));
    EACH_LANE
    {
        int other = ((lane & ~15) ^ (p->par[0] ? 16 : 0)) | (int)(select >> 4 * (lane & 15) & 15);
        if (p->par[1] || active >> other & 1)
            write_lane(w, p, lane, x[other], 32);
        else if (p->par[2])
            write_lane(w, p, lane, 0, 32);
    }
}

/// Rows of par[0] lanes: the upper one of each pair of the first register against the lower one of the second.
void v_permlane_swap(wave* w, const instruction* p)
{
    int row = (int)p->par[0];
    u32 *first = w->r + p->d.base, *second = w->r + p->d1.base;
    for (int pair = 0; pair < 64; pair += 2 * row)
        for (int lane = pair; lane < pair + row; ++lane) {
            u32 lower = second[lane];
            second[lane] = first[lane + row];
            first[lane + row] = lower;
        }
}

// Smaller and larger: a NaN loses against a number.

#define LEAST_AND_MOST(name, function)                                                                                 \
    void name(wave* w, const instruction* p) { EACH_LANE write_f32(w, p, lane, function(F(0), F(1))); }
static f32 smaller(f32 a, f32 b) { return a == b ? (signbit(a) ? a : b) : fminf(a, b); }
static f32 larger(f32 a, f32 b) { return a == b ? (signbit(a) ? b : a) : fmaxf(a, b); }
LEAST_AND_MOST(v_min_f32, smaller)
LEAST_AND_MOST(v_max_f32, larger)
LEAST_AND_MOST(v_min_num_f32, smaller)
LEAST_AND_MOST(v_max_num_f32, larger)
void v_med3_f32(wave* w, const instruction* p)
{
    EACH_LANE
    {
        f32 a = F(0), b = F(1), c = F(2);
        f32 least = smaller(smaller(a, b), c), most = larger(larger(a, b), c);
        f32 x = a != a || b != b || c != c ? least : most == a ? larger(b, c) : most == b ? larger(a, c) : larger(a, b);
        write_f32(w, p, lane, x);
    }
}

// Division in steps: v_div_scale, v_rcp, v_fma ..., v_div_fmas, v_div_fixup.

static int exponent(f32 x) { return of_f32(x) >> 23 & 0xff; }
static int is_denormal(f32 x) { return x != 0 && exponent(x) == 0; }
void v_div_scale_f32(wave* w, const instruction* p)
{
    u64 scaled = 0;
    EACH_LANE
    {
        f32 x = F(0), denominator = F(1), numerator = F(2), result = x;
        int far = exponent(numerator) - exponent(denominator) >= 96, both = 0;
        if (numerator == 0 || denominator == 0)
            result = NAN;
        else if (far)
            both = 1, result = x == denominator ? ldexpf(x, 64) : x;
        else if (is_denormal(denominator))
            result = ldexpf(x, 64);
        else if (is_denormal(1 / denominator) && is_denormal(numerator / denominator))
            both = 1, result = x == denominator ? ldexpf(x, 64) : x;
        else if (is_denormal(1 / denominator))
            result = ldexpf(x, -64);
        else if (is_denormal(numerator / denominator))
            both = 1, result = x == numerator ? ldexpf(x, 64) : x;
        else if (exponent(numerator) <= 23)
            result = ldexpf(x, 64);
        scaled |= (u64)both << lane;
        write_f32(w, p, lane, result);
    }
    write_mask(w, &p->d1, scaled);
}
void v_div_fixup_f32(wave* w, const instruction* p)
{
    EACH_LANE
    {
        f32 x = F(0), denominator = F(1), numerator = F(2), result;
        int negative = !signbit(denominator) != !signbit(numerator);
        if (numerator != numerator || denominator != denominator)
            result = numerator != numerator ? numerator : denominator;
        else if ((denominator == 0 && numerator == 0) || (isinf(denominator) && isinf(numerator)))
            result = as_f32(0xffc00000);
        else if (denominator == 0 || isinf(numerator))
            result = negative ? -INFINITY : INFINITY;
        else if (isinf(denominator) || numerator == 0)
            result = negative ? -0.0f : 0.0f;
        else if (exponent(numerator) - exponent(denominator) < -150)
            result = negative ? -0.0f : 0.0f;
        else
            result = negative ? -fabsf(x) : fabsf(x);
        write_f32(w, p, lane, result);
    }
}

// FP8. par[0]: bits of the exponent; [1]: FNUZ.

void v_cvt_pk_8_f32(wave* w, const instruction* p)
{
    EACH_LANE
    {
        u32 x = f32_to_fp8(F(0), p->par[0], p->par[1]) | f32_to_fp8(F(1), p->par[0], p->par[1]) << 8;
        u32* to = w->r + p->d.base + lane;
        *to = p->d.select == high_half ? (*to & 0xffff) | x << 16 : (*to & 0xffff0000) | x;
    }
}
void v_cvt_f32_8(wave* w, const instruction* p)
{
    EACH_LANE write_f32(w, p, lane, fp8_to_f32((u8)S(0), p->par[0], p->par[1]));
}
void v_cvt_pk_f32_8(wave* w, const instruction* p)
{
    EACH_LANE
    {
        u32 x = S(0);
        u64 low = of_f32(fp8_to_f32((u8)x, p->par[0], p->par[1]));
        u64 high = of_f32(fp8_to_f32((u8)(x >> 8), p->par[0], p->par[1]));
        write_lane(w, p, lane, low | high << 32, 64);
    }
}

// v_fma_mix and its 16-bit results. Each operand is 32 bits, or the half that op_sel names where op_sel_hi is set:
// high_from_high and low_from_high hold those two bits.
static f32 mixed_operand(const wave* w, const operand* o, int lane)
{
    const u32* x = words_of(w, o) + (o->is_vector ? lane : 0);
    f32 y = !o->high_from_high ? as_f32(*x) : (f32)as_f16(*x >> (o->low_from_high ? 16 : 0));
    y = o->negate_high ? fabsf(y) : y;
    return o->negate ? -y : y;
}
#define MIXED fmaf(mixed_operand(w, &p->s[0], lane), mixed_operand(w, &p->s[1], lane), mixed_operand(w, &p->s[2], lane))
void v_fma_mix_f32(wave* w, const instruction* p) { EACH_LANE write_f32(w, p, lane, MIXED); }
void v_fma_mixlo_f16(wave* w, const instruction* p)
{
    EACH_LANE
    {
        u32* to = w->r + p->d.base + lane;
        *to = (*to & 0xffff0000) | of_f16((f16)MIXED);
    }
}
void v_fma_mixhi_f16(wave* w, const instruction* p)
{
    EACH_LANE
    {
        u32* to = w->r + p->d.base + lane;
        *to = (*to & 0xffff) | (u32)of_f16((f16)MIXED) << 16;
    }
}

/// With clamp: 0 where the difference is below.
void v_sub_u16_clamped(wave* w, const instruction* p)
{
    EACH_LANE
    {
        u16 a = lane_value(w, &p->s[0], lane, 1, 16, 0), b = lane_value(w, &p->s[1], lane, 1, 16, 0);
        write_lane(w, p, lane, a > b ? a - b : 0, 16);
    }
}

void v_med3_u32(wave* w, const instruction* p)
{
    EACH_LANE
    {
        u32 a = S(0), b = S(1), c = S(2), low = a < b ? a : b, high = a < b ? b : a;
        write_lane(w, p, lane, c < low ? low : c > high ? high : c, 32);
    }
}

void v_med3_i32(wave* w, const instruction* p)
{
    EACH_LANE
    {
        i32 a = S(0), b = S(1), c = S(2), low = a < b ? a : b, high = a < b ? b : a;
        write_lane(w, p, lane, (u32)(c < low ? low : c > high ? high : c), 32);
    }
}
