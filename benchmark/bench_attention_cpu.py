"""The forward pass of attention on the CPU: the program `attention` beside PyTorch's scaled_dot_product_attention.

bench_attention_cpu.py PROGRAM [--out results/attention_cpu.json] [--threads 1] [--rounds 7] [--avx2] [--case NAME ...] [--list]

Both stay on the same cores and take turns, round by round. A ratio is PyTorch's time divided by ours, of the fastest round of each, as
others may use the machine: above 1 ours is faster. PyTorch runs in the inputs' type and in f32, which is faster where the
machine has no instructions for the type. --avx2 limits both to AVX2. Without the CPU's kernels, or without PyTorch: exit
status 77 and a sentence. A program built for tests (TEGULA_PROGRAM_KERNELS=sample) has half optimised kernels in bf16: it is no
program to measure.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

from compile_time import commit, processor

TYPES = {"bf16": "bfloat16", "f16": "float16", "f32": "float32"}
ONLY_AVX2 = {"ATEN_CPU_CAPABILITY": "avx2", "MKL_ENABLE_INSTRUCTIONS": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2_VNNI"}


class Case:
    def __init__(self, group, batch, heads, kv_heads, seq_q, seq_k, dim, causal):
        self.group, self.batch, self.heads, self.kv_heads = group, batch, heads, kv_heads
        self.seq_q, self.seq_k, self.dim, self.causal = seq_q, seq_k, dim, causal

    def name(self):
        heads = f"{self.heads}h" if self.heads == self.kv_heads else f"{self.heads}:{self.kv_heads}h"
        mask = "causal" if self.causal else "full"
        return f"{self.group}/d{self.dim}/{mask}/{self.batch}x{heads}x{self.seq_q}x{self.seq_k}"

    def operations(self):
        """Multiplications and additions of the two products, for exactly the pairs that the mask leaves."""
        pairs = sum(min(self.seq_k, max(0, i + 1 + self.seq_k - self.seq_q)) for i in range(self.seq_q)) \
            if self.causal else self.seq_q * self.seq_k
        return 4.0 * self.batch * self.heads * pairs * self.dim


def run_ours(program, case, kind="bf16", arch="host"):
    """Seconds of one launch on the CPU, and the program's record; or None and why not."""
    words = [program, "--batch", case.batch, "--heads", case.heads, "--kv-heads", case.kv_heads, "--seq-q", case.seq_q,
             "--seq-k", case.seq_k, "--head-dim", case.dim, "--type", kind, "--device", "cpu", "--arch", arch, "--json"]
    words += ["--causal"] if case.causal else []
    ran = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    if ran.returncode:
        return None, ran.stderr.strip()
    record = json.loads(ran.stdout)
    return record["seconds"], record


def all_cases():
    """Eight heads of 1024 and 2048 tokens, and eight that share two."""
    cases = [Case("forward", 1, 8, 8, tokens, tokens, dim, causal)
             for dim in (64, 128) for tokens in (1024, 2048) for causal in (False, True)]
    return cases + [Case("grouped", 1, 8, 2, 2048, 2048, 128, True)]


def prepare(torch, case, kind):
    """A function that runs PyTorch's kernel in that type on random data, warmed up.

    Errors: RuntimeError where its fused kernel, the fastest that it has for CPUs, does not take the case.
    """
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def make(heads, rows):
        return torch.randn(case.batch, heads, rows, case.dim).to(getattr(torch, TYPES[kind]))

    q, k, v = make(case.heads, case.seq_q), make(case.kv_heads, case.seq_k), make(case.kv_heads, case.seq_k)

    def run():
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=case.causal,
                                                             enable_gqa=case.heads != case.kv_heads)
    run()
    return run


def seconds_of(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def measure(program, torch, case, rounds, arch):
    """The fewest seconds of each that takes part, their medians, and ratios of the fewest."""
    theirs = {kind: prepare(torch, case, kind) for kind in TYPES}
    times = {f"ours {kind}": [] for kind in TYPES} | {f"PyTorch {kind}": [] for kind in TYPES}
    record = {"case": case.name(), "operations": case.operations()}
    for _ in range(rounds):
        for kind in TYPES:
            seconds, said = run_ours(program, case, kind, arch)
            if seconds is None:
                return record | {"failed": said}
            times[f"ours {kind}"].append(seconds)
            record["arch"], record["tile"] = said["arch"], said["tile"]
        for kind, run in theirs.items():
            times[f"PyTorch {kind}"].append(seconds_of(run))
    least = {name: min(x) for name, x in times.items()}
    record |= {"seconds": least, "median_seconds": {name: statistics.median(x) for name, x in times.items()},
               "gflops": {name: record["operations"] / x * 1e-9 for name, x in least.items()}}
    record["ratio"] = {kind: least[f"PyTorch {kind}"] / least[f"ours {kind}"] for kind in TYPES}
    record["ratio_to_f32"] = {kind: least["PyTorch f32"] / least[f"ours {kind}"] for kind in TYPES}
    return record


def stay_on(threads):
    """This process and what it starts, on the first of the cores that it may use."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the program attention")
    parser.add_argument("--out")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--avx2", action="store_true", help="AVX2 alone")
    parser.add_argument("--case", action="append", help="one of --list; may be repeated")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    cases = all_cases()
    if arguments.list:
        print("\n".join(case.name() for case in cases))
        return 0
    if min(arguments.rounds, arguments.threads) < 1:
        parser.error("--rounds and --threads start at 1")
    chosen = [c for c in cases if not arguments.case or c.name() in arguments.case]
    if not chosen:
        parser.error("no case has such a name; --list shows them")
    stay_on(arguments.threads)
    arch = "x86_avx2" if arguments.avx2 else "host"
    if arguments.avx2:
        os.environ.update(ONLY_AVX2)  # PyTorch reads it when it is loaded
    seconds, said = run_ours(arguments.program, Case("probe", 1, 1, 1, 1, 1, 64, False), arch=arch)
    if seconds is None:
        print(f"skipped: {said}")
        return 77
    try:
        import torch
    except ImportError as error:
        print(f"skipped: PyTorch is not importable: {error}")
        return 77
    torch.set_num_threads(arguments.threads)
    load = os.getloadavg()[0]
    records = []
    for case in chosen:
        records.append(measure(arguments.program, torch, case, arguments.rounds, arch))
        r = records[-1]
        print(f"{r['case']:36}" + (r["failed"] if "failed" in r else "".join(
            f"  {name} {x:.1f}" for name, x in r["gflops"].items()) + " GFLOP/s, ratios " + ", ".join(
            f"{kind} {r['ratio'][kind]:.2f} (f32 {r['ratio_to_f32'][kind]:.2f})" for kind in TYPES)), flush=True)
    if arguments.out:
        report = {"benchmark": "bench_attention_cpu", "date": date.today().isoformat(), "commit": commit(),
                  "machine": f"{processor()}, {os.cpu_count()} cores", "threads": arguments.threads,
                  "rounds": arguments.rounds, "load_before": round(load, 2), "load_after": round(os.getloadavg()[0], 2),
                  "other": f"PyTorch {torch.__version__}, {torch.backends.cpu.get_cpu_capability()}", "results": records}
        Path(arguments.out).write_text(json.dumps(report, indent=1) + "\n")
    return 1 if any("failed" in r for r in records) else 0


if __name__ == "__main__":
    sys.exit(main())
