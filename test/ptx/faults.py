"""Faults planted in the .ptx of shipped kernels: each must turn the machine red, by a report or by a wrong result.

A fault is an edit of one kernel's text. It is run with one seed after another until one shows it; the seeds are those of
run_kernels.py, under which the kernels as they are compute right results.
"""

import re

from machine import Fault

SEEDS = range(9)


class Edit:
    """Replaces a pattern in the body of one kernel: each place in turn (`each`), all places, or the `only`-th."""

    def __init__(self, kernel, what, pattern, to="", only=None, each=False, size=None, says=""):
        self.kernel, self.what, self.pattern, self.to = kernel, what, re.compile(pattern), to
        self.only, self.each, self.size, self.says = only, each, size, says

    def body(self, text, symbol):
        begin = text.index(f".entry {symbol}")
        end = text.find(".entry", begin + 10)
        return begin, len(text) if end < 0 else end

    def places(self, text, symbol):
        begin, end = self.body(text, symbol)
        found = [m for m in self.pattern.finditer(text, begin, end)]
        if self.only is not None:
            return [[found[self.only]]] if -len(found) <= self.only < len(found) else []
        if not found:
            return []
        return [[m] for m in found] if self.each else [found]

    def apply(self, text, places):
        for m in reversed(places):
            to = self.to(m) if callable(self.to) else m.expand(self.to)
            text = text[: m.start()] + to + text[m.end() :]
        return text


# The constant part of a matrix descriptor.
DESCRIPTOR = r"(or\.b64\s+%rd\d+, %rd\d+, )(\d{17,})"


def add_to_constant(x):
    return lambda m: m[1] + str(int(m[2]) + x)


TENSOR, SCALED, SMALL = "tcgen05.pair", "tcgen05.scaled", (300, 280, 1300, 1)
LIST, HOPPER_LIST, WEIGHTS = "tcgen05.list", "hopper.list", "tcgen05.int8_weights"
LAUNCHES, MANY = "tcgen05.launches", (600, 600, 70, 1)
MULTISTAGE, PAIRED, DIRECT, TURNS = "gemm_bf16.t128x128.k", "hopper.paired", "hopper.direct", "hopper.turns"
SPLIT, CLUSTER = "hopper.split_k", "hopper.cluster_few_rows"
WIDE_WAIT = r"mbarrier\.try_wait\.parity\.relaxed\.cluster\.shared::cta\.b64 (\w+), (\[%r\d+\]), (%r\d+);"
TRY_WAIT = r"mbarrier\.try_wait\.parity(?:\.relaxed\.cluster)?\.shared::cta\.b64 (\w+), (\[%r\d+\]), (%r\d+);"

