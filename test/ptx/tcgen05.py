"""tcgen05 on the machine against NumPy: products of 128 and of 64 rows, operands in tensor memory, shapes of loads, and loads
with a reduction."""

import numpy

from instructions import HEADER
from machine import Fault, Machine

N, K = 16, 16


def words(name, count):
    return "{" + ", ".join(f"%{name}{i}" for i in range(count)) + "}"


def program(body):
    """128 threads put A (128 x 16, twice) and B (16 x 16) of float16 into shared memory, and each its rows of both As into
    %a and %b; thread 0 multiplies as the body says, and each lane's 64 columns of tensor memory, which were ones, come out.

    Shared matrices lie without a swizzle: 8 rows of 16 bytes, the halves of k 128 bytes apart, 8 rows further 256.
    """
    chunk = lambda at, i: f"ld.global.v4.b32 {{%x0, %x1, %x2, %x3}}, [{at}+{16 * i}]; "  # noqa: E731
    fill = "".join(chunk("%g", i) + f"st.shared.v4.b32 [%s+{16 * i}], {{%x0, %x1, %x2, %x3}}; " for i in range(2))
    rows = "".join(
        f"ld.global.b32 %{name}{i}, [%g+{start + 4 * i}]; " for name, start in (("a", 0), ("b", 4096)) for i in range(8)
    )
    ones = "".join(f"mov.b32 %x{i}, 0f3f800000; " for i in range(16))
    fill_ones = "".join(f"add.u32 %y, %w, {16 * i}; tcgen05.st.sync.aligned.32x32b.x16.b32 [%y], {words('x', 16)}; " for i in range(4))
    out = "".join(
        f"add.u32 %y, %w, {16 * i}; tcgen05.ld.sync.aligned.32x32b.x16.b32 {words('x', 16)}, [%y]; "
        + "".join(f"st.global.b32 [%o+{4 * (16 * i + j)}], %x{j}; " for j in range(16))
        for i in range(4)
    )
    return f"""{HEADER}.shared .align 512 .b8 a_memory[4096]; .shared .align 128 .b8 b_memory[512]; .shared .align 8 .b8 bar[16];
.visible .entry one(.param .u64 shared_a, .param .u64 b, .param .u64 rows, .param .u64 out, .param .u32 shape)
{{
.reg .b64 %g, %o, %da, %db; .reg .b32 %x<16>, %a<8>, %b<8>, %t, %s, %y, %w, %z, %shape; .reg .pred %p, %q, %one, %yes, %no;
mov.u32 %t, %tid.x; setp.lt.u32 %p, %t, 32; setp.eq.u32 %one, %t, 0; setp.eq.u32 %yes, 0, 0; setp.ne.u32 %no, 0, 0;
ld.param.u32 %shape, [shape]; ld.param.u64 %g, [shared_a]; mad.wide.u32 %g, %t, 32, %g; mov.u32 %s, a_memory; mad.lo.u32 %s, %t, 32, %s;
{fill}
setp.ge.u32 %q, %t, 16; @%q bra filled; ld.param.u64 %g, [b]; mad.wide.u32 %g, %t, 32, %g; mov.u32 %s, b_memory; mad.lo.u32 %s, %t, 32, %s;
{fill}
filled: fence.proxy.async.shared::cta; @%one mbarrier.init.shared::cta.b64 [bar], 1;
@%p tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [bar+8], 128; bar.sync 0;
ld.shared.u32 %z, [bar+8]; shr.u32 %w, %t, 5; shl.b32 %w, %w, 21; add.u32 %w, %w, %z;
ld.param.u64 %g, [rows]; mad.wide.u32 %g, %t, 32, %g; {rows}
{ones} {fill_ones}
tcgen05.wait::st.sync.aligned;
mov.u32 %s, a_memory; shr.u32 %s, %s, 4; cvt.u64.u32 %da, %s; or.b64 %da, %da, {1 << 46 | 16 << 32 | 8 << 16};
mov.u32 %s, b_memory; shr.u32 %s, %s, 4; cvt.u64.u32 %db, %s; or.b64 %db, %db, {1 << 46 | 16 << 32 | 8 << 16};
{body}
@%one tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];
wait: mbarrier.try_wait.parity.shared::cta.b64 %q, [bar], 0; @!%q bra wait; tcgen05.fence::after_thread_sync;
ld.param.u64 %o, [out]; mad.wide.u32 %o, %t, 256, %o; {out}
tcgen05.wait::ld.sync.aligned; tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;
@%p tcgen05.dealloc.cta_group::1.sync.aligned.b32 %z, 128; ret;
}}
"""


