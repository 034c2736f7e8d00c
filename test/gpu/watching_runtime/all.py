"""The steps of `./dev gpu all` with the program gpu_checks and a library of kernels whose GPU only answers (answering.cpp): a
check that is wrong, one that hangs and one that faults are named, no other step is lost, and the run is resumed.

    all.py GPU_CHECKS LIBRARY ARCH
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import gpu  # noqa: E402
import steps  # noqa: E402

# AMD's versions, as the kernel's driver tells them.
VERSIONS = {"gfx942": 90402, "gfx950": 90500}
CAPABILITIES = {"sm_80": "8.0", "sm_90a": "9.0", "sm_100a": "10.0", "sm_120a": "12.0"}


def make_folder(folder, program, library, arch):
    """As a pack without benchmarks."""
    folder.mkdir()
    for script in gpu.SCRIPTS:
        shutil.copy2(script, folder / script.name)
    shutil.copy2(HERE.parent / "run_steps.py", folder / "run")
    shutil.copy2(program, folder / "gpu_checks")
    shutil.copy2(library, folder / f"libtegula_{arch}.so")
    (folder / "COMMIT").write_text("none\n")
    write_plan(folder, arch, 10)


def write_plan(folder, arch, silence):
    (folder / "steps.json").write_text(json.dumps({**steps.table(arch, silence), "compiler": "none", "note": ""}))


def make_machine(folder, arch):
    """nvidia-smi, or the nodes of the kernel's driver, of a machine with one such GPU. Returns the environment."""
    tools = folder / "tools"
    tools.mkdir()
    card = f'"0, {CAPABILITIES[arch]}, A GPU that answers"' if arch in CAPABILITIES else '""'
    smi = tools / "nvidia-smi"
    smi.write_text(f"#!{sys.executable} -IS\nimport sys\nprint('1' if 'driver_version' in ' '.join(sys.argv) else {card})\n")
    smi.chmod(0o755)
    if arch in VERSIONS:
        node = folder / "nodes/0"
        node.mkdir(parents=True)
        (node / "properties").write_text(f"gfx_target_version {VERSIONS[arch]}\n")
        (node / "name").write_text("A GPU that answers\n")
        script = folder / "pack/gpus.py"
        script.write_text(script.read_text().replace("/sys/class/kfd/kfd/topology/nodes", str(folder / "nodes")))
    return {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "TEGULA_GPU_CAPABILITY": CAPABILITIES.get(arch, ""),
            "TEGULA_GPU_NAME": arch}


def results_of(out):
    """The faults of each check, by step and name, and the status of each step."""
    checks, statuses = {}, {}
    for line in map(json.loads, (out / "results.jsonl").read_text().splitlines()):
        if line.get("kind") == "step" or "status" in line:
            statuses[line.get("step", line.get("name"))] = line["status"]
        elif "wrong" in line:
            checks.setdefault(line["step"], {})[line["name"]] = line["wrong"]
    return checks, statuses


def main():
    program, library, arch = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_folder(folder / "pack", program, library, arch)
        environment = make_machine(folder, arch)
        product, objects, graph = (f"{arch} bf16 t64x64 kk", f"{arch} function objects", f"{arch} a graph of GEMM")

        def run(answers, *words, stage="all"):
            out = () if "--resume" in words else ("--out", folder / "out")
            return subprocess.run([sys.executable, folder / "pack/run", stage, *out, *words], text=True,
                                  capture_output=True, env={**environment, "TEGULA_ANSWERS": answers})

        ran = run("hangs:numbering wrong:compare_product faults:adding", "--minutes", "5")
        checks, statuses = results_of(folder / "out")
        told = ran.stdout + ran.stderr + json.dumps([checks, statuses])
        smoke = checks["smoke.checks"]
        assert ran.returncode == 1 and set(smoke) == {product, objects, graph}, told
        assert "elements are wrong" in smoke[product] and smoke[objects].startswith("hangs"), told
        assert "illegal memory access" in smoke[graph], told
        assert "checks: 3, 3 wrong" in ran.stdout and (folder / "out/report.html").exists(), told
        assert {"check.small", "check.large", "check.seeds.1"} <= {name for name, status in statuses.items() if status == "right"}, told
        # As if the first step alone had ended. What has no result is done, and what was wrong stays and is not run.
        lines = (folder / "out/results.jsonl").read_text().splitlines(keepends=True)
        until = next(i for i, line in enumerate(lines) if json.loads(line).get("step") == "smoke.bench")
        (folder / "out/results.jsonl").write_text("".join(lines[:until]))
        ran = run("hangs:numbering", "--resume", folder / "out", "--minutes", "5")
        checks, again = results_of(folder / "out")
        told = ran.stdout + ran.stderr + json.dumps([checks, again])
        assert checks["smoke.checks"] == smoke and set(again) == set(statuses), told
        # With right answers nothing is wrong. Nothing has run, which the other two checks would see.
        shutil.rmtree(folder / "out")
        write_plan(folder / "pack", arch, 120)
        ran = run("", "--only", "t64x64", stage="smoke")
        checks, statuses = results_of(folder / "out")
        told = ran.stdout + ran.stderr + json.dumps([checks, statuses])
        assert ran.returncode == 0 and checks == {"smoke.checks": {product: ""}}, told
    return 0


if __name__ == "__main__":
    sys.exit(main())
