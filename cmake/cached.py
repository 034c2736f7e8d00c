"""A cache of compilations for the compilers that ccache declines, nvcc and HIP's clang for a device alone.

cached.py --base FOLDER --depfile FILE --output FILE... -- COMMAND...

Runs the command and keeps its outputs and its dependency file. A later call takes them from the cache if the command, the
compilers and every file that the dependency file names are as they were. Paths below the base folder count
as relative ones, so that a copy of the project in another folder finds them. A header that begins to shadow another one
is not noticed, as in ccache. CCACHE_DISABLE switches it off; TEGULA_BUILD_CACHE names its folder
(~/.cache/tegula_build). Past 4 GB the results that were used longest ago go.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FORMAT = "1"
LIMIT = 4 << 30
BASE = "{base}"


def digest(*parts):
    whole = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode()
        whole.update(len(data).to_bytes(8, "little") + data)
    return whole.hexdigest()


def content(path):
    return digest(Path(path).read_bytes())


def identity(word):
    """Size and age of a program that the command names, else nothing."""
    path = shutil.which(word) if "=" not in word and not word.startswith("-") else None
    if not path:
        return ""
    status = os.stat(path)
    return f"{status.st_size} {status.st_mtime_ns}"


def named_files(depfile):
    """The files on the right of the colon of a dependency file."""
    text = Path(depfile).read_text().replace("\\\n", " ")
    _, _, names = text.partition(": ")
    return [name.replace("\\ ", " ") for name in re.findall(r"(?:\\ |\S)+", names) if not name.endswith(":")]


class Cache:
    def __init__(self, folder, base):
        self.folder, self.base = Path(folder), base

    def relative(self, text):
        return text.replace(self.base, BASE)

    def absolute(self, text):
        return text.replace(BASE, self.base)

    def find(self, key):
        """The folder of a result whose files are all as they were."""
        for manifest in sorted(self.folder.glob(f"{key[:2]}/{key}/*/manifest.json"), key=os.path.getmtime, reverse=True):
            try:
                files = json.loads(manifest.read_text())
                if all(content(self.absolute(name)) == is_now for name, is_now in files.items()):
                    return manifest.parent
            except (OSError, ValueError):
                continue  # a header went, or the result is being removed
        return None

    def restore(self, result, depfile, outputs):
        for number, output in enumerate(outputs):
            shutil.copyfile(result / str(number), output)
        Path(depfile).write_text(self.absolute((result / "depfile").read_text()))
        os.utime(result / "manifest.json")

    def store(self, key, depfile, outputs):
        files = {self.relative(name): content(name) for name in named_files(depfile)}
        parent = self.folder / key[:2] / key
        parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=".new", dir=parent))
        try:
            for number, output in enumerate(outputs):
                shutil.copyfile(output, new / str(number))
            (new / "depfile").write_text(self.relative(Path(depfile).read_text()))
            (new / "manifest.json").write_text(json.dumps(files))
            result = parent / digest(json.dumps(files, sort_keys=True))
            shutil.rmtree(result, ignore_errors=True)  # one that could not be restored
            os.replace(new, result)
        except OSError:  # another process stored it meanwhile, or the disk is full
            shutil.rmtree(new, ignore_errors=True)
        if key < "04":  # one of 64 looks at the size of all
            self.prune()

    def prune(self):
        results = []
        for manifest in self.folder.glob("*/*/*/manifest.json"):
            size = sum(file.stat().st_size for file in manifest.parent.iterdir())
            results.append((manifest.stat().st_mtime, size, manifest.parent))
        total = sum(size for _, size, _ in results)
        for _, size, result in sorted(results):
            if total <= LIMIT:
                break
            shutil.rmtree(result, ignore_errors=True)
            total -= size


def main():
    split = sys.argv.index("--")
    command = sys.argv[split + 1 :]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--base", required=True)
    parser.add_argument("--depfile", required=True)
    parser.add_argument("--output", nargs="+", required=True)
    arguments = parser.parse_args(sys.argv[1:split])
    if os.environ.get("CCACHE_DISABLE"):
        return subprocess.run(command).returncode
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    cache = Cache(os.environ.get("TEGULA_BUILD_CACHE") or Path(home) / "tegula_build", arguments.base)
    key = digest(FORMAT, *map(cache.relative, command), *map(identity, command))
    result = cache.find(key)
    if result:
        try:
            cache.restore(result, arguments.depfile, arguments.output)
            return 0
        except OSError:
            pass  # it was removed meanwhile
    status = subprocess.run(command).returncode
    if status == 0:
        try:
            cache.store(key, arguments.depfile, arguments.output)
        except OSError as error:
            print(f"cached.py: nothing is kept: {error}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
