"""Tests of `./dev gpu all` and of what `./dev gpu pack` leaves. Programs that need no GPU stand in the places of CMake,
nvidia-smi, gpu_checks and bench.py. Checks and cases that are wrong, hang or crash are named, no other is lost, and a run is
resumed.

    gpu_test.py
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent

# Builds by writing the programs below.
CMAKE = r"""
import os, pathlib, sys, time
words = sys.argv[1:]
if "-B" in words:
    folder = pathlib.Path(words[words.index("-B") + 1])
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    (folder / "library").mkdir(exist_ok=True)
    (folder / "CMakeCache.txt").write_text("TEGULA_NVCC:FILEPATH=/false/nvcc\n")
    (folder / "generator").write_text(words[words.index("-G") + 1])
elif "help" in words:
    print("gpu_checks: phony\ngpu_checks_soon: phony\ntegula_gpu: phony\nbench_gemm: phony")
else:
    folder, target = pathlib.Path(words[1]), words[words.index("--target") + 1]
    if target != "tegula_gpu":
        program = folder / "bin" / target
        program.write_text(os.environ["FALSE_" + target.removesuffix("_soon").upper()])
        program.chmod(0o755)
    else:
        if "FALSE_SLOW" in os.environ:
            time.sleep(3600)
        (folder / "library/libtegula_sm_90a.so").write_text("no library\n")
"""

SMI = r"""
import sys
query = next(w for w in sys.argv if w.startswith("--query-gpu="))
print("1.2.3" if "driver_version" in query else "0, 9.0, False H100")
"""

CHECKS = r"""
import json, os, sys, time
words = dict(zip(sys.argv[1:], sys.argv[2:]))
shard, shards = map(int, words["--shard"].split("/"))
skipped = open(words["--skip"]).read().split("\n")
log = open(words["--log"], "a")
open(os.environ["FALSE_CALLS"], "a").write(" ".join(sys.argv[1:]) + "\n")
def say(**line):
    log.write(json.dumps(line) + "\n")
    log.flush()
for i in range(10):
    name = f"sm_90a check {i}"
    if i % shards != shard or name in skipped:
        continue
    say(start=name)
    if i == 3:
        time.sleep(3600)
    if i == 4:
        os.abort()
    say(name=name, seconds=0, seed=1, wrong="7 elements are wrong" if i == 2 else "")
sys.exit(1)
"""

BENCH = r"""
import json, os, sys, time
words = dict(zip(sys.argv[1:], sys.argv[2:]))
out = words["--out"]
done = [l.get("case") for l in map(json.loads, filter(str.strip, open(out) if os.path.exists(out) else []))]
with open(out, "a") as log:
    def say(**line):
        log.write(json.dumps(line) + "\n")
        log.flush()
    if "--once" in sys.argv:
        contenders = [after for word, after in zip(sys.argv, sys.argv[1:]) if word == "--contender"]
        say(case=words["--only"].strip("^$").replace("\\", ""), order=contenders)
        raise SystemExit
    if "products" in out:
        say(case="gemm/bf16/TN/64x64x64", m=64, n=64, k=64, type="bf16", layout="TN", best_tile="t64x64", best_tflops=3.0, spread=0.01,
            vendor_best="cublasLt algorithm 2", vendor_best_tflops=4.0, ratio=0.75, megahertz=1980.0, wrong="",
            ceilings={"bytes": 2e11, "bf16": 6e12, "fp8": 12e12},
            contenders={"tegula gemm/bf16/TN/t64x64": {"rate": 3e12}, "cublasLt algorithm 2": {"rate": 4e12}})
        raise SystemExit
    if "rows" in out:
        print("left out: 2 cases of 7\nnot timed: moe gated", flush=True)
    for name in ["softmax", "hanging", "crashing", "wrong", "layernorm"]:
        name += "/bf16/32768x1024"
        if name in done or ("smoke" in out or "attention" in out) and "softmax" not in name:
            continue
        say(start=name)
        if "hanging" in name:
            time.sleep(3600)
        if "crashing" in name:
            os.abort()
        rates = {"tegula": {"rate": 3e12}, "pytorch": {"rate": 4e12}, "copy": {"rate": 5e12}}
        say(case=name, contenders=rates, wrong="the relative error is 1" if "wrong" in name else "")
