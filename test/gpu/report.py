"""The results of `./dev gpu` in one page, report.html, and in ten lines.

    report.py DIR       from DIR/results.jsonl; beside it, in the folder of a pack, page.py

Beside it come checks.json, rows.json, attention.json, forms.json, gemm.json, products.json and profile.json, in the form of benchmark/results/gpu.
"""

import html
import json
import re
import statistics
import sys
from importlib import metadata
from pathlib import Path

import gpus
import page
from run_checks import read_lines

STYLE = """body { font: 15px/1.45 sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em }
table { border-collapse: collapse; margin: 1em 0 } td, th { border: 1px solid #ccc; padding: 2px 8px; text-align: left }
th { background: #eee } code { background: #f3f3f3 } .wrong { color: #b00 } svg text { font: 12px sans-serif }"""


def version_of(package):
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "none"


def write_environment(out, plan, commit, gpu):
    driver = gpus.output_of("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader").splitlines()
    version = Path("/sys/module/amdgpu/version")
    driver = driver or (version.read_text().splitlines() if version.exists() else ["unknown"])
    environment = {"gpu": gpu, "arch": plan["arch"], "driver": driver[0].strip(),
                   "compiler": plan.get("compiler", "unknown"), "commit": commit, "pytorch": version_of("torch"), "note": plan["note"]}
    (out / "env.json").write_text(json.dumps(environment, indent=1) + "\n")


# Reading


def ratio_of(line):
    """Our speed divided by that of the fastest of the others; None where one is missing, or ours is wrong."""
    if line.get("wrong"):
        return None
    if line.get("ratio"):
        return line["ratio"]
    rates = {name: c["rate"] for name, c in line.get("contenders", {}).items() if name != "copy" and "rate" in c}
    ours = [rate for name, rate in rates.items() if name.startswith("tegula")]
    theirs = [rate for name, rate in rates.items() if not name.startswith("tegula")]
    return max(ours) / max(theirs) if ours and theirs else None


def speed_of(line):
    """A line of a measured case."""
    if "contenders" in line:
        unit, factor = ("TFLOP/s", 1e-12) if "operations" in line else ("GB/s", 1e-9)
        rates = "; ".join(f"{name} {c['rate'] * factor:.0f}" for name, c in line["contenders"].items() if "rate" in c)
        return f"{line['case']}: {rates} {unit}"
    vendor = f"{line['vendor_best']} {line['vendor_best_tflops']:.0f}" if line.get("vendor_best_tflops") else "no vendor"
    return f"{line['case']}: {line['tile']} {line['tflops'] or 0:.0f}; {vendor} TFLOP/s"


class Findings:
    def __init__(self, out):
        lines = read_lines(out / "results.jsonl")
        self.steps = {line["step"]: line for line in lines if "status" in line}
        self.checks, self.cases = {}, {}
        for line in lines:
            if "name" in line and line["step"].startswith(("smoke.checks", "check.")):
                if not self.checks.get(line["name"], {}).get("wrong"):  # what is wrong once, is wrong
                    self.checks[line["name"]] = line
            elif "name" in line:
                self.cases[line["step"].replace("smoke.bench", "bench.rows"), line["name"]] = line
        self.wrong = [(name, line["wrong"]) for name, line in self.checks.items() if line.get("wrong")]
        self.wrong += [(name, line["wrong"]) for (_, name), line in self.cases.items() if line.get("wrong")]
        # Steps that ended in another way than by what is wrong in their results.
        self.wrong += [(name, f"the step {line['status']}: {line['text']}") for name, line in self.steps.items()
                       if line["status"] == "failed" or line["status"] == "stopped" and not line["unfinished"]]
        self.left = [(name, line["text"]) for name, line in self.steps.items() if line["unfinished"] and line["status"] != "failed"]

    def of(self, step):
        return [line for (name, _), line in self.cases.items() if name == step]

    def ratios(self, step):
        return {line["case"]: ratio_of(line) for line in self.of(step) if "case" in line and ratio_of(line)}


BENCHES = [("bench.gemm", "GEMM"), ("bench.products", "GEMM in one process"), ("bench.attention", "attention"), ("bench.rows", "rows"), ("bench.forms", "other forms")]


def write_files(out, found, env):
    """The files of benchmark/results/gpu."""
    def write(name, results, **head):
        if results:
            (out / f"{name}.json").write_text(json.dumps({**head, "results": results}, indent=1) + "\n")

    inner = ("step", "run")
    plain = lambda lines: [{k: v for k, v in line.items() if k not in inner} for line in lines]
    checks = sorted(found.checks.values(), key=lambda line: line["name"])
    write("checks", [{"name": c["name"], "seed": c.get("seed", 0), "wrong": c.get("wrong", "")} for c in checks],
          command="./dev gpu")
    whole = lambda lines: [line for line in lines if "contenders" in line and not line["wrong"]]
    write("rows", plain(whole(found.of("bench.rows"))), command="bench.py", pytorch=env["pytorch"])
    write("attention", plain(whole(found.of("bench.attention"))), command="bench.py", pytorch=env["pytorch"])
    write("forms", plain(whole(found.of("bench.forms"))), command="bench.py", pytorch=env["pytorch"])
    ceilings = next((line["ceilings"] for line in found.cases.values() if "ceilings" in line), {})
    gemm = [with_roofline(line, ceilings) for line in found.of("bench.gemm") if "tflops" in line]
    write("gemm", plain(gemm), **(gemm[0]["run"] if gemm else {}))
    write("products", plain(whole(found.of("bench.products"))), command="bench.py", pytorch=env["pytorch"])
    write("profile", plain(line for line in found.of("profile") if "tool" in line), commit=env["commit"],
          command="bench.py --once, each launch once")


