"""Kernels of rows, shapes and mixtures of experts on the machine: the cases of test/device/run_ops.py."""

import sys
from pathlib import Path

import numpy

from attention_kernels import Numbers
from machine import Fault, Machine

sys.path.append(str(Path(__file__).resolve().parents[1] / "device"))
import run_ops  # noqa: E402
from _targets import is_left_to_full  # noqa: E402

FILES = [("rows", "sm_80"), ("shape_ops", "sm_80"), ("shape_reductions", "sm_80"), ("moe", "sm_80"), ("gemm_prologue", "sm_80"),
         ("convolution", "sm_90a"), ("tile_memory", "sm_80")]


class Memory(Numbers):
    def write(self, data):
        """A copy with other bytes takes its place in launches to come."""
        self.addr = self.machine.add("array", numpy.frombuffer(data, numpy.uint8), writable=True)


class Run:
    """A .ptx and how its kernels run; as run_ops.AmdRun."""

    lanes, arch = 32, "sm_80"  # of the records

    def __init__(self, library, source, seed):
        self.machine, self.seed = Machine(library, source), seed

    def numbers(self, array):
        return Memory(self.machine, numpy.ascontiguousarray(array))

    def launch(self, symbol, grid, threads, argument, shared):
        before = self.count()
        self.machine.launch(self.machine.kernel(symbol), grid, threads, argument, shared, seed=self.seed)
        self.executed = self.count() - before

    def count(self):
        """Instructions of all launches so far, but for copies of registers, which machine code has not."""
        return sum(n for name, n in self.machine.counts().items() if not name.startswith("mov"))


def run_all(library, find, launches, full):
    """Sentences on what is wrong."""
    records, wrong, count = run_ops.recorded(launches), [], 0
    files = [x for x in FILES if full or not is_left_to_full(*x)]
    for name, arch in files:
        own = [r for r in records if r["source"] == name and r["target"] == arch]
        source = find(name, arch).read_text()
        for seed in range(6) if full else (0,):
            count += len(own)
            try:
                found = run_ops.check(Run(library, source, seed), own, numpy.random.default_rng(seed))
            except (Fault, ValueError) as fault:
                found = [str(fault)]
            wrong += [f"{name} {arch} seed {seed}: {text}" for text in found]
    print(f"{count} launches of {len(files)} files")
    return wrong
