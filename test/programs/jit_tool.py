"""tegula-jit: lists, removes and compiles kernels ahead, and an archive serves a program that has no compiler.

With --full: kernels for GPUs by nvcc, where it is; nothing launches them.
"""

import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from _program import check, problems, program, runner

SOURCE = Path(os.environ["TEGULA_SOURCE_DIR"])
JIT, EXAMPLE = runner("tegula-jit"), runner("kernel_on_demand")
os.environ["TEGULA_INCLUDE"] = str(SOURCE / "include")
# The example's requests.
TEXT, GEMM = re.findall(r'R"\((.*?)\)"', (SOURCE / "examples/22_kernel_on_demand.cpp").read_text(), re.S)
REQUEST = {"source": TEXT, "kernel": "scale", "target": "gfx942"}
PRODUCT = {"source": GEMM, "kernel": "::kernel", "target": "sm_80", "device": "emulator"}


def refused(words, needed):
    status, _, error = JIT(*words)
    check(status == 2 and needed in error and error.count("\n") == 1, f"{words}: status {status}, {error}")


def check_archive(folder):
    requests, archive = folder / "requests.json", folder / "kernels.bin"
    requests.write_text(json.dumps([REQUEST, PRODUCT]))
    words = ["build", requests, "--archive", archive, "--without-engine", "--jobs", 2]
    status, text, error = JIT(*words)
    check(status == 0 and text.count(": compiled\n") == 2, f"build: {status}, {text}{error}")
    status, text, _ = JIT(*words)
    check(status == 0 and text.count(": was compiled\n") == 2, f"build again: {text}")
    status, text, _ = JIT("list")
    check("scale for gfx942 on emulator" in text and "::kernel for sm_80" in text and "2 kernels" in text, f"list: {text}")

    os.environ.update(TEGULA_CXX="/no/compiler", TEGULA_CACHE=str(folder / "empty"))
    status, _, error = EXAMPLE()
    check(status == 1 and "TEGULA_CXX=/no/compiler" in error, f"without an archive: {status}, {error}")
    os.environ["TEGULA_ARCHIVE"] = str(archive)
    status, text, error = EXAMPLE()
    check(status == 0 and "half of 3 is 1.5, a sum of 64 ones is 64" in text, f"with an archive: {status}, {text}{error}")
    whole = archive.read_bytes()
    for damage, needed in ((b"", "is no archive"), (whole[:len(whole) // 2], "is cut"), (whole[:-1] + b"?", "/no/compiler")):
        archive.write_bytes(damage)
        status, _, error = EXAMPLE()
        check(status == 1 and needed in error, f"{needed}: {status}, {error}")
    archive.unlink()
    check("cannot be read" in EXAMPLE()[2], "a missing archive")
    del os.environ["TEGULA_ARCHIVE"]
    os.environ["TEGULA_CXX"], os.environ["TEGULA_CACHE"] = CXX, str(folder / "cache")


def check_failures(folder):
    requests, archive = folder / "requests.json", folder / "none.bin"
    requests.write_text(json.dumps([REQUEST, {**REQUEST, "source": TEXT + "int x = y;\n"}]))
    status, text, _ = JIT("build", requests, "--archive", archive, "--without-engine")
    check(status == 1 and not archive.exists() and "line 13: " in text and len(text.splitlines()) == 2, f"a source that does not compile: {status}, {text}")
    refused(["build", folder / "nothing.json"], "cannot be read")
    for bad, needed in (("{}", "no JSON list"), ("[1]", "no request"), ('[{"source": 3}]', '"source"'),
                        ('[{"source": "", "kernel": "k", "target": "gfx942", "device": "tpu"}]', "emulator, gpu or cpu")):
        requests.write_text(bad)
        refused(["build", requests], needed)
    refused([], "subcommand")
    refused(["--cache", requests, "list"], "is no folder")
    status, text, _ = JIT("clear")
    check(status == 0 and "2 modules removed" in text, f"clear: {text}")
    check("0 kernels" in JIT("list")[1], "a cleared cache has kernels")


def check_gpus(folder):
    """Modules for NVIDIA GPUs, with the launch function of their kernel."""
    if not shutil.which("nvcc", path=os.environ["PATH"] + ":/usr/local/cuda/bin"):
        print("nvcc was not found: no module for GPUs is compiled")
        return
    requests = [{**r, "target": target, "device": "gpu"} for target in ("sm_80", "sm_90a", "sm_100a") for r in (REQUEST, PRODUCT)]
    (folder / "gpus.json").write_text(json.dumps(requests))
    status, text, error = JIT("build", folder / "gpus.json", "--archive", folder / "gpus.bin", "--jobs", 2)
    check(status == 0 and text.count(": compiled\n") == len(requests), f"for GPUs: {status}, {text}{error}")


CXX = os.environ["TEGULA_CXX"]
if not program("tegula-jit").exists() or not program("kernel_on_demand").exists():
    print("skipped: tegula-jit is not built")
    sys.exit(77)
with tempfile.TemporaryDirectory() as name:
    os.environ["TEGULA_CACHE"] = str(Path(name) / "cache")
    if "--full" in sys.argv:
        check_gpus(Path(name))
    else:
        check_archive(Path(name))
        check_failures(Path(name))
for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
