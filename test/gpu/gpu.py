"""`./dev gpu`: checks and measures every kernel on the GPUs here; or packs all of that for another machine.

    ./dev gpu [smoke|check|bench|profile|all] [--minutes N] [--only REGEX] [--archs A,B] [--out DIR] [--resume DIR]
    ./dev gpu pack ARCH... [--out DIR] [--minutes N]

Builds for the architectures of the GPUs that are here, or --archs, into build-gpu/ARCH, and runs the steps of steps.py, which
write report.html into DIR (run_steps.py). Needs the vendor's compiler, CMake, ninja or make, and Python. --minutes counts
from the first step on. pack leaves DIR (build-gpu/pack_ARCH), which needs a driver alone; for benchmarks, PyTorch: `DIR/run all` there. It
gets a few checks first, then the library with every kernel, so that what is stopped half way is of use; --minutes stops it. Exit status: 0; 1 where something is wrong; 2 for bad options; 77 without a GPU; 130 where you stopped it.
"""

import argparse
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
import steps  # noqa: E402

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
STAGES = ["smoke", "check", "bench", "profile", "all"]
# Files of a folder of steps, beside the programs.
SCRIPTS = [TOP / "kernels.json", *(HERE / f for f in ("run_checks.py", "gpus.py", "report.py")),
           TOP / "library/tegula_library.py", *(TOP / "benchmark" / f for f in ("gpu/bench.py", "gpu/bench_forms.py", "gpu/rivals.py", "gpu/timing.py", "gpu/page.py", "gpu/kernels_seen.py", "gpu/profile_worst.py", "gemm/one_by_one.py"))]
# Targets that each stage needs, in the order in which they are built. gpu_checks and bench_gemm have their kernels in the library.
LIBRARY = "tegula_gpu"
PARTS = {"smoke": ["gpu_checks_soon"], "check": [LIBRARY, "gpu_checks"], "bench": [LIBRARY, "bench_gemm"],
         "profile": [LIBRARY], "all": [LIBRARY, "gpu_checks", "bench_gemm"],
         "pack": ["gpu_checks_soon", LIBRARY, "gpu_checks", "bench_gemm"]}
STOPPED = 130  # the exit status where the user has stopped it
MOST_MIB = 45  # of a pack, which is copied to where the GPU is
# What takes seconds is built even when the time is over, as it makes a part of the library of use.
QUICK = {"gpu_checks"}
# Shared libraries that a program needs and a pack brings, where CMake found no static one.
BROUGHT = re.compile(r"(libbenchmark\.so\S*) => (\S+)")


def say(text):
    print(text, flush=True)


def fail(text, status=2):
    say(text)
    sys.exit(status)


def commit():
    ran = subprocess.run(["git", "-C", str(TOP), "describe", "--always", "--dirty"], capture_output=True, text=True)
    return ran.stdout.strip() or "unknown"


