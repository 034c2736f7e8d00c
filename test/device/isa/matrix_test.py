"""Matrix instructions of machine.py against test/golden/golden.json, which was computed by AMD's calculator and, for
gfx950, by AMD's emulator rocjitsu. A kernel of one wave for each target has them all, and each product is compared with
NumPy's, element for element. Elements are small whole numbers, so that sums are exact.

The form of f8f6f4 with scales runs as well, with a random scale for each 32 along k in each of the four bytes of its
register. No golden record says which lane has which scale. Here row = lane % rows and k / 32 = lane / rows, as IREE and
Triton have it (IREEGPUAttrs.cpp, ScaledMMA; chooseScaledMfmaScaleLayout).
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "golden")]
import machine  # noqa: E402
from compact import expand  # noqa: E402
from self_test import FRAME  # noqa: E402

# Target: the architecture of its golden records, lanes, what the assembler asks for.
TARGETS = {"gfx90a": ("gfx90a", 64, ".amdhsa_accum_offset 128"), "gfx942": ("gfx942", 64, ".amdhsa_accum_offset 128"),
           "gfx950": ("gfx950", 64, ".amdhsa_accum_offset 128"), "gfx1100": ("gfx1100", 32, ""),
           "gfx1201": ("gfx1200", 32, ""), "gfx1250": ("gfx1250", 32, "")}
# How many instructions the machine knows at least, so that none is lost unseen.
LEAST = {"gfx90a": 26, "gfx942": 31, "gfx950": 41, "gfx1100": 7, "gfx1201": 9, "gfx1250": 17}

# Bits of exponent and mantissa, and the exponent's bias.
FLOATS = {"f64": (11, 52, 1023), "f32": (8, 23, 127), "xf32": (8, 23, 127), "f16": (5, 10, 15), "bf16": (8, 7, 127),
          "f8e4m3": (4, 3, 7), "f8e5m2": (5, 2, 15), "f8e4m3fnuz": (4, 3, 8), "f8e5m2fnuz": (5, 2, 16),
          "f6e2m3": (2, 3, 1), "f6e3m2": (3, 2, 3), "f4e2m1": (2, 1, 1)}
SMALL = ("f8e4m3", "f8e5m2", "f6e2m3", "f6e3m2", "f4e2m1")  # their numbers in cbsz and blgp


def code_of(value, kind):
    """The bits of 0, +-1 or +-2."""
    if kind not in FLOATS:
        return int(value) & 0xffffffff
    exponent, mantissa, bias = FLOATS[kind]
    if value == 0:
        return 0
    return (int(abs(value) == 2) + bias) << mantissa | int(value < 0) << (exponent + mantissa)


def value_of(code, kind):
    if kind not in FLOATS:
        return int(numpy.int32(numpy.uint32(code)))
    if kind == "bf16":
        code, kind = code << 16, "f32"
    bits = {"f64": (numpy.uint64, numpy.float64), "f32": (numpy.uint32, numpy.float32),
            "f16": (numpy.uint16, numpy.float16)}[kind]
    return float(bits[0](code).view(bits[1]))


def records_of(arch, lanes):
    golden = json.loads((HERE.parents[1] / "golden" / "golden.json").read_text())
    for row in golden["records"]["rows"]:
        record = {k: v for k, v in zip(golden["records"]["fields"], row) if v is not None}
        if record["arch"] == arch and record["kind"] == "mma" and record["wave"] == lanes:
            for x in "ABC":
                record[x] = expand(golden["layouts"][record[x]])
            yield record


class Product:
    """One instruction, its operands, and the words that go into registers."""

    def __init__(self, record, lanes, rng, scaled):
        self.record, self.lanes, self.scaled = record, lanes, scaled
        blocks, m, n, k = (record[x] for x in ("blocks", "m", "n", "k"))
        least = 0 if record["a_type"] == "iu8" else -2  # without signs chosen, these are unsigned
        self.a, self.b, self.c = (rng.integers(least, 3, shape) for shape in ((blocks, m, k), (blocks, k, n),
                                                                              (blocks, m, n)))
        small = "f8f6f4" in record["instruction"]
        self.modifiers = (f" cbsz:{SMALL.index(record['a_type'])} blgp:{SMALL.index(record['b_type'])}" if small else
                          " op_sel:[0,0,1]" if record.get("variant") == "opsel_hi" else "")
        self.scales = rng.integers(124, 131, (2, m, 4 * (k // 32))) if scaled else None
        self.bytes = [int(x) for x in rng.integers(0, 4, 2)]
        if scaled:
            low, high = [x % 2 for x in self.bytes], [x // 2 for x in self.bytes]
            self.modifiers = f" op_sel:[{low[0]},{low[1]},0] op_sel_hi:[{high[0]},{high[1]},0]" + self.modifiers

    def words(self, x):
        """An operand's registers: [register, lane]."""
        r, values = self.record, {"a": self.a, "b": self.b, "c": self.c}[x].ravel()
        bits, count, slots = r[f"{x}_bits"], r[f"{x}_elems_per_lane"], r[x.upper()]
        packed = [0] * self.lanes
        for lane in range(self.lanes):
            for e in range(count):
                at = slots[lane * count + e]
                if at >= 0:
                    packed[lane] |= (code_of(values[at], r[f"{x}_type"]) & ((1 << bits) - 1)) << bits * e
        return [[word >> 32 * i & 0xffffffff for word in packed] for i in range(r[f"{x}_regs"])]

    def scale_words(self):
        """The registers of scales: 4 bytes of a lane are 4 scales, and the instruction takes one."""
        rows = self.record["m"]
        lanes = numpy.arange(64)
        parts = [[side[lanes % rows, lanes // rows * 4 + byte] << 8 * byte for byte in range(4)] for side in self.scales]
        return [[int(x) for x in sum(part)] for part in parts]

    def expected(self):
        a, b = self.a.astype(float), self.b.astype(float)
        if self.scaled:
            blocks = numpy.arange(self.record["k"]) // 32
            of_a, of_b = (2.0 ** (side[:, blocks * 4 + byte] - 127) for side, byte in zip(self.scales, self.bytes))
            a, b = a * of_a, b * of_b.T
        return numpy.matmul(a, b) + self.c

    def instruction(self):
        def registers(first, count):
            return f"v[{first}:{first + count - 1}]" if count > 1 else f"v{first}"
        name = self.record["instruction"]
        words = [registers(first, self.record[f"{x}_regs"]) for first, x in ((64, "c"), (16, "a"), (32, "b"), (64, "c"))]
        if self.scaled:
            name, words = name.replace("v_mfma_", "v_mfma_scale_"), [*words, "v48", "v49"]
        return f"{name} {', '.join(words)}{self.modifiers}"

    def problem(self, registers):
        """Returns what is wrong with the result, [register, lane] of words, or an empty string."""
        r, expected = self.record, self.expected().ravel()
        bits, count = r["c_bits"], r["c_elems_per_lane"]
        for lane in range(self.lanes):
            packed = sum(int(registers[i][lane]) << 32 * i for i in range(r["c_regs"]))
            for e in range(count):
                at = r["C"][lane * count + e]
                got = value_of(packed >> bits * e & ((1 << bits) - 1), r["c_type"]) if at >= 0 else 0
                if at >= 0 and got != expected[at]:
                    return f"{self.instruction()}: element {at} is {got}, not {expected[at]} (lane {lane}, slot {e})"
        return ""


def kernel_of(product, new):
    """Assembly that loads the operands from s[4:5] on and stores the result at s[6:7], and moves both on."""
    lines, lanes = [], product.lanes
    load, store = ("global_load_b32", "global_store_b32") if new else ("global_load_dword", "global_store_dword")
    def move_on(pair):
        lines.extend([f"s_add_u32 s{pair}, s{pair}, {4 * lanes}", f"s_addc_u32 s{pair + 1}, s{pair + 1}, 0"])
    r = product.record
    loads = [*range(16, 16 + r["a_regs"]), *range(32, 32 + r["b_regs"]), *range(64, 64 + r["c_regs"])]
    for register in loads + [48, 49] * product.scaled:
        lines.append(f"{load} v{register}, v1, s[4:5]")
        move_on(4)
    lines += ["s_waitcnt vmcnt(0)" if not new else "WAIT_LOAD", product.instruction(), "s_nop 15", "s_nop 15"]
    for register in range(64, 64 + r["c_regs"]):
        lines.append(f"{store} v1, v{register}, s[6:7]")
        move_on(6)
    return lines


def run(clang, target, folder):
    """(problems, instructions that ran, instructions that the machine does not know)."""
    arch, lanes, more = TARGETS[target]
    new, rng = target.startswith("gfx1"), numpy.random.default_rng(1)
    everything = list(records_of(arch, lanes))
    scaled_wmma = {r["instruction"] for r in everything if r["instruction"].startswith("v_wmma_scale_")}  # not in the machine
    everything = [r for r in everything if r["instruction"] not in scaled_wmma]
    products = [Product(r, lanes, rng, scaled) for r in everything
                for scaled in ([False, True] if "f8f6f4" in r["instruction"] else [False])]
    start = [f"{'s_load_b128' if new else 's_load_dwordx4'} s[4:7], s[0:1], 0x0", "v_and_b32 v0, 0x3ff, v0",
             "v_lshlrev_b32 v1, 2, v0", "s_wait_kmcnt 0x0" if target.startswith("gfx12") else "s_waitcnt lgkmcnt(0)"]
    wait = "s_wait_loadcnt 0x0" if target.startswith("gfx12") else "s_waitcnt vmcnt(0)"

    def build(some, name):
        lines = start + [line.replace("WAIT_LOAD", wait) for p in some for line in kernel_of(p, new)]
        path = Path(folder) / f"{name}.co"
        text = FRAME.format(arch=target, body="\n".join(lines), lanes=lanes, more=more)
        text = re.sub(r"(next_free_vgpr|vgpr_count:) 16", r"\1 128", text)
        path.with_suffix(".s").write_text(text)
        subprocess.run([clang, "-x", "assembler", "--target=amdgcn-amd-amdhsa", f"-mcpu={target}",
                        str(path.with_suffix(".s")), "-o", str(path)], check=True)
        return machine.CodeObject(path)

    def launch(some, name):
        words = [row for p in some for x in "abc" for row in p.words(x) + (p.scale_words() if p.scaled and x == "c" else [])]
        count = sum(p.record["c_regs"] for p in some)
        source, result = machine.DeviceMemory(4 * lanes * len(words)), machine.DeviceMemory(4 * lanes * count)
        source.write(numpy.array(words, numpy.uint32).tobytes())
        build(some, name).kernel("kernel").launch((1,), (lanes,), [source, result])
        rows = numpy.frombuffer(result.read(), numpy.uint32).reshape(count, lanes)
        problems, at = [], 0
        for p in some:
            problems.append(p.problem(rows[at:at + p.record["c_regs"]]))
            at += p.record["c_regs"]
        return [problem for problem in problems if problem]

    code = build(products, f"{target}_all")
    places = [at for at, i in code.listing.items() if i.name.startswith(("v_mfma", "v_wmma"))]
    known = [p for p, at in zip(products, places) if at not in code.problems]
    unknown = {p.record["instruction"] for p in products} - {p.record["instruction"] for p in known} | scaled_wmma
    problems = launch(known, target)
    if len(known) < LEAST[target]:
        problems.append(f"{len(known)} matrix instructions of {target} ran, {LEAST[target]} at least did before")
    return [f"{target}, {problem}" for problem in problems], len(known), unknown


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clang", required=True)
    parser.add_argument("--target", action="append")
    arguments = parser.parse_args()
    if reason := machine.reason_to_skip():
        print(f"skipped: {reason}")
        return 77
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for target in arguments.target or TARGETS:
            wrong, count, unknown = run(arguments.clang, target, folder)
            problems += wrong
            print(f"{target}: {count} matrix instructions as golden.json says; not in the machine: "
                  f"{', '.join(sorted(unknown)) or 'none'}")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