FAULTS = [
    # sm_120a
    Edit("gemm_scaled_warps.narrow", "4-bit elements are not moved to the middle of their bytes", r"shl\.b32 (\s*%r\d+, %r\d+), 2;", r"shl.b32 \1, 0;", only=0),
    Edit("gemm_scaled_warps.narrow", "elements of 6 bits read as of 4", r"b8x16\.b6x16_p32", "b8x16.b4x16_p64", only=0),
    Edit("gemm_scaled_warps.narrow", "bytes read where elements of 4 bits lie", r"m8n16(\.x4\.shared\.)b8x16\.b4x16_p64", r"m8n8\1b16", only=0),
    Edit("gemm_scaled_warps.bytes", "the warps do not wait for the copies", TRY_WAIT, r"setp.eq.u32 \1, \3, \3;"),
    Edit("gemm_scaled_warps.bytes", "the copies do not wait for the warps", r"bar\.sync \t0;", only=1),
    Edit("gemm_scaled_warps.bytes", "no fence.mbarrier_init", r"fence\.mbarrier_init\.release\.cluster;", says="mbarrier_init"),
    Edit("gemm_scaled_warps.nvfp4", "tiles of rows share their scales", r", \{0, 1\}(, %r\d+, \{0, \d\};)", r", {0, 0}\1"),
    # sm_80
    Edit(MULTISTAGE, "no cp.async.wait_group", r"cp\.async\.wait_group \d;", each=True, says="still writing"),
    Edit(
        MULTISTAGE, "cp.async.wait_group leaves one group more", r"cp\.async\.wait_group 1;", "cp.async.wait_group 2;"
    ),
    Edit(MULTISTAGE, "no cp.async.commit_group in the loop", r"cp\.async\.commit_group;", only=-1),
    Edit(MULTISTAGE, "no bar.sync before the loop and in it", r"bar\.sync \t0;", only=0),
    Edit(MULTISTAGE, "no bar.sync in the loop", r"bar\.sync \t0;", only=1),
    Edit(MULTISTAGE, "no bar.sync around the epilogue's exchange", r"bar\.sync \t0;", only=2),
    Edit(MULTISTAGE, "no bar.sync behind a store of the epilogue", r"bar\.sync \t0;", only=3),
    Edit(MULTISTAGE, "no bar.sync before the next part of the epilogue", r"bar\.sync \t0;", only=4),
    Edit(MULTISTAGE, "another swizzle of a store", r"xor\.b32", "or.b32", only=0),
    Edit(
        MULTISTAGE,
        "ldmatrix of the other operand's form",
        r"ldmatrix\.sync\.aligned\.m8n8\.x4\.shared",
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared",
        only=5,
    ),
    Edit(
        MULTISTAGE,
        "an opcode that nobody knows",
        r"mma\.sync\.aligned",
        "mmb.sync.aligned",
        only=0,
        says="does not know",
    ),
    Edit(
        MULTISTAGE,
        "a modifier that nobody knows",
        r"cp\.async\.cg\.shared",
        "cp.async.cg.often.shared",
        only=0,
        says="does not know",
    ),
    # sm_90a: barriers
    Edit(PAIRED, "the producer does not wait for a free stage", TRY_WAIT, r"setp.eq.u32 \1, \3, \3;", only=0),
    Edit(
        PAIRED,
        "the consumers do not wait for the copy",
        TRY_WAIT,
        r"setp.eq.u32 \1, \3, \3;",
        only=1,
        says="mbarrier",
    ),
    Edit(PAIRED, "no mbarrier.init", r"mbarrier\.init\.shared::cta\.b64 \[%r\d+\], %r\d+;", only=2, says="no mbarrier"),
    Edit(PAIRED, "no fence.mbarrier_init", r"fence\.mbarrier_init\.release\.cluster;", says="mbarrier_init"),
    Edit(PAIRED, "no barrier.cluster.wait at the start", r"barrier\.cluster\.wait\.acquire\.aligned;", only=0),
    Edit(
        PAIRED,
        "no barrier.cluster at the start",
        r"barrier\.cluster\.(arrive\.relaxed|wait\.acquire)\.aligned;",
        says="mbarrier",
    ),
    Edit(
        PAIRED,
        "the producer ends before its stages are released",
        TRY_WAIT,
        r"setp.eq.u32 \1, \3, \3;",
        only=4,
        says="ended",
    ),
    Edit(PAIRED, "C0 is not waited for", TRY_WAIT, r"setp.eq.u32 \1, \3, \3;", only=1),
    Edit(
        PAIRED,
        "a stage is released to one block only",
        r"mapa\.shared::cluster\.u32 (%r\d+), (%r\d+), %r\d+;",
        r"mapa.shared::cluster.u32 \1, \2, 0;",
    ),
    Edit(PAIRED, "an arrival too few", r"mbarrier\.arrive\.shared::cluster\.b64 _, \[%r\d+\];", only=0),
    Edit(
        PAIRED,
        "one expects as many arrivals as bytes",
        r"mbarrier\.arrive\.expect_tx\.shared::cta\.b64 _, (\[%r\d+\]), %r\d+;",
        r"mbarrier.arrive.expect_tx.shared::cta.b64 _, \1, 16;",
    ),
    # sm_90a: copies
    Edit(
        PAIRED,
        "a load without multicast",
        r"(cp\.async\.bulk\.tensor\.3d\.shared::cluster\.global\.mbarrier::complete_tx::bytes)\.multicast::cluster(\.L2::cache_hint \[%r\d+\], \[%rd\d+, \{[^}]*\}\], \[%r\d+\]), %rs\d+",
        r"\1\2",
    ),
    Edit(
        PAIRED, "no fence.proxy.async before the store", r"fence\.proxy\.async\.shared::cta;", says="fence.proxy.async"
    ),
    Edit(PAIRED, "no bar.sync before the store", r"bar\.sync %r\d+, %r\d+;", only=1),
    Edit(PAIRED, "no bar.sync before the slot is written again", r"bar\.sync %r\d+, %r\d+;", only=0),
    Edit(PAIRED, "no cp.async.bulk.commit_group", r"cp\.async\.bulk\.commit_group;"),
    Edit(PAIRED, "the slot is not waited for", r"cp\.async\.bulk\.wait_group\.read 3;"),
    Edit(
        PAIRED, "the block ends before its stores have read", r"cp\.async\.bulk\.wait_group\.read 0;", says="ends while"
    ),
    # sm_90a: wgmma
    Edit(PAIRED, "no wgmma.wait_group in the loop", r"wgmma\.wait_group\.sync\.aligned 1;"),
    Edit(PAIRED, "no wgmma.wait_group behind the loop", r"wgmma\.wait_group\.sync\.aligned 0;", says="in flight"),
    Edit(PAIRED, "no wgmma.commit_group", r"wgmma\.commit_group\.sync\.aligned;", says="in flight"),
    Edit(PAIRED, "no wgmma.fence", r"wgmma\.fence\.sync\.aligned;", says="wgmma.fence"),
    Edit(PAIRED, "descriptors of another swizzle", DESCRIPTOR, add_to_constant(1 << 62), only=0),
    Edit(PAIRED, "descriptors of another stride", DESCRIPTOR, add_to_constant(1 << 33), only=1),
    Edit(PAIRED, "a step of k is skipped", r"add\.s64 (\t?%rd\d+), (%rd\d+), 2;", r"add.s64 \1, \2, 4;", only=0),
    # sm_90a, compiled with -lineinfo: the report names the line of the source
    Edit(CLUSTER, "sums are sent while blocks still multiply", WIDE_WAIT, r"setp.eq.u32 \1, \3, \3;", only=0),
    Edit(CLUSTER, "sums are added before they are there", WIDE_WAIT, r"setp.eq.u32 \1, \3, \3;", only=1),
    Edit(CLUSTER, "the end of products is not released to the cluster", r"fence\.release\.sync_restrict[^;]*;", says="a race"),
    Edit(CLUSTER, "the end of the cluster's products is not acquired", r"fence\.acquire\.sync_restrict[^;]*;", only=0, says="a race"),
    Edit(CLUSTER, "words of the sums are not sent", r"st\.async[^;]*;", only=1, says="nothing goes on"),
    Edit(CLUSTER, "blocks do not wait for the others to start", r"barrier\.cluster\.wait[^;]*;"),
    Edit(SPLIT, "no fence.mbarrier_init", r"fence\.mbarrier_init\.release\.cluster;", says="arch/nvidia/tma.hpp:"),
    Edit(SPLIT, "no wgmma.fence", r"wgmma\.fence\.sync\.aligned;", says="called at"),
    # sm_90a: registers, election
    Edit(PAIRED, "nobody gives registers back", r"setmaxnreg\.dec\.sync\.aligned\.u32 40;", says="setmaxnreg"),
    Edit(PAIRED, "every lane copies", r"elect\.sync _\|chosen, 0xffffffff;", "setp.eq.u32 chosen, 0, 0;"),
    # sm_100a: tensor memory
    Edit(TENSOR, "no tcgen05.wait::ld", r"tcgen05\.wait::ld\.sync\.aligned;", size=(520, 504, 130, 1), says="still being read"),
    Edit(
        TENSOR,
        "no fence::before_thread_sync behind the loads",
        r"tcgen05\.fence::before_thread_sync;",
        only=2,
        size=(520, 504, 130, 1),
        says="without fence",
    ),
    Edit(TENSOR, "no fence::after_thread_sync", r"tcgen05\.fence::after_thread_sync;", says="without fence"),
    Edit(TENSOR, "no tcgen05.dealloc", r"tcgen05\.dealloc\.[^;]*;", says="allocated"),
    Edit(TENSOR, "one kernel, two cta_groups", r"(tcgen05\.dealloc\.cta_group::)2", r"\g<1>1", says="cta_group"),
    Edit(TENSOR, "fewer columns than the accumulators take", r"(tcgen05\.alloc[^;]*, )512;", r"\g<1>256;"),
    Edit(TENSOR, "no commit that frees a stage", r"tcgen05\.commit\.[^;]*;", only=0),
    Edit(TENSOR, "no commit that publishes accumulators", r"tcgen05\.commit\.[^;]*;", only=1),
    Edit(TENSOR, "the first product of a tile adds", r"(setp\.ne\.b32 p, )%r\d+, 0;", r"\g<1>1, 0;", only=0),
    Edit(TENSOR, "products of half the pair", r"(tcgen05\.\w+\.cta_group::)2", r"\g<1>1"),
    Edit(
        TENSOR,
        "copies are counted at the own block",
        r"(cp\.async\.bulk\.tensor\.3d)\.cta_group::2",
        r"\1",
        says="another block",
    ),
    # sm_100a: C0 and bias
    Edit(TENSOR, "C0 is not waited for", TRY_WAIT, r"setp.eq.u32 \1, \3, \3;", only=7, says="a race"),
    Edit(TENSOR, "C0 comes into a slot that is not free", TRY_WAIT, r"setp.eq.u32 \1, \3, \3;", only=8),
    Edit(TENSOR, "C0 comes into a slot whose C is still read", r"cp\.async\.bulk\.wait_group\.read 0;", only=0),
    Edit(TENSOR, "C is not fenced before its copy", r"fence\.proxy\.async\.shared::cta;", says="fence.proxy.async"),
    Edit(TENSOR, "C is copied before all lanes have written it", r"bar\.sync %r\d+, %r\d+;", only=1, says="a race"),
    Edit(TENSOR, "the bias is read before all lanes have written it", r"bar\.sync %r\d+, %r\d+;", only=0, says="a race"),
    Edit(TENSOR, "no griddepcontrol.wait", r"griddepcontrol\.wait;"),
    Edit(PAIRED, "griddepcontrol.wait behind the roles", r"griddepcontrol\.wait;([\s\S]*?)(\n\s+ret;)", r"\1\ngriddepcontrol.wait;\2"),
    # sm_100a: cluster launch control
    Edit(LAUNCHES, "a request for the own block alone", r"\.multicast::cluster::all", size=MANY),
    Edit(
        LAUNCHES,
        "a request after a refusal",
        r"(is_canceled\.pred\.b128 granted, response;\s+selp\.u32 (%r\d+), )1, 0, granted;",
        r"\g<1>1, 1, granted;",
        size=MANY,
    ),
    Edit(LAUNCHES, "the slot of a response is not waited for", TRY_WAIT, "setp.eq.u32 \\1, 0, 0;", only=11, size=MANY, says="a race"),
    Edit(LAUNCHES, "the epilogue reads a response without waiting", TRY_WAIT, "setp.eq.u32 \\1, 0, 0;", only=10, size=MANY),
    Edit(LAUNCHES, "the lane that asks reads without waiting", TRY_WAIT, "setp.eq.u32 \\1, 0, 0;", only=12, size=MANY, says="still writing"),
    Edit(
        LAUNCHES,
        "a role takes another block's number for its cluster's",
        r"(@granted clusterlaunchcontrol[^;]*first_ctaid::)x",
        r"\1y",
        size=MANY,
    ),
    # sm_90a and sm_100a: lists
    Edit(HOPPER_LIST, "maps in memory are not acquired", r"fence\.proxy\.tensormap[^;]*;", each=True, says="fence.proxy.tensormap"),
    Edit(LIST, "maps in memory are not acquired", r"fence\.proxy\.tensormap[^;]*;", each=True, says="fence.proxy.tensormap"),
    # sm_100a: operands that a warpgroup makes
    Edit(WEIGHTS, "what was made is not fenced", r"fence\.proxy\.async[^;]*;", each=True, says="fence.proxy.async"),
    Edit(WEIGHTS, "what was made is not released to the leader", r"fence\.release\.sync_restrict[^;]*;", says="a race"),
    Edit(WEIGHTS, "what the peer made is not acquired", r"fence\.acquire\.sync_restrict[^;]*;", says="a race"),
    Edit(WEIGHTS, "a stage is written before it is empty", TRY_WAIT, "setp.eq.u32 \\1, 0, 0;", only=6),
    Edit(WEIGHTS, "waves do not say that they have written, or read", r"mbarrier\.arrive\.shared[^;]*;", each=True),
    Edit(WEIGHTS, "a stage is read before it is full", TRY_WAIT, "setp.eq.u32 \\1, 0, 0;", only=4, says="still writing"),
    Edit("tcgen05.two_sets", "scales are overwritten under products", TRY_WAIT, r"setp.eq.u32 \1, \3, \3;", only=5, size=SMALL),
    Edit(SCALED, "no copy of A's scales", r"tcgen05\.cp\.[^;]*;", only=0, size=SMALL),
    Edit(SCALED, "no copy of B's scales", r"tcgen05\.cp\.[^;]*;", only=1, size=SMALL),
    Edit(SCALED, "copies of another shape", r"32x128b\.warpx4", "128x128b", size=SMALL),
    Edit(SCALED, "products take scales of 32", r"block16", "block32", size=SMALL),
]


