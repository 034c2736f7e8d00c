"""moe of the program ops on the emulator against NumPy, and on bad input.

A set of cases in which every two values of different options meet: a gate's matrix or scores, one expert and many,
widths in vectors and odd ones; no tokens; ties; for each kind of bad input the exit status, one line, and no file.
"""

import json
import random
import sys
import tempfile
from pathlib import Path

import numpy

from _gemm_model import rounded
from _pairwise import pairwise_cases
from _program import ON_CPU, archs_of_run, check, problems, runner, types_of_run

run = runner("ops")
DEVICE = {"host": "cpu"}

OPTIONS = {
    "arch": archs_of_run("moe"),
    "type": types_of_run(["f32"], "f16", "bf16"),
    "tokens": [1, 33, 70],
    "width": [8, 24, 5],
    "hidden": [16, 40, 7],
    "experts": [1, 4, 9, 70],
    "k": [1, 2, 4],
    "gate": ["matrix", "scores", "ties"],
    "order": ["C", "F"],
}
# Rows enough for the tiles by wgmma, and the same where tensor copies do not reach.
BY_WGMMA = [dict(arch="sm_90a", type=kind, tokens=37, width=width, hidden=hidden, experts=5, k=2, gate="matrix", order="C")
            for kind, width, hidden in (("bf16", 264, 136), ("f16", 264, 136), ("bf16", 263, 135))]
UNIT = {"f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}


def rounded_to(x, kind):
    return (x if kind == "f32" else rounded(x, kind, "gfx942")).astype(numpy.float64)


def usable(case):
    """The case, or None: a matrix is no scores, and there are as many experts as a token goes to."""
    return case if case["k"] <= case["experts"] and case["tokens"] != case["width"] else None


def layer(x, scores, w1, w2, k):
    """In double; and a bound of what rounding between the products does, over its unit."""
    out, bound = numpy.zeros_like(x), numpy.zeros_like(x)
    for t in range(len(x)):
        chosen = numpy.argsort(-scores[t], kind="stable")[:k]
        weights = numpy.exp(scores[t, chosen] - scores[t, chosen[0]])
        for e, weight in zip(chosen, weights / weights.sum()):
            z = x[t] @ w1[e]
            y = z / (1 + numpy.exp(-z))
            out[t] += weight * (y @ w2[e])
            bound[t] += weight * ((abs(y) + abs(x[t]) @ abs(w1[e]) * 2.0**-6) @ abs(w2[e]))
    return out, bound


def check_case(case, folder, rng):
    make = lambda *shape: numpy.asarray(rng.standard_normal(shape), numpy.float32, order=case["order"])
    x = make(case["tokens"], case["width"])
    w1 = make(case["experts"], case["width"], case["hidden"])
    w2 = make(case["experts"], case["hidden"], case["width"])
    gate = make(case["width"] if case["gate"] == "matrix" else case["tokens"], case["experts"])
    if case["gate"] == "ties":
        gate = numpy.round(gate)
    for name, array in [("x", x), ("gate", gate), ("w1", w1), ("w2", w2)]:
        numpy.save(folder / f"{name}.npy", array)
    status, out, err = run("moe", "--in", folder / "x.npy", "--gate", folder / "gate.npy", "--w1", folder / "w1.npy",
                           "--w2", folder / "w2.npy", "--out", folder / "y.npy", "--k", case["k"], "--type",
                           case["type"], "--arch", case["arch"], "--device", DEVICE.get(case["arch"], "emulator"),
                           "--verify", "--json")
    if status != 0:
        check(False, f"{case}: exit status {status}: {err}")
        return
    record = json.loads(out)
    check(record["arch"] == case["arch"] or (case["arch"], record["device"]) == ("host", "cpu"), f"{case}: {out}")
    y = numpy.load(folder / "y.npy")
    x, w1, w2 = (rounded_to(a, case["type"]) for a in (x, w1, w2))
    scores = x @ rounded_to(gate, case["type"]) if case["gate"] == "matrix" else gate.astype(numpy.float64)
    exact, bound = layer(x, scores, w1, w2, case["k"])
    check(y.dtype == numpy.float32 and y.shape == exact.shape, f"{case}: {y.dtype} {y.shape}")
    unit = UNIT[case["type"]] + 2.0**-24 * 2 * (case["width"] + case["hidden"] + 16)
    check((abs(y - exact) <= unit * bound + 1e-6).all(), f"{case}: off by {abs(y - exact).max()}")


def check_no_tokens(folder):
    for name, shape in [("x", (0, 8)), ("gate", (8, 4)), ("w1", (4, 8, 8)), ("w2", (4, 8, 8))]:
        numpy.save(folder / f"{name}.npy", numpy.ones(shape, numpy.float32))
    status, _, err = run("moe", *files(folder), "--out", folder / "y.npy", "--k", 2, "--device", "emulator")
    check(status == 0 and numpy.load(folder / "y.npy").shape == (0, 8), f"no tokens: exit status {status}: {err}")


def files(folder, **other):
    names = {"in": "x", "gate": "gate", "w1": "w1", "w2": "w2"} | other
    return [word for option, name in names.items() for word in (f"--{option}", folder / f"{name}.npy")]


def check_bad_input(folder):
    for name, shape in [("x", (3, 8)), ("gate", (8, 4)), ("w1", (4, 8, 6)), ("w2", (4, 6, 8)), ("flat", (8,)),
                        ("cube", (4, 6, 7)), ("none", (0, 8, 6)), ("none2", (0, 6, 8)), ("none_gate", (8, 0))]:
        numpy.save(folder / f"{name}.npy", numpy.ones(shape, numpy.float32))
    for arguments, words in [
        (files(folder) + ["--k", 5], "--k is 5; a token goes to 1 of 4 experts to all"),
        (files(folder) + ["--k", 0], "--k is 0"),
        (files(folder, **{"in": "flat"}), "two dimensions"),
        (files(folder, w1="x"), "three dimensions"),
        (files(folder, w2="cube"), "--w2 has shape (4, 6, 7)"),
        (files(folder, gate="flat"), "it must be (8, 4), a matrix that --in is multiplied by, or (3, 4), scores"),
        (files(folder, w1="none", w2="none2", gate="none_gate"), "--w1 has 0 experts"),
    ]:
        status, _, err = run("moe", *arguments, "--out", folder / "bad.npy", "--device", "emulator")
        check(status == 2 and len(err.splitlines()) == 1 and words in err, f"{words}: exit status {status}: {err}")
        check(not (folder / "bad.npy").exists(), f"{words}: wrote a file")


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    rng = numpy.random.default_rng(1)
    cases = list(pairwise_cases(OPTIONS, random.Random(1), usable))
    cases += [dict(case, arch="host") for case in cases if ON_CPU]
    cases += [case for case in BY_WGMMA if case["arch"] in OPTIONS["arch"]]
    for case in cases:
        check_case(case, folder, rng)
    check_no_tokens(folder)
    check_bad_input(folder)
print("\n".join(problems[:20]))
sys.exit(bool(problems))
