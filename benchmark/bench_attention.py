"""Attention on the GPU here, forward and backward: the program `attention` against the vendor's kernels through PyTorch
(cuDNN on NVIDIA, Composable Kernel on AMD), which a profile of what ran must name.

bench_attention.py PROGRAM [--out results/attention_h200.json] [--rounds 5] [--case NAME ...] [--list]

Both run in turns, the same shapes in bf16; a figure is the median of its rounds. Before that ours computes a part of the
problem, whose result must keep to its bound. Without a GPU: exit status 77 and a sentence.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

from compile_time import commit

TOKENS = 16384
WIDTH = 2048  # columns of all heads together
# What the names of its attention kernels have: cuDNN's, and Composable Kernel's or AITER's through PyTorch.
VENDOR_KERNELS = {"cuda": ("cudnn",), "hip": ("fmha",)}


class Case:
    """backward: the backward pass alone is measured, whatever the group is called."""

    def __init__(self, group, batch, heads, kv_heads, seq_q, seq_k, dim, causal, backward=False):
        self.group, self.batch, self.heads, self.kv_heads = group, batch, heads, kv_heads
        self.seq_q, self.seq_k, self.dim, self.causal, self.backward = seq_q, seq_k, dim, causal, backward

    def name(self):
        heads = f"{self.heads}h" if self.heads == self.kv_heads else f"{self.heads}:{self.kv_heads}h"
        mask = "causal" if self.causal else "full"
        return f"{self.group}/d{self.dim}/{mask}/{self.batch}x{heads}x{self.seq_q}x{self.seq_k}"

    def operations(self):
        """Of the two products, or the five of the backward pass; the part of the causal mask that is seen, exactly."""
        pairs = sum(min(self.seq_k, max(0, i + 1 + self.seq_k - self.seq_q)) for i in range(self.seq_q)) \
            if self.causal else self.seq_q * self.seq_k
        return (10.0 if self.backward else 4.0) * self.batch * self.heads * pairs * self.dim


def all_cases():
    """16k tokens at sequences from 512 to 16k, heads of their own and eight that share one, forward and backward; decoding
    with a cache of 8k."""
    cases = []
    for dim in (64, 128, 256):
        for causal in (False, True):
            for sequence in (512, 1024, 2048, 4096, 8192, 16384):
                heads = WIDTH // dim
                groups = [("forward", heads, False), ("backward", heads, True)]
                if dim == 128:
                    groups += [("grouped", heads // 8, False), ("grouped_backward", heads // 8, True)]
                cases += [Case(group, TOKENS // sequence, heads, kv_heads, sequence, sequence, dim, causal, backward)
                          for group, kv_heads, backward in groups]
    for batch in (1, 4, 16, 64, 256):
        cases.append(Case("decode", batch, 64, 8, 1, 8192, 128, False))
    return cases


def run_ours(program, case, device="gpu", kind="bf16", more=()):
    """Seconds of one launch, of the backward pass alone if that is asked for, and the record; or None and why not."""
    words = [program, "--batch", case.batch, "--heads", case.heads, "--kv-heads", case.kv_heads, "--seq-q", case.seq_q,
             "--seq-k", case.seq_k, "--head-dim", case.dim, "--type", kind, "--device", device, "--json"]
    words += ["--causal"] if case.causal else []
    words += more
    with tempfile.TemporaryDirectory() as folder:
        if case.backward:
            import numpy

            numpy.save(f"{folder}/dO.npy", numpy.random.default_rng(1).standard_normal(
                (case.batch, case.heads, case.seq_q, case.dim), dtype=numpy.float32))
            words += ["--dout", f"{folder}/dO.npy"]
        ran = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    if ran.returncode:
        return None, ran.stderr.strip()
    record = json.loads(ran.stdout)
    return record["backward_seconds" if case.backward else "seconds"], record


def part_of(case):
    """A problem for the same kernels, as much smaller as a reference on the host asks for."""
    group = case.heads // case.kv_heads
    return Case(case.group, 1, group, 1, min(case.seq_q, 300), min(case.seq_k, 500), case.dim, case.causal, case.backward)


def gpu_state():
    """The driver, and the clock that the multiprocessors have now, as the vendor's tool says it; empty without one."""
    if not shutil.which("nvidia-smi"):
        return {}
    query = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,clocks.sm", "--format=csv,noheader,nounits"],
                           capture_output=True, text=True)
    words = [word.strip() for word in query.stdout.splitlines()[0].split(",")] if query.stdout else []
    return {"gpu": words[0], "driver": words[1], "clock_mhz": int(words[2])} if len(words) == 3 else {}


