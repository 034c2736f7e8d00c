"""Attention and operations on rows on the GPU here, beside the vendor's and PyTorch's kernels, in one process.

    bench.py LIBRARY --out FILE [--only REGEX] [--rounds 11] [--seconds 0.02] [--until SECONDS] [--once]

LIBRARY is libtegula_bench (benchmark/gpu). Every contender works on the same random data, on as many sets as are 2.5 times
the largest cache, recorded in a CUDA graph and replayed in turns, A-B-A-B. Figures are medians over the rounds. Results
are compared with float64 before. FILE gets a JSON line when a case begins and one with its result; cases
that have one there are not run again. --once starts each operation of ours once, for a profiler. Exit status: 0, 1 where a
result is wrong, 4 more where the time was over before all had run.
"""

import argparse
import ctypes
import json
import math
import os
import re
import statistics
import subprocess
import sys
import time

import torch

CACHE_BYTES = 150e6  # 2.5 times the largest L2 there is
MOST_ERROR = 0.02  # of all of a result, relative; storing it in bf16 gives 0.0017


class Library:
    def __init__(self, file):
        self.c = ctypes.CDLL(file)
        self.c.tegula_message.restype = self.c.tegula_operations.restype = ctypes.c_char_p
        self.c.tegula_workspace.restype = ctypes.c_long
        self.names = self.c.tegula_operations().decode().split()

    def prepare(self, name, sizes, tensors):
        """A function that starts the operation in a stream. Tensors may be None."""
        sizes = (ctypes.c_long * 16)(*sizes)
        pointers = (ctypes.c_void_p * 16)(*[None if t is None else t.data_ptr() for t in tensors])
        handle = ctypes.c_void_p()
        if self.c.tegula_prepare(name.encode(), sizes, pointers, ctypes.byref(handle)):
            raise RuntimeError(f"{name}: {self.c.tegula_message().decode()}")

        def start():
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            if self.c.tegula_start(handle, stream):
                raise RuntimeError(f"{name}: {self.c.tegula_message().decode()}")

        start.keeps = (tensors, handle)
        return start

    def workspace(self, name, sizes):
        size = self.c.tegula_workspace(name.encode(), (ctypes.c_long * 16)(*sizes))
        if size < 0:
            raise RuntimeError(self.c.tegula_message().decode())
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


def clock():
    query = ["nvidia-smi", "--query-gpu=clocks.sm,power.draw,temperature.gpu", "--format=csv,noheader,nounits"]
    try:
        return subprocess.run(query, capture_output=True, text=True, timeout=10).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def wrong_in(record):
    """Returns what is wrong with ours, or an empty string."""
    for name, errors in record.get("errors", {}).items():
        for what, error in errors.items() if isinstance(errors, dict) else [("result", errors)]:
            if what == "all written":
                if not error:
                    return f"{name}: not all of the result is written"
            elif not error <= MOST_ERROR:
                return f"{name}: the relative error of {what} is {error:.3g}, past {MOST_ERROR}"
    # Ours have the names of the library's operations; what the others cannot do is no fault of it.
    return next((f"{name}: {said}" for name, said in record.get("failed", {}).items() if name in ("", "tegula") or "/" in name), "")


def relative_error(found, expected):
    expected = expected.double()
    return ((found.double() - expected).norm() / expected.norm()).item()


# Attention


