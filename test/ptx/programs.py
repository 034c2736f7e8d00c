"""Small programs: what the machine must refuse, and pairs of a right and a wrong one."""

import re

import numpy

from instructions import HEADER
from machine import Fault, Machine

U32, U64 = numpy.dtype("u4"), numpy.dtype("u8")

# The fault, the body of a kernel of 64 threads, and the machine's words for it.
REFUSED = [
    ("a register without a value as an address", "ld.global.u32 %x, [%g];", "no value"),
    ("a register without a value is stored", "st.global.u32 [%d], %x;", "without a value is stored"),
    ("a register without a value guards", "@%p0 st.global.u32 [%d], 0;", "no value"),
    (
        "shared memory that nobody wrote reaches a result",
        "ld.shared.u32 %x, [memory]; st.global.u32 [%d], %x;",
        "without a value is stored",
    ),
    ("an access past a buffer", "st.global.u32 [%d+4096], 0;", "not in memory"),
    ("a misaligned access", "ld.global.v2.u32 {%x, %z}, [%d+4];", "no multiple"),
    ("an access past shared memory", "st.shared.u32 [memory+256], 0;", "not in shared memory"),
    (
        "half of a warp at a barrier",
        "setp.lt.u32 %p0, %t, 16; @%p0 bra here; bar.sync 0; here: bar.sync 1;",
        "executed together|elsewhere",
    ),
    (
        "a shuffle that part of its lanes skip",
        "setp.lt.u32 %p0, %t, 16; @%p0 shfl.sync.idx.b32 %x, %t, 0, 31, -1;",
        "together",
    ),
    (
        "a barrier for other counts",
        "setp.lt.u32 %p0, %t, 32; @%p0 bra here; bar.sync 1, 64; ret; here: bar.sync 1, 96;",
        "others came",
    ),
    (
        "a barrier that a warp does not reach",
        "setp.lt.u32 %p0, %t, 32; @%p0 bra here; bar.sync 1, 64; here: ret;",
        "nothing goes on",
    ),
    ("an mbarrier that nobody initialised", "mbarrier.arrive.shared::cta.b64 %g, [memory];", "no mbarrier"),
    (
        "a store over an mbarrier",
        "setp.ne.u32 %p0, %t, 0; @%p0 ret; mbarrier.init.shared::cta.b64 [memory], 1; st.shared.u32 [memory], 0;",
        "mbarrier",
    ),
    (
        "an arrival too many",
        "setp.ne.u32 %p0, %t, 0; @%p0 ret; mbarrier.init.shared::cta.b64 [memory], 1; "
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [memory], 16; mbarrier.arrive.shared::cta.b64 %g, [memory];",
        "arrivals",
    ),
    (
        "an mbarrier that never completes",
        "setp.ne.u32 %p0, %t, 0; @%p0 ret; mbarrier.init.shared::cta.b64 [memory], 2; "
        "mbarrier.arrive.shared::cta.b64 %g, [memory]; wait: mbarrier.try_wait.parity.shared::cta.b64 %p1, [memory], 0; @!%p1 bra wait;",
        "nothing goes on",
    ),
    (
        "a cp.async that nobody waits for",
        "mov.u32 %y, memory; setp.ne.u32 %p0, %t, 0; @%p0 ret; cp.async.cg.shared.global [%y], [%d], 16; "
        "cp.async.commit_group; ld.shared.u32 %x, [memory];",
        "still writing",
    ),
    ("a trap", "trap;", "trap"),
    ("an opcode of another world", "texture.2d %x, [%d];", "does not know"),
    ("a load from many GPUs", "multimem.ld_reduce.relaxed.sys.global.add.u32 %x, [%d];", "does not know multimem.ld_reduce"),
    ("a reduction of one word", "tcgen05.ld.red.sync.aligned.32x32b.x1.max.u32 {%x}, %z, [%y];", "from .x2 on"),
    ("a reduction of another shape", "tcgen05.ld.red.sync.aligned.16x64b.x2.max.u32 {%x, %y}, %z, [%y];", "of .32x32b and .16x32bx2"),
    ("a reduction of sizes that are none", "tcgen05.ld.red.sync.aligned.32x32b.x2.max.abs.u32 {%x, %y}, %z, [%y];", "does not know .abs"),
    ("a sum of tensor memory", "tcgen05.ld.red.sync.aligned.32x32b.x2.add.u32 {%x, %y}, %z, [%y];", ".min or .max is needed"),
    ("a call of what has no body", "{ .param .b32 x; st.param.b32 [x], 0; call.uni absent, (x); }", "call of absent"),
    (
        "wgmma without a warpgroup's fence",
        "setp.eq.u32 %p0, %t, %t; mov.u64 %g, 64; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
        "{%f0, %f1, %f2, %f3}, %g, %g, %p0, 1, 1, 0, 0;",
        "wgmma.fence|not in shared",
    ),
]


