"""Runs every kernel that a program has for this machine's GPUs and has the program verify the results."""

import argparse
import json

from _program import problems, program, runner


def run_on_gpus(name, cases):
    """cases(kernel): the options of each run of a kernel that --list-tiles names. Returns the exit status, 77 where
    there is no GPU or no program. --device emulator --arch NAME runs the same on the emulator instead."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="gpu", choices=("gpu", "emulator"))
    parser.add_argument("--arch", help="only this architecture")
    arguments = parser.parse_args()
    if not program(name).exists():
        print(f"skipped: {name} is not built")
        return 77

    run = runner(name)
    choice = ["--device", arguments.device, *(["--arch", arguments.arch] if arguments.arch else [])]
    status, listed, message = run("--list-tiles", "--json", *choice)
    if status != 0:
        print(message.strip())
        return 1
    passed, absent = 0, ""
    for kernel in json.loads(listed):
        own = ["--device", arguments.device, "--arch", kernel["arch"], "--type", kernel["type"], "--verify"]
        for options in cases(kernel):
            status, _, message = run(*own, *options)
            if status == 2 and "no GPU" in message:
                absent = message.strip()
                break
            passed += status == 0
            if status != 0:
                problems.append(" ".join(str(w) for w in [*own, *options, "->", status, message.strip()]))
    if not passed and not problems:
        print(f"skipped: {absent.removeprefix('tegula: ') or f'{name} has no kernel for a GPU'}")
        return 77
    print(f"{passed} results are right, {len(problems)} are not")
    for problem in problems[:20]:
        print(problem)
    return 1 if problems else 0
