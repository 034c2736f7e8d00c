#!/usr/bin/env python3
"""Runs the steps of steps.json, beside this script, on the GPU here: what matters most first.

    run [smoke|check|bench|profile|all] [--minutes N] [--only REGEX] [--out DIR] [--resume DIR]

Each step is a process group with a limit: what hangs or faults costs itself alone. DIR/results.jsonl gets a line of JSON a
result, at once; DIR/report.html is written at the end. --resume goes on with what has no result in DIR. Exit status: 0; 1
where something is wrong; 2 for bad options; 77 without a GPU.
"""

import argparse
import importlib.util
import json
import lzma
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
import gpus  # noqa: E402
import report  # noqa: E402
from run_checks import blame, read_lines  # noqa: E402

HERE = Path(__file__).resolve().parent
STAGES = ["smoke", "check", "bench", "profile", "all"]
GRACE = 3  # seconds between SIGTERM and SIGKILL
LEAST = 3  # seconds for which it is worth to begin a step


def say(text):
    print(text, flush=True)


def unpack(folder):
    """Programs that are there compressed."""
    for packed in sorted(folder.glob("*.xz")):
        plain = packed.with_suffix("")
        if not plain.exists() or plain.stat().st_mtime < packed.stat().st_mtime:
            part = plain.with_suffix(".part")
            with lzma.open(packed) as source, part.open("wb") as target:
                shutil.copyfileobj(source, target)
            part.chmod(0o755)
            part.replace(plain)


class Results:
    """results.jsonl: lines of single results, which have a name, and of steps, which have a status."""

    def __init__(self, file):
        self.file = file
        self.lines = read_lines(file)
        self.named = {(line["step"], line["name"]) for line in self.lines if "name" in line}

    def add(self, **line):
        if "name" in line:
            if (line["step"], line["name"]) in self.named:
                return False
            self.named.add((line["step"], line["name"]))
        self.lines.append(line)
        with self.file.open("a") as file:
            file.write(json.dumps(line) + "\n")
        return True

    def finished(self, step):
        lines = [line for line in self.lines if line["step"] == step and "status" in line]
        return bool(lines) and not lines[-1]["unfinished"]

    def wrong_checks(self):
        return sorted({line["name"] for line in self.lines if line["step"].startswith(("smoke.checks", "check.")) and line.get("wrong")})


class Collector:
    """Takes the results that a step's programs append to the *.jsonl of its folder."""

    def __init__(self, step, folder, results):
        self.step, self.folder, self.results, self.places, self.bytes = step, folder, results, {}, 0

    def look(self):
        for file in sorted(self.folder.glob("*.jsonl")):
            with file.open("rb") as stream:
                stream.seek(self.places.get(file, 0))
                whole, newline, _ = stream.read().rpartition(b"\n")
            self.places[file] = self.places.get(file, 0) + len(whole) + len(newline)
            self.bytes += len(whole)
            for line in whole.split(b"\n"):
                try:
                    self.take(json.loads(line))
                except ValueError:
                    pass  # half a line, of a program that was killed
        return self.bytes

    def take(self, line):
        name = line.get("case", line.get("name"))
        if name is None or not self.results.add(**{**line, "step": self.step, "name": name}):
            return
        if line.get("wrong"):
            say(f"   wrong: {name}: {line['wrong'][:200]}")
        elif "contenders" in line or "tflops" in line:
            say(f"   {report.speed_of(line)}")


