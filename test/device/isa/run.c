// The waves of a work group take turns; their order is the seed's. See machine.h.
#include "machine.h"

#include <xmmintrin.h>

void wait_for(wave*, int counter, u32 left);
void wait_for_all(wave*);
void perform_some(wave*);

// A barrier waits for waves, not for memory; a wave that has ended counts no longer.
static void meet(group* g)
{
    if (g->arrived > 0 && g->arrived == g->alive) {
        g->arrived = 0;
        ++g->generation;
    }
}

// Control. par[0] of a branch: the instruction it goes to.

static void branch_if(wave* w, const instruction* p, int taken)
{
    if (taken)
        w->pc = p->par[0];
}
static u64 vcc_of(const wave* w) { return w->r[vcc] | (w->lanes == 64 ? (u64)w->r[vcc + 1] << 32 : 0); }
void s_branch(wave* w, const instruction* p) { branch_if(w, p, 1); }
void s_cbranch_scc0(wave* w, const instruction* p) { branch_if(w, p, !w->scc); }
void s_cbranch_scc1(wave* w, const instruction* p) { branch_if(w, p, w->scc); }
void s_cbranch_vccz(wave* w, const instruction* p) { branch_if(w, p, !vcc_of(w)); }
void s_cbranch_vccnz(wave* w, const instruction* p) { branch_if(w, p, vcc_of(w) != 0); }
void s_cbranch_execz(wave* w, const instruction* p) { branch_if(w, p, !exec_of(w)); }
void s_cbranch_execnz(wave* w, const instruction* p) { branch_if(w, p, exec_of(w) != 0); }
void s_endpgm(wave* w, const instruction* p)
{
    wait_for_all(w);
    w->state = ended;
    --w->group->alive;
    meet(w->group);
}
void s_trap(wave* w, const instruction* p) { report(w, trapped, p->address); }
void nothing(wave* w, const instruction* p) {}
/// 0: the blocks of a kernel are in no cluster (getPreloadedValue of LLVM's workgroup numbers on gfx1250).
void cluster_size(wave* w, const instruction* p) { w->r[p->d.base] = 0; }

/// par: the number that may stay outstanding for each counter; -1: not awaited.
void wait_counters(wave* w, const instruction* p)
{
    for (int k = 0; k < queues; ++k)
        if (p->par[k] >= 0)
            wait_for(w, k, p->par[k]);
}

void barrier_signal(wave* w, const instruction* p)
{
    w->signalled = w->group->generation + 1;
    ++w->group->arrived;
    meet(w->group);
}
void barrier_wait(wave* w, const instruction* p)
{
    if (w->signalled == 0)
        report(w, unsupported_use, p->address);
    w->state = at_barrier;
}
void barrier(wave* w, const instruction* p)
{
    barrier_signal(w, p);
    barrier_wait(w, p);
}

// Lane exchange by moves: s[0] is read through temporary row 0, as the operand of the instruction that follows.

/// par[0] kind: 0 quad_perm, 1 row_shl, 2 row_shr, 3 row_ror, 4 row_share or row_newbcast, 5 row_xmask, 6 row_mirror,
/// 7 row_half_mirror, 8 row_bcast 15, 9 row_bcast 31; par[1] its number; par[2] rows, [3] banks, [4] bound_ctrl.
void lane_moves(wave* w, const instruction* p)
{
    const u32* x = words_of(w, &p->s[0]);
    u32 *to = w->r + first_temporary, *enabled = to + row_words;
    u32 n = p->par[1];
    for (u32 lane = 0; lane < w->lanes; ++lane) {
        u32 row = lane / 16, at = lane & 15, from = lane, valid = 1;
        switch (p->par[0]) {
        case 0:
            from = (lane & ~3u) | (n >> 2 * (lane & 3) & 3);
            break;
        case 1:
            from = lane + n, valid = at + n < 16;
            break;
        case 2:
            from = lane - n, valid = at >= n;
            break;
        case 3:
            from = (lane & ~15u) | ((at - n) & 15);
            break;
        case 4:
            from = (lane & ~15u) | n;
            break;
        case 5:
            from = lane ^ n;
            break;
        case 6:
            from = lane ^ 15;
            break;
        case 7:
            from = lane ^ 7;
            break;
        case 8:
            from = 16 * row - 1, valid = row >= 1;
            break;
        case 9:
            from = 31, valid = row >= 2;
            break;
        }
        valid = valid && exec_of(w) >> from & 1;
        to[lane] = valid ? x[from] : 0;
        enabled[lane] = p->par[2] >> row & 1 && p->par[3] >> at / 4 & 1 && (valid || p->par[4]);
    }
}

