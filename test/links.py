"""Relative links of the Markdown files: the file is there, and the heading where one is named.

links.py ROOT
"""

import re
import sys
from pathlib import Path


def prose(text):
    """The text without code, in which brackets mean something else."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return re.sub(r"^    .*$", "", re.sub(r"`[^`\n]*`", "`", text), flags=re.M)


def anchors(path):
    """Names that GitHub gives to the headings of a file."""
    names = set()
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.M | re.S)
    for heading in re.findall(r"^#+ +(.*?) *$", text, re.M):
        heading = re.sub(r"\]\([^)]*\)", "", heading).lower()
        name = re.sub(r"[^\w -]", "", heading).replace(" ", "-")
        number = 0
        while (unique := f"{name}-{number}" if number else name) in names:
            number += 1
        names.add(unique)
    return names


def problems(root, path):
    for link in re.findall(r"\]\(<?([^)\s>]+)", prose(path.read_text())):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = path.parent / file if file else path
        if not target.exists():
            yield f"{path.relative_to(root)}: {link}: there is no such file"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            yield f"{path.relative_to(root)}: {link}: there is no such heading"


def main():
    root = Path(sys.argv[1])
    pages = [p for p in root.rglob("*.md") if not any(part.startswith("build") for part in p.relative_to(root).parts)]
    found = [problem for page in sorted(pages) for problem in problems(root, page)]
    print("\n".join(found) if found else f"{len(pages)} pages")
    return 1 if found or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
