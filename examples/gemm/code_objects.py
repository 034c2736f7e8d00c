"""Compiles the shipped GEMM kernels for AMD GPUs into code objects (hipModuleLoad) and writes their manifest.

`gemm --list-kernels` says which kernels there are and which code object each is in. For each code object a source of a
few lines is written and compiled by clang as HIP, after the headers of its architecture, what is up to date excepted.
manifest.json then has

    compiler   its version
    commit     of this project, with a + where files differ from it
    headers    of each architecture's precompiled headers: file, processor seconds and megabytes their compilation took
    units      the same of each code object, and how many kernels it has
    kernels    of each kernel the record of `gemm --list-kernels`: file, symbol, tile and form, block, dynamic shared
               memory, the number of blocks as a formula, the members of its one argument with their offsets; and
               static_shared_bytes, from the file

A kernel that spills registers or uses scratch memory, or whose argument is not of the size the list says, is an error.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import _code_object

SOURCE = Path(__file__).resolve().parents[2]


def read_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gemm", required=True, help="the program gemm")
    parser.add_argument("--clang", required=True)
    parser.add_argument("--clang-flag", action="append", default=[])
    parser.add_argument("--out", required=True, help="folder of the code objects")
    parser.add_argument("--arch", action="append", help="only these architectures")
    parser.add_argument("--only", default="", help="only code objects whose name matches this regular expression")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--again", action="store_true", help="compile what is up to date too")
    return parser.parse_args()


def select_units(arguments):
    """The records of the kernels by code object."""
    text = subprocess.run([arguments.gemm, "--list-kernels"], capture_output=True, text=True, check=True).stdout
    units = {}
    for record in json.loads(text):
        if arguments.arch and record["arch"] not in arguments.arch:
            continue
        if re.search(arguments.only, record["code_object"]):
            units.setdefault(record["code_object"], []).append(record)
    return units


HEADERS = '#include "examples/gemm/code_object.hpp"\n'


def source_of(records):
    lines = []
    for r in records:
        inputs = r["type"].removesuffix("_e4m3")
        orders = [{"k": "k_contiguous", "row": "row_contiguous", "any": "any"}[r[x]] for x in ("order_a", "order_b")]
        words = [r["arch"], inputs, r["tile"], r["form"], *orders, r["symbol"]]
        lines.append(f"GEMM_EXAMPLE_SHIP({', '.join(words)})")
    return HEADERS + "\n" + "\n".join(lines) + "\n"


def command_of(arguments, arch, source, target):
    # The driver of clang 22 writes no dependencies where it compiles for a device alone.
    words = ("-dependency-file", f"{target}.d", "-MT", str(target), "-sys-header-deps")
    dependencies = [word for option in words for word in ("-Xclang", option)]
    # HIP's own headers are half the work of a small unit, and kernels need nothing of them; their vectors are written
    # out, so that clang need not look for any.
    return [arguments.clang, "-x", "hip", "-std=c++20", "-O3", "-fno-slp-vectorize", "--offload-device-only",
            "--no-gpu-bundle-output", f"--offload-arch={arch}", "-nogpuinc", *arguments.clang_flag,
            "-I", str(SOURCE / "include"), "-I", str(SOURCE), *dependencies, str(source)]


def headers_command(arguments, arch, source, target):
    # The driver has no option of its own that precompiles headers for a device.
    outputs = [word for option in ("-emit-pch", "-o", str(target)) for word in ("-Xclang", option)]
    return command_of(arguments, arch, source, target) + ["-fsyntax-only", *outputs]


def unit_command(arguments, arch, source, target):
    headers = ["-Xclang", "-include-pch", "-Xclang", str(Path(arguments.out) / f"{arch}.pch")]
    return command_of(arguments, arch, source, target) + [*headers, "-c", "-o", str(target)]


def dependencies(target):
    """The files a code object was made from; nothing where that is not known."""
    try:
        text = Path(f"{target}.d").read_text()
    except OSError:
        return []
    return [word for word in text.replace("\\\n", " ").split(":", 1)[1].split()]


def is_current(target, record):
    try:
        made = target.stat().st_mtime
        files = dependencies(target)
        return bool(files) and json.loads(Path(f"{target}.json").read_text())["made_by"] == record and all(
            os.stat(file).st_mtime <= made for file in files)
    except (OSError, ValueError, KeyError):
        return False


def run(command):
    """Processor seconds and largest megabytes of a command and what it starts; passes warnings on."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    message = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{message}")
    sys.stderr.write(message)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def build(arguments, arch, name, text, command_line, about):
    """Compiles the source `text` into the file `name` where it is not up to date; its figures, with `about`."""
    target = Path(arguments.out) / name
    source = target.with_suffix(".hip")
    command = command_line(arguments, arch, source, target)
    record = hashlib.sha256("\n".join([text, *command]).encode()).hexdigest()
    if arguments.again or not is_current(target, record):
        source.write_text(text)
        start = time.perf_counter()
        seconds, megabytes = run(command)
        figures = {"file": name, **about, "processor_seconds": round(seconds, 2),
                   "seconds": round(time.perf_counter() - start, 2), "megabytes": round(megabytes, 1)}
        Path(f"{target}.json").write_text(json.dumps({"made_by": record, "figures": figures}))
        print(f"{name:44} {seconds:6.2f} s", flush=True)
    return json.loads(Path(f"{target}.json").read_text())["figures"]


