# SPDX-License-Identifier: GPL-2.0-or-later
"""A moving picture (SVG) of a terminal's cells and the keys that were pressed, for documents.

Block elements (U+2581 to U+2588) are drawn as rectangles, since fonts of browsers leave gaps between them.
"""
import re
from html import escape
from itertools import groupby

WIDTH, HEIGHT, EDGE = 8.4, 18, 10	# pixels of a cell, and around them all
PALETTE = {	# pyte's names of the eight colours, and their bright forms
    "black": "2e3436", "red": "cc0000", "green": "4e9a06", "brown": "c4a000", "blue": "3465a4", "magenta": "75507b",
    "cyan": "06989a", "white": "d3d7cf", "brightblack": "555753", "brightred": "ef2929", "brightgreen": "8ae234",
    "brightbrown": "fce94f", "brightblue": "729fcf", "brightmagenta": "ad7fa8", "brightcyan": "34e2e2",
    "brightwhite": "eeeeec",
}
DARK = ("d0d0d0", "16181c")		# the terminal's own text and background
LIGHT = ("202020", "fdfdfb")
SECONDS = 4				# that a frame stays; the last one stays twice as long


def colours(cell, plain):
    """(text, background) as six hexadecimal digits."""
    text, back = (own if name == "default" else PALETTE.get(name, name)
                  for name, own in zip((cell.fg, cell.bg), plain))
    return (back, text) if cell.reverse else (text, back)


def runs(cells, plain):
    """(column, text, look) of neighbours that look alike; a blank that is not underlined shows only its background."""
    found = []
    for column, cell in enumerate(cells):
        look = (*colours(cell, plain), cell.bold, cell.underscore)
        if found and found[-1][2][1] == look[1] and not (found[-1][2][3] or look[3]):
            if cell.data == " ":
                look = found[-1][2]
            elif not found[-1][1].strip(" "):
                found[-1][2] = look
        if found and found[-1][2] == look:
            found[-1][1] += cell.data
        else:
            found.append([column, cell.data, look])
    return found


def rectangle(column, row, columns, rows, colour):
    return (f'<rect x="{EDGE + column * WIDTH:.1f}" y="{EDGE + row * HEIGHT:.2f}" width="{columns * WIDTH + 0.3:.1f}" '
            f'height="{rows * HEIGHT:.2f}" fill="#{colour}"/>')


def is_block(char):
    return "▁" <= char <= "█"


def drawn(column, row, text, look, plain):
    """The elements of one run."""
    fore, back, bold, underlined = look
    elements = []
    if back != plain[1]:
        elements.append(rectangle(column, row, len(text), 1, back))
    at = column
    for char, group in groupby(text):
        width = len(list(group))
        if is_block(char):
            part = (ord(char) - ord("▁") + 1) / 8
            elements.append(rectangle(at, row + 1 - part, width, part, fore))
        at += width
    words = "".join(" " if is_block(char) else char for char in text)
    style = ' font-weight="bold"' * bold + ' text-decoration="underline"' * underlined
    for found in re.finditer(r"\S+( \S+)*", words):	# browsers join several blanks
        elements.append(f'<text x="{EDGE + (column + found.start()) * WIDTH:.1f}" y="{EDGE + (row + 0.74) * HEIGHT:.1f}" '
                        f'textLength="{len(found[0]) * WIDTH:.1f}" fill="#{fore}"{style}>{escape(found[0])}</text>')
    return elements


class Frame:
    """The rows of a pyte screen, and the key that led to it."""

    def __init__(self, screen, key, light):
        self.plain = LIGHT if light else DARK
        self.key, self.columns = key, screen.columns
        self.rows = []
        for row in range(screen.lines):
            cells = [screen.buffer[row][column] for column in range(screen.columns)]
            self.rows.append("\n".join(element for column, text, look in runs(cells, self.plain)
                                       for element in drawn(column, row, text, look, self.plain)))

    def add_keys(self, row, keys, pressed):
        """Below the screen: all keys, those that were pressed so far in bright colours."""
        text, back = self.plain
        elements = []
        for at, key in enumerate(keys):
            column = (self.columns - 4 * len(keys)) / 2 + 4 * at
            elements.append(rectangle(column, row + 0.1, 3, 0.9, PALETTE["brown"] if at + 1 == pressed else text if at < pressed else "404347"))
            elements += drawn(column + 1, row, key, (back, back, True, False), self.plain)
        self.rows.append("\n".join(elements))


def film(frames):
    """
    The text of an SVG file that shows the frames one after the other, over and over again.

    A row that stays the same is drawn once.  What shows no animations shows the last frame.
    """
    first, slots = frames[0], len(frames) + 1
    keys = [frame.key for frame in frames if frame.key]
    height = len(first.rows) + 1.5
    for pressed, frame in enumerate(frames):
        frame.add_keys(len(first.rows) - bool(pressed) + 0.5, keys, pressed)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * EDGE + first.columns * WIDTH:.0f} {2 * EDGE + height * HEIGHT:.0f}" '
             f'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" shape-rendering="crispEdges">',
             "<style>", f".f, .l {{ animation: {SECONDS * slots}s step-end infinite }}", ".f { visibility: hidden }"]
    lines += [f"@keyframes k{slot} {{ 0% {{ visibility: visible }} {100 * slot / slots:.3f}% {{ visibility: hidden }} }}"
              for slot in range(1, slots)]
    lines += ["@media (prefers-reduced-motion) { .f, .l { animation: none } }", "</style>",
              f'<rect width="100%" height="100%" rx="6" fill="#{first.plain[1]}"/>']
    for row in range(len(first.rows)):
        at = 0
        for text, group in groupby(frame.rows[row] for frame in frames):
            begin, at = at, at + len(list(group))
            is_last = at == len(frames)
            if not text:
                continue
            if at - begin < len(frames):
                text = (f'<g class="{"l" if is_last else "f"}" style="animation-name: k{at - begin + is_last}; '
                        f'animation-delay: {(begin - slots) * SECONDS}s">\n{text}\n</g>')
            lines.append(text)
    return "\n".join(lines + ["</svg>", ""])
