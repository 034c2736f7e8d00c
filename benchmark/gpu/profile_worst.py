"""Counters of our kernels and the rivals' in the cases of bench.py that are slowest beside them: by ncu; by rocprofv3 on AMD.

    profile_worst.py LIBRARY --results FILE --out FILE [--cases 6] [--until SECONDS]

--results has the lines of bench.py. Each case is run once more, by `bench.py --once`, under the profiler; --out gets a JSON
line a kernel, with the likely cause in words. rocprofv3 is asked for times and registers of ours alone. Exit status: 0, 4 where the time
was over, 77 where the profiler measured nothing, as without permission to read counters.
"""

import argparse
import csv
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
STALLS = ["long_scoreboard", "short_scoreboard", "wait", "barrier", "not_selected", "dispatch_stall", "math_pipe_throttle", "mio_throttle",
          "lg_throttle"]
OURS = "gpu_kernel"  # is in the names of our kernels
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
# ncu's metric -> the field of the record
METRICS = {"gpu__time_duration.sum": "microseconds", "sm__throughput.avg.pct_of_peak_sustained_elapsed": "sm_percent",
           "dram__throughput.avg.pct_of_peak_sustained_elapsed": "dram_percent", "launch__registers_per_thread": "registers",
           "sm__warps_active.avg.pct_of_peak_sustained_active": "warps_percent"}
# The meaning of the stall for which the case's warps wait most.
CAUSES = {"long_scoreboard": "loads from memory are waited for", "short_scoreboard": "shared memory or special functions are waited for",
          "wait": "instructions wait for the ones before them", "barrier": "warps wait for each other at barriers",
          "not_selected": "the schedulers are busy", "math_pipe_throttle": "the arithmetic units are full",
          "mio_throttle": "the queue to shared memory is full", "lg_throttle": "the queue to memory is full",
          "dispatch_stall": "the dispatcher holds instructions back"}


def cause(record):
    """The likely reason of a kernel's time, by its counters; empty without any."""
    if not record["stalls"]:
        return ""
    if record["dram_percent"] > 75:
        return "memory is the limit"
    if record["sm_percent"] > 75:
        return "the multiprocessors are the limit"
    most = max(record["stalls"], key=record["stalls"].get)
    few = ", and few warps are there to hide it" if record["warps_percent"] < 25 else ""
    return CAUSES[most] + few


def worst_cases(lines, count):
    """Names of the cases in which ours is slowest beside the fastest of the others."""
    ratios = {}
    for line in lines:
        rates = {name: c["rate"] for name, c in line.get("contenders", {}).items() if name != "copy" and "rate" in c}
        ours = [rate for name, rate in rates.items() if name.startswith("tegula")]
        theirs = [rate for name, rate in rates.items() if not name.startswith("tegula")]
        if ours and theirs and not line.get("wrong"):
            ratios[line["case"]] = max(ours) / max(theirs)
    return sorted(ratios, key=ratios.get)[:count]


def with_ncu(command, limit):
    metrics = [*METRICS, *map(STALL.format, STALLS)]
    ran = subprocess.run(["ncu", "--csv", "--print-units", "base", "--clock-control", "none", "--profile-from-start", "off",
                          "--launch-count", "24", "--metrics", ",".join(metrics), *command], capture_output=True, text=True, timeout=limit)
    lines = ran.stdout.splitlines()
    heads = [i for i, line in enumerate(lines) if line.startswith('"ID"')]
    if not heads:
        raise RuntimeError(f"ncu ended with {ran.returncode}: {(ran.stderr or ran.stdout).strip()[-300:]}")
    kernels = {}
    for row in csv.DictReader(lines[heads[0] :]):
        record = kernels.setdefault(row["ID"], {"function": row["Kernel Name"][:200], "stalls": {}})
        value = float(row["Metric Value"].replace(",", "") or 0)
        if row["Metric Name"] in METRICS:
            record[METRICS[row["Metric Name"]]] = value / 1e3 if row["Metric Name"].startswith("gpu__time") else value
        elif found := re.search("stalled_(.*)_per_issue", row["Metric Name"]):
            record["stalls"][found[1]] = value
    for record in kernels.values():
        record["stalls"] = dict(sorted(record["stalls"].items(), key=lambda x: -x[1])[:3])
        record["rival"] = OURS not in record["function"]
    return list(kernels.values())


def with_rocprof(command, limit):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["rocprofv3", "--kernel-trace", "--output-format", "csv", "-d", folder, "--", *command], capture_output=True,
                       text=True, timeout=limit, check=True)
        rows = [row for file in Path(folder).rglob("*kernel_trace.csv") for row in csv.DictReader(file.open())]
    ours = [row for row in rows if OURS in row["Kernel_Name"]][:4]
    return [{"function": row["Kernel_Name"][:200], "microseconds": (int(row["End_Timestamp"]) - int(row["Start_Timestamp"])) / 1e3,
             "registers": int(row.get("VGPR_Count", 0)), "sm_percent": "", "dram_percent": "", "warps_percent": "", "stalls": {}}
            for row in ours]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--results", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--cases", type=int, default=6)
    parser.add_argument("--until", type=float, default=3600, help="seconds after which no case is begun")
    arguments = parser.parse_args()
    begin = time.monotonic()
    profiled = with_ncu if shutil.which("ncu") else with_rocprof
    lines = [json.loads(line) for line in arguments.results.read_text().splitlines() if line.startswith("{") and line.endswith("}")]
    text = arguments.out.read_text() if arguments.out.exists() else ""
    done = [json.loads(line)["case"] for line in text.splitlines() if line.startswith('{"case"') and line.endswith("}")]
    why_nothing = ""
    with arguments.out.open("a") as out:
        for case in worst_cases([line for line in lines if "case" in line], arguments.cases):
            if case in done:
                continue
            if time.monotonic() - begin > arguments.until:
                return 4
            out.write("\n" + json.dumps({"start": case}) + "\n")
            out.flush()
            with tempfile.TemporaryDirectory() as folder:
                command = [sys.executable, str(HERE / "bench.py"), arguments.library, "--once", "--only", f"^{re.escape(case)}$",
                           "--out", f"{folder}/once.jsonl"]
                try:
                    records = profiled(command, 120)
                except (RuntimeError, OSError, subprocess.SubprocessError, KeyError, ValueError) as error:
                    records, why_nothing = [{"failed": str(error)[:400]}], str(error)
            for number, record in enumerate(records or [{"failed": "the profiler saw no kernel"}]):
                label = case + (f" #{number + 1}" if number else "")
                if record.get("rival"):
                    label = f"{case}: {record['function'].split('<')[0].removeprefix('void ')[:80]}"
                if "stalls" in record:
                    record["cause"], done = cause(record), [*done, case]
                out.write(json.dumps({"case": label, "kernel": label, **record}) + "\n")
                out.flush()
    if why_nothing and not done:
        print(why_nothing.replace("\n", " "))
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
