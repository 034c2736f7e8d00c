// A work group of an AMD GPU: the registers of its waves, their memory requests
// on the way, its LDS.
//
// Lanes lie beside each other: word `lane` of row r of the vector registers. A
// memory request is issued by its instruction, performed (memory is read or
// written) some time later, and retired (its registers are valid) when a wait
// says so. How late is the machine's policy; see memory.c.
#pragma once

#include "numbers.h"

enum {
    row_words = 64,
    vcc = 106,
    m0 = 124,
    null_scalar = 125,
    exec = 126,
    first_vector = 128, ///< v0; accumulation registers, on gfx1250 v256 on, follow v255
    first_accumulator = first_vector + 256 * row_words,
    first_temporary = first_vector + 512 * row_words, ///< rows for the machine itself
    register_words = first_temporary + 3 * row_words,
    registers = first_vector + 512, ///< as `pending` counts them: scalars, vectors, accumulators
    queues = 4,
    most_requests = 64, ///< of a queue; one more retires the oldest, as the
                        ///< hardware's counter would
};

enum counter { load_counter, store_counter, lds_counter, scalar_counter };
enum request_class { vector_memory, shared_memory, scalar_memory };
enum policy { at_once, early, late, mixed };
enum select { whole, low_half, high_half, byte_0, byte_1, byte_2, byte_3 };
enum fault {
    no_fault,
    bad_address,
    bad_shared_address,
    misaligned,
    pending_register,
    unequal_halves,
    unsupported_use,
    endless,
    deadlock,
    trapped
};
enum state { running, at_barrier, ended };

typedef struct
{
    i32 base;     ///< word of the registers; -1: `value`
    u8 is_vector; ///< each lane has its own
    u8 negate, absolute, select, sign_extend;
    u8 negate_high, low_from_high, high_from_high; ///< of packed operands
    u8 modifies;                                   ///< whether any of these says something
    u32 value[2];
} operand;

typedef struct
{
    u16 first, count; ///< as `pending` counts registers
} span;

struct wave;
typedef struct instruction
{
    void (*run)(struct wave*, const struct instruction*);
    u64 address;
    operand d, d1, s[4];
    i32 par[24];
    u32 counts; ///< 0: part of the instruction before it
    u8 clamp, scale, keeps_half;
    u16 reads; ///< spans of registers that must be valid
    span read[10];
} instruction;

typedef struct
{
    const instruction* by;
    u64 exec, number;
    u8 performed, class;
    u64 address[64],
        second[64]; ///< of each lane; `second` for the LDS instructions with two
    u8 valid[64];   ///< words in range: a bit each
    u32 data[16][64];
} request;

typedef struct
{
    request entry[most_requests];
    u32 first, count;
} queue;

struct group;
typedef struct wave
{
    u32 r[register_words];
    u32 scc, lanes, index, pc, state, signalled;
    struct group* group;
    u64 issued;
    u32 pending_total;
    u8 pending[registers];
    queue queue[queues];
} wave;

typedef struct
{
    u64 first, end;
} range;

typedef struct group
{
    const instruction* program;
    u32 length, waves, alive, shared_bytes, policy;
    wave** wave;
    u8* shared;
    const range* memory;
    u64 ranges, limit, executed, random;
    u32 order, arrived, generation;
    u32 fault, fault_wave, fault_pc, fault_register;
    u64 fault_address;
    u32 float_mode;
} group;

static inline u64 exec_of(const wave* w) { return w->r[exec] | (w->lanes == 64 ? (u64)w->r[exec + 1] << 32 : 0); }

static inline void report(wave* w, u32 fault, u64 address)
{
    if (w->group->fault == no_fault) {
        w->group->fault = fault;
        w->group->fault_address = address;
        w->group->fault_wave = w->index;
    }
}

static inline u32 next_random(group* g, u32 below)
{
    g->random = g->random * 6364136223846793005ull + 1442695040888963407ull;
    return below ? (u32)(g->random >> 33) % below : 0;
}

/// Words of an operand from word 0 on; the lanes' distance; the distance of its
/// next word.
static inline const u32* words_of(const wave* w, const operand* o) { return o->base < 0 ? o->value : w->r + o->base; }
static inline u32 next_word(const operand* o) { return o->is_vector ? row_words : 1; }

