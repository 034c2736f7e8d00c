"""bench_gemm: without a GPU it stops with one sentence, with one it measures a tiny product."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from _program import check, problems, program

PROGRAM = program("bench_gemm")


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True)


def test_bad_options():
    """Exit status 2, one line that says what would be right, whether there is a GPU or not."""
    for words, expected in ((["--shape", "12x"], "M x N x K"), (["--shape", "0"], "M x N x K"),
                            (["--shape", "2000000"], "1048576"), (["--type", "f64"], "--help"),
                            (["--layout", "TT"], "--help"), (["--rounds", "0"], "--help"),
                            (["--nonsense"], "--nonsense"), (["stray"], "stray")):
        ran = run(*words)
        check(ran.returncode == 2 and ran.stderr.count("\n") == 1 and expected in ran.stderr and not ran.stdout,
              f"{words}: {ran.returncode} {ran.stderr!r}")


def test_list():
    """The products that are measured, without a GPU."""
    lines = run("--list").stdout.splitlines()
    check(len(lines) == len(set(lines)) == 250, f"--list has {len(lines)} lines, not 250 different ones")
    for line in ("bf16/TN/16384x16384x16384 cube", "bf16/NN/1x14336x8192 few_rows", "bf16/NT/4096x4096x16384 long_k",
                 "f16/TN/8192x28672x4096 llm", "fp8/TN/128x4096x4096 few_rows"):
        check(line in lines, f"--list has no {line}")
    some = run("--list", "--shape", "cube", "--shape", "3x5x7", "--type", "bf16", "--layout", "NT").stdout.splitlines()
    check(some == [f"bf16/NT/{n}x{n}x{n} cube" for n in (1024, 2048, 4096, 8192, 16384)] + ["bf16/NT/3x5x7 given"],
          f"a part of the list: {some}")


def test_measures_or_stops(folder):
    out = folder / "results.json"
    ran = run("--shape", "64", "--type", "bf16", "--layout", "TN", "--rounds", "3", "--group-seconds", "0.0001",
              "--warm-seconds", "0.01", "--out", str(out))
    if "no GPU: " in ran.stderr:
        check(ran.returncode == 2, f"without a GPU the exit status is {ran.returncode}, not 2")
        check(ran.stderr.count("\n") == 1 and ran.stderr.startswith("bench_gemm: no GPU: "), f"stderr: {ran.stderr!r}")
        check(not ran.stdout and not out.exists(), "without a GPU something was written")
        print(ran.stderr, end="")
        return
    check(ran.returncode == 0, f"exit status {ran.returncode}: {ran.stderr}")
    if ran.returncode == 0:
        measured = json.loads(out.read_text())
        check(measured["gpu"] and measured["commit"], "the file does not say where it is from")
        check([r["name"] for r in measured["results"]] == ["bf16/TN/64x64x64"], "not the product that was asked for")
        result = measured["results"][0]
        check(result["tflops"] is None or (result["tflops"] > 0 and result["verified"]), f"{result}")


def main():
    if not PROGRAM.exists():
        print("skipped: bench_gemm is not built")
        return 77
    test_bad_options()
    test_list()
    with tempfile.TemporaryDirectory() as folder:
        test_measures_or_stops(Path(folder))
    print("\n".join(problems) if problems else "no problem")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
