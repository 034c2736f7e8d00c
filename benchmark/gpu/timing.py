"""What bench.py measures with: the library's operations, and contenders in turns. It needs PyTorch."""

import ctypes
import math
import statistics
import subprocess
import sys
import time
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).resolve().parent / "../../library"))  # where no copy is beside this file
import tegula_library  # noqa: E402

CACHE_BYTES = 150e6  # 2.5 times the largest L2 there is


class Library(tegula_library.Library):
    """Operations on PyTorch's tensors."""

    def __init__(self, file):
        super().__init__(file)
        self.names = self.operations

    def prepare(self, name, sizes, tensors):
        """A function that starts the operation in a stream. Tensors may be None."""
        sizes = (ctypes.c_long * max(16, len(sizes)))(*sizes)
        pointers = (ctypes.c_void_p * 16)(*[None if t is None else t.data_ptr() for t in tensors])
        handle = ctypes.c_void_p()
        if self.c.tegula_prepare(name.encode(), sizes, pointers, ctypes.byref(handle)):
            self.fail(name)
        prepared = self.starter(name, handle)

        def start():
            prepared(torch.cuda.current_stream().cuda_stream)

        start.keeps = (tensors, handle)
        return start

    def workspace(self, name, sizes):
        size = self.c.tegula_workspace(name.encode(), (ctypes.c_long * max(16, len(sizes)))(*sizes))
        if size < 0:
            self.fail()
        return torch.empty(max(1, (size + 3) // 4), device="cuda", dtype=torch.float32)


class Contender:
    """starts: functions that start one operation, each on a set of its own."""

    def __init__(self, name, starts, seconds):
        self.name, self.times = name, []
        self.starts = starts  # which hold what the graph reads and writes
        self.stream = torch.cuda.Stream()
        with torch.cuda.stream(self.stream):
            for start in starts:
                start()
            one = self.timed(lambda: [start() for start in starts]) / len(starts)
            self.launches = max(1, min(200, math.ceil(seconds / max(one, 1e-6))))
            self.launches = math.ceil(self.launches / len(starts)) * len(starts)
        self.stream.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph, stream=self.stream):
            for i in range(self.launches):
                starts[i % len(starts)]()
        self.replay()

    @staticmethod
    def timed(run):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        run()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e-3

    def replay(self):
        with torch.cuda.stream(self.stream):
            return self.timed(self.graph.replay) / self.launches


def contend(contenders, name, starts, arguments):
    """Adds a contender; with --once starts it for a profiler, which looks at what lies between start and stop."""
    if not arguments.once:
        contenders.append(Contender(name, starts, arguments.seconds))
        return
    starts[0]()  # what is compiled or looked up at first is not profiled
    torch.cuda.synchronize()
    torch.cuda.profiler.start()
    starts[0]()
    torch.cuda.synchronize()
    torch.cuda.profiler.stop()


def compare(contenders, arguments):
    """Medians of the contenders in turns, once the clock has settled."""
    begin = time.monotonic()
    while time.monotonic() - begin < arguments.warm:
        for c in contenders:
            c.replay()
    for _ in range(arguments.rounds):
        for c in contenders:
            c.times.append(c.replay())
    return {c.name: {"seconds": statistics.median(c.times), "spread": (max(c.times) - min(c.times)) / statistics.median(c.times)}
            for c in contenders}


_ceilings = {}


def ceilings():
    """What the card reaches: `bytes` a second of a copy, read and written, and operations a second of products of 8192 cubed by
    PyTorch's library, by type. Measured once a process, on random data."""
    if not _ceilings:
        x = torch.randint(0, 256, (2**31,), device="cuda", dtype=torch.uint8)
        y = torch.empty_like(x)
        a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
        f = a.to(torch.float8_e4m3fn)
        one = torch.ones((), device="cuda")
        runs = {"bytes": (2 * x.numel(), lambda: y.copy_(x)), "bf16": (2.0 * 8192**3, lambda: a @ a.t()),
                "fp8": (2.0 * 8192**3, lambda: torch._scaled_mm(f, f.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16))}
        for name, (work, run) in runs.items():
            try:
                run()
                _ceilings[name] = work / min(Contender.timed(lambda: [run() for _ in range(8)]) / 8 for _ in range(3))
            except RuntimeError:
                pass  # this GPU multiplies no such numbers
    return _ceilings


def clock():
    query = ["nvidia-smi", "--query-gpu=clocks.sm,power.draw,temperature.gpu", "--format=csv,noheader,nounits"]
    try:
        return subprocess.run(query, capture_output=True, text=True, timeout=10).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def relative_error(found, expected):
    expected = expected.double()
    return ((found.double() - expected).norm() / expected.norm()).item()


def finish(record, contenders, arguments):
    if arguments.once:
        return record
    record["contenders"] = compare(contenders, arguments) if contenders else {}
    # The time that the card needs for the products or the memory, whichever is more.
    peaks = ceilings()
    least = max(record["bytes"] / peaks["bytes"], record.get("operations", 0) / peaks.get(record.get("type", "bf16"), math.inf))
    for c in record["contenders"].values():
        c["rate"] = record.get("operations", record["bytes"]) / c["seconds"]
        c["roofline"] = least / c["seconds"]
    record["ceilings"] = dict(peaks)
    record["clock"] = clock()
    return record
