# SPDX-License-Identifier: Apache-2.0
"""Line charts as SVG, of points that are connected in order."""
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 820, 420
LEFT, RIGHT, TOP, BOTTOM = 64, 332, 40, 52


class Axis:
    """Maps values to pixel positions, on a linear or a logarithmic scale."""

    def __init__(self, label, ticks, begin, end, logarithmic):
        self.label, self.ticks, self.begin, self.end = label, ticks, begin, end
        self.scale = math.log if logarithmic else float
        self.low, self.high = self.scale(ticks[0]), self.scale(ticks[-1])

    def __call__(self, number):
        part = (self.scale(number) - self.low) / (self.high - self.low)
        return self.begin + min(max(part, 0), 1) * (self.end - self.begin)


def x_axis(label, ticks, logarithmic=False):
    return Axis(label, ticks, LEFT, WIDTH - RIGHT, logarithmic)


def y_axis(label, ticks, logarithmic=False):
    return Axis(label, ticks, HEIGHT - BOTTOM, TOP, logarithmic)


def text(x, y, words, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(str(words))}</text>'


def line(x1, y1, x2, y2, colour):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def frame(x, y):
    for tick in x.ticks:
        yield line(x(tick), TOP, x(tick), HEIGHT - BOTTOM, "#ddd")
        yield text(x(tick), HEIGHT - BOTTOM + 18, f"{tick:g}")
    for tick in y.ticks:
        yield line(LEFT, y(tick), WIDTH - RIGHT, y(tick), "#ddd")
        yield text(LEFT - 8, y(tick) + 4, f"{tick:g}", "end")
    yield text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, x.label)
    middle = (TOP + HEIGHT - BOTTOM) / 2
    yield text(16, middle, y.label, more=f' transform="rotate(-90 16 {middle:.1f})"')


def curve(points, x, y, colour, marks):
    places = [(x(px), y(py)) for px, py in points]
    joined = " ".join(f"{px:.1f},{py:.1f}" for px, py in places)
    yield f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="2"/>'
    if marks:
        yield from (f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3.5" fill="{colour}"/>' for px, py in places)


def chart(title, x, y, curves, marks=True):
    """The SVG text of `curves`, each a name, a colour and a list of (x, y), placed by two axes."""
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
             text(LEFT, 22, title, "start", ' font-size="14" font-weight="bold"'), *frame(x, y)]
    for i, (name, colour, points) in enumerate(curves):
        row = TOP + 8 + 20 * i
        parts += curve(points, x, y, colour, marks)
        parts += [f'<rect x="{WIDTH - RIGHT + 16}" y="{row - 4}" width="18" height="4" fill="{colour}"/>',
                  text(WIDTH - RIGHT + 40, row + 2, name, "start")]
    return "\n".join([*parts, "</svg>", ""])
