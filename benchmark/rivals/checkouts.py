"""Kernels for sm_90a of rivals' checkouts, compiled by nvcc with the flags of their own setup.py, without PyTorch.

    checkouts.py --self-test     whether what cannot be compiled is refused by a sentence; compiles nothing
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest.mock
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
VERSION_OF_CUTLASS = "include/cutlass/version.h"


class Refused(Exception):
    """A sentence: the path or the number, and the remedy. `status`: what a script exits with."""
    status = 1


class NotInstalled(Refused):
    """A tool is missing: nothing is wrong with a checkout."""
    status = 77


def commit_of(checkout):
    """The commit of a checkout, in eight digits."""
    told = None
    if (Path(checkout) / ".git").exists():
        told = subprocess.run(["git", "-C", checkout, "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True)
    return told and told.stdout.strip() or "an unknown commit"


@dataclass(frozen=True)
class Rival:
    """The files that a checkout must have, and how its kernels are compiled. Paths are those of a checkout."""
    name: str
    repository: str
    source: Path  # of a checkout, or the whole path of one of ours
    needs: tuple  # files
    include: tuple  # folders, also `include` of CUTLASS
    flags: tuple  # those of its setup.py and of PyTorch's extensions, without those of messages and of line numbers
    submodule: str = "csrc/cutlass"  # where it has CUTLASS

    def cutlass_of(self, checkout, cutlass):
        """The checkout of CUTLASS: `cutlass`, or the rival's submodule where that is None."""
        return Path(cutlass) if cutlass else Path(checkout) / self.submodule

    def check(self, checkout, cutlass=None):
        """Raises Refused if the folder is no checkout of this rival or has no CUTLASS."""
        checkout = Path(checkout)
        if not checkout.is_dir():
            raise Refused(f"{checkout} is not a folder; a checkout of {self.repository} is needed")
        for file in self.needs:
            if not (checkout / file).exists():
                raise Refused(f"{checkout} has no {file}; a checkout of {self.repository} is needed")
        found = self.cutlass_of(checkout, cutlass)
        if not (found / VERSION_OF_CUTLASS).exists():
            raise Refused(f"{found} has no {VERSION_OF_CUTLASS}; run `git submodule update --init {self.submodule}` in {checkout}, or "
                          "name a checkout of NVIDIA/cutlass by --cutlass")

    def describe(self, nvcc, checkout, cutlass=None):
        """A sentence: the versions of the rival, of CUTLASS and of the compiler, and its flags."""
        text = (self.cutlass_of(checkout, cutlass) / VERSION_OF_CUTLASS).read_text()
        numbers = [re.search(rf"define CUTLASS_{part} (\d+)", text) for part in ("MAJOR", "MINOR", "PATCH")]
        version = ".".join(number[1] if number else "?" for number in numbers)
        release = re.search(r"release .*?V([\d.]+)", subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout)
        return (f"{self.name} {commit_of(checkout)} with CUTLASS {version}, nvcc {release[1] if release else '?'} "
                f"{' '.join(self.flags)} -arch=sm_90a")

    def compile(self, nvcc, checkout, cutlass, cubin, *definitions):
        """Writes a cubin; returns bytes of registers spilled, the most of its kernels. This takes minutes and 2 GB of memory.
        Raises Refused with what the compiler says first."""
        checkout = Path(checkout)
        folders = [checkout / folder for folder in self.include] + [self.cutlass_of(checkout, cutlass) / "include"]
        command = [nvcc, *self.flags, "-gencode", "arch=compute_90a,code=sm_90a", "-Xptxas", "-v",
                   *(f"-D{definition}" for definition in definitions), *(f"-I{folder}" for folder in folders),
                   "-cubin", checkout / self.source, "-o", cubin]
        made = subprocess.run(command, capture_output=True, text=True)
        if made.returncode:
            said = next((line for line in made.stderr.splitlines() if "error" in line), f"exit status {made.returncode}")
            raise Refused(f"{self.name} {' '.join(definitions)}: nvcc says: {said.strip()}; the CUTLASS of its own submodule may "
                          "be needed")
        return max((int(count) for count in re.findall(r"(\d+) bytes spill stores", made.stderr)), default=0)


