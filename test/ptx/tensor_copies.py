"""Tensor copies of 1 to 5 dimensions on the machine: boxes that stick out of the tensor on every side, strides between
elements, swizzles, stores and reductions, against NumPy's own slices."""

import itertools
import re

import numpy

from instructions import HEADER
from machine import Fault, Machine

TYPES = {numpy.uint8: 0, numpy.uint16: 1, numpy.uint32: 2, numpy.float16: 6, numpy.float32: 7}


def program(rank, size, mode="", offsets="", store_mode=".tile", before_stores=""):
    """A thread loads a box, stores it through a second map and adds it through a third; the warp copies shared memory out.

    `mode`, `store_mode`: of the load, and of store and sum (None: there are none); `offsets`: the load's last operand;
    `before_stores`: instructions between the load and the stores.
    """
    corner = "{" + ", ".join(f"%c{i}" for i in range(rank)) + "}"
    loads = "\n".join(f"ld.param.b32 %c{i}, [corner+{4 * i}];" for i in range(rank))
    stores = (
        f"cp.async.bulk.tensor.{rank}d.global.shared::cta{store_mode}.bulk_group [%m1, {corner}], [%s];\n"
        f"cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.add{store_mode}.bulk_group [%m2, {corner}], [%s];"
    )
    return f"""{HEADER}.extern .shared .align 1024 .b8 memory[];
.visible .entry one(.param .align 64 .b8 maps[384], .param .align 4 .b8 corner[20], .param .u64 out)
{{
.reg .b64 %m<3>, %o; .reg .b32 %c<5>, %s, %b, %t, %x; .reg .pred %p, %q;
mov.u32 %t, %tid.x; mov.u32 %s, memory; add.u32 %b, %s, {size};
mov.b64 %m0, maps; cvta.param.u64 %m0, %m0; add.u64 %m1, %m0, 128; add.u64 %m2, %m0, 256;
{loads}
setp.ne.u32 %p, %t, 0; @%p bra ready;
mbarrier.init.shared::cta.b64 [%b], 1; fence.mbarrier_init.release.cluster;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%b], {size};
cp.async.bulk.tensor.{rank}d.shared::cluster.global{mode}.mbarrier::complete_tx::bytes [%s], [%m0, {corner}], [%b]{offsets};
ready: bar.warp.sync -1;
wait: mbarrier.try_wait.parity.shared::cta.b64 %q, [%b], 0; @!%q bra wait;
@%p bra copied;
{before_stores}
{stores if store_mode is not None else ""}
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
copied: ld.param.u64 %o, [out]; mul.lo.u32 %x, %t, 4; cvt.u64.u32 %m0, %x; add.u64 %o, %o, %m0; add.u32 %s, %s, %x;
again: setp.ge.u32 %p, %x, {size}; @%p ret;
ld.shared.b32 %c0, [%s]; st.global.b32 [%o], %c0; add.u32 %s, %s, 128; add.u64 %o, %o, 128; add.u32 %x, %x, 128; bra again;
}}
"""


# Four blocks get the same rows by one copy of .cta_group::2; of each pair the block of that parity is told of both.
TO_PAIRS = f"""{HEADER}.shared .align 1024 .b8 memory[512]; .shared .align 8 .b8 bar[8];
.visible .entry one(.param .align 64 .b8 map[128], .param .b32 parity, .param .b32 blocks, .param .u64 out)
{{
.reg .b64 %m, %o; .reg .b32 %s, %b, %t, %r, %p, %x; .reg .b16 %set; .reg .pred %first, %q, %told;
mov.u32 %t, %tid.x; mov.u32 %s, memory; mov.u32 %b, bar; mov.u32 %r, %cluster_ctarank; ld.param.b32 %p, [parity];
mov.b64 %m, map; cvta.param.u64 %m, %m; setp.eq.u32 %first, %t, 0; and.b32 %x, %r, 1; setp.eq.u32 %told, %x, %p;
@%first mbarrier.init.shared::cta.b64 [%b], 1; fence.mbarrier_init.release.cluster;
and.pred %q, %first, %told; @%q mbarrier.arrive.expect_tx.shared::cta.b64 _, [%b], 1024;
barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
setp.ne.u32 %q, %r, 0; @%q bra issued; @!%first bra issued;
ld.param.b32 %x, [blocks]; cvt.u16.u32 %set, %x; mapa.shared::cluster.u32 %x, %b, %p;
cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%s], [%m, {{0, 0}}], [%x], %set;
issued: @!%told bra done;
wait: mbarrier.try_wait.parity.shared::cta.b64 %q, [%b], 0; @!%q bra wait;
done: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
mad.lo.u32 %x, %t, 16, %s; ld.shared.b32 %p, [%x]; ld.param.u64 %o, [out]; mad.lo.u32 %x, %r, 32, %t; mad.wide.u32 %o, %x, 4, %o;
st.global.b32 [%o], %p;
}}
"""


