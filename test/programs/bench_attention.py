"""benchmark/bench_attention.py: its list, what it says without a GPU, its counts; with a GPU it measures one case.
benchmark/bench_attention_cpu.py: its list, what it says without PyTorch; with PyTorch it measures a case for a round.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(os.environ["TEGULA_SOURCE_DIR"])
PROGRAM = Path(os.environ["TEGULA_BIN"]) / "attention"
sys.path.insert(0, str(ROOT / "benchmark"))

import bench_attention as bench  # noqa: E402

problems = []


def check(true, what):
    if not true:
        problems.append(what)


def run(*words, script="bench_attention.py"):
    return subprocess.run([sys.executable, ROOT / "benchmark" / script, PROGRAM, *words], capture_output=True, text=True)


def check_on_cpu():
    here = {"script": "bench_attention_cpu.py"}
    listed = run("--list", **here).stdout.splitlines()
    check(len(listed) == len(set(listed)) == 9 and "grouped/d128/causal/1x8:2hx2048x2048" in listed, f"--list: {listed}")
    for words, expected in ((["--case", "nothing"], "--list"), (["--threads", "0"], "start at 1")):
        ran = run(*words, **here)
        check(ran.returncode == 2 and expected in ran.stderr, f"{words}: {ran.returncode} {ran.stderr}")
    ran = run("--case", "forward/d64/causal/1x8hx1024x1024", "--rounds", "1", **here)
    check(ran.returncode == 77 and ran.stdout.startswith("skipped: ")
          or ran.returncode == 0 and "GFLOP/s, ratios bf16" in ran.stdout, f"{ran.returncode} {ran.stdout} {ran.stderr}")


def main():
    if not PROGRAM.exists():
        print("skipped: attention is not built")
        return 77
    listed = run("--list").stdout.splitlines()
    check(len(listed) == len(set(listed)) == 101, f"--list has {len(listed)} lines, not 101 different ones")
    for name in ("forward/d128/causal/2x16hx8192x8192", "grouped/d128/full/32x16:2hx512x512",
                 "decode/d128/full/256x64:8hx1x8192", "backward/d64/causal/1x32hx16384x16384",
                 "backward/d256/full/8x8hx2048x2048", "grouped_backward/d128/causal/4x16:2hx4096x4096"):
        check(name in listed, f"--list has no {name}")
    cases = bench.all_cases()
    check(all(case.backward == ("backward" in case.group) for case in cases), "the groups that are backward passes")
    check(all((case.heads == 8 * case.kv_heads) == (case.group in ("grouped", "grouped_backward", "decode"))
              for case in cases), "the groups with shared heads")
    # The causal part of 3 queries and 5 keys: 3 + 4 + 5 pairs.
    check(bench.Case("", 2, 4, 4, 3, 5, 8, True).operations() == 4 * 2 * 4 * 12 * 8, "operations of a causal mask")
    check(bench.Case("", 1, 1, 1, 5, 2, 8, True).operations() == 4 * 3 * 8, "queries that see nothing")
    check(bench.Case("", 2, 4, 4, 3, 5, 8, True, True).operations() == 10 * 2 * 4 * 12 * 8, "operations of a backward pass")
    check(bench.is_vendors(["cudnn_generated_fort_native_sdpa_sm90_flash_fprop"], "cuda"), "cuDNN's kernel")
    check(not bench.is_vendors(["pytorch_flash::flash_fwd_kernel"], "cuda"), "FlashAttention's is not cuDNN's")
    check(bench.is_vendors(["void ck_tile::kentry<ck_tile::FmhaFwdKernel>"], "hip"), "Composable Kernel's kernel")
    check(not bench.is_vendors(["block_reduce", "attn_fwd"], "hip"), "others are not Composable Kernel's")
    for words, expected in ((["--case", "nothing"], "--list"), (["--rounds", "0"], "--rounds")):
        ran = run(*words)
        check(ran.returncode == 2 and expected in ran.stderr, f"{words}: {ran.returncode} {ran.stderr}")
    ran = run("--case", "forward/d64/full/32x32hx512x512", "--rounds", "1")
    check(ran.returncode == 77 and "GPU" in ran.stdout or ran.returncode == 0 and "TFLOP/s" in ran.stdout,
          f"{ran.returncode} {ran.stdout} {ran.stderr}")
    # The backward pass alone, by the program on the CPU, with heads of their own and with shared ones.
    for kv_heads in (8, 1):
        seconds, record = bench.run_ours(PROGRAM, bench.Case("", 1, 8, kv_heads, 40, 40, 64, True, True), "cpu")
        check(seconds is not None and 0 < seconds == record["backward_seconds"] < record["seconds"]
              and record["backward_tile"], f"{seconds}, {record}")
    seconds, record = bench.run_ours(PROGRAM, bench.Case("", 1, 1, 1, 9, 9, 64, True), "cpu")
    check(seconds is not None and record["backward_tile"] is None is record["backward_seconds"], f"{seconds}, {record}")
    check_on_cpu()
    for problem in problems:
        print(problem)
    print(f"{len(listed)} cases, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
