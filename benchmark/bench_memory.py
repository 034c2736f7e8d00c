"""bench_memory's kernels beside PyTorch's own and its compiled ones, on the GPU here.

bench_memory.py PROGRAM [--out results/memory_h200.json] [--mib 64,256,1024] [--rounds 21]

The program is run first; then PyTorch on the same shapes in bf16, eager and by torch.compile, timed as the program does: the
median over the rounds of 10 launches each. Without a GPU: exit status 77 and a sentence.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

from compile_time import commit


def functions(torch):
    """The same operations; what each takes."""
    norm, rms = torch.nn.functional.layer_norm, torch.nn.functional.rms_norm
    return {
        "softmax": lambda x, r: torch.softmax(x, -1),
        "layernorm": lambda x, r: norm(x, x.shape[-1:]),
        "rmsnorm": lambda x, r: rms(x, x.shape[-1:], eps=1e-5),
        "transpose": lambda x, r: x.t().contiguous(),
        "sum_of_rows": lambda x, r: x.sum(-1),
        "add": lambda x, r: x + r,
    }


def seconds_of(torch, function, rounds, launches=10):
    times = []
    for i in range(-3, rounds):  # three to warm up
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(launches):
            function()
        end.record()
        end.synchronize()
        if i >= 0:
            times.append(begin.elapsed_time(end) * 1e-3 / launches)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--out")
    parser.add_argument("--mib", default="64,256,1024")
    parser.add_argument("--rounds", type=int, default=21)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "memory.json"
        ran = subprocess.run([arguments.program, "--mib", arguments.mib, "--rounds", str(arguments.rounds), "--out", file],
                             stderr=subprocess.PIPE, text=True)
        if "no GPU: " in ran.stderr:
            print(ran.stderr, end="")
            return 77
        if ran.returncode != 0:
            print(ran.stderr, end="", file=sys.stderr)
            return 1
        record = json.loads(file.read_text())
    try:
        import torch
        usable = torch.cuda.is_available()
    except ImportError:
        usable = False
    record = {"benchmark": "bench_memory", "date": str(date.today()), "commit": commit(), "command": " ".join(sys.argv),
              "pytorch": torch.__version__ if usable else "not usable here", **record}
    for result in record["results"] if usable else ():
        x = torch.zeros(result["rows"], result["columns"], dtype=torch.bfloat16, device="cuda")
        r = torch.zeros_like(x)
        function = functions(torch)[result["name"]]
        for name, made in (("pytorch", function), ("pytorch_compiled", torch.compile(function))):
            seconds = seconds_of(torch, lambda: made(x, r), arguments.rounds)
            result[f"{name}_bytes_per_second"] = result["bytes"] / seconds
            result[f"over_{name}"] = result["bytes_per_second"] * seconds / result["bytes"]
        print(f"{result['name']:12} {result['over_pytorch']:.2f} of PyTorch's speed, "
              f"{result['over_pytorch_compiled']:.2f} of its compiled kernel's")
    if arguments.out:
        Path(arguments.out).write_text(json.dumps(record, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