# The report of the store names its line of the source, and where the function was called that was put in its place.
LOCATED = """.loc 1 7 3
mov.u32 %x, 1;
.loc	2 41 5, function_name $L__info_string0, inlined_at 1 9 3
st.shared.u32 [memory+256], %x;
"""
LOCATED_AS = "(include/store.hpp:41, called at kernels/copy.cu:9), st.shared"
LOCATED_FILES = """.file	1 "kernels/copy.cu"
.file	2 "include/store.hpp", 1700000000, 512
.section	.debug_str
{
$L__info_string0:
.b8 112,117,116,0
}
"""

STORE_OWN = "mov.u32 %y, memory; mad.lo.u32 %z, %t, 4, %y; st.shared.u32 [%z], %t; "
LOAD_OTHER = "xor.b32 %x, %t, 32; mad.lo.u32 %x, %x, 4, %y; ld.shared.u32 %x, [%x]; "
# Races of two warps: what, and a body in which [[a|b]] is a in the right program and b in the wrong one.
RACES = [
    ("one warp stores, the other loads", STORE_OWN + "[[bar.sync 0;]]" + LOAD_OTHER),
    ("one warp loads, the other stores", STORE_OWN + "bar.sync 0;" + LOAD_OTHER + "[[bar.sync 0;]]" + STORE_OWN),
    ("both warps store", "and.b32 %z, %t, 31; mov.u32 %y, memory; mad.lo.u32 %z, [[%t|%z]], 4, %y; st.shared.u32 [%z], 1;"),
    (
        "bytes of one word",
        "[[shr.u32 %x, %t, 5;|mov.u32 %x, 0;]] mov.u32 %y, memory; add.u32 %z, %y, %x; st.shared.u8 [%z], %t;",
    ),
    (
        "a store behind the arrival at a barrier",
        "setp.lt.u32 %p0, %t, 32; @%p0 bra first; bar.sync 1, 64; ld.shared.u32 %x, [memory]; ret; first: "
        "[[st.shared.u32 [memory], 5;]] bar.arrive 1, 64; [[|st.shared.u32 [memory], 5;]]",
    ),
    (
        "another barrier than the other warp's",
        STORE_OWN + "setp.lt.u32 %p0, %t, 32; @%p0 bra first; bar.sync 1, [[64|32]]; bra both; "
        "first: bar.sync [[1, 64|2, 32]]; both: " + LOAD_OTHER,
    ),
    (
        "an mbarrier that is not waited for",
        "setp.ne.u32 %p0, %t, 0; @!%p0 mbarrier.init.shared::cta.b64 [memory], 32; bar.sync 0; "
        "setp.lt.u32 %p0, %t, 32; @%p0 bra first; "
        "[[wait: mbarrier.try_wait.parity.shared::cta.b64 %p1, [memory], 0; @!%p1 bra wait;]] "
        "ld.shared.u32 %x, [memory+16]; ret; "
        "first: st.shared.u32 [memory+16], 5; mbarrier.arrive.shared::cta.b64 %g, [memory];",
    ),
    (
        "an arrival that orders nothing",
        "setp.ne.u32 %p0, %t, 0; @!%p0 mbarrier.init.shared::cta.b64 [memory], 32; bar.sync 0; "
        "setp.lt.u32 %p0, %t, 32; @%p0 bra first; "
        "wait: mbarrier.try_wait.parity.shared::cta.b64 %p1, [memory], 0; @!%p1 bra wait; "
        "ld.shared.u32 %x, [memory+16]; ret; "
        "first: st.shared.u32 [memory+16], 5; mbarrier.arrive[[|.relaxed.cta]].shared::cta.b64 %g, [memory];",
    ),
    (
        "a relaxed arrival without its fence",
        "setp.ne.u32 %p0, %t, 0; @!%p0 mbarrier.init.shared::cta.b64 [memory], 32; bar.sync 0; "
        "setp.lt.u32 %p0, %t, 32; @%p0 bra first; "
        "wait: mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 %p1, [memory], 0; @!%p1 bra wait; "
        "fence.acquire.sync_restrict::shared::cluster.cluster; ld.shared.u32 %x, [memory+16]; ret; "
        "first: st.shared.u32 [memory+16], 5; [[fence.release.sync_restrict::shared::cta.cluster;]] "
        "mbarrier.arrive.relaxed.cluster.shared::cta.b64 %g, [memory];",
    ),
    (
        "a relaxed wait without its fence",
        "setp.ne.u32 %p0, %t, 0; @!%p0 mbarrier.init.shared::cta.b64 [memory], 32; bar.sync 0; "
        "setp.lt.u32 %p0, %t, 32; @%p0 bra first; "
        "wait: mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p1, [memory], 0; @!%p1 bra wait; "
        "[[fence.acq_rel.cta;]] ld.shared.u32 %x, [memory+16]; ret; "
        "first: st.shared.u32 [memory+16], 5; mbarrier.arrive.shared::cta.b64 %g, [memory];",
    ),
    (
        "a cp.async over what the other warp reads",
        STORE_OWN + "bar.sync 0; setp.ge.u32 %p0, %t, 32; @%p0 ld.shared.u32 %x, [memory]; [[bar.sync 0;]] "
        "setp.eq.u32 %p1, %t, 0; @%p1 cp.async.cg.shared.global [%y], [%d], 16; cp.async.wait_all;",
    ),
    (
        "a cp.async that only its own warp has waited for",
        "mov.u32 %y, memory; setp.eq.u32 %p1, %t, 0; @%p1 cp.async.cg.shared.global [%y], [%d], 16; "
        "cp.async.wait_all; [[bar.sync 0;]] ld.shared.u32 %x, [memory];",
    ),
    (
        "a bulk copy over what the other warp reads",
        "setp.eq.u32 %p0, %t, 0; @%p0 mbarrier.init.shared::cta.b64 [memory], 1; @%p0 fence.mbarrier_init.release.cluster; "
        "mov.u32 %y, memory; @%p0 st.shared.u32 [memory+16], 5; bar.sync 0; setp.ge.u32 %p1, %t, 32; "
        "@%p1 ld.shared.u32 %x, [memory+16]; fence.proxy.async.shared::cta; [[bar.sync 0;]] add.u32 %z, %y, 16; "
        "@!%p0 bra end; mbarrier.arrive.expect_tx.shared::cta.b64 %g, [memory], 16; "
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%z], [%d], 16, [%y]; "
        "end: wait: mbarrier.try_wait.parity.shared::cta.b64 %p2, [memory], 0; @!%p2 bra wait; ld.shared.u32 %x, [memory+16];",
    ),
]

