"""Functions that the tests of programs share. They run a program and collect the problems found, a sentence each."""

import concurrent.futures
import functools
import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(os.environ["TEGULA_SOURCE_DIR"]) / "cmake"))
from kernels import SAMPLE, read_kernels  # noqa: E402

FULL = "--full" in sys.argv[1:]
# --part I/N: the test does the Ith of N parts of its work. Checks that are not counted in cases belong to the first.
PART, PARTS = map(int, sys.argv[sys.argv.index("--part") + 1].split("/")) if "--part" in sys.argv else (1, 1)
# The CPU's own kernels need AVX2.
CPU_INFO = Path("/proc/cpuinfo")
ON_CPU = CPU_INFO.exists() and " avx2 " in CPU_INFO.read_text()
problems = []


def types_of_run(built_in, *others):
    """The element types that cases take: with --full those that the program compiles on demand, too."""
    return [*built_in, *others] if FULL else built_in


@functools.cache
def listed_kernels():
    return read_kernels()


def kernels_of(family, consumer="emulator", **fields):
    """The kernels of a family that kernels.json gives a consumer, and whose fields are these."""
    return [k for k in listed_kernels() if k["family"] == family and consumer in k["in"] and
            all(k[field] == value for field, value in fields.items())]


def archs_of(family, consumer="emulator", **fields):
    """The architectures of such kernels: AMD's before NVIDIA's, each by number."""
    return sorted({k["target"] for k in kernels_of(family, consumer, **fields)}, key=lambda arch: (arch[:2], len(arch), arch))


@functools.cache
def most_columns(family, arch, kind, consumer="emulator", **fields):
    """The most columns of such kernels of attention for an architecture and a type; 0 where there are none."""
    return max((int(k["columns"]) for k in kernels_of(family, consumer, target=arch, type=kind, **fields)), default=0)


def archs_of_run(family, consumer="emulator"):
    """The GPUs that cases take: without --full those of the sample, which the program has built in."""
    return [arch for arch in archs_of(family, consumer) if FULL or arch in SAMPLE[family]]


def program(name):
    """The path of a program of the build."""
    return Path(os.environ["TEGULA_BIN"]) / name


def check(condition, message):
    if not condition:
        problems.append(message)


def part_of(items):
    """Every PARTSth item of a list, from the PARTth on."""
    return list(items)[PART - 1 :: PARTS]


def cases_of_part(cases):
    """The cases of this part with their numbers. Those of a kernel are neighbours: each part compiles its own kernels."""
    numbered = sorted(enumerate(cases), key=lambda item: [str(item[1].get(word)) for word in ("arch", "type", "tile", "backward")])
    return numbered[len(numbered) * (PART - 1) // PARTS : len(numbered) * PART // PARTS]


def check_cases(check_case, cases, folder):
    """Runs check_case(number, case, folder) on every core for the cases of this part. It returns a problem or None. Returns
    the number of cases."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda item: check_case(*item, folder), cases_of_part(cases)))
    problems.extend(wrong for wrong in found if wrong)
    return len(found)


def runner(name):
    """run(*arguments): exit status, output and messages of the program."""

    def run(*arguments):
        result = subprocess.run([program(name), *(str(a) for a in arguments)], capture_output=True, text=True)
        return result.returncode, result.stdout, result.stderr

    return run


def answers(run):
    """answer(*arguments): what the program says in JSON, or None if it fails."""

    def answer(*arguments):
        status, out, error = run(*arguments, "--json")
        check(status == 0 and error == "", f"{arguments}: status {status}, {error}")
        return json.loads(out) if status == 0 else None

    return answer
