"""Tests of the machine for PTX, and of the project's kernels on it. README.md beside this file describes both.

    run.py PART --machine LIBRARY [--arguments PROGRAM --launches PROGRAM --ptx FOLDER...] [--built NAME.ARCH...] [--full]
           [--only REGEX]

PART is instructions (matrix instructions against test/golden, tensor copies and tensor memory against NumPy), opcodes (all others against NumPy), kernels (the .ptx that
nvcc wrote for the device tests, whole results against NumPy), attention, persistent and ops (the same of attention, of convolutions and experts by wgmma, and of rows, shapes, convolutions and experts) or faults (faults planted in that .ptx must show). Status 77
where a .ptx file is not built. --built names the files left to --full that the build of the test makes: it reads no other, as one
of an earlier build may lie there.
"""

import argparse
import re
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
import faults  # noqa: E402
import instructions  # noqa: E402
import opcodes  # noqa: E402
import tensor_copies  # noqa: E402
import tensor_kernels  # noqa: E402
import tcgen05  # noqa: E402
from kernels import Kernels, records_of, sizes  # noqa: E402
from machine import Fault, open_library  # noqa: E402
import persistent_kernels  # noqa: E402
import attention_kernels  # noqa: E402  behind those whose names test/programs has too
import ops_kernels  # noqa: E402
from _targets import is_left_to_full  # noqa: E402


class NotBuilt(Exception):
    pass


def finder(folders, built=None):
    """find(file, arch): the path of a .ptx file. `built`: the NAME.ARCH of --built, None where it is not given."""

    def find(file, arch):
        if built is not None and is_left_to_full(file, arch) and f"{file}.{arch}" not in built:
            sys.exit(f"{file}.ptx for {arch} may be of an earlier build: only --full compiles it, and this test does not depend on "
                     f"it; add {file}.{arch} to the test's list in test/ptx/CMakeLists.txt")
        names = [
            Path(folder) / name
            for folder in folders
            for name in (f"{file}/{arch}/{file}.ptx", f"{file}.ptx", f"{file}.{arch}.ptx")
        ]
        for name in names:
            if name.exists():
                return name
        raise NotBuilt(f"{file}.ptx for {arch} is not built (target test_device)")

    return find


LARGE_BLOCK = (128, 256, 512, 1)


def run_large_blocks(kernels, only):
    """Blocks of 128 x 256 with k = 512."""
    wrong, found = [], False
    for name, record in kernels.records.items():
        if (record["block_m"], record["block_n"]) != LARGE_BLOCK[:2] or not re.search(only, name):
            continue
        if is_left_to_full(record["file"], record["arch"]):
            continue
        found, start = True, time.process_time()
        results = kernels.run(name, LARGE_BLOCK, seed=0)
        print(f"{name:24} a block of {LARGE_BLOCK[:3]}: {time.process_time() - start:.2f} s of processor time", flush=True)
        wrong += [f"{name}: {output} is {error} off" for output, (error, _, right) in results.items() if not right]
    if not found and not only:
        wrong.append("no kernel has blocks of 128 x 256")
    return wrong


def run_kernels(library, find, arguments):
    kernels = Kernels(library, records_of(arguments.arguments), find, arguments.arguments)
    wrong, launches = run_large_blocks(kernels, arguments.only), 0
    for number, (name, record) in enumerate(kernels.records.items()):
        if record["form"].endswith("_sum") or not re.search(arguments.only, name):
            continue
        if not arguments.full and is_left_to_full(record["file"], record["arch"]):
            continue
        # Two of three ways to complete, another order of warps each; --full takes all.
        seeds = range(18) if arguments.full else (number % 9, (number + 4) % 9)
        for size in sizes(record, arguments.full):
            start, worst = time.perf_counter(), 0
            for seed in seeds:
                try:
                    results = kernels.run(name, size, seed, spread=size[3] > 1)
                except Fault as report:
                    wrong.append(f"{name} {size} seed {seed}: {report}")
                    continue
                launches += 1
                for output, (error, bound, right) in results.items():
                    worst = max(worst, error / (bound + 1e-300) if bound else error)
                    if not right:
                        wrong.append(f"{name} {size} seed {seed}: {output} is {error} off, the bound is {bound}")
            print(
                f"{name:24} {str(size):22} seeds {', '.join(map(str, seeds))}: {worst:.3f} of the bound, "
                f"{time.perf_counter() - start:.1f} s",
                flush=True,
            )
    for seed in range(9) if arguments.full else (0, 2):
        for arch in ("sm_80", "sm_90a") if arguments.full else ("sm_80",):
            wrong += tensor_kernels.run_tensor_ops(library, find("tensor_ops", arch).read_text(), seed)
            wrong += tensor_kernels.run_conversions(library, find("convert", arch).read_text(), seed)
    print(f"{launches} products, {sum(kernels.counts.values()):,} instructions of {len(kernels.counts)} forms")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=["instructions", "opcodes", "kernels", "attention", "persistent", "ops", "faults"])
    parser.add_argument("--machine", required=True)
    parser.add_argument("--arguments")
    parser.add_argument("--launches")
    parser.add_argument("--ptx", action="append", default=[])
    parser.add_argument("--built", nargs="*", metavar="NAME.ARCH")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    library, find = open_library(arguments.machine), finder(arguments.ptx, arguments.built)
    try:
        if arguments.part == "instructions":
            wrong = instructions.run_all(library, arguments.full) + tensor_copies.run_all(library)
            wrong += tcgen05.run_all(library)
        elif arguments.part == "opcodes":
            wrong = opcodes.run_all(library)
        elif arguments.part == "kernels":
            wrong = run_kernels(library, find, arguments)
        elif arguments.part == "attention":
            wrong = attention_kernels.run_all(library, find, arguments.full, arguments.only)
        elif arguments.part == "persistent":
            wrong = persistent_kernels.run_all(library, find, arguments.launches, arguments.full)
        elif arguments.part == "ops":
            wrong = ops_kernels.run_all(library, find, arguments.launches, arguments.full)
        else:
            wrong = faults.run(Kernels(library, records_of(arguments.arguments), find, arguments.arguments), arguments.only)
    except NotBuilt as reason:
        print(f"skipped: {reason}")
        return 77
    for line in wrong:
        print(f"WRONG {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
