"""Kernels of attention on the machine: the problems and the comparison of test/device/run_attention.py."""

import sys
from pathlib import Path

import numpy

from machine import Fault, Machine

sys.path.append(str(Path(__file__).resolve().parents[1] / "device"))
import run_attention  # noqa: E402

# Which .ptx of test/device runs always, and which with --full.
ALWAYS = [("attention_split", "sm_80"), ("attention_append", "sm_80"), ("attention_hopper", "sm_90a"),
          ("attention_blackwell", "sm_100a")]
FULL = [("attention_split", "sm_90a"), ("attention_append", "sm_90a"), ("attention_f16", "sm_80")]
THREADS = {"append": 32, "sum": 32}  # others have 128 or 256


# Kernels by tensor copies and warps of different tasks (test/device/attention_hopper.cpp, attention_blackwell.cpp): type,
# columns of the tile, and of a problem queries, keys, heads of Q and of K, columns and the band. CUtensorMapDataType and
# CUtensorMapSwizzle are the driver's.
BY_ROLES = {"banded": ("bf16", 128, (197, 300, 2, 1, 120), "bottom_right"),
            "plain": ("f16", 64, (70, 130, 2, 2, 64), None)}
MAP_TYPES, SWIZZLE_128 = {"f16": 6, "bf16": 9}, 3
TILE_KEYS, STAGES = 128, 2
# Of an architecture: queries of a consumer, of which a block has two; bytes behind the stages; the end of kernels' names.
FORMS = {"sm_90a": (64, 8 * (2 + 4 * STAGES), "by_roles"), "sm_100a": (128, 8 * (8 + 4 * STAGES) + 8, "by_tcgen05")}


def bits_of(x, kind):
    """Numbers that the type holds, as 16 bits each."""
    return x.astype(numpy.float16).view(numpy.uint16) if kind == "f16" else \
        (x.astype(numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16)


def numbers_of(bits, kind):
    return bits.view(numpy.float16).astype(float) if kind == "f16" else \
        (bits.astype(numpy.uint32) << 16).view(numpy.float32).astype(float)


def map_of(machine, stored, kind, box_rows):
    """The map of a tensor for boxes of 64 columns, a line of 128 bytes."""
    batch, heads, rows, columns = stored.shape
    t = stored.tensor()
    return machine.tensor_map(t.data, MAP_TYPES[kind], [columns, rows, heads, batch],
                              [2 * t.row, 2 * t.head, 2 * t.batch], [64, box_rows, 1, 1], swizzle=SWIZZLE_128)


def check_by_roles(run, rng):
    """Queries and keys that end within tiles, grouped heads, columns that end within a line; O and lse."""
    wrong = []
    consumer_queries, control, ending = FORMS[run.arch]
    tile_queries = 2 * consumer_queries
    for name, (kind, tile_columns, (queries, keys, heads, kv_heads, columns), causal) in BY_ROLES.items():
        part = f"{name}_{ending}"
        q, k, v = (run_attention.rounded(x, kind)
                   for x in run_attention.problem_of(rng, queries, keys, heads, kv_heads, columns))
        tensors = [run_attention.Stored(run, bits_of(x, kind)) for x in (q, k, v)]
        o = run_attention.Stored(run, numpy.zeros(q.shape, numpy.uint16))
        lse = run.numbers(numpy.zeros((1, heads, queries)), numpy.float32)
        problem = bytes(run_attention.plain_argument(*tensors, o, lse, numpy.float32(columns**-0.5),
                                                     right=0 if causal else -1))
        argument = problem + bytes(-len(problem) % 128) + b"".join(
            map_of(run.machine, x, kind, rows)
            for x, rows in zip(tensors, (consumer_queries, TILE_KEYS, TILE_KEYS)))
        # Queries, stages of keys and values, and the mbarriers of consumers and of both rings.
        shared = 2 * tile_columns * (tile_queries + 2 * STAGES * TILE_KEYS) + control
        run.machine.launch(run_attention.symbol_of(part, run.machine.kernels()), heads * -(-queries // tile_queries),
                           384, argument, shared, seed=run.seed)
        results = numbers_of(o.read(), kind), numpy.frombuffer(lse.read(), numpy.float32).reshape(1, heads, queries)
        wrong += run_attention.compare(part, results, q, k, v, kind, causal=causal)
    return wrong


CHECKS = {**run_attention.CHECKS, "attention_hopper": check_by_roles, "attention_blackwell": check_by_roles}


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
                found = CHECKS[name](Run(library, source, arch, seed), numpy.random.default_rng(seed))
            except (Fault, ValueError) as fault:
                found = [str(fault)]
            wrong += [f"{name} {arch} seed {seed}: {text}" for text in found]
    print(f"{len(ALWAYS) + full * len(FULL)} files of attention")
    return wrong
