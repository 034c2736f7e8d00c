"""Matrix instructions on the machine, from test/golden/golden.json (CuTe's layouts): a small .ptx for each record loads
the registers as the record says elements lie, executes the instruction once, and stores the result's registers, which must
be NumPy's product where the record says its elements lie."""

import json
import sys
from pathlib import Path

import numpy

from machine import Fault, Machine

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "golden"))
from compact import expand  # noqa: E402

HEADER = ".version 9.0\n.target sm_90a\n.address_size 64\n"
NARROW = {"f4e2m1": (2, 1), "f6e2m3": (2, 3), "f6e3m2": (3, 2)}  # bits of exponent and mantissa
FLOATS = {"f16": numpy.float16, "f32": numpy.float32, "f64": numpy.float64}


def records(kinds):
    golden = json.loads((HERE.parent / "golden" / "golden.json").read_text())
    for row in golden["records"]["rows"]:
        record = {k: v for k, v in zip(golden["records"]["fields"], row) if v is not None}
        if record["arch"].startswith("sm_") and record["kind"] in kinds:
            for x in "ABCR":
                if x in record:
                    record[x] = numpy.array(expand(golden["layouts"][record[x]]))
            yield record


def codes(values, kind):
    """Small whole numbers as codes of the type, an unsigned number each."""
    values = numpy.asarray(values, numpy.float64)
    if kind in FLOATS:
        return values.astype(FLOATS[kind]).view(f"uint{8 * FLOATS[kind]().itemsize}").astype(numpy.uint64)
    if kind in ("bf16", "tf32"):
        return (values.astype(numpy.float32).view(numpy.uint32) >> (16 if kind == "bf16" else 0)).astype(numpy.uint64)
    if kind in ("f8e4m3", "f8e5m2"):
        bits = values.astype(numpy.float16).view(numpy.uint16).astype(numpy.uint64)
        if kind == "f8e5m2":
            return bits >> 8
        exponent, zero = (bits >> 10 & 31).astype(numpy.int64) - 15 + 7, (bits & 0x7FFF) == 0
        return numpy.where(zero, bits >> 8, (bits >> 8 & 0x80) | (exponent.astype(numpy.uint64) << 3) | (bits >> 7 & 7))
    if kind in NARROW:
        exponent_bits, mantissa_bits = NARROW[kind]
        field, mantissa = numpy.divmod(numpy.arange(1 << exponent_bits + mantissa_bits), 1 << mantissa_bits)
        bias = 2 ** (exponent_bits - 1) - 1
        numbers = numpy.where(field > 0, (mantissa / 2**mantissa_bits + 1) * 2.0 ** (field - bias),
                              mantissa / 2**mantissa_bits * 2.0 ** (1 - bias))
        found = numpy.searchsorted(numbers, numpy.abs(values))
        assert (numbers[found] == numpy.abs(values)).all()
        return (found + (values < 0) * numbers.size).astype(numpy.uint64)
    if not kind[1:].isdigit():
        raise Fault(f"numbers of type {kind} are not in the machine")
    width = int(kind[1:])
    return values.astype(numpy.int64).astype(numpy.uint64) & numpy.uint64((1 << width) - 1)


def decoded(words, kind):
    if kind in FLOATS:
        return words.astype(f"uint{8 * FLOATS[kind]().itemsize}").view(FLOATS[kind]).astype(numpy.float64)
    return words.astype(numpy.uint32).view(numpy.int32).astype(numpy.float64)


