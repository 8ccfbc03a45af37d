"""Small drawings as SVG text: data in, text out.

Positions across are per cent of the width, so that a drawing fits a phone, a screen and paper while its text keeps its
size. Colours are the page's own, by class. Heights are fixed, so that nothing moves while a page loads.

    scale = Scale(*fenced(ratings, lows, highs))
    drawing = lanes([Lane("ann", "rating 25.1", bar(scale, 24, 26) + dot(scale, 25.1))], scale, "rating")
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from math import ceil, floor, log10
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from league.tools.text import counted

FENCE = 2.0
"""Values further than this many interquartile ranges from the quartiles do not stretch an axis."""
WORTH_CUTTING = 0.67
"""An axis is cut only if it becomes shorter than this part of what it would be."""
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
TOP = 6
"""Curves with a colour and a name."""
WHOLE = 1000
"""Units of a curve's drawing in both directions, before it is stretched."""


class Scale(NamedTuple):
    """From values to per cent of the width."""

    low: float
    high: float
    log: bool = False

    def at(self, value: float) -> float:
        """The position of a value, which may be outside 0 … 100."""
        low, high, value = (map(log10, (self.low, self.high, value))) if self.log else (self.low, self.high, value)
        return 100 * (value - low) / (high - low or 1)

    def inside(self, value: float) -> bool:
        """Whether a value is shown."""
        return self.low <= value <= self.high

    def ticks(self, about: int = 6) -> list[float]:
        """Round values within the scale, about this many; of a logarithmic one the powers of ten."""
        if self.log:
            return [10.0**power for power in range(ceil(log10(self.low) - 1e-9), floor(log10(self.high) + 1e-9) + 1)]
        rough = (self.high - self.low) / about or 1.0
        power = 10.0 ** floor(log10(rough))
        step = next(round_step * power for round_step in STEPS if round_step * power >= rough * (1 - 1e-9))
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        return [step * number for number in range(first, last + 1)]


def spanning(values: Sequence[float], margin: float = 0.03) -> tuple[float, float]:
    """The ends of a scale that has room for all values."""
    low, high = min(values), max(values)
    room = (high - low) * margin or 1.0
    return low - room, high + room


def fenced(values: Sequence[float], lows: Sequence[float], highs: Sequence[float]) -> tuple[float, float]:
    """The ends of a scale for values with intervals that one outlier does not squash.

    It leaves values far from all others outside, if that makes a difference to see.
    """
    low, high = spanning([*lows, *highs])
    first, third = np.quantile(values, [0.25, 0.75])
    width = float(np.median(np.subtract(highs, lows)))
    reach = FENCE * max(third - first, width)
    cut_low, cut_high = max(low, float(first - reach)), min(high, float(third + reach))
    return (cut_low, cut_high) if cut_high - cut_low < WORTH_CUTTING * (high - low) else (low, high)


def percent(number: float) -> str:
    """A position as SVG has it."""
    return f"{number:.1f}".removesuffix(".0") + "%"


def bar(scale: Scale, low: float, high: float, kind: str = "") -> Markup:
    """From one value to another. Where the scale ends before it does, an arrow says so."""
    left, right = (min(100.0, max(0.0, scale.at(value))) for value in (low, high))
    drawn = _tag("rect", kind, f'x="{percent(left)}" width="{percent(max(right - left, 0.0))}"')
    if low < scale.low < high:
        drawn += Markup('<text class="more" x="0">◂</text>')
    if high > scale.high > low:
        drawn += Markup('<text class="more end" x="100%">▸</text>')
    return drawn


def dot(scale: Scale, value: float, kind: str = "", number: str = "") -> Markup:
    """At a value; beyond the scale, an arrow with the number instead."""
    if scale.inside(value):
        return _tag("circle", kind, f'cx="{percent(scale.at(value))}"')
    if value < scale.low:
        return Markup('<text class="off" x="0">◂ {}</text>').format(number or f"{value:.4g}")
    return Markup('<text class="off end" x="100%">{} ▸</text>').format(number or f"{value:.4g}")


