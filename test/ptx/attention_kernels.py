"""Kernels of attention on the machine: the problems and the comparison of test/device/run_attention.py."""

import re
import sys
from pathlib import Path

import numpy

from machine import Fault, Machine

sys.path.append(str(Path(__file__).resolve().parents[1] / "device"))
import run_attention  # noqa: E402
from _attention_arguments import Stored, bits_of, numbers_of, plain_argument  # noqa: E402
from _attention_gradients import Launch, Sequences, compare as compare_gradients, workspace_of  # noqa: E402
from _attention_model import rounded  # noqa: E402

# Which .ptx of test/device runs always, and which with --full.
ALWAYS = [("attention_split", "sm_80"), ("attention_append", "sm_80"), ("attention_hopper", "sm_90a"),
          ("attention_hopper_wide", "sm_90a"), ("attention_latent", "sm_80"), ("attention_backward", "sm_80"),
          ("attention_backward_lists", "sm_80"), ("attention_fp8", "sm_89"), ("attention_blackwell", "sm_100a"),
          ("attention_backward_blackwell", "sm_100a")]
FULL = [("attention_split", "sm_90a"), ("attention_append", "sm_90a"), ("attention_f16", "sm_80"),
        ("attention_latent", "sm_90a"), ("attention_backward", "sm_90a"), ("attention_backward_wide", "sm_80"),
        ("attention_backward_wide", "sm_90a"), ("attention_backward_lists", "sm_90a"),
        ("attention_fp8", "sm_90a"), ("attention_fp8_wide", "sm_90a"), ("attention_scores", "sm_80")]
MULTISTAGE_BYTES = 166912  # at least what kernels without roles ask for

# Of the mangled name of a kernel by tensor copies and warps of different tasks (test/device/attention_hopper*.cpp,
# attention_blackwell.cpp): the type, keys and columns of its tile, whether O is in float.
BY_ROLES = re.compile(r"_ZN6tegula\d+(?P<name>plain|banded)_by_(?:roles|tcgen05)I.*?\d(?P<type>half|bfloat16)_format"
                      r"EEELi(?P<keys>\d+)ELi(?P<head>\d+)ELi(?P<value>\d+)ELi2ELi2E"
                      r"(?:NS_\d+hardware_exponentialsE|NS_\d+mixed_exponentialsI(?:Li\d+E)+EE)?EE(?P<float>f?)")
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


# The same of test/device/attention_backward_blackwell.cpp.
GRADIENTS_BY_ROLES = re.compile(r"_ZN6tegula\d+(?P<name>keys|queries)_kernelI.*?\d(?P<type>half|bfloat16)_formatEEE"
                                r"Li(?P<head>\d+)ELi(?P<value>\d+)ELi(?P<stages>\d+)EEE.*attention_maskE(?P<mask>\d)")
KEPT_ROWS, PASSING_ROWS = 128, 64


def check_gradients_by_roles(run, rng):
    """Every kernel of the file, two for a problem: queries, keys and columns that end within tiles, heads that share
    keys; with a window, queries that see no key."""
    wrong, found = [], {}
    for symbol in run.kernels():
        if match := GRADIENTS_BY_ROLES.match(symbol):
            found.setdefault(match.group("type", "head", "value", "stages", "mask"), []).append(match)
    for (name, *sizes, mask), kernels in found.items():
        kind, banded = {"half": "f16", "bfloat16": "bf16"}[name], mask == "1"
        head, value, stages = (int(x) for x in sizes)
        problem = Sequences(rng, kind, head - 8, value - 16, 1, 1, [133], [70], [70], (40, 0), "bottom_right", False) \
            if banded else \
            Sequences(rng, kind, head - 8, value - 16, 2, 1, [197], [190], [190], None, None, False)
        o, lse = problem.outputs()
        launch = Launch(run, problem, o, lse, workspace_of(problem, o, lse))
        q, k, v, _, d_o = launch.inputs

        def maps(of_queries, of_keys):
            return b"".join(map_of(run.machine, x, kind, rows) for x, rows in
                            ((q, of_queries), (d_o, of_queries), (k, of_keys), (v, of_keys)))

        argument = bytes(launch.argument)
        argument += bytes(-len(argument) % 128) + maps(PASSING_ROWS, KEPT_ROWS) + maps(KEPT_ROWS, PASSING_ROWS)
        # What is kept, the stages, and mbarriers.
        shared = 2 * (head + value) * (KEPT_ROWS + stages * PASSING_ROWS) + 8 * (8 + 2 * stages) + 8
        for match in kernels:
            rows, heads = (problem.keys[0], problem.k.shape[1]) if match["name"] == "keys" else \
                (problem.queries[0], problem.q.shape[1])
            run.start(match.string, heads * -(-rows // KEPT_ROWS), argument, shared)
        wrong += compare_gradients(f"{kind} {head}/{value}{' banded' if banded else ''}", launch)
    return wrong if len(found) > 1 else ["the file has too few kernels of the backward pass"]


CHECKS = {**run_attention.CHECKS, "attention_hopper": check_by_roles, "attention_hopper_wide": check_by_roles,
          "attention_blackwell": check_by_roles, "attention_backward_blackwell": check_gradients_by_roles}


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


# What is left out of the text of a file's kernels: each must show.
FAULTS = [("attention_backward_blackwell", "sm_100a", r"tcgen05\.wait::st\.sync\.aligned;"),
          ("attention_backward_blackwell", "sm_100a", r"tcgen05\.fence::before_thread_sync;")]


def check(library, name, arch, source, seed):
    """Sentences on what is wrong with a file's kernels."""
    try:
        return CHECKS[name](Run(library, source, arch, seed), numpy.random.default_rng(seed))
    except (Fault, ValueError) as fault:
        return [str(fault)]


def run_all(library, find, full):
    """Sentences on what is wrong."""
    wrong = []
    for name, arch in ALWAYS + (FULL if full else []):
        source = find(name, arch).read_text()
        for seed in range(6) if full else (0,):
            wrong += [f"{name} {arch} seed {seed}: {text}" for text in check(library, name, arch, source, seed)]
    for name, arch, left_out in FAULTS:
        text, places = re.subn(left_out, "", find(name, arch).read_text())
        if not places or not check(library, name, arch, text, 0):
            wrong.append(f"{name} {arch}: nothing is wrong without {left_out}, {places} times")
    print(f"{len(ALWAYS) + full * len(FULL)} files of attention, {len(FAULTS)} faults planted")
    return wrong
