"""benchmark/bench_attention_cpu.py: its list, its counts, what it says without PyTorch; with PyTorch it measures a case for a round.
"""

import os
import subprocess
import sys
from pathlib import Path

from _program import check, problems, program

ROOT = Path(os.environ["TEGULA_SOURCE_DIR"])
PROGRAM = program("attention")
sys.path.insert(0, str(ROOT / "benchmark"))

import bench_attention_cpu as bench  # noqa: E402


def run(*words):
    script = ROOT / "benchmark" / "bench_attention_cpu.py"
    return subprocess.run([sys.executable, script, PROGRAM, *words], capture_output=True, text=True)


def main():
    if not PROGRAM.exists():
        print("skipped: attention is not built")
        return 77
    listed = run("--list").stdout.splitlines()
    check(len(listed) == len(set(listed)) == 9 and "grouped/d128/causal/1x8:2hx2048x2048" in listed, f"--list: {listed}")
    # The causal part of 3 queries and 5 keys: 3 + 4 + 5 pairs.
    check(bench.Case("", 2, 4, 4, 3, 5, 8, True).operations() == 4 * 2 * 4 * 12 * 8, "operations of a causal mask")
    check(bench.Case("", 1, 1, 1, 5, 2, 8, True).operations() == 4 * 3 * 8, "queries that see nothing")
    for words, expected in ((["--case", "nothing"], "--list"), (["--threads", "0"], "start at 1")):
        ran = run(*words)
        check(ran.returncode == 2 and expected in ran.stderr, f"{words}: {ran.returncode} {ran.stderr}")
    ran = run("--case", "forward/d64/causal/1x8hx1024x1024", "--rounds", "1")
    check(ran.returncode == 77 and ran.stdout.startswith("skipped: ")
          or ran.returncode == 0 and "GFLOP/s, ratios bf16" in ran.stdout, f"{ran.returncode} {ran.stdout} {ran.stderr}")
    for problem in problems:
        print(problem)
    print(f"{len(listed)} cases, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
