"""Writes draw_html_page.hpp, by which a program holds the page's script and style without a build that embeds them.

embed.py [--check]: with --check only says, by its exit status, whether the header has what the files have.
"""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
HEADER = FOLDER.parent / "draw_html_page.hpp"
FILES = (
    ("page.css", "html_style", "The style sheet of the page that draw_html writes."),
    ("algebra.js", "html_algebra", "The part of the page that computes."),
    ("view.js", "html_view", "The part of the page that shows."),
)


def header():
    text = ["#pragma once\n", "// Written by page/embed.py from the files there (`./dev format`): change those.\n",
            "namespace tegula::detail {\n"]
    for file, name, comment in FILES:
        content = (FOLDER / file).read_text()
        text.append(f'/// {comment}\ninline constexpr char {name}[] = R"page(\n{content})page";\n')
    return "\n".join(text) + "\n} // namespace tegula::detail\n"


def main():
    current = HEADER.exists() and HEADER.read_text() == header()
    if sys.argv[1:] == ["--check"]:
        if not current:
            print(f"{HEADER.name} is not what {FOLDER.name}/ has; run ./dev format")
        return 0 if current else 1
    if not current:
        HEADER.write_text(header())
    return 0


if __name__ == "__main__":
    sys.exit(main())
