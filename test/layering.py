"""Reads the includes of include/tegula and fails on a dependency that goes the wrong way.

    core <- chip <- layout <- conversion <- tensor <- mma <- block <- kernel
            chip <- emulator <- arch <- tensor
                    layout <- notation <- drawing

host uses the kernels, jit the host, and reference all of them. Entry headers (include/tegula/*.hpp) are checked where ENTRIES lists them. Five more
rules: every header is reached from an entry header; what a kernel can reach includes only cheap standard headers (each other
one costs nvcc a second); only the emulator's launcher and its fibers (emulator/launch*.hpp, fiber*.hpp) include Boost; a
header that is included exists; a folder names no detail:: of another one, but what that one lists as internal:: at a header's end.

Without arguments it checks the tree it lies in; with --self-test it checks that it sees wrong arrows.
"""

import re
import sys
from pathlib import Path

ARROWS = {
    "core": [],
    "chip": ["core"],
    "layout": ["chip"],
    "conversion": ["layout"],
    "notation": ["layout"],
    "drawing": ["notation", "conversion"],
    "emulator": ["chip"],
    "arch": ["emulator"],
    "tensor": ["conversion", "arch"],
    "mma": ["tensor"],
    "block": ["mma"],
    "kernel": ["block"],
    "host": ["kernel"],
    "jit": ["host"],
    "reference": ["host", "drawing"],
}
ENTRIES = {
    "layout.hpp": ["layout"],
    "conversion.hpp": ["conversion"],
    "notations.hpp": ["notation"],
    "drawing.hpp": ["drawing"],
    "tensor.hpp": ["tensor"],
    "mma.hpp": ["mma"],
    "gemm.hpp": ["kernel"],
    "grid.hpp": ["block"],
}

CHEAP = set("""array bit cfloat climits cmath compare concepts cstddef cstdint cstring initializer_list limits new
               source_location tuple type_traits utility version""".split())
VENDOR = re.compile(r"^(cuda|hip/|sanitizer/|mma\.h|assert\.h|stdint\.h|immintrin\.h|cpuid\.h)")


def allowed(layer):
    """The layer and everything below it."""
    below = {layer}
    for lower in ARROWS[layer]:
        below |= allowed(lower)
    return below


def layer_of(path):
    return path.split("/")[0] if "/" in path else None


def folder_of(path):
    return path.rpartition("/")[0]


def is_launcher(path):
    return path.startswith(("emulator/launch", "emulator/fiber"))


def is_picture(path):
    """Text and drawings of layouts, for programs on the host."""
    return path.startswith("drawing/") or "text" in path.split("/")[-1]


def includes(text):
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    return re.findall(r'^\s*#\s*include\s*[<"]([^>"\s]+)[>"]', text, re.M)


def reachable(path, headers, seen):
    """The project headers a header includes, directly or not, itself first."""
    if path in headers and path not in seen:
        seen[path] = None
        for name in headers[path]:
            reachable(name.removeprefix("tegula/"), headers, seen)
    return list(seen)


def check_arrows(path, headers):
    layer = layer_of(path)
    if layer is not None and layer not in ARROWS:
        yield f"{path}: no such layer as {layer}/"
        return
    uses = allowed(layer) if layer else None
    if layer is None and path in ENTRIES:
        uses = set().union(*(allowed(name) for name in ENTRIES[path]))
    for name in headers[path]:
        inner = name.removeprefix("tegula/")
        if not name.startswith("tegula/"):
            continue
        if inner not in headers:
            yield f"{path}: includes <{name}>, which does not exist"
        elif uses and layer_of(inner) not in uses | ({None} if layer in (None, "host", "jit", "reference") else set()):
            yield f"{path}: {layer or 'this entry'} must not use {layer_of(inner) or 'an entry header'} (<{name}>)"


def check_cost(path, headers):
    """A header outside host/, the emulator's launcher and the drawings reaches no expensive standard header."""
    if is_picture(path) or (layer_of(path) in ("host", "jit", "reference", "emulator", None) and path not in ENTRIES):
        return
    for reached in reachable(path, headers, {}):
        if is_launcher(reached):
            yield f"{path}: reaches <tegula/{reached}>, which only programs that launch include"
        for name in headers[reached]:
            if not name.startswith("tegula/") and name not in CHEAP and not VENDOR.match(name):
                yield f"{path}: reaches <{name}> through {reached}"


def check_boost(path, headers):
    if not is_launcher(path) and any(name.startswith("boost/") for name in headers[path]):
        yield f"{path}: only the emulator's launcher and fibers may include Boost"


