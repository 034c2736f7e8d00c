"""The program ops: its operations on rows on the emulator and on the CPU against NumPy, and bad input.

A set of cases in which every two values of different options meet (--full: three times as many, and of every type); empty arrays,
infinities and NaN; rows of a million; the JSON record and the counters' sectors; for each kind of bad input the exit
status, one line, and no file.
"""

import json
import random
import sys
import tempfile
from pathlib import Path

import numpy

from _attention_model import rounded
from _pairwise import pairwise_cases
from _program import FULL, ON_CPU, archs_of_run, check, problems, program, runner, types_of_run

PROGRAM = program("ops")
run = runner("ops")
RECORD = {"operation", "shape", "type", "arch", "device", "seconds", "bytes", "gb_per_s", "max_abs_error",
          "max_rel_error", "worst_ratio"}

OPTIONS = {
    "operation": ["softmax", "log_softmax", "layernorm", "rmsnorm", "cross_entropy", "topk_softmax"],
    "arch": archs_of_run("rows"),
    "type": types_of_run(["f32"], "f16", "bf16"),
    "shape": [(3, 64), (65,), (2, 5, 12), (2, 2, 1, 2, 1, 2, 1, 9), (4, 1), (2, 3000)],
    "axis": [-1, 0],
    "extra": [False, True],  # weight, bias and residual
    "dtype": ["float32", "float16"],
    "order": ["C", "F"],
}


def as_type(x, kind):
    return numpy.asarray(x, numpy.float64) if kind == "f32" else rounded(x, kind)


def usable(case):
    """Only some operations have an axis, or operands that may be left out."""
    changed = dict(case)
    if case["operation"] == "cross_entropy":
        changed["axis"] = -1
    if case["operation"] not in ("layernorm", "rmsnorm"):
        changed["extra"] = False
    return changed


# Formulas


def log_softmax(x, axis):
    greatest = x.max(axis, keepdims=True)
    return x - greatest - numpy.log(numpy.exp(x - greatest).sum(axis, keepdims=True))


def norm(x, kind, weight=None, bias=None, eps=1e-5, axis=-1):
    x = numpy.moveaxis(x, axis, -1)
    mean = x.mean(-1, keepdims=True) if kind == "layernorm" else 0
    y = (x - mean) / numpy.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + eps)
    return numpy.moveaxis(y * (1 if weight is None else weight) + (0 if bias is None else bias), -1, axis)


def topk_softmax(x, k, axis):
    indices = numpy.take(numpy.argsort(-x, axis, kind="stable"), range(k), axis)
    return numpy.exp(log_softmax(numpy.take_along_axis(x, indices, axis), axis)), indices


# Cases


