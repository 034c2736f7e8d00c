"""The pages that tegula-inspect --html writes, in headless Chromium: point, step, compare; wide and narrow.

Speaks the WebDriver protocol with chromedriver, so that it needs nothing but the browser.
"""

import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from _program import check, problems, program

PROGRAM = program("tegula-inspect")
# 64 x 32 over 4 waves of 64 lanes, 8 elements a lane: an operand's order, and rows of 8 neighbours.
OPERAND = '{"rs":[],"hs":[[4,16],[2,4,4]],"ps":[[[1,0]],[[2,1],[1,1]]],"ys":[[2,0],[2,2]]}'
ROWS = '{"rs":[],"hs":[[4,16],[4,8]],"ps":[[[1,0]],[[1,1],[2,0]]],"ys":[[2,1]]}'
LARGE = '{"rs":[2],"hs":[[3],[64,4],[32,4]],"ps":[[[0,0],[3,0]]],"ys":[[1,0],[2,0],[2,1],[3,1]]}'


class Browser:
    """A window of headless Chromium."""

    def __init__(self, driver):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen([driver, f"--port={port}"], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        self.session = ""
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]}
        wanted = {"alwaysMatch": {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}
        for attempt in range(100):
            try:
                self.session = "/session/" + self.call("POST", "/session", {"capabilities": wanted})["sessionId"]
                return
            except urllib.error.URLError as error:
                if isinstance(error, urllib.error.HTTPError) or attempt == 99:
                    self.close()
                    raise
                time.sleep(0.1)

    def call(self, method, path, data=None):
        body = None if data is None else json.dumps(data).encode()
        request = urllib.request.Request(self.address + path, body, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def command(self, path, data=None):
        return self.call("GET" if data is None else "POST", self.session + path, data)

    def run(self, script, *arguments):
        return self.command("/execute/sync", {"script": script, "args": list(arguments)})

    def open(self, file, width, height):
        self.command("/window/rect", {"width": width, "height": height})
        self.command("/url", {"url": file.as_uri()})

    def point_at(self, script, *arguments):
        """Moves the pointer over the element that the script returns."""
        element = self.run(f"const e = (() => {{ {script} }})(); e.scrollIntoView({{block: 'center', inline: 'center'}});"
                           "return e;", *arguments)
        move = {"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": element}
        self.command("/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [move]}]})

    def click(self, selector):
        self.run("document.querySelector(arguments[0]).click()", selector)

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def count(self, selector):
        return self.run("return document.querySelectorAll(arguments[0]).length", selector)

    def console_errors(self):
        log = self.command("/se/log", {"type": "browser"})
        return [line["message"] for line in log if line["level"] in ("SEVERE", "WARNING")]

    def close(self):
        try:
            if self.session:
                self.call("DELETE", self.session)
        except (urllib.error.URLError, OSError):
            pass
        self.process.terminate()
        self.process.wait()


CELL = "return [...document.querySelectorAll('#tile{tile} rect.cell')].find(c => c.tegula.join() === '{x}')"


def cell(x, tile=0):
    return CELL.replace("{tile}", str(tile)).replace("{x}", ",".join(map(str, x)))


def write_page(folder, name, *arguments):
    file = folder / name
    result = subprocess.run([PROGRAM, *arguments, "--html", file], capture_output=True, text=True)
    check(result.returncode == 0 and result.stderr == "", f"{arguments}: status {result.returncode}, {result.stderr}")
    text = file.read_text() if file.exists() else ""
    check("http://" not in text.replace("http://www.w3.org/2000/svg", "") and "https://" not in text,
          f"{name} loads something from elsewhere")
    return file


def check_readable(browser, where):
    """No sideways scrolling of the page, nothing smaller than 10 pixels."""
    wide = browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    check(wide <= 0, f"{where}: the page is {wide} pixels wider than the window")
    small = browser.run("return [...document.querySelectorAll('body *')].filter(e => e.textContent && "
                        "!['SCRIPT', 'STYLE', 'OPTION'].includes(e.tagName) && "
                        "parseFloat(getComputedStyle(e).fontSize) < 10).length")
    check(small == 0, f"{where}: {small} texts are smaller than 10 pixels")


def check_zoom(browser, folder):
    browser.open(write_page(folder, "zoom.html", "encoding", OPERAND), 1000, 900)
    width = "return document.querySelector('#tile0 svg').getBoundingClientRect().width"
    room = browser.run("return document.querySelector('#tile0 .scroll').clientWidth")
    check(abs(browser.run(width) - room) < 1, f"at first the tile is {browser.run(width)} wide where {room} are")
    browser.click("#tile0 button.full")
    full = browser.run(width)
    check(full > room, f"at full size the tile is {full} wide")
    browser.click("#tile0 button.larger")
    check(abs(browser.run(width) - 1.25 * full) < 1, "one step larger is a quarter more")
    browser.click("#tile0 button.fit")
    check(abs(browser.run(width) - room) < 1, f"fitted, the tile is {browser.run(width)} wide where {room} are")
    browser.click("#tile0 button.full")
    check(browser.run(width) == full, "full size is not the size it had")


def check_threads(browser, folder):
    """256 threads that P lists as one index: quarters of rows, then of columns, change the wave in 3 of 4."""
    rows = '{"rs":[],"hs":[[16],[16]],"ps":[[[1,0],[2,0]]],"ys":[]}'
    columns = '{"rs":[],"hs":[[16],[16]],"ps":[[[2,0],[1,0]]],"ys":[]}'
    browser.open(write_page(folder, "threads.html", "convert", rows, columns, "--arch", "gfx942", "--bits", "32"), 900, 900)
    legend = browser.text("#comparison .legend")
    check(legend.endswith("192 change wave") and legend.startswith("16 stay"), f"256 threads: {legend}")


def check_tile(browser, folder):
    file = write_page(folder, "tile.html", "encoding", OPERAND, "--arch", "gfx942", "--bits", "16")
    for width in (1280, 400):
        browser.open(file, width, 900)
        check_readable(browser, f"tile at {width}")
        check(browser.count("#tile0 rect.cell") == 64 * 32, "a tile of 64 x 32 has as many cells")
        cut = browser.run("const s = document.querySelector('#tile0 .scroll'); return s.scrollWidth - s.clientWidth")
        check(width < 1280 or cut <= 0, f"at {width}, {cut} pixels of the tile are cut off")
        apart = browser.run("return document.querySelector('#tile0 .next').getBoundingClientRect().top - "
                            "document.querySelector('#tile0 .scroll').getBoundingClientRect().bottom")
        check(apart < 100, f"at {width}, the stepper is {apart} pixels below the tile")
        labels = browser.run("return [...document.querySelectorAll('#tile0 text.top')].map(t => t.textContent)")
        check("1:10" in labels and not any("." in label for label in labels), f"cells read {labels[:9]}")
        browser.point_at(cell((17, 21)))
        told = browser.text("#tile0 .told")
        # x0 = 17 is wave 1, lane digit 1; x1 = 21 = 16 + 4 + 1 is register digit 1, lane digit 1, register 1.
        check(told == "x0 = 17, x1 = 21 is held by wave 1 lane 17 register 5.", f"at {width}, pointing says: {told}")
        check(browser.count("#tile0 rect.cell.on") == 8, "the eight elements of the owner are outlined")
        browser.run("document.querySelector('#tile0 select.wave').value = '3';"
                    "document.querySelector('#tile0 select.wave').dispatchEvent(new Event('change'))")
        browser.point_at("return document.querySelectorAll('#tile0 .lane')[18]")
        told = browser.text("#tile0 .told")
        check(told.startswith("Wave 3 lane 18 holds r0: (50, 4), r1: (50, 5), r2: (50, 6), r3: (50, 7), r4: (50, 20)"),
              f"at {width}, pointing at lane 18 of wave 3 says: {told}")
    check(browser.run("return document.querySelector('#chip').value") == "gfx942", "the chip is the one asked for")


def check_steps(browser, folder):
    file = write_page(folder, "steps.html", "encoding", OPERAND, "--arch", "sm_80", "--bits", "16")
    browser.open(file, 1280, 900)
    browser.run("document.querySelector('#pitch').value = '32'; document.querySelector('#pitch').dispatchEvent(new Event('change'))")
    expected = json.loads(subprocess.run([PROGRAM, "encoding", OPERAND, "--arch", "sm_80", "--bits", "16", "--json"],
                                         capture_output=True, text=True).stdout)["analysis"]
    extra = 0
    for step in range(1, expected["accesses"] + 1):
        browser.click("#tile0 .next")
        told = browser.text("#tile0 .access")
        check(told.startswith(f"Access {step} of {expected['accesses']}: 32 lanes load {expected['access_bytes']} bytes"),
              f"step {step} says: {told}")
        check(f"{expected['sectors_per_access']} sectors" in told, f"{told} has other sectors than {expected}")
        extra += int(told.split(": ")[-1].split()[0])
        check(browser.count("#tile0 rect.cell.on") == 32 * expected["vector"], f"step {step} outlines what it moves")
        check(browser.count("#tile0 table.banks td.free, #tile0 table.banks td.busy") > 0, "banks are shown")
    check(extra == expected["load_conflicts"], f"{extra} conflicts on the page, {expected['load_conflicts']} counted")
    browser.click("#tile0 .next")
    check(browser.text("#tile0 .access").startswith("Access 1 of"), "after the last access comes the first")
    browser.click("#tile0 .previous")
    check(browser.text("#tile0 .access").startswith(f"Access {expected['accesses']} of"), "before the first is the last")


def check_comparison(browser, folder):
    file = write_page(folder, "compare.html", "convert", OPERAND, ROWS, "--arch", "gfx942", "--bits", "16")
    for width in (1280, 400):
        browser.open(file, width, 900)
        check_readable(browser, f"comparison at {width}")
        legend = browser.text("#comparison .legend")
        # A lane keeps an element where both orders name the same lane; counted by hand over one wave.
        keeps = changes = 0
        for x0 in range(16):
            for x1 in range(32):
                a, b = (x1 // 4 % 4 * 16 + x0, x1 // 16 * 4 + x1 % 4), (x0 * 4 + x1 // 8, x1 % 8)
                keeps += a == b
                changes += a[0] == b[0] and a[1] != b[1]
        lanes = 512 - keeps - changes
        check(legend == f"{4 * keeps} stay in their register{4 * changes} change register{4 * lanes} change lane"
              "0 change wave", f"at {width}, the comparison says: {legend}")
        before = browser.run(cell((1, 0)) + ".getAttribute('fill')")
        browser.click("#moves")
        after = browser.run(cell((1, 0)) + ".getAttribute('fill')")
        check(before != after == "#f2d36b", f"colouring by what moves: {before} became {after}")
        browser.point_at(cell((5, 9)))
        check(browser.count("#tile1 rect.cell.here") == 1, "the other side marks the same element")


def check_large(browser, folder):
    file = write_page(folder, "large.html", "encoding", LARGE)
    browser.open(file, 1280, 900)
    check(browser.count("#tile0 rect.cell") == 64 * 64, "of a large tile 64 x 64 elements are drawn")
    browser.run("const i = document.querySelectorAll('#tile0 input[type=number]');"
                "i[0].value = 2; i[0].dispatchEvent(new Event('change'));"
                "i[1].value = 192; i[1].dispatchEvent(new Event('change'))")
    browser.point_at(cell((2, 200, 7)))
    told = browser.text("#tile0 .told")
    check(told.startswith("x0 = 2, x1 = 200, x2 = 7 is held by lane 1 register") and "; lane 33 register" in told,
          f"a replicated element says: {told}")


def check_operands(browser, folder):
    file = write_page(folder, "mma.html", "mma", "gfx942", "v_mfma_f32_32x32x8_f16")
    browser.open(file, 1280, 900)
    check(browser.count("section.tile") == 3, "A, B and C are shown")
    browser.point_at(cell((9, 4), tile=2))
    told = browser.text("#tile2 .told")
    check(told == "m = 9, n = 4 is held by lane 4 register 5.", f"an element of C says: {told}")


def main():
    driver = shutil.which("chromedriver")
    if not PROGRAM.exists() or not driver or not shutil.which("chromium"):
        print("skipped: " + ("chromium and chromedriver are not installed" if PROGRAM.exists()
                             else "tegula-inspect is not built"))
        return 77
    browser = Browser(driver)
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for test in (check_tile, check_zoom, check_threads, check_steps, check_comparison, check_large, check_operands):
                test(browser, folder)
                errors = browser.console_errors()
                check(not errors, f"{test.__name__}: the console says {errors[:3]}")
    finally:
        browser.close()
    print("\n".join(problems) if problems else "no problem")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
