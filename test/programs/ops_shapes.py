"""ops on the emulator and on the CPU against NumPy for operations on arrays of any shape: reductions, argmin and argmax, scans,
permutations, top-k, gathers, rotary embeddings; and on bad input.
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy

from _gemm_model import round_bits
from _program import FULL, ON_CPU, archs_of_run, check, problems, runner

run = runner("ops")
ARCHS = archs_of_run("shapes")
TYPES = ["f32", "f16", "bf16"]

random = numpy.random.default_rng(1)


def rounded(x, kind):
    """x as float64, rounded to the type."""
    if kind == "f16":
        x = x.astype(numpy.float16)
    elif kind == "bf16":
        x = round_bits(x, 16)
    return x.astype(numpy.float64)


def compute(folder, operation, x, kind, arch, *options, **files):
    """The arrays --out and --indices of a run, or None."""
    arguments = [operation, "--in", folder / "x.npy", "--out", folder / "y.npy", "--type", kind, "--arch", arch,
                 "--device", "cpu" if arch == "host" else "emulator", "--verify", "--json", *options]
    numpy.save(folder / "x.npy", x)
    for name, array in files.items():
        numpy.save(folder / f"{name}.npy", array)
        arguments += [f"--{name}", folder / f"{name}.npy"]
    status, out, errors = run(*arguments)
    what = f"{operation} {x.shape} {kind} {arch} {options}"
    check(status == 0, f"{what}: exit status {status}, {errors}")
    if status != 0:
        return None
    record = json.loads(out)
    check(record["arch"] == arch or arch == "host" and record["device"] == "cpu", f"{what}: {out}")
    return numpy.load(folder / "y.npy")


def check_close(found, expected, tolerance, what):
    if found is None:
        return
    check(found.shape == expected.shape, f"{what}: shape {found.shape}, not {expected.shape}")
    if found.shape == expected.shape:
        near = numpy.isclose(found.astype(numpy.float64), expected, rtol=tolerance, atol=tolerance, equal_nan=True)
        check(near.all(), f"{what}: {numpy.count_nonzero(~near)} of {near.size} elements differ")


def data(shape, order="C"):
    return numpy.asarray(random.standard_normal(shape), dtype=numpy.float32, order=order)


def check_reductions(folder, kind, arch):
    for op, shape, axes, keep in [("sum", (5, 37, 8), (0, 2), False), ("mean", (300, 7), (1,), True),
                                  ("max", (4, 5, 6), (-2,), False), ("min", (33, 70), (0,), False),
                                  ("prod", (3, 4, 5), (0, 1, 2), False), ("sum", (0, 5), (0,), False)]:
        x = data(shape, "F" if op == "max" else "C")
        y = compute(folder, "reduce", x, kind, arch, "--op", op, "--axes", ",".join(str(a) for a in axes),
                    *(["--keepdims"] if keep else []))
        check_close(y, getattr(rounded(x, kind), op)(axis=axes, keepdims=keep), 1e-4, f"{op} of {shape}, {kind}, {arch}")
    x = numpy.round(data((6, 50)) * 2)
    x[2, 7] = numpy.nan
    for operation, axis in [("argmin", 1), ("argmax", 0)]:
        y = compute(folder, operation, x, kind, arch, "--axis", axis)
        check(y is not None and y.dtype == numpy.int64 and (y == getattr(numpy, operation)(x, axis=axis)).all(),
              f"{operation}, {kind}, {arch}")


def check_scans(folder, kind, arch):
    x = data((4, 130, 3))
    y = rounded(x, kind)
    check_close(compute(folder, "scan", x, kind, arch, "--axis", 1), numpy.cumsum(y, axis=1), 1e-4, "cumsum")
    shifted = numpy.cumsum(y, axis=-1) - y
    check_close(compute(folder, "scan", x, kind, arch, "--exclusive"), shifted, 1e-4, "exclusive sum")
    check_close(compute(folder, "scan", x, kind, arch, "--op", "prod"), numpy.cumprod(y, axis=-1), 1e-4, "cumprod")
    largest = numpy.maximum.accumulate(y, axis=0)
    check_close(compute(folder, "scan", x, kind, arch, "--op", "max", "--axis", 0), largest, 0, "running maximum")


def check_overflow(folder):
    """--verify takes what float makes of sums and products that no float holds."""
    for operation, options, x, expected in [
            ("scan", ["--op", "sum"], [3e38, 3e38, -3e38], [3e38, numpy.inf, numpy.inf]),
            ("reduce", ["--op", "sum"], [-3e38, -3e38], -numpy.inf),
            ("reduce", ["--op", "prod"], [1e30, -1e30], -numpy.inf), ("scan", ["--op", "prod"], [1e30, 1e30], [1e30, numpy.inf])]:
        found = compute(folder, operation, numpy.array(x, "float32"), "f32", ARCHS[0], *options, "--verify")
        check(found is not None and numpy.allclose(found, expected), f"{operation} {options} of {x}: {found}")


def check_moves(folder, kind, arch):
    x = data((5, 66, 33), "F")
    for axes in [(2, 0, 1), (0, 2, 1), (0, 1, 2)]:
        y = compute(folder, "permute", x, kind, arch, "--axes", ",".join(str(a) for a in axes))
        check_close(y, rounded(x, kind).transpose(axes), 0, f"permute {axes}")
    indices = random.integers(-5, 5, (3, 4))
    check_close(compute(folder, "gather", x, kind, arch, indices=indices), rounded(x, kind)[indices], 0, "gather")

    x = numpy.round(data((3, 40)) * 2)
    found = compute(folder, "topk", x, kind, arch, "--k", 7, "--indices", folder / "i.npy")
    order = numpy.argsort(-x, axis=1, kind="stable")[:, :7]
    check_close(found, numpy.take_along_axis(x, order, axis=1).astype(numpy.float64), 0, "top-k")
    check((numpy.load(folder / "i.npy") == order).all(), f"indices of top-k, {kind}, {arch}")


def check_rotary(folder, kind, arch):
    x = data((2, 3, 9, 16))
    positions = random.integers(-5, 100000, 9)
    y = compute(folder, "rope", x, kind, arch, "--base", 500, positions=positions)
    angles = positions[:, None] * 500.0 ** (-2 * numpy.arange(8) / 16)
    low, high = rounded(x, kind)[..., :8], rounded(x, kind)[..., 8:]
    cosine, sine = numpy.cos(angles), numpy.sin(angles)
    expected = numpy.concatenate([low * cosine - high * sine, low * sine + high * cosine], axis=-1)
    check_close(y, expected, {"f32": 1e-5, "f16": 2e-3, "bf16": 2e-2}[kind], f"rope, {kind}, {arch}")


def check_widths(folder, kind, arch, wave):
    """Accesses of 16 bytes where lengths allow them, of one element where not; no sector more than the bytes have."""
    size = 4 if kind == "f32" else 2

    def counted(operation, shape, *options, **files):
        compute(folder, operation, data(shape), kind, arch, "--counters", folder / "c.json", *options, **files)
        return json.loads((folder / "c.json").read_text())

    # The dimensions of a narrow shape cannot be joined to one of whole vectors.
    for operation, wide, narrow, options, out_size in [
            ("permute", (128, 192), (128, 191), ("--axes", "1,0"), size),
            ("permute", (4, 16, 256), (4, 17, 65), ("--axes", "1,0,2"), size),
            ("reduce", (64, 1024), (64, 1023), ("--axes", "1"), None),
            ("reduce", (64, 1024), (64, 1023), ("--axes", "0"), None),
            ("argmax", (64, 1024), (64, 1023), (), None),
            ("scan", (16, 4096), (16, 1001), (), 4),
            ("scan", (64, 1024), (64, 1023), ("--axis", "0"), 4)]:
        for shape, bytes_a_lane in ((wide, 16), (narrow, size)):
            found, what = counted(operation, shape, *options), f"{operation} {shape} {options}, {kind}, {arch}"
            elements = int(numpy.prod(shape))
            vector = bytes_a_lane if operation != "scan" or shape is narrow else min(16, 16 * size // 4)
            loads = elements * size / (vector * wave)
            if shape is wide:
                check(found["global_loads"] == loads, f"{what}: {found['global_loads']} loads, not {loads}")
                check(found["global_load_sectors"] == elements * size // 32, f"{what}: {found['global_load_sectors']} sectors")
                if out_size:
                    stores = elements * out_size / (16 * wave)
                    check(found["global_stores"] == stores, f"{what}: {found['global_stores']} stores, not {stores}")
                    check(found["global_store_sectors"] == elements * out_size // 32, f"{what}: sectors of stores")
            else:
                check(found["global_loads"] >= loads, f"{what}: {found['global_loads']} loads of elements")
    indices = random.integers(0, 5, 40)
    for length, at_most in ((512, 16), (511, size)):
        stores = 40 * -(-length * size // (at_most * wave))
        found = counted("gather", (5, length), indices=indices)
        check(found["global_stores"] == stores, f"gather of {length}, {kind}, {arch}: {found['global_stores']} stores")
    elements = 2 * 4 * 64 * 128  # the angles' tables are read besides
    found = counted("rope", (2, 4, 64, 128), positions=numpy.arange(64))
    check(found["global_stores"] == elements * size // (16 * wave) and
          found["global_store_sectors"] == elements * size // 32, f"rope, {kind}, {arch}: {found['global_stores']} stores")
    found = counted("topk", (8, 2048), "--k", 4, "--indices", folder / "i.npy")
    check(found["global_load_sectors"] == 8 * 2048 * size // 32 and found["global_loads"] == 8 * 2048 * size // (16 * wave),
          f"top-k, {kind}, {arch}: {found['global_loads']} loads of {found['global_load_sectors']} sectors")


def check_million(folder, kind, arch):
    x = numpy.round(data((1, 1_000_000)) * 100)
    order = numpy.argsort(-x, axis=1, kind="stable")[:, :9]
    found = compute(folder, "topk", x, kind, arch, "--k", 9, "--indices", folder / "i.npy")
    check_close(found, numpy.take_along_axis(x, order, axis=1).astype(numpy.float64), 0, "top-k of a million")
    check((numpy.load(folder / "i.npy") == order).all(), "indices of top-k of a million")
    y = compute(folder, "argmin", x, kind, arch)
    check(y is not None and y[0] == x.argmin(), "argmin of a million")
    y = compute(folder, "reduce", x, kind, arch, "--op", "max", "--counters", folder / "c.json")
    check_close(y, x.max().astype(numpy.float64), 0, "maximum of a million")
    stores = json.loads((folder / "c.json").read_text())["global_stores"]
    check(stores == 1_000_000 // 8192 + 1, f"{stores} stores for the maximum of a million: of each part, and the result")


def check_bad_input(folder):
    numpy.save(folder / "x.npy", data((4, 5)))
    numpy.save(folder / "i.npy", numpy.array([0, 4]))
    numpy.save(folder / "n.npy", numpy.array([-4, -5]))
    given = ["--in", folder / "x.npy", "--out", folder / "none.npy", "--device", "emulator"]
    for arguments, text in [(["reduce", *given, "--op", "median"], "--op"), (["reduce", *given, "--axes", "2"], "--axes"),
                            (["reduce", *given, "--axes", "0,-2"], "twice"), (["permute", *given, "--axes", "1,1"], "once"),
                            (["topk", *given, "--k", "6"], "--k is 6"), (["argmax", *given, "--axis", "3"], "--axis"),
                            (["gather", *given, "--indices", folder / "i.npy"], "--indices has 4"),
                            (["gather", *given, "--indices", folder / "n.npy"], "--indices has -5"),
                            (["rope", *given, "--positions", folder / "i.npy"], "length 5")]:
        status, _, errors = run(*arguments)
        check(status == 2 and text in errors and errors.count("\n") == 1, f"{arguments[0]}: {status}, {errors}")
    check(not (folder / "none.npy").exists(), "a file was written")


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    check_overflow(folder)
    for arch in ARCHS:
        for kind in TYPES if FULL else ["f32"]:
            for one in (check_reductions, check_scans, check_moves, check_rotary):
                one(folder, kind, arch)
    if ON_CPU:
        for kind in TYPES if FULL else ["f32"]:
            for one in (check_reductions, check_scans, check_moves, check_rotary):
                one(folder, kind, "host")
        status, out, errors = run("topk", "--in", folder / "x.npy", "--out", folder / "y.npy", "--indices", folder / "i.npy",
                                  "--k", 1, "--axis", 0, "--json")
        check(status == 0 and json.loads(out)["device"] in ("cpu", "gpu"), f"topk without --device: {status}, {out}{errors}")
    check_widths(folder, "f32", "gfx942", 64)
    check_million(folder, "f16" if FULL else "f32", "gfx942")
    if FULL:
        check_widths(folder, "f16", "sm_80", 32)
    check_bad_input(folder)

for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