def attention_cases():
    cases = []
    for columns in (128, 64, 256):
        for mask in ("causal", "full"):
            for sequence in (4096, 16384, 1024):
                heads = 2048 // columns
                cases.append(("forward", 16384 // sequence, heads, heads, sequence, sequence, columns, mask))
    for sequence in (4096, 16384):
        cases.append(("forward", 16384 // sequence, 16, 2, sequence, sequence, 128, "causal"))
    for columns in (128, 64, 256):
        for mask in ("causal", "full"):
            for sequence in (4096, 16384):
                heads = 2048 // columns
                cases.append(("backward", 16384 // sequence, heads, heads, sequence, sequence, columns, mask))
    for batch in (1, 16, 64):
        cases.append(("decode", batch, 64, 8, 1, 8192, 128, "full"))
    return cases


def attention_name(case):
    what, batch, heads, kv_heads, seq_q, seq_k, columns, mask = case
    return f"attention/{what}/{columns}/{mask}/{batch}x{heads}:{kv_heads}x{seq_q}x{seq_k}"


def reference_attention(q, k, v, causal):
    """Float64, of one sequence and one head."""
    s = (q.double() @ k.double().T) / math.sqrt(q.shape[-1])
    if causal:
        s.masked_fill_(torch.ones_like(s, dtype=torch.bool).triu(1 + s.shape[1] - s.shape[0]), -math.inf)
    return torch.softmax(s, -1) @ v.double()


def sdpa_backends():
    from torch.nn.attention import SDPBackend

    return {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}


def measure_attention(library, case, arguments):
    from torch.nn.attention import sdpa_kernel

    what, batch, heads, kv_heads, seq_q, seq_k, columns, mask = case
    causal = mask == "causal"
    make = lambda h, s: torch.randn(batch, h, s, columns, device="cuda", dtype=torch.bfloat16)
    one_set = 2 * columns * batch * (2 * heads * seq_q + 2 * kv_heads * seq_k) * (2 if what == "backward" else 1)
    sets = max(2, min(16, math.ceil(CACHE_BYTES / one_set)))
    data = [(make(heads, seq_q), make(kv_heads, seq_k), make(kv_heads, seq_k)) for _ in range(sets)]
    record = {"case": attention_name(case)}
    pairs = seq_q * seq_k if not causal else sum(min(seq_k, i + 1 + seq_k - seq_q) for i in range(seq_q))
    record["operations"] = (10.0 if what == "backward" else 4.0) * batch * heads * pairs * columns
    record["bytes"] = one_set
    contenders = []
    ours = {"forward": ["attention/specialized", "attention/multistage"], "backward": ["attention_backward/specialized", "attention_backward/multistage"],
            "decode": ["attention/few_queries"]}[what]
    for prefix in ours:
        for name in [n for n in library.names if n.startswith(prefix + "/") and f"/bf16/{columns}/{mask}" in n]:
            options = [1]
            if what == "decode":
                options = [0] + [s for s in (1, 2, 4, 8, 16, 32, 64) if batch * kv_heads * s <= 1024]
            for splits in options:
                sizes = [batch, heads, kv_heads, seq_q, seq_k, columns, splits]
                starts, checked = [], None
                try:
                    for q, k, v in data:
                        o = torch.full_like(q, math.nan)
                        lse = torch.full((batch, heads, seq_q), math.nan, device="cuda")
                        tensors = [q, k, v, o, lse, library.workspace(name, sizes)]
                        if what == "backward":
                            forward = name.replace("attention_backward", "attention").replace("multistage", "specialized")
                            forward = forward if forward in library.names else forward.replace("specialized", "multistage")
                            library.prepare(forward, sizes, tensors)()
                            d_o = torch.randn_like(o)
                            tensors += [d_o] + [torch.full_like(x, math.nan) for x in (q, k, v)]
                        starts.append(library.prepare(name, sizes, tensors))
                        if checked is None:
                            checked = check_attention(starts[0], tensors, what, causal)
                    label = name + (f" splits {splits or 'chosen'}" if what == "decode" else "")
                    record.setdefault("errors", {})[label] = checked
                    torch.cuda.synchronize()
                    if not arguments.once:
                        contenders.append(Contender("tegula " + label, starts, arguments.seconds))
                except RuntimeError as error:
                    record.setdefault("failed", {})[name] = str(error)[:300]
    for name, backend in ({} if arguments.once else sdpa_backends()).items():
        try:
            with sdpa_kernel(backend):
                attend = lambda q, k, v: torch.nn.functional.scaled_dot_product_attention(
                    q, k, v, is_causal=causal, enable_gqa=heads != kv_heads)
                if what != "backward":
                    starts = [lambda x=x: attend(*x) for x in data]
                else:
                    starts = []
                    stream = torch.cuda.Stream()
                    for x in data:
                        with torch.cuda.stream(stream):
                            leaves = [t.detach().requires_grad_() for t in x]
                            o = attend(*leaves)
                            d_o = torch.randn_like(o)
                        starts.append(lambda o=o, l=leaves, d=d_o: torch.autograd.grad(o, l, d, retain_graph=True))
                    stream.synchronize()
                contenders.append(Contender(name, starts, arguments.seconds))
        except Exception as error:  # whatever PyTorch says of it
            record.setdefault("failed", {})[name] = str(error).splitlines()[0][:200]
    return finish(record, contenders, arguments)


def check_attention(start, tensors, what, causal):
    start()
    torch.cuda.synchronize()
    q, k, v, o = tensors[:4]
    group = q.shape[1] // k.shape[1]
    b, h = q.shape[0] - 1, q.shape[1] - 1
    if what != "backward":
        parts = [(q[b, h, -2048:], k[b, h // group], v[b, h // group], o[b, h, -2048:])]
        error = max(relative_error(x[3], reference_attention(*x[:3], causal)) for x in parts)
        return {"o": error, "all written": bool(torch.isfinite(o).all())}
    d_o, dq, dk, dv = tensors[6:10]
    if q.shape[2] > 8192:
        return {"all written": bool(torch.isfinite(dq).all() and torch.isfinite(dk).all() and torch.isfinite(dv).all())}
    leaves = [x[b, h].double().requires_grad_() for x in (q, k, v)]
    gradients = torch.autograd.grad(reference_attention(*leaves, causal), leaves, d_o[b, h].double())
    return {name: relative_error(x[b, h], g) for name, x, g in zip(("dq", "dk", "dv"), (dq, dk, dv), gradients)}


# Rows


def row_functions():
    norm, rms = torch.nn.functional.layer_norm, torch.nn.functional.rms_norm
    return {
        "softmax": (2, lambda x, r: torch.softmax(x, -1)),
        "layernorm": (2, lambda x, r: norm(x, x.shape[-1:])),
        "rmsnorm": (2, lambda x, r: rms(x, x.shape[-1:], eps=1e-5)),
        "transpose": (2, lambda x, r: x.t().contiguous()),
        "sum_of_rows": (1, lambda x, r: x.sum(-1)),
        "add": (3, lambda x, r: x + r),
    }


def measure_rows(library, name, rows, columns, arguments):
    passes, function = row_functions()[name]
    record = {"case": f"{name}/bf16/{rows}x{columns}", "bytes": passes * rows * columns * 2}
    sets = max(2, math.ceil(CACHE_BYTES / (rows * columns * 2)))
    data = [[torch.randn(rows, columns, device="cuda", dtype=torch.bfloat16) for _ in range(2)] for _ in range(sets)]
    contenders = []
    try:
        outputs = [torch.full((rows, columns), math.nan, device="cuda", dtype=torch.bfloat16) for _ in data]
        starts = [library.prepare(f"{name}/bf16", [rows, columns], [x, y, r]) for (x, r), y in zip(data, outputs)]
        starts[0]()
        torch.cuda.synchronize()
        expected = function(data[0][0].double(), data[0][1].double())
        found = outputs[0].flatten()[: expected.numel()].view(expected.shape)
        record["errors"] = {"tegula": relative_error(found, expected)}
        if arguments.once:
            return record
        contenders.append(Contender("tegula", starts, arguments.seconds))
    except RuntimeError as error:
        record.setdefault("failed", {})["tegula"] = str(error)[:300]
    contenders.append(Contender("pytorch", [lambda x=x, r=r: function(x, r) for x, r in data], arguments.seconds))
    try:
        compiled = torch.compile(function, mode="max-autotune-no-cudagraphs", dynamic=False)
        contenders.append(Contender("inductor", [lambda x=x, r=r: compiled(x, r) for x, r in data], arguments.seconds))
    except Exception as error:
        record.setdefault("failed", {})["inductor"] = str(error).splitlines()[0][:200]
    targets = [torch.empty_like(x) for x, _ in data]
    contenders.append(Contender("copy", [lambda x=x, t=t: t.copy_(x) for (x, _), t in zip(data, targets)], arguments.seconds))
    record = finish(record, contenders, arguments)
    record["contenders"]["copy"]["rate"] = 2 * rows * columns * 2 / record["contenders"]["copy"]["seconds"]
    return record


def finish(record, contenders, arguments):
    if arguments.once:
        return record
    record["contenders"] = compare(contenders, arguments) if contenders else {}
    for c in record["contenders"].values():
        c["rate"] = record.get("operations", record["bytes"]) / c["seconds"]
    record["clock"] = clock()
    return record


def results_in(file):
    results = []
    if os.path.exists(file):
        with open(file) as lines:
            for line in lines:
                try:
                    results.append(json.loads(line))
                except ValueError:
                    pass  # half a line, of a process that was killed
    return [r for r in results if "case" in r]


def all_work(library, arguments):
    """Name of each case, and a function that gives its record."""
    work = [(attention_name(case), lambda case=case: measure_attention(library, case, arguments)) for case in attention_cases()]
    for rows, columns in ((65536, 8192), (16384, 8192), (32768, 1024)):
        work += [(f"{name}/bf16/{rows}x{columns}", lambda a=(name, rows, columns): measure_rows(library, *a, arguments))
                 for name in row_functions()]
    return work


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--seconds", type=float, default=0.02, help="GPU time of a replay")
    parser.add_argument("--warm", type=float, default=0.3, help="seconds until the clock has settled")
    parser.add_argument("--until", type=float, default=3600, help="seconds after which no case is begun")
    parser.add_argument("--once", action="store_true", help="start each operation of ours once")
    parser.add_argument("--begin", type=float, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    library = Library(arguments.library)
    begin = arguments.begin or time.time()
    done = {r["case"] for r in results_in(arguments.out)}
    status = 0
    with open(arguments.out, "a") as out:

        def write(record):
            out.write("\n" + json.dumps(record) + "\n")  # behind what may be half a line
            out.flush()

        for name, run in all_work(library, arguments):
            if not re.search(arguments.only, name) or name in done:
                continue
            if time.time() - begin > arguments.until:
                print("the time is over")
                status += 4
                break
            write({"start": name})
            try:
                record = run()
            except Exception as error:
                record = {"case": name, "failed": {"": repr(error)[:400]}}
            record["wrong"] = wrong_in(record)
            write(record)
            unit = 1e12 if "operations" in record else 1e9
            parts = [f"{n} {c['rate'] / unit:.1f}" for n, c in record.get("contenders", {}).items()]
            print(record["case"], "|", "; ".join(parts), record.get("errors", ""), record.get("failed", ""), flush=True)
            try:
                torch.cuda.empty_cache()
            except RuntimeError:  # the GPU's context is lost: the rest needs another process
                os.execv(sys.executable, [sys.executable, *sys.argv, "--begin", str(begin)])
    return status + any(r.get("wrong") for r in results_in(arguments.out))


if __name__ == "__main__":
    sys.exit(main())
