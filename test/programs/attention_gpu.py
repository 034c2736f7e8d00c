"""Every GPU kernel of attention on this machine's GPUs, on ragged lengths, with masks, a soft cap and grouped
heads, compared by the program itself with the formula in 64-bit arithmetic.

--device emulator --arch NAME runs the same on the emulator instead, to try the script without a GPU.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(os.environ["TEGULA_BIN"]) / "attention"
LENGTHS = [(1, 1), (1, 300), (65, 127), (300, 129)]
MASKS = [[], ["--causal"], ["--causal-top-left"], ["--window", "40,20"], ["--softcap", "2"]]


def attention(*words):
    result = subprocess.run([PROGRAM, *(str(w) for w in words)], capture_output=True, text=True)
    return result.returncode, result.stdout, result.stderr.strip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="gpu", choices=("gpu", "emulator"))
    parser.add_argument("--arch", help="only this architecture")
    arguments = parser.parse_args()
    if not PROGRAM.exists():
        print("skipped: attention is not built")
        return 77
    choice = ["--device", arguments.device, *(["--arch", arguments.arch] if arguments.arch else [])]
    status, listed, message = attention("--list-tiles", "--json", *choice)
    if status != 0:
        sys.exit(message)
    problems, passed, absent = [], 0, ""
    for kernel in json.loads(listed):
        columns = int(kernel["tile"].split("x")[2])
        own = ["--device", arguments.device, "--arch", kernel["arch"], "--type", kernel["type"], "--verify", "--batch",
               2, "--heads", 4, "--kv-heads", 2, "--head-dim", columns, "--value-dim", columns - 8]
        for (queries, keys), mask in ((lengths, mask) for lengths in LENGTHS for mask in MASKS):
            options = ["--seq-q", queries, "--seq-k", keys, *mask]
            status, _, message = attention(*own, *options)
            if status == 2 and "no GPU" in message:
                absent = message
                break
            passed += status == 0
            if status != 0:
                problems.append(" ".join(str(w) for w in [*own, *options, "->", status, message]))
    if not passed and not problems:
        print(f"skipped: {absent.removeprefix('tegula: ') or 'attention has no kernel for a GPU'}")
        return 77
    print(f"{passed} attentions are right, {len(problems)} are not")
    for problem in problems[:20]:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