"""


GEMM = r"""
import json, sys, time
if "--list" in sys.argv:
    print("bf16/TN/64x64x64 cube\nf16/TN/64x64x64 cube\nfp8/TN/64x64x64 cube")
else:
    words = dict(zip(sys.argv[1:], sys.argv[2:]))
    if words["--type"] == "f16":
        time.sleep(3600)
    result = {"name": "", "m": 64, "n": 64, "k": 64, "type": words["--type"], "layout": "TN", "tile": "t64x64", "tflops": 3.0,
              "best_tile": "t64x64", "best_tflops": 3.0, "vendor_best_tflops": 4.0, "vendor_best": "cublasLt", "ratio": 0.75,
              "megahertz": 1000.0, "spread": 0.25, "verified": words["--type"] != "fp8", "note": ""}
    run = {"vendor_library": "cublasLt 1", "algorithms": 12, "workspaces_mib": [32], "results": [result]}
    open(words["--out"], "w").write(json.dumps(run))
"""

# As `ncu --csv` prints what it measured of the kernels of two contenders, between marks.
NCU = r"""
import subprocess, sys
words = sys.argv[1:]
metrics = words[words.index("--metrics") + 1].split(",")
subprocess.run(words[words.index("--metrics") + 2 :], check=True)
print('==PROF== Connected\n"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"')
for number, kernel in enumerate(["spin_kernel", "gpu_kernel", "spin_kernel", "rival_kernel", "rival_sum", "spin_kernel"]):
    for name in metrics:
        value = "1,393,000" if "time" in name else "70.5" if "wait" in name else "80.5" if "dram" in name and "rival" in kernel else "33.2"
        print(f'"{number}","{kernel}","{name}","","{value}"')
"""

# As rocprofv3, which counts in one run what is asked for, and sees what runs before the first mark.
ROCPROF = r"""
import pathlib, subprocess, sys
words = sys.argv[1:]
subprocess.run(words[words.index("--") + 1 :], check=True)
folder = pathlib.Path(words[words.index("-d") + 1])
counters = words[words.index("--pmc") + 1 : words.index("--output-format")] if "--pmc" in words else [""]
with (folder / ("1_counter_collection.csv" if "--pmc" in words else "1_kernel_trace.csv")).open("w") as file:
    file.write('"Dispatch_Id","Kernel_Name","VGPR_Count","Start_Timestamp","End_Timestamp","Counter_Name","Counter_Value"\n')
    for number, kernel in enumerate(["fill", "spin_kernel", "gpu_kernel", "spin_kernel", "rival_kernel", "spin_kernel"]):
        for counter in counters:
            file.write(f'{number},"{kernel}",128,1000,3000,"{counter}",{20 if counter == "LDSBankConflict" and kernel == "gpu_kernel" else 5}\n')
