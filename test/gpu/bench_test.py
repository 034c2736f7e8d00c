"""benchmark/gpu/bench.py's products and benchmark/gpu/profile_worst.py without a GPU: false_gpu has a PyTorch, a library of kernels,
cublasLt and hipBLASLt whose products are computed on the host, so that a wrong stride or descriptor gives a wrong product.

    bench_test.py CC      the C compiler
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
BENCH, PROFILE = TOP / "benchmark/gpu/bench.py", TOP / "benchmark/gpu/profile_worst.py"

# Runs the program, and prints of its kernels between START and STOP what `ncu --csv` does.
NCU = r"""
import os, subprocess, sys
words = sys.argv[1:]
metrics = words[words.index("--metrics") + 1].split(",")
open(os.environ["FALSE_LAUNCHES"], "w").close()
subprocess.run(words[words.index("--metrics") + 2 :], check=True)
launches = open(os.environ["FALSE_LAUNCHES"]).read().split("\n")
print('"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"')
for i, kernel in enumerate(launches[launches.index("START") + 1 : launches.index("STOP")]):
    for name in metrics:
        value = "1,000" if "time" in name else "80" if "sm__throughput" in name and "vendor" in kernel else "40"
        print(f'"{i}","{kernel}","{name}","","{value}"')
"""

# As rocprofv3, which sees all kernels of the process; it counts no matrix units beside OccupancyPercent, and no MemUnitStalled at
# all. The GPU has 8 dies of 38 compute units; a CSV sums up a counter's instances. Its own MfmaUtil would be that of ROCm 6.2.
ROCPROF = r"""
import os, pathlib, subprocess, sys
words = sys.argv[1:]
command = words.index("--")
open(os.environ["FALSE_LAUNCHES"], "w").close()
subprocess.run(words[command + 1 :], check=True)
kernels = [k for k in open(os.environ["FALSE_LAUNCHES"]).read().split("\n") if k and k not in ("START", "STOP", "graph")]
folder = pathlib.Path(words[words.index("-d") + 1]) / "host"
folder.mkdir()
number = lambda i, kernel: (i + 1, kernel, 1000 * i, 1000 * i + 500)
if "--kernel-trace" in words:
    with (folder / "7_kernel_trace.csv").open("w") as file:
        file.write('"Dispatch_Id","Kernel_Name","Start_Timestamp","End_Timestamp","VGPR_Count","Accum_VGPR_Count"\n')
        for i, kernel in enumerate(kernels):
            file.write('{},"{}",{},{},96,128\n'.format(*number(i, kernel)))
else:
    counters = words[words.index("--pmc") + 1 : words.index("--output-format")]
    if "MemUnitStalled" in counters or {"SQ_VALU_MFMA_BUSY_CYCLES", "OccupancyPercent"} <= set(counters):
        raise SystemExit(0)
    (folder / "7_agent_info.csv").write_text('"Node_Id","Logical_Node_Id","Agent_Type","Simd_Count","Num_Xcc"\n'
                                             '0,0,"CPU",0,0\n1,1,"GPU",1216,8\n4,4,"GPU",440,1\n')
    cycles = 8 * 1000  # of all dies
    with (folder / "7_counter_collection.csv").open("w") as file:
        file.write('"Dispatch_Id","Agent_Id","Kernel_Name","Counter_Name","Counter_Value","Start_Timestamp","End_Timestamp"\n')
        for i, kernel in enumerate(kernels):
            for counter in counters:
                busy = 0.85 if "vendor" in kernel else 0.3
                value = {"SQ_VALU_MFMA_BUSY_CYCLES": busy * 1216 * 1000, "GRBM_GUI_ACTIVE": cycles, "MfmaUtil": 400 * busy,
                         "OccupancyPercent": 20, "FetchSize": 700, "WriteSize": 100}.get(counter, 12)
                file.write('{},"Agent 1","{}","{counter}",{value},{},{}\n'.format(*number(i, kernel), counter=counter, value=value))
