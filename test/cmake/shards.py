"""The shards of the full run (test/shard.py): each test is in one part, parts cost about the same, tests of one object
stay together."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

SHARD = Path(__file__).resolve().parents[1] / "shard.py"
sys.path.insert(0, str(SHARD.parent))
import shard  # noqa: E402

problems = []


def check(what, is_so):
    if not is_so:
        problems.append(what)


def main():
    objects = [f"device.{name}.{arch} device/{name}/{arch}/{name}.co\ndevice.run_attention.{name}.{arch} device/{name}/{arch}/{name}.co"
               for name in ("attention_a", "attention_b", "attention_c") for arch in ("gfx942", "sm_80")]
    programs = [f"grid.{name} test_grid_{name}" for name in "abcdefg"] + ["compile_fail.x.nvcc "]
    with tempfile.TemporaryDirectory() as scratch:
        build = Path(scratch)
        (build / "full_targets.txt").write_text("\n".join(objects + programs) + "\n")
        targets = shard.targets_of(build)
        recorded = {f"grid.{name}": 20.0 + 10 * number for number, name in enumerate("abcdef")}
        groups = shard.groups_with_costs(targets, recorded)
        for count in (1, 2, 3, 5, 8, 40):
            parts, costs = shard.parts_of(groups, count)
            check(f"{count} parts have every test once", sorted(sum(parts, [])) == sorted(targets))
            check(f"{count} parts are about equal", max(costs) - min(costs) <= groups[0][0])
        parts, _ = shard.parts_of(groups, 4)
        for name in ("attention_a.gfx942", "attention_c.sm_80"):
            check(f"{name} is compiled in one part",
                  len([part for part in parts if {f"device.{name}", f"device.run_attention.{name}"} & set(part)]) == 1)
        count = shard.number_of_parts(groups, 100.0)
        check("as many parts as keep below a cost", max(shard.parts_of(groups, count)[1]) <= 100.0)
        dear = [(1000.0, ["dear"]), *((10.0, [f"cheap_{number}"]) for number in range(20))]
        count = shard.number_of_parts(dear, 100.0)
        check("a group that costs more than a part is a part", count <= len(dear) and
              shard.parts_of(dear, count)[0][0] == ["dear"])
        check("no parts without tests", shard.number_of_parts([(1.0, ["one"])] * 2, 0.1) == 2)
        (build / "CTestTestfile.cmake").write_text("".join(f"add_test({name} true)\n" for name in targets))
        for part, runs in (("1/1000", True), ("1000/1000", False)):
            ran = subprocess.run([sys.executable, SHARD, build, "--shard", part, "--tests"], capture_output=True, text=True)
            shown = subprocess.run(["ctest", "--test-dir", build, "-N", "-I", ran.stdout.strip()], capture_output=True, text=True)
            check(f"part {part} runs {'tests of one object' if runs else 'no test'}",
                  1 <= len(re.findall(r"Test +#", shown.stdout)) <= 2 if runs else ran.stdout.strip() == "")
        for wrong in ("0/3", "4/3", "x"):
            ran = subprocess.run([sys.executable, SHARD, build, "--shard", wrong], capture_output=True, text=True)
            check(f"{wrong} is refused in a sentence", ran.returncode == 2 and "a shard is I/N" in ran.stderr)
    print("\n".join(f"not so: {what}" for what in problems) or "the shards are right")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
