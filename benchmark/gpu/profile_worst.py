"""Counters of our kernels and the rivals' in the cases of bench.py that are slowest beside them: by ncu; by rocprofv3 on AMD.

    profile_worst.py LIBRARY --results FILE --out FILE [--cases 6] [--until SECONDS]

--results has the lines of bench.py. Each case is run once more under the profiler, by `bench.py --once` with the fastest of ours
and the fastest rival alone; rocprofv3 runs it once for each group of counters. --out gets a JSON line a kernel, with the likely
cause in words. Exit status: 0, 4 where the time was over, 77 where the profiler measured nothing, as without permission to read
counters.
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
MARK = "spin_kernel"  # is in the name of the kernel that bench.py --once starts before each contender
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


# rocprofv3's counters, as many together as the hardware counts in a run; those of a string stay together where a run counts
# fewer. FetchSize and WriteSize are KiB from and to memory. Counters that a GPU lacks are left out.
MATRIX = ("SQ_VALU_MFMA_BUSY_CYCLES", "GRBM_GUI_ACTIVE")
PASSES = [[" ".join(MATRIX), "OccupancyPercent", "LDSBankConflict"], ["VALUBusy", "MemUnitStalled"], ["FetchSize"], ["WriteSize"]]
# A counter -> the field of the record.
COUNTERS = {"OccupancyPercent": "warps_percent", "VALUBusy": "valu_percent", "LDSBankConflict": "bank_conflicts",
            "MemUnitStalled": "memory_stalled"}


def cause(record):
    """The likely reason of a kernel's time, by its counters; empty without any."""
    few = ", and few warps are there to hide it" if record.get("warps_percent", 100) < 25 else ""
    if record.get("dram_percent", 0) > 75:
        return "memory is the limit"
    if record.get("sm_percent", 0) > 75:
        return "the multiprocessors are the limit" if "stalls" in record else "the matrix units are full"
    if record.get("stalls"):
        return CAUSES[max(record["stalls"], key=record["stalls"].get)] + few
    few = few.replace("warps", "waves")
    if record.get("valu_percent", 0) > 75:
        return "the vector units are full"
    if record.get("bank_conflicts", 0) > 10:
        return "banks of shared memory conflict" + few
    if record.get("memory_stalled", 0) > 10:
        return "the memory unit is stalled" + few
    if not {*COUNTERS.values(), "sm_percent"} & record.keys():
        return ""
    return "waves wait, for loads, for each other or for results before" + few


def worst_cases(lines, count):
    """The lines of the cases in which ours is slowest beside the fastest of the others, with the names of the two."""
    ratios = []
    for line in lines:
        rates = {name: c["rate"] for name, c in line.get("contenders", {}).items() if name != "copy" and "rate" in c}
        ours, theirs = ([name for name in rates if name.startswith("tegula") == mine] for mine in (True, False))
        if ours and theirs and not line.get("wrong"):
            pair = [max(names, key=rates.get) for names in (ours, theirs)]
            ratios.append((rates[pair[0]] / rates[pair[1]], line["case"], line, pair))
    return [(line, pair) for _, _, line, pair in sorted(ratios, key=lambda r: r[:2])[:count]]


def between_marks(kernels):
    """The kernels, in the order of their starts, that lie behind a mark, each with its contender's number."""
    found, number = [], -1
    for record in kernels:
        if MARK in record["function"]:
            number += 1
        elif number >= 0:
            found.append({**record, "contender": number})
    if number < 0:
        raise RuntimeError("the profiler saw none of the marks that bench.py --once starts")
    return found


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
    return between_marks(kernels.values())


def simds_and_dies(agents, row):
    """SIMDs and compute dies of the GPU of a kernel's row, as agent_info.csv has them; None where it does not tell."""
    gpus = [agent for agent in agents if agent["Agent_Type"] == "GPU"]
    number = re.sub(r"\D", "", row.get("Agent_Id") or "")
    mine = [agent for agent in gpus if number and number in (agent.get("Logical_Node_Id"), agent.get("Node_Id"))]
    found = {(int(agent["Simd_Count"]), int(agent["Num_Xcc"])) for agent in mine or gpus}
    return found.pop() if len(found) == 1 else None


def matrix_percent(kernel, size):
    """The busy cycles of the matrix units of all SIMDs become their share of the GPU's cycles. rocprofv3's own MfmaUtil is this
    share in later versions, and four times it in ROCm 6.2, where it divides by compute units (CU_NUM, later SIMD_NUM, in
    source/lib/rocprofiler-sdk/counters/yaml/counter_defs.yaml of ROCm/rocprofiler-sdk). The CSV has the sum of a counter's
    instances (source/lib/rocprofiler-sdk-tool/generateCSV.cpp); GRBM_GUI_ACTIVE has one a die."""
    busy, active = (kernel.pop(counter, 0) for counter in MATRIX)
    if size and active:
        simds, dies = size
        kernel["sm_percent"] = 100 * busy * dies / (simds * active)


