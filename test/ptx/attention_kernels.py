"""Kernels of attention on the machine: the problems and the comparison of test/device/run_attention.py."""

import re
import sys
import time
from pathlib import Path

import numpy

from machine import Fault, Machine

sys.path.append(str(Path(__file__).resolve().parents[1] / "device"))
import run_attention  # noqa: E402
from _attention_names import attention_files  # noqa: E402

MULTISTAGE_BYTES = 166912  # at least what kernels without roles ask for
HOPPER_BYTES = 232448  # the most that a block may have
RESIDENT = 2  # blocks of kernels whose blocks go through several tiles of queries
MAP_TYPES, SWIZZLE_64, SWIZZLE_128 = {"f16": 6, "bf16": 9}, 2, 3  # 8 bits are bytes, type 0


def map_of(machine, stored, kind, box_rows, tile_columns):
    """The map of a tensor for boxes of a line of 128 bytes, or of 64 where the columns of its tile are no multiple of that."""
    batch, heads, rows, columns = stored.shape
    t, size = stored.tensor(), 2 if kind in MAP_TYPES else 1
    line = 128 if tile_columns * size % 128 == 0 else 64
    return machine.tensor_map(t.data, MAP_TYPES.get(kind, 0), [columns, rows, heads, batch],
                              [size * t.row, size * t.head, size * t.batch], [line // size, box_rows, 1, 1],
                              swizzle=SWIZZLE_128 if line == 128 else SWIZZLE_64)


def needs_by_roles(kernel, arch):
    """Needs of a kernel by tensor copies: the rows of each map's boxes with the tensor's place, and the bytes of the block.
    These hold the kept tiles, the stages, the mbarriers, and where tensor memory begins."""
    if kernel.form == "forward":
        consumers, stages, columns = kernel.consumers, kernel.stages, kernel.columns
        barriers = (5 if arch.startswith("sm_10") else 2) * consumers + 1 + 4 * stages
        size, copies = (2, 1) if kernel.type in MAP_TYPES else (1, 2)  # of 8 bits V is copied, and made from that
        barriers += 2 * stages * (copies - 1)
        maps = [(0, kernel.rows // consumers), (1, columns // kernel.cluster), (2, columns)]
        if kernel.paged:
            maps[1:] = (1, kernel.page), (2, kernel.page)
        queries = size * kernel.head * kernel.rows
        memory = queries + size * stages * columns * (kernel.head + copies * kernel.value)
        apart = -(-(memory + 8 * barriers) // 128) * 128  # the output's memory, where there is room
        if not arch.startswith("sm_10") and apart + queries <= HOPPER_BYTES:
            return maps, apart + queries
    elif kernel.form == "shares":  # of the latent form: two stages of keys, weights of one tile, two numbers a lane
        maps = [] if kernel.scaled_cache else [(1, kernel.page if kernel.paged else kernel.columns)]
        barriers = 13
        memory = 2 * (kernel.head * (kernel.rows + 2 * kernel.columns) + kernel.rows * kernel.columns) + 4 * 2 * 256
    else:
        by_tensor_core = arch.startswith("sm_10")
        barriers = 12 + 4 * kernel.stages if kernel.is_square else (18 if by_tensor_core else 4) + 2 * kernel.stages
        kept = kernel.rows if by_tensor_core else 64  # of a box: a consumer's
        maps = [(i, of_queries if i < 2 else of_keys)
                for of_queries, of_keys in ((kernel.columns, kept), (kept, kernel.columns)) for i in range(4)]
        memory = 2 * (kernel.head + kernel.value) * (kernel.rows + kernel.stages * kernel.columns)
        memory += kernel.stages * 2 * 4 * kernel.columns  # two numbers of each query that goes by
        if kernel.adds_dq:  # two buffers of dS, or one of a tile that consumers share, and by wgmma dQ as floats
            halves = kernel.head + kernel.value > 256  # two buffers of P and dS, and no dQ
            memory += ((1 if kernel.is_square else 4 if halves else 2) * 2 * kernel.rows +
                       (0 if by_tensor_core or halves else 4 * kernel.head)) * kernel.columns
    return maps, memory + 8 * barriers + (8 if arch.startswith("sm_10") else 0)


def is_persistent(kernel, arch):
    """As warp_specialized_attention has it."""
    return kernel.form == "forward" and arch == "sm_90a" and not kernel.any_length and kernel.mask in ("none", "band") and \
        kernel.bias == "none" and not (kernel.dropout or kernel.soft_cap or kernel.documents) and \
        (kernel.head + kernel.columns) // (16 if kernel.type in MAP_TYPES else 32) <= 16 and \
        (kernel.type in MAP_TYPES or kernel.value <= 128)


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
        self.launched = set()

    def numbers(self, values, kind):
        return Numbers(self.machine, numpy.ascontiguousarray(values, kind))

    def kernels(self):
        return self.machine.kernels()

    def launch(self, kernel, blocks, argument, tensors=()):
        """A block has as many threads as its kernel's launch bounds say."""
        argument, shared = bytes(argument), MULTISTAGE_BYTES
        if kernel.by_roles:
            maps, shared = needs_by_roles(kernel, self.arch)
            argument += bytes(-len(argument) % 128 if maps else 0) + b"".join(
                map_of(self.machine, tensors[i], kernel.type, rows, kernel.value if i == 2 else kernel.head)
                for i, rows in maps)
            if kernel.form == "forward":
                resident = is_persistent(kernel, self.arch) and RESIDENT
                argument += int(resident).to_bytes(4, "little") + (kernel.paged * kernel.page).to_bytes(124, "little")
                blocks = min(blocks, resident) if resident else blocks
                blocks += -blocks % kernel.cluster
        threads = int(re.search(rf"\.entry {kernel.symbol}\([^)]*\)\s*\.maxntid (\d+)", self.source)[1])
        self.launched.add(kernel.symbol)
        self.machine.launch(kernel.symbol, blocks, threads, argument, shared, cluster=kernel.cluster, seed=self.seed)


# Instructions to leave out of the kernels of a file that runs: the machine must report each.
FAULTS = [("attention_latent_fp8", "sm_90a", r"fence\.proxy\.async\.shared::cta;"),
          ("attention_fp8_hopper", "sm_90a", r"fence\.proxy\.async\.shared::cta;"),
          ("attention_backward_blackwell", "sm_100a", r"tcgen05\.wait::st\.sync\.aligned;"),
          ("attention_backward_blackwell", "sm_100a", r"tcgen05\.fence::before_thread_sync;")]


def check(library, arch, source, seed):
    """Sentences on what is wrong with a file's kernels."""
    try:
        return run_attention.check_kernels(Run(library, source, arch, seed), numpy.random.default_rng(seed))
    except (Fault, ValueError) as fault:
        return [str(fault)]


def run_all(library, find, full, only=""):
    """Sentences on what is wrong. The files are those of the targets that every run compiles, or all; only: of these, the
    ones that this pattern finds in "name target", and no faults."""
    wrong = []
    files = [x for x in attention_files("sm_", full) if re.search(only, " ".join(x))]
    if not files:
        return ["no file of test/device/attention_*.cpp has such a name and target"]
    paths = [find(name, arch) for name, arch in files]  # before the first runs: one that is not built skips all
    for (name, arch), path in zip(files, paths):
        source, start = path.read_text(), time.perf_counter()
        for seed in range(6) if full else (0,):
            wrong += [f"{name} {arch} seed {seed}: {text}" for text in check(library, arch, source, seed)]
        print(f"{name:32} {arch:8} {time.perf_counter() - start:.1f} s", flush=True)
    faults = [] if only else [x for x in FAULTS if x[:2] in files]
    for name, arch, left_out in faults:
        text, places = re.subn(left_out, "", find(name, arch).read_text())
        if not places or not check(library, arch, text, 0):
            wrong.append(f"{name} {arch}: nothing is wrong without {left_out}, {places} times")
    print(f"{len(files)} files of attention, {len(faults)} faults planted")
    return wrong
