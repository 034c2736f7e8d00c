"""./dev mutants N --seed S: N small faults in headers, one at a time, and the tests that find them.

A mutant changes one line of a header by an operator of list.json: a barrier, wait, fence or commit goes, a bound, mask,
stride, sign, scope or phase changes. The test files that list.json names for the header are compiled with the changed
header before the true one, without precompiled headers, and run. A line a mutant:

  killed      a test failed, trapped or did not end in --seconds processor seconds
  survived    all tests passed; exit status 1
  equivalent  all tests passed, and list.json says why; another mutant takes its place
  compiler    the mutant does not compile; another one takes its place

The last line is "N mutants, K killed, S survived".

mutants.py BUILD N [--seed S] [--only REGEX]
mutants.py BUILD 0 --list                        all mutants, and whether list.json names what is there
"""

import argparse
import json
import os
import random
import re
import resource
import shlex
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_name("list.json")
INCLUDE = Path("include/tegula")


def code_lines(text):
    """(number, line) of the lines that are code: no comments, no preprocessor."""
    for number, line in enumerate(text.splitlines()):
        if line.strip() and not line.lstrip().startswith(("//", "#", "*")):
            yield number, line


def changed(line, operator):
    """The line after the operator, its comment left alone; None where it does not apply."""
    code, slashes, comment = line.partition(" //")
    result, count = re.subn(operator["find"], operator["put"], code, count=1)
    return result + slashes + comment if count and result != code else None


def all_mutants(known):
    """(file, line number, operator's name, line, changed line), the same order everywhere."""
    for file in sorted(known["files"]):
        for number, line in code_lines((ROOT / INCLUDE / file).read_text()):
            for operator in known["operators"]:
                if (after := changed(line, operator)) is not None:
                    yield file, number, operator["name"], line, after


class Builder:
    """Compiles test files with a changed header, and links them with what the build has."""

    def __init__(self, build):
        self.build = build
        entries = json.loads((build / "compile_commands.json").read_text())
        entries.sort(key=lambda entry: "_sanitized" not in entry["command"])
        self.commands = {entry["file"]: entry for entry in entries} # the plain one, where there are two
        self.folder = build / "mutants"

    def prepare(self):
        """Builds the objects that every test links: Catch's main, the emulator's engine, the tests' data."""
        targets = ["test_main", "tegula_emulator", "test_gemm_data"]
        subprocess.run(["ninja", "-C", self.build, "--quiet", *targets], check=True)
        folders = [place / "CMakeFiles" / f"{target}.dir" for target in targets for place in (self.build, self.build / "test")]
        self.others = [path for folder in folders for path in sorted(folder.rglob("*.o"))]

    def compile(self, test):
        """The object of a test file, or None if it does not compile."""
        entry = self.commands[str(ROOT / test)]
        words = shlex.split(entry["command"])
        out = self.folder / (test.replace("/", "_") + ".o")
        kept, skip = [], 0
        for i, word in enumerate(words):
            if skip:
                skip -= 1
            elif word == "-o":
                skip = 1
            elif word == "-include" and "cmake_pch" in words[i + 1]: # its text; what was compiled before has the true header
                skip, text = 1, self.folder / "included.hpp"
                text.write_text(Path(words[i + 1]).read_text())
                kept += [word, str(text)]
            elif word not in ("-Winvalid-pch", "-Werror") and not word.startswith("-fsanitize"):
                kept.append(word)
        command = [kept[0], "-I", str(self.folder / "include"), *kept[1:], "-o", str(out)]
        done = subprocess.run(command, cwd=entry["directory"], capture_output=True, text=True)
        return out if done.returncode == 0 else None

    def require_true_header(self, test):
        """Ends the program if the test does not compile with the true header, either."""
        for changed_header in (self.folder / "include").rglob("*.hpp"):
            changed_header.unlink()
        if self.compile(test) is None:
            sys.exit(f"{test} does not compile without the mutant; build it first")

    def link(self, objects):
        program = self.folder / "mutant"
        subprocess.run(["c++", *objects, *self.others, "-o", program, "-lboost_context", "-pthread"], check=True)
        return program

    def try_tests(self, tests, seconds):
        """(outcome, test) with the header that lies in the folder."""
        for test in tests:
            built = self.compile(test)
            if built is None:
                self.require_true_header(test)
                return "compiler", test
            program = self.link([built])
            if not self.passes(program, seconds):
                return "killed", test
        return "survived", ", ".join(tests)

    def passes(self, program, seconds):
        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

        try: # a lane that waits without end takes no processor time
            return subprocess.run([program], cwd=self.folder, capture_output=True, preexec_fn=limit,
                                  timeout=10 * seconds).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def put(self, file, text):
        """Lays the changed header before the true one."""
        for old in (self.folder / "include").rglob("*.hpp"):
            old.unlink()
        path = self.folder / "include" / "tegula" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def explained(known, file, line, operator):
    return next((e["why"] for e in known["equivalent"]
                 if (e["file"], e["line"], e["operator"]) == (file, line.strip(), operator)), None)


def check_list(known, mutants):
    """1 if an operator changes nothing, or a test or an equivalent line is not there."""
    missing = [o["name"] for o in known["operators"] if o["name"] not in {m[2] for m in mutants}]
    missing += sorted({t for tests in known["files"].values() for t in tests if not (ROOT / t).is_file()})
    lines = {(file, line.strip(), name) for file, _, name, line, _ in mutants}
    missing += [str(e) for e in known["equivalent"] if (e["file"], e["line"], e["operator"]) not in lines]
    for name in missing:
        print(f"{LIST.name} names what is not there, or changes nothing: {name}")
    return 1 if missing else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=600, help="processor seconds that a test may take")
    parser.add_argument("--only", default="", help="files or operators that match this regular expression")
    parser.add_argument("--list", action="store_true", help="print all mutants and try none")
    options = parser.parse_args()
    known = json.loads(LIST.read_text())
    mutants = [m for m in all_mutants(known) if re.search(options.only, f"{m[0]} {m[2]}")]
    if options.list:
        for file, number, name, line, after in mutants:
            print(f"{file}:{number + 1}: {name}: {line.strip()} -> {after.strip()}")
        return 0 if options.only else check_list(known, mutants)
    random.Random(options.seed).shuffle(mutants)
    builder = Builder(options.build.resolve())
    builder.prepare()
    counts = {"killed": 0, "survived": 0, "compiler": 0, "equivalent": 0}
    for file, number, name, line, after in mutants:
        if counts["killed"] + counts["survived"] == options.count:
            break
        lines = (ROOT / INCLUDE / file).read_text().splitlines(keepends=True)
        lines[number] = after + "\n"
        builder.put(file, "".join(lines))
        start = time.monotonic()
        outcome, test = builder.try_tests(known["files"][file], options.seconds)
        why = explained(known, file, line, name) if outcome == "survived" else None
        outcome = "equivalent" if why else outcome
        counts[outcome] += 1
        print(f"{outcome:10} {INCLUDE / file}:{number + 1} {name}: {line.strip()} [{why or test}, "
              f"{time.monotonic() - start:.0f} s]", flush=True)
    print(f"seed {options.seed}: {counts['equivalent']} equivalent, {counts['compiler']} did not compile")
    print(f"{counts['killed'] + counts['survived']} mutants, {counts['killed']} killed, {counts['survived']} survived")
    return 1 if counts["survived"] else 0


if __name__ == "__main__":
    os.environ["LC_ALL"] = "C.UTF-8"
    sys.exit(main())
