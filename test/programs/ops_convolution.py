"""conv2d of the program ops on the emulator against NumPy, and on bad input.

NumPy's convolution is written here from the definition: for each tap of the filter, the pixels under it times the tap.
A set of cases in which every two values of different options meet; empty images, gaps of stride and dilation, groups,
Fortran order and float16 files; for each kind of bad input the exit status, one line, and no file.
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
    "arch": archs_of_run("convolution"),
    "type": types_of_run(["f32"], "f16", "bf16"),
    "images": [1, 2],
    "size": [(7, 9), (12, 5), (1, 1)],
    "channels": [1, 3, 8, 16],
    "filters": [1, 8, 5],
    "groups": [1, 2],
    "filter": [(3, 3), (1, 1), (2, 4)],
    "stride": [(1, 1), (2, 2), (3, 1)],
    "padding": [(1, 1), (0, 0), (2, 3), (0, 1, 2, 0)],
    "dilation": [(1, 1), (2, 1)],
    "dtype": ["float32", "float16"],
    "order": ["C", "F"],
}
# Filters and channels enough for the tiles by wgmma, and the same where vectors do not reach.
BY_WGMMA = [dict(arch="sm_90a", type=kind, images=2, size=(9, 11), channels=channels, filters=filters, groups=1, filter=(3, 3),
                 stride=(1, 1), padding=(1, 1), dilation=(1, 1), dtype="float32", order="C")
            for kind, channels, filters in (("bf16", 40, 72), ("f16", 40, 72), ("bf16", 37, 70))]


def numpy_rounded(x, kind):
    x = x.astype(numpy.float32)
    return (x if kind == "f32" else rounded(x, kind, "gfx942")).astype(numpy.float64)


def sides(padding):
    """Before and behind along rows and columns, of two numbers or of four."""
    return (padding[:2], padding[2:]) if len(padding) == 4 else ((padding[0],) * 2, (padding[1],) * 2)


def usable(case):
    """The case, or None where the filter does not fit the padded image."""
    room = [n + sum(p) - d * (f - 1) for n, p, d, f in zip(case["size"], sides(case["padding"]), case["dilation"],
                                                           case["filter"])]
    return case if min(room) >= 1 else None


def convolve(x, w, stride, padding, dilation, groups):
    """In double: the sum over taps, and that of the magnitudes."""
    images, height, width, channels = x.shape
    filters, rows, columns, of_group = w.shape
    padded = numpy.pad(x, ((0, 0), *sides(padding), (0, 0)))
    lengths = [(padded.shape[i + 1] - dilation[i] * (w.shape[i + 1] - 1) - 1) // stride[i] + 1 for i in range(2)]
    y = numpy.zeros((images, *lengths, filters))
    for r in range(rows):
        for s in range(columns):
            top, left = r * dilation[0], s * dilation[1]
            seen = padded[:, top:top + (lengths[0] - 1) * stride[0] + 1:stride[0],
                          left:left + (lengths[1] - 1) * stride[1] + 1:stride[1]]
            for g in range(groups):
                k = slice(g * filters // groups, (g + 1) * filters // groups)
                y[..., k] += seen[..., g * of_group:(g + 1) * of_group] @ w[k, r, s].T
    return y


def check_case(case, folder, rng):
    channels, filters = case["channels"] * case["groups"], case["filters"] * case["groups"]
    make = lambda *shape: numpy.asarray(rng.standard_normal(shape), case["dtype"], order=case["order"])
    x, w = make(case["images"], *case["size"], channels), make(filters, *case["filter"], case["channels"])
    numpy.save(folder / "x.npy", x)
    numpy.save(folder / "w.npy", w)
    listed = lambda values: ",".join(str(v) for v in values)
    status, out, err = run("conv2d", "--in", folder / "x.npy", "--weight", folder / "w.npy", "--out", folder / "y.npy",
                           "--stride", listed(case["stride"]), "--padding", listed(case["padding"]), "--dilation",
                           listed(case["dilation"]), "--groups", case["groups"], "--type", case["type"], "--arch",
                           case["arch"], "--device", DEVICE.get(case["arch"], "emulator"),
                           "--verify", "--json")
    if status != 0:
        check(False, f"{case}: exit status {status}: {err}")
        return
    record = json.loads(out)
    check((record["arch"] == case["arch"] and record["device"] == "emulator") or
          (case["arch"], record["device"]) == ("host", "cpu"), f"{case}: {record}")
    y = numpy.load(folder / "y.npy")
    x, w = (numpy_rounded(a, case["type"]) for a in (x, w))
    options = case["stride"], case["padding"], case["dilation"], case["groups"]
    exact, magnitude = convolve(x, w, *options), convolve(abs(x), abs(w), *options)
    check(y.dtype == numpy.float32 and y.shape == exact.shape, f"{case}: {y.dtype} {y.shape}, not {exact.shape}")
    terms = case["channels"] * case["filter"][0] * case["filter"][1]
    if y.shape == exact.shape:
        check((abs(y - exact) <= (terms + 1) * 2.0**-23 * magnitude + 1e-30).all(),
              f"{case}: off by {abs(y - exact).max(initial=0)}")


def check_empty(folder):
    for images, channels, filters in [(0, 3, 4), (2, 0, 4), (2, 3, 0)]:
        numpy.save(folder / "x.npy", numpy.ones((images, 5, 5, channels), numpy.float32))
        numpy.save(folder / "w.npy", numpy.ones((filters, 3, 3, channels), numpy.float32))
        status, _, err = run("conv2d", "--in", folder / "x.npy", "--weight", folder / "w.npy", "--out",
                             folder / "y.npy", "--device", "emulator")
        check(status == 0, f"empty: exit status {status}: {err}")
        y = numpy.load(folder / "y.npy")
        check(y.shape == (images, 3, 3, filters) and not y.any(), f"empty: {y.shape}")


def check_bad_input(folder):
    numpy.save(folder / "x.npy", numpy.ones((1, 4, 4, 6), numpy.float32))
    numpy.save(folder / "w.npy", numpy.ones((4, 3, 3, 6), numpy.float32))
    numpy.save(folder / "flat.npy", numpy.ones((4, 6), numpy.float32))
    for extra, words in [
        (["--groups", "4"], "groups is 4, which does not divide 6 channels and 4 filters"),
        (["--groups", "2"], "its last dimension must be 3"),
        (["--stride", "0,1"], "stride 0 is 0"),
        (["--padding", "-1,0"], "--padding has -1"),
        (["--padding", "1,0,2"], "--padding has 3 numbers"),
        (["--dilation", "1,0"], "dilation 1 is 0"),
        (["--weight", folder / "flat.npy"], "must have four dimensions"),
        (["--arch", "gfx1"], "--arch"),
    ]:
        arguments = ["--in", folder / "x.npy", "--out", folder / "bad.npy", "--device", "emulator"]
        if "--weight" not in extra:
            arguments += ["--weight", folder / "w.npy"]
        status, _, err = run("conv2d", *arguments, *extra)
        check(status == 2 and len(err.splitlines()) == 1 and words in err, f"{extra}: exit status {status}: {err}")
        check(not (folder / "bad.npy").exists(), f"{extra}: wrote a file")


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    rng = numpy.random.default_rng(1)
    cases = list(pairwise_cases(OPTIONS, random.Random(1), usable))
    cases += [dict(case, arch="host") for case in cases if ON_CPU]
    cases += [case for case in BY_WGMMA if case["arch"] in OPTIONS["arch"]]
    for case in cases:
        check_case(case, folder, rng)
    check_empty(folder)
    check_bad_input(folder)
print("\n".join(problems[:20]))
sys.exit(bool(problems))
