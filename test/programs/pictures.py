"""The pictures of the documentation are what tegula-inspect draws now."""

import os
import subprocess
import sys
from pathlib import Path

script = Path(os.environ["TEGULA_SOURCE_DIR"]) / "docs" / "pictures" / "draw.py"
program = Path(os.environ["TEGULA_BIN"]) / "tegula-inspect"
if not program.exists():
    print("skipped: tegula-inspect is not built")
    sys.exit(77)
sys.exit(subprocess.run([sys.executable, script, program, "--check"]).returncode)