def end_group(process):
    """SIGTERM to the process and all that it has started, SIGKILL a little later."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            pass
        try:
            process.wait(GRACE)
        except subprocess.TimeoutExpired:
            pass
        if number == signal.SIGTERM:
            time.sleep(0.1)


def fill(word, values, only):
    found = re.fullmatch(r"\{only(?::(.*))?\}", word)
    if found:
        return only or found[1] or ""
    return re.sub(r"\{(\w+)\}", lambda m: str(values.get(m[1], m[0])), word)


def why_not(step):
    """Returns what a step needs that is not here, or an empty string."""
    for need in step["needs"]:
        if need == "torch":
            if importlib.util.find_spec("torch") is None:
                return "PyTorch is not installed"
        elif "|" in need:
            if not any(map(shutil.which, need.split("|"))):
                return f"neither {need.replace('|', ' nor ')} is on PATH"
        elif not (HERE / need).exists():
            return f"{need} was not built"
    return ""


class Run:
    def __init__(self, arguments, out):
        self.arguments, self.out, self.begin = arguments, out, time.monotonic()
        self.results = Results(out / "results.jsonl")
        self.process = None

    def left(self):
        """Seconds until the whole run ends."""
        minutes = self.arguments.minutes
        return float("inf") if minutes is None else 60 * minutes - (time.monotonic() - self.begin)

    def step(self, step, name, number):
        """Runs a step and adds its line; whether there was time for it."""
        seconds = min(step["limit"], self.left())
        missing = why_not(step)
        if missing or seconds < LEAST:
            self.close(name, "left out", missing or "the time was over", 0, unfinished=True)
            return bool(missing)
        folder = self.out / name
        folder.mkdir(parents=True, exist_ok=True)
        wrong = self.out / "wrong.txt"
        wrong.write_text("".join(check + "\n" for check in self.results.wrong_checks() if (name, check) not in self.results.named))
        values = {"python": sys.executable, "here": HERE, "out": folder, "results": self.results.file, "wrong": wrong, "round": number,
                  "shards": max(2, min(16, os.cpu_count() or 2)), "seconds": int(max(seconds - 10, 0.8 * seconds))}
        command = [fill(word, values, self.arguments.only) for word in step["command"]]
        say(f"== {name}, at most {seconds:.0f} s")
        begin = time.monotonic()
        status, hung = self.watch(command, step, name, folder, begin + seconds)
        took = time.monotonic() - begin
        lines = (folder / "output.txt").read_text(errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        if hung:
            cut = seconds < step["limit"]
            self.close(name, "stopped", f"it had not ended after {seconds:.0f} s", took, unfinished=cut)
        elif status in (0, 4) or status in (1, 5) and self.counts(name)[1]:
            results, wrong = self.counts(name)
            left = "".join(next((f"; {line}" for line in reversed(lines) if line.startswith(words)), "") for words in ("left out", "not timed"))
            self.close(name, "wrong" if wrong else "right", f"{results} results, {wrong} wrong{left}", took, unfinished=bool(status & 4))
        elif status == 77:
            self.close(name, "left out", last, took, unfinished=True)
        else:
            self.close(name, "failed", f"ended with {status}: {last[:300]}", took, unfinished=True)
        return True

    def watch(self, command, step, name, folder, end):
        """Exit status, and whether the command had to be stopped. One that is silent or dies is started again, as it goes on
        behind the case that it was at."""
        collector = Collector(name, folder, self.results)
        collector.look()  # what an earlier run left
        while True:
            with (folder / "output.txt").open("a") as output:
                self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
            process, size = self.process, collector.bytes
            heard = told = time.monotonic()
            while process.poll() is None:
                time.sleep(0.1)
                if collector.look() != size:
                    size, heard = collector.bytes, time.monotonic()
                if time.monotonic() - told > 10:
                    told = time.monotonic()
                    say("   {} results, {} wrong".format(*self.counts(name)))
                silent = step["silence"] and time.monotonic() - heard > step["silence"]
                if silent or time.monotonic() > end:
                    end_group(process)
                    break
            else:
                silent = False
            collector.look()
            self.process = None
            late = time.monotonic() > end
            ended = process.returncode in (0, 1, 2, 4, 5, 77)
            if (ended and not silent) or late or not step["silence"]:
                return process.returncode, late and not ended
            why = f"hangs: no answer in {step['silence']:g} s" if silent else f"ended with {process.returncode}"
            if not any([blame(file, why, "case") for file in sorted(folder.glob("*.jsonl"))]):
                return process.returncode, False
            say(f"   {why}; going on behind it")

    def counts(self, name):
        """How many results a step has, and how many of them are wrong."""
        results = [line for line in self.results.lines if line["step"] == name and "name" in line]
        return len(results), sum(1 for line in results if line.get("wrong"))

    def close(self, name, status, text, took, unfinished):
        over = ", the time was over" if unfinished and status in ("right", "wrong", "stopped") else ""
        self.results.add(step=name, status=status, text=text + over, seconds=round(took, 1), unfinished=unfinished)
        say(f"   {name}: {status}{'' if status == 'left out' else f' in {took:.0f} s'}; {text}{over}")

    def all_steps(self, steps):
        for step in steps:
            if not step["rounds"]:
                if self.results.finished(step["name"]):
                    say(f"== {step['name']} has its results")
                else:
                    self.step(step, step["name"], 0)
                continue
            # New seeds, round by round: one without a limit of the whole run.
            number = 1
            while True:
                name = f"{step['name']}.{number}"
                if not self.results.finished(name) and not self.step(step, name, number):
                    break
                if self.counts(name)[0] == 0:  # every check was wrong before
                    break
                number += 1
                if why_not(step) or self.arguments.minutes is None:
                    break

    def end(self):
        if self.process is not None:
            end_group(self.process)


def choose_gpu(arch):
    """The first GPU of the architecture becomes the programs' first; its name, or none with the reason."""
    for found, number, name in gpus.all_gpus():
        if found == arch:
            variable = "CUDA_VISIBLE_DEVICES" if arch.startswith("sm_") else "HIP_VISIBLE_DEVICES"
            os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
            os.environ.setdefault(variable, str(number))
            return name, ""
    there = ", ".join(f"{name} ({found})" for found, _, name in gpus.all_gpus())
    if there:
        return None, f"this was built for {arch}, and the GPUs here are {there}"
    if gpus.nodes():
        return arch, ""  # which no tool names: the programs see for themselves
    return None, f"there is no GPU here that runs what was built, {arch}"


def main():
    parser = argparse.ArgumentParser(prog="run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", nargs="?", default="all", choices=STAGES)
    parser.add_argument("--minutes", type=float, help="after which it ends, and says what was left out")
    parser.add_argument("--only", default="", help="checks and cases whose names match")
    parser.add_argument("--out", help="a folder for the results (default: results_TIME)")
    parser.add_argument("--resume", help="the folder of an earlier run, which goes on")
    arguments = parser.parse_args()
    try:
        re.compile(arguments.only)
    except re.error as error:
        parser.error(f'--only is "{arguments.only}", no regular expression: {error}')
    plan = json.loads((HERE / "steps.json").read_text())
    name, reason = choose_gpu(plan["arch"])
    if reason:
        say(f"skipped: {reason}")
        return 77
    out = Path(arguments.resume or arguments.out or f"results_{time.strftime('%Y-%m-%d_%H.%M.%S')}").absolute()
    if arguments.resume and not out.is_dir():
        parser.error(f"--resume is {arguments.resume}, where no folder is")
    out.mkdir(parents=True, exist_ok=True)
    if not arguments.resume and (out / "results.jsonl").exists():
        parser.error(f"{out} has results; write --resume {out} to go on, or choose another folder")
    unpack(HERE)
    report.write_environment(out, plan, (HERE / "COMMIT").read_text().strip(), name)
    run = Run(arguments, out)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        run.all_steps([s for s in plan["steps"] if arguments.stage in (s["stage"], "all")])
    except KeyboardInterrupt:
        say("interrupted; --resume goes on")
    finally:
        run.end()
        wrong = report.write(out)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
