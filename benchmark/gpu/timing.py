"""What bench.py measures with: the library's operations, and contenders in turns. It needs PyTorch."""

import math
import re
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).resolve().parent / "../../library"))  # where no copy is beside this file
import tegula_library  # noqa: E402

CACHE_BYTES = 150e6  # 2.5 times the largest L2 there is
SHARES_BYTES = 512 << 20  # of the workspace for products whose k is shared


class Library(tegula_library.Library):
    """Operations on PyTorch's tensors."""

    def __init__(self, file):
        super().__init__(file)
        self.names = self.operations
        self.shares = None

    def prepare(self, name, sizes, tensors):
        """A function that starts the operation in a stream. Tensors may be None."""
        prepared = super().prepare(name, sizes, [None if t is None else t.data_ptr() for t in tensors])

        def start():
            prepared(torch.cuda.current_stream().cuda_stream)

        start.keeps = (tensors, prepared)
        return start

    def prepare_product(self, kernel, a, b, d, more):
        """A function that starts a kernel of GEMM without epilogue, by its name, for D = A B: A [m, k], B [k, n] and D [m, n] as
        their strides say. `more`: other members of its arguments."""
        members = {m["name"] for m in self.describe(kernel)["members"]}
        product = "product." if "product.m" in members else ""
        values = dict(zip("mnk", (*d.shape, a.shape[1])))
        for name, x in (("a", a), ("b", b), ("c", d)):
            values |= {f"{name}.data": x.data_ptr(), f"{name}.row_stride": x.stride(0), f"{name}.column_stride": x.stride(1)}
        values = {product + name: value for name, value in values.items()} | more
        shares = None
        if "workspace.data" in members:  # one for all of them, as they run one after the other
            shares = self.shares = self.shares if self.shares is not None else torch.empty(SHARES_BYTES, device="cuda", dtype=torch.uint8)
            values |= {"workspace.data": shares.data_ptr(), "workspace.bytes": shares.numel()}
        prepared = self.prepare_kernel(kernel, values)

        def start():
            prepared(torch.cuda.current_stream().cuda_stream)

        start.keeps = (a, b, d, shares, prepared)
        return start

    def workspace(self, name, sizes):
        size = self.workspace_bytes(name, sizes)
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


def is_wanted(name, arguments):
    """Whether a contender is to be there: all are, unless --contender names some."""
    return not arguments.contender or name in arguments.contender


def contend(contenders, name, starts, arguments):
    """Adds a contender. With --once it is not timed: start_once() starts it."""
    if is_wanted(name, arguments):
        contenders.append((name, starts) if arguments.once else Contender(name, starts, arguments.seconds))


def start_once(contenders):
    """Starts each contender once, where a profiler looks. Before each and behind the last runs a kernel of PyTorch's whose
    name has `spin_kernel`, so that the profiler's list of kernels tells whose is whose. Returns the names in that order."""
    for _, starts in contenders:
        starts[0]()  # what is compiled or looked up at first is not profiled
    torch.cuda.synchronize()
    torch.cuda.profiler.start()
    for _, starts in contenders:
        torch.cuda._sleep(1)
        starts[0]()
    torch.cuda._sleep(1)
    torch.cuda.synchronize()
    torch.cuda.profiler.stop()
    return [name for name, _ in contenders]


def settle(contenders, arguments):
    """Replays them until the clock has settled."""
    begin = time.monotonic()
    while time.monotonic() - begin < arguments.warm:
        for c in contenders:
            c.replay()


def compare(contenders, arguments):
    """Medians of the contenders in turns, once the clock has settled, and the clock under that load."""
    settle(contenders, arguments)
    found = []
    reader = threading.Thread(target=lambda: found.append(clock()))
    for number in range(arguments.rounds):
        if number == arguments.rounds // 2:
            reader.start()
        for c in contenders:
            c.times.append(c.replay())
    reader.join()
    return {c.name: {"seconds": statistics.median(c.times), "spread": (max(c.times) - min(c.times)) / statistics.median(c.times)}
            for c in contenders}, found[0] if found else ""