"""


def write_program(file, text):
    file.write_text(f"#!{sys.executable} -IS\n{text}")
    file.chmod(0o755)


class Place:
    """A copy of what `./dev gpu` consists of, with the false programs."""

    def __init__(self, folder):
        self.top, self.calls = folder / "tree", folder / "calls"
        for name in ("test/gpu", "benchmark/gpu", "benchmark/gemm", "library"):
            (self.top / name).mkdir(parents=True)
            for script in (TOP / name).glob("*.py"):
                shutil.copy2(script, self.top / name)
        for file in ("dev", "kernels.json"):
            shutil.copy2(TOP / file, self.top)
        (self.top / "benchmark/gpu/bench.py").write_text(BENCH)
        self.tools = folder / "tools"
        self.tools.mkdir()
        for name, text in (("cmake", CMAKE), ("nvidia-smi", SMI), ("ncu", NCU)):
            write_program(self.tools / name, text)
        (self.tools / "torch.py").write_text("")
        self.environment = {**os.environ, "PATH": f"{self.tools}:{os.environ['PATH']}", "PYTHONPATH": str(self.tools),
                            "FALSE_GPU_CHECKS": f"#!{sys.executable} -IS\n{CHECKS}",
                            "FALSE_BENCH_GEMM": f"#!{sys.executable} -IS\n{GEMM}", "FALSE_CALLS": str(self.calls)}

    def run(self, *command):
        self.calls.write_text("")
        return subprocess.run(list(map(str, command)), capture_output=True, text=True, env=self.environment, cwd=self.top)

    def dev(self, *words):
        return self.run("bash", self.top / "dev", "gpu", *words)


def results_in(out):
    """Names and what is wrong of each step's results; statuses of the steps."""
    lines = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    named = {}
    for line in lines:
        if "name" in line:
            assert line["name"] not in named.setdefault(line["step"], {}), line
            named[line["step"]][line["name"]] = line.get("wrong", "")
    return named, {line["step"]: line["status"] for line in lines if "status" in line}


def check_results(out, ran):
    named, statuses = results_in(out)
    checks = {f"sm_90a check {i}" for i in range(10)}
    wrong = {f"sm_90a check {i}" for i in (2, 3, 4)}
    # The first step finds what is wrong, and later ones run all the others, again.
    assert set(named["smoke.checks"]) == checks, named["smoke.checks"]
    for step in ("check.small", "check.large", "check.seeds.1"):
        assert set(named[step]) == checks - wrong and not any(named[step].values()), (step, named[step])
    found = {name: text for name, text in named["smoke.checks"].items() if text}
    assert set(found) == wrong, found
    assert "hangs" in found["sm_90a check 3"] and "ended with -6" in found["sm_90a check 4"], found
    cases = {f"{name}/bf16/32768x1024" for name in ("softmax", "hanging", "crashing", "wrong", "layernorm")}
    assert set(named["bench.rows"]) == cases, named["bench.rows"]
    found = {name.split("/")[0]: text for name, text in named["bench.rows"].items() if text}
    assert set(found) == {"hanging", "crashing", "wrong"}, found
    assert "hangs" in found["hanging"] and "ended with -6" in found["crashing"], found
    assert statuses["check.small"] == statuses["bench.attention"] == "right" and statuses["bench.rows"] == "wrong", statuses
    text = next(s["text"] for s in map(json.loads, (out / "results.jsonl").read_text().splitlines()) if s["step"] == "bench.rows" and "text" in s)
    assert text == "5 results, 3 wrong; left out: 2 cases of 7; not timed: moe gated", text
    found = {name: text for name, text in named["bench.gemm"].items() if text}
    assert len(named["bench.gemm"]) == 3 and set(found) == {"f16/TN/64x64x64", "fp8/TN/64x64x64"} and "hangs" in found["f16/TN/64x64x64"], found
    profiled = {"softmax/bf16/32768x1024": "pytorch", "layernorm/bf16/32768x1024": "pytorch", "gemm/bf16/TN/64x64x64": "cublasLt algorithm 2"}
    rivals = {f"{case}: {rival}{number}" for case, rival in profiled.items() for number in ("", " #2")}
    assert set(named["profile"]) == {*profiled, *rivals} and statuses["profile"] == "right", (named["profile"], statuses)
    counters, rival, more = json.loads((out / "profile.json").read_text())["results"][:3]
    assert counters["microseconds"] == 1393 and counters["registers"] == 33.2 and list(counters["stalls"])[0] == "wait", counters
    assert counters["cause"].startswith("instructions wait") and not counters["rival"], counters
    assert rival["rival"] and rival["function"] == "rival_kernel" and more["function"] == "rival_sum", (rival, more)
    assert rival["cause"] == "memory is the limit" and rival["tool"] == "ncu", rival
    gemm = {r["type"]: r for r in json.loads((out / "gemm.json").read_text())["results"]}
    rooflines = {kind: round(gemm[kind]["roofline"], 5) for kind in gemm if "roofline" in gemm[kind]}
    assert rooflines == {"bf16": 0.70312, "fp8": 0.46875} and gemm["bf16"]["spread"] == 0.25, gemm  # of memory
    product = json.loads((out / "products.json").read_text())["results"]
    assert [r["case"] for r in product] == ["gemm/bf16/TN/64x64x64"] and statuses["bench.products"] == "right", (product, statuses)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    summary = ran.stdout.splitlines()[-10:]
    assert summary[0].startswith("False H100, sm_90a") and summary[1] == "checks: 10, 3 wrong", summary
    assert "rows: 2 cases, our speed divided by the fastest other's 0.75" in ran.stdout, summary
    page = (out / "report.html").read_text()
    for name in wrong | cases:
        assert name in page, name
    assert "GEMM in one process" in page and "Nsight Compute" in page and "memory is the limit" in page, page
    assert "<svg" in page and "http" not in page.replace("http://www.w3.org/2000/svg", ""), "the page is one file"
    assert len(json.loads((out / "checks.json").read_text())["results"]) == 10


