"""Instructions of our kernels beside those of rivals' for the same; no GPU is needed.

    beside_rivals.py BUILD            BUILD: a build folder, whose code objects of attention and rows are compared

    --out FILE       what is printed, as JSON, with date, commit, compilers and their flags. Parts that the file has already stay,
                     if this run does not compare them
    --only PART...   attention, products, reads, rows: parts of what is compared with Triton's; aiter, flash-attention, flash-mla,
                     deep-gemm, cutlass, cubin. Without it the script says which rivals it does not compare for want of a checkout
    --aiter DIR      a checkout of ROCm/aiter, whose code objects of attention and products (hsa/) are read
    --flash-attention DIR, --flash-mla DIR, --deep-gemm DIR
                     checkouts of Dao-AILab/flash-attention, deepseek-ai/FlashMLA and deepseek-ai/DeepGEMM. nvcc compiles seven
                     kernels, one and two for sm_90a, one after the other: a minute or two and up to 5 GB each. Status 1 where
                     a folder is not what is needed, 77 without nvcc.
    --cutlass DIR    a checkout of NVIDIA/cutlass: three products of its builders are compared, and it takes the place of the
                     others' own submodules
    --cubin FILE     kernels of sm_90a that a rival's own build has left; --symbol REGEX names them

Triton's kernels are compiled here: attention, products, reads and rows need the packages triton and numpy. What this Python has
not, pip takes from PyPI into BUILD/rivals, as ./dev takes what tests need: 1.1 GB. PIP_NO_INDEX=1 in the environment forbids it.
Where that fails the script says so (status 77). The other comparisons need neither package. Printed:

- attention forward, 128 columns, bf16 and f16, gfx942 and gfx1201: instructions of a round of the main loop for the work
  of one matrix instruction (32x32x8 on gfx942, 16x16x16 on gfx1201). Triton: 128 or 256 queries, 64 keys.
- attention backward, 64 columns in f16 and 128 in bf16, the same figures of the kernel of dK and dV and of that of dQ. Triton: as
  many rows a block as ours, 32 or 64 of the others at a time.
- products in bf16 with both operands along k. gfx942 and gfx950: instructions of a round for the work of a 32x32x8 or 16x16x32
  instruction; ours are tiles of test/device/gemm_schedules.cpp and gemm_direct.cpp. sm_100a: instructions that all warps of a
  block issue in their loops for a 128x256x16 product. Ours is the 256x256 tile of a pair of blocks, of which one lane copies and one
  multiplies. On gfx950 Triton's reads that transpose are executed, too.
- attention forward on sm_90a, for the work of a 64x128x16 wgmma, by the disassembler that Triton brings: all instructions, and those
  of the vector units, in which products wait if they are not hidden. Ours is warp-specialised; Triton: 128 queries.
- softmax of f16 and layer norm with weight and bias of bf16, one row of 16384 elements, gfx942: instructions that all waves
  execute on the machine of test/device/isa. Triton has 4, 8 and 16 warps. Also their bytes, each read or written once.
- softmax and layer norm on sm_80 and sm_90a: instructions of PTX that all warps execute on the machine of test/ptx, without
  copies of registers. It checks the results, too. PTX hides what a division costs and counts halves put together. So on sm_90a
  also those of machine code: the shortest way through the kernel with the loads and stores that a row has.
- AITER's forward and backward of 128 columns in bf16, gfx942 and gfx950, beside ours: instructions of a round of the main loop for
  each matrix instruction, and the share of the matrix units without and with waits, by the models of test/device. Its products
  in bf16 (gfx950) and block-scaled fp8: instructions of a round for the work of a 16x16x32 instruction.
- FlashAttention-3's kernels of attention, sm_90a, beside ours: what is printed of attention on sm_90a, and of the backward pass
  the instructions of all products for 64x32 scores. Ours in seven products has no sums whose order changes.
- FlashMLA's kernel of dense keys in bf16, sm_90a, beside ours: cycles that units take by their rates, and how fast ours is if the
  slowest unit decides.
- CUTLASS's products in bf16, fp8 and block-scaled fp8 and DeepGEMM's in block-scaled fp8, sm_90a, beside ours: instructions for one
  wgmma, and how many of them add up sums.
- of each kernel of --cubin what is printed of attention on sm_90a.
"""