"""


def write_tool(folder, name, text):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!{sys.executable} -IS\n{text}")
    (folder / name).chmod(0o755)
    return folder


class Place:
    def __init__(self, folder, compiler):
        self.folder = folder
        self.clock, self.launches = folder / "clock", folder / "launches"
        self.clock.write_bytes(bytes(8))
        self.launches.write_text("")
        self.library = folder / "libtegula_sm_90a.so"
        self.vendors = {}
        self.tools = write_tool(folder / "tools", "nvidia-smi", "print('1980, 650.5, 55')\n")
        jobs = [(self.library, ["-DTEGULA"])]
        for name, options, file in (("cuda", [], "nvidia/cu13/lib/libcublasLt.so.13"), ("hip", ["-DHIP"], "torch/lib/libhipblaslt.so")):
            self.vendors[name] = folder / name
            (folder / name / file).parent.mkdir(parents=True)
            jobs.append((folder / name / file, options))
        for file, options in jobs:
            subprocess.run([*compiler, "-std=gnu11", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", *options, "-o", file,
                            HERE / "false_gpu/libraries.c"], check=True)

    def environment(self, vendor="cuda", tools=None, **more):
        path = f"{HERE / 'false_gpu'}:{self.vendors.get(vendor, self.folder / 'nothing')}"
        hip = {"HIP": "7.0"} if vendor == "hip" else {}
        return {**os.environ, "PYTHONPATH": path, "FALSE_CLOCK": str(self.clock), "FALSE_LAUNCHES": str(self.launches),
                "PATH": str(tools) if tools else f"{self.tools}:{os.environ['PATH']}", **hip, **more}

    def bench(self, out, *words, vendor="cuda", **more):
        """The records by case, and the process."""
        file = self.folder / out
        file.unlink(missing_ok=True)
        ran = subprocess.run([sys.executable, BENCH, self.library, "--out", file, "--warm", "0", "--rounds", "3", "--seconds", "1e-5", *words],
                             capture_output=True, text=True, env=self.environment(vendor, **more))
        assert file.exists(), ran.stdout + ran.stderr
        lines = [json.loads(line) for line in file.read_text().splitlines() if line]
        return {line["case"]: line for line in lines if "case" in line}, ran


SHAPE = ("--shape", "16x24x32", "--only", "^gemm/")


def check_products(place):
    """Every type and layout that the library has, right beside the vendor; times of all tiles; what is missing is counted."""
    found, ran = place.bench("products.jsonl", *SHAPE)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert set(found) == {f"gemm/{name}/16x24x32" for name in ("bf16/TN", "bf16/NN", "bf16/NT", "fp8/TN")}, found
    assert not any(r["wrong"] or r.get("failed") for r in found.values()), found
    product = found["gemm/bf16/TN/16x24x32"]
    shares = [f"ws128x128 split-K {n}" for n in (2, 4, 8, 16)]
    assert set(product["tiles"]) == {"t64x64", "ws128x128", *shares, "t64x64 stream-K 132", "t64x64 stream-K 264", "ws128x128 stream-K"}, product
    assert product["best_tile"] == "ws128x128 split-K 4" and product["vendor_best"] == "cublasLt algorithm 1", product
    assert abs(product["ratio"] - 1.5) < 1e-6 and abs(product["best_tflops"] / product["tiles"]["ws128x128"] - 2) < 1e-6, product
    assert product["vendor_library"] == "cublasLt 130000" and len(product["vendors"]) == 4 and product["megahertz"] == 1980, product
    assert product["spread"] < 1e-6 and 0 < product["roofline"] < 1 and "choose_tile" in product["note"], product
    # In turns are the three fastest of each side; the vendor's first algorithm is one of them.
    ours = [name for name in product["contenders"] if name.startswith("tegula")]
    assert len(ours) == 3 and {"cublasLt algorithm 0", "torch.matmul"} <= set(product["contenders"]), product["contenders"]
    assert found["gemm/fp8/TN/16x24x32"]["best_tile"] == "ws128x128_2x1", found
    # Cases without a kernel in the library are counted, and are not wrong.
    found, ran = place.bench("left.jsonl", "--only", "^(attention/(forward|backward)/128/full|transpose)")
    assert ran.returncode == 0 and not found and "8 cases of 8, as" in ran.stdout and "first is attention/forward/128/full" in ran.stdout, ran.stdout + ran.stderr
    assert "not timed" not in ran.stdout, ran.stdout
    # So are forms of kernels without an operation, of the architecture alone.
    found, ran = place.bench("left.jsonl", "--only", "^attention.*/(masked|causal|clustered)$")
    assert ran.returncode == 0 and "not timed: attention/masked, attention_backward/masked, for" in ran.stdout, ran.stdout + ran.stderr
    # Where bench_gemm measures the rest, two shapes of each type.
    work = "import bench_forms, types; print(*(w[0] for w in bench_forms.gemm_work(types.SimpleNamespace(kernels=['a bf16 t TN', 'a f16 t TN']), types.SimpleNamespace(shape=[]), {})))"
    few, many = ([*subprocess.run([sys.executable, "-c", work.format(few)], capture_output=True, text=True, check=True, cwd=BENCH.parent,
                                  env=place.environment()).stdout.split()] for few in (True, False))
    assert few == [f"gemm/{t}/TN/{s}" for t in ("bf16", "f16") for s in ("4096x4096x4096", "16x14336x4096")], few
    assert set(few) < set(many) and "gemm/bf16/NT/8192x4096x14336" in many and not any("/NT/1x" in name for name in many), many


def check_wrong(place):
    """One wrong element of a tile's product is found, and the tile named; a vendor that is not there is no fault of ours."""
    found, ran = place.bench("wrong.jsonl", *SHAPE, FALSE_WRONG="ws128x128 TN")
    wrong = {name: record["wrong"] for name, record in found.items() if record["wrong"]}
    assert ran.returncode == 1 and list(wrong) == ["gemm/bf16/TN/16x24x32"] and "TN/ws128x128: the relative error of largest" in str(wrong), wrong
    found, ran = place.bench("alone.jsonl", *SHAPE, vendor="none")
    product = found["gemm/bf16/TN/16x24x32"]
    assert ran.returncode == 0 and product["vendor_best"] == "torch.matmul" and list(product["failed"]) == ["cublasLt or hipBLASLt"], (product, ran.stderr)
    ran = subprocess.run([sys.executable, BENCH, place.library, "--out", place.folder / "x", "--shape", "8x8"], capture_output=True, text=True,
                         env=place.environment())
    assert ran.returncode == 2 and "--shape is 8x8; write m, n and k" in ran.stderr, ran.stderr