def run_case(case, folder, rng):
    operation, kind, axis = case["operation"], case["type"], case["axis"]
    files = {name: folder / f"{name}.npy" for name in ("x", "w", "b", "r", "l", "y", "i")}

    def save(name, array):
        numpy.save(files[name], array)
        return array

    def numbers(*shape):
        return numpy.asarray(rng.standard_normal(shape), case["dtype"], order=case["order"])

    x = as_type(save("x", numbers(*case["shape"])), kind)
    words = [operation, "--in", files["x"], "--out", files["y"], "--type", kind, "--arch", case["arch"], "--device",
             "cpu" if case["arch"] == "host" else "emulator", "--json", "--verify"]
    bound = 3e-6
    indices = None
    if operation in ("softmax", "log_softmax"):
        words += ["--axis", axis]
        y = log_softmax(x, axis)
        y = numpy.exp(y) if operation == "softmax" else y
    elif operation == "cross_entropy":
        labels = save("l", rng.integers(0, x.shape[-1], x.shape[:-1]))
        words += ["--labels", files["l"]]
        y = -numpy.take_along_axis(log_softmax(x, -1), labels[..., None], -1)[..., 0]
    elif operation == "topk_softmax":
        k = min(3, x.shape[axis])
        words += ["--axis", axis, "--k", k, "--indices", files["i"]]
        y, indices = topk_softmax(x, k, axis)
    else:
        weight = bias = None
        if case["extra"]:
            weight, bias = (as_type(save(name, numbers(x.shape[axis])), kind) for name in "wb")
            x = as_type(numpy.float32(x) + numpy.float32(as_type(save("r", numbers(*x.shape)), kind)), kind)
            words += ["--weight", files["w"], "--bias", files["b"], "--residual", files["r"]]
        words += ["--axis", axis]
        y = norm(x, operation, weight, bias, axis=axis)
        bound = 3e-5
    status, text, error = run(*words)
    check(status == 0, f"{case}: status {status}: {error}")
    if status != 0:
        return
    record = json.loads(text)
    check(RECORD <= record.keys() and record["operation"] == operation and
          (record["arch"] == case["arch"] or case["arch"] == "host" and record["device"] == "cpu") and
          tuple(record["shape"]) == case["shape"], f"{case}: record {record}")
    got = numpy.load(files["y"])
    check(got.dtype == numpy.float32 and got.shape == y.shape, f"{case}: {got.dtype} {got.shape} for {y.shape}")
    if got.shape == y.shape:
        worst = float(numpy.max(numpy.abs(got - y) / (1 + numpy.abs(y)), initial=0))
        check(worst <= bound, f"{case}: error {worst}")
    if indices is not None:
        found = numpy.load(files["i"])
        check(found.dtype == numpy.int64 and numpy.array_equal(found, indices), f"{case}: indices")


