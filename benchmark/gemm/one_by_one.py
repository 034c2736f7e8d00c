"""bench_gemm, a process a product: what hangs or faults costs itself alone.

    one_by_one.py BENCH_GEMM --out FILE [--only REGEX] [--limit 60] [--until SECONDS] [-- options of bench_gemm]

FILE gets a JSON line when a product begins and one with its result, which names the run's GPU and libraries, too. Products
that have one there are not run again. Exit status: 0, 1 where one is wrong, 4 more where the time was over before all had run.
"""

import argparse
import ctypes.util
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

OPTIONS = ["--warm-seconds", "0.2", "--rounds", "9", "--window-seconds", "0", "--algorithms", "12", "--workspace", "32"]


def results_in(file):
    results = []
    for line in file.read_text().splitlines() if file.exists() else []:
        try:
            results.append(json.loads(line))
        except ValueError:
            pass  # half a line, of a process that was killed
    return [r for r in results if "case" in r]


def packaged_libraries():
    """The copies of cublasLt or hipBLASLt in PyTorch's packages."""
    return [file for folder in sys.path for part in ("nvidia/*/lib/libcublasLt.so.*", "torch/lib/libhipblaslt.so*")
            for file in sorted(Path(folder).glob(part))]


def vendor_library():
    """The options that name PyTorch's cublasLt or hipBLASLt, where the loader has none; otherwise none."""
    if ctypes.util.find_library("cublasLt") or ctypes.util.find_library("hipblaslt"):
        return []
    found = packaged_libraries()
    return ["--vendor-library", found[0]] if found else []


def measure(program, name, limit, more):
    """The record of a product, bf16/TN/64x4096x14336."""
    kind, layout, shape = name.split("/")[:3]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "result.json"
        command = [program, *more, "--type", kind, "--layout", layout, "--shape", shape, "--out", out]
        try:
            ran = subprocess.run(command, capture_output=True, text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return {"case": name, "wrong": f"hangs: it had not ended after {limit:g} s"}
        if not out.exists():
            return {"case": name, "wrong": f"ended with {ran.returncode}: {(ran.stderr or ran.stdout).strip()[-300:]}"}
        run = json.loads(out.read_text())
    results = run.pop("results")
    if not results:
        return {"case": name, "note": "this GPU has no such product", "wrong": ""}
    result = results[0]
    wrong = "the product is wrong" if result["tflops"] and not result["verified"] else result["note"] if ran.returncode else ""
    return {"case": name, **result, "run": run, "wrong": wrong}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=float, default=60, help="seconds of a product")
    parser.add_argument("--until", type=float, default=3600, help="seconds after which no product is begun")
    words = sys.argv[1:]
    behind = words.index("--") if "--" in words else len(words)
    arguments = parser.parse_args(words[:behind])
    listed = subprocess.run([arguments.program, "--list"], capture_output=True, text=True, check=True).stdout.splitlines()
    names = dict.fromkeys(line.split()[0] for line in listed)
    begin, status = time.monotonic(), 0
    done = {r["case"] for r in results_in(arguments.out)}
    options = words[behind + 1 :] or [*OPTIONS, *vendor_library()]
    with arguments.out.open("a") as out:

        def write(record):
            out.write("\n" + json.dumps(record) + "\n")  # behind what may be half a line
            out.flush()

        for name in names:
            if name in done or not re.search(arguments.only, name):
                continue
            if time.monotonic() - begin > arguments.until:
                status += 4
                break
            write({"start": name})
            write(measure(arguments.program, name, arguments.limit, options))
    return status + any(r["wrong"] for r in results_in(arguments.out))


if __name__ == "__main__":
    sys.exit(main())