def fp8_type():
    """PyTorch's e4m3 that the GPU here multiplies."""
    is_fnuz = torch.version.hip and torch.cuda.get_device_properties(0).gcnArchName.startswith("gfx94")
    return torch.float8_e4m3fnuz if is_fnuz else torch.float8_e4m3fn


_ceilings = {}


def ceilings():
    """What the card reaches: `bytes` a second of a copy, read and written, and operations a second of products of 8192 cubed by
    PyTorch's library, by type. Measured once a process, on random data."""
    if not _ceilings:
        x = torch.randint(0, 256, (2**31,), device="cuda", dtype=torch.uint8)
        y = torch.empty_like(x)
        a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
        h, f = a.half(), a.to(fp8_type())
        one = torch.ones((), device="cuda")
        products = {"bf16": lambda: a @ a.t(), "f16": lambda: h @ h.t(),
                    "fp8": lambda: torch._scaled_mm(f, f.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16)}
        runs = {"bytes": (2 * x.numel(), lambda: y.copy_(x)), **{kind: (2.0 * 8192**3, run) for kind, run in products.items()}}
        for name, (work, run) in runs.items():
            try:
                run()
                _ceilings[name] = work / min(Contender.timed(lambda: [run() for _ in range(8)]) / 8 for _ in range(3))
            except RuntimeError:
                pass  # this GPU multiplies no such numbers
    return _ceilings


def clock():
    """Megahertz of the compute units, watts and degrees Celsius now, as far as something tells: "1980, 650.12, 55"."""
    if torch.version.hip:
        return amd_clock(amd_folder())
    query = ["nvidia-smi", "--query-gpu=clocks.sm,power.draw,temperature.gpu", "--format=csv,noheader,nounits"]
    try:
        return subprocess.run(query, capture_output=True, text=True, timeout=10).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def megahertz(text):
    """The megahertz in the text of clock(); 0 if it has none."""
    found = re.match(r"[\d.]+", text)
    return float(found[0]) if found else 0.0


def amd_folder(system=Path("/sys")):
    """The files of the amdgpu driver for the GPU in use: by its PCI address, if PyTorch tells that, else the first card."""
    gpu = torch.cuda.get_device_properties(torch.cuda.current_device())
    numbers = [getattr(gpu, f"pci_{part}_id", None) for part in ("domain", "bus", "device")]
    if None not in numbers:
        return system / "bus/pci/devices" / "{:04x}:{:02x}:{:02x}.0".format(*numbers)
    cards = sorted(f.parent for f in system.glob("class/drm/card*/device/pp_dpm_sclk"))
    return cards[0] if cards else system / "class/drm/card0/device"


def amd_clock(folder):
    """As clock(), from the files of one card: the marked line of pp_dpm_sclk, "1: 1700Mhz *", or the sensor's hertz."""

    def sensor(factor, *names):
        for file in (f for name in names for f in sorted(folder.glob(f"hwmon/hwmon*/{name}"))):
            try:
                return f"{int(file.read_text()) * factor:g}"
            except (OSError, ValueError):
                pass  # one that this card lacks
        return ""

    try:
        marked = re.search(r":\s*(\d+)\s*Mhz\s*\*", (folder / "pp_dpm_sclk").read_text(), re.I)
    except OSError:
        marked = None
    values = [marked[1] if marked else sensor(1e-6, "freq1_input"), sensor(1e-6, "power1_average", "power1_input"),
              sensor(1e-3, "temp1_input")]
    return ", ".join(values) if values[0] else ""


def relative_error(found, expected):
    expected = expected.double()
    return ((found.double() - expected).norm() / expected.norm()).item()


def finish(record, contenders, arguments):
    if arguments.once:
        return {**record, "order": start_once(contenders)}
    record["contenders"], record["clock"] = compare(contenders, arguments) if contenders else ({}, "")
    # The time that the card needs for the products or the memory, whichever is more.
    peaks = ceilings()
    least = max(record["bytes"] / peaks["bytes"], record.get("operations", 0) / peaks.get(record.get("type", "bf16"), math.inf))
    for c in record["contenders"].values():
        c["rate"] = record.get("operations", record["bytes"]) / c["seconds"]
        c["roofline"] = least / c["seconds"]
    record["ceilings"] = dict(peaks)
    return record