def words(scale: Scale, value: float, text: str) -> Markup:
    """A text in the middle of a value."""
    return Markup('<text x="{}">{}</text>').format(percent(scale.at(value)), text)


def ranged(scale: Scale, low: float, high: float, value: float, expected: float | None = None) -> Markup:
    """A bar with a mark, drawn by the style sheet, for a cell of a table; `expected` is a second mark."""
    ends = [min(100.0, max(0.0, scale.at(number))) for number in (low, high, value)]
    style = "--a:{:.0f};--b:{:.0f};--m:{:.0f}".format(*ends)
    if expected is not None:
        style += f";--e:{min(100.0, max(0.0, scale.at(expected))):.0f}"
    kind = "bar" if expected is None else '"bar e"'
    return Markup(f"<i class={kind} style={style}></i>")  # noqa: S704 - numbers and our own words


def _tag(name: str, kind: str, attributes: str) -> Markup:
    of_kind = f"class={kind} " if kind else ""
    return Markup(f"<{name} {of_kind}{attributes}/>")  # noqa: S704 - numbers and our own words


Lane = tuple[str, str, Markup]
"""One line of a drawing: its name, what is said about it, and its marks."""


def lanes(
    drawn: Iterable[Lane],
    scale: Scale,
    title: str,
    label: Callable[[float], str] | None = None,
    *,
    even: float | None = None,
) -> Markup:
    """A line for each lane, above an axis. At `even` a dashed line divides the good from the bad."""
    ticks = scale.ticks()
    grid = Markup("").join(_upright(scale, tick) for tick in ticks)
    if even is not None:
        grid += _upright(scale, even, "even")
    texts = Markup("").join(words(scale, tick, label(tick) if label else f"{tick:g}") for tick in ticks)
    item = Markup("<li><bdi>{}</bdi><svg><title>{}</title>{}</svg>")
    items = Markup("").join(item.format(*lane) for lane in drawn)
    return Markup(
        '<div class="lanes"><svg class="grid" aria-hidden="true">{}</svg><ul>{}</ul>'
        '<svg class="axis" aria-hidden="true">{}</svg><p>{}</p></div>'
    ).format(grid, items, texts, title)


def _upright(scale: Scale, value: float, kind: str = "") -> Markup:
    where = percent(scale.at(value))
    return _tag("line", kind, f'x1="{where}" x2="{where}" y2="100%"')


Curve = tuple[str, str, Sequence[tuple[float, float]]]
"""A line: its name, what is said about it, and its points."""


def curves(
    drawn: Sequence[Curve],
    across: Scale,
    up: Scale,
    titles: tuple[str, str],
    label: Callable[[float], str],
) -> Markup:
    """Lines between two axes; the first ones have a colour and a name."""
    kinds = [f"top top-{number}" if number < TOP else "" for number in range(len(drawn))]
    lines = Markup("").join(
        Markup('<polyline{} points="{}"><title>{}</title></polyline>').format(
            Markup(' class="{}"').format(kind) if kind else "",
            " ".join(f"{WHOLE * across.at(x) / 100:.0f},{WHOLE - WHOLE * up.at(y) / 100:.0f}" for x, y in points),
            said,
        )
        for (_, said, points), kind in zip(drawn, kinds, strict=True)
    )
    grid = Markup("").join(
        _tag("line", "", f'x2="100%" y1="{percent(100 - up.at(tick))}" y2="{percent(100 - up.at(tick))}"')
        for tick in up.ticks()
    )
    left = Markup("").join(
        Markup('<text x="100%" y="{}">{}</text>').format(percent(100 - up.at(tick)), f"{tick:g}") for tick in up.ticks()
    )
    below = Markup("").join(words(across, tick, label(tick)) for tick in across.ticks())
    heights = apart([100 - up.at(points[-1][1]) for _, _, points in drawn[:TOP]], 5.0)
    names = Markup("").join(
        Markup('<bdi class="{}" style="top: {}">{}</bdi>').format(kind, percent(height), name)
        for (name, *_), kind, height in zip(drawn, kinds, heights, strict=False)
    )
    return Markup(
        '<div class="curves"><svg class="left" aria-hidden="true">{}</svg>'
        '<div class="plot"><svg class="grid" aria-hidden="true">{}</svg>'
        '<svg class="drawn" role="img" aria-label="{}" viewBox="0 0 {} {}" preserveAspectRatio="none">{}</svg></div>'
        '<div class="right" aria-hidden="true">{}</div><svg class="axis" aria-hidden="true">{}</svg><p>{}</p></div>'
    ).format(left, grid, f"{titles[1]} by {titles[0]}", WHOLE, WHOLE, lines, names, below, titles[0])


