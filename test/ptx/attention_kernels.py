"""Kernels of attention on the machine: the problems and the comparison of test/device/run_attention.py."""

import sys
from pathlib import Path

import numpy

from machine import Fault, Machine

sys.path.append(str(Path(__file__).resolve().parents[1] / "device"))
import run_attention  # noqa: E402

# Which .ptx of test/device runs always, and which with --full.
ALWAYS = [("attention_split", "sm_80"), ("attention_append", "sm_80")]
FULL = [("attention_split", "sm_90a"), ("attention_append", "sm_90a"), ("attention_f16", "sm_80")]
THREADS = {"append": 32, "sum": 32}  # others have 128 or 256


class Numbers:
    """An array in the machine's memory."""

    def __init__(self, machine, array):
        self.machine, self.size = machine, array.nbytes
        self.addr = machine.add("array", array, writable=True)

    def read(self):
        return self.machine.read(self.addr, self.size).tobytes()


class Run:
    """A .ptx and how its kernels run; as run_attention.Run."""

    lanes = 32

    def __init__(self, library, source, arch, seed):
        self.machine, self.arch, self.seed = Machine(library, source), arch, seed

    def numbers(self, values, kind):
        return Numbers(self.machine, numpy.ascontiguousarray(values, kind))

    def launch(self, part, blocks, argument):
        kernel = run_attention.symbol_of(part, self.machine.kernels())
        # Of a tile the atom's sizes, queries, keys, columns of both kinds and warps follow each other in the name.
        threads = THREADS.get(part) or 32 * int(kernel.split("ELi128ELi128ELi")[1].split("E")[0])
        shared = 0 if part in THREADS else 166912
        self.machine.launch(kernel, grid=blocks, block=threads, arguments=bytes(argument), shared=shared, seed=self.seed)


def run_all(library, find, full):
    """Sentences on what is wrong."""
    wrong = []
    for name, arch in ALWAYS + (FULL if full else []):
        source = find(name, arch).read_text()
        for seed in range(6) if full else (0,):
            try:
                found = run_attention.CHECKS[name](Run(library, source, arch, seed), numpy.random.default_rng(seed))
            except (Fault, ValueError) as fault:
                found = [str(fault)]
            wrong += [f"{name} {arch} seed {seed}: {text}" for text in found]
    print(f"{len(ALWAYS) + full * len(FULL)} files of attention")
    return wrong
