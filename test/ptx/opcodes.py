"""Ordinary opcodes against NumPy, a warp at a time; then copies in im2col mode, tcgen05.ld.red, and the programs of
programs.py."""

import re
from pathlib import Path

import numpy

import im2col_copies
import programs
import tcgen05
from instructions import Program
from machine import Fault, Machine

U32, S32, U64, S64, F32, F64, F16 = (numpy.dtype(x) for x in ("u4", "i4", "u8", "i8", "f4", "f8", "f2"))
U16, S16 = numpy.dtype("u2"), numpy.dtype("i2")
LANES = numpy.arange(32)


def wide(x):
    return x.astype(object)


def as_type(values, dtype):
    """Python's whole numbers, wrapped to a type."""
    bits = 8 * dtype.itemsize
    return numpy.array([int(v) & ((1 << bits) - 1) for v in values], f"u{dtype.itemsize}").view(dtype)


def clamp(values, dtype):
    info = numpy.iinfo(dtype)
    return numpy.array([min(max(int(v), info.min), info.max) for v in values], dtype)


def bits(function):
    return lambda *x: numpy.array([function(*map(int, v)) & 0xFFFFFFFF for v in zip(*x)], U32)


def bfe(a, position, length):
    return a >> (position & 255) & ((1 << min(length & 255, 32)) - 1) if position & 255 < 32 else 0


def bfi(a, b, position, length):
    position, length = position & 255, length & 255
    mask = ((1 << length) - 1) << position & 0xFFFFFFFF
    return b & ~mask | a << position & mask


def prmt(a, b, selector):
    both = (a | b << 32).to_bytes(8, "little")
    picked = [
        both[s & 7] if not s & 8 else 255 * (both[s & 7] >> 7) for s in (selector >> 4 * i & 15 for i in range(4))
    ]
    return int.from_bytes(bytes(picked), "little")


def lop3(table):
    return lambda a, b, c: sum(
        (table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1) & 1) << i for i in range(32)
    )


def dp4a(a, b, c):
    return (
        sum(
            int(x) * int(y)
            for x, y in zip(numpy.array(a, U32).reshape(1).view("i1"), numpy.array(b, U32).reshape(1).view("i1"))
        )
        + c
    )


def carried_mad(a, b, c):
    """A product's high half plus c, then its low half plus c and that carry, plus the carry of that."""
    results = []
    for x, y, z in zip(wide(a), wide(b), wide(c)):
        product, z = int(x) * int(y) & (1 << 64) - 1, int(z) & 0xFFFFFFFF
        carry = (product >> 32) + z >> 32
        low = (product & 0xFFFFFFFF) + z + carry
        results.append((low & 0xFFFFFFFF) + (low >> 32))
    return as_type(results, U32)


def in_pairs(function):
    """A function of two floats in 64 bits."""
    return lambda *x: function(*(v.view(F32) for v in x)).astype(F32).view(U64)


