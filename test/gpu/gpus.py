"""The GPUs of this machine, and the architectures that the library has kernels for.

    gpus.py      a line a GPU: architecture, number, name
"""

import glob
import subprocess
import sys
from pathlib import Path

ARCHITECTURES = ["sm_80", "sm_89", "sm_90a", "sm_100a", "sm_103a", "sm_120a",
                 "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250"]
# Compute capability -> the architecture whose machine code it runs.
CUDA = {"8.0": "sm_80", "8.6": "sm_80", "8.7": "sm_80", "8.9": "sm_89", "9.0": "sm_90a", "10.0": "sm_100a", "10.3": "sm_103a",
        "12.0": "sm_120a"}
TOPOLOGY = Path("/sys/class/kfd/kfd/topology/nodes")


def output_of(*command):
    """Returns what a program prints, or an empty string where it is not there, fails or does not end."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    except (OSError, subprocess.SubprocessError):
        return ""


def nvidia_gpus():
    lines = output_of("nvidia-smi", "--query-gpu=index,compute_cap,name", "--format=csv,noheader").splitlines()
    words = [[word.strip() for word in line.split(",", 2)] for line in lines]
    return [(CUDA.get(w[1], "sm_" + w[1].replace(".", "")), int(w[0]), w[2]) for w in words if len(w) == 3 and w[0].isdigit()]


def amd_gpus(topology=TOPOLOGY):
    found = []
    for file in sorted(topology.glob("*/properties"), key=lambda f: int(f.parent.name)):
        properties = dict(line.partition(" ")[::2] for line in file.read_text().splitlines())
        version = int(properties.get("gfx_target_version", 0))  # 90402: gfx942, 120001: gfx1201
        if version:
            name = file.parent / "name"
            found.append((f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}", len(found),
                          name.read_text().strip() if name.exists() else "AMD GPU"))
    return found


def all_gpus():
    """(architecture, number among its vendor's, name) of each, as far as the vendors' tools or the kernel tell."""
    return nvidia_gpus() + amd_gpus()


def nodes():
    """Files of GPUs, which are there also where no tool tells what GPUs they are."""
    return glob.glob("/dev/nvidia[0-9]*") + glob.glob("/dev/kfd")


def main():
    for gpu in all_gpus():
        print(*gpu)
    return 0


if __name__ == "__main__":
    sys.exit(main())
