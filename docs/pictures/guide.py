"""Pictures of the guide that are more than one tile: every number in them comes from tegula-inspect --json."""

import json
import subprocess

SMALL = '{"rs":[],"hs":[[2,2],[4,2]],"ps":[[[1,1],[2,0]]],"ys":[[1,0],[2,1]]}'
# 8 x 64 of 16 bits: eight lanes store a row of eight chunks of 16 bytes; eight lanes read a chunk of eight rows.
ROWS = '{"rs":[],"hs":[[2,4],[8,8]],"ps":[[[1,1],[2,0]]],"ys":[[1,0],[2,1]]}'
COLUMNS = '{"rs":[],"hs":[[8],[2,4,8]],"ps":[[[2,1],[1,0]]],"ys":[[2,0],[2,2]]}'
LANE, REGISTER = "#cfe0fb", "#fbe3c0"


class Page:
    def __init__(self, width, height, title):
        self.lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}">',
            f"<title>{title}</title>",
            "<style>text{font-family:Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif;fill:#1b2033;"
            "text-anchor:middle;font-size:12px}.name{font-size:14px;font-weight:bold;text-anchor:start}"
            ".note{fill:#4a5068;text-anchor:start}.tick{font-size:11px;fill:#6a7088}</style>",
            '<rect width="100%" height="100%" rx="8" fill="#fff"/>']

    def text(self, x, y, words, kind=""):
        self.lines.append(f'<text x="{x}" y="{y}"{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}>{words}</text>')

    def cell(self, x, y, width, height, colour, words, strong=False):
        line = ' stroke="#1b2033" stroke-width="2.5"' if strong else ' stroke="#fff"'
        self.lines.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{colour}"{line}/>')
        self.text(x + width / 2, y + height / 2 + 4, words)

    def arrow(self, x0, y0, x1, y1):
        tip = f"{x1},{y1} {x1 - 9},{y1 - 5} {x1 - 9},{y1 + 5}"
        self.lines.append(f'<path d="M{x0} {y0}L{x1 - 8} {y1}" stroke="#4a5068" stroke-width="2"/>'
                          f'<polygon points="{tip}" fill="#4a5068"/>')

    def write(self, path):
        path.write_text("\n".join([*self.lines, "</svg>", ""]))


def inspect(program, *words):
    return json.loads(subprocess.run([program, *words, "--json"], check=True, capture_output=True, text=True).stdout)


def colour_of(lane, lanes=32):
    return f"hsl({360 * lane // lanes} 70% {82 if lane % 2 else 74}%)"


def draw_digits(program, path):
    """Elements, their digits, and the lane and the register that these make."""
    tile = inspect(program, "encoding", SMALL)
    page = Page(760, 236, "From an element to its digits, lane and register")
    page.text(24, 34, "Each digit of an element goes to the lane or to the register", "name")
    heads = [(75, "element"), (215, "row = 2 * 2"), (355, "column = 4 * 2"), (520, "lane"), (665, "register")]
    for x, words in heads:
        page.text(x, 62, words, "tick")
    for i, (row, column) in enumerate(((1, 0), (2, 5), (3, 4))):
        y = 74 + 46 * i
        lane, number = next((p, r) for p, held in enumerate(tile["map"]) for r, at in enumerate(held)
                            if at == [row, column])
        high, low = row // 2, row % 2
        most, least = column // 2, column % 2
        page.cell(30, y, 90, 32, "#eef0f6", f"({row}, {column})")
        for x, digit, colour in ((170, high, REGISTER), (215, low, LANE), (310, most, LANE), (355, least, REGISTER)):
            page.cell(x, y, 45, 32, colour, digit)
        page.arrow(410, y + 16, 440, y + 16)
        page.cell(450, y, 140, 32, LANE, f"{low} * 4 + {most} = {lane}")
        page.cell(600, y, 130, 32, REGISTER, f"{high} * 2 + {least} = {number}")
        assert lane == 4 * low + most and number == 2 * high + least
    page.text(24, 222, "blue: digits of P, which make the lane; orange: digits of Y, which make the register", "note")
    page.write(path)