class Vendor:
    """PyTorch's scaled_dot_product_attention with the vendor's back end."""

    def __init__(self):
        import torch
        from torch.nn.attention import SDPBackend, sdpa_kernel

        self.torch, self.sdpa_kernel = torch, sdpa_kernel
        self.platform = "hip" if torch.version.hip else "cuda"
        if self.platform == "hip":
            torch.backends.cuda.preferred_rocm_fa_library("ck")
        self.backend = SDPBackend.FLASH_ATTENTION if self.platform == "hip" else SDPBackend.CUDNN_ATTENTION
        self.name = f"PyTorch {torch.__version__}, {self.backend.name}"

    def prepare(self, case):
        """A function that runs it, on two sets of random operands in turns; of the backward pass that alone."""
        torch = self.torch
        make = lambda heads, rows: torch.randn(case.batch, heads, rows, case.dim, device="cuda", dtype=torch.bfloat16,
                                               requires_grad=case.backward)
        sets = [(make(case.heads, case.seq_q), make(case.kv_heads, case.seq_k), make(case.kv_heads, case.seq_k))
                for _ in range(2)]
        turn = 0

        def attend(q, k, v):
            with self.sdpa_kernel(self.backend):
                return torch.nn.functional.scaled_dot_product_attention(
                    q, k, v, is_causal=case.causal, enable_gqa=case.heads != case.kv_heads)

        results = [(attend(*x), torch.randn_like(x[0])) for x in sets] if case.backward else []

        def run():
            nonlocal turn
            turn = 1 - turn
            if not case.backward:
                return attend(*sets[turn])
            o, d_o = results[turn]
            return torch.autograd.grad(o, sets[turn], d_o, retain_graph=True)
        return run

    def kernels(self, run):
        """Names of the GPU's kernels that a call runs."""
        from torch.profiler import ProfilerActivity, profile

        run()
        with profile(activities=[ProfilerActivity.CUDA]) as seen:
            run()
            self.torch.cuda.synchronize()
        return [event.key for event in seen.key_averages()]

    def seconds(self, run, launches=10):
        torch = self.torch
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        run()
        start.record()
        for _ in range(launches):
            run()
        stop.record()
        stop.synchronize()
        return start.elapsed_time(stop) * 1e-3 / launches


def is_vendors(kernels, platform):
    """Whether one of the kernels is of the library that is to be measured."""
    return any(word in kernel.lower() for kernel in kernels for word in VENDOR_KERNELS[platform])


def measure(program, vendor, case, rounds):
    record = {"case": case.name(), "operations": case.operations()}
    run = None
    if vendor is not None:
        try:
            run = vendor.prepare(case)
            kernels = vendor.kernels(run)
            if not is_vendors(kernels, vendor.platform):
                run, record["vendor_failed"] = None, f"another library's kernels ran: {', '.join(kernels)}"
        except RuntimeError as error:
            run, record["vendor_failed"] = None, str(error).splitlines()[0]
    ours, theirs = [], []
    seconds, said = run_ours(program, part_of(case), more=["--verify"])
    if seconds is None:
        record["failed"] = said
    else:
        record["max_abs_error"] = said["max_abs_error"]
    for _ in range(rounds):
        if run is not None:
            theirs.append(vendor.seconds(run))
        if "failed" in record:
            break
        seconds, said = run_ours(program, case)
        if seconds is None:
            record["failed"] = said
            break
        record["tile"], record["arch"] = said["backward_tile" if case.backward else "tile"], said["arch"]
        ours.append(seconds)
    for name, times in (("", ours), ("vendor_", theirs)):
        if times:
            middle = statistics.median(times)
            record[f"{name}seconds"], record[f"{name}spread"] = middle, (max(times) - min(times)) / middle
            record[f"{name}tflops"] = record["operations"] / middle * 1e-12
    record |= {name: value for name, value in gpu_state().items() if name == "clock_mhz"}
    if ours and theirs:
        record["ratio"] = record["vendor_seconds"] / record["seconds"]
    return record


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the program attention")
    parser.add_argument("--out")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--case", action="append", help="one of --list; may be repeated")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    cases = all_cases()
    if arguments.list:
        print("\n".join(case.name() for case in cases))
        return 0
    if arguments.rounds < 1:
        parser.error("--rounds starts at 1")
    chosen = [c for c in cases if not arguments.case or c.name() in arguments.case]
    if not chosen:
        parser.error("no case has such a name; --list shows them")
    seconds, said = run_ours(arguments.program, Case("probe", 1, 1, 1, 1, 1, 64, False))
    if seconds is None:
        print(f"skipped: {said}")
        return 77
    vendor = None
    try:
        vendor = Vendor()
    except ImportError as error:
        print(f"the vendor's kernels are not measured: {error}")
    records = []
    for case in chosen:
        records.append(measure(arguments.program, vendor, case, arguments.rounds))
        r = records[-1]
        figure = lambda key: f"{r[key]:10.2f}" if key in r else f"{'-':>10}"
        print(f"{r['case']:52}{figure('tflops')} TFLOP/s, vendor {figure('vendor_tflops')}, ratio {figure('ratio')}"
              f" {r.get('failed', '')}{r.get('vendor_failed', '')}", flush=True)
    if arguments.out:
        report = {"benchmark": "bench_attention", "date": date.today().isoformat(), "commit": commit(),
                  "gpu": vendor.torch.cuda.get_device_name() if vendor else gpu_state().get("gpu"),
                  "driver": gpu_state().get("driver"),
                  "vendor": vendor.name if vendor else None, "command": " ".join(sys.argv), "results": records}
        Path(arguments.out).write_text(json.dumps(report, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