/// Runs the instruction behind it with the lanes that lane_moves enabled.
void moved_lanes(wave* w, const instruction* p)
{
    const u32* enabled = w->r + first_temporary + row_words;
    u32 saved[2] = {w->r[exec], w->r[exec + 1]};
    for (u32 lane = 0; lane < w->lanes; ++lane)
        if (!enabled[lane])
            w->r[exec + lane / 32] &= ~(1u << lane % 32);
    p[1].run(w, p + 1);
    w->r[exec] = saved[0];
    w->r[exec + 1] = saved[1];
    ++w->pc;
}

/// Two operations at once: both read before either writes. The first writes temporary row 2; s[0] is its destination.
void before_pair(wave* w, const instruction* p)
{
    memcpy(w->r + first_temporary + 2 * row_words, w->r + p->s[0].base, sizeof(u32) * row_words);
}
void after_pair(wave* w, const instruction* p)
{
    memcpy(w->r + p->s[0].base, w->r + first_temporary + 2 * row_words, sizeof(u32) * row_words);
}

static void check_registers(wave* w, const instruction* p)
{
    for (int i = 0; i < p->reads; ++i)
        for (u32 j = p->read[i].first; j < (u32)p->read[i].first + p->read[i].count; ++j)
            if (w->pending[j]) {
                w->group->fault_register = j;
                return report(w, pending_register, p->address);
            }
}

static void step(wave* w)
{
    group* g = w->group;
    const instruction* p = g->program + w->pc;
    g->fault_pc = w->pc;
    if (w->pending_total) {
        check_registers(w, p);
        if (g->fault != no_fault)
            return;
    }
    ++w->pc;
    g->executed += p->counts;
    p->run(w, p);
    if (w->pc >= g->length && w->state != ended)
        report(w, bad_address, p->address);
    if (g->policy == mixed && next_random(g, 8) == 0)
        perform_some(w);
}

static int can_run(const wave* w)
{
    return w->state == running || (w->state == at_barrier && w->group->generation >= w->signalled);
}

/// Orders of the waves: 0 first to last, 1 last to first, else by chance: a wave goes on until it must wait, or for
/// some instructions; one wave may be held back as long as another can go on.
static wave* choose(group* g, u32* turns)
{
    u32 n = 0, held_back = g->order / 4 % (g->waves + 1);
    wave* able[64];
    for (u32 i = 0; i < g->waves; ++i) {
        wave* w = g->wave[g->order == 1 ? g->waves - 1 - i : i];
        if (can_run(w))
            able[n++] = w;
    }
    if (n == 0)
        return NULL;
    *turns = g->order < 2 || g->order % 2 ? ~0u : 1 + next_random(g, 100);
    wave* w = g->order < 2 ? able[0] : able[next_random(g, n)];
    if (g->order >= 2 && n > 1 && held_back < g->waves && w == g->wave[held_back])
        w = w == able[0] ? able[1] : able[0];
    return w;
}

void run_group(group* g)
{
    u32 old = _mm_getcsr();
    _mm_setcsr(g->float_mode);
    u32 turns = 0;
    for (wave* w; g->fault == no_fault && (w = choose(g, &turns));) {
        w->state = running;
        while (turns-- > 0 && w->state == running && g->fault == no_fault) {
            step(w);
            if (g->executed > g->limit)
                report(w, endless, 0);
        }
    }
    for (u32 i = 0; i < g->waves; ++i)
        if (g->fault == no_fault && g->wave[i]->state != ended)
            report(g->wave[i], deadlock, 0);
    _mm_setcsr(old);
}

/// Sizes of structures, for the Python that fills them in: operand, instruction, wave, group.
u64 size_of(u32 which)
{
    const u64 sizes[] = {sizeof(operand), sizeof(instruction), sizeof(wave), sizeof(group)};
    return sizes[which];
}