import argparse
import importlib
import json
import os
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path += [str(ROOT / "test" / "device"), str(ROOT / "test" / "device" / "isa")]
import _sass  # noqa: E402
from compile_time import commit  # noqa: E402
from rivals import aiter, checkouts, products, wgmma  # noqa: E402

PARTS = ("attention", "products", "reads", "rows")  # those that Triton's kernels are compared in, in this order: rivals/with_triton.py
PACKAGES = {"numpy": "numpy", "triton": "triton==3.9.0"}  # modules, and what pip calls them
CHECKOUTS = {"aiter": "ROCm/aiter", "flash-attention": checkouts.FLASH_ATTENTION.repository, "flash-mla": checkouts.FLASH_MLA.repository,
             "deep-gemm": checkouts.DEEP_GEMM.repository, "cutlass": checkouts.CUTLASS.repository}


def count_cubin(nvdisasm, cubin, symbol):
    """Sentences: wgmma.count of each kernel of a file whose name matches."""
    for name in sorted(_sass.read(nvdisasm, cubin)):
        if re.search(symbol, name):
            yield wgmma.describe(name, wgmma.count(nvdisasm, cubin, f"^{re.escape(name)}$"))


def fetch(name, folder):
    """Puts a package of PACKAGES into the folder, by pip from PyPI. Raises NotInstalled with what pip says."""
    package = PACKAGES[name]
    print(f"beside_rivals: Python has no module {name}; installing {package} into {folder}", flush=True)
    made = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check",
                           "--root-user-action", "ignore", "--upgrade", "--target", folder, package],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    importlib.invalidate_caches()
    if made.returncode:
        said = (made.stderr.strip().splitlines() or [f"exit status {made.returncode}"])[-1]
        raise checkouts.NotInstalled(f"{package} could not be installed into {folder}; pip, which needs a network, says: {said}; install "
                                     f"it by `pip install triton numpy`, which {', '.join(PARTS)} need, or name other comparisons by --only")


def load_triton(folder):
    """The module of Triton's comparisons. Packages that Python has not are those of the folder, where they are put if they are missing.
    Raises NotInstalled where that fails."""
    sys.path.append(str(folder))
    for name in (*PACKAGES, None):  # each can be missing once
        try:
            return importlib.import_module("rivals.with_triton")
        except ModuleNotFoundError as error:
            if error.name not in PACKAGES or name is None:
                raise
            fetch(error.name, folder)


def our_compilers(build):
    """How a build folder compiles our kernels: for each compiler its version, and its flags as build.ninja has them."""
    rules = build / "build.ninja"
    text = rules.read_text() if rules.exists() else ""
    told = {}
    for name, pattern in (("nvcc", r"(\S*/nvcc) ((?:-\S+ (?:cu )?|v )+)-I"), ("clang", r"(\S*/clang\S*) --rocm-path=(.*?) --offload-arch")):
        found = re.search(pattern, text)
        if not found:
            told[name] = f"unknown: {rules} does not name it"
            continue
        said = subprocess.run([found[1], "--version"], capture_output=True, text=True).stdout
        version = re.search(r"(?:release .*V|version )([\d.]+)", said)
        flags = [flag for flag in found[2].split() if re.match(r"-(std|O)", flag)]
        told[name] = " ".join([version[1] if version else "unknown", *flags])
    return told