FLASH_ATTENTION = Rival(
    name="FlashAttention-3", repository="Dao-AILab/flash-attention", source=FOLDER / "flash_attention.cu",
    needs=("hopper/static_switch.h", "hopper/flash_fwd_launch_template.h", "hopper/flash_bwd_launch_template.h"),
    include=("hopper",),
    flags=("-O3", "-std=c++17", "--use_fast_math", "-DCUTE_SM90_EXTENDED_MMA_SHAPES_ENABLED", "-DCUTLASS_ENABLE_GDC_FOR_SM90",
           "-DCUTLASS_DEBUG_TRACE_LEVEL=0", "-DNDEBUG", "--expt-relaxed-constexpr", "-D__CUDA_NO_HALF_OPERATORS__",
           "-D__CUDA_NO_HALF_CONVERSIONS__", "-D__CUDA_NO_HALF2_OPERATORS__", "-D__CUDA_NO_BFLOAT16_CONVERSIONS__"))

FLASH_MLA = Rival(
    name="FlashMLA", repository="deepseek-ai/FlashMLA", source=Path("csrc/sm90/decode/dense/instantiations/bf16.cu"),
    needs=("csrc/sm90/decode/dense/instantiations/bf16.cu", "csrc/sm90/decode/dense/splitkv_mla.cuh"),
    include=("csrc", "csrc/kerutils/include", "csrc/sm90"),
    flags=("-O3", "-std=c++20", "--use_fast_math", "-DNDEBUG", "-D_USE_MATH_DEFINES", "--expt-relaxed-constexpr",
           "--expt-extended-lambda", "--ptxas-options=--register-usage-level=10"))

# It compiles kernels when they are called: with the flags of csrc/jit/compiler.hpp.
DEEP_GEMM = Rival(
    name="DeepGEMM", repository="deepseek-ai/DeepGEMM", source=FOLDER / "deep_gemm.cu",
    needs=("deep_gemm/include/deep_gemm/impls/sm90_fp8_gemm_1d2d.cuh", "deep_gemm/include/deep_gemm/epilogue/transform.cuh"),
    include=("deep_gemm/include",), submodule="third-party/cutlass",
    flags=("-std=c++20", "-O3", "--ptxas-options=--register-usage-level=10", "--expt-relaxed-constexpr", "--expt-extended-lambda"))

CUTLASS = Rival(
    name="CUTLASS's builders", repository="NVIDIA/cutlass", source=FOLDER / "cutlass.cu",
    needs=("include/cutlass/gemm/collective/collective_builder.hpp", "include/cutlass/gemm/kernel/gemm_universal.hpp"),
    include=(), submodule=".", flags=("-O3", "-std=c++17", "-DNDEBUG", "--expt-relaxed-constexpr"))


def find_nvcc():
    """nvcc of the path, or of CUDA_HOME. Raises NotInstalled."""
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    found = shutil.which("nvcc") or shutil.which("nvcc", path=f"{home}/bin")
    if not found:
        raise NotInstalled(f"nvcc is neither on the path nor in {home}/bin; install CUDA's compiler or set CUDA_HOME")
    return found


def find_nvdisasm(build):
    """The disassembler of a build folder, as its CMakeCache.txt names it. Raises NotInstalled."""
    cache = Path(build) / "CMakeCache.txt"
    if not cache.exists():
        raise Refused(f"{cache} is not there; name a build folder, which `./dev build` makes")
    named = re.search(r"^TEGULA_NVDISASM:\w+=(.*)$", cache.read_text(), re.MULTILINE)
    if not named or not Path(named[1]).is_file():
        raise NotInstalled(f"{cache} has {named[1] if named else 'nothing'} as TEGULA_NVDISASM, which is no file; install nvdisasm and "
                           "run `./dev build` again")
    return Path(named[1])