def complete(record, metadata):
    """The record with what the file says; raises where they do not agree."""
    name = f"{record['code_object']}: {record['symbol']}"
    if record["symbol"] not in metadata:
        raise RuntimeError(f"{name} is not in the file")
    kernel = metadata[record["symbol"]]
    if problems := _code_object.memory_problems(kernel):
        raise RuntimeError(f"{name}: {', '.join(problems)}")
    argument_bytes = kernel["kernarg_segment_size"]
    # Behind the argument there may be hidden ones of the runtime's.
    if argument_bytes < record["arguments"]["bytes"]:
        raise RuntimeError(f"{name} takes {argument_bytes} bytes of arguments, not {record['arguments']['bytes']}")
    complete_record = {"file": record["code_object"]}
    for key, value in record.items():
        if key != "code_object":
            complete_record[key] = value
        if key == "dynamic_shared_bytes":
            complete_record["static_shared_bytes"] = kernel["group_segment_fixed_size"]
    return complete_record


def commit():
    """The project's commit; a + says that sources of kernels have changed since."""
    def git(*words):
        return subprocess.run(["git", "-C", str(SOURCE), *words], capture_output=True, text=True).stdout.strip()
    name = git("rev-parse", "--short", "HEAD")
    return name + ("+" if git("status", "--porcelain", "--", "include", "examples/gemm") else "") if name else "unknown"


def version(compiler):
    lines = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout.splitlines()
    return lines[0].strip() if lines else "unknown"


def main():
    arguments = read_arguments()
    folder = Path(arguments.out)
    folder.mkdir(parents=True, exist_ok=True)
    units = select_units(arguments)
    if not units:
        print("no code object has such a name", file=sys.stderr)
        return 2
    architectures = sorted({records[0]["arch"] for records in units.values()})
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        try:
            headers = list(pool.map(
                lambda arch: build(arguments, arch, f"{arch}.pch", HEADERS, headers_command, {}), architectures))
            figures = list(pool.map(
                lambda name: build(arguments, units[name][0]["arch"], name, source_of(units[name]), unit_command,
                                   {"kernels": len(units[name])}), units))
            metadata = {name: _code_object.read_kernels(folder / name) for name in units}
            kernels = [complete(record, metadata[name]) for name, records in units.items() for record in records]
        except (RuntimeError, ValueError) as error:
            pool.shutdown(cancel_futures=True)
            print(error, file=sys.stderr)
            return 1
    manifest = {"compiler": version(arguments.clang), "commit": commit(), "headers": headers, "units": figures,
                "kernels": kernels}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    seconds = [unit["processor_seconds"] for unit in figures]
    total = sum(seconds) + sum(header["processor_seconds"] for header in headers)
    print(f"{len(kernels)} kernels in {len(units)} code objects, {total:.0f} s of a processor, the longest "
          f"{max(seconds):.1f} s; {folder / 'manifest.json'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
