"""The cache of GPU compilations (cmake/cached.py), with a compiler of this test's own that copies a source and the header
that it names."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

CACHED = Path(__file__).resolve().parents[2] / "cmake" / "cached.py"
COMPILER = """#!/usr/bin/env python3
import pathlib, sys
source, object, depfile, log = map(pathlib.Path, sys.argv[1:])
header = source.with_suffix(".hpp")
with open(log, "a") as runs:
    runs.write("run\\n")
if "error" in source.read_text():
    sys.exit(3)
object.write_text(source.read_text() + header.read_text())
depfile.write_text(f"{object}: \\\\\\n {source} {header}\\n")
"""
problems = []


def check(what, is_so):
    if not is_so:
        problems.append(what)


class Project:
    """A folder with a source, its header and what the compiler makes of them."""

    def __init__(self, folder, work):
        folder.mkdir()
        self.folder, self.work = folder, work
        self.source, self.header = folder / "a.cpp", folder / "a.hpp"
        self.object, self.depfile = folder / "a.o", folder / "a.o.d"
        self.source.write_text("source ")
        self.header.write_text("header")

    def runs(self):
        log = self.work / "log"
        return len(log.read_text().splitlines()) if log.exists() else 0

    def compile(self, **environment):
        """The exit status, and how often the compiler ran."""
        for file in (self.object, self.depfile):
            file.unlink(missing_ok=True)
        before = self.runs()
        status = subprocess.run(
            [sys.executable, CACHED, "--base", self.folder, "--depfile", self.depfile, "--output", self.object,
             "--", self.work / "compiler", self.source, self.object, self.depfile, self.work / "log"],
            env={**os.environ, "CCACHE_DISABLE": "", "TEGULA_BUILD_CACHE": str(self.work / "cache"), **environment}).returncode
        return status, self.runs() - before


def main():
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        compiler = work / "compiler"
        compiler.write_text(COMPILER)
        compiler.chmod(0o755)
        one, two = Project(work / "one", work), Project(work / "two", work)
        check("the first time it compiles", one.compile() == (0, 1))
        check("the second time it does not", one.compile() == (0, 0) and one.object.read_text() == "source header")
        check("nor in another folder", two.compile() == (0, 0) and two.object.read_text() == "source header")
        check("whose paths the dependency file has", str(two.header) in two.depfile.read_text()
              and str(work / "one") not in two.depfile.read_text())
        two.header.write_text("changed")
        check("a changed header is compiled", two.compile() == (0, 1) and two.object.read_text() == "source changed")
        check("what was before it is still known", one.compile() == (0, 0) and one.object.read_text() == "source header")
        check("CCACHE_DISABLE asks the compiler", one.compile(CCACHE_DISABLE="1") == (0, 1))
        one.source.write_text("error")
        check("a failure is not kept", one.compile() == (3, 1) and one.compile() == (3, 1))
        one.source.write_text("source ")
        compiler.write_text(COMPILER + "# another\n")
        check("another compiler is asked", one.compile() == (0, 1))
        for manifest in (work / "cache").glob("*/*/*/manifest.json"):
            manifest.write_text("{")
        check("a broken entry is passed over", one.compile() == (0, 1) and one.object.read_text() == "source header")
        for file in (work / "cache").glob("*/*/*/0"):
            file.unlink()
        check("so is one that lost a file", one.compile() == (0, 1) and one.object.read_text() == "source header")
        check("and is replaced", one.compile() == (0, 0))
    print("\n".join(f"not so: {what}" for what in problems) or "the cache is right")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