def check_resumed(place, out, run):
    """A resumed run leaves out the steps that have their results, and runs the one whose results are gone."""
    lines = (out / "results.jsonl").read_text().splitlines()
    kept = [line for line in lines if '"check.large"' not in line]
    assert len(kept) == len(lines) - 8
    (out / "results.jsonl").write_text("\n".join(kept) + "\n")
    shutil.rmtree(out / "check.large")
    ran = run("--resume", out)
    assert ran.returncode == 1 and "check.small has its results" in ran.stdout, ran.stdout + ran.stderr
    calls = place.calls.read_text().splitlines()
    assert calls and all("/check.large/" in call for call in calls) and len(set(calls)) == len(calls), calls
    check_results(out, ran)


def check_dev(place, folder):
    out = folder / "out"
    ran = place.dev("all", "--out", out, "--silence", "3")
    assert (out / "results.jsonl").exists(), ran.stdout + ran.stderr
    check_results(out, ran)
    check_resumed(place, out, lambda *words: place.dev("all", *words, "--silence", "3"))
    ran = place.dev("all", "--out", out)
    assert ran.returncode == 2 and "--resume" in ran.stderr, ran.stdout + ran.stderr
    # No time: every step is left out by name, and a resumed run begins them.
    ran = place.dev("check", "--minutes", "0.01", "--out", folder / "short")
    assert ran.returncode == 0 and "left out: check.small (the time was over)" in ran.stdout, ran.stdout + ran.stderr
    assert place.calls.read_text() == "", place.calls.read_text()


def check_pack(place, folder):
    ran = place.dev("pack", "sm_90a", "--out", folder / "pack", "--silence", "3")
    files = sorted(f.name for f in (folder / "pack").iterdir())
    assert ran.returncode == 0 and "MiB in" in ran.stdout, ran.stdout + ran.stderr
    for name in ("run", "gpu_checks.xz", "libtegula_sm_90a.so.xz", "bench_gemm.xz", "steps.json", "kernels.json", "COMMIT"):
        assert name in files, files
    ran = place.run(sys.executable, folder / "pack" / "run", "smoke", "--out", folder / "packed")
    named, statuses = results_in(folder / "packed")
    assert ran.returncode == 1 and set(statuses) == {"smoke.checks", "smoke.bench"}, ran.stdout + ran.stderr
    assert [n for n, text in named["smoke.checks"].items() if "hangs" in text] == ["sm_90a check 3"], named