class RunRating(NamedTuple):
    """A rating after one run."""

    ended: str
    value: float
    low: float
    high: float
    version: str
    """What the version is called that begins in this run; empty if the one before plays on."""
    said: str


PAST_HEIGHT, PAST_TOP, PAST_BOTTOM = 150, 14, 22
"""The height of a drawing of runs, in pixels, and what its text takes at the top and at the bottom."""


def history(moments: Sequence[RunRating], digits: int) -> Markup:
    """Ratings with their intervals after each run; an empty circle is a new version."""
    low, high = min(run.low for run in moments), max(run.high for run in moments)
    last = len(moments) - 1
    across = [f"{12 + 84 * number / last:.1f}%" for number in range(last + 1)]

    def up(value: float) -> str:
        part = (value - low) / (high - low or 1)
        return f"{PAST_HEIGHT - PAST_BOTTOM - (PAST_HEIGHT - PAST_TOP - PAST_BOTTOM) * part:.1f}"

    drawn = Markup("")
    for value in (low, (low + high) / 2, high):
        y = up(value)
        drawn += _tag("line", "grid", f'x2="100%" y1="{y}" y2="{y}"')
        drawn += Markup('<text class="level" y="{}">{}</text>').format(float(y) - 3, f"{value:.{digits}f}")
    for number, (a, b) in enumerate(pairwise(moments)):
        ends = f'x1="{across[number]}" x2="{across[number + 1]}" y1="{up(a.value)}" y2="{up(b.value)}"'
        drawn += _tag("line", "way", ends)
    for x, run in zip(across, moments, strict=True):
        said = f"{run.ended}: {run.value:.{digits}f}, {run.low:.{digits}f} to {run.high:.{digits}f}, {run.said}"
        marks = _tag("line", "reach", f'x1="{x}" x2="{x}" y1="{up(run.low)}" y2="{up(run.high)}"')
        marks += _tag(
            "circle", "edited" if run.version else "", f'cx="{x}" cy="{up(run.value)}" r="{6 if run.version else 4}"'
        )
        if run.version:
            marks += Markup('<text class="version" x="{}" y="{}">{}</text>').format(x, PAST_TOP - 3, run.version)
        drawn += Markup("<g><title>{}</title>{}</g>").format(said + ", a new version" * bool(run.version), marks)
    for number in sorted({0, last // 2, last}):
        kind = "date first" if number == 0 else "date last" if number == last else "date"
        date = moments[number].ended.rsplit(" ", 2)[0] if "," in moments[number].ended else moments[number].ended
        drawn += Markup('<text class="{}" x="{}" y="{}">{}</text>').format(kind, across[number], PAST_HEIGHT - 4, date)
    said = f"Rating over {counted(len(moments), 'run')}, now {moments[-1].value:.{digits}f}"
    return Markup('<svg class="past" role="img" aria-label="{}">{}</svg>').format(said, drawn)


def apart(heights: Sequence[float], gap: float) -> list[float]:
    """Heights for texts, in per cent from above, near the given ones and so that none lies on another."""
    places = dict.fromkeys(range(len(heights)), 0.0)
    above = -gap
    for number in sorted(places, key=lambda number: heights[number]):
        above = places[number] = max(heights[number], above + gap)
    too_low = max(0.0, above - 100)
    return [places[number] - too_low for number in places]