def check_doors(headers):
    """Every header is reached from an entry header."""
    seen = {}
    for path in headers:
        if layer_of(path) is None:
            reachable(path, headers, seen)
    for path in sorted(headers):
        if path not in seen:
            yield f"{path}: no entry header (include/tegula/*.hpp) reaches it"


DETAIL = re.compile(r"^namespace (?:[a-z_0-9:]*::)?detail \{(.*?)^\} // namespace (?:[a-z_0-9:]*::)?detail$", re.M | re.S)


def outer_level(code):
    """The code without what stands in braces."""
    kept, depth = [], 0
    for part in re.split(r"([{}])", code):
        depth += {"{": 1, "}": -1}.get(part, 0)
        kept.append(part if depth == 0 and part != "}" or part == "{" else "")
    return "".join(kept)


def check_detail(texts):
    """A folder does not name what another one keeps in its detail::."""
    folders = {}
    code = {path: re.sub(r"//(?! namespace)[^\n]*", "", text) for path, text in texts.items()}
    for path, text in code.items():
        for body in DETAIL.findall(text):
            for name in re.findall(r"\b([a-z_0-9]+)\s*(?:[(=;{<\[]|:\s)", outer_level(body)):
                folders.setdefault(name, set()).add(folder_of(path))
    for path, text in sorted(code.items()):
        for name in dict.fromkeys(re.findall(r"\bdetail::([a-z_0-9]+)", re.sub(r"^using .*", "", text, flags=re.M))):
            if folder_of(path) not in folders.get(name, {folder_of(path)}):
                yield f"{path}: detail::{name} is of {', '.join(sorted(folders[name]))}; list it there as internal::{name}"


def check_all(texts):
    headers = {path: includes(text) for path, text in texts.items()}
    return check(headers) + list(check_detail(texts))


def check(headers):
    problems = list(check_doors(headers)) if any(layer_of(path) is None for path in headers) else []
    for path in sorted(headers):
        for rule in (check_arrows, check_cost, check_boost):
            problems += rule(path, headers)
    return problems


def self_test():
    good = {
        "core/a.hpp": ["cstddef"],
        "layout/b.hpp": ["tegula/core/a.hpp"],
        "host/c.hpp": ["vector", "tegula/layout/b.hpp"],
        "emulator/launch.hpp": ["boost/context/fiber.hpp", "vector"],
    }
    assert not check(good), check(good)
    wrong = {
        "core must not use layout": {"core/a.hpp": ["tegula/layout/b.hpp"]},
        "kernel must not use host": {"kernel/a.hpp": ["tegula/host/c.hpp"]},
        "layout must not use emulator": {"emulator/e.hpp": [], "layout/b.hpp": ["tegula/emulator/e.hpp"]},
        "does not exist": {"core/a.hpp": ["tegula/core/z.hpp"]},
        "reaches <string>": {"core/z.hpp": ["string"], "chip/y.hpp": ["tegula/core/z.hpp"]},
        "may include Boost": {"emulator/e.hpp": ["boost/context/fiber.hpp"]},
        "which only programs that launch": {"arch/a.hpp": ["tegula/emulator/launch.hpp"]},
        "no entry header": {"core.hpp": ["tegula/core/a.hpp"], "core/lost.hpp": []},
        "must not use mma": {"mma/m.hpp": [], "layout.hpp": ["tegula/mma/m.hpp"]},
    }
    for sentence, change in wrong.items():
        assert any(sentence in problem for problem in check(good | change)), sentence

    kept = """namespace tegula {
namespace detail {
template <class T>
int twice(T x)
{
    return help(x);
}
} // namespace detail
} // namespace tegula
"""
    texts = {"core/a.hpp": kept, "layout/b.hpp": "int x = internal::twice(1); // detail::twice\nint y = detail::help(1);\n"}
    assert not list(check_detail(texts)), list(check_detail(texts))
    found = list(check_detail(texts | {"layout/c.hpp": "int x = tegula::detail::twice(1);\n"}))
    assert found == ["layout/c.hpp: detail::twice is of core; list it there as internal::twice"], found
    found = list(check_detail(texts | {"core/words/c.hpp": "int x = detail::twice(1);\n"}))
    assert found == ["core/words/c.hpp: detail::twice is of core; list it there as internal::twice"], found


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    root = Path(__file__).resolve().parent.parent / "include" / "tegula"
    texts = {str(path.relative_to(root)): path.read_text() for path in root.rglob("*.[hi]*") if path.suffix in (".hpp", ".inl")}
    problems = check_all(texts)
    for problem in problems:
        print(problem)
    print(f"{len(texts)} headers, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