# opcode with types, types of the operands, type of the result, what it is, relative error
ORDINARY = [
    ("add.s32", [S32, S32], S32, lambda a, b: as_type(wide(a) + wide(b), S32)),
    ("add.sat.s32", [S32, S32], S32, lambda a, b: clamp(wide(a) + wide(b), S32)),
    ("sub.u64", [U64, U64], U64, lambda a, b: as_type(wide(a) - wide(b), U64)),
    ("mul.lo.s32", [S32, S32], S32, lambda a, b: as_type(wide(a) * wide(b), S32)),
    ("mul.hi.s32", [S32, S32], S32, lambda a, b: as_type(wide(a) * wide(b) // 2**32, S32)),
    ("mul.hi.u64", [U64, U64], U64, lambda a, b: as_type(wide(a) * wide(b) // 2**64, U64)),
    ("mul.wide.s32", [S32, S32], S64, lambda a, b: as_type(wide(a) * wide(b), S64)),
    ("mul.wide.u16", [U16, U16], U32, lambda a, b: as_type(wide(a) * wide(b), U32)),
    ("mad.lo.u32", [U32, U32, U32], U32, lambda a, b, c: as_type(wide(a) * wide(b) + wide(c), U32)),
    ("mad.hi.s32", [S32, S32, S32], S32, lambda a, b, c: as_type(wide(a) * wide(b) // 2**32 + wide(c), S32)),
    ("mad.wide.s32", [S32, S32, S64], S64, lambda a, b, c: as_type(wide(a) * wide(b) + wide(c), S64)),
    (
        "div.s32",
        [S32, S32],
        S32,
        lambda a, b: as_type(
            [abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1) for x, y in zip(wide(a), wide(b))], S32
        ),
    ),
    # Carries, against whole numbers: two words at a time, and what a carry of 0 or 1 does.
    (
        "add.cc.u32 %s, %0, %1; addc.u32 %r, %0, %2",
        [U32, U32, U32],
        U32,
        lambda a, b, c: as_type(wide(a) + wide(c) + (wide(a) + wide(b) >> 32), U32),
    ),
    (
        "add.cc.u64 %g, %0, %1; addc.cc.u64 %g, %0, %2; addc.u64 %r, 0, 0",
        [U64, U64, U64],
        U64,
        lambda a, b, c: as_type(wide(a) + wide(c) + (wide(a) + wide(b) >> 64) >> 64, U64),
    ),
    (
        "sub.cc.u32 %s, %0, %1; subc.cc.s32 %s, %2, %0; subc.u32 %r, %0, %2",
        [U32, U32, U32],
        U32,
        lambda a, b, c: as_type(wide(a) - wide(c) + ((wide(c) - wide(a) + (wide(a) - wide(b) >> 32)) >> 32), U32),
    ),
    (
        "mad.lo.cc.u32 %s, %0, %1, %2; madc.hi.u32 %r, %0, %1, %2",
        [U32, U32, U32],
        U32,
        lambda a, b, c: as_type((wide(a) * wide(b) + wide(c) >> 32) + wide(c), U32),
    ),
    (
        "mad.hi.cc.s32 %s, %0, %1, %2; madc.lo.cc.s32 %s, %0, %1, %2; addc.u32 %r, %s, 0",
        [S32, S32, S32],
        U32,
        carried_mad,
    ),
    ("rem.u32", [U32, U32], U32, lambda a, b: a % b),
    ("min.s32", [S32, S32], S32, numpy.minimum),
    ("max.u64", [U64, U64], U64, numpy.maximum),
    ("abs.s32", [S32], S32, numpy.abs),
    ("neg.s32", [S32], S32, numpy.negative),
    ("sad.u32", [U32, U32, U32], U32, lambda a, b, c: as_type(abs(wide(a) - wide(b)) + wide(c), U32)),
    ("dp4a.s32.s32", [U32, U32, U32], U32, bits(dp4a)),
    ("and.b32", [U32, U32], U32, numpy.bitwise_and),
    ("or.b64", [U64, U64], U64, numpy.bitwise_or),
    ("xor.b32", [U32, U32], U32, numpy.bitwise_xor),
    ("not.b32", [U32], U32, numpy.invert),
    ("cnot.b32", [U32], U32, lambda a: (a == 0).astype(U32)),
    ("shl.b32", [U32, "amount"], U32, bits(lambda a, n: a << n)),
    ("shr.u32", [U32, "amount"], U32, bits(lambda a, n: a >> n)),
    ("shr.s32", [S32, "amount"], S32, lambda a, n: as_type([int(x) >> int(y) for x, y in zip(a, n)], S32)),
    ("shf.l.wrap.b32", [U32, U32, "amount"], U32, bits(lambda a, b, n: ((b << 32 | a) << (n & 31)) >> 32)),
    ("shf.r.clamp.b32", [U32, U32, "amount"], U32, bits(lambda a, b, n: (b << 32 | a) >> min(n, 32))),
    ("popc.b32", [U32], U32, bits(lambda a: bin(a).count("1"))),
    ("clz.b32", [U32], U32, bits(lambda a: 32 - a.bit_length())),
    ("brev.b32", [U32], U32, bits(lambda a: int(f"{a:032b}"[::-1], 2))),
    ("bfind.u32", [U32], U32, bits(lambda a: a.bit_length() - 1)),
    ("bfe.u32", [U32, "amount", "amount"], U32, bits(bfe)),
    ("bfi.b32", [U32, U32, "amount", "amount"], U32, bits(bfi)),
    ("prmt.b32", [U32, U32, U32], U32, bits(prmt)),
    ("lop3.b32 %r, %0, %1, %2, 0xe8", [U32, U32, U32], U32, bits(lop3(0xE8))),
    ("lop3.b32 %r, %0, %1, %2, 0x2c", [U32, U32, U32], U32, bits(lop3(0x2C))),
    ("add.rn.f32", [F32, F32], F32, numpy.add),
    ("mul.f64", [F64, F64], F64, numpy.multiply),
    ("sub.f32", [F32, F32], F32, numpy.subtract),
    ("fma.rn.f32", [F32, F32, F32], F32, lambda a, b, c: (a.astype(F64) * b + c).astype(F32), 1e-7),
    ("add.rn.f32x2", ["pair", "pair"], U64, in_pairs(numpy.add)),
    ("sub.f32x2", ["pair", "pair"], U64, in_pairs(numpy.subtract)),
    ("mul.rn.f32x2", ["pair", "pair"], U64, in_pairs(numpy.multiply)),
    ("fma.rn.f32x2", ["pair", "pair", "pair"], U64, in_pairs(lambda a, b, c: (a.astype(F64) * b + c).astype(F32))),
    ("add.f32.f16", [F16, F32], F32, lambda a, b: a.astype(F32) + b),
    ("sub.rn.f32.f16", [F16, F32], F32, lambda a, b: a.astype(F32) - b),
    ("fma.rn.f32.f16", [F16, F16, F32], F32, lambda a, b, c: (a.astype(F64) * b.astype(F64) + c).astype(F32)),
    ("sub.f32.bf16", ["bf16", F32], F32, lambda a, b: (a.astype(U32) << 16).view(F32) - b),
    ("div.rn.f32", [F32, F32], F32, numpy.divide),
    ("sqrt.rn.f64", [F64], F64, lambda a: numpy.sqrt(a)),
    ("max.f32", [F32, F32], F32, numpy.fmax),
    ("min.NaN.f32", [F32, F32], F32, numpy.minimum),
    ("abs.f32", [F32], F32, numpy.abs),
    ("add.f16", [F16, F16], F16, numpy.add),
    ("mul.rn.f16", [F16, F16], F16, numpy.multiply),
    ("ex2.approx.ftz.f32", [F32], F32, numpy.exp2, 1e-6),
    ("lg2.approx.f32", [F32], F32, numpy.log2, 1e-6),
    ("rcp.approx.ftz.f32", [F32], F32, lambda a: 1 / a, 1e-6),
    ("rsqrt.approx.f32", [F32], F32, lambda a: 1 / numpy.sqrt(a), 1e-6),
    ("sin.approx.f32", [F32], F32, numpy.sin, 1e-6),
    ("cos.approx.f32", [F32], F32, numpy.cos, 1e-6),
    ("tanh.approx.f32", [F32], F32, numpy.tanh, 1e-6),
    ("cvt.rn.f32.s32", [S32], F32, lambda a: a.astype(F32)),
    ("cvt.rzi.s32.f32", [F32], S32, lambda a: numpy.trunc(a).astype(S32)),
    ("cvt.rni.s32.f32", [F32], S32, lambda a: numpy.rint(a).astype(S32)),
    ("cvt.rn.f16.f32", [F32], F16, lambda a: a.astype(F16)),
    ("cvt.f32.f16", [F16], F32, lambda a: a.astype(F32)),
    ("cvt.f64.f32", [F32], F64, lambda a: a.astype(F64)),
    ("cvt.rn.bf16.f32", [F32], U16, lambda a: ((a.view(U32) + 0x7FFF + (a.view(U32) >> 16 & 1)) >> 16).astype(U16)),
    (
        "cvt.rz.f32.f64",
        [F64],
        F32,
        lambda a: numpy.where(
            abs(a.astype(F32).astype(F64)) > abs(a), numpy.nextafter(a.astype(F32), F32.type(0)), a.astype(F32)
        ),
    ),
    ("cvt.sat.u8.s32 %r, %0", [S32], U32, lambda a: numpy.clip(a, 0, 255).astype(U32)),
    ("cvt.s32.s8 %r, %0", [S32], S32, lambda a: a.astype("i1").astype(S32)),
    ("cvt.s64.s32", [S32], S64, lambda a: a.astype(S64)),
    (
        "cvt.rn.f16x2.f32 %r, %0, %1",
        [F32, F32],
        U32,
        lambda a, b: a.astype(F16).view(U16).astype(U32) << 16 | b.astype(F16).view(U16),
    ),
    (
        "cvt.rn.satfinite.e5m2x2.f32 %h, %0, %1; cvt.u32.u16 %r, %h",
        [F32, F32],
        U32,
        lambda a, b: numpy.array([e5m2(x) << 8 | e5m2(y) for x, y in zip(a, b)], U32),
    ),
    ("setp.lt.s32 %p, %0, %1; selp.b32 %r, %0, %1, %p", [S32, S32], S32, numpy.minimum),
    ("setp.gtu.f32 %p, %0, %1; selp.u32 %r, 1, 0, %p", [F32, F32], U32, lambda a, b: (~(a <= b)).astype(U32)),
    ("setp.ge.u32 %p|%q, %0, %1; selp.u32 %r, 1, 0, %q", [U32, U32], U32, lambda a, b: (a < b).astype(U32)),
    ("slct.s32.s32", [S32, S32, S32], S32, lambda a, b, c: numpy.where(c >= 0, a, b)),
    ("set.lt.u32.s32", [S32, S32], U32, lambda a, b: numpy.where(a < b, 0xFFFFFFFF, 0).astype(U32)),
    ("shfl.sync.bfly.b32 %r|%p, %0, 3, 31, -1", [U32], U32, lambda a: a[LANES ^ 3]),
    ("shfl.sync.down.b32 %r, %0, 5, 31, -1", [U32], U32, lambda a: a[numpy.where(LANES + 5 < 32, LANES + 5, LANES)]),
    ("shfl.sync.up.b32 %r, %0, 2, 0, -1", [U32], U32, lambda a: a[numpy.where(LANES >= 2, LANES - 2, LANES)]),
    ("shfl.sync.idx.b32 %r, %0, 1, 0x181f, -1", [U32], U32, lambda a: a[LANES // 8 * 8 + 1]),
    (
        "setp.gt.s32 %p, %0, 0; vote.sync.ballot.b32 %r, %p, -1",
        [S32],
        U32,
        lambda a: numpy.full(32, sum(1 << i for i in range(32) if a[i] > 0), U32),
    ),
    (
        "and.b32 %r, %0, 3; match.any.sync.b32 %r, %r, -1",
        [U32],
        U32,
        lambda a: numpy.array([sum(1 << j for j in range(32) if a[j] & 3 == a[i] & 3) for i in range(32)], U32),
    ),
    ("redux.sync.max.s32 %r, %0, -1", [S32], S32, lambda a: numpy.full(32, a.max())),
    # A loop that lanes leave at different times, and that meet again behind it.
    (
        "and.b32 %r, %0, 7; more: setp.ge.u32 %p, %r, 9; @%p bra out; add.u32 %r, %r, 3; bra more; out: shfl.sync.bfly.b32 %r, %r, 1, 31, -1",
        [U32],
        U32,
        lambda a: numpy.array([next(v for v in range(x & 7, 99, 3) if v >= 9) for x in map(int, a)], U32)[LANES ^ 1],
    ),
    # Memory: shared through generic addresses, atomics, local memory, bytes.
    (
        "mov.u32 %s, memory; mad.lo.u32 %s, %t, 4, %s; st.shared.u32 [%s], %0; bar.warp.sync -1; xor.b32 %s, %s, 124; cvt.u64.u32 %g, %s; "
        "cvta.shared.u64 %g, %g; ld.u32 %r, [%g]",
        [U32],
        U32,
        lambda a: a[::-1],
    ),
    (
        "setp.eq.u32 %p, %t, 0; @%p st.shared.u32 [memory], 0; bar.warp.sync -1; and.b32 %s, %0, 255; atom.shared.add.u32 %s, [memory], %s; "
        "bar.warp.sync -1; ld.shared.u32 %r, [memory]",
        [U32],
        U32,
        lambda a: numpy.full(32, (a & 255).sum(), U32),
    ),
    (
        "setp.eq.u32 %p, %t, 0; @%p st.shared.u32 [memory], 0; bar.warp.sync -1; red.shared.max.s32 [memory], %0; bar.warp.sync -1; "
        "ld.shared.u32 %r, [memory]",
        [S32],
        S32,
        lambda a: numpy.full(32, max(a.max(), 0)),
    ),
    (
        "st.local.u32 [stack+4], %0; mov.u64 %g, stack; cvta.local.u64 %g, %g; ld.s8 %r, [%g+5]",
        [U32],
        S32,
        lambda a: (a >> 8).astype("u1").view("i1").astype(S32),
    ),
    ("mov.b32 {%h, %i}, %0; mov.b32 %r, {%i, %h}", [U32], U32, lambda a: a >> 16 | a << 16),
    (
        "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %0; call.uni (y), twice, (x); ld.param.b32 %r, [y]; }",
        [U32],
        U32,
        lambda a: a * 2,
    ),
]

FUNCTION = """.func (.param .b32 result) twice(.param .b32 given)
{ .reg .b32 %z; ld.param.b32 %z, [given]; add.u32 %z, %z, %z; st.param.b32 [result], %z; ret; }
"""


def e5m2(x):
    """To nearest even, the largest number for what is beyond."""
    values = numpy.arange(0x7C, dtype=U16).__lshift__(8).view(F16).astype(F64)
    distance = abs(values - min(abs(float(x)), values[-1]))
    best = numpy.flatnonzero(distance == distance.min())
    return int(best[best % 2 == 0][0] if len(best) > 1 else best[0]) | (0x80 if x < 0 else 0)


def inputs(kind, rng):
    if kind == "pair":
        return rng.uniform(0.1, 4, 64).astype(F32).view(U64)
    if kind == "bf16":
        return (rng.uniform(0.1, 4, 32).astype(F32).view(U32) >> 16).astype(U16)
    if isinstance(kind, str):
        return rng.integers(0, 32, 32).astype(U32)
    if kind.kind == "f":
        return (rng.uniform(0.1, 4, 32)).astype(kind)
    info = numpy.iinfo(kind)
    return rng.integers(info.min, info.max, 32, dtype=kind, endpoint=True)


def ptx_type(dtype):
    return f"{'f' if dtype.kind == 'f' and dtype != F16 else 'b'}{8 * dtype.itemsize}"


def check_opcode(library, row, rng):
    text, kinds, result, function, *tolerance = row
    values = [inputs(kind, rng) for kind in kinds]
    dtypes = [v.dtype for v in values]
    p = Program()
    p.registers += [
        ".reg .b32 %s;",
        ".reg .b64 %g;",
        ".reg .b16 %h, %i;",
        ".reg .pred %p, %q;",
        ".local .align 8 .b8 stack[16];",
        f".reg .{ptx_type(result)} %r;",
    ]
    p.lines += ["ld.param.u64 %a, [a];", "mad.wide.u32 %a, %t, 32, %a;"]
    for i, dtype in enumerate(dtypes):
        p.registers.append(f".reg .{ptx_type(dtype)} %x{i};")
        p.lines.append(f"ld.global.{ptx_type(dtype)} %x{i}, [%a+{8 * i}];")
    if " " not in text:
        text += " %r, " + ", ".join(f"%{i}" for i in range(len(kinds)))
    for i in range(len(kinds)):
        text = text.replace(f"%{i}", f"%x{i}")
    p.lines += [
        text + ("" if text.startswith("{") else ";"),
        "ld.param.u64 %d, [d];",
        "mad.wide.u32 %d, %t, 8, %d;",
        f"st.global.{ptx_type(result)} [%d], %r;",
    ]
    data = numpy.zeros((32, 4), U64)
    for i, v in enumerate(values):
        data[:, i] = v.view(f"u{v.itemsize}")
    source = p.text(".shared .align 16 .b8 memory[256];\n" + FUNCTION)
    machine = Machine(library, source)
    addresses = [machine.add("a", data), 0, 0, machine.add("d", numpy.zeros(32, U64), True)]
    machine.launch("one", 1, 32, numpy.array(addresses, U64).tobytes(), seed=int(rng.integers(12)))
    got = machine.read(addresses[3], 256).view(U64).astype(f"u{result.itemsize}").view(result)
    with numpy.errstate(all="ignore"):
        want = numpy.asarray(function(*values)).astype(result)
    if tolerance:
        return bool(numpy.allclose(got, want, rtol=tolerance[0], atol=tolerance[0]))
    return got.tobytes() == want.tobytes()


def opcodes_without_section():
    """Opcodes of the machine without a comment that names their section of the PTX ISA. Such a comment has the opcode in
    quotation marks, or names a whole family in the first lines of the file."""
    for file in sorted((Path(__file__).parent / "machine").glob("*.cpp")):
        text = file.read_text()
        family = re.match(r"(?://.*\n)*", text)[0]
        for opcode in re.findall(r'table\["([^"]+)"\] =', text):
            of_its_own = re.search(rf'^ *///? .*"{opcode}[".]', text, re.M)
            if not of_its_own and not ("PTX ISA" in family and re.search(rf"\b{opcode}\.\w", family)):
                yield opcode


def run_all(library):
    rng = numpy.random.default_rng(2)
    wrong = [f"{opcode}: its section of the PTX ISA is not named" for opcode in opcodes_without_section()]
    for row in ORDINARY:
        try:
            if not all(check_opcode(library, row, rng) for _ in range(4)):
                wrong.append(f"{row[0]}: wrong result")
        except Fault as report:
            wrong.append(f"{row[0]}: {report}")
    print(f"{len(ORDINARY)} opcodes as NumPy")
    return wrong + im2col_copies.run_all(library) + tcgen05.run_reductions(library) + programs.run_all(library)