def check_edges(folder, rng):
    x, y, c = folder / "x.npy", folder / "y.npy", folder / "c.json"
    for shape in ((0, 5), (5, 0), (0,), (3, 0, 2)):
        numpy.save(x, numpy.zeros(shape, "float32"))
        for operation in ("softmax", "layernorm"):
            status, _, error = run(operation, "--in", x, "--out", y, "--verify")
            check(status == 0 and numpy.load(y).shape == shape, f"{operation} of {shape}: {error}")

    special = rng.standard_normal((5, 40)).astype("float32")
    special[0, 3] = special[2] = -numpy.inf
    special[1, 7], special[3, 0] = numpy.nan, numpy.inf
    numpy.save(x, special)
    with numpy.errstate(invalid="ignore"):
        expected = numpy.exp(log_softmax(special.astype("float64"), -1))
    status, _, error = run("softmax", "--in", x, "--out", y, "--verify")
    check(status == 0 and numpy.allclose(numpy.load(y), expected, 1e-5, equal_nan=True), f"infinities: {error}")

    largest = numpy.finfo("float32").max
    for operation, row, options, expected in [
            ("softmax", [1e12] * 3, [], [1 / 3] * 3), ("softmax", [-largest] * 2, [], [0.5] * 2),
            ("topk_softmax", [1e12] * 3, ["--k", 2, "--indices", folder / "i.npy"], [0.5] * 2),
            ("log_softmax", [1e38, -3e38], [], [0, -numpy.inf]),
            ("layernorm", [1e30, -1e30] * 3, [], [1, -1] * 3), ("rmsnorm", [1e-30] * 4, ["--eps", 0], [1] * 4)]:
        numpy.save(x, numpy.array([row], "float32"))
        status, _, error = run(operation, "--in", x, "--out", y, "--verify", *options)
        check(status == 0 and numpy.allclose(numpy.load(y), expected, 1e-5, 0), f"{operation} of {row}: {error}")

    million = (rng.standard_normal((1, 1_000_003)) + 100).astype("float32")
    numpy.save(x, million)
    for operation in ("log_softmax", "layernorm"):
        status, _, error = run(operation, "--in", x, "--out", y, "--arch", "gfx942", "--checks", "off")
        wide = million.astype("float64")
        expected = log_softmax(wide, -1) if operation == "log_softmax" else norm(wide, operation)
        check(status == 0 and numpy.allclose(numpy.load(y), expected, 1e-5, 1e-4), f"a row of a million: {error}")
    # Whole vectors, in f16, with every check.
    million = (3 * rng.standard_normal((1, 1_000_000))).astype("float16")
    million[0, 777_777] = 30
    numpy.save(x, million)
    numpy.save(folder / "l.npy", numpy.array([123_456]))
    wide, indices = million.astype("float64"), folder / "i.npy"
    for operation, options, expected in [
            ("softmax", [], numpy.exp(log_softmax(wide, -1))),
            ("cross_entropy", ["--labels", folder / "l.npy"], -log_softmax(wide, -1)[:, 123_456]),
            ("topk_softmax", ["--k", 4, "--indices", indices], None)]:
        status, _, error = run(operation, "--in", x, "--out", y, "--type", "f16", "--arch", "gfx942", *options)
        if expected is None:
            expected, places = topk_softmax(wide, 4, -1)
            check(status == 0 and numpy.array_equal(numpy.load(indices), places), f"indices of a row of a million: {error}")
        check(status == 0 and numpy.allclose(numpy.load(y), expected, 1e-5, 1e-6),
              f"{operation} of a row of a million in f16: {error}")

    # More than a kernel finds at a time, along either dimension, with ties; all of them.
    many = numpy.round(40 * rng.standard_normal((700, 3))).astype("float32")
    many[5, 0] = -numpy.inf
    numpy.save(x, many)
    for operation, k in [("topk", 513), ("topk", 700), ("topk_softmax", 33), ("topk_softmax", 700)]:
        status, _, error = run(operation, "--in", x, "--out", y, "--indices", folder / "i.npy", "--k", k, "--axis", 0, "--verify")
        weights, places = topk_softmax(many.astype("float64"), k, 0)
        expected = weights if operation == "topk_softmax" else numpy.take_along_axis(many, places, 0)
        check(status == 0 and numpy.array_equal(numpy.load(folder / "i.npy"), places) and
              numpy.allclose(numpy.load(y), expected, 1e-5, 1e-30), f"the {k} largest by {operation}: {error}")

    # Whole vectors, read once, or twice where a row is too long for registers: the sectors and accesses that the bytes have;
    # besides them a row's label for each of four waves and its logit, or its results, at most two.
    numpy.save(folder / "l.npy", numpy.zeros(6, "int64"))
    for operation, options, per_row in [("softmax", [], 0), ("log_softmax", [], 0), ("layernorm", [], 0), ("rmsnorm", [], 0),
                                        ("cross_entropy", ["--labels", folder / "l.npy"], 5),
                                        ("topk_softmax", ["--k", 4, "--indices", folder / "i.npy"], 2)]:
        for rows, length, reads in ((6, 4096, 1), (2, 40960, 2)):
            if (operation, length) == ("topk_softmax", 40960):
                continue  # a row that does not fit is read once for each of the k
            if (operation, length) == ("cross_entropy", 40960):
                numpy.save(folder / "l.npy", numpy.zeros(2, "int64"))
            numpy.save(x, rng.standard_normal((rows, length)).astype("float32"))
            status, _, error = run(operation, "--in", x, "--out", y, "--counters", c, *options)
            counters = json.loads(c.read_text()) if status == 0 else {}
            whole = per_row == 0  # the result has the rows' length
            for name, times in (("load", 1 if operation in ("cross_entropy", "topk_softmax") else reads), ("store", int(whole))):
                sectors, accesses = counters.get(f"global_{name}_sectors", -1), counters.get(f"global_{name}s", -1)
                least = times * rows * length * 4 // 32, times * rows * length * 4 // (16 * 64)
                check(0 <= sectors - least[0] <= per_row * rows and 0 <= accesses - least[1] <= per_row * rows,
                      f"{operation} of {rows} rows of {length}: {name}s {accesses} of {sectors} sectors, not {least} {error}")


# Bad input


