"""gemm on the emulator against NumPy, and on bad input.

A set of cases in which every two values of different options meet, and of the grid of architectures, types, tiles,
layouts and paddings, with the other options cycling through theirs, every eleventh (--full: all). Without --full type and
GPUs are those that are built in, but for a few cases of two other types on one target. Products of nothing,
infinities and NaN, and the messages about them. The progress of a long product. A long k, split and shared evenly. The JSON
record, the counters and their zero bank conflicts. Each kind of bad input gives its exit status, one line, and no file.
"""

import itertools
import json
import os
import pty
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

from _gemm_bad_inputs import bad_inputs, write_bad_files
from _gemm_model import expected, worst_ratio
from _pairwise import pairwise_cases
from _program import (FULL, ON_CPU, PART, archs_of_run, check, check_cases, kernels_of, problems, program, runner,
                      types_of_run)

FULL_PARTS = 8  # tests that --full is cut into; CMakeLists.txt reads the number

PROGRAM = program("gemm")
run = runner("gemm")
RECORD = {"m", "n", "k", "type", "arch", "device", "tile", "seconds", "tflops", "max_abs_error", "max_rel_error"}
COUNTERS = {"mma_instructions", "global_loads", "global_stores", "shared_load_conflicts", "shared_store_conflicts", "global_load_sectors",
            "global_store_sectors", "barriers", "shared_bytes"}

LISTED = kernels_of("gemm")
# (architecture, type, tile) -> forms of the kernels for the emulator. A product of any size has no tile: a multistage one.
FORMS = {}
for listed in LISTED:
    FORMS.setdefault((listed["target"], listed["type"], listed["tile"]), set()).add(listed["form"])
    if listed["schedule"] == "multistage":
        FORMS.setdefault((listed["target"], listed["type"], None), set()).add(listed["form"])
OF_COPIES = ("ws", "tc")  # how names of tiles with tensor copies begin

OPTIONS = {
    "arch": archs_of_run("gemm"),
    "type": types_of_run(["bf16"], "f16", "tf32", "int8", "fp8_e4m3"),
    "tile": [None, *dict.fromkeys(k["tile"] for k in LISTED if k["form"] != "block_scaled")],
    "layout_a": ["row", "col"],
    "layout_b": ["row", "col"],
    "pad": [None, 0, 3],
    "m": [1, 7, 64, 65, 129],
    "n": [1, 13, 64, 97, 128],
    "k": [1, 31, 64, 65, 130],
    "batch": ["none", "both", "a", "b"],
    "alpha": [1, -0.5, 0],
    "source": [None, "matrix", "batch"],
    "bias": [False, True],
    "activation": ["none", "relu", "gelu", "silu"],
    "splits": [None, 1, 3, "stream"],
    "dtype": ["float32", "float16"],
    "order": ["C", "F"],
}
ON_DEMAND = ["f16", "tf32", "int8", "fp8_e4m3"]
INTEGER_OPTIONS = {"alpha": 1, "source": None, "bias": False, "activation": "none"}


# Cases


def takes_tensor_copies(case):
    """Whether a product can be multiplied by a tile with tensor copies.

    Addresses are multiples of 16 bytes. k lies along rows of memory, or the tile takes the type in any order. C has rows of
    whole 16 bytes, or k is shared. There is something to multiply.
    """
    along_k = case["layout_a"] == "row" and case["layout_b"] == "col"
    any_order = ("bf16", "f16") if case["tile"].startswith("ws") else ("bf16", "f16", "int8", "fp8_e4m3")
    shares_k = case["splits"] != 1 and "split_k" in FORMS[case["arch"], case["type"], case["tile"]]
    return (case["pad"] is None and (case["n"] % 4 == 0 or shares_k) and (along_k or case["type"] in any_order)
            and (case["alpha"] != 0 or case["type"] == "int8"))


