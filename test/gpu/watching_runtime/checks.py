"""gpu_checks with a runtime that has no GPU but answers (answering.cpp), run by run_checks.py: what is wrong, hangs, crashes and
faults is named, and no other check is lost.

    checks.py PROGRAM
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

RUN_CHECKS = Path(__file__).resolve().parent.parent / "run_checks.py"
PRODUCT, OBJECTS, GRAPH = "sm_80 bf16 t64x64 kk", "sm_80 function objects", "sm_80 a graph of GEMM"


def run(program, answers, *more, capability="8.6"):
    """Returns what is wrong with each check, by its name, and the exit status."""
    with tempfile.TemporaryDirectory() as out:
        ran = subprocess.run([sys.executable, RUN_CHECKS, program, "--out", out, "--shards", "1", "--silence", "4", "--", "--small", *more],
                             capture_output=True, text=True, env={**os.environ, "TEGULA_ANSWERS": answers, "TEGULA_GPU_CAPABILITY": capability})
        file = Path(out) / "checks.json"
        assert file.exists(), ran.stdout + ran.stderr
        return {r["name"]: r["wrong"] for r in json.loads(file.read_text())}, ran.returncode


def main():
    program = sys.argv[1]
    listed = subprocess.run([program, "--list"], capture_output=True, text=True).stdout.splitlines()
    assert listed == sorted([PRODUCT, OBJECTS, GRAPH]), listed
    found, status = run(program, "hangs:numbering crashes:adding")
    assert set(found) == set(listed) and status == 1, (found, status)
    assert found[PRODUCT] == "" and found[OBJECTS].startswith("hangs") and found[GRAPH] == "ended with -6", found
    found, status = run(program, "faults:adding wrong:compare_product")
    assert set(found) == set(listed) and status == 1, (found, status)
    assert "7 of " in found[PRODUCT] and "elements are wrong" in found[PRODUCT], found
    assert "illegal memory access" in found[GRAPH], found
    assert "of all wrote" in found[OBJECTS], found  # nothing has run
    assert run(program, "", "--only", "t64x64", "--seeds", "3:2") == ({PRODUCT: ""}, 0)
    # Machine code of sm_80 does not run on a later major version.
    assert run(program, "", capability="9.0") == ({}, 0)
    ran = subprocess.run([program, "--shard", "2/2"], capture_output=True, text=True)
    assert ran.returncode == 2 and "below N" in ran.stderr, ran
    return 0


if __name__ == "__main__":
    sys.exit(main())
