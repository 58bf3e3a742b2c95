# SPDX-License-Identifier: Apache-2.0
"""Frames as an SVG that plays by itself, without scripts: a strip of all frames side by side, which CSS moves past a window.

Where nothing is animated the last frame shows. A line that several frames have is in the file once. Each piece of text has
its width, so that columns stay in line in any font.
"""
from xml.sax.saxutils import escape

CELL_WIDTH, CELL_HEIGHT, BASELINE = 8, 17, 13
MARGIN, TITLE_HEIGHT = 12, 26
LAST_S = 5  # How long the last frame stays.
COLORS = {30: "#3b4252", 31: "#ff6b6b", 32: "#7fd088", 33: "#f0c674", 34: "#7aa2f7", 35: "#c792ea", 36: "#6cc7d9",
          37: "#d8dee9", 90: "#8a94a6", 91: "#ff8a8a", 92: "#9be3a3", 93: "#ffd88a", 94: "#9dbcff", 95: "#dcb0ff",
          96: "#8fe0ee", 97: "#ffffff"}
STYLE = """text{white-space:pre;font:13px "DejaVu Sans Mono","Liberation Mono",Menlo,Consolas,monospace;fill:#d8dee9}
.b{font-weight:bold;fill:#fff}"""


def is_picture(char):
    """Whether a character draws something (box drawing to Braille): in many fonts these have another width than letters."""
    return "\u2500" <= char <= "\u28ff"


def pieces_of(text, column):
    """(column, text) of each piece of letters or of pictures alone, without blanks at its ends."""
    pieces, start = [], 0
    for i in range(1, len(text) + 1):
        gap = i < len(text) and text[i] == " " and text[i - 1] == " "
        if i == len(text) or gap or is_picture(text[i]) != is_picture(text[i - 1]):
            piece = text[start:i]
            stripped = piece.lstrip(" ")
            if stripped.rstrip(" "):
                pieces.append((column + start + len(piece) - len(stripped), stripped.rstrip(" ")))
            start = i
    return pieces


def class_of(style):
    names = (["b"] if style.bold else []) + ([f"c{style.color}"] if style.color in COLORS else [])
    return f' class="{" ".join(names)}"' if names else ""


def elements_of(row):
    found, column = [], 0
    for text, style in row:
        for at, piece in pieces_of(text, column):
            width = f' textLength="{len(piece) * CELL_WIDTH}" lengthAdjust="spacingAndGlyphs"' if len(piece) > 1 else ""
            found.append(f'<text x="{at * CELL_WIDTH}"{width}{class_of(style)}>{escape(piece)}</text>')
        column += len(text)
    return "".join(found)


def strip_of(frames, width):
    """Definitions of all lines, then the frames that show them side by side."""
    names, definitions, strip = {}, [], []
    for i, frame in enumerate(frames):
        lines = []
        for number, row in enumerate(frame.rows):
            if not row:
                continue
            if row not in names:
                names[row] = f"l{len(names)}"
                definitions.append(f'<g id="{names[row]}">{elements_of(row)}</g>')
            lines.append(f'<use href="#{names[row]}" y="{number * CELL_HEIGHT + BASELINE}"/>')
        strip.append(f'<g transform="translate({i * width})">{"".join(lines)}</g>')
    return definitions, strip


def moves_of(frames, width, length):
    """The keyframes of the strip: one at the time of each frame."""
    return "".join(f"{100 * frame.time / length:.3f}%{{transform:translateX({-i * width}px)}}" for i, frame in enumerate(frames))


def svg_of(frames, size, title):
    width, height = size[0] * CELL_WIDTH, size[1] * CELL_HEIGHT
    full_width, full_height = width + 2 * MARGIN, height + TITLE_HEIGHT + MARGIN
    length = frames[-1].time + LAST_S
    colors = "".join(f".c{code}{{fill:{color}}}" for code, color in COLORS.items())
    definitions, strip = strip_of(frames, width)
    last = -(len(frames) - 1) * width
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{full_width}" height="{full_height}" '
        f'viewBox="0 0 {full_width} {full_height}" role="img" aria-label="{escape(title)}">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}{colors}",
        f"#strip{{transform:translateX({last}px);animation:play {length:.2f}s step-end infinite}}",
        f"@keyframes play{{{moves_of(frames, width, length)}}}",
        "@media (prefers-reduced-motion:reduce){#strip{animation:none}}</style>",
        "<defs>", *definitions, "</defs>",
        f'<rect width="{full_width}" height="{full_height}" rx="6" fill="#161b24"/>',
        f'<text x="{full_width // 2}" y="17" text-anchor="middle" class="c90">{escape(title)}</text>',
        f'<svg x="{MARGIN}" y="{TITLE_HEIGHT}" width="{width}" height="{height}"><g id="strip">',
        *strip, "</g></svg>",
        "</svg>", ""])