def check_pairs(library, parity, seed):
    machine, data = Machine(library, TO_PAIRS), numpy.arange(128, dtype=numpy.float32).reshape(4, 32)
    map = machine.tensor_map(machine.add("from", data), 7, (32, 4), (128,), (32, 4))
    out = machine.add("out", 512, True)
    arguments = map + numpy.array([parity, 15], numpy.uint32).tobytes() + numpy.uint64(out).tobytes()
    machine.launch("one", 4, 32, arguments, cluster=4, seed=seed)
    return (machine.read(out, 512).view(numpy.float32).reshape(4, 32) == data.reshape(-1)[::4]).all()


# A warp makes a map in shared memory, from the parameter or from zeros, changes it, copies it to global memory, and loads a
# box of 8 x 4 by it; or it changes a map in global memory. [[a|b]]: a in the right program, b in the wrong one.
CHANGED = """.visible .entry one(.param .align 64 .b8 map[128], .param .u64 in_global, .param .u64 other, .param .u64 out)
{
.reg .b64 %m, %g, %a, %o; .reg .b32 %s, %x, %t; .reg .pred %one, %q;
mov.u32 %t, %tid.x; setp.eq.u32 %one, %t, 0; mov.u32 %s, changed; mad.lo.u32 %s, %t, 4, %s; ld.param.u64 %g, [in_global];
mov.b64 %m, map; cvta.param.u64 %m, %m; mad.wide.u32 %m, %t, 4, %m; ld.param.u64 %a, [other]; mov.u32 %s, changed;
@%one mbarrier.init.shared::cta.b64 [bar], 1; @%one fence.mbarrier_init.release.cluster;
{change}
@!%one bra copied; mov.u32 %s, memory; mov.u32 %x, bar;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%g, {4, 1}], [%x];
copied: bar.warp.sync -1; wait: mbarrier.try_wait.parity.shared::cta.b64 %q, [bar], 0; @!%q bra wait;
mov.u32 %s, memory; mad.lo.u32 %s, %t, 4, %s; ld.shared.b32 %x, [%s]; ld.param.u64 %o, [out]; mad.wide.u32 %o, %t, 4, %o;
st.global.b32 [%o], %x; ret;
}
"""
PUBLISH = """bar.warp.sync -1; mov.u32 %s, changed;
tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%g], [%s], 128;
[[@%one fence.proxy.tensormap::generic.acquire.gpu [%g], 128;]]"""
SHARED_MAP = "mad.lo.u32 %s, %t, 4, %s; {}; st.shared.b32 [%s], %x; bar.warp.sync -1; mov.u32 %s, changed;"
REPLACE = "@%one tensormap.replace.tile.{}.{}.b1024.b{} [{}], {};\n"


def changes(where, fields, at):
    return "".join(REPLACE.format(name, where, 64 if name in ("global_address", "global_stride") else 32, at, value) for name, value in fields)


SOME = [("global_address", "%a"), ("global_dim", "1, 4"), ("global_stride", "0, 128"), ("swizzle_mode", "1")]
REST = [("rank", "1"), ("box_dim", "0, 8"), ("box_dim", "1, 4"), ("global_dim", "0, 16"), ("element_stride", "0, 1"),
        ("element_stride", "1, 1"), ("elemtype", "7"), ("interleave_layout", "0"), ("fill_mode", "0"), ("swizzle_atomicity", "0")]
WIDE = SHARED_MAP.format("ld.b32 %x, [%m]") + changes("shared::cta", SOME[:3] + [
    ("box_dim", "0, 32"), ("box_dim", "1, 1"), ("swizzle_atomicity", "1"), ("swizzle_mode", "3")], "%s") + PUBLISH
CHANGES = [
    ("a map from a parameter", SHARED_MAP.format("ld.b32 %x, [%m]") + changes("shared::cta", SOME, "%s") + PUBLISH, "acquire"),
    ("a map from zeros", SHARED_MAP.format("mov.b32 %x, 0") + changes("shared::cta", SOME + REST, "%s") + PUBLISH, "acquire"),
    ("a map without a type", SHARED_MAP.format("mov.b32 %x, 0") + changes("shared::cta", SOME + REST[:-4], "%s") + "[[" + changes(
        "shared::cta", REST[-4:], "%s") + "]]" + PUBLISH.replace("[[", "").replace("]]", ""), "tensor map:"),
    ("a map of a wide swizzle", WIDE, "acquire"),
    ("a map in global memory", changes("global", SOME, "%g") + "[[@%one fence.proxy.tensormap::generic.release.gpu;]]"
     "@%one fence.proxy.tensormap::generic.acquire.gpu [%g], 128;", "release"),
    ("a map that changes behind the acquire", "@%one fence.proxy.tensormap::generic.acquire.gpu [%g], 128;" + changes("global", SOME, "%g")
     + "@%one fence.proxy.tensormap::generic.release.gpu; [[@%one fence.proxy.tensormap::generic.acquire.gpu [%g], 128;]]", "acquire"),
]


