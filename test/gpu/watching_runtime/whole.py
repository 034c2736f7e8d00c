"""The steps of `./dev gpu all` with everything that it has built for an architecture, and a runtime in the place of the
vendor's. Not a test by itself, as that build takes most of an hour.

    whole.py BUILD ARCH WRONG HANGS FAULTS [--out DIR]

BUILD is build-gpu/ARCH after `./dev gpu all --archs ARCH`. Its objects are linked with a GPU that only answers
(answering.cpp). WRONG, HANGS and FAULTS are parts of names of kernels, each started by one check alone: the comparison behind
the first finds something, the others hang and fault. Prints how many checks ran, and what was wrong in each step. Exit
status: 0 where those three and no other are named, nothing is lost, and a run with --resume ends as the first did.

A check whose result the host compares, byte by byte, is wrong in any case, as nothing runs. A first run without answers tells
which these are.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[2]
sys.path.insert(0, str(HERE))
import all as steps_of_all  # noqa: E402

RUNTIMES = {"sm": ["watching_runtime.cpp", "played_gpu.cpp"], "gf": ["hip_runtime.cpp", "played_gpu.cpp"]}


def link(build, arch, gpu, out):
    """The library of a build with this GPU (a source of this folder) in the place of the vendor's runtime."""
    plan = subprocess.run(["ninja", "-C", str(build), "-t", "commands", "-s", f"library/libtegula_{arch}.so"], capture_output=True, text=True,
                          check=True).stdout.splitlines()[-1]
    objects = [str(build / word) for word in plan.split() if word.endswith(".o")]
    headers = str(Path(shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc").parent.parent / "include")
    sources = [HERE / source for source in (gpu, *RUNTIMES[arch[:2]])]
    subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-O1", "-w", "-fPIC", "-shared", "-fno-gnu-unique", "-D__HIP_PLATFORM_AMD__",
                    f"-I{TOP}", f"-I{TOP / 'include'}", "-isystem", headers, *map(str, sources), *objects, "-lpthread", "-ldl",
                    f"-Wl,--version-script={TOP / 'library/exports.map'}", "-o", str(out)], check=True)


def shorten(plan):
    """Large problems and new seeds for a few kernels alone: the host takes long to touch their memory."""
    steps = json.loads(plan.read_text())
    for step in steps["steps"]:
        if step["name"] in ("check.large", "check.seeds"):
            step["command"][-1] = "{only: (t64x64|ws64x128|tc128x64) kk}"
    plan.write_text(json.dumps(steps))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("arch")
    parser.add_argument("told", nargs=3, metavar=("WRONG", "HANGS", "FAULTS"), help="parts of names of kernels")
    parser.add_argument("--out", type=Path, help="a folder that keeps the results")
    options = parser.parse_args()
    build, arch = options.build.absolute(), options.arch
    program = build / "bin/gpu_checks"
    with tempfile.TemporaryDirectory() as name:
        folder = options.out.absolute() if options.out else Path(name)
        folder.mkdir(exist_ok=True)
        library = folder / "answering.so"
        link(build, arch, "answering.cpp", library)
        steps_of_all.make_folder(folder / "pack", program, library, arch)
        steps_of_all.write_plan(folder / "pack", arch, 60)
        shorten(folder / "pack/steps.json")
        environment = steps_of_all.make_machine(folder, arch)
        listed = subprocess.run([program, "--list", "--library", library], capture_output=True, text=True, check=True).stdout.splitlines()

        def run(answers, *words, out):
            ran = subprocess.run([sys.executable, folder / "pack/run", "all", *words], text=True, capture_output=True,
                                 env={**environment, "TEGULA_ANSWERS": answers})
            checks, statuses = steps_of_all.results_of(out)
            found = {}
            for step in checks.values():
                for check, wrong in step.items():
                    found[check] = found.get(check) or wrong
            return ran, found, statuses

        ran, quiet, statuses = run("", "--out", folder / "quiet", out=folder / "quiet")
        by_host = {check for check, wrong in quiet.items() if wrong}
        print(f"{len(listed)} checks, {len(quiet)} ran; the host finds that nothing has run in {len(by_host)}")
        print("\n".join(f"   {check}: {quiet[check][:120]}" for check in sorted(by_host)))
        spoils, hangs, faults = options.told
        ran, found, statuses = run(f"spoils:{spoils} hangs:{hangs} faults:{faults}", "--out", folder / "told", out=folder / "told")
        wrong = {check: text for check, text in found.items() if text and check not in by_host}
        print("\n".join(f"   told: {check}: {text[:160]}" for check, text in sorted(wrong.items())))
        print("\n".join(f"   step {step}: {status}" for step, status in statuses.items()))
        print("\n".join(ran.stdout.splitlines()[-12:]))
        kinds = [("elements are wrong" in text, text.startswith("hangs"), "illegal" in text) for text in wrong.values()]
        as_told = sorted(kinds) == [(False, False, True), (False, True, False), (True, False, False)] and ran.returncode == 1
        missing = set(quiet) - set(found)
        # As if the run had been ended in its middle.
        file = folder / "told/results.jsonl"
        lines = file.read_text().splitlines(keepends=True)
        middle = next(i for i, line in enumerate(lines) if re.search(r'"step": "check.small"', line)) + len(quiet) // 2
        file.write_text("".join(lines[:middle]))
        ran, again, statuses = run(f"spoils:{spoils} hangs:{hangs} faults:{faults}", "--resume", folder / "told", out=folder / "told")
        resumed = {check for check, text in again.items() if text} == {check for check, text in found.items() if text} and set(again) == set(found)
        print(f"those three and no other: {as_told}; lost: {len(missing)}; resumed to the same: {resumed}")
        return 0 if as_told and not missing and resumed else 1


if __name__ == "__main__":
    sys.exit(main())