def usable(case):
    """The case, with what int8 has not left out; None where the architecture has no such type or tile."""
    forms = FORMS.get((case["arch"], case["type"], case["tile"]))
    if forms is None or ((case["tile"] or "").startswith(OF_COPIES) and not takes_tensor_copies(case)):
        return None
    case = {**case, **(INTEGER_OPTIONS if case["type"] == "int8" else {})}
    if "split_k" not in forms:
        case["splits"] = None
    if case["source"] == "batch" and case["batch"] == "none":
        case["source"] = "matrix"
    return case


def grid_cases(rng):
    grid = ["arch", "type", "tile", "layout_a", "layout_b", "pad"]
    others = {o: itertools.cycle(rng.sample(v, len(v))) for o, v in OPTIONS.items() if o not in grid}
    for values in itertools.product(*(OPTIONS[o] for o in grid)):
        case = usable(dict(zip(grid, values)) | {o: next(c) for o, c in others.items()})
        if case:
            yield case


def cases_on_demand(rng):
    """A few of two types that are compiled on demand, on gfx942 in one tile."""
    options = OPTIONS | {"arch": ["gfx942"], "tile": ["t64x64"]}
    for kind in ("f16", "int8"):
        for _ in range(4):
            yield {**usable({name: rng.choice(values) for name, values in options.items()} | {"type": kind}), "splits": None}


def make_arrays(case, rng):
    m, n, k, batch = case["m"], case["n"], case["k"], 3
    scale = 40 if case["type"] == "int8" else 1

    def array(*shape):
        values = rng.standard_normal(shape) * scale
        return numpy.asarray(values, case["dtype"], order=case["order"])

    a = array(*([batch] if case["batch"] in ("both", "a") else []), m, k)
    b = array(*([batch] if case["batch"] in ("both", "b") else []), k, n)
    c = {None: None, "matrix": array(m, n), "batch": array(batch, m, n)}[case["source"]]
    return a, b, c, array(n) if case["bias"] else None