# A's rows lie in tensor memory from column 64, those of the second A from column 0 on.
STORE_A = (
    f"add.u32 %y, %w, 64; tcgen05.st.sync.aligned.32x32b.x8.b32 [%y], {words('a', 8)}; "
    f"tcgen05.st.sync.aligned.32x32b.x8.b32 [%w], {words('b', 8)}; tcgen05.wait::st.sync.aligned; "
    "tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync; "
)
READY = "tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync; "
MMA = "@%one tcgen05.mma.cta_group::1.kind::f16 "


class Problem:
    def __init__(self, rng):
        self.a, self.other, self.b = (rng.integers(-4, 5, (n, K)).astype(numpy.float16) for n in (128, 128, N))
        self.lanes = numpy.ones((128, 64), numpy.float32)

    def product(self, a, rows=128):
        return a[:rows].astype(numpy.float32) @ self.b.astype(numpy.float32).T


def in_shared(x):
    return x.reshape(-1, 8, 2, 8).transpose(0, 2, 1, 3)


def chain(p):
    """The second product writes what the first reads as A."""
    p.lanes[:, 16:32] = p.product(p.other)
    p.lanes[:, :16] = p.product(p.a)


def rows_64(p, first=0):
    for r in range(64):
        p.lanes[r // 16 * 32 + r % 16 + first, 32:48] = p.product(p.a)[r]


def rows_64_from_tensor_memory(p):
    for r in range(64):
        lane = r // 16 * 32 + r % 16
        p.lanes[lane, 32:48] = p.product(p.a)[lane]
    p.lanes[:, :8] = p.other.view(numpy.float32).reshape(128, 8)


def some_lanes(p):
    for lane in range(128):
        if not 0x8000000300000001_0000ffff00000010 >> lane & 1:
            p.lanes[lane, 32:48] = p.product(p.a)[lane]


def two_halves(p):
    """Lanes 0 to 15 of a warp had column 5, the others column 16: registers that go back with another split."""
    p.lanes[:] = numpy.arange(128 * 64).reshape(128, 64)
    for warp in range(4):
        rows = p.lanes[32 * warp : 32 * warp + 16]
        rows[:, 40:42], rows[:, 43:45] = rows[:, 5:7].copy(), rows[:, 16:18].copy()


PROGRAMS = [
    ("a product of 128 rows", READY + "add.u32 %y, %z, 32; " + MMA + "[%y], %da, %db, %shape, %no;", 128,
     lambda p: p.lanes.__setitem__((slice(None), slice(32, 48)), p.product(p.a))),
    ("a product that writes what an earlier one reads", STORE_A + "add.u32 %y, %z, 16; " + MMA + "[%y], [%z], %db, %shape, %no; "
     "add.u32 %y, %z, 64; " + MMA + "[%z], [%y], %db, %shape, %no;", 128, chain),
    ("a product of 64 rows", READY + "add.u32 %y, %z, 32; " + MMA + "[%y], %da, %db, %shape, %no;", 64, rows_64),
    ("a product of 64 rows from lane 16 on", READY + "add.u32 %y, %z, 0x100020; " + MMA + "[%y], %da, %db, %shape, %no;", 64,
     lambda p: rows_64(p, 16)),
    ("64 rows of A in tensor memory", STORE_A + "add.u32 %y, %z, 32; add.u32 %s, %z, 64; " + MMA + "[%y], [%s], %db, %shape, %no;", 64,
     rows_64_from_tensor_memory),
    ("lanes that a product leaves", READY + "add.u32 %y, %z, 32; mov.u32 %x0, 0x10; mov.u32 %x1, 0x0000ffff; mov.u32 %x2, 1; "
     "mov.u32 %x3, 0x80000003; " + MMA + "[%y], %da, %db, %shape, {%x0, %x1, %x2, %x3}, %no;", 128, some_lanes),
    ("accesses of two halves", "".join(
        f"add.u32 %y, %w, {c}; mad.lo.u32 %x0, %t, 64, {c}; cvt.rn.f32.u32 %x0, %x0; tcgen05.st.sync.aligned.32x32b.x1.b32 [%y], {{%x0}}; "
        for c in range(64)) + "tcgen05.wait::st.sync.aligned; add.u32 %y, %w, 5; tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {%x0, %x1}, [%y], 11; "
     "tcgen05.wait::ld.sync.aligned; add.u32 %y, %w, 40; tcgen05.st.sync.aligned.16x32bx2.x2.b32 [%y], 3, {%x0, %x1}; "
     "tcgen05.wait::st.sync.aligned; ", 128, two_halves),
]


def check(library, body, rows, expect, seed):
    p = Problem(numpy.random.default_rng(seed))
    expect(p)
    arrays = [in_shared(p.a), in_shared(p.b), numpy.concatenate([p.a, p.other])]
    return (launch(library, body, arrays, 1 << 4 | N // 8 << 17 | rows // 16 << 24, seed) == p.lanes).all()


def launch(library, body, arrays, shape, seed):
    """The 64 columns of all lanes."""
    machine = Machine(library, program(body))
    addresses = [machine.add("operand", x) for x in arrays]
    out = machine.add("out", 128 * 64 * 4, True)
    arguments = numpy.array([*addresses, out, shape], numpy.uint64).tobytes()[: 4 * 8 + 4]
    machine.launch("one", 1, 128, arguments, seed=seed, limit=1000000)
    return machine.read(out, 128 * 64 * 4).view(numpy.float32).reshape(128, 64)


# A of tf32 along M, swizzled by pieces of 32 bytes: atoms of 4 k by 32 rows, the two of k 512 bytes apart, 32 rows further 1024.
ALONG_M = (
    READY + f"mov.u32 %s, a_memory; shr.u32 %s, %s, 4; cvt.u64.u32 %da, %s; or.b64 %da, %da, {1 << 61 | 1 << 46 | 32 << 32 | 64 << 16}; "
    "add.u32 %y, %z, 32; " + MMA.replace("f16", "tf32") + "[%y], %da, %db, %shape, %no;"
)


def check_along_m(library, seed):
    rng = numpy.random.default_rng(seed)
    a, b = (rng.integers(-4, 5, (n, 8)).astype(numpy.float32) for n in (128, N))
    placed = numpy.zeros(1024, numpy.float32)
    for row in range(128):
        for k in range(8):
            placed[row // 32 * 256 + k // 4 * 128 + k % 4 * 32 + (row % 32 // 8 ^ k % 4) * 8 + row % 8] = a[row, k]
    lanes = numpy.ones((128, 64), numpy.float32)
    lanes[:, 32:48] = a @ b.T
    chunks = b.reshape(2, 8, 2, 4).transpose(0, 2, 1, 3)
    shape = 1 << 4 | 2 << 7 | 2 << 10 | 1 << 15 | N // 8 << 17 | 8 << 24
    return (launch(library, ALONG_M, [placed, chunks, numpy.zeros(2048, numpy.float32)], shape, seed) == lanes).all()


# tcgen05.ld.red (9.7.16.8.3): the words of a load, which come too, and of each thread the least or greatest of them.
FORMS = [
    (operation, absolute, keeps_nan, kind)
    for kind in ("u32", "s32", "f32")
    for operation in ("min", "max")
    for absolute in ((False, True) if kind == "f32" else (False,))
    for keeps_nan in ((False, True) if kind == "f32" else (False,))
]
# Shape, registers of a thread, and the half split: of .16x32bx2, threads 16 to 31 of a warp load lanes 0 to 15 from there on.
REDUCED = [("32x32b.x8", 8, ""), ("32x32b.x2", 2, ""), ("16x32bx2.x4", 4, ", 3")]
CANONICAL_NAN = 0x7FFFFFFF


def reduced(words, operation, absolute, keeps_nan, kind):
    """The reduction of a thread's words by NumPy: by their place in the order of the type, in which -0 is below +0."""
    if kind != "f32":
        return getattr(numpy, operation)(words.view(f"{kind[0].replace('s', 'i')}4")).view(numpy.uint32)
    bits = words & 0x7FFFFFFF if absolute else words
    numbers = bits[~numpy.isnan(bits.view(numpy.float32))]
    if numbers.size == 0 or (keeps_nan and numbers.size < bits.size):
        return numpy.uint32(CANONICAL_NAN)
    order = numbers.view(numpy.int32).astype(numpy.int64)
    order = numpy.where(order < 0, -(order & 0x7FFFFFFF) - 1, order)
    return numbers[getattr(order, f"arg{operation}")()]


def check_reductions(library, shape, count, split, seed):
    rng = numpy.random.default_rng(seed)
    words = rng.integers(0, 1 << 32, (128, 8), dtype=numpy.uint32)
    special = numpy.array([0, 1 << 31, 1, 0x80000001, 0x7F800000, 0xFF800000, 0x7FC00001, 0xFFFFFFFF, 0x7F800001], numpy.uint32)
    chosen = rng.integers(0, 4, words.shape) == 0
    words[chosen] = rng.choice(special, chosen.sum())
    words[::7] = rng.choice(special[6:], words[::7].shape)  # lanes that are all NaN
    words[3::7] = rng.choice(special[:2], words[3::7].shape)  # zeros of both signs
    body, registers = STORE_A, "{" + ", ".join(f"%x{i}" for i in range(count)) + "}"
    body += "mov.u32 %y, %w; "
    for i, (operation, absolute, keeps_nan, kind) in enumerate(FORMS):
        form = f"{operation}{'.abs' * absolute}{'.NaN' * keeps_nan}.{kind}"
        body += f"tcgen05.ld.red.sync.aligned.{shape}.{form} {registers}, %s, [%w]{split}; add.u32 %y, %w, {16 + i}; "
        body += "tcgen05.st.sync.aligned.32x32b.x1.b32 [%y], {%s}; "
    body += f"add.u32 %y, %w, 40; tcgen05.st.sync.aligned.32x32b.x{count}.b32 [%y], {registers}; tcgen05.wait::ld.sync.aligned; "
    rows = numpy.concatenate([numpy.zeros_like(words), words])
    arrays = [numpy.zeros(1024, numpy.uint32), numpy.zeros(128, numpy.uint32), rows]
    got = launch(library, body + "tcgen05.wait::st.sync.aligned; ", arrays, 0, seed).view(numpy.uint32)
    for t in range(128):
        if split:
            start = 0 if t % 32 < 16 else 3
            loaded = words[t // 32 * 32 + t % 16, start : start + count]
        else:
            loaded = words[t, :count]
        wanted = [reduced(loaded, *form) for form in FORMS]
        if (got[t, 16 : 16 + len(FORMS)] != wanted).any() or (got[t, 40 : 40 + count] != loaded).any():
            return False
    return True


def run_reductions(library):
    wrong = []
    for shape, count, split in REDUCED:
        for seed in range(3):
            try:
                if not check_reductions(library, shape, count, split, seed):
                    wrong.append(f"tcgen05.ld.red.{shape}, seed {seed}: wrong result")
            except Fault as report:
                wrong.append(f"tcgen05.ld.red.{shape}, seed {seed}: {report}")
    print(f"{len(FORMS) * len(REDUCED)} forms of tcgen05.ld.red as NumPy")
    return wrong


def run_all(library):
    wrong = []
    for what, body, rows, expect in PROGRAMS:
        for seed in range(3):
            try:
                if not check(library, body, rows, expect, seed):
                    wrong.append(f"{what}, seed {seed}: wrong result")
            except Fault as report:
                wrong.append(f"{what}, seed {seed}: {report}")
    for seed in range(3):
        try:
            if not check_along_m(library, seed):
                wrong.append(f"A of tf32 along M, seed {seed}: wrong result")
        except Fault as report:
            wrong.append(f"A of tf32 along M, seed {seed}: {report}")
    what, body, rows, expect = next(p for p in PROGRAMS if p[3] is chain)
    body = body.replace(MMA + "[%z]", "setp.eq.u32 %one, %t, 32; " + MMA + "[%z]")
    for seed in range(3):
        try:
            check(library, body, rows, expect, seed)
            wrong.append(f"{what} of another warp, seed {seed}: nothing is said")
        except Fault as report:
            if "still being read" not in str(report) and "a race" not in str(report):
                wrong.append(f"{what} of another warp, seed {seed}: {report}")
    print(f"{len(PROGRAMS) + 1} programs with tensor memory as NumPy")
    return wrong