def check_linking(place, folder):
    """A static library beside the shared one is linked; where there is none, a pack brings the shared one that a program needs."""
    folder.mkdir()
    for name in ("CMakeLists.txt", "libalone.so.1.7", "libboth.so", "libboth.a"):
        (folder / name).touch()
    (folder / "CMakeLists.txt").write_text(f"""cmake_minimum_required(VERSION 3.25)
project(linking LANGUAGES NONE)
include({TOP}/cmake/tegula_static.cmake)
foreach(file IN ITEMS libalone.so.1.7 libboth.so)
  add_library(${{file}} UNKNOWN IMPORTED)
  set_target_properties(${{file}} PROPERTIES IMPORTED_LOCATION ${{CMAKE_SOURCE_DIR}}/${{file}})
  tegula_static_beside(found ${{file}})
  message(STATUS "linked: ${{found}}")
endforeach()
""")
    ran = subprocess.run(["cmake", "-S", folder, "-B", folder / "build"], capture_output=True, text=True)
    linked = [line.split()[-1] for line in ran.stdout.splitlines() if "linked: " in line]
    assert linked == ["libalone.so.1.7", str(folder / "libboth.a")], ran.stdout + ran.stderr
    for name, said in (("static", "libc.so.6 => /lib/libc.so.6 (0x1)"), ("shared", f"libbenchmark.so.1 => {folder}/libalone.so.1.7 (0x1)")):
        write_program(place.tools / "ldd", f"print({said!r})\n")
        ran = place.dev("pack", "sm_90a", "--out", folder / name)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert (folder / name / "libbenchmark.so.1.xz").exists() == (name == "shared"), ran.stdout
    (place.tools / "ldd").unlink()


def check_size(place, folder):
    (folder / "large").mkdir()
    with (folder / "large/data").open("wb") as file:
        file.truncate(46 << 20)
    ran = place.dev("pack", "sm_90a", "--out", folder / "large")
    assert ran.returncode == 1 and "larger than the 45 MiB" in ran.stdout, ran.stdout + ran.stderr


def check_interrupt(place, folder, number):
    """A pack that is stopped by a signal has what was built until then."""
    out, log = folder / f"interrupted_{number}", place.top / "build-gpu/sm_90a/build.log"
    begun = lambda: log.read_text().count("--target tegula_gpu -j")
    before = begun()
    process = subprocess.Popen([sys.executable, place.top / "test/gpu/gpu.py", "pack", "sm_90a", "--out", out], text=True,
                               stdout=subprocess.PIPE, env={**place.environment, "FALSE_SLOW": "1"}, cwd=place.top)
    line = ""
    while "tegula_gpu" not in line:
        line = process.stdout.readline()
        assert line, "the pack ended"
    end = time.monotonic() + 60
    while begun() == before and time.monotonic() < end:
        time.sleep(0.1)
    time.sleep(0.5)  # until the library is being built
    process.send_signal(number)
    text = process.communicate(timeout=60)[0]
    assert process.returncode == 130 and "was stopped" in text and "MiB in" in text, text
    assert {"gpu_checks.xz", "steps.json", "run"} <= {f.name for f in out.iterdir()}, text