# tcgen05: warp 0 allocates 32 columns; %y is the own warp's first word, and a word a lane holds the thread's number.
ALLOCATE = (
    "setp.lt.u32 %p0, %t, 32; @%p0 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [memory], 32; bar.sync 0; "
    "ld.shared.u32 %z, [memory]; shr.u32 %x, %t, 5; and.b32 %x, %x, 3; shl.b32 %x, %x, 21; add.u32 %y, %z, %x; "
)
STORE_TENSOR = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%y], {%t}; tcgen05.wait::st.sync.aligned; "
LOAD_TENSOR = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%x}, [%y]; "
STORE_TWO = "tcgen05.st.sync.aligned.32x32b.x2.b32 [%y], {%t, %t}; tcgen05.wait::st.sync.aligned; "
REDUCE = "tcgen05.ld.red.sync.aligned.32x32b.x2.max.u32 {%f0, %f1}, %x, [%y]; "
DEALLOCATE = "bar.sync 0; @%p0 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %z, 32;"
# A bulk copy on an mbarrier that thread 0 initialises and thread 32 copies on.
COPY = (
    "mov.u32 %y, memory; setp.eq.u32 %p0, %t, 0; setp.eq.u32 %p1, %t, 32; @%p0 mbarrier.init.shared::cta.b64 [memory], 1; {} "
    "@!%p1 bra end; mbarrier.arrive.expect_tx.shared::cta.b64 %g, [memory], 16; add.u32 %z, %y, 16; "
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%z], [%d], 16, [%y]; "
    "wait: mbarrier.try_wait.parity.shared::cta.b64 %p2, [memory], 0; @!%p2 bra wait; end: "
)
FLAG = "setp.eq.u32 %p0, %t, 0; @%p0 st.shared.u32 [memory], 0; bar.sync 0; setp.lt.u32 %p1, %t, 32; @!%p1 bra second; "
FIVE_WARPS, PAIR = {"block": 160}, {"grid": 2, "cluster": 2}
# Thread 0 of each block makes an mbarrier for as many arrivals, and the cluster meets. %x is this block's rank, %z the address
# of memory + 16 in the peer, %y that of its mbarrier.
PEER = (
    "setp.eq.u32 %p0, %t, 0; @%p0 mbarrier.init.shared::cta.b64 [memory], 1; @%p0 fence.mbarrier_init.release.cluster; "
    "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; mov.u32 %x, %cluster_ctarank; xor.b32 %x, %x, 1; "
    "mov.u32 %y, memory; mapa.shared::cluster.u32 %y, %y, %x; add.u32 %z, %y, 16; "
)
SEND = "@%p0 st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%z], {%t, %x, %x, %t}, [%y]; "
AWAIT = "wait: mbarrier.try_wait.parity.shared::cta.b64 %p2, [memory], 0; @!%p2 bra wait; "
EXPECT = "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 %g, [memory], 16; "
READ = "ld.shared.u32 %t, [memory+20]; xor.b32 %x, %x, 1; setp.ne.u32 %p1, %t, %x; @%p1 trap; "  # the sender's %x
# Each entry: a name, a body, the report on the wrong program (None: there is no wrong one), and how it is launched. In the
# body, [[a|b]] is a in the right program and b in the wrong one. A launch has Machine.launch's options, and `directives`
# of the kernel.
PAIRS = [
    (
        "atomics of two warps on a word",
        "[[red.shared.add.u32 [memory], 1;|st.shared.u32 [memory], %t;]] atom.shared.exch.b32 %x, [memory], 5;",
        "a race",
        {},
    ),
    ("an atomic and a load", "red.shared.add.u32 [memory], 1; [[bar.sync 0;]] ld.shared.u32 %x, [memory];", "a race", {}),
    ("an atomic and a store", "ld.shared.u32 %x, [memory]; [[bar.sync 0;]] red.shared.add.u32 [memory], 1;", "a race", {}),
    (
        "a flag that one warp releases and the other acquires",
        FLAG + "st.shared.u32 [memory+16], %t; bar.warp.sync -1; @%p0 red.[[release|relaxed]].cta.shared.add.u32 [memory], 1; ret; "
        "second: ld.acquire.cta.shared.u32 %x, [memory]; setp.eq.u32 %p2, %x, 0; @%p2 bra second; ld.shared.u32 %x, [memory+16];",
        "a race",
        {},
    ),
    (
        "a flag that one warp releases and the other reads relaxed",
        FLAG + "st.shared.u32 [memory+16], %t; bar.warp.sync -1; @%p0 st.release.cta.shared.u32 [memory], 1; ret; "
        "second: ld.[[acquire|relaxed]].cta.shared.u32 %x, [memory]; setp.eq.u32 %p2, %x, 0; @%p2 bra second; ld.shared.u32 %x, [memory+16];",
        "a race",
        {},
    ),
    (
        "a flag between fences",
        FLAG + "st.shared.u32 [memory+16], %t; [[fence.acq_rel.cta;]] @%p0 st.volatile.shared.u32 [memory], 1; ret; "
        "second: ld.volatile.shared.u32 %x, [memory]; setp.eq.u32 %p2, %x, 0; @%p2 bra second; fence.acq_rel.cta; "
        "ld.shared.u32 %x, [memory+16];",
        "a race",
        {},
    ),
    (
        "registers of tcgen05.ld without a wait, and tensor memory written behind it",
        ALLOCATE + STORE_TENSOR + LOAD_TENSOR + "mad.wide.u32 %g, %t, 4, %d; st.global.u32 [%g], %x; "
        "setp.ne.u32 %p1, %x, %t; @%p1 trap; [[tcgen05.wait::ld.sync.aligned;]]" + STORE_TENSOR + "tcgen05.wait::ld.sync.aligned;" + DEALLOCATE,
        "still being read",
        {},
    ),
    (
        "tensor memory that is written behind tcgen05.ld.red",
        ALLOCATE + STORE_TWO + REDUCE + "mad.wide.u32 %g, %t, 4, %d; st.global.u32 [%g], %x; [[tcgen05.wait::ld.sync.aligned;]]" + STORE_TENSOR
        + "tcgen05.wait::ld.sync.aligned;" + DEALLOCATE,
        "still being read",
        {},
    ),
    (
        "tcgen05.ld.red of a word that nothing has written",
        ALLOCATE + "[[" + STORE_TWO.split("; ")[0] + ";|tcgen05.st.sync.aligned.32x32b.x1.b32 [%y], {%t};]] tcgen05.wait::st.sync.aligned;" + REDUCE
        + "tcgen05.wait::ld.sync.aligned; mad.wide.u32 %g, %t, 4, %d; st.global.u32 [%g], %x;" + DEALLOCATE,
        "without a value is stored",
        {},
    ),
    (
        "tcgen05.ld.red before the other warp's store is known to be done",
        ALLOCATE + "setp.ge.u32 %p1, %t, 128; @%p1 bra fifth; @!%p0 bra end;" + STORE_TWO + "tcgen05.fence::before_thread_sync; [[bar.arrive 1, 64;]] "
        "bra end; fifth: [[bar.sync 1, 64;]] tcgen05.fence::after_thread_sync;" + REDUCE + "tcgen05.wait::ld.sync.aligned; end: " + DEALLOCATE,
        "tensor memory lane 0",
        FIVE_WARPS,
    ),
    (
        "a block's own address has its rank from bit 24 on, and without that bit the leader's",
        "mov.u32 %x, memory; mov.u32 %y, %cluster_ctarank; setp.eq.u32 %p0, %y, 1; setp.eq.u32 %p1, %t, 0; "
        "@%p1 st.shared.u32 [memory+8], 0; bar.sync 0; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; "
        "getctarank.shared::cluster.u32 %z, %x; setp.ne.u32 %p2, %z, %y; @%p2 trap; shr.u32 %z, %x, 24; setp.ne.u32 %p2, %z, %y; "
        "@%p2 trap; mapa.shared::cluster.u32 %z, %x, %y; setp.ne.u32 %p2, %z, %x; @%p2 trap; and.b32 %x, %x, 0xfeffffff; "
        "and.pred %p2, %p0, %p1; @%p2 st.shared::cluster.u32 [%x+8], 7; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; "
        "ld.shared.u32 %x, [memory+8]; mul.lo.u32 %x, %x, [[1|2]]; sub.u32 %y, 1, %y; mul.lo.u32 %y, %y, 7; "
        "setp.ne.u32 %p2, %x, %y; @%p2 trap;",
        "trap",
        PAIR,
    ),
    ("registers of a kernel that nothing limits", "setmaxnreg.inc.sync.aligned.u32 240; setmaxnreg.dec.sync.aligned.u32 24;", None, {}),
    (
        "setmaxnreg by .maxnreg",
        "setmaxnreg.inc.sync.aligned.u32 104; bar.sync 0; setmaxnreg.dec.sync.aligned.u32 [[96|112]];",
        "setmaxnreg to 112 from 104",
        {"directives": ".maxntid 64 .maxnreg 64"},
    ),
    (
        "setmaxnreg by .minnctapersm",
        "setmaxnreg.dec.sync.aligned.u32 [[128|168]]; setmaxnreg.inc.sync.aligned.u32 200;",
        "setmaxnreg to 168 from 128",
        {"directives": ".maxntid 64, 1, 1 .minnctapersm 8"},
    ),
    (
        "a pair gives tensor memory back, the one after the other's end",
        "setp.lt.u32 %p0, %t, 32; mov.u32 %x, %cluster_ctarank; setp.eq.u32 %p1, %x, 0; @!%p0 bra end; "
        "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [memory], 32; ld.shared.u32 %z, [memory]; end: "
        "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; @!%p0 ret; [[|@%p1 ret;]] "
        "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %z, 32; tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;",
        "allocated",
        PAIR,
    ),
    (
        "clusters of two dimensions",
        "mov.u32 %x, %clusterid.y; mov.u32 %y, %cluster_nctaid.y; mov.u32 %z, %cluster_ctaid.y; mad.lo.u32 %x, %x, %y, %z; mov.u32 %y, %ctaid.y; "
        "setp.ne.u32 %p0, %x, %y; @%p0 trap; mov.u32 %x, %cluster_ctaid.x; mad.lo.u32 %x, %z, 2, %x; mov.u32 %y, %cluster_ctarank; "
        "setp.ne.u32 %p0, %x, %y; @%p0 trap; mov.u32 %x, %nclusterid.y; setp.ne.u32 %p0, %x, [[3|6]]; @%p0 trap; mov.u32 %x, %cluster_nctarank; "
        "setp.ne.u32 %p0, %x, 4; @%p0 trap; mov.u32 %x, %cluster_ctaid.y; mov.u32 %y, %clusterid.x; setp.ne.u32 %p0, %y, 0; @%p0 trap;",
        "trap",
        {"grid": (2, 6), "cluster": (2, 2)},
    ),
    (
        "what a program prints",
        "{ .param .b64 f; .param .b64 v; .param .b32 r; st.param.b64 [f], 0; st.param.b64 [v], 0; call.uni (r), [[vprintf|absent]], (f, v); }",
        "call of absent",
        {},
    ),
    # Levels: below its own one a rule is silent, and what it stands for is still an error.
    ("no fence.mbarrier_init", COPY.format("bar.sync 0; [[|]]"), None, {"reports": "portability"}),
    ("no fence.mbarrier_init", COPY.format("[[fence.mbarrier_init.release.cluster;]] bar.sync 0;"), "mbarrier_init", {}),
    ("nothing before a copy", COPY.format("[[bar.sync 0;]]"), "mbarrier", {"reports": "error"}),
    (
        "two warps load and store tensor memory in turn",
        ALLOCATE + "setp.ge.u32 %p1, %t, 128; @%p1 bra fifth; @!%p0 bra end;" + STORE_TENSOR + "[[tcgen05.fence::before_thread_sync;]] bar.arrive 1, 64; "
        "bra end; fifth: bar.sync 1, 64; tcgen05.fence::after_thread_sync;" + LOAD_TENSOR + "tcgen05.wait::ld.sync.aligned; end: " + DEALLOCATE,
        "before_thread_sync",
        FIVE_WARPS,
    ),
    (
        "the same without fences",
        ALLOCATE + "setp.ge.u32 %p1, %t, 128; @%p1 bra fifth; @!%p0 bra end;" + STORE_TENSOR + "[[bar.arrive 1, 64;]] "
        "bra end; fifth: [[bar.sync 1, 64;]]" + LOAD_TENSOR + "tcgen05.wait::ld.sync.aligned; end: " + DEALLOCATE,
        "tensor memory lane 0",
        {**FIVE_WARPS, "reports": "error"},
    ),
    (
        "tensor memory stored behind another warp's load",
        ALLOCATE + "@%p0 bra first; setp.ge.u32 %p1, %t, 128; @!%p1 bra end; bar.sync 2, 64;" + LOAD_TENSOR + "tcgen05.wait::ld.sync.aligned; "
        "[[bar.arrive 1, 64;]] bra end; first:" + STORE_TENSOR + "bar.arrive 2, 64; [[bar.sync 1, 64;]]" + STORE_TENSOR + "end: " + DEALLOCATE,
        "tensor memory lane 0",
        {**FIVE_WARPS, "reports": "error"},
    ),
    (
        "an arrival that is relaxed orders tensor memory",
        "setp.eq.u32 %p2, %t, 0; @%p2 mbarrier.init.shared::cta.b64 [memory+16], 32;" + ALLOCATE + "setp.ge.u32 %p1, %t, 128; @%p1 bra fifth; "
        "@!%p0 bra end;" + STORE_TENSOR + "tcgen05.fence::before_thread_sync; mbarrier.arrive.relaxed.cta.shared::cta.b64 %g, [memory+16]; bra end; "
        "fifth: [[mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p3, [memory+16], 0; @!%p3 bra fifth;]] tcgen05.fence::after_thread_sync;"
        + LOAD_TENSOR + "tcgen05.wait::ld.sync.aligned; end: " + DEALLOCATE,
        "tensor memory lane 0",
        FIVE_WARPS,
    ),
    ("words from a peer", PEER + EXPECT + SEND + "[[" + AWAIT + "|]]" + READ, "has no value", PAIR),
    ("more bytes than a peer sends", PEER + "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 %g, [memory], [[16|32]]; " + SEND + AWAIT, "nothing", PAIR),
    (
        "words from a peer over what is read",
        PEER + EXPECT + "@%p0 st.shared.v4.u32 [memory+16], {%t, %t, %t, %t}; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; "
        "@%p0 ld.shared.u32 %t, [memory+16]; [[barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;]] "
        + SEND.replace("%t", "%x") + AWAIT,
        "a race",
        PAIR,
    ),
    ("words for a block that ends", PEER + EXPECT + SEND + "[[" + AWAIT + "|]]", "needs its shared memory", {**PAIR, "seeds": (3, 5, 6)}),
    (
        "words whose mbarrier is in another block",
        PEER + EXPECT + "[[|mov.u32 %y, memory;]]" + SEND + AWAIT,
        "another block than its place",
        PAIR,
    ),
    ("two warps store the same", "[[|and.b32 %x, %t, 32;]] [[mov.u32 %x, 7;]] st.shared.u32 [memory], %x;", "a race", {"reports": "portability"}),
    ("two warps store the same, pedantically", "mov.u32 %x, 7; [[setp.lt.u32 %p0, %t, 32; @%p0]] st.shared.u32 [memory], %x;", "a race", {}),
    (
        "who takes elect.sync's lane for lane 0",
        "elect.sync %x|%p0, -1; and.b32 %y, %t, 31; setp.ne.u32 %p1, %y, [[%x|0]]; and.pred %p1, %p0, %p1; @%p1 trap;",
        "trap",
        {"reports": "portability", "seeds": (1, 4)},
    ),
    (
        "a parity of -1",
        "setp.eq.u32 %p0, %t, 0; @%p0 mbarrier.init.shared::cta.b64 [memory], 1; "
        "mbarrier.try_wait.parity.shared::cta.b64 %p1, [memory], [[1|-1]]; @!%p1 trap;",
        "a parity of",
        {"reports": "portability", "block": 32, "seeds": (0, 1, 3, 4)},
    ),
    ("a parity of -1 is one of 1", "setp.eq.u32 %p0, %t, 0; @%p0 mbarrier.init.shared::cta.b64 [memory], 1; "
     "mbarrier.try_wait.parity.shared::cta.b64 %p1, [memory], -1; @!%p1 trap;", None, {"reports": "error", "block": 32, "seeds": (0, 1, 3, 4)}),
    ("elect.sync names lane 0", "elect.sync %x|%p0, -1; setp.ne.u32 %p1, %x, 0; @%p1 trap;", None, {"reports": "error"}),
    (
        "a cp.async open at the end",
        "mov.u32 %y, memory; setp.eq.u32 %p1, %t, 0; @%p1 cp.async.cg.shared.global [%y], [%d], 16; cp.async.commit_group; [[cp.async.wait_all;]]",
        "cp.async under way",
        {"seeds": (0, 3)},
    ),
    (
        "a cp.async open at the end, at a lower level",
        "mov.u32 %y, memory; setp.eq.u32 %p1, %t, 0; @%p1 cp.async.cg.shared.global [%y], [%d], 16; cp.async.commit_group; ",
        None,
        {"reports": "portability"},
    ),
]


