"""The end of `./dev test`: the slowest tests, what was skipped and why, what failed, ctest's last lines, and the time
that each part took.

summary.py BUILD_FOLDER [--record FILE]

--record writes the times as JSON too, with machine, date and commit. The folder holds what `./dev test` left there:

    tests.xml, tests.log  what ctest wrote
    times.log             lines "KIND user system wall OUTPUT": seconds of one compilation; KIND is host, nvcc or hip
    parts.log             lines "build user system wall" and "tests user system wall": seconds of the whole
"""

import argparse
import json
import os
import re
import sys
import tempfile
import xml.etree.ElementTree as xml
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmark"))
from compile_time import clock, commit, processor  # noqa: E402


def was_not_built(case):
    skipped = case.find("skipped")
    return skipped is not None and not (skipped.get("message") or "").startswith("SKIP_")


def skip_reason(case):
    output = case.findtext("system-out") or ""
    reason = re.search(r"skipped: *(.*)", output)
    return reason.group(1).strip() if reason else "no reason given"


def print_skipped(cases):
    """One line a reason, with the tests it keeps away."""
    by_reason = {}
    for case in cases:
        by_reason.setdefault(skip_reason(case), []).append(case.get("name"))
    for reason, names in by_reason.items():
        shown = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
        print(f"  {shown}: {reason}")


def part_of(kind, output):
    """The part of the build to which an object belongs."""
    if kind != "host":
        return kind
    if re.search(r"/test_\w+_sanitized(_full)?\.dir/", output):
        return "sanitizers"
    if "/test_headers.dir/" in output:
        return "headers alone"
    return "host, tests" if output.startswith("test/") else "host, programs"


def read_times(folder):
    """Processor seconds by part, and the whole build and all tests as [processor seconds, wall seconds]."""
    parts, longest = {}, (0.0, "")
    times = folder / "times.log"
    for line in times.read_text().splitlines() if times.exists() else []:
        kind, user, system, _, output = line.split(maxsplit=4)
        seconds = float(user) + float(system)
        part = part_of(kind, output)
        count, total = parts.get(part, (0, 0.0))
        parts[part] = count + 1, total + seconds
        longest = max(longest, (seconds, os.path.relpath(output, folder.resolve()) if output[0] == "/" else output))
    whole = {}
    for line in (folder / "parts.log").read_text().splitlines():
        if match := re.fullmatch(r"(build|tests) ([\d.]+) ([\d.]+) ([\d.]+)", line):
            whole[match[1]] = float(match[2]) + float(match[3]), float(match[4])
    return parts, longest, whole


def print_times(parts, longest, whole):
    print("\nProcessor seconds:")
    for part, (count, seconds) in sorted(parts.items(), key=lambda entry: -entry[1][1]):
        print(f"  {seconds:8.1f}  {part}: {count} compilations")
    if parts:
        print(f"  {longest[0]:8.1f}  the longest of them: {longest[1]}")
    for name, (seconds, wall) in whole.items():
        print(f"  {seconds:8.1f}  {name}, in all; {wall:.0f} s by the clock")


def record_of(parts, longest, whole):
    """The clock is the compilation by which benchmark/compile_time.py compares machines."""
    with tempfile.TemporaryDirectory() as scratch:
        clock_seconds = min(clock("g++", Path(scratch)) for _ in range(5))
    return {
        "processor_seconds": {**{part: round(seconds, 1) for part, (_, seconds) in parts.items()},
                              **{name: round(seconds, 1) for name, (seconds, _) in whole.items()}},
        "compilations": {part: count for part, (count, _) in parts.items()},
        "clock_seconds": round(clock_seconds, 3),
        "clocks": round(sum(seconds for seconds, _ in whole.values()) / clock_seconds),
        "longest_unit": longest[1],
        "longest_unit_seconds": round(longest[0], 1),
        "wall_seconds": {name: round(wall, 1) for name, (_, wall) in whole.items()},
        "processors": os.cpu_count(),
        "processor": processor(),
        "date": date.today().isoformat(),
        "commit": commit(),
        "command": "./dev test",
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--record", type=Path)
    arguments = parser.parse_args()
    cases = list(xml.parse(arguments.folder / "tests.xml").getroot().iter("testcase"))
    unbuilt = [case for case in cases if was_not_built(case)]
    skipped = [case for case in cases if case.find("skipped") is not None and case not in unbuilt]
    failed = [case.get("name") for case in cases if case.find("failure") is not None or case in unbuilt]
    slow = sorted(cases, key=lambda case: -float(case.get("time", 0)))[:8]

    print("\nLongest tests:")
    for case in slow:
        print(f"  {float(case.get('time', 0)):7.1f} s  {case.get('name')}")
    times = read_times(arguments.folder)
    print_times(*times)
    if arguments.record:
        arguments.record.write_text(json.dumps(record_of(*times), indent=2) + "\n")
    print(f"\nSkipped here: {len(skipped) or 'nothing'}")
    print_skipped(skipped)
    if failed:
        print("\nFailed: " + " ".join(failed))
    print()
    for line in (arguments.folder / "tests.log").read_text(errors="replace").splitlines():
        if re.match(r"\d+% tests passed|Total Test time|No tests were found", line):
            print(line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