def write(file, build, parts, triton):
    """parts: the lines of each part that was compared. Those of other parts in the file stay as they are."""
    record = {"benchmark": "beside_rivals", "what": "instructions and models of cycles of machine code; nothing ran on a GPU", "parts": {}}
    if file.exists():
        record["parts"] = json.loads(file.read_text())["parts"]
    how = {"date": date.today().isoformat(), "commit": commit(), "ours": our_compilers(build)}
    for name, lines in parts.items():
        record["parts"][name] = how | ({"triton": triton} if name in PARTS else {}) | {"lines": lines}
    file.write_text(json.dumps(record, indent=2) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("--only", nargs="+", choices=[*PARTS, "aiter", "flash-attention", "flash-mla", "deep-gemm", "cutlass", "cubin"],
                        help="some of the comparisons")
    parser.add_argument("--out", type=Path, help="what is printed, as JSON")
    parser.add_argument("--aiter", type=Path, help="a checkout of ROCm/aiter")
    parser.add_argument("--flash-attention", type=Path, help="a checkout of Dao-AILab/flash-attention, compiled here by nvcc")
    parser.add_argument("--flash-mla", type=Path, help="a checkout of deepseek-ai/FlashMLA, compiled here by nvcc")
    parser.add_argument("--deep-gemm", type=Path, help="a checkout of deepseek-ai/DeepGEMM, compiled here by nvcc")
    parser.add_argument("--cutlass", type=Path,
                        help="a checkout of NVIDIA/cutlass, compiled here by nvcc, and in the place of the others' submodules")
    parser.add_argument("--cubin", type=Path, help="kernels of sm_90a that a rival's build has left")
    parser.add_argument("--symbol", default="", help="a regular expression of the names of kernels of --cubin")
    arguments = parser.parse_args()
    for name in arguments.only or ():
        if name not in PARTS and not getattr(arguments, name.replace("-", "_")):
            parser.error(f"--only {name} needs --{name}")

    def wanted(name):
        return arguments.only is None or name in arguments.only
    for name, repository in CHECKOUTS.items():
        if arguments.only is None and not getattr(arguments, name.replace("-", "_")):
            print(f"{name}: not compared; --{name} DIR names a checkout of {repository}", flush=True)
    compiled = [(name, rival, checkout, compare) for name, rival, checkout, compare in (
        ("flash-attention", checkouts.FLASH_ATTENTION, arguments.flash_attention, wgmma.compare_flash_attention),
        ("flash-mla", checkouts.FLASH_MLA, arguments.flash_mla, wgmma.compare_flash_mla),
        ("deep-gemm", checkouts.DEEP_GEMM, arguments.deep_gemm, products.compare_deep_gemm),
        ("cutlass", checkouts.CUTLASS, arguments.cutlass, products.compare_cutlass)) if checkout and wanted(name)]
    for _, rival, checkout, _ in compiled:
        rival.check(checkout, arguments.cutlass)
    nvcc = checkouts.find_nvcc() if compiled else None
    build, cubin = arguments.build.resolve(), arguments.cubin if wanted("cubin") else None
    nvdisasm = checkouts.find_nvdisasm(build) if compiled or cubin else None
    sys.path.append(str(build / "python"))
    os.environ.setdefault("TEGULA_ISA_CACHE", str(build / "isa"))
    of_triton = [part for part in PARTS if wanted(part)]
    with_triton = load_triton(build / "rivals" / sys.implementation.cache_tag) if of_triton else None
    comparisons = {part: with_triton.compare(build, part) for part in of_triton}
    if arguments.aiter and wanted("aiter"):
        comparisons["aiter"] = aiter.compare(build, arguments.aiter)
    comparisons |= {name: compare(build, nvdisasm, nvcc, checkout, arguments.cutlass) for name, _, checkout, compare in compiled}
    if cubin:
        comparisons["cubin"] = count_cubin(nvdisasm, cubin, arguments.symbol)
    if with_triton:
        print(f"Triton {with_triton.VERSION}", flush=True)
    for name, lines in comparisons.items():
        said = []
        for line in lines:
            print(line, flush=True)
            said.append(line)
        if arguments.out:
            write(arguments.out, build, {name: said}, with_triton.VERSION if with_triton else None)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except checkouts.Refused as refused:
        print(f"beside_rivals: {refused}")
        sys.exit(refused.status)
    except FileNotFoundError as missing:
        print(f"beside_rivals: {missing.filename} is not there; `./dev test --full` compiles all that is compared")
        sys.exit(1)