class Build:
    def __init__(self, arch, end):
        self.arch, self.end, self.folder = arch, end, TOP / "build-gpu" / arch
        self.ninja = shutil.which("ninja")
        self.configured = self.stopped = False
        self.notes = {}  # of a target, what it is without

    def run(self, *command, end=None):
        """Exit status of a command whose output goes to build.log; None where the time is over, and it was stopped."""
        with (self.folder / "build.log").open("a") as log:
            log.write(f"{' '.join(map(str, command))}\n")
            log.flush()
            process = subprocess.Popen(command, cwd=TOP, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
            try:
                return process.wait(max(1.0, end - time.monotonic()) if end else None)
            except subprocess.TimeoutExpired:
                return None
            except KeyboardInterrupt:
                self.end, self.stopped = time.monotonic(), True  # what was built until now is used
                return None
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGTERM)  # at which ninja and make remove what is half written
                    process.wait()

    def configure(self):
        if self.configured:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        # A pack has to run where nothing is installed.
        linking = "-static-libstdc++ -static-libgcc -Wl,--as-needed"
        if self.run("cmake", "-S", TOP, "-B", self.folder, "-G", "Ninja" if self.ninja else "Unix Makefiles", "-DCMAKE_BUILD_TYPE=Release",
                    f"-DTEGULA_GPU_KERNELS={self.arch}", "-DTEGULA_BUILD_EXAMPLES=OFF", f"-DCMAKE_EXE_LINKER_FLAGS={linking}",
                    f"-DCMAKE_SHARED_LINKER_FLAGS={linking}", "-DCMAKE_BUILD_RPATH=$ORIGIN") != 0:
            fail(f"cmake failed; {self.folder / 'build.log'} ends with:\n{self.tail()}")
        if not compiler_path(self.arch, self.folder):
            fail(f"there is no compiler for {self.arch} here: " + ("nvcc is neither on PATH nor in CUDA_HOME or /usr/local/cuda"
                 if self.arch.startswith("sm_") else "neither ROCm's clang nor clang-22 is there"))
        self.configured = True

    def tail(self):
        return "\n".join((self.folder / "build.log").read_text(errors="replace").splitlines()[-15:])

    def has(self, target):
        """Whether this build folder has the target: bench_gemm needs libraries."""
        ran = subprocess.run(["cmake", "--build", str(self.folder), "--target", "help"], cwd=TOP, capture_output=True, text=True)
        return re.search(rf"(^|\s){target}(:|\s|$)", ran.stdout) is not None

    def target(self, target):
        """Builds it; the file, or None with a line that says why there is none."""
        self.configure()
        if not self.has(target):
            needs = "Google Benchmark, CLI11 and nlohmann/json" if target == "bench_gemm" else f"the compiler for {self.arch}"
            say(f"   {target} is not built: it needs {needs}")
            return None
        file = self.folder / (f"library/libtegula_{self.arch}.so" if target == LIBRARY else f"bin/{target}")
        before = file.stat().st_mtime_ns if file.exists() else 0
        jobs = str(len(os.sched_getaffinity(0)))
        if target == LIBRARY:  # what a part of its kernels is linked with
            self.run("cmake", "--build", self.folder, "--target", "tegula_gpu_host", "-j", jobs)
        status = self.run("cmake", "--build", self.folder, "--target", target, "-j", jobs, "--", "-k", *(["0"] if self.ninja else []),
                          end=None if target in QUICK else self.end)
        if status != 0:
            why = "the time was over or it was stopped" if status is None else f"a part does not compile ({self.folder / 'build.log'})"
            left = self.link_what_is_there(target, file)
            if left is None:
                say(f"   {target}: {why}, and nothing can be linked")
                return None
            self.notes[target] = f"{target} was built without {left} of its files"
            say(f"   {target}: {why}; linked without {left} of its files")
        else:
            self.notes.pop(target, None)
        if not file.exists() or (status != 0 and file.stat().st_mtime_ns == before):
            return None
        return file

    def link_what_is_there(self, target, file):
        """Links a target of the objects that were compiled, as each brings kernels of its own. How many are missing; None where
        it does not link."""
        folder = self.folder
        if self.ninja:
            plan = subprocess.run(["ninja", "-C", str(folder), "-t", "commands", "-s", str(file.relative_to(folder))],
                                  capture_output=True, text=True).stdout
            lines = [line for line in plan.splitlines() if not line.startswith("ninja: ")]
        else:
            plan = next(folder.glob(f"*/**/CMakeFiles/{target}.dir/link.txt"), None)
            lines = plan.read_text().splitlines() if plan else []
            folder = plan.parent.parent.parent if plan else folder
        if not lines:
            return None
        words = lines[-1].split(" ")
        missing = [w for w in words if w.endswith(".o") and not (folder / w).exists()]
        if any(w.endswith(".cpp.o") for w in missing):  # the host's part
            return None
        command = " ".join(w for w in words if w not in missing)
        with (self.folder / "build.log").open("a") as log:
            linked = subprocess.run(["sh", "-c", command], cwd=folder, stdout=log, stderr=log).returncode == 0
        return len(missing) if linked else None


def read_reports(folder):
    """How many kernels the compilers' reports below a folder have, and what is wrong with each that is: ptxas spills registers,
    keeps an array in memory, or serialises wgmma (warnings C75..); clang spills vector registers or needs scratch memory. The
    formulas of checks may: sine and cosine have a table in memory."""
    kernels, wrong = 0, []
    for report in sorted(folder.glob("*.hip.o.txt")):
        for section in report.read_text(errors="replace").split("remark: Function Name: ")[1:]:
            name = section.split()[0]
            if "NS_4test" in name:
                continue
            kernels += 1
            memory = re.search(r"ScratchSize \[bytes/lane\]: (\d+).*VGPRs Spill: (\d+)", section, re.S)
            if not memory or memory.groups() != ("0", "0"):
                wrong.append(f"{report.name}: {name}: " + ("{} bytes of scratch, {} registers spilled".format(*memory.groups())
                                                           if memory else "no report"))
    for report in sorted(folder.glob("*.cuda.o.txt")):
        text = report.read_text(errors="replace")
        wrong += [f"{report.name}: {warning}" for warning in re.findall(r".*\(C75\d\d\).*|.*wgmma.*serialized.*", text)]
        for section in text.split("Compiling entry function '")[1:]:
            name = section.partition("'")[0]
            if "NS_4test" in name:
                continue
            kernels += 1
            # Its own, and that of each function that was not inlined.
            memory = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", section)
            if not memory or any(int(n) for numbers in memory for n in numbers):
                wrong.append(f"{report.name}: {name}: " + (", ".join(" + ".join(n) for n in zip(*memory)) + " bytes of stack, stored and loaded"
                                                           if memory else "no report"))
    return kernels, wrong