def splits_of(case, tile):
    """The splits that the record names: no more than k has steps of the tile."""
    block_k = int(tile.split("x")[2])
    k = case["k"] if case["alpha"] != 0 else 0
    return case["splits"] if case["splits"] == "stream" else min(case["splits"], max(1, -(-k // block_k)))


def check_case(number, case, folder):
    """Runs the case; what is wrong with it, or nothing."""
    a, b, c, bias = make_arrays(case, numpy.random.default_rng(number))
    device = case.get("device", "emulator")
    words = ["--arch", case["arch"], "--type", case["type"], "--device", device, "--json", "--layout-a",
             case["layout_a"], "--layout-b", case["layout_b"], "--alpha", case["alpha"], "--activation",
             case["activation"], "--verify"]
    beta = [1, 0, -1.5][number % 3] if c is not None else 0
    for name, array in {"a": a, "b": b, "c": c, "bias": bias}.items():
        if array is not None:
            numpy.save(folder / f"{number}_{name}.npy", array)
            words += [f"--{name}", folder / f"{number}_{name}.npy"]
    words += ["--beta", beta] if c is not None else []
    words += ["--tile", case["tile"]] if case["tile"] else []
    words += ["--splits", case["splits"]] if case["splits"] else []
    words += ["--pad", case["pad"]] if case["pad"] is not None else []
    out, counters = folder / f"{number}_out.npy", folder / f"{number}_counters.json"
    words += ["--counters", counters] if device == "emulator" else []
    status, text, error = run(*words, "--out", out)
    if status != 0 or error:
        return f"{case}: status {status}, {error}"
    wrong = []
    record, result = json.loads(text), numpy.load(out)
    value, bound = expected(a, b, case["type"], case["arch"], case["alpha"], beta, c, bias, case["activation"])
    ratio = worst_ratio(result, value, bound)
    if ratio > 1 or result.dtype != (numpy.int32 if case["type"] == "int8" else numpy.float32):
        wrong.append(f"{result.dtype} result {result.shape} for {value.shape}, {ratio} times the bound")
    if not RECORD <= set(record) or (record["m"], record["n"], record["k"]) != (case["m"], case["n"], case["k"]):
        wrong.append(f"record {record}")
    if record["arch"] != case["arch"] or record["type"] != case["type"] or record["device"] != device:
        wrong.append(f"record {record}")
    if case["splits"] and record["splits"] != splits_of(case, record["tile"]):
        wrong.append(f"splits {record['splits']}")
    counted = json.loads(counters.read_text()) if device == "emulator" else dict.fromkeys(COUNTERS, 0)
    if set(counted) != COUNTERS or counted["shared_load_conflicts"] or counted["shared_store_conflicts"]:
        wrong.append(f"counters {counted}")
    for file in folder.glob(f"{number}_*"):
        file.unlink()
    return f"{case}: {'; '.join(wrong)}" if wrong else None


# Edges


def multiply(folder, a, b, *words, **arrays):
    """The result for these arrays, or None."""
    files = []
    for name, array in {"a": a, "b": b, **arrays}.items():
        numpy.save(folder / f"{name}.npy", array)
        files += [f"--{name}", folder / f"{name}.npy"]
    out = folder / "edge.npy"
    status, _, error = run(*files, "--out", out, "--verify", *words)
    check(status == 0, f"{a.shape} {b.shape} {words}: status {status}, {error}")
    return numpy.load(out) if status == 0 else None


def check_empty(folder):
    for m, n, k in itertools.product((0, 3), (0, 5), (0, 4)):
        for words, kind in (([], "float32"), (["--type", "int8", "--arch", "gfx942"], "int32")):
            a, b = numpy.ones((m, k), "float32"), numpy.ones((k, n), "float32")
            result = multiply(folder, a, b, *words)
            check(result is not None and result.shape == (m, n) and result.dtype == kind and (result == k).all(),
                  f"{m} x {n} x {k}: {result}")
    a, b = numpy.ones((0, 4, 3), "float32"), numpy.ones((3, 2), "float32")
    result = multiply(folder, a, b)
    check(result is not None and result.shape == (0, 4, 2), f"batch of 0: {result}")
    # Nothing is multiplied, but C0 and bias count.
    a, b, c = numpy.ones((3, 0), "float32"), numpy.ones((0, 4), "float32"), numpy.full((3, 4), 2, "float32")
    result = multiply(folder, a, b, "--beta", "3", c=c, bias=numpy.arange(4, dtype="float32"))
    check(result is not None and (result == 6 + numpy.arange(4)).all(), f"K of 0 with C0 and bias: {result}")


def check_arrays(folder):
    """Batches by the rules of numpy.matmul, vectors, and every type of number that NumPy and ml_dtypes save."""
    rng = numpy.random.default_rng(6)
    for left, right in (((2, 3, 4, 5), (2, 3, 5, 6)), ((2, 1, 4, 5), (3, 5, 6)), ((1, 1, 4, 5), (5, 6)), ((3, 4, 5), (2, 1, 5, 6)),
                        ((5,), (5, 6)), ((4, 5), (5,)), ((5,), (5,)), ((2, 3, 4, 5), (5,)), ((5,), (2, 5, 6)), ((0, 2, 4, 5), (5, 6)),
                        ((2, 1, 1, 4, 5), (1, 3, 1, 5, 6))):
        a, b = (rng.integers(-4, 5, shape).astype("float32") for shape in (left, right))
        exact = numpy.matmul(a, b)
        result = multiply(folder, a, b)
        check(result is not None and result.shape == exact.shape and (result == exact).all(), f"{left} x {right}: {result}")
        if exact.ndim > 0:
            c = rng.integers(-4, 5, exact.shape).astype("float32")
            for source in (c, c[:1] if exact.ndim > 2 else c):
                result = multiply(folder, a, b, "--beta", "2", c=source)
                check(result is not None and (result == exact + 2 * source).all(), f"{left} x {right} with C0 {source.shape}: {result}")
    b = numpy.eye(8, dtype="float32")
    values = numpy.array([[0, 1, -1, 2, 0.5, -2, 1.5, 3]])
    for kind in ("float16", "float32", "float64", ">f4", ">f8"):
        result = multiply(folder, values.astype(kind), b)
        check(result is not None and (result == values).all(), f"{kind}: {result}")
    whole = numpy.array([[0, 1, 2, 3, 100, 127, 7, 64]])
    for kind in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", ">i4"):
        result = multiply(folder, whole.astype(kind), b)
        check(result is not None and (result == whole.astype(kind).astype("float32")).all(), f"{kind}: {result}")
    # The bits of the OCP and IEEE formats, by their documents.
    bits = {"": (values.astype("float32").view("uint32") >> 16).astype("uint16").view("V2"),
            ":float8_e4m3fn": [0, 0x38, 0xb8, 0x40, 0x30, 0xc0, 0x3c, 0x44], ":float8_e4m3fnuz": [0, 0x40, 0xc0, 0x48, 0x38, 0xc8, 0x44, 0x4c],
            ":float8_e5m2": [0, 0x3c, 0xbc, 0x40, 0x38, 0xc0, 0x3e, 0x42], ":float8_e5m2fnuz": [0, 0x40, 0xc0, 0x44, 0x3c, 0xc4, 0x42, 0x46],
            ":float6_e2m3fn": [0, 8, 0x28, 16, 4, 0x30, 12, 20], ":float6_e3m2fn": [0, 12, 0x2c, 16, 8, 0x30, 14, 18],
            ":float4_e2m1fn": [0, 2, 10, 4, 1, 12, 3, 5],
            ":float8_e4m3": [0, 0x38, 0xb8, 0x40, 0x30, 0xc0, 0x3c, 0x44], ":float8_e3m4": [0, 0x30, 0xb0, 0x40, 0x20, 0xc0, 0x38, 0x48],
            ":float8_e4m3b11fnuz": [0, 0x58, 0xd8, 0x60, 0x50, 0xe0, 0x5c, 0x64]}
    for name, stored in bits.items():
        stored = stored if name == "" else numpy.array([stored], "uint8").view("V1")
        numpy.save(folder / "typed.npy", stored)
        numpy.save(folder / "eye.npy", b)
        status, _, error = run("--a", f"{folder / 'typed.npy'}{name}", "--b", folder / "eye.npy", "--out", folder / "out.npy")
        check(status == 0 and (numpy.load(folder / "out.npy") == values).all(), f"{name}: {error}")
    numpy.save(folder / "typed.npy", numpy.array([[0, 1, 0xff, 7, 0xf8, 3, 2, 0xfe]], "uint8").view("V1"))
    for name, stored in {"int4": [0, 1, -1, 7, -8, 3, 2, -2], "uint4": [0, 1, 15, 7, 8, 3, 2, 14], "int2": [0, 1, -1, -1, 0, -1, -2, -2],
                         "uint2": [0, 1, 3, 3, 0, 3, 2, 2], "int1": [0, -1, -1, -1, 0, -1, 0, 0], "uint1": [0, 1, 1, 1, 0, 1, 0, 0]}.items():
        status, _, error = run("--a", f"{folder / 'typed.npy'}:{name}", "--b", folder / "eye.npy", "--out", folder / "out.npy", "--type", "int8", "--arch", "gfx942")
        check(status == 0 and (numpy.load(folder / "out.npy") == stored).all(), f"{name}: {error}")
    numpy.save(folder / "typed.npy", numpy.array([[0, 0x78, 0x80, 0x70, 0xfe, 1, 0x7c, 8]], "uint8").view("V1"))
    status, _, error = run("--a", f"{folder / 'typed.npy'}:float8_e5m3fnu", "--b", folder / "eye.npy", "--out", folder / "out.npy")
    unsigned = [0, 1, 2, 0.5, 14 * 2.0**13, 2.0**-17, 1.5, 2.0**-14]
    check(status == 0 and (numpy.load(folder / "out.npy") == unsigned).all(), f"float8_e5m3fnu: {error}")


def check_special_values(folder):
    rng = numpy.random.default_rng(5)
    a, b = rng.standard_normal((4, 8)).astype("float32"), rng.standard_normal((8, 6)).astype("float32")
    a[0, 3], a[1, 2], a[2, 1], a[3], b[2, 0] = numpy.nan, numpy.inf, -numpy.inf, 0, 0
    for arch, activation in itertools.product(OPTIONS["arch"], OPTIONS["activation"]):
        result = multiply(folder, a, b, "--arch", arch, "--activation", activation)
        value, bound = expected(a, b, "bf16", arch, activation=activation)
        check(result is not None and worst_ratio(result, value, bound) <= 1, f"{arch} {activation}: {result}")
    for arch, least in (("gfx942", 2.0**-20), *([("gfx90a", 0), ("gfx1100", 2.0**-20)] if FULL else [])):
        result = multiply(folder, numpy.full((1, 1), 2.0**-20, "float32"), numpy.ones((1, 1), "float32"),
                          "--arch", arch, "--type", "f16")
        check(result is not None and (result == least).all(), f"{arch}: a subnormal of f16 times one is {result}")
    # Partial sums past the largest float: no number comes out, and the program does not call that an error.
    multiply(folder, numpy.full((1, 2), 1e38, "float32"), numpy.array([[10], [-10]], "float32"))
    # alpha of 0 does not read A and B, beta of 0 not C0.
    c = numpy.full((4, 6), numpy.nan, "float32")
    result = multiply(folder, a, b, "--alpha", "0", "--beta", "0", c=c)
    check(result is not None and (result == 0).all(), f"alpha and beta of 0: {result}")
    result = multiply(folder, numpy.array([[300.0, -300, 2.5, numpy.nan]], "float32"), numpy.eye(4, dtype="float32"),
                      "--type", "int8", "--arch", "gfx942")
    check(result is not None and (result == [[127, -128, 2, 0]]).all(), f"int8 saturation: {result}")


def check_words(folder):
    """The messages about inputs that are no numbers, about sums near 0, and about speed on the emulator."""
    def says(a, b, *words):
        numpy.save(folder / "words_a.npy", numpy.asarray(a, "float32"))
        numpy.save(folder / "words_b.npy", numpy.asarray(b, "float32"))
        files = ["--a", folder / "words_a.npy", "--b", folder / "words_b.npy", "--arch", "gfx942", "--verify", *words]
        status, text, error = run(*files)
        _, record, _ = run(*files, "--json")
        check(status == 0 and error == "", f"{words}: status {status}, {error}")
        return text, json.loads(record or "{}")

    a, b = numpy.ones((2, 3, 4)), numpy.ones((4, 5))
    text, record = says(a, b)
    check("TFLOP" not in text and record["tflops"] is None, f"the emulator has a speed: {text}{record}")
    check(record["not_finite_input"] is None and "of the input" not in text, f"all is finite: {text}{record}")
    a[1, 2, 3] = numpy.nan
    for words in ([], ["--type", "int8"]):  # int8 makes a 0 of it
        text, record = says(a, b, *words)
        check(record["not_finite_input"] == "A[1, 2, 3] is NaN" and "A[1, 2, 3] is NaN" in text, f"{text}{record}")
    _, record = says(a, b, "--alpha", "0")
    check(record["not_finite_input"] is None, f"A is not read: {record}")
    b[3, 1] = 1e30
    _, record = says(numpy.ones((3, 4)), b, "--type", "f16")
    check(record["not_finite_input"] == "B[3, 1] is infinite as f16", f"{record}")
    # The sum is 1e-60 beside terms of 1e30: its error is large to it and small to them.
    _, record = says([[1e30, -1e30, 1e-30]], [[1], [1], [1e-30]])
    check(record["max_rel_error"] == 0, f"a relative error where terms cancel: {record}")


def check_progress():
    """A terminal sees how far a long product is; the program is stopped as soon as it has said so."""
    ours, its = pty.openpty()
    # Minutes on any machine: the first line comes after two seconds.
    words = ["--m", 4096, "--n", 4096, "--k", 4096, "--tile", "t64x64", "--arch", "gfx942"]
    process = subprocess.Popen([PROGRAM, *(str(w) for w in words)], stdout=subprocess.DEVNULL, stderr=its)
    os.close(its)
    seen = ""
    while "%" not in seen:
        try:
            seen += os.read(ours, 1000).decode()
        except OSError:  # it has ended
            break
    process.kill()
    process.wait()
    os.close(ours)
    check("multiplying [" in seen and " %" in seen, f"no progress is shown: {seen!r}")


def check_random_data():
    def record(*words):
        status, text, error = run("--m", 33, "--n", 20, "--k", 70, "--json", "--verify", *words)
        check(status == 0, f"random data {words}: status {status}, {error}")
        return json.loads(text) if status == 0 else {}

    first, again, other = record(), record(), record("--seed", 2)
    check(first.get("max_abs_error") == again.get("max_abs_error"), "the same seed gives other data")
    check(first.get("max_abs_error") != other.get("max_abs_error"), "another seed gives the same data")
    shape = record("--tile", "t32x128").get("tile")
    check(record("--tile", shape).get("tile") == shape, f"tile {shape} is not known by its shape")


def check_double(folder):
    """--type f64 on the CPU: what float would lose in 3000 additions is there."""
    if not ON_CPU:
        return
    rng = numpy.random.default_rng(3)
    a, b = (rng.standard_normal(shape).astype(numpy.float32) for shape in ((2, 19, 3000), (3000, 23)))
    numpy.save(folder / "a64.npy", a)
    numpy.save(folder / "b64.npy", numpy.asfortranarray(b))
    status, text, error = run("--a", folder / "a64.npy", "--b", folder / "b64.npy", "--out", folder / "c64.npy", "--type",
                              "f64", "--device", "cpu", "--layout-b", "col", "--verify", "--json")
    check(status == 0, f"f64: status {status}, {error}")
    if status == 0:
        exact = a.astype(numpy.float64) @ b.astype(numpy.float64)
        c = numpy.load(folder / "c64.npy")
        check((abs(c - exact) <= 2.0**-23 * abs(exact) + 1e-12).all(), f"f64: off by {abs(c - exact).max()}")
        check(json.loads(text)["type"] == "f64", f"f64: {text}")


def check_launcher():
    """sm_90a: warp-specialised where tensor copies can address the operands, by the rows there are; else multistage."""
    def shape(*words):
        status, text, error = run("--arch", "sm_90a", "--json", *words)
        check(status == 0, f"{words}: status {status}, {error}")
        return json.loads(text).get("tile") if status == 0 else None

    sizes = ["--n", 512, "--k", 512]
    few, odd = shape("--m", 16, *sizes), shape("--m", 16, *sizes, "--pad", 3)
    check(few == "16x128x128", f"16 rows take the tile {few}")
    check(odd == shape("--m", 16, *sizes, "--pad", 3, "--tile", odd) and odd != few,
          f"rows that start anywhere take the tile {odd}")


def check_long_k(folder):
    """Few tiles and a long k: split by default; NumPy's product whoever sums which part, bit by bit from run to run."""
    rng = numpy.random.default_rng(7)
    a, wide = rng.standard_normal((50, 4100)).astype("float32"), rng.standard_normal((4100, 72)).astype("float32")
    counters = folder / "counters.json"
    stores = {}
    targets = [["gfx942"]] + ([["gfx1201"], ["sm_90a", "--tile", "ws64x128"]] if FULL else [])
    for (arch, *tile), splits in itertools.product(targets, ("auto", 1, 2, 7, 1000, "stream")):
        words = ["--arch", arch, *tile, "--splits", splits]
        b = wide if tile else wide[:, :70]  # tensor copies write whole groups of columns
        result = multiply(folder, a, b, *words, "--counters", counters)
        value, bound = expected(a, b, "bf16", arch)
        check(result is not None and worst_ratio(result, value, bound) <= 1, f"{words} is wrong")
        again = multiply(folder, a, b, *words)
        check(result is not None and again is not None and result.tobytes() == again.tobytes(), f"{words} differ")
        stores[splits] = json.loads(counters.read_text())["global_store_sectors"]
        if splits == 7:  # each split stores its partial sums
            check(stores[7] > 2 * stores[2] > 4 * stores[1], f"{arch} stores {stores} sectors")
    for m, n, k, split in ((64, 64, 16384, True), (256, 256, 256, False)):
        status, text, error = run("--arch", "gfx942", "--m", m, "--n", n, "--k", k, "--checks", "off", "--json")
        check(status == 0 and (json.loads(text)["splits"] > 1) == split, f"{m} x {n} x {k}: {text}{error}")


def check_list():
    status, text, error = run("--list-tiles")
    check(status == 0 and error == "" and all(arch in text for arch in OPTIONS["arch"]), f"--list-tiles: {text}")
    status, text, error = run("--list-tiles", "--json", "--arch", "gfx942", "--device", "emulator")
    entries = json.loads(text) if status == 0 else []
    check(all(e["splits"] == ("split_k" in FORMS[e["arch"], e["type"], e["name"]]) for e in entries), f"--list-tiles --json: {text}")
    check({e["type"] for e in entries} == {"bf16", *ON_DEMAND} and {e["arch"] for e in entries} == {"gfx942"},
          f"--list-tiles --json: {text} {error}")


# Bad input


def check_bad_input(folder):
    write_bad_files(folder)
    before = sorted(folder.iterdir())
    count = 0
    for words, needed in bad_inputs(folder):
        output = [] if "--out" in words else ["--out", folder / "out.npy"]
        status, text, error = run(*words, *output)
        lines = error.splitlines()
        check(status == 2 and text == "" and len(lines) == 1 and needed in error,
              f"{[str(w) for w in words]}: status {status}, expected {needed!r} in one line: {error}{text}")
        check(sorted(folder.iterdir()) == before, f"{words} wrote a file")
        count += 1
    # Files that were there stay as they are.
    kept = folder / "kept.npy"
    kept.write_text("kept")
    run("--a", folder / "a.npy", "--b", folder / "a.npy", "--out", kept)
    check(kept.read_text() == "kept", "bad input changed the output file")
    return count


def check_the_rest(folder):
    """Runs the checks that have no cases. Returns the number of bad inputs."""
    check_empty(folder)
    check_arrays(folder)
    check_special_values(folder)
    check_words(folder)
    check_long_k(folder)
    check_double(folder)
    check_progress()
    check_random_data()
    check_launcher()
    check_list()
    bad = folder / "bad"
    bad.mkdir()
    return check_bad_input(bad)


def main():
    if not PROGRAM.exists():
        print("skipped: gemm is not built")
        return 77
    rng = random.Random(2024)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases = list(pairwise_cases(OPTIONS, rng, usable)) + list(grid_cases(rng))[:: 1 if FULL else 11]
        cases += [] if FULL else cases_on_demand(rng)
        count = check_cases(check_case, cases, folder)
        refused = check_the_rest(folder) if PART == 1 else 0
    for problem in problems[:40]:
        print(problem)
    print(f"{count} products, {refused} bad inputs, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
