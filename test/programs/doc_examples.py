"""Every C++ example in README.md and docs/ stands in a file that is compiled and run.

A paragraph of a ```cpp block (blank lines part them) must occur, up to comments and white space, in a source file.
"""

import os
import re
import sys
from pathlib import Path

ROOT = Path(os.environ["TEGULA_SOURCE_DIR"])
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SOURCES = [p for folder in ("examples", "include", "test") for p in (ROOT / folder).rglob("*.[ch]pp")]


def essence(code):
    """Code without comments and white space."""
    return re.sub(r"\s+", "", re.sub(r"//[^\n]*", "", code))


def paragraphs(page):
    for block in re.findall(r"^```cpp\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE):
        for paragraph in re.split(r"\n\s*\n", block):
            if essence(paragraph):
                yield paragraph


def main():
    corpus = [essence(p.read_text()) for p in SOURCES]
    count = 0
    missing = []
    for page in PAGES:
        for paragraph in paragraphs(page):
            count += 1
            if not any(essence(paragraph) in text for text in corpus):
                missing.append(f"{page.relative_to(ROOT)}: in no source file:\n{paragraph}\n")
    print("\n".join(missing), end="")
    print(f"{count} examples, {len(missing)} in no source file")
    return 1 if missing or not count else 0


sys.exit(main())
