"""Functions that the tests of programs share. They run a program and collect the problems found, a sentence each."""

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(os.environ["TEGULA_SOURCE_DIR"]) / "cmake"))
from kernels import SAMPLE, read_kernels  # noqa: E402, F401

FULL = "--full" in sys.argv[1:]
problems = []


def types_of_run(built_in, *others):
    """The element types that cases take: with --full those that the program compiles on demand, too."""
    return [*built_in, *others] if FULL else built_in


def archs_of_run(family, archs):
    """The GPUs that cases take: without --full those of the sample, which the program has built in."""
    return archs if FULL else [arch for arch in archs if arch in SAMPLE[family]]


def program(name):
    """The path of a program of the build."""
    return Path(os.environ["TEGULA_BIN"]) / name


def check(condition, message):
    if not condition:
        problems.append(message)


def runner(name):
    """run(*arguments): exit status, output and messages of the program."""

    def run(*arguments):
        result = subprocess.run([program(name), *(str(a) for a in arguments)], capture_output=True, text=True)
        return result.returncode, result.stdout, result.stderr

    return run
