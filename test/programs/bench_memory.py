"""bench_memory: without a GPU it stops with one sentence, with one it measures small tensors."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = Path(os.environ["TEGULA_BIN"]) / "bench_memory"


def main():
    if not PROGRAM.exists():
        print("skipped: bench_memory is not built")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "memory.json"
        ran = subprocess.run([PROGRAM, "--mib", "1,2", "--rounds", "2", "--out", out], capture_output=True, text=True)
        if "no GPU: " in ran.stderr:
            print(ran.stderr, end="")
            fine = ran.returncode == 2 and ran.stderr.count("\n") == 1 and not ran.stdout and not out.exists()
        else:
            results = json.loads(out.read_text())["results"] if ran.returncode == 0 else []
            fine = len(results) == 12 and all(r["ratio"] > 0 for r in results)
    bad = subprocess.run([PROGRAM, "--rounds", "0"], capture_output=True, text=True)
    fine = fine and bad.returncode == 2 and "--rounds" in bad.stderr
    print("no problem" if fine else f"exit status {ran.returncode}: {ran.stderr!r}; {bad.returncode}: {bad.stderr!r}")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