def run_changed(library, body, seed, wide):
    """The parameter's map is of 16 x 8 floats; changed, it is of every second row of others, with 4 rows and a swizzle; WIDE
    takes a row of 32, of which 12 are there, to the second row of a swizzle by pieces of 32 bytes."""
    space = ".shared .align 512 .b8 memory[256]; .shared .align 128 .b8 changed[128]; .shared .align 8 .b8 bar[8];\n"
    text = CHANGED.replace("{change}", body)
    if wide:
        text = text.replace("mov.u32 %s, memory;", "mov.u32 %s, memory; add.u32 %s, %s, 128;")
    machine = Machine(library, HEADER + space + text)
    rows = numpy.arange(256, dtype=numpy.float32).reshape(16, 16)
    parameter = machine.tensor_map(machine.add("from", rows[:8]), 7, (16, 8), (64,), (8, 4))
    addresses = [machine.add("map", numpy.frombuffer(parameter, numpy.uint8), True), machine.add("other", rows + 1000)]
    addresses.append(machine.add("out", 128, True))
    machine.launch("one", 1, 32, parameter + numpy.array(addresses, numpy.uint64).tobytes(), seed=seed)
    box = numpy.zeros((4, 8), numpy.float32)
    if wide:
        box.reshape(-1)[:12] = rows[2, 4:] + 1000
        return (machine.read(addresses[2], 128).view(numpy.float32) == box[[1, 0, 3, 2]].reshape(-1)).all()
    box[:3] = (rows + 1000)[:8:2][1:, 4:12]
    return (machine.read(addresses[2], 128) == swizzled(box.reshape(-1).view(numpy.uint8), 32)).all()


def check_changed(library, body, says, seed):
    """A sentence on what is not so, or ""."""
    try:
        if not run_changed(library, re.sub(r"\[\[(.*?)\]\]", r"\1", body, flags=re.S), seed, body is WIDE):
            return "wrong result"
    except Fault as report:
        return str(report)
    try:
        run_changed(library, re.sub(r"\[\[(.*?)\]\]", "", body, flags=re.S), seed, body is WIDE)
        return "nothing is said of the wrong one"
    except Fault as report:
        return "" if says in str(report) else str(report)