def check_hip(place):
    """hipBLASLt by the same calls, and the clock from the driver's files."""
    found, ran = place.bench("hip.jsonl", *SHAPE, vendor="hip")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    product = found["gemm/bf16/TN/16x24x32"]
    assert product["vendor_best"] == "hipblasLt algorithm 1" and not product.get("failed"), product


def check_profile(place):
    """The fastest of ours and the fastest rival are profiled, each by its name, with a likely cause; by both tools."""
    results = place.folder / "products.jsonl"
    place.bench("products.jsonl", *SHAPE)

    def profile(tool, text, vendor):
        tools, out = write_tool(place.folder / tool, tool, text), place.folder / f"{tool}.jsonl"
        ran = subprocess.run([sys.executable, PROFILE, place.library, "--results", results, "--out", out, "--cases", "1"], capture_output=True,
                             text=True, env=place.environment(vendor, tools))
        assert ran.returncode == 0, ran.stdout + ran.stderr
        lines = [json.loads(line) for line in out.read_text().splitlines() if line]
        return [line for line in lines if "kernel" in line]

    mine, theirs = profile("ncu", NCU, "cuda")
    # The one case without shares of k is the slowest beside the vendor.
    assert mine["case"] == "gemm/bf16/NN/16x24x32" and mine["kernel"] == "gemm/bf16/NN/16x24x32: gemm/bf16/NN/t64x64", mine
    assert theirs["kernel"] == "gemm/bf16/NN/16x24x32: cublasLt algorithm 1" and theirs["rival"] and not mine["rival"], theirs
    assert mine["function"] == "void gpu_kernel<tile>" and theirs["function"] == "vendor_kernel" and mine["microseconds"] == 1, (mine, theirs)
    assert theirs["cause"] == "the multiprocessors are the limit" and "are waited for" in mine["cause"] and mine["tool"] == "ncu", (mine, theirs)
    place.bench("products.jsonl", *SHAPE, vendor="hip")
    mine, theirs = profile("rocprofv3", ROCPROF, "hip")
    assert mine["tool"] == "rocprofv3" and mine["registers"] == 224 and mine["microseconds"] == 0.5, mine
    assert round(mine["sm_percent"], 9) == 30 and round(theirs["sm_percent"], 9) == 85 and "GRBM_GUI_ACTIVE" not in mine, mine
    assert theirs["function"] == "vendor_kernel", (mine, theirs)
    assert theirs["cause"] == "the matrix units are full" and mine["cause"] == "banks of shared memory conflict, and few waves are there to hide it", mine
    assert "memory_stalled" not in mine and mine["valu_percent"] == 12 and 0 < mine["dram_percent"] and "FetchSize" not in mine, mine
    # The page says by what it was profiled.
    sys.path.insert(0, str(BENCH.parent))
    import page

    (place.folder / "profile.json").write_text(json.dumps({"commit": "1", "command": "once", "results": [mine, theirs]}))
    text = page.profile_section(place.folder)
    assert "Nsight" not in text and "rocprofv3" in text and "| bank conflicts % |" in text and "stalls" not in text.split("\n")[2], text
    records = [json.loads(line) for line in results.read_text().splitlines() if '"wrong"' in line]
    (place.folder / "products.json").write_text(json.dumps({"pytorch": "2", "results": records}))
    text = page.products_section(place.folder)
    assert "| 16 x 24 x 32 | ws128x128 split-K 4 |" in text and "| spread | of roofline |" in text and "hipblasLt" in text, text