def run(library, body, seed=0, behind="", directives="", grid=1, block=64, **options):
    """The machine's report of a kernel with that body, or "nothing is said"; `behind`: what follows the kernel in its file."""
    text = (
        f"{HEADER}.shared .align 16 .b8 memory[256];\n.extern .func absent(.param .b32 x);\n"
        ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n"
        f".visible .entry one(.param .u64 d) {directives}\n{{\n.reg .b32 %x, %y, %z, %t; .reg .b64 %d, %g; .reg .pred %p<4>; "
        f".reg .f32 %f<4>;\nmov.u32 %t, %tid.x; ld.param.u64 %d, [d];\n{body}\nret;\n}}\n{behind}"
    )
    try:
        machine = Machine(library, text)
        address = machine.add("d", numpy.zeros(256, U32), True)
        arguments = numpy.array([address], U64).tobytes()
        machine.launch("one", grid, block, arguments, seed=seed, limit=100000, **options)
    except Fault as report:
        return str(report)
    return "nothing is said"


def check_pair(library, body, says, seeds=range(9), **options):
    """Every order of warps shows the wrong one, and none the right one. The sentence on what is not so, or ""."""
    for seed in seeds:
        right = run(library, re.sub(r"\[\[(.*?)(?:\|(.*?))?\]\]", r"\1", body), seed, **options)
        wrong = says and run(library, re.sub(r"\[\[(.*?)(?:\|(.*?))?\]\]", r"\2", body), seed, **options)
        if right != "nothing is said" or says and says not in wrong:
            return f"seed {seed}: {wrong}; of the right one: {right}"
    return ""


def run_all(library):
    wrong = []
    for what, body, says in [*REFUSED, ("the line of the source", LOCATED, LOCATED_AS)]:
        said = run(library, body, behind=LOCATED_FILES)
        if not any(part in said for part in says.split("|")):
            wrong.append(f"{what}: {said}")
    for what, body, says, options in [*((what, body, "a race", {}) for what, body in RACES), *PAIRS]:
        said = check_pair(library, body, says, **options)
        if said:
            wrong.append(f"{what}: {said}")
    print(f"{len(REFUSED)} wrong programs refused, {len(RACES)} races, {len(PAIRS)} pairs of a right and a wrong one")
    return wrong
