"""Writes a header of each file here, by which a program holds the page's script and style without a build that embeds them.

embed.py [--check]: with --check only says, by its exit status, whether the headers have what the files have.
"""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
FILES = (
    ("page.css", "style.hpp", "html_style", "The style sheet of the page that draw_html writes."),
    ("algebra.js", "algebra.hpp", "html_algebra", "The part of the page that computes."),
    ("view.js", "view.hpp", "html_view", "The part of the page that shows."),
)


def header(file, name, comment):
    return f"""#pragma once

// Written by embed.py from {file} (`./dev format`): change that.

namespace tegula::internal {{

/// {comment}
inline constexpr char {name}[] = R"page(
{(FOLDER / file).read_text()})page";

}} // namespace tegula::internal
"""


def main():
    stale = 0
    for file, to, name, comment in FILES:
        path, text = FOLDER / to, header(file, name, comment)
        if path.exists() and path.read_text() == text:
            continue
        if sys.argv[1:] == ["--check"]:
            print(f"{to} is not what {file} has; run ./dev format")
            stale = 1
        else:
            path.write_text(text)
    return stale


if __name__ == "__main__":
    sys.exit(main())