def shared_places(program):
    """Where row and chunk of the tile lie, in bytes: without and with the swizzle that the library finds."""
    plan = inspect(program, "convert", ROWS, COLUMNS, "--arch", "sm_80", "--bits", "16", "--force", "shared")

    def swizzled(byte):
        for bit, source in plan["swizzle"]:
            byte ^= (byte >> source & 1) << bit
        return byte

    plain = {(row, chunk): 128 * row + 16 * chunk for row in range(8) for chunk in range(8)}
    assert plan["store_conflicts"] == plan["load_conflicts"] == 0
    return plain, {at: swizzled(byte) for at, byte in plain.items()}


def draw_memory(page, x, y, places, colour, strong):
    for group in range(8):
        page.text(x + 52 * group + 26, y - 6, f"{4 * group}-{4 * group + 3}", "tick")
    for (row, chunk), byte in sorted(places.items(), key=lambda item: strong(*item[0])):
        page.cell(x + byte % 128 // 16 * 52, y + byte // 128 * 26, 52, 26, colour(row, chunk), f"{row}, {chunk}",
                  strong(row, chunk))


def draw_swizzle(program, path):
    """Chunk 2 of all rows, which eight lanes read at once, in banks: plain rows and the swizzle."""
    page = Page(1000, 322, "A swizzle with its banks")
    for x, name, places in ((50, "plain rows", 0), (540, "swizzled", 1)):
        memory = shared_places(program)[places]
        banks = {memory[row, 2] % 128 for row in range(8)}
        page.text(x, 34, f"{name}: eight lanes in {4 * len(banks)} banks, {8 // len(banks)} "
                         f"{'cycles' if len(banks) < 8 else 'cycle'}", "name")
        draw_memory(page, x, 74, memory, lambda row, chunk: "#f6c9a8" if chunk == 2 else "#eef0f6",
                    lambda row, chunk: chunk == 2)
    page.text(50, 308, "A line is 128 bytes, one pass over the 32 banks (numbers above). A cell is the 16 bytes of "
                       "(row, chunk) of a tile of 8 x 64 elements of 16 bits.", "note")
    page.write(path)


def draw_way(program, path):
    """The tile in global memory, shared memory and registers, each chunk in the colour of a lane."""
    page = Page(1470, 336, "A tile's way from global memory through shared memory to registers")
    rows, columns = inspect(program, "encoding", ROWS), inspect(program, "encoding", COLUMNS)

    def holders(tile):
        return {(at[0], at[1] // 8): (lane, number // 8) for lane, held in enumerate(tile["map"])
                for number, at in enumerate(held) if at[1] % 8 == 0}

    stored, read = holders(rows), holders(columns)
    places = shared_places(program)[1]
    for x, name, held in ((30, "load: global memory, by rows", stored), (1030, "read: registers, by columns", read)):
        page.text(x, 34, name, "name")
        for row, chunk in places:
            lane, number = held[row, chunk]
            page.cell(x + 52 * chunk, 74 + 26 * row, 52, 26, colour_of(lane), f"{lane}.{number}")
    page.text(530, 34, "store: shared memory, swizzled", "name")
    draw_memory(page, 530, 74, places, lambda row, chunk: colour_of(stored[row, chunk][0]), lambda row, chunk: False)
    for x in (454, 954):
        page.arrow(x, 178, x + 66, 178)
    page.text(30, 310, "left and right: lane.vector that holds the 16 bytes of (row, chunk)", "note")
    page.text(530, 310, "middle: (row, chunk) in lines of 32 banks, in the colour of the lane that stores it", "note")
    page.text(30, 328, "8 x 64 elements of 16 bits, 32 lanes; a wave stores and reads without bank conflicts", "note")
    page.write(path)


PICTURES = {"digits.svg": draw_digits, "swizzle.svg": draw_swizzle, "way.svg": draw_way}