def bad_inputs(folder):
    """Arguments, and a word that the complaint must contain."""
    for name, array in {"x": numpy.ones((3, 4), "float32"), "scalar": numpy.float32(1), "complex": numpy.ones((3, 4), "complex64"),
                        "nine": numpy.ones((1,) * 9, "float32"), "w": numpy.ones(3, "float32"),
                        "labels": numpy.array([0, 4, 1]), "few": numpy.array([0, 1])}.items():
        numpy.save(folder / f"{name}.npy", array)
    (folder / "text.npy").write_text("1 2 3\n")

    def file(name):
        return folder / f"{name}.npy"

    yield [], "operation"
    yield ["softmx", "--in", file("x")], "log_softmax"
    yield ["softmax"], "--in"
    for bad in ("missing", "complex", "text", "nine"):
        yield ["softmax", "--in", file(bad)], f"{bad}.npy"
    yield ["softmax", "--in", file("scalar")], "--axis"
    yield ["softmax", "--in", file("x"), "--axis", "2"], "-2 to 1"
    yield ["softmax", "--in", file("x"), "--axis", "-3"], "-2 to 1"
    yield ["softmax", "--in", file("x"), "--weight", file("w")], "--weight"
    yield ["layernorm", "--in", file("x"), "--weight", file("w")], "(4,)"
    yield ["layernorm", "--in", file("x"), "--residual", file("w")], "(3, 4)"
    for bad in ("-1", "nan", "much"):
        yield ["rmsnorm", "--in", file("x"), "--eps", bad], "--eps"
    yield ["cross_entropy", "--in", file("x")], "--labels"
    yield ["cross_entropy", "--in", file("x"), "--labels", file("few")], "(3,)"
    yield ["cross_entropy", "--in", file("x"), "--labels", file("labels")], "from 0 to 3"
    yield ["cross_entropy", "--in", file("x"), "--labels", file("w")], "integers"
    for bad in ("0", "5", "-1"):
        yield ["topk_softmax", "--in", file("x"), "--k", bad], "from 1 to 4"
    yield ["softmax", "--in", file("x"), "--arch", "gfx906"], "gfx942"
    yield ["softmax", "--in", file("x"), "--type", "fp8"], "bf16"
    yield ["softmax", "--in", file("x"), "--device", "cpus"], "emulator"
    yield ["softmax", "--in", file("x"), "--device", "cpu", "--arch", "gfx942"], "x86_avx2"
    yield ["softmax", "--in", file("x"), "--checks", "maybe"], "off"
    yield ["softmax", "--in", file("x"), "--fast"], "--fast"
    yield ["softmax", "--in", file("x"), "--counters", folder / "c.json", "--checks", "off"], "--checks"
    for name in ("--out", "--counters"):
        yield ["softmax", "--in", file("x"), name, folder / "none" / "x"], "folder"
    yield ["topk_softmax", "--in", file("x"), "--k", "1", "--out", folder / "s", "--indices", folder / "s"], "same file"
    yield ["topk_softmax", "--in", file("x"), "--k", "1", "--indices", file("x")], "the same file as --in"
    yield ["softmax", "--in", file("x"), "--out", f"{folder}/./x.npy"], "the same file as --in"


def check_bad_input(folder):
    count = 0
    for words, needed in bad_inputs(folder):
        before = sorted(folder.iterdir())
        output = ["--out", folder / "out.npy"] if "--out" not in words and words else []
        status, text, error = run(*words, *output)
        check(status == 2 and text == "" and len(error.splitlines()) == 1 and needed in error,
              f"{[str(w) for w in words]}: status {status}, expected {needed!r} in one line: {error}{text}")
        check(sorted(folder.iterdir()) == before, f"{words} wrote a file")
        count += 1
    return count


def main():
    if not PROGRAM.exists():
        print("skipped: ops is not built")
        return 77
    draw, rng = random.Random(15), numpy.random.default_rng(15)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases = [case for _ in range(3 if FULL else 1) for case in pairwise_cases(OPTIONS, draw, usable)]
        if ON_CPU:
            cases += [dict(case, arch="host") for case in cases]
        cases += [dict(case, arch="gfx942", type="f16") for case in cases[:12]]
        for case in cases:
            run_case(case, folder, rng)
        check_edges(folder, rng)
        bad = folder / "bad"
        bad.mkdir()
        refused = check_bad_input(bad)
    for problem in problems[:40]:
        print(problem)
    print(f"{len(cases)} operations, {refused} bad inputs, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
