// Memory requests of a wave: issued, performed, retired.
//
// These rules hold whatever the policy. They are from "Memory Model" and the wait counters of LLVM's "User Guide for
// AMDGPU Backend" and AMD's ISA documents. Requests of a wave to LDS are performed in order, those to vector memory too.
// A counter's requests retire in order, but for scalar loads, which retire in any. Everything else is as late, or as
// early, as `policy` says. The other waves see a store that no wait covers last. A load reads what is there when its
// wait comes, or when it is issued.
#include "machine.h"

int in_memory(const group* g, u64 address, u64 bytes)
{
    u64 low = 0, high = g->ranges; // the last range that begins at or before the address
    while (low < high) {
        u64 middle = (low + high) / 2;
        if (g->memory[middle].first <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && address + bytes <= g->memory[low - 1].end;
}

static request* nth(queue* q, u32 i) { return &q->entry[(q->first + i) % most_requests]; }

// Parameters of an instruction's access: par[0] queue, [1] bytes an element, [2] sign extended, [3] store,
// [4] d16 (1 low half, 2 high half), [5] operation of an atomic, [6] whether it returns, [7] class, [8] addresses a
// lane (LDS), [9] the bytes of an element of a read that transposes, else 0.
// Operation 7 is no atomic: a load goes to shared memory instead of a register. Lane l writes l elements behind the place
// of s[2] and the offset (LLVM's "AMDGPU DMA operations"). Operation 8 has twice as many words of data: the first are
// written if memory has the second. 9 and 10 add two float16 and two bfloat16, each sum rounded to nearest. 11 and 12 are
// minima without sign and with. Operations on 8 bytes are on whole numbers.
enum { to_shared = 7, compare_and_swap = 8 };
enum { p_queue, p_bytes, p_signed, p_store, p_d16, p_atomic, p_returns, p_class, p_addresses, p_turned, p_first_free };

static u32 element(const u8* x, int bytes, int is_signed)
{
    u32 y = 0;
    memcpy(&y, x, bytes);
    return !is_signed ? y : bytes == 1 ? (u32)(i32)(i8)y : bytes == 2 ? (u32)(i32)(i16)y : y;
}

static u64 combined_words(int operation, u64 old, u64 x)
{
    switch (operation) {
    case 1:
        return old + x;
    case 3:
        return old | x;
    case 4:
        return old > x ? old : x;
    case 5:
        return (i64)old > (i64)x ? old : x;
    case 6:
        return x;
    case 11:
        return old < x ? old : x;
    case 12:
        return (i64)old < (i64)x ? old : x;
    default:
        return old;
    }
}

static u32 combined(int operation, u32 old, u32 x)
{
    switch (operation) {
    case 1:
        return old + x;
    case 2:
        return of_f32(as_f32(old) + as_f32(x));
    case 3:
        return old | x;
    case 4:
        return old > x ? old : x;
    case 5:
        return (i32)old > (i32)x ? old : x;
    case 6:
        return x;
    case 9:
        return of_f16(as_f16(old) + as_f16(x)) | (u32)of_f16(as_f16(old >> 16) + as_f16(x >> 16)) << 16;
    case 11:
        return old < x ? old : x;
    case 12:
        return (i32)old < (i32)x ? old : x;
    case 10:
        return f32_to_bf16(bf16_to_f32(old) + bf16_to_f32(x)) |
               (u32)f32_to_bf16(bf16_to_f32(old >> 16) + bf16_to_f32(x >> 16)) << 16;
    default:
        return old;
    }
}

static void perform_lane(wave* w, request* r, int lane, int which)
{
    const i32* p = r->by->par;
    group* g = w->group;
    int bytes = p[p_bytes], size = bytes < 4 ? bytes : 4, words = (bytes + 3) / 4, shared = p[p_class] == shared_memory;
    u64 address = which ? r->second[lane] : r->address[lane];
    for (int j = 0; j < words; ++j) {
        u32* data = &r->data[which * words + j][lane];
        if (!(r->valid[lane] >> j & 1)) // past the end of a buffer
        {
            if (!p[p_store])
                *data = 0;
            if (p[p_atomic] == to_shared && r->second[lane] + 4 * j + size <= g->shared_bytes)
                memset(g->shared + r->second[lane] + 4 * j, 0, size);
            continue;
        }
        u64 at = address + 4 * j;
        if (p[p_atomic] == to_shared) {
            u32 value = *data;
            if (!in_memory(g, at, size))
                return report(w, bad_address, at);
            memcpy(&value, (u8*)at, size);
            if (r->second[lane] + 4 * j + size > g->shared_bytes)
                return report(w, bad_shared_address, r->second[lane] + 4 * j);
            memcpy(g->shared + r->second[lane] + 4 * j, &value, size);
            continue;
        }
        if (shared ? at + size > g->shared_bytes : !in_memory(g, at, size))
            return report(w, shared ? bad_shared_address : bad_address, at);
        u8* x = shared ? g->shared + at : (u8*)at;
        if (p[p_atomic] && bytes == 8) { // both words at once
            if (shared ? at + 8 > g->shared_bytes : !in_memory(g, at, 8))
                return report(w, shared ? bad_shared_address : bad_address, at);
            u64 old, new, value = data[0] | (u64)r->data[1][lane] << 32;
            memcpy(&old, x, 8);
            new = combined_words(p[p_atomic], old, value);
            if (p[p_atomic] == compare_and_swap && old == (r->data[2][lane] | (u64)r->data[3][lane] << 32))
                new = value;
            memcpy(x, &new, 8);
            r->data[0][lane] = (u32)old, r->data[1][lane] = (u32)(old >> 32);
            return;
        }
        if (p[p_atomic]) {
            u32 old = element(x, 4, 0), new = combined(p[p_atomic], old, *data);
            if (p[p_atomic] == compare_and_swap && old == r->data[1][lane])
                new = *data;
            memcpy(x, &new, 4);
            *data = old;
        } else if (p[p_store]) {
            u32 value = p[p_d16] == 2 ? *data >> 16 : *data;
            memcpy(x, &value, size);
        } else
            *data = element(x, size, p[p_signed]);
    }
}

static void perform_one(wave* w, request* r)
{
    const i32* p = r->by->par;
    r->performed = 1;
    if (p[p_class] == scalar_memory) {
        if (p[p_bytes] < 4) {
            if (!in_memory(w->group, r->address[0], p[p_bytes]))
                return report(w, bad_address, r->address[0]);
            r->data[0][0] = element((u8*)r->address[0], p[p_bytes], p[p_signed]);
            return;
        }
        for (int j = 0; j < p[p_bytes] / 4; ++j) {
            if (!(r->valid[0] || r->address[0] + 4 * j + 4 <= r->second[0]))
                r->data[j][0] = 0; // past the end of a buffer
            else if (!in_memory(w->group, r->address[0] + 4 * j, 4))
                return report(w, bad_address, r->address[0] + 4 * j);
            else
                memcpy(&r->data[j][0], (void*)(r->address[0] + 4 * j), 4);
        }
        return;
    }
    for (int lane = 0; lane < (int)w->lanes; ++lane)
        if (r->exec >> lane & 1)
            for (int i = 0; i < p[p_addresses]; ++i)
                perform_lane(w, r, lane, i);
}

/// Performs a request and, of its class, what was issued before it.
static void perform(wave* w, request* r)
{
    while (!r->performed) {
        request* oldest = r;
        if (r->class != scalar_memory)
            for (int k = 0; k < queues; ++k)
                for (u32 i = 0; i < w->queue[k].count; ++i) {
                    request* other = nth(&w->queue[k], i);
                    if (!other->performed && other->class == r->class && other->number < oldest->number)
                        oldest = other;
                }
        perform_one(w, oldest);
    }
}

/// Registers that a scalar load fills; one of a byte or a half.
static u32 scalar_words(const instruction* p) { return (u32)(p->par[p_bytes] + 3) / 4; }

static void mark(wave* w, const instruction* p, int change)
{
    const operand* o = &p->d;
    if (o->base < 0)
        return;
    u32 words =
        p->par[p_class] == scalar_memory ? scalar_words(p) : (u32)((p->par[p_bytes] + 3) / 4 * p->par[p_addresses]);
    u32 first = o->is_vector ? first_vector + (o->base - first_vector) / row_words : o->base;
    for (u32 i = 0; i < words; ++i)
        w->pending[first + i] += change;
    w->pending_total += change * (i32)words;
}

// Transposes the D = 8 / size rows of 16 elements that 16 lanes have named: element r of lane l becomes element l % D of
// lane 16 / D r + l / D. As rocjitsu's ds_transpose.h; Triton's products by both are right so (benchmark/beside_rivals.py).
static void transpose_rows(request* r, int size)
{
    u8 rows[64][8], columns[64][8];
    int depth = 8 / size;
    for (int lane = 0; lane < 64; ++lane)
        for (int j = 0; j < 2; ++j)
            memcpy(rows[lane] + 4 * j, &r->data[j][lane], 4);
    for (int lane = 0; lane < 64; ++lane)
        for (int row = 0; row < depth; ++row)
            memcpy(columns[lane] + size * row,
                   rows[lane / 16 * 16 + lane % 16 / depth + 16 / depth * row] + size * (lane % depth), size);
    for (int lane = 0; lane < 64; ++lane)
        for (int j = 0; j < 2; ++j)
            memcpy(&r->data[j][lane], columns[lane] + 4 * j, 4);
}

static void retire(wave* w, queue* q, u32 which)
{
    request* r = nth(q, which);
    const instruction* p = r->by;
    perform(w, r);
    if (p->d.base >= 0) {
        mark(w, p, -1);
        u32* x = w->r + p->d.base;
        if (r->class == shared_memory && p->par[p_turned])
            transpose_rows(r, p->par[p_turned]);
        if (r->class == scalar_memory)
            for (u32 j = 0; j < scalar_words(p); ++j)
                x[j] = r->data[j][0];
        else
            for (int lane = 0; lane < (int)w->lanes; ++lane)
                for (int j = 0; (r->exec >> lane & 1) && j < (p->par[p_bytes] + 3) / 4 * p->par[p_addresses]; ++j) {
                    u32* to = x + j * row_words + lane;
                    u32 value = r->data[j][lane];
                    *to = p->par[p_d16] == 1   ? (*to & 0xffff0000) | (value & 0xffff)
                          : p->par[p_d16] == 2 ? (*to & 0xffff) | value << 16
                                               : value;
                }
    }
    // Only a scalar load leaves from the middle.
    for (u32 i = which; i > 0; --i)
        *nth(q, i) = *nth(q, i - 1);
    q->first = (q->first + 1) % most_requests;
    --q->count;
}

/// Retires until at most `left` requests of a queue are outstanding. Scalar loads retire in any order: while some are
/// left, a request that is none retires first as often as not.
void wait_for(wave* w, int counter, u32 left)
{
    queue* q = &w->queue[counter];
    while (q->count > left && w->group->fault == no_fault) {
        u32 which = 0;
        if (left > 0 && w->group->policy != at_once && next_random(w->group, 2))
            while (which + 1 < q->count && nth(q, which)->class == scalar_memory)
                ++which;
        for (u32 i = 0; i < which; ++i) // another class stays in order
            if (nth(q, i)->class != scalar_memory)
                which = i;
        retire(w, q, which);
    }
}

void wait_for_all(wave* w)
{
    for (int k = 0; k < queues; ++k)
        wait_for(w, k, 0);
}

/// Performs one request that is on its way, where the policy leaves that to chance.
void perform_some(wave* w)
{
    queue* q = &w->queue[next_random(w->group, queues)];
    if (q->count > 0)
        perform(w, nth(q, next_random(w->group, q->count)));
}

static request* begin(wave* w, const instruction* p)
{
    queue* q = &w->queue[p->par[p_queue]];
    if (q->count == most_requests)
        retire(w, q, 0);
    request* r = nth(q, q->count++);
    r->by = p;
    r->exec = exec_of(w);
    r->number = w->issued++;
    r->performed = 0;
    r->class = p->par[p_class];
    memset(r->valid, 0xff, sizeof(r->valid));
    return r;
}

/// The data of a store or an atomic, as registers have it now: hardware keeps a register until it is read.
static void take_data(wave* w, const instruction* p, request* r, int first)
{
    int words = (p->par[p_bytes] + 3) / 4, swaps = p->par[p_atomic] == compare_and_swap;
    if (swaps && p->par[p_class] == shared_memory) { // from two operands
        for (int j = 0; j < 2 * words; ++j) {
            const operand* s = &p->s[first + j / words];
            memcpy(r->data[j], words_of(w, s) + j % words * next_word(s), sizeof(r->data[0]));
        }
        return;
    }
    words *= 1 + swaps;
    for (int i = 0; i < p->par[p_addresses]; ++i)
        for (int j = 0; j < words; ++j) {
            const u32* x = words_of(w, &p->s[first + i]) + j * next_word(&p->s[first + i]);
            memcpy(r->data[i * words + j], x, sizeof(r->data[0]));
        }
}

static void finish(wave* w, const instruction* p, request* r)
{
    group* g = w->group;
    mark(w, p, 1);
    if (g->policy == at_once)
        wait_for(w, p->par[p_queue], 0);
    else if (g->policy == early || (g->policy == mixed && next_random(g, 2)))
        perform(w, r);
}

// par from p_first_free on: the offset, what an address beside a scalar base is multiplied by. s[0] address, s[1] scalar base
// (base -1 and value 0: none), s[2] data.
void issue_global(wave* w, const instruction* p)
{
    request* r = begin(w, p);
    int has_base = p->s[1].base >= 0;
    u64 base = has_base ? scalar_value(w, &p->s[1], 2) : 0;
    const u32* x = words_of(w, &p->s[0]);
    for (int lane = 0; lane < (int)w->lanes; ++lane) {
        u64 offset = has_base ? (u64)x[lane] * p->par[p_first_free + 1] : x[lane] | (u64)x[row_words + lane] << 32;
        r->address[lane] = base + offset + (i64)p->par[p_first_free];
    }
    if (p->par[p_store])
        take_data(w, p, r, 2);
    finish(w, p, r);
}

// s[0] address, s[1] descriptor, s[2] data, s[3] scalar offset. Then: offset, offen, idxen, twice the generation (18, 22, 24, 25).
void issue_buffer(wave* w, const instruction* p)
{
    const i32* q = p->par + p_first_free;
    request* r = begin(w, p);
    const u32* d = words_of(w, &p->s[1]);
    u64 base = d[0] | (u64)d[1] << 32, records = d[2];
    u32 scalar = (u32)scalar_value(w, &p->s[3], 1), strided = d[1] >> 16 & 0x3fff;
    if (q[3] == 25) {
        // 57 bits of address, 45 of records, 6 of none, 16 of stride, 4 more (LLVM's lowerPointerAsRsrcIntrin).
        records = base >> 57 | records << 7 | (u64)d[3] << 39;
        base &= (1ull << 57) - 1, records &= (1ull << 45) - 1;
        strided = d[3] >> 6 & 0x3fffff;
    } else {
        base &= 0xffffffffffffull;
        strided |= q[3] == 18 ? d[3] >> 23 & 1 : (d[3] >> 28 & 3) != 3;
    }
    // Only raw buffers: the bounds check of a strided one depends on the chip and on more bits.
    if (strided || q[2])
        report(w, unsupported_use, d[3]);
    const u32* x = words_of(w, &p->s[0]);
    int bytes = p->par[p_bytes], size = bytes < 4 ? bytes : 4;
    for (int lane = 0; lane < (int)w->lanes; ++lane) {
        u64 offset = (u64)(q[1] ? x[lane] : 0) + (u32)q[0];
        r->address[lane] = base + scalar + offset;
        r->second[lane] =
            p->par[p_atomic] == to_shared ? scalar_value(w, &p->s[2], 1) + (u32)q[0] + (u64)bytes * lane : 0;
        r->valid[lane] = 0;
        for (int j = 0; j < (bytes + 3) / 4; ++j)
            r->valid[lane] |= (offset + 4 * j + size <= records) << j;
    }
    if (p->par[p_store])
        take_data(w, p, r, 2);
    finish(w, p, r);
}

// s[0] address, s[1], s[2] data. Then: the offsets. The sum has 32 bits: compilers give a negative address a constant offset
// on all but the first generation, whose sum does not wrap (LLVM's "ds-negative-offset-addressing-mode-loop").
void issue_shared(wave* w, const instruction* p)
{
    request* r = begin(w, p);
    const u32* x = words_of(w, &p->s[0]);
    int bytes = p->par[p_bytes], align = bytes > 4 ? 4 : bytes;
    for (int lane = 0; lane < (int)w->lanes; ++lane) {
        r->address[lane] = x[lane] + (u32)p->par[p_first_free];
        r->second[lane] = x[lane] + (u32)p->par[p_first_free + 1];
        if (r->exec >> lane & 1 && (r->address[lane] % align || (p->par[p_addresses] == 2 && r->second[lane] % align)))
            report(w, misaligned, r->address[lane]);
    }
    if (p->par[p_turned] && r->exec != ~0ull)
        report(w, unsupported_use, r->exec);
    if (p->par[p_store])
        take_data(w, p, r, 1);
    finish(w, p, r);
}

// s[0] base, s[1] scalar offset. Then: offset, whether the base is a buffer, what the scalar offset is multiplied by.
void issue_scalar(wave* w, const instruction* p)
{
    request* r = begin(w, p);
    const u32* x = words_of(w, &p->s[0]);
    u64 base = x[0] | (u64)x[1] << 32,
        offset = (i64)p->par[p_first_free] + (u64)(u32)scalar_value(w, &p->s[1], 1) * p->par[p_first_free + 2];
    int buffer = p->par[p_first_free + 1];
    if (buffer)
        base &= 0xffffffffffffull;
    r->address[0] = (base + offset) & ~(p->par[p_bytes] < 4 ? p->par[p_bytes] - 1ull : 3ull);
    r->valid[0] = !buffer;
    r->second[0] = buffer ? base + x[2] : 0;
    finish(w, p, r);
}

// Lane exchange goes the way of LDS requests, but touches no memory: the data are those of now. s[0] lane addresses,
// s[1] data. Then: kind (0 bpermute, 1 permute, 2 swizzle), offset (of a swizzle the bits in which lanes differ).
void issue_exchange(wave* w, const instruction* p)
{
    u32 offset = p->par[p_first_free + 1], lanes = w->lanes;
    const u32 *x = words_of(w, &p->s[0]), *y = words_of(w, &p->s[1]);
    request* r = begin(w, p);
    memset(r->data[0], 0, sizeof(r->data[0]));
    for (u32 lane = 0; lane < lanes; ++lane) {
        u32 kind = p->par[p_first_free];
        u32 other = kind == 2 ? lane ^ offset : (x[lane] + offset) / 4 % lanes;
        if (kind != 1)
            r->data[0][lane] = r->exec >> other & 1 ? y[other] : 0;
        else if (r->exec >> lane & 1)
            r->data[0][other] = y[lane];
    }
    r->performed = 1;
    finish(w, p, r);
}