def check_reports(folder):
    """The compilers' reports of the library's kernels are read."""
    sys.path.insert(0, str(HERE))
    import gpu

    folder.mkdir()
    line = ("ptxas info    : Compiling entry function '{}' for 'sm_90a'\nptxas info    : Function properties for {}\n"
            "    {} bytes stack frame, {} bytes spill stores, {} bytes spill loads\nptxas info    : Used 255 registers\n").format
    (folder / "right.cuda.o.txt").write_text(line("_Z5right", "_Z5right", 0, 0, 0) + line("_Z1fNS_4test3sinE", "f", 40, 0, 0))
    assert gpu.read_reports(folder) == (1, [])
    (folder / "calls.cuda.o.txt").write_text(line("_Z5calls", "_Z5calls", 0, 0, 0) + "ptxas info    : Function properties for g\n"
                                             "    64 bytes stack frame, 32 bytes spill stores, 32 bytes spill loads\n")
    assert gpu.read_reports(folder)[1] == ["calls.cuda.o.txt: _Z5calls: 0 + 64, 0 + 32, 0 + 32 bytes of stack, stored and loaded"]
    (folder / "calls.cuda.o.txt").unlink()
    (folder / "wrong.cuda.o.txt").write_text(line("_Z6spills", "_Z6spills", 8, 4, 4) + line("_Z5array", "_Z5array", 40, 0, 0) +
                                             "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized\n")
    kernels, wrong = gpu.read_reports(folder)
    assert kernels == 3 and [w.split(": ")[1][:7] for w in wrong] == ["ptxas i", "_Z6spil", "_Z5arra"], wrong
    of_clang = "a.hpp:1:1: remark: Function Name: {0} [-R]\na.hpp:1:1: remark:     ScratchSize [bytes/lane]: {1} [-R]\na.hpp:1:1: remark:     VGPRs Spill: {2} [-R]\n"
    amd = folder / "amd"
    amd.mkdir()
    (amd / "a.hip.o.txt").write_text("".join(of_clang.format(*kernel) for kernel in (("_Z5right", 0, 0), ("_Z6spills", 8, 2), ("_Z1fNS_4test3sinE", 64, 0), ("_Z5array", 16, 0))))
    assert gpu.read_reports(amd) == (3, ["a.hip.o.txt: _Z6spills: 8 bytes of scratch, 2 registers spilled", "a.hip.o.txt: _Z5array: 16 bytes of scratch, 0 registers spilled"])


def check_limits(place, folder):
    """A step that does not end, and whose processes take no SIGTERM, is killed with them; the next one runs."""
    steps = folder / "pack" / "steps.json"
    plan = json.loads(steps.read_text())
    step = lambda name, text: {"stage": "check", "name": name, "limit": 3, "needs": [], "silence": 0, "rounds": False,
                               "command": ["{python}", "-c", text]}
    deaf = "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); os.fork(); open('{out}/%d' % os.getpid(), 'w'); time.sleep(3600)"
    plan["steps"] = [step("check.deaf", deaf), step("check.next", "print('it runs')")]
    steps.write_text(json.dumps(plan))
    out = folder / "limits"
    ran = place.run(sys.executable, folder / "pack" / "run", "check", "--out", out)
    _, statuses = results_in(out)
    assert ran.returncode == 1 and statuses == {"check.deaf": "stopped", "check.next": "right"}, ran.stdout + ran.stderr
    processes = [int(f.name) for f in (out / "check.deaf").iterdir() if f.name.isdigit()]
    assert len(processes) == 2 and not any(is_running(p) for p in processes), processes


def check_rocprof(place, folder):
    """The profile by rocprofv3: counters of ours and of the rival beside each other, and the page says by what."""
    tools = folder / "rocm"
    tools.mkdir()
    write_program(tools / "rocprofv3", ROCPROF)
    out = folder / "rocprof.jsonl"
    ran = subprocess.run([sys.executable, place.top / "benchmark/gpu/profile_worst.py", "library", "--results", folder / "out/results.jsonl",
                          "--out", out, "--cases", "1"], capture_output=True, text=True, env={**place.environment, "PATH": str(tools)})
    assert ran.returncode == 0, ran.stdout + ran.stderr
    mine, theirs = [line for line in map(json.loads, filter(str.strip, out.read_text().splitlines())) if "kernel" in line]
    assert (mine["function"], theirs["function"]) == ("gpu_kernel", "rival_kernel") and theirs["rival"] and mine["microseconds"] == 2, (mine, theirs)
    assert mine["cause"].startswith("banks of shared memory conflict, and few waves") and theirs["cause"].startswith("waves wait"), (mine, theirs)
    assert mine["bank_conflicts"] == 20 and mine["registers"] == 128 and mine["tool"] == "rocprofv3", mine
    sys.path.insert(0, str(TOP / "benchmark/gpu"))
    import page

    (folder / "profile.json").write_text(json.dumps({"commit": "1", "command": "once", "results": [mine, theirs]}))
    text = page.profile_section(folder)
    assert text.startswith("rocprofv3, commit 1") and "Nsight" not in text and "| bank conflicts % |" in text, text