def run(kernels, only=""):
    """Lines of faults that nothing showed."""
    missed = []
    for fault in FAULTS:
        if not re.search(only, f"{fault.kernel} {fault.what}"):
            continue
        record = kernels.records[fault.kernel]
        text = kernels.source(record)
        m, n, k = record["block_m"], record["block_n"], record["block_k"]
        size = fault.size or (m + 24, n + 16, 6 * k + 16, 1)
        all_places = fault.places(text, record["symbol"])
        if not all_places:
            missed.append(f"{fault.kernel}, {fault.what}: the kernel has no such place any more; mend the edit")
        for number, places in enumerate(all_places):
            shown = ""
            for seed in SEEDS:
                try:
                    results = kernels.run(fault.kernel, size, seed, lambda t: fault.apply(t, places))  # noqa: B023
                except Fault as report:
                    shown = f"seed {seed}: {report}"
                    break
                if not all(right for _, _, right in results.values()):
                    shown = f"seed {seed}: wrong result"
                    break
            name = f"{fault.kernel}, {fault.what}" + (f" ({number})" if fault.each else "")
            if not shown or fault.says not in shown:
                missed.append(f"{name}: {shown or 'nothing shows it'}")
            print(f"{'red  ' if shown else 'GREEN'} {name}: {shown.splitlines()[0][:200] if shown else ''}", flush=True)
    return missed