def compiler_path(arch, build):
    """The compiler that CMake has found, or an empty string."""
    cache = (build / "CMakeCache.txt").read_text() if (build / "CMakeCache.txt").exists() else ""
    names = ["TEGULA_NVCC"] if arch.startswith("sm_") else ["TEGULA_ROCM_CLANG", "TEGULA_CLANG_22", "TEGULA_CLANG_19"]
    found = [re.search(rf"^{name}:FILEPATH=(.*)$", cache, re.M) for name in names]
    return next((f[1] for f in found if f and not f[1].endswith("NOTFOUND")), "")


def compiler_name(path):
    text = gpus.output_of(path, "--version")
    release = re.search(r"release ([\d.]+)", text)
    return f"nvcc {release[1]}" if release else (text.splitlines() or ["unknown"])[0]


def install(program, target, compressed):
    """Copies a program into the folder of the steps: a whole one takes the place of an older one. Bytes."""
    part = target.with_name(target.name + ".part")
    shutil.copy2(program, part)
    if compressed:
        if shutil.which("strip"):
            subprocess.run(["strip", str(part)], check=False)
        data = lzma.compress(part.read_bytes(), preset=9)
        part.write_bytes(data)
        target = target.with_name(target.name + ".xz")
    part.replace(target)
    return target.stat().st_size


def assemble(arch, folder, build, parts, silence, compressed):
    """Builds the parts, in order, into a folder with the scripts that run them. Whether there is any program."""
    folder.mkdir(parents=True, exist_ok=True)
    for script in SCRIPTS:
        shutil.copy2(script, folder / script.name)
    shutil.copy2(HERE / "run_steps.py", folder / "run")
    (folder / "run").chmod(0o755)
    (folder / "COMMIT").write_text(commit() + "\n")
    for pattern in ("gpu_checks*", "bench_gemm*", "libtegula_*"):  # of an earlier commit
        for old in folder.glob(pattern):
            old.unlink()
    begin, any_program, left = time.monotonic(), False, []
    for number, target in enumerate(parts):
        if build.end and time.monotonic() > build.end and target not in QUICK:
            left.append(target)
            continue
        if target == "gpu_checks" and not any(folder.glob("libtegula_*")):  # it has its kernels there
            left.append(target)
            continue
        say(f"== {arch}: {target}")
        program = build.target(target)
        if program:
            any_program = True
            name = "gpu_checks" if target == "gpu_checks_soon" else program.name
            size = install(program, folder / name, compressed)
            for needed, file in BROUGHT.findall(gpus.output_of("ldd", program)) if compressed else []:
                size += install(file, folder / needed, compressed)
            say(f"   {name}: {size / 2**20:.1f} MiB, {time.monotonic() - begin:.0f} s since the beginning")
            kernels, wrong = read_reports(build.folder / "library" / LIBRARY) if target == LIBRARY else (0, [])
            faults = "spill, have local memory or serialise wgmma" if arch.startswith("sm_") else "spill or have scratch memory"
            if kernels:
                say(f"   machine code of {kernels} kernels: " + (f"none that {faults}" if not wrong else
                                                              f"{len(wrong)} {faults}\n     " + "\n     ".join(wrong[:10])))
            if wrong:
                build.notes["machine code"] = f"{len(wrong)} kernels {faults}"
        plan = steps.table(arch, silence)
        plan["compiler"] = compiler_name(compiler_path(arch, build.folder))
        plan["note"] = "; ".join([*build.notes.values(), *(f"{part} is not built" for part in left + parts[number + 1 :])])
        (folder / "steps.json").write_text(json.dumps(plan, indent=1) + "\n")
    if left:
        say(f"   without {', '.join(left)}")
    return any_program


