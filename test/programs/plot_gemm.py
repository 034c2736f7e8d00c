"""benchmark/gemm/plot.py draws a file like those of bench_gemm. The figures in it are invented here."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from _program import check, problems

PLOT = Path(os.environ["TEGULA_SOURCE_DIR"]) / "benchmark" / "gemm" / "plot.py"
sys.path.insert(0, str(PLOT.parent))


def result(type_, m, n, k, ours, first, best):
    return {"type": type_, "layout": "TN", "m": m, "n": n, "k": k, "tflops": ours, "vendor_first_tflops": first,
            "vendor_best_tflops": best, "ratio": ours / best if ours and best else None}


def invented_run():
    return {"gpu": "an invented GPU", "driver": "0", "vendor_library": "none", "date": "2000-01-01", "commit": "none",
            "command": "invented", "results": [
                result("bf16", 1024, 1024, 1024, 10., 8., 9.), result("bf16", 4096, 4096, 4096, 20., 19., 25.),
                result("bf16", 16, 4096, 8192, 3., None, None), result("fp8", 1024, 1024, 1024, None, 30., 31.),
                result("fp8", 2048, 2048, 2048, None, None, None)]}


def test_content(plot):
    figure = plot.draw(invented_run())
    titles = [axes.get_title() for axes in figure.axes]
    check(titles == ["bf16 TN", "", "fp8 TN", ""], f"titles: {titles}")
    lines = {line.get_label(): list(line.get_ydata()) for line in figure.axes[0].lines}
    check(lines == {"ours": [10, 20, 3], "vendor, first": [8, 19], "vendor, best": [9, 25]}, f"lines: {lines}")
    ratios = [bar.get_height() for bar in figure.axes[1].patches]
    check(len(ratios) == 2 and abs(ratios[0] - 10 / 9) < 1e-9 and abs(ratios[1] - 0.8) < 1e-9, f"ratios: {ratios}")
    ticks = [tick.get_text() for tick in figure.axes[1].get_xticklabels()]
    check(ticks == ["1024", "4096", "16x4096x8192"], f"ticks: {ticks}")
    check("an invented GPU" in figure._suptitle.get_text(), "the title does not name the GPU")


def test_program(folder):
    run = invented_run()
    source, picture = folder / "run.json", folder / "run.svg"
    source.write_text(json.dumps(run))
    ran = subprocess.run([sys.executable, PLOT, source, "--out", picture], capture_output=True, text=True)
    check(ran.returncode == 0 and picture.exists() and "<svg" in picture.read_text(), f"no picture: {ran.stderr}")
    run["results"] = run["results"][-1:]
    source.write_text(json.dumps(run))
    ran = subprocess.run([sys.executable, PLOT, source, "--out", folder / "none.svg"], capture_output=True, text=True)
    check(ran.returncode == 1 and ran.stderr.count("\n") == 1 and "no speed" in ran.stderr, f"{ran.stderr!r}")


def main():
    try:
        import matplotlib
    except ImportError:
        print("skipped: matplotlib is not installed")
        return 77
    import plot
    if tuple(int(x) for x in matplotlib.__version__.split(".")[:2]) < (3, 6):
        print(f"skipped: matplotlib {matplotlib.__version__} is older than 3.6")
        return 77
    test_content(plot)
    with tempfile.TemporaryDirectory() as folder:
        test_program(Path(folder))
    print("\n".join(problems) if problems else "no problem")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