def with_roofline(line, ceilings):
    """A line of bench_gemm with the share of the time that its products or the memory alone need, at the rates that bench.py
    measured in the same run; without any, the line as it is."""
    if not line.get("tflops") or line["type"] not in ceilings or "bytes" not in ceilings:
        return line
    m, n, k, width = line["m"], line["n"], line["k"], 1 if line["type"] == "fp8" else 2
    least = max(2.0 * m * n * k / ceilings[line["type"]], (width * k * (m + n) + 2 * m * n) / ceilings["bytes"])
    return {**line, "roofline": least / (2.0 * m * n * k / (line["tflops"] * 1e12))}


# The page


def as_html(text):
    """Converts the Markdown that page.py writes: headings, tables and paragraphs."""
    parts = []
    for block in text.split("\n\n"):
        lines = block.split("\n")
        if block.startswith("#"):
            level = len(lines[0]) - len(lines[0].lstrip("#"))
            parts.append(f"<h{level}>{html.escape(lines[0].lstrip('# '))}</h{level}>")
            lines = lines[1:]
        if lines and lines[0].startswith("|"):
            rows = [[html.escape(cell.strip()) for cell in line.strip("|").split("|")] for line in lines]
            parts.append("<table><tr>" + "".join(f"<th>{cell}</th>" for cell in rows[0]) + "</tr>")
            parts += ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows[2:]]
            parts.append("</table>")
        elif any(lines):
            parts.append("<p>" + re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(" ".join(lines))) + "</p>")
    return "\n".join(parts)


def bars(ratios):
    """A bar for each case: our speed divided by that of the fastest of the others, with a line at 1."""
    height, left, width = 18, 380, 360
    most = max([1.2, *ratios.values()])
    lines = [f'<svg width="{left + width + 60}" height="{height * len(ratios) + 8}" xmlns="http://www.w3.org/2000/svg">']
    for i, (name, ratio) in enumerate(ratios.items()):
        y = height * i + 4
        lines.append(f'<text x="{left - 6}" y="{y + 12}" text-anchor="end">{html.escape(name)}</text>'
                     f'<rect x="{left}" y="{y}" width="{width * ratio / most:.1f}" height="{height - 4}" fill="{"#3a7" if ratio >= 1 else "#d85"}"/>'
                     f'<text x="{left + width * ratio / most + 4:.1f}" y="{y + 12}">{ratio:.2f}</text>')
    one = left + width / most
    lines.append(f'<line x1="{one:.1f}" x2="{one:.1f}" y1="0" y2="{height * len(ratios) + 8}" stroke="#000"/></svg>')
    return "\n".join(lines)


def page_of(out, found, env):
    parts = [f"# {env['gpu']}",
             f"Commit {env['commit']} for {env['arch']}, {env['compiler']}, driver {env['driver']}, PyTorch {env['pytorch']}. {env['note']}",
             "## Steps", page.table(["step", "status", "seconds", "what"],
                                    [[name, s["status"], s["seconds"], s["text"]] for name, s in found.steps.items()])]
    body = [as_html("\n\n".join(parts))]
    if found.wrong:
        rows = "".join(f"<tr><td>{html.escape(name)}</td><td>{html.escape(text)}</td></tr>" for name, text in found.wrong)
        body.append(f'<h2 class="wrong">Wrong</h2><table>{rows}</table>')
    for step, title in BENCHES:
        if found.ratios(step):
            body.append(f"<h2>{title}: our speed divided by that of the fastest of the others</h2>" + bars(found.ratios(step)))
    body += [as_html(f"## {title}\n\n{text}") for title, text in page.sections(out)]
    return (f'<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><title>tegula on {html.escape(env["gpu"])}</title>\n'
            f"<style>{STYLE}</style>\n" + "\n".join(body) + "\n</html>\n")


def summary(out, found, env):
    """At most ten lines."""
    wrong_checks = sum(1 for line in found.checks.values() if line.get("wrong"))
    lines = [f"{env['gpu']}, {env['arch']}, commit {env['commit']}, driver {env['driver']}",
             f"checks: {len(found.checks)}, {wrong_checks} wrong"]
    for step, title in BENCHES:
        ratios = found.ratios(step)
        if ratios:
            least = min(ratios, key=ratios.get)
            lines.append(f"{title}: {len(ratios)} cases, our speed divided by the fastest other's {statistics.geometric_mean(ratios.values()):.2f}, "
                         f"least {ratios[least]:.2f} ({least})")
    left = [env["note"]] * bool(env["note"]) + [f"{name} ({text})" for name, text in found.left]
    if left:
        lines.append("left out: " + "; ".join(left))
    room = 9 - len(lines)
    shown = found.wrong if len(found.wrong) <= room else found.wrong[: room - 1]
    lines += [f"wrong: {name}: {' '.join(text.split())[:160]}" for name, text in shown]
    if len(shown) < len(found.wrong):
        lines.append(f"wrong: {len(found.wrong) - len(shown)} more, in the report")
    return lines + [f"report: {out / 'report.html'}"]


def write(out):
    """Writes the page and the files, prints the summary; what is wrong."""
    found, env = Findings(out), json.loads((out / "env.json").read_text())
    write_files(out, found, env)
    (out / "report.html").write_text(page_of(out, found, env))
    print("\n".join(summary(out, found, env)), flush=True)
    return found.wrong


if __name__ == "__main__":
    sys.exit(1 if write(Path(sys.argv[1])) else 0)