def is_running(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def check_refusals(place):
    (place.tools / "nvidia-smi").write_text(f"#!{sys.executable}\nraise SystemExit(9)\n")
    sys.path.insert(0, str(HERE))
    import gpus

    if not gpus.nodes() and not gpus.amd_gpus():
        ran = place.dev("all")
        assert ran.returncode == 77 and ran.stdout.startswith("skipped: there is no GPU here") and ran.stdout.count("\n") == 1, ran.stdout
        ran = place.dev("smoke", "--archs", "sm_90a")  # is built all the same
        assert ran.returncode == 77 and "gpu_checks: " in ran.stdout and "no GPU here that runs" in ran.stdout, ran.stdout + ran.stderr
    for words, expected in ((["pack"], "takes architectures"), (["check", "sm_90a"], "only pack"), (["pack", "sm_9"], "no architecture"),
                            (["all", "--minutes", "0"], "above 0")):
        ran = place.dev(*words)
        assert ran.returncode == 2 and expected in ran.stderr, (words, ran.stderr)


    ran = place.dev("pack", "gfx942")
    assert ran.returncode == 2 and "there is no compiler for gfx942 here" in ran.stdout, ran.stdout + ran.stderr


def check_make(place, folder):
    """Where there is no ninja: make builds, and what it has compiled is linked."""
    tools = folder / "without_ninja"
    tools.mkdir()
    for name in ("bash", "sh", "env", "git", "strip", "ldd", "dirname", "python3"):
        if shutil.which(name):
            (tools / name).symlink_to(shutil.which(name))
    environment = {**place.environment, "PATH": f"{place.tools}:{tools}"}
    ran = subprocess.run([sys.executable, place.top / "test/gpu/gpu.py", "pack", "sm_90a", "--out", folder / "by_make"], capture_output=True, text=True,
                         env=environment, cwd=place.top)
    assert ran.returncode == 0 and "MiB in" in ran.stdout, ran.stdout + ran.stderr
    assert (place.top / "build-gpu/sm_90a/generator").read_text() == "Unix Makefiles"

    sys.path.insert(0, str(HERE))
    import gpu

    build = gpu.Build("sm_90a", None)
    build.folder, build.ninja = folder / "made", None
    plan = build.folder / "library/CMakeFiles/tegula_gpu.dir/link.txt"
    plan.parent.mkdir(parents=True)
    plan.write_text("cp host.cpp.o there.cuda.o missing.cuda.o linked\n")  # as a linker takes objects
    (build.folder / "library/linked").mkdir()
    for name in ("host.cpp.o", "there.cuda.o"):
        (build.folder / "library" / name).touch()
    assert build.link_what_is_there("tegula_gpu", build.folder / "library/libtegula_sm_90a.so") == 1
    assert sorted(f.name for f in (build.folder / "library/linked").iterdir()) == ["host.cpp.o", "there.cuda.o"]
    (build.folder / "library/host.cpp.o").unlink()
    assert build.link_what_is_there("tegula_gpu", build.folder / "library/libtegula_sm_90a.so") is None


def check_devices(folder):
    """on_gpu.sh where a container has some GPU other than the first, or none."""
    def skipped(vendor):
        ran = subprocess.run(["sh", HERE / "on_gpu.sh", vendor, "true"], capture_output=True, text=True, env={**os.environ, "TEGULA_DEV": str(folder)})
        return ran.returncode == 77 and "skipped: no" in ran.stdout

    folder.mkdir()
    (folder / "nvidiactl").touch()
    assert skipped("nvidia") and skipped("amd")
    (folder / "nvidia3").touch()
    (folder / "kfd").touch()
    assert not skipped("nvidia") and not skipped("amd")


def check_amd(folder):
    import gpus

    for number, version in enumerate([0, 90402, 90010, 120001]):
        node = folder / str(number)
        node.mkdir(parents=True)
        (node / "properties").write_text(f"simd_count 0\ngfx_target_version {version}\n")
        (node / "name").write_text(f"card {number}\n")
    found = gpus.amd_gpus(folder)
    assert found == [("gfx942", 0, "card 1"), ("gfx90a", 1, "card 2"), ("gfx1201", 2, "card 3")], found


def check_vendor_library(folder):
    """The vendor's library of PyTorch's packages, where the loader knows none."""
    sys.path[:0] = [str(TOP / "benchmark/gemm"), str(folder)]
    import one_by_one

    one_by_one.ctypes.util.find_library = lambda name: None
    assert one_by_one.vendor_library() == []
    library = folder / "nvidia/cu13/lib/libcublasLt.so.13"
    library.parent.mkdir(parents=True)
    library.touch()
    assert one_by_one.vendor_library() == ["--vendor-library", library]
    one_by_one.ctypes.util.find_library = lambda name: name
    assert one_by_one.vendor_library() == []


def check_rivals(folder):
    """The rivals of each vendor's GPU, with and without their packages, which are false here as PyTorch is."""
    folder.mkdir()
    (folder / "torch" / "nn").mkdir(parents=True)
    (folder / "torch/__init__.py").write_text("from types import SimpleNamespace as S\nimport os\nversion = S(hip=os.environ.get('HIP'))\n"
                                              "bfloat16, float16, float8_e4m3fn, float8_e4m3fnuz = range(4)\nones = zeros_like = lambda *a, **k: 'w'\n")
    (folder / "torch/nn/__init__.py").write_text("")
    (folder / "torch/nn/attention.py").write_text("sdpa_kernel = None\nclass SDPBackend: CUDNN_ATTENTION, FLASH_ATTENTION = 1, 2\n")
    show = ("from rivals import *; print(*attention_rivals(True, False, 'forward'),"
            " *(f(1) for n in ('softmax', 'layernorm', 'rmsnorm') for f in row_rivals(n, 8).values()))")

    def rivals(**environment):
        path = f"{folder}:{TOP / 'benchmark/gpu'}"
        return subprocess.run([sys.executable, "-c", show], capture_output=True, text=True, check=True,
                              env={**os.environ, "PYTHONPATH": path, **environment}).stdout.strip()

    assert rivals() == "cudnn flash" and rivals(HIP="6.4") == "aotriton ck", (rivals(), rivals(HIP="6.4"))
    (folder / "flash_attn").mkdir()
    (folder / "flash_attn/cute.py").write_text("flash_attn_func = print\n")
    (folder / "aiter.py").write_text("flash_attn_func = print\nrms_norm = lambda *a: len(a)\nlayer_norm = lambda *a: len(a)\n")
    assert rivals() == "cudnn flash flash4" and rivals(HIP="6.4") == "aotriton ck aiter 4 3", (rivals(), rivals(HIP="6.4"))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        place = Place(folder)
        check_dev(place, folder)
        check_rocprof(place, folder)
        check_pack(place, folder)
        check_linking(place, folder / "linking")
        check_size(place, folder)
        check_interrupt(place, folder, signal.SIGINT)
        check_interrupt(place, folder, signal.SIGTERM)
        check_reports(folder / "reports")
        check_limits(place, folder)
        check_refusals(place)
        check_make(place, folder)
        check_devices(folder / "dev")
        check_amd(folder / "nodes")
        check_rivals(folder / "rivals")
        check_vendor_library(folder / "packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
