# SPDX-License-Identifier: GPL-2.0-or-later
"""A picture (SVG) of a terminal's cells, for documents.

Block elements (U+2581 to U+2588) are drawn as rectangles, since fonts of browsers leave gaps between them.
"""
from html import escape

WIDTH, HEIGHT, EDGE = 8.4, 18, 10	# pixels of a cell, and around them all
PALETTE = {	# pyte's names of the eight colours, and their bright forms
    "black": "2e3436", "red": "cc0000", "green": "4e9a06", "brown": "c4a000", "blue": "3465a4", "magenta": "75507b",
    "cyan": "06989a", "white": "d3d7cf", "brightblack": "555753", "brightred": "ef2929", "brightgreen": "8ae234",
    "brightbrown": "fce94f", "brightblue": "729fcf", "brightmagenta": "ad7fa8", "brightcyan": "34e2e2",
    "brightwhite": "eeeeec",
}
DARK = ("d0d0d0", "16181c")		# the terminal's own text and background
LIGHT = ("202020", "fdfdfb")


def colours(cell, plain):
    """(text, background) as six hexadecimal digits."""
    text, back = (own if name == "default" else PALETTE.get(name, name)
                  for name, own in zip((cell.fg, cell.bg), plain))
    return (back, text) if cell.reverse else (text, back)


def runs(cells, plain):
    """(column, text, look) of neighbours that look alike."""
    found = []
    for column, cell in enumerate(cells):
        look = (*colours(cell, plain), cell.bold, cell.underscore)
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
    for at, char in enumerate(text):
        if is_block(char):
            part = (ord(char) - ord("▁") + 1) / 8
            elements.append(rectangle(column + at, row + 1 - part, 1, part, fore))
    words = "".join(" " if is_block(char) else char for char in text)
    if words.strip():
        style = ' font-weight="bold"' * bold + ' text-decoration="underline"' * underlined
        start = len(words) - len(words.lstrip())
        words = words.strip()
        elements.append(f'<text x="{EDGE + (column + start) * WIDTH:.1f}" y="{EDGE + (row + 0.74) * HEIGHT:.1f}" '
                        f'textLength="{len(words) * WIDTH:.1f}" fill="#{fore}"{style}>{escape(words)}</text>')
    return elements


def svg(screen, light=False):
    """The text of an SVG file that shows a pyte screen."""
    plain = LIGHT if light else DARK
    width, height = 2 * EDGE + screen.columns * WIDTH, 2 * EDGE + screen.lines * HEIGHT
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
             f'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" shape-rendering="crispEdges" xml:space="preserve">',
             f'<rect width="100%" height="100%" rx="6" fill="#{plain[1]}"/>']
    for row in range(screen.lines):
        cells = [screen.buffer[row][column] for column in range(screen.columns)]
        for column, text, look in runs(cells, plain):
            lines += drawn(column, row, text, look, plain)
    return "\n".join(lines + ["</svg>", ""])