def pack(slots, bits, lanes):
    """Slots of all lanes, low bits first, as bytes of their registers."""
    slots = slots.reshape(lanes, -1)
    per = max(1, 32 // bits)
    words = numpy.zeros((lanes, slots.shape[1] // per), numpy.uint64)
    for i in range(per):
        words |= slots[:, i::per] << numpy.uint64(bits * i)
    return words.astype(numpy.uint64 if bits == 64 else numpy.uint32).view(numpy.uint8).reshape(-1)


def unpack(data, bits, lanes):
    words = data.view(numpy.uint64 if bits == 64 else numpy.uint32).reshape(lanes, -1).astype(numpy.uint64)
    per = max(1, 32 // bits)
    mask = numpy.uint64((1 << bits) - 1)
    return numpy.stack([words >> numpy.uint64(bits * i) & mask for i in range(per)], axis=2).reshape(-1)


class Program:
    """The text of a kernel of pointers a, b, c and d, a thread's part of each being its registers."""

    def __init__(self):
        self.lines, self.registers = [], []

    def address(self, name, bytes_of_thread):
        self.lines += [f"ld.param.u64 %{name}, [{name}];", f"mad.wide.u32 %{name}, %t, {bytes_of_thread}, %{name};"]

    def load(self, name, count, kind):
        size = 8 if kind == "f64" else 4
        self.registers += [f".reg .{kind} %{name}r<{count}>;"]
        self.address(name, count * size)
        self.lines += [f"ld.global.{kind} %{name}r{i}, [%{name}+{i * size}];" for i in range(count)]
        return "{" + ", ".join(f"%{name}r{i}" for i in range(count)) + "}"

    def store(self, name, registers, count, kind):
        size = 8 if kind == "f64" else 4
        self.address(name, count * size)
        self.lines += [f"st.global.{kind} [%{name}+{i * size}], {registers}{i};" for i in range(count)]

    def text(self, shared=""):
        body = "\n".join(
            [
                ".reg .b64 %a, %b, %c, %d;",
                ".reg .b32 %t;",
                ".reg .pred %p<4>;",
                *self.registers,
                "mov.u32 %t, %tid.x;",
                *self.lines,
                "ret;",
            ]
        )
        return f"{HEADER}{shared}\n.visible .entry one(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)\n{{\n{body}\n}}\n"


def register_kind(type, bits):
    return "f64" if type == "f64" else "f32" if type == "f32" and bits == 32 else "b32"


def run(library, text, threads, a, b, c, result_bytes, shared=0, seed=0):
    machine = Machine(library, text)
    addresses = [machine.add("a", a), machine.add("b", b), machine.add("c", c), machine.add("d", result_bytes, True)]
    machine.launch("one", 1, threads, numpy.array(addresses, numpy.uint64).tobytes(), shared, seed=seed)
    return machine.read(addresses[3], result_bytes)


def operands(record, rng):
    m, n, k = record["m"], record["n"], record["k"]
    ranges = [(0, 2) if record[x] == "b1" else (0, 8) if record[x][0] == "u" else (-4, 5) for x in ("a_type", "b_type")]
    return rng.integers(*ranges[0], (m, k)), rng.integers(*ranges[1], (k, n)), rng.integers(-4, 5, (m, n))


class BlockScales:
    """Scales of rows of A [m, s] and of columns of B [s, n], small powers of two, and the registers that hold them: the bytes
    of test/golden/tensor_memory.json moved by the selectors, all others NaN."""

    def __init__(self, record, rng):
        file = json.loads((HERE.parent / "golden" / "tensor_memory.json").read_text())
        block = 16 if record["instruction"].endswith("ue4m3") else 32
        golden = next(r for r in file["records"] if r["kind"] == "mma" and (r["k"], r["sf_vec"]) == (record["k"], block))
        count, threads = record["k"] // block, {"A": 1, "B": 2}
        byte = 4 - count
        self.words, self.values = {}, {}
        for x, outer in (("A", record["m"]), ("B", record["n"])):
            exponents = rng.integers(-2, 3, (outer, count) if x == "A" else (count, outer))
            scale_codes = exponents * 8 + 0x38 if block == 16 else exponents + 127
            lanes = numpy.full((32, 4), 0xFF, numpy.uint8)
            places = numpy.array(expand(golden["SF" + x])).reshape(32, count)
            for lane, slot in zip(*numpy.nonzero(places >= 0)):
                at = lane + threads[x] * (2 if x == "A" else 1)
                lanes[at, byte + slot] = scale_codes.reshape(-1)[places[lane, slot]]
            self.words[x] = lanes.view(numpy.uint32)
            self.values[x] = numpy.repeat(2.0**exponents, block, axis=1 if x == "A" else 0)
        self.operands = f"%ar4, {{{byte}, {threads['A']}}}, %br2, {{{byte}, {threads['B']}}}"


def check_mma(library, record, rng):
    a, b, c = operands(record, rng)
    p = Program()
    scales = BlockScales(record, rng) if "block_scale" in record["instruction"] else None
    kinds = {x: register_kind(record[f"{x}_type"], record[f"{x}_bits"]) for x in "abc"}
    registers = {x: record[f"{x}_regs"] // (2 if kinds[x] == "f64" else 1) for x in "abc"}
    lists = {x: p.load(x, registers[x] + (scales is not None and x != "c"), kinds[x]) for x in "abc"}
    if scales:
        lists |= {x: lists[x].rpartition(",")[0] + "}" for x in "ab"}
    p.registers.append(f".reg .{kinds['c']} %dr<{registers['c']}>;")
    result = "{" + ", ".join(f"%dr{i}" for i in range(registers["c"])) + "}"
    p.lines.append(f"{record['instruction']} {result}, {lists['a']}, {lists['b']}, {lists['c']}"
                   f"{', ' + scales.operands if scales else ''};")
    p.store("d", "%dr", registers["c"], kinds["c"])
    data = {
        x: pack(codes(v.reshape(-1)[record[x.upper()]], record[f"{x}_type"])
                << numpy.uint64(2 * (record[f"{x}_type"] == "f4e2m1" and record[f"{x}_bits"] == 8)), record[f"{x}_bits"], 32)
        for x, v in zip("abc", (a, b, c))
    }
    if scales:
        for x in "ab":
            words = data[x].view(numpy.uint32).reshape(32, -1)
            data[x] = numpy.concatenate([words, scales.words[x.upper()]], axis=1).reshape(-1).view(numpy.uint8)
        a, b = a * scales.values["A"], b * scales.values["B"]
    got = run(library, p.text(), 32, data["a"], data["b"], data["c"], data["c"].size)
    values = decoded(unpack(got, record["c_bits"], 32), record["c_type"])
    product = (a[:, :, None] ^ b).sum(axis=1) if ".xor.popc" in record["instruction"] else a @ b
    return numpy.array_equal(values, (product + c).reshape(-1)[record["C"]])


def shared_image(b, kind, bits, width, k_major):
    """B in shared memory as wgmma reads it, and the descriptor without its address. `width`: bytes of a swizzle's rows, 16
    for none. PTX ISA: "Shared Memory Matrix Layout", "Strides", "Matrix Descriptor Format"."""
    k, n = b.shape
    size = bits // 8
    mode = {16: 0, 128: 1, 64: 2, 32: 3}[width]
    per = 16 // size  # elements of 16 bytes
    image = numpy.zeros(max(2 * n * 128, 16384) + 1024, numpy.uint8)
    if k_major:
        leading, stride = (128, 256) if width == 16 else (16, 8 * width)
    else:
        stride, leading = (128, n // per * 128) if width == 16 else (8 * width, 2 * 8 * width)
    flat = codes(b, kind)
    for i in range(k):
        for j in range(n):
            if k_major:
                chunk, byte = divmod(i * size, 16)
                at = j // 8 * stride + j % 8 * width + chunk * (leading if width == 16 else 16) + byte
            else:
                chunk, byte = divmod(j * size, 16)
                if width == 16:
                    at = i // 8 * leading + i % 8 * 16 + chunk * stride + byte
                else:
                    atom, inner = divmod(chunk, width // 16)
                    at = i // 8 * stride + i % 8 * width + atom * leading + inner * 16 + byte
            at ^= (at >> 7 & width // 16 - 1) << 4
            image[at : at + size] = numpy.frombuffer(int(flat[i, j]).to_bytes(8, "little")[:size], numpy.uint8)
    return image, leading >> 4 << 16 | stride >> 4 << 32 | mode << 62


def check_wgmma(library, record, rng, width, k_major, seed=0):
    a, b, c = operands(record, rng)
    image, descriptor = shared_image(b, record["b_type"], record["a_bits"], width, k_major)
    p = Program()
    kind = register_kind(record["c_type"], record["c_bits"])
    a_list, c_list = p.load("a", 4, "b32"), p.load("c", record["c_regs"], kind)
    p.registers += [".reg .b32 %o, %s, %x, %v<4>;", ".reg .b64 %g, %m;"]
    p.lines += [
        "ld.param.u64 %b, [b];",
        "mov.u32 %s, memory;",
        "shl.b32 %o, %t, 4;",
        "again:",
        f"setp.ge.u32 %p0, %o, {image.size};",
        "@%p0 bra copied;",
        "cvt.u64.u32 %g, %o;",
        "add.u64 %g, %g, %b;",
        "ld.global.v4.b32 {%v0, %v1, %v2, %v3}, [%g];",
        "add.u32 %x, %o, %s;",
        "st.shared.v4.b32 [%x], {%v0, %v1, %v2, %v3};",
        "add.u32 %o, %o, 2048;",
        "bra again;",
        "copied:",
        "fence.proxy.async.shared::cta;",
        "bar.sync 0;",
        "setp.eq.u32 %p1, %t, %t;",
        "shr.u32 %s, %s, 4;",
        "cvt.u64.u32 %m, %s;",
        f"or.b64 %m, %m, {descriptor};",
        "wgmma.fence.sync.aligned;",
    ]
    scales = "" if record["c_type"] == "i32" else ", 1, 1" + (f", {int(not k_major)}" if record["a_bits"] == 16 else "")
    p.lines += [
        f"{record['instruction']} {c_list}, {a_list}, %m, %p1{scales};",
        "wgmma.commit_group.sync.aligned;",
        "wgmma.wait_group.sync.aligned 0;",
    ]
    p.store("d", "%cr", record["c_regs"], kind)
    data_a = pack(codes(a.reshape(-1)[record["A"]], record["a_type"]), record["a_bits"], 128)
    data_c = pack(codes(c.reshape(-1)[record["C"]], record["c_type"]), record["c_bits"], 128)
    text = p.text(".extern .shared .align 1024 .b8 memory[];")
    got = run(library, text, 128, data_a, image, data_c, data_c.size, image.size, seed)
    values = decoded(unpack(got, record["c_bits"], 128), record["c_type"])
    return numpy.array_equal(values, (a @ b + c).reshape(-1)[record["C"]])


def check_move(library, record, rng):
    """ldmatrix and stmatrix; rows lie 32 bytes apart."""
    count = record["matrices"]
    matrix = rng.integers(0, 1 << 16, (8 * count, 8)).astype(numpy.uint16)
    loads = record["instruction"].startswith("ldmatrix")
    p = Program()
    p.registers += [".reg .b32 %s, %x, %i;", f".reg .b32 %r<{count}>;"]
    registers = "{" + ", ".join(f"%r{i}" for i in range(count)) + "}"
    row = ["mov.u32 %s, memory;", "mad.lo.u32 %s, %t, 32, %s;"]
    if loads:
        # Each of the first threads puts a row into its place; the address comes from the threads that the document names.
        p.lines += ["ld.param.u64 %a, [a];", "mad.wide.u32 %a, %t, 16, %a;", *row, f"setp.lt.u32 %p0, %t, {8 * count};"]
        for i in range(4):
            p.lines += [f"@%p0 ld.global.b32 %x, [%a+{4 * i}];", f"@%p0 st.shared.b32 [%s+{4 * i}], %x;"]
        p.lines += ["bar.warp.sync -1;", f"{record['instruction']} {registers}, [%s];"]
        p.store("d", "%r", count, "b32")
        data, size = matrix.view(numpy.uint8).reshape(-1), 32 * 4 * count
    else:
        registers = p.load("a", count, "b32")
        p.lines += [
            *row,
            f"{record['instruction']} [%s], {registers};",
            "bar.warp.sync -1;",
            "ld.param.u64 %d, [d];",
            "mad.wide.u32 %d, %t, 16, %d;",
            f"setp.lt.u32 %p0, %t, {8 * count};",
        ]
        for i in range(4):
            p.lines += [f"@%p0 ld.shared.b32 %x, [%s+{4 * i}];", f"@%p0 st.global.b32 [%d+{4 * i}], %x;"]
        data, size = pack(matrix.reshape(-1)[record["R"]].astype(numpy.uint64), 16, 32), 8 * count * 16
    got = run(library, p.text(".extern .shared .align 128 .b8 memory[];"), 32, data, data, data, size, 1024)
    if loads:
        return numpy.array_equal(unpack(got, 16, 32), matrix.reshape(-1)[record["R"]])
    return numpy.array_equal(got.view(numpy.uint16).reshape(8 * count, 8), matrix)


def run_all(library, full=False):
    """Names of instructions whose result is wrong."""
    rng, wrong, right, unknown = numpy.random.default_rng(1), [], 0, []
    for record in records({"mma", "wgmma", "copy"}):
        name = record["instruction"]
        if record["kind"] == "wgmma" and not full and record["n"] not in (8, 104, 256):
            continue
        ways = [(None, True)]
        if record["kind"] == "wgmma":
            ways = [(16, True), (32, True), (64, True), (128, True)]
            if record["a_bits"] == 16:
                ways += [
                    (width, False)
                    for width in (16, 32, 64, 128)
                    if record["n"] % (width // 2) == 0 and record["n"] * 2 <= 4 * width
                ]
            if not full:
                ways = [ways[(record["n"] + len(name)) % len(ways)], ways[-1]]
        for width, k_major in ways:
            try:
                ok = (
                    check_mma(library, record, rng)
                    if record["kind"] == "mma"
                    else (
                        check_move(library, record, rng)
                        if record["kind"] == "copy"
                        else check_wgmma(library, record, rng, width, k_major)
                    )
                )
                right += ok
                if not ok:
                    wrong.append(f"{name} {width or ''} {'' if k_major else 'mn'}: wrong result")
            except Fault as report:
                (unknown if "not in the machine" in str(report) else wrong).append(f"{name} {width or ''}: {report}")
    print(f"{right} matrix instructions as golden.json says; not in the machine: {', '.join(unknown) or 'none'}")
    return wrong
