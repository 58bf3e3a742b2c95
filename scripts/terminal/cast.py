# SPDX-License-Identifier: Apache-2.0
"""Frames as an asciicast of version 2 (https://docs.asciinema.org/manual/asciicast/v2/): of each frame the lines that
differ from those before, which is less than what was written where a picture is drawn again and again."""
import json

CLEAR = "\x1b[2J"


def sequence_of(style):
    codes = (["1"] if style.bold else []) + ([str(style.color)] if style.color else [])
    return f"\x1b[{';'.join(codes)}m" if codes else ""


def line_of(number, row):
    text = "".join(f"{sequence_of(style)}{text}\x1b[0m" if sequence_of(style) else text for text, style in row)
    return f"\x1b[{number}H{text}\x1b[K"


def changes(before, now):
    """What a terminal must get that shows `before`, to show `now`."""
    return "".join(line_of(i + 1, row) for i, row in enumerate(now) if row != before[i])


def cast_of(frames, size, title):
    header = {"version": 2, "width": size[0], "height": size[1], "title": title}
    lines = [json.dumps(header), json.dumps([0, "o", CLEAR])]
    before = ((),) * size[1]
    for frame in frames:
        lines.append(json.dumps([frame.time, "o", changes(before, frame.rows)], ensure_ascii=False))
        before = frame.rows
    return "\n".join(lines) + "\n"
