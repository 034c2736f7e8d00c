"""The page with which `./dev demo` ends: a distribution, a tile's way, what was computed and how exact it is, and a
product on the CPU beside NumPy's."""

import base64
import html
import platform
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "docs" / "pictures"))
import guide  # noqa: E402

STYLE = """body{font:15px/1.5 Helvetica,Arial,"Liberation Sans","DejaVu Sans",sans-serif;color:#1b2033;max-width:1100px;
margin:32px auto;padding:0 20px}h1{font-size:26px;margin-bottom:4px}h2{font-size:19px;margin-top:40px}
table{border-collapse:collapse;font-size:14px}td,th{text-align:left;padding:4px 14px 4px 0;border-bottom:1px solid #e3e6ee}
td.number{text-align:right;font-variant-numeric:tabular-nums}img{max-width:100%;height:auto}
pre{background:#f4f6fa;border-radius:6px;padding:12px 14px;white-space:pre-wrap;font-size:13px}p.note{color:#4a5068}
.bar{background:#cfe0fb;padding:4px 8px;border-radius:4px;margin:4px 0;white-space:nowrap}.bar.other{background:#eef0f6}"""


def picture(file):
    """An image of its own: the styles of one do not meet those of another."""
    data = base64.b64encode(file.read_bytes()).decode()
    return f'<img alt="{file.stem}" src="data:image/svg+xml;base64,{data}">'


def table(rows):
    heads = ("what", "architecture", "on", "tile", "largest error", "what it costs")
    lines = ["<table><tr>" + "".join(f"<th>{head}</th>" for head in heads) + "</tr>"]
    for row in rows:
        cells = [html.escape(str(row[key])) for key in ("what", "arch", "device", "tile", "error", "cost")]
        lines.append("<tr>" + "".join(f'<td{" class=number" if i == 4 else ""}>{cell}</td>' for i, cell in enumerate(cells))
                     + "</tr>")
    return "\n".join([*lines, "</table>"])


def bars(times):
    """Two bars as long as the speeds: of the program and of NumPy."""
    ours, numpys = 1 / times["seconds"], 1 / times["numpy_seconds"]
    size = times["size"]
    lines = [f"<p>A product of {size} x {size} x {size} floats on this {html.escape(platform.machine())} processor, each the "
             f"fastest of {times['rounds']} runs in turns: {ours / numpys:.2f} times NumPy's speed.</p>"]
    for name, kind, speed in (("tegula", "", ours), (f"NumPy {times['numpy']}", " other", numpys)):
        gflops = 2e-9 * size**3 * speed
        lines.append(f'<div class="bar{kind}" style="width:{60 * speed / max(ours, numpys):.1f}%">{html.escape(name)}: '
                     f"{gflops:.0f} GFLOP/s</div>")
    return "\n".join(lines)


def write(path, inspector, pictures, race, rows, times):
    """Writes the page to `path`. pictures: titles and SVG files; race: the report of a bug; rows: the demo's table;
    times: of the CPU's product, or None."""
    way = path.parent / "way.svg"
    guide.draw_way(inspector, way)
    parts = ["<!doctype html><html lang=en><meta charset=utf-8><title>tegula: the demo</title>", f"<style>{STYLE}</style>",
             "<h1>tegula</h1><p class=note>What <code>./dev demo</code> computed on this machine.</p>"]
    for title, file in pictures:
        parts.append(f"<h2>{html.escape(title)}</h2>{picture(file)}")
    parts.append("<h2>The way of a tile, without bank conflicts</h2>" + picture(way))
    if race:
        parts.append("<h2>A race, as the emulator reports it</h2><pre>" + html.escape(race) + "</pre>")
    parts.append("<h2>Products and attention, compared with 64-bit references</h2>" + table(rows))
    if times:
        parts.append("<h2>The CPU</h2>" + bars(times))
    path.write_text("\n".join(parts) + "\n")
