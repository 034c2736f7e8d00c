"""gemm and attention compile kernels that nobody built, keep them, and refuse them with --no-jit.

Each kernel's result is compared with a 64-bit reference by --verify. With --full: 30 random kernels of GEMM for each of six GPUs
and 10 of the CPU; --seed names other ones.
"""

import os
import pathlib
import random
import re
import sys
import tempfile

import numpy

from _program import check, listed_kernels, part_of, problems, runner

FULL_PARTS = 4  # tests that --full is cut into; CMakeLists.txt reads the number

CACHE = pathlib.Path(os.environ["TEGULA_CACHE"])
SIZES = ["--m", 70, "--n", 72, "--k", 96, "--device", "emulator"]
GEMM, ATTENTION = runner("gemm"), runner("attention")
TARGETS = {
    "gfx942": ["bf16", "f16", "tf32", "f32", "int8", "fp8_e4m3"],
    "gfx950": ["bf16", "f16", "tf32", "f32", "int8", "fp8_e4m3"],
    "gfx1201": ["bf16", "f16", "tf32", "f32", "int8", "fp8_e4m3"],
    "sm_80": ["bf16", "f16", "tf32", "f32", "int8"],
    "sm_90a": ["bf16", "f16", "tf32", "f32", "int8", "fp8_e4m3"],
    "sm_100a": ["bf16", "f16", "tf32", "f32", "int8", "fp8_e4m3"],
}


def tiles_of(arch):
    """Those that the target has for any type; the library refuses others by a rule."""
    return sorted({k["tile"] for k in listed_kernels()
                   if (k["family"], k["target"], k["schedule"], k["form"]) == ("gemm", arch, "multistage", "plain")})


def modules():
    return {path.name for path in CACHE.glob("*.so")}


def succeeds(run, *words):
    status, text, error = run(*words, "--verify")
    check(status == 0 and "verified" in text, f"{' '.join(map(str, words))}: status {status}, {text}{error}")


def compiles(run, *words):
    """Refused with --no-jit, computed without, and then from the cache."""
    status, _, error = run(*words, "--no-jit")
    check(status == 2 and error.count("\n") == 1, f"{' '.join(map(str, words))} --no-jit: status {status}, {error}")
    succeeds(run, *words)
    for _ in range(3):  # another test may add a module to the cache meanwhile
        before = modules()
        succeeds(run, *words)
        if before and modules() == before:
            return
    check(False, f"{' '.join(map(str, words))}: compiled again each time, {len(before)} modules before")


def check_five(folder):
    """Products, keys split among blocks and gradients that no file instantiates."""
    compiles(GEMM, *SIZES, "--arch", "gfx942", "--type", "f32")
    compiles(GEMM, *SIZES, "--arch", "gfx942", "--type", "f16", "--splits", 2, "--activation", "gelu")
    compiles(GEMM, *SIZES, "--arch", "sm_89", "--type", "int8", "--tile", "t128x128")
    rng = numpy.random.default_rng(5)
    for name, rows in (("q", 20), ("k", 30), ("v", 30), ("dout", 20)):
        numpy.save(folder / f"{name}.npy", rng.standard_normal((1, 2, rows, 192)).astype("float32"))
    files = [word for name in ("q", "k", "v", "dout") for word in (f"--{name}", folder / f"{name}.npy")]
    files += ["--out", folder / "o.npy", "--device", "emulator", "--type", "f16"]
    compiles(ATTENTION, *files, "--arch", "sm_90a", "--causal")
    compiles(ATTENTION, "--heads", 2, "--seq-q", 20, "--head-dim", 64, "--dropout", 0.5, "--type", "f16", "--arch", "gfx942")


def check_refusals():
    """Without a compiler the message says what to do; what the library has not is refused as before."""
    words = [*SIZES, "--arch", "gfx942", "--type", "f32"]
    os.environ["TEGULA_CXX"], kept = "/no/compiler", os.environ["TEGULA_CXX"]
    status, _, error = GEMM(*words)
    os.environ["TEGULA_CXX"] = kept
    check(status == 2 and "TEGULA_CXX=/no/compiler" in error and error.count("\n") == 1 and
          not re.search("these have one:[^;]*gfx942", error), f"no compiler: {status}, {error}")
    status, _, error = GEMM(*SIZES, "--arch", "gfx90a", "--type", "fp8_e4m3")
    check(status == 2 and "no conversion" in error, f"fp8 on gfx90a: {status}, {error}")
    before = modules()
    status, _, error = GEMM(*SIZES, "--tile", "t7x9; rm -rf *", "--type", "f32", "--arch", "gfx942")
    check(status == 2 and modules() == before and error.count("\n") == 1, f"a tile of signs: {status}, {error}")


def random_kernels(seed):
    """The words of 30 products for each GPU and 10 of the CPU."""
    rng = random.Random(seed)
    for arch, types in TARGETS.items():
        tiles = tiles_of(arch)
        for _ in range(30):
            words = ["--arch", arch, "--type", rng.choice(types), "--tile", rng.choice(tiles)]
            words += ["--layout-a", rng.choice(["row", "col"]), "--layout-b", rng.choice(["row", "col"])]
            if "int8" not in words:
                words += ["--activation", rng.choice(["none", "relu", "gelu", "silu"])]
            words += rng.choice([[], ["--splits", rng.choice([1, 2, 3])]])
            yield ["--m", rng.randint(1, 300), "--n", rng.randint(1, 300), "--k", rng.randint(1, 200), "--device", "emulator",
                   *words]
    for _ in range(10):
        yield ["--m", rng.randint(1, 300), "--n", rng.randint(1, 300), "--k", rng.randint(1, 200), "--device", "cpu", "--type",
               rng.choice(["f16", "bf16", "f32", "tf32", "int8"]), "--splits", rng.choice([1, 2, 3])]


seed = int(sys.argv[sys.argv.index("--seed") + 1]) if "--seed" in sys.argv else 1
if "--full" in sys.argv:
    kernels = part_of(random_kernels(seed))
    for words in kernels:
        succeeds(GEMM, *words)
    print(f"{len(kernels)} kernels, {len(problems)} problems")
else:
    with tempfile.TemporaryDirectory() as name:
        check_five(pathlib.Path(name))
    check_refusals()
    print(f"5 kernels, {len(problems)} problems")
for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
