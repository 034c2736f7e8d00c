"""gpu_checks in shards beside each other. A check that hangs or loses the GPU costs itself alone.

    run_checks.py PROGRAM --out DIR [--shards 8] [--silence 60] [--until SECONDS] [--skip FILE] [-- arguments of gpu_checks]

Each shard is a process. Where one ends early or is silent for too long, the check that it had begun is wrong, and a new
process runs the checks behind it. DIR/checks.json has every result; checks that have one in DIR are not run again. Exit
status: 0, 1 where a check is wrong, 4 more where the time was over before all had run, 77 without a GPU.
"""

import argparse
import json
import signal
import subprocess
import sys
import time
from pathlib import Path


def read_lines(log):
    lines = []
    for line in log.read_text().splitlines() if log.exists() else []:
        try:
            lines.append(json.loads(line))
        except ValueError:
            pass  # half a line, of a process that was killed
    return lines


def blame(log, why, key="name"):
    """Writes a result for what was begun last and has none; whether there is such a thing."""
    lines = read_lines(log)
    named = {line[key] for line in lines if key in line}
    begun = [line["start"] for line in lines if "start" in line and line["start"] not in named]
    if begun:
        with log.open("a") as stream:
            stream.write("\n" + json.dumps({key: begun[-1], "wrong": why}) + "\n")
    return bool(begun)


class Shard:
    def __init__(self, number, arguments):
        self.number, self.arguments = number, arguments
        self.log = Path(arguments.out) / f"shard{number}.jsonl"
        self.errors = Path(arguments.out) / f"shard{number}.err"
        self.restarts, self.finished, self.no_gpu = 0, False, False
        self.start()

    def start(self):
        skip = self.log.with_suffix(".skip")
        done = [line["name"] for line in read_lines(self.log) if "name" in line]
        skip.write_text("".join(name + "\n" for name in self.arguments.skipped + done))
        command = [self.arguments.program, "--shard", f"{self.number}/{self.arguments.shards}", "--log", self.log, "--skip", skip]
        with self.errors.open("a") as errors:
            self.process = subprocess.Popen([*command, *self.arguments.more], stdout=errors, stderr=errors)
        self.size, self.heard = -1, time.monotonic()

    def stop(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            self.process.send_signal(number)  # which does nothing to one that has ended
            try:
                self.process.wait(5)
                return
            except subprocess.TimeoutExpired:
                pass

    def restart(self, why):
        """Goes on behind the check that was begun, which is blamed."""
        if not blame(self.log, why):
            raise SystemExit(f"the program {why} before its first check: {self.errors.read_text()[-400:]}")
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
                self.restart(f"hangs: no answer in {self.arguments.silence:g} s")
        elif status in (0, 1, 2, 77):
            self.finished, self.no_gpu = True, status == 77
            if status == 2:
                raise SystemExit(self.errors.read_text())
        elif status == 3:  # its result is in the log
            self.restarts += 1
            self.start()
        else:
            self.restart(f"ended with {status}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--out", required=True)
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--silence", type=float, default=60, help="seconds without an answer after which a check hangs")
    parser.add_argument("--until", type=float, default=3600, help="seconds after which what is left is not run")
    parser.add_argument("--skip", help="a file with names of checks that are not run, a line each")
    words = sys.argv[1:]
    behind = words.index("--") if "--" in words else len(words)
    arguments = parser.parse_args(words[:behind])
    arguments.more = words[behind + 1 :]
    arguments.skipped = Path(arguments.skip).read_text().splitlines() if arguments.skip else []
    Path(arguments.out).mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("run_checks.py was told to end"))
    begin = time.monotonic()
    shards = []
    try:
        for i in range(arguments.shards):
            shards.append(Shard(i, arguments))
        while not all(s.finished for s in shards) and time.monotonic() - begin < arguments.until:
            time.sleep(0.1)
            for shard in shards:
                if not shard.finished:
                    shard.look()
    finally:
        unfinished = [s for s in shards if not s.finished]
        for shard in unfinished:
            shard.stop()
    if all(s.no_gpu for s in shards):
        print(shards[0].errors.read_text(), end="")
        return 77
    results = [line for s in shards for line in read_lines(s.log) if "name" in line]
    wrong = [r for r in results if r["wrong"]]
    (Path(arguments.out) / "checks.json").write_text(json.dumps(sorted(results, key=lambda r: r["name"]), indent=0) + "\n")
    print(f"{len(results)} checks, {len(wrong)} wrong, {sum(s.restarts for s in shards)} restarts, "
          f"{time.monotonic() - begin:.0f} s{', the time was over' if unfinished else ''}")
    for r in wrong:
        print(f"{r['name']}: {r['wrong'][:300]}")
    return (1 if wrong else 0) + (4 if unfinished else 0)


if __name__ == "__main__":
    sys.exit(main())