def pack(arguments):
    end = time.monotonic() + 60 * arguments.minutes if arguments.minutes else None
    status = 0
    for arch in arguments.archs:
        folder = Path(arguments.out or TOP / "build-gpu" / f"pack_{arch}").absolute()
        folder = folder / arch if arguments.out and len(arguments.archs) > 1 else folder
        begin = time.monotonic()
        build = Build(arch, end)
        if not assemble(arch, folder, build, PARTS["pack"], arguments.silence, compressed=True):
            status = 1
        size = sum(f.stat().st_size for f in folder.iterdir() if f.is_file())
        say(f"{folder}: {size / 2**20:.1f} MiB in {time.monotonic() - begin:.0f} s; its `run all` runs it")
        if size > MOST_MIB << 20:
            say(f"{folder} is larger than the {MOST_MIB} MiB that a pack may have; take words `check` or `bench` out of kernels.json")
            status = 1
        if build.stopped:
            return STOPPED
    return status


def run(arguments):
    here = list(dict.fromkeys(arch for arch, _, _ in gpus.all_gpus()))
    archs = arguments.archs or [arch for arch in here if arch in gpus.ARCHITECTURES]
    if not archs:
        if here:
            fail(f"skipped: the library has no kernels for the GPUs here, {', '.join(here)}; it has them for {', '.join(gpus.ARCHITECTURES)}", 77)
        nodes = gpus.nodes()
        fail(f"skipped: there is a GPU ({nodes[0]}), and neither nvidia-smi nor the kernel tells which; name its architecture, as --archs sm_90a"
             if nodes else "skipped: there is no GPU here; --archs sm_90a builds for one all the same", 77)
    statuses, built = [], []
    for arch in archs:
        build = Build(arch, None)
        folder = build.folder / "steps"
        if assemble(arch, folder, build, PARTS[arguments.stage], arguments.silence, compressed=False):
            built.append((arch, folder))
        if build.stopped:
            return STOPPED
        if build.notes or (arch, folder) not in built:
            statuses.append(1)  # what does not compile is wrong, and the others run
    begin = time.monotonic()
    for number, (arch, folder) in enumerate(built):
        command = [sys.executable, str(folder / "run"), arguments.stage, "--only", arguments.only]
        if arguments.minutes:
            left = arguments.minutes - (time.monotonic() - begin) / 60
            command += ["--minutes", f"{max(0.0, left) / (len(built) - number):.3f}"]
        for option in ("out", "resume"):
            if getattr(arguments, option):
                out = Path(getattr(arguments, option))
                command += [f"--{option}", str(out / arch if len(archs) > 1 else out)]
        if not arguments.out and not arguments.resume:
            command += ["--out", str(TOP / "build-gpu" / f"{arguments.stage}_{arch}_{time.strftime('%Y-%m-%d_%H.%M.%S')}")]
        statuses.append(subprocess.run(command).returncode)
    return max(statuses, key=lambda s: (s != 77, s != 0, s))


def main():
    parser = argparse.ArgumentParser(prog="./dev gpu", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", nargs="?", default="all", choices=[*STAGES, "pack"])
    parser.add_argument("packed", nargs="*", metavar="ARCH", help="of pack: what to build for")
    parser.add_argument("--minutes", type=float, help="after which it ends, and says what was left out")
    parser.add_argument("--only", default="", help="checks and cases whose names match")
    parser.add_argument("--archs", default="", help="architectures to build for, instead of those of the GPUs here")
    parser.add_argument("--out", help="the folder of the results, or of the pack")
    parser.add_argument("--resume", help="the folder of an earlier run, which goes on")
    parser.add_argument("--silence", type=float, default=60, help="seconds without an answer after which a check hangs")
    arguments = parser.parse_intermixed_args()
    arguments.archs = [a for a in arguments.archs.split(",") if a]
    if arguments.stage == "pack":
        arguments.archs += [a for word in arguments.packed for a in word.split(",") if a]
        if not arguments.archs or arguments.only or arguments.resume:
            parser.error("pack takes architectures, --out and --minutes, as ./dev gpu pack sm_90a")
    elif arguments.packed:
        parser.error(f'"{arguments.packed[0]}" stands behind {arguments.stage}; only pack takes architectures so, others by --archs')
    if arguments.minutes is not None and arguments.minutes <= 0:
        parser.error(f"--minutes is {arguments.minutes:g}; write a number above 0")
    unknown = [a for a in arguments.archs if a not in gpus.ARCHITECTURES]
    if unknown:
        parser.error(f"{unknown[0]} is no architecture of the library; it has {', '.join(gpus.ARCHITECTURES)}")
    if not shutil.which("cmake"):
        fail("cmake is needed and not installed")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what it has started is in sessions of its own, and ends with it
    try:
        return pack(arguments) if arguments.stage == "pack" else run(arguments)
    except KeyboardInterrupt:
        say("stopped; what was built and found until now is there")
        return STOPPED


if __name__ == "__main__":
    sys.exit(main())