def check_clock(place):
    """On AMD the clock is the marked line of pp_dpm_sclk, else the sensor's; of the card in use, if PyTorch tells its address."""
    folder = place.folder / "sys/bus/pci/devices/0000:c1:00.0"
    (folder / "hwmon/hwmon3").mkdir(parents=True)
    (folder / "pp_dpm_sclk").write_text("0: 500Mhz\n1: 1700Mhz *\n")
    sensors = {"power1_average": 650000000, "power1_cap": 750000000, "temp1_input": 55000, "freq1_input": 132000000}
    for name, value in sensors.items():
        (folder / "hwmon/hwmon3" / name).write_text(f"{value}\n")
    card = place.folder / "sys/class/drm/card1"
    card.mkdir(parents=True)
    (card / "device").symlink_to(folder)
    show = """
import timing, torch, pathlib, sys
system = pathlib.Path(sys.argv[1])
print(timing.amd_clock(timing.amd_folder(system)))
torch._properties.__dict__.update(pci_domain_id=0, pci_bus_id=0xc1, pci_device_id=0)
folder = timing.amd_folder(system)
(folder / "pp_dpm_sclk").unlink()
text = timing.amd_clock(folder)
print(folder.name, text, timing.megahertz(text), repr(timing.amd_clock(system)), timing.megahertz(""))
"""
    ran = subprocess.run([sys.executable, "-c", show, place.folder / "sys"], capture_output=True, text=True, cwd=BENCH.parent,
                         env=place.environment("hip"))
    assert ran.stdout == "1700, 650, 55\n0000:c1:00.0 132, 650, 55 132.0 '' 0.0\n", ran.stdout + ran.stderr


def main():
    with tempfile.TemporaryDirectory() as name:
        place = Place(Path(name), sys.argv[1:])
        check_products(place)
        check_wrong(place)
        check_hip(place)
        check_profile(place)
        check_clock(place)
    return 0


if __name__ == "__main__":
    sys.exit(main())