def self_test():
    """Folders that lack something, each refused by the words that name it; a whole one is not refused."""
    def refusal(call, *arguments):
        try:
            call(*arguments)
        except Refused as refused:
            return str(refused)
        return ""

    for rival in (FLASH_ATTENTION, FLASH_MLA, DEEP_GEMM, CUTLASS):
        with tempfile.TemporaryDirectory() as folder:
            top = Path(folder)
            checkout, cutlass = top / "checkout", top / "cutlass"

            def put(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("")

            assert f"{checkout} is not a folder" in refusal(rival.check, checkout), rival
            checkout.mkdir()
            for file in rival.needs:
                told = refusal(rival.check, checkout)
                assert f"has no {file}" in told and rival.repository in told, told
                put(checkout / file)
            for named in (None, cutlass):
                told = refusal(rival.check, checkout, named)
                assert f"{named or checkout / rival.submodule} has no {VERSION_OF_CUTLASS}" in told and "--cutlass" in told, told
            put(cutlass / VERSION_OF_CUTLASS)
            assert not refusal(rival.check, checkout, cutlass) and refusal(rival.check, checkout)
            put(checkout / rival.submodule / VERSION_OF_CUTLASS)
            assert not refusal(rival.check, checkout)
            compiler = top / "nvcc"  # in the place of nvcc: it fails and says why
            compiler.write_text("#!/bin/sh\necho 'x.h(1): error: no such thing' >&2\nexit 2\n")
            compiler.chmod(0o755)
            told = refusal(rival.compile, compiler, checkout, cutlass, top / "x.cubin", "RIVAL_COLUMNS=64")
            assert rival.name in told and "RIVAL_COLUMNS=64" in told and "no such thing" in told, told
            compiler.write_text("#!/bin/sh\necho '4 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads' >&2\n")
            assert rival.compile(compiler, checkout, cutlass, top / "x.cubin") == 12
    with tempfile.TemporaryDirectory() as empty, unittest.mock.patch.dict(os.environ, PATH=empty, CUDA_HOME=empty):
        assert f"{empty}/bin" in refusal(find_nvcc)
    with tempfile.TemporaryDirectory() as folder:
        top, script = Path(folder), FOLDER.parent / "beside_rivals.py"
        assert f"{top}/CMakeCache.txt is not there" in refusal(find_nvdisasm, top)
        for text, said in (("", "nothing"), ("TEGULA_NVDISASM:FILEPATH=TEGULA_NVDISASM-NOTFOUND\n", "TEGULA_NVDISASM-NOTFOUND")):
            (top / "CMakeCache.txt").write_text(text)
            assert f"has {said} as TEGULA_NVDISASM" in refusal(find_nvdisasm, top)
        (top / "CMakeCache.txt").write_text(f"TEGULA_NVDISASM:FILEPATH={script}\n")
        assert find_nvdisasm(top) == script
        # Without Triton, and without a network to fetch it from: only what is compared with it needs it.
        (top / "triton.py").write_text("raise ModuleNotFoundError('no triton', name='triton')\n")
        (top / "numpy.py").write_text("")

        def said(*arguments):
            told = subprocess.run([sys.executable, script, top, *arguments], capture_output=True, text=True,
                                  env={**os.environ, "PYTHONPATH": folder, "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull})
            return told.returncode, told.stdout + told.stderr

        status, told = said("--only", "rows")
        assert status == 77 and "no module triton" in told, told
        into = f"{top}/rivals/{sys.implementation.cache_tag}"
        for words in (f"triton==3.9.0 could not be installed into {into}; pip, which needs a network, says: ",
                      "`pip install triton numpy`", "--only"):
            assert words in told and "Traceback" not in told, (words, told)
        status, told = said("--cutlass", top)
        assert f"{top} has no include/cutlass/gemm" in told and "cutlass: not" not in told and status == 1, told
        for name, rival in (("flash-attention", FLASH_ATTENTION), ("flash-mla", FLASH_MLA), ("deep-gemm", DEEP_GEMM)):
            assert f"{name}: not compared; --{name} DIR names a checkout of {rival.repository}" in told, told
        status, told = said("--only", "aiter", "--aiter", top)
        assert status == 0 and f"{top}/hsa/gfx942" in told or "no llvm-objdump" in told, told
        status, told = said("--only", "flash-mla", "--flash-mla", top)
        assert status == 1 and f"{top} has no" in told, told
    return 0


if __name__ == "__main__":
    sys.exit(self_test())
