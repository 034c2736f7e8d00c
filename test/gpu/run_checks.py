"""gpu_checks in shards beside each other. A check that hangs or loses the GPU costs itself alone.

    run_checks.py PROGRAM --out DIR [--shards 8] [--silence 60] [--until SECONDS] [-- arguments of gpu_checks]

Each shard is a process. Where one ends early or is silent for too long, the check that it had begun is wrong, and a new
process runs the checks behind it. DIR/checks.json has every result. Exit status: 0, 1 where a check is wrong, 77 without a GPU.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path


class Shard:
    def __init__(self, number, arguments):
        self.number, self.arguments = number, arguments
        self.log = Path(arguments.out) / f"shard{number}.jsonl"
        self.errors = Path(arguments.out) / f"shard{number}.err"
        self.restarts, self.finished, self.no_gpu = 0, False, False
        self.start()

    def lines(self):
        lines = []
        for line in self.log.read_text().splitlines() if self.log.exists() else []:
            try:
                lines.append(json.loads(line))
            except ValueError:
                pass  # half a line, of a process that was killed
        return lines

    def start(self):
        skip = self.log.with_suffix(".skip")
        skip.write_text("".join(line["name"] + "\n" for line in self.lines() if "name" in line))
        command = [self.arguments.program, "--shard", f"{self.number}/{self.arguments.shards}", "--log", self.log, "--skip", skip]
        with self.errors.open("a") as errors:
            self.process = subprocess.Popen([*command, *self.arguments.more], stdout=errors, stderr=errors, start_new_session=True)
        self.size, self.heard = -1, time.monotonic()

    def stop(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, number)
            except ProcessLookupError:
                pass
            try:
                self.process.wait(5)
                return
            except subprocess.TimeoutExpired:
                pass

    def blame(self, why):
        """Writes a result for the check that was begun and has none."""
        lines = self.lines()
        named = {line["name"] for line in lines if "name" in line}
        for name in dict.fromkeys(line["start"] for line in lines if "start" in line):
            if name not in named:
                with self.log.open("a") as log:
                    log.write("\n" + json.dumps({"name": name, "wrong": why}) + "\n")
                return True
        return False

    def restart(self, why):
        self.blame(why)
        self.restarts += 1
        self.start()

    def look(self):
        size = self.log.stat().st_size if self.log.exists() else 0
        if size != self.size:
            self.size, self.heard = size, time.monotonic()
        status = self.process.poll()
        if status is None:
            if time.monotonic() - self.heard > self.arguments.silence:
                self.stop()
                self.restart(f"hangs: no answer in {self.arguments.silence:.0f} s")
        elif status in (0, 1, 2, 77):
            self.finished, self.no_gpu = True, status == 77
            if status == 2:
                raise SystemExit(self.errors.read_text())
        elif status == 3:
            self.restart("")  # its result is in the log
        elif not self.blame(f"the program ended with {status}"):
            raise SystemExit(f"the program ended with {status} before its first check: {self.errors.read_text()[-400:]}")
        else:
            self.restarts += 1
            self.start()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--out", required=True)
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--silence", type=float, default=60, help="seconds without an answer after which a check hangs")
    parser.add_argument("--until", type=float, default=3600, help="seconds after which what is left is not run")
    words = sys.argv[1:]
    behind = words.index("--") if "--" in words else len(words)
    arguments = parser.parse_args(words[:behind])
    arguments.more = words[behind + 1 :]
    Path(arguments.out).mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    shards = [Shard(i, arguments) for i in range(arguments.shards)]
    while not all(s.finished for s in shards) and time.monotonic() - begin < arguments.until:
        time.sleep(0.1)
        for shard in shards:
            if not shard.finished:
                shard.look()
    unfinished = [s for s in shards if not s.finished]
    for shard in unfinished:
        shard.stop()
    if all(s.no_gpu for s in shards):
        print(shards[0].errors.read_text(), end="")
        return 77
    results = [line for s in shards for line in s.lines() if "name" in line]
    wrong = [r for r in results if r["wrong"]]
    (Path(arguments.out) / "checks.json").write_text(json.dumps(sorted(results, key=lambda r: r["name"]), indent=0) + "\n")
    print(f"{len(results)} checks, {len(wrong)} wrong, {sum(s.restarts for s in shards)} restarts, "
          f"{time.monotonic() - begin:.0f} s{', the time was over' if unfinished else ''}")
    for r in wrong:
        print(f"{r['name']}: {r['wrong'][:300]}")
    return 1 if wrong or unfinished else 0


if __name__ == "__main__":
    sys.exit(main())