def rows_of_rocprof(options, command, limit):
    """The rows of the CSV files, in the order of the dispatches, each with its GPU's simds_and_dies as Size. It writes none, and ends
    with 0, for a counter that the GPU lacks."""
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run(["rocprofv3", *options, "--output-format", "csv", "-d", folder, "--", *command], capture_output=True, text=True,
                             timeout=limit)
        kind = "counter_collection" if "--pmc" in options else "kernel_trace"
        read = lambda kind: [row for file in sorted(Path(folder).rglob(f"*{kind}.csv")) for row in csv.DictReader(file.open())]
        agents = read("agent_info")
        rows = [{**row, "Size": simds_and_dies(agents, row)} for row in read(kind)]
    if not rows and "--pmc" not in options:
        raise RuntimeError(f"rocprofv3 ended with {ran.returncode}: {(ran.stderr or ran.stdout).strip()[-300:]}")
    return sorted(rows, key=lambda row: int(row["Dispatch_Id"]))


def with_rocprof(command, limit):
    def record(row):
        return {"function": row["Kernel_Name"][:200], "microseconds": (int(row["End_Timestamp"]) - int(row["Start_Timestamp"])) / 1e3,
                "registers": int(row.get("VGPR_Count") or 0) + int(row.get("Accum_VGPR_Count") or 0)}

    kernels = between_marks([record(row) for row in rows_of_rocprof(["--kernel-trace"], command, limit)])
    size = None
    for groups in PASSES:
        counters = " ".join(groups).split()
        rows = rows_of_rocprof(["--pmc", *counters], command, limit)
        if not rows and len(groups) > 1:  # together they are too many for this GPU, or it lacks one
            rows = [row for group in groups for row in rows_of_rocprof(["--pmc", *group.split()], command, limit)]
        size = size or next((row["Size"] for row in rows), None)
        for counter in counters:
            counted = [{"function": row["Kernel_Name"][:200], "value": float(row["Counter_Value"])} for row in rows if row["Counter_Name"] == counter]
            # The process ran anew, and started the same kernels.
            for kernel, row in zip(kernels, between_marks(counted) if counted else []):
                if kernel["function"] == row["function"]:
                    kernel[COUNTERS.get(counter, counter)] = row["value"]
    for kernel in kernels:
        matrix_percent(kernel, size)
    return kernels


def started_in(file):
    """The names of the contenders that bench.py --once has started, in their order."""
    lines = [json.loads(line) for line in file.read_text().splitlines() if line.startswith('{"case"')]
    if not lines or not lines[-1].get("order"):
        raise RuntimeError(f"bench.py --once started nothing: {lines[-1].get('failed') if lines else 'it has no such case'}")
    return lines[-1]["order"]


def in_percent(record, ceilings):
    """FetchSize and WriteSize become a share of the rate at which the card copies."""
    moved = [record.pop(counter) for counter in ("FetchSize", "WriteSize") if counter in record]
    if len(moved) == 2 and "bytes" in ceilings:
        record["dram_percent"] = 100 * 1024 * sum(moved) / (record["microseconds"] * 1e-6) / ceilings["bytes"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--results", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--cases", type=int, default=6)
    parser.add_argument("--until", type=float, default=3600, help="seconds after which no case is begun")
    arguments = parser.parse_args()
    begin = time.monotonic()
    tool, profiled = ("ncu", with_ncu) if shutil.which("ncu") else ("rocprofv3", with_rocprof)
    lines = [json.loads(line) for line in arguments.results.read_text().splitlines() if line.startswith("{") and line.endswith("}")]
    text = arguments.out.read_text() if arguments.out.exists() else ""
    done = [json.loads(line)["case"] for line in text.splitlines() if line.startswith('{"case"') and line.endswith("}")]
    why_nothing = ""
    with arguments.out.open("a") as out:
        for line, pair in worst_cases([line for line in lines if "case" in line], arguments.cases):
            case = line["case"]
            if case in done:
                continue
            if time.monotonic() - begin > arguments.until:
                return 4
            out.write("\n" + json.dumps({"start": case}) + "\n")
            out.flush()
            order = pair
            with tempfile.TemporaryDirectory() as folder:
                command = [sys.executable, str(HERE / "bench.py"), arguments.library, "--once", "--only", f"^{re.escape(case)}$",
                           *(word for name in pair for word in ("--contender", name)), "--out", f"{folder}/once.jsonl"]
                if line.get("m"):
                    command += ["--shape", f"{line['m']}x{line['n']}x{line['k']}"]
                try:
                    records = profiled(command, 120)
                    order = started_in(Path(folder) / "once.jsonl")
                    records = [record for record in records if record["contender"] < len(order)]  # none behind the last mark
                except (RuntimeError, OSError, subprocess.SubprocessError, KeyError, ValueError) as error:
                    records, why_nothing = [{"failed": str(error)[:400]}], str(error)
            labels = set()
            for record in records or [{"failed": "the profiler saw no kernel"}]:
                label = case
                if "contender" in record:
                    name = order[record.pop("contender")]
                    record["rival"] = not name.startswith("tegula")
                    label = f"{case}: {name.removeprefix('tegula ')}"
                    in_percent(record, line.get("ceilings", {}))
                    record["cause"], record["tool"], done = cause(record), tool, [*done, case]
                unique = next(x for x in (label, *(f"{label} #{i}" for i in range(2, 99))) if x not in labels)
                labels.add(unique)
                # The first line has the case's own name, by which a resumed run knows it.
                out.write(json.dumps({"case": unique if len(labels) > 1 else case, "kernel": unique, **record}) + "\n")
                out.flush()
    if why_nothing and not done:
        print(why_nothing.replace("\n", " "))
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
