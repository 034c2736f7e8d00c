"""run_checks.py with a program in the place of gpu_checks that is wrong, hangs, crashes and loses its GPU: each is named, and
no other check is lost.

    run_checks_test.py
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent

PROGRAM = """#!%s
import json, os, sys, time
words = dict(zip(sys.argv[1::2], sys.argv[2::2]))
shard, shards = map(int, words["--shard"].split("/"))
skipped = open(words["--skip"]).read().split("\\n")
log = open(words["--log"], "a")
def say(**line):
    log.write(json.dumps(line) + "\\n")
    log.flush()
for i in range(12):
    name = f"check {i}"
    if i %% shards != shard or name in skipped:
        continue
    say(start=name)
    if i == 3:
        time.sleep(3600)
    if i == 4:
        os.abort()
    if i == 5:
        say(name=name, wrong="an illegal memory access was encountered")
        sys.exit(3)
    say(name=name, wrong="7 elements are wrong" if i == 2 else "")
sys.exit(1)
"""


def run(program, out, *more):
    return subprocess.run([sys.executable, HERE / "run_checks.py", program, "--out", out, *more], capture_output=True, text=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program"
        program.write_text(PROGRAM % sys.executable)
        program.chmod(0o755)
        # So long that a slow machine starts the program meanwhile.
        ran = run(program, Path(folder) / "out", "--shards", "2", "--silence", "10")
        results = {r["name"]: r["wrong"] for r in json.loads((Path(folder) / "out" / "checks.json").read_text())}
        assert set(results) == {f"check {i}" for i in range(12)}, results
        wrong = {name: text for name, text in results.items() if text}
        assert set(wrong) == {"check 2", "check 3", "check 4", "check 5"}, wrong
        assert "hangs" in wrong["check 3"] and "ended with -6" in wrong["check 4"] and "illegal" in wrong["check 5"], wrong
        assert ran.returncode == 1 and "12 checks, 4 wrong, 3 restarts" in ran.stdout, ran.stdout + ran.stderr
        none = Path(folder) / "none"
        none.write_text("#!/bin/sh\necho 'skipped: no GPU: none' >&2\nexit 77\n")
        none.chmod(0o755)
        ran = run(none, Path(folder) / "other")
        assert ran.returncode == 77 and "no GPU" in ran.stdout, ran.stdout + ran.stderr
    return 0


if __name__ == "__main__":
    sys.exit(main())