def swizzled(data, width):
    """Rows of `width` bytes as they lie under a swizzle: 16-byte column c of row r is at c ^ (r mod 8 of 128 bytes); of 256,
    rows of 128 bytes, whose 32-byte column c of row r is at c ^ (r mod 4)."""
    if width == 16:
        return data
    if width == 256:
        pieces = data.reshape(-1, 4, 32)
        return numpy.stack([row[[c ^ i % 4 for c in range(4)]] for i, row in enumerate(pieces)]).reshape(-1)
    chunks = data.reshape(-1, 16)
    out = numpy.empty_like(chunks)
    for i in range(len(chunks)):
        out[i ^ (i // 8 % 8 & width // 16 - 1)] = chunks[i]
    return out.reshape(-1)


def check(library, rank, dtype, swizzle, element_strides, rng, seed):
    """The load starts anywhere, store and sum at the next multiple of 16 bytes: so the box has values
    where it sticks out of a row's end."""
    size = numpy.dtype(dtype).itemsize
    width = 16 << min(swizzle, 3) if swizzle else 32
    lengths = [int(x) for x in rng.integers(5, 9, rank)]
    lengths[0] = width // size + 3
    pitch = -(-lengths[0] * size // 16) * 16 // size
    box = [width // size] + [int(x) for x in rng.integers(2, 5, rank - 1)]
    steps = [1] + [2 if element_strides and i % 2 else 1 for i in range(1, rank)]
    counts = [-(-b // s) for b, s in zip(box, steps)]
    shape = [*lengths[:0:-1], pitch]
    strides = [int(size * pitch * numpy.prod(lengths[1:i], dtype=int)) for i in range(1, rank)]
    corner = [int(rng.integers(-3, n - 1)) for n in lengths]
    arrays = [rng.integers(1, 50, shape).astype(dtype) for _ in range(3)]
    multiple = 16 // size
    start = f"add.s32 %c0, %c0, {multiple - 1}; and.b32 %c0, %c0, {-multiple};"
    machine = Machine(library, program(rank, size * int(numpy.prod(counts)), before_stores=start))
    addresses = [machine.add(name, a, i > 0) for i, (name, a) in enumerate(zip(("from", "to", "sum"), arrays))]
    maps = b"".join(machine.tensor_map(a, TYPES[dtype], lengths, strides, box, steps, swizzle) for a in addresses)
    bytes_of_box = size * int(numpy.prod(counts))
    out = machine.add("out", bytes_of_box, True)
    parameters = maps + numpy.array(corner + [0] * (5 - rank), numpy.int32).tobytes()
    parameters += bytes(-len(parameters) % 8) + numpy.uint64(out).tobytes()
    machine.launch("one", 1, 32, parameters, bytes_of_box + 8, seed=seed)
    box_value, stored, summed = numpy.zeros(counts[::-1], dtype), arrays[1].copy(), arrays[2].copy()
    for index in numpy.ndindex(*counts[::-1]):
        at = [c + i * s for c, i, s in zip(corner, index[::-1], steps)]
        if all(0 <= x < n for x, n in zip(at, lengths)):
            box_value[index] = arrays[0][tuple(at[::-1])]
        # Whole chunks of 16 bytes are written, also past the end of a row.
        at[0] = -(-corner[0] // multiple) * multiple + index[-1]
        if all(0 <= x < n for x, n in zip(at, [pitch, *lengths[1:]])):
            stored[tuple(at[::-1])] = box_value[index]
            summed[tuple(at[::-1])] += box_value[index]
    expected = swizzled(box_value.reshape(-1).view(numpy.uint8), 16 << swizzle)
    results = [machine.read(a, x.nbytes).view(dtype).reshape(shape) for a, x in zip(addresses[1:], (stored, summed))]
    return bool(
        (machine.read(out, bytes_of_box) == expected).all()
        and (results[0] == stored).all()
        and (results[1] == summed).all()
    )


def refuses_start(library, dtype, start):
    """Whether the fault of a store, and of a sum, from `start` on in the innermost dimension names it."""
    size, array = numpy.dtype(dtype).itemsize, numpy.ones((4, 64), dtype)
    for without in (r"cp\.reduce[^;]*;", r"cp\.async\.bulk\.tensor\.2d\.global[^;]*;"):
        text = program(2, 128, before_stores=f"mov.b32 %c0, {start};")
        machine = Machine(library, re.sub(without, "", text))
        addresses = [machine.add(name, array, name != "from") for name in ("from", "to", "sum")]
        maps = b"".join(machine.tensor_map(a, TYPES[dtype], (64, 4), (64 * size,), (32 // size, 4)) for a in addresses)
        out = machine.add("out", 128, True)
        try:
            machine.launch("one", 1, 32, maps + bytes(24) + numpy.uint64(out).tobytes(), 136, seed=1)
            return False
        except Fault as report:
            if f"a tensor store or reduction from coordinate {start} of the innermost dimension" not in str(report):
                return False
    return True


def run_all(library):
    rng, wrong, right = numpy.random.default_rng(3), [], 0
    for rank in range(1, 6):
        for number, dtype in enumerate((numpy.float32, numpy.uint32, numpy.float16)):
            for swizzle in range(5):
                try:
                    ok = check(library, rank, dtype, swizzle, number % 2 == 1, rng, seed=rank + number + swizzle)
                    right += ok
                    if not ok:
                        wrong.append(
                            f"tensor copy of {rank} dimensions, {dtype.__name__}, swizzle {swizzle}: wrong result"
                        )
                except Fault as report:
                    wrong.append(f"tensor copy of {rank} dimensions, {dtype.__name__}, swizzle {swizzle}: {report}")
    for dtype, start in itertools.product((numpy.float32, numpy.float16), (1, 2, -4, -8)):
        if not refuses_start(library, dtype, start):
            wrong.append(f"a store or a sum of {dtype.__name__} from coordinate {start} on: not refused as it should be")
    for parity in range(2):
        for seed in range(3):
            try:
                if not check_pairs(library, parity, seed):
                    wrong.append(f"a copy to two pairs, parity {parity}, seed {seed}: wrong result")
            except Fault as report:
                wrong.append(f"a copy to two pairs, parity {parity}, seed {seed}: {report}")
    for what, body, says in CHANGES:
        for seed in range(3):
            if said := check_changed(library, body, says, seed):
                wrong.append(f"{what}, seed {seed}: {said}")
    print(f"{right} tensor copies as NumPy's slices")
    return wrong
