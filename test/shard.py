"""Shards of `./dev test --full`: the tests that the default run leaves out (the label full), in parts of about equal cost.

shard.py BUILD --shard I/N [--targets | --tests]     what part I of N builds, and the numbers of its tests for ctest -I,
                                                     which are none if there are fewer objects than parts
shard.py BUILD --parts SECONDS                       how many parts cost at most so many processor seconds each
shard.py BUILD --record FILE                         adds what the last run took to the recorded costs

A test costs the compilation of its targets, in processor seconds, and the seconds of its own run, both as recorded in
benchmark/results/full_run.json. A test that is not recorded costs the mean of its kind. Tests of the same object stay
in one part; a program that many tests run is built in each of their parts.
"""

import argparse
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

RECORD = Path(__file__).resolve().parent.parent / "benchmark" / "results" / "full_run.json"
UNKNOWN_SECONDS = 30.0


def targets_of(build):
    """The targets of each test of the full run."""
    lines = (build / "full_targets.txt").read_text().splitlines()
    return {words[0]: words[1:] for words in map(str.split, lines)}


def all_tests(build):
    """The names of ctest's tests in its order."""
    shown = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], capture_output=True, text=True, check=True)
    return [test["name"] for test in json.loads(shown.stdout)["tests"]]


def kind_of(name):
    """The common part of the names of tests of about the same cost."""
    return re.split(r"\.|_(?:gfx|sm_)", name)[0] + ("." + name.split(".")[1] if name.startswith("device.run") else "")


def group_of(name, targets):
    """Tests of one group stay in one part: those of an object, those of the same code objects."""
    if match := re.search(r"code_objects\.(.*)", name):
        return "code_objects." + match[1]
    files = [target for target in targets if "/" in target]
    return files[-1] if files else name


def estimated(name, recorded, means):
    return recorded.get(name, means.get(kind_of(name), UNKNOWN_SECONDS))


def groups_with_costs(targets, recorded):
    """(cost, names) of each group, the dearest first; the order is the same everywhere."""
    by_kind = {}
    for name, seconds in recorded.items():
        by_kind.setdefault(kind_of(name), []).append(seconds)
    means = {kind: sum(all_seconds) / len(all_seconds) for kind, all_seconds in by_kind.items()}
    groups = {}
    for name, of_test in targets.items():
        groups.setdefault(group_of(name, of_test), []).append(name)
    costed = [(sum(estimated(name, recorded, means) for name in names), sorted(names)) for names in groups.values()]
    return sorted(costed, key=lambda entry: (-entry[0], entry[1]))


def parts_of(groups, count):
    """Each group in turn goes to the part that costs least so far."""
    parts, costs = [[] for _ in range(count)], [0.0] * count
    for cost, names in groups:
        least = costs.index(min(costs))
        parts[least] += names
        costs[least] += cost
    return parts, costs


def number_of_parts(groups, seconds):
    """How many parts cost at most `seconds` each. A group that alone costs more is a part of its own."""
    most = max(seconds, groups[0][0]) if groups else seconds
    count = max(1, round(sum(cost for cost, _ in groups) / seconds))
    while count < len(groups) and max(parts_of(groups, count)[1]) > most:
        count += max(1, count // 16)
    return max(1, min(count, len(groups)))


def measured(build, targets):
    """Processor seconds of the tests that ran last: compilations by times.log, runs by ctest's clock."""
    compiled = {}
    times = build / "times.log"
    for line in times.read_text().splitlines() if times.exists() else []:
        _, user, system, _, output = line.split(maxsplit=4)
        compiled[output] = float(user) + float(system)
    costs, seen = {}, set()
    for case in xml.parse(build / "tests.xml").getroot().iter("testcase"):
        name = case.get("name")
        if name not in targets or case.find("skipped") is not None:
            continue
        costs[name] = float(case.get("time", 0))
        for target in targets[name]:
            belongs = f"/{target}.dir/" if "/" not in target else str(Path(target).parent) + "/"
            for output, seconds in compiled.items():
                if output not in seen and belongs in output:
                    seen.add(output)
                    costs[name] += seconds
    return {name: round(seconds, 1) for name, seconds in costs.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--shard", default="1/1")
    parser.add_argument("--targets", action="store_true")
    parser.add_argument("--tests", action="store_true")
    parser.add_argument("--parts", type=float)
    parser.add_argument("--record", type=Path)
    arguments = parser.parse_args()
    match = re.fullmatch(r"(\d+)/(\d+)", arguments.shard)
    index, count = map(int, match.groups()) if match else (0, 0)
    if not 1 <= index <= count:
        print(f"--shard {arguments.shard}: a shard is I/N with I from 1 to N, such as 2/8", file=sys.stderr)
        return 2
    targets = targets_of(arguments.build)
    recorded = json.loads(RECORD.read_text())["processor_seconds"] if RECORD.exists() else {}
    if arguments.record:
        kept = {name: seconds for name, seconds in recorded.items() if name in targets}
        new = dict(sorted({**kept, **measured(arguments.build, targets)}.items()))
        arguments.record.write_text(json.dumps({"processor_seconds": new}, indent=1) + "\n")
        return 0
    groups = groups_with_costs(targets, recorded)
    if arguments.parts:
        print(number_of_parts(groups, arguments.parts))
        return 0
    parts, costs = parts_of(groups, count)
    mine = set(parts[index - 1])
    if arguments.targets:
        print("\n".join(sorted({target for name in mine for target in targets[name]})))
    elif arguments.tests:
        numbers = [str(number) for number, name in enumerate(all_tests(arguments.build), 1) if name in mine]
        # ctest reads three numbers of a range first. Without a number behind it the range 0 to 0 means all tests.
        print(",".join(["0,0,0", *numbers]) if numbers else "")
    else:
        print(f"{len(mine)} tests, about {costs[index - 1]:.0f} of {sum(costs):.0f} processor seconds")
        print("\n".join(sorted(mine)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
