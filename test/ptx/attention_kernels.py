"""Kernels of attention on the machine: the problems and the comparison of test/device/run_attention.py."""

import re
import sys
from pathlib import Path

import numpy

from machine import Fault, Machine

sys.path.append(str(Path(__file__).resolve().parents[1] / "device"))
import run_attention  # noqa: E402
from _attention_arguments import Stored, bits_of, numbers_of, plain_argument  # noqa: E402
from _attention_model import rounded  # noqa: E402

# Which .ptx of test/device runs always, and which with --full.
ALWAYS = [("attention_split", "sm_80"), ("attention_append", "sm_80"), ("attention_hopper", "sm_90a"),
          ("attention_hopper_wide", "sm_90a"), ("attention_latent", "sm_80"), ("attention_backward", "sm_80"),
          ("attention_blackwell", "sm_100a")]
FULL = [("attention_split", "sm_90a"), ("attention_append", "sm_90a"), ("attention_f16", "sm_80"),
        ("attention_latent", "sm_90a"), ("attention_backward", "sm_90a")]
MULTISTAGE_BYTES = 166912  # at least what kernels without roles ask for

# Of the mangled name of a kernel by tensor copies and warps of different tasks (test/device/attention_hopper*.cpp,
# attention_blackwell.cpp): the type, keys and columns of its tile, whether O is in float.
BY_ROLES = re.compile(r"_ZN6tegula\d+(?P<name>plain|banded)_by_(?:roles|tcgen05)I.*?\d(?P<type>half|bfloat16)_format"
                      r"EEELi(?P<keys>\d+)ELi(?P<head>\d+)ELi(?P<value>\d+)ELi2ELi2E"
                      r"(?:NS_\d+hardware_exponentialsE)?EE(?P<float>f?)")
MAP_TYPES, SWIZZLE_128 = {"f16": 6, "bf16": 9}, 3
STAGES = 2
# Of an architecture: queries of a consumer, of which a block has two, and the bytes behind the stages.
FORMS = {"sm_90a": (64, 8 * (2 + 4 * STAGES)), "sm_100a": (128, 8 * (8 + 4 * STAGES) + 8)}


def map_of(machine, stored, kind, box_rows):
    """The map of a tensor for boxes of 64 columns, a line of 128 bytes."""
    batch, heads, rows, columns = stored.shape
    t = stored.tensor()
    return machine.tensor_map(t.data, MAP_TYPES[kind], [columns, rows, heads, batch],
                              [2 * t.row, 2 * t.head, 2 * t.batch], [64, box_rows, 1, 1], swizzle=SWIZZLE_128)


def check_by_roles(run, rng):
    """Every kernel of the file: queries and keys that end within tiles, grouped heads, columns that end within a line,
    causal or all keys; O and lse."""
    wrong = []
    consumer_queries, control = FORMS[run.arch]
    tile_queries = 2 * consumer_queries
    kernels = [match for symbol in run.kernels() if (match := BY_ROLES.match(symbol))]
    for match in kernels:
        kind = {"half": "f16", "bfloat16": "bf16"}[match["type"]]
        tile_keys, head, value = (int(match[x]) for x in ("keys", "head", "value"))
        causal = "bottom_right" if match["name"] == "banded" else None
        queries, keys, heads, kv_heads = (197, 300, 2, 1) if causal else (70, tile_keys + 50, 2, 2)
        q, k, _ = (rounded(x, kind) for x in run_attention.problem_of(rng, queries, keys, heads, kv_heads, head - 8))
        v = rounded(rng.standard_normal((1, kv_heads, keys, value - 16)), kind)
        tensors = [Stored(run, bits_of(x, kind)) for x in (q, k, v)]
        of_output = numpy.float32 if match["float"] else numpy.uint16
        o = Stored(run, numpy.zeros((1, heads, queries, value - 16), of_output))
        lse = run.numbers(numpy.zeros((1, heads, queries)), numpy.float32)
        problem = bytes(plain_argument(*tensors, o, lse, numpy.float32((head - 8)**-0.5), right=0 if causal else -1))
        argument = problem + bytes(-len(problem) % 128) + b"".join(
            map_of(run.machine, x, kind, rows)
            for x, rows in zip(tensors, (consumer_queries, tile_keys, tile_keys)))
        # Queries, stages of keys and values, and the mbarriers of consumers and of both rings.
        shared = 2 * (head * tile_queries + STAGES * tile_keys * (head + value)) + control
        run.start(match.string, heads * -(-queries // tile_queries), argument, shared)
        result = o.read() if match["float"] else numbers_of(o.read(), kind)
        results = result, numpy.frombuffer(lse.read(), numpy.float32).reshape(1, heads, queries)
        wrong += run_attention.compare(f"{match['name']} {kind} {head}/{value}", results, q, k, v, kind, causal=causal)
    return wrong if kernels else ["the file has no warp-specialised kernel"]


CHECKS = {**run_attention.CHECKS, "attention_hopper": check_by_roles, "attention_hopper_wide": check_by_roles,
          "attention_blackwell": check_by_roles}


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
        self.machine, self.source, self.arch, self.seed = Machine(library, source), source, arch, seed

    def numbers(self, values, kind):
        return Numbers(self.machine, numpy.ascontiguousarray(values, kind))

    def kernels(self):
        return self.machine.kernels()

    def launch(self, part, blocks, argument):
        self.launch_symbol(run_attention.symbol_of(part, self.kernels()), blocks, argument, MULTISTAGE_BYTES)

    def launch_symbol(self, symbol, blocks, argument, shared):
        self.start(symbol, blocks, bytes(argument), max(shared, MULTISTAGE_BYTES))

    def start(self, symbol, blocks, argument, shared):
        """A block has as many threads as its kernel's launch bounds say."""
        threads = int(re.search(rf"\.entry {symbol}\([^)]*\)\s*\.maxntid (\d+)", self.source)[1])
        self.machine.launch(symbol, blocks, threads, argument, shared, seed=self.seed)


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
