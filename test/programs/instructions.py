"""docs/instructions.md is what tegula-inspect writes now."""

import os
import subprocess
import sys
from pathlib import Path

page = Path(os.environ["TEGULA_SOURCE_DIR"]) / "docs" / "instructions.md"
program = Path(os.environ["TEGULA_BIN"]) / "tegula-inspect"
written = subprocess.run([program, "mma", "--list", "--markdown"], capture_output=True, check=True).stdout
if not page.exists() or page.read_bytes() != written:
    print("docs/instructions.md is stale; tegula-inspect mma --list --markdown > docs/instructions.md")
    sys.exit(1)
