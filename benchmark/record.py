"""Runs a Google Benchmark program and keeps its figures as JSON, with machine, compiler, date, commit and command.

record.py PROGRAM --compiler "g++ 12.2" --out results/emulator.json [benchmark options...]
"""

import argparse
import json
import os
import subprocess
import sys
from datetime import date
from pathlib import Path

from compile_time import commit, processor

# Google Benchmark's fields about how it measured; they are left out.
ABOUT = {"name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions",
         "repetition_index", "threads"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--out", required=True)
    arguments, options = parser.parse_known_args()
    load = os.getloadavg()[0]
    run = subprocess.run([arguments.program, "--benchmark_format=json", *options], stdout=subprocess.PIPE, text=True)
    if run.returncode:
        return run.returncode
    measured = json.loads(run.stdout)["benchmarks"]
    name = Path(arguments.program).name
    report = {
        "benchmark": name,
        "date": date.today().isoformat(),
        "commit": commit(),
        "machine": f"{processor()}, {os.cpu_count()} cores",
        "load_before": round(load, 2),
        "compiler": arguments.compiler,
        "command": " ".join([name, *options]),
        "results": {entry["name"]: {key: round(value, 6) if isinstance(value, float) else value
                                    for key, value in entry.items() if key not in ABOUT} for entry in measured},
    }
    out = Path(arguments.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(report, indent=2) + "\n")
    for title, figures in report["results"].items():
        print(f"{title:40} {figures['real_time']:10.3f} {figures['time_unit']}"
              + (f"   {100 * figures['of_bar']:4.0f} % of the bar" if "of_bar" in figures else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