/// The sign bits of a value of `bits` as its modifiers say; packed values have
/// two halves.
static inline u64 modified(u64 x, const operand* o, int bits, int packed)
{
    if (packed) {
        int half = bits / 2;
        u64 mask = bits == 64 ? 0xffffffff : 0xffff, low = x & mask, high = x >> half & mask;
        u64 first = o->low_from_high ? high : low, second = o->high_from_high ? high : low;
        first ^= (u64)o->negate << (half - 1);
        second ^= (u64)o->negate_high << (half - 1);
        return first | second << half;
    }
    switch (o->select) {
    case low_half:
        x = o->sign_extend ? (u32)(i16)x : (u16)x;
        break;
    case high_half:
        x = o->sign_extend ? (u32)(i16)(x >> 16) : (u16)(x >> 16);
        break;
    case byte_0:
    case byte_1:
    case byte_2:
    case byte_3:
        x >>= 8 * (o->select - byte_0), x = o->sign_extend ? (u32)(i8)x : (u8)x;
        break;
    default:
        break;
    }
    if (o->absolute)
        x &= ~(1ull << (bits - 1));
    return x ^ (u64)o->negate << (bits - 1);
}

/// The value of a lane, as its modifiers say.
static inline u64 lane_value(const wave* w, const operand* o, int lane, int words, int bits, int packed)
{
    const u32* x = words_of(w, o) + (o->is_vector ? lane : 0);
    u64 value = words == 2 ? x[0] | (u64)x[next_word(o)] << 32 : x[0];
    return o->modifies || packed ? modified(value, o, bits, packed) : value;
}

static inline u64 scalar_value(const wave* w, const operand* o, int words)
{
    const u32* x = words_of(w, o);
    return words == 2 ? x[0] | (u64)x[1] << 32 : x[0];
}

static inline void write_scalar(wave* w, const operand* o, u64 value, int words)
{
    w->r[o->base] = (u32)value;
    if (words == 2)
        w->r[o->base + 1] = (u32)(value >> 32);
    w->r[null_scalar] = 0;
}

/// A mask of lanes takes as many words as the wave is wide.
static inline void write_mask(wave* w, const operand* o, u64 value) { write_scalar(w, o, value, w->lanes / 32); }

static inline void write_exec(wave* w, u64 value)
{
    w->r[exec] = (u32)value;
    if (w->lanes == 64)
        w->r[exec + 1] = (u32)(value >> 32);
}

/// The value that the destination holds before; for 16 bits, of the half that
/// will be written.
static inline u64 lane_result(const wave* w, const instruction* p, int lane, int words, int half)
{
    const u32* x = w->r + p->d.base + lane;
    u64 value = words == 2 ? x[0] | (u64)x[row_words] << 32 : x[0];
    return half && p->d.select == high_half ? value >> 16 : value;
}

/// Writes a lane's result of `bits`; 16 bits go into the half that the operand
/// selects. gfx9 zeroes the other half but where the operand selects a half;
/// later chips keep it.
static inline void write_lane(wave* w, const instruction* p, int lane, u64 value, int bits)
{
    u32* x = w->r + p->d.base + lane;
    if (p->d.select >= byte_0) {
        int shift = 8 * (p->d.select - byte_0);
        *x = (p->keeps_half ? *x & ~(0xffu << shift) : 0) | (u32)(value & 0xff) << shift;
    } else if (p->d.select == high_half)
        *x = (p->keeps_half ? *x & 0xffff : 0) | (u32)value << 16;
    else if (p->d.select == low_half || (bits == 16 && p->keeps_half))
        *x = (p->keeps_half ? *x & 0xffff0000 : 0) | (value & 0xffff);
    else
        *x = (u32)value;
    if (bits == 64)
        x[row_words] = (u32)(value >> 32);
}

static inline f64 scaled_output(const instruction* p, f64 x)
{
    x = p->scale == 1 ? 2 * x : p->scale == 2 ? 4 * x : p->scale == 3 ? x / 2 : x;
    return !p->clamp ? x : !(x > 0) ? 0 : x > 1 ? 1 : x;
}
