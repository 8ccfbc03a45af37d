"""The charts of the standings page: Vega-Lite specs by Altair, which the page's script fills with data.

Each chart names its data set and is made once for all tabs. Colours are the page's own custom properties
(`var(--ink)`), so that a chart follows the colour scheme, and paper, without being drawn again. Every bot has a line
with its name. Of a large pool the script passes the best bots, those that a reader searches for, and their neighbours.
The head-to-head table is no chart: it has numbers and links, and the script draws it itself.

Making specs and the JavaScript that draws them takes seconds, and the result is always the same. So both are kept in
the user's cache folder, by version. If it is not writable, each process makes them again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from typing import Any, NamedTuple

import msgspec

from league.errors import StoreError
from league.tools.files import cache_folder, write_text
from league.values.settings import PERCENT

PACKAGE = "vl-convert-python"
SNIPPET = "window.vegaEmbed = vegaEmbed;"

AXIS = {"domain": False, "ticks": False, "gridColor": "var(--line)", "labelColor": "var(--soft)"}
CONFIG = {
    "background": "transparent",
    "font": "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Arial, sans-serif",
    "view": {"stroke": None},
    "axis": {**AXIS, "titleColor": "var(--soft)", "titleFontWeight": "normal", "labelFontSize": 12, "labelLimit": 150},
    "legend": {"labelColor": "var(--soft)", "titleColor": "var(--soft)", "titleFontWeight": "normal"},
    "text": {"color": "var(--ink)"},
}
DECADES = tuple(10.0**power for power in range(-4, 6))
TOP = tuple(f"var(--seat-{step})" for step in range(6))
DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [4, 4], [12, 4])
"""So that lines differ by more than their colours."""
REST = "var(--even)"


class Chart(NamedTuple):
    """A chart of a board: its text, what it looks like, and the data that the script fills it with."""

    title: str
    about: str
    spec: Callable[[Any], Any]
    """Makes it, from Altair."""
    data: str = "rows"
    """The attribute of `Board` that it shows; without any, the chart is not there."""
    fields: tuple[str, ...] = ()
    """The names of the values of a row. A row with a `bot` is shown if that bot is, and gets its name and order."""
    needs: str = ""
    """Rows without this value are left out."""
    wide: bool = False
    """Whether it takes the whole width of the page."""


def _plain(chart: Any) -> dict[str, Any]:
    spec: dict[str, Any] = chart.properties(width="container").configure(**CONFIG).to_dict()
    return spec


def _sized(chart: Any, step: int) -> Any:
    """A chart with a line of this many pixels for each bot; the script multiplies it by their number."""
    return chart.properties(usermeta={"step": step})


def _bots(alt: Any, **encoding: Any) -> Any:
    """A chart with a line for each bot, best first."""
    bots = alt.Y("name:N", sort=alt.SortField("order"), title=None, axis=alt.Axis(grid=False))
    return alt.Chart(alt.NamedData("rows")).encode(y=bots, **encoding)


def _ratings(alt: Any) -> Any:
    scale, axis = alt.Scale(zero=False), alt.Axis(tickCount=8)
    tooltip = [
        alt.Tooltip("name:N", title="bot"),
        alt.Tooltip("place:N"),
        alt.Tooltip("rating:Q", format=".2f"),
        alt.Tooltip("low:Q", format=".2f"),
        alt.Tooltip("high:Q", format=".2f"),
    ]
    span = _bots(alt, x=alt.X("low:Q", title="rating", scale=scale, axis=axis), x2="high:Q", tooltip=tooltip)
    dots = _bots(alt, x=alt.X("rating:Q", title="rating", scale=scale, axis=axis), tooltip=tooltip)
    layers = alt.layer(
        span.mark_rule(strokeWidth=5, stroke="var(--accent)", opacity=0.35, strokeCap="round"),
        dots.mark_circle(size=60, color="var(--accent)", opacity=1),
    )
    return _sized(layers, 22)


def _settling(alt: Any) -> Any:
    base = alt.Chart(alt.NamedData("rows")).encode(
        x=alt.X(
            "games:Q",
            scale=alt.Scale(type="log", nice=False),
            title="games played",
            axis=alt.Axis(grid=False, format="~s", labelOverlap="greedy", labelSeparation=8),
        ),
        y=alt.Y("rating:Q", scale=alt.Scale(zero=False), title="rating"),
        detail="name:N",
        tooltip=[
            alt.Tooltip("name:N", title="bot"),
            alt.Tooltip("games:Q", format=","),
            alt.Tooltip("rating:Q", format=".2f"),
        ],
    )
    domain = [-1, *range(len(TOP))]
    colour = alt.Color("top:O", scale=alt.Scale(domain=domain, range=[REST, *TOP]), legend=None)
    dash = alt.StrokeDash("top:O", scale=alt.Scale(domain=domain, range=[DASHES[0], *DASHES]), legend=None)
    in_top = alt.datum.top >= 0
    lines = base.mark_line().encode(
        color=colour,
        strokeDash=dash,
        strokeWidth=alt.condition(in_top, alt.value(2), alt.value(1)),
        opacity=alt.condition(in_top, alt.value(1), alt.value(0.6)),
    )
    names = base.transform_filter("datum.top >= 0 && datum.last").mark_text(align="left", dx=7, fontSize=11, limit=118)
    names = names.encode(y="label:Q", text="name:N", color=colour)
    return alt.layer(lines, names).properties(height=320)


def _spreads(alt: Any) -> Any:
    tooltip = [
        alt.Tooltip("name:N", title="bot"),
        alt.Tooltip("lowest:Q", title="5 %"),
        alt.Tooltip("quarter:Q", title="25 %"),
        alt.Tooltip("median:Q"),
        alt.Tooltip("three_quarters:Q", title="75 %"),
        alt.Tooltip("highest:Q", title="95 %"),
        alt.Tooltip("mean:Q", format=".2f"),
    ]
    outer = _bots(alt, x=alt.X("lowest:Q", title="points"), x2="highest:Q", tooltip=tooltip)
    inner = _bots(alt, x=alt.X("quarter:Q"), x2="three_quarters:Q", tooltip=tooltip)
    middle = _bots(alt, x=alt.X("median:Q"), tooltip=tooltip)
    mean = _bots(alt, x=alt.X("mean:Q"), tooltip=tooltip)
    layers = alt.layer(
        outer.mark_rule(strokeWidth=1.5, stroke="var(--soft)"),
        inner.mark_rule(strokeWidth=11, stroke="var(--accent)", opacity=0.4),
        middle.mark_tick(color="var(--ink)", thickness=2, size=14, orient="vertical"),
        mean.mark_point(shape="diamond", size=34, filled=True, color="var(--bad)", opacity=1),
    )
    return _sized(layers, 22)


def _seats(alt: Any) -> Any:
    base = alt.Chart(alt.NamedData("rows"))
    points = base.encode(
        x=alt.X(
            "score:Q",
            scale=alt.Scale(zero=False, padding=24),
            title="mean place score of the seat",
            axis=alt.Axis(format=".1%", tickCount=5),
        ),
        y=alt.Y("contest:N", title=None, sort=None, axis=alt.Axis(grid=False)),
        yOffset="seat:O",
        tooltip=["contest:N", "seat:Q", alt.Tooltip("games:Q", format=","), alt.Tooltip("score:Q", format=".2%")],
    )
    colour = alt.Color("seat:O", scale=alt.Scale(domain=[1, 2, 3, 4, 5, 6], range=list(TOP)), legend=None)
    even = base.mark_rule(stroke="var(--soft)", strokeDash=[4, 4]).encode(x=alt.datum(0.5))
    layers = alt.layer(
        even,
        points.mark_circle(size=260, opacity=1).encode(color=colour),
        points.mark_text(color="var(--raised)", fontWeight="bold", fontSize=11).encode(text="seat:N"),
    )
    return _sized(layers, 46)


def _times(alt: Any) -> Any:
    tooltip = [alt.Tooltip("name:N", title="bot"), alt.Tooltip("ms:Q", title="ms", format=".3~g")]
    ms = alt.X(
        "ms:Q",
        title="milliseconds per decision",
        scale=alt.Scale(type="log"),
        axis=alt.Axis(format="~g", values=list(DECADES)),
    )
    return _sized(_bots(alt, x=ms, tooltip=tooltip).mark_circle(size=70, color="var(--good)", opacity=1), 22)


CHARTS = {
    "ratings": Chart(
        "Ratings",
        f"Dots are ratings, bars their {PERCENT} intervals. Where bars overlap, more games may change the order.",
        _ratings,
        needs="games",
        wide=True,
    ),
    "settling": Chart(
        "How ratings settled",
        "Ratings from the first games only, then from more and more of them. Where lines are still moving, more games "
        "are needed.",
        _settling,
        data="settling",
        wide=True,
    ),
    "spreads": Chart(
        "Points",
        "Bars cover the middle half of the games, lines nine in ten. The mark is the median, the diamond the mean.",
        _spreads,
        data="spreads",
        fields=("bot", "lowest", "quarter", "median", "three_quarters", "highest", "mean"),
    ),
    "times": Chart(
        "Time per decision",
        "Mean milliseconds on the machine that played. It does not affect places.",
        _times,
        needs="ms",
    ),
    "seats": Chart(
        "Seats",
        "The mean score of each seat, over all bots. Every bot plays every deal from every seat, so no bot has an "
        "advantage.",
        _seats,
        data="seats",
        fields=("contest", "seat", "games", "score"),
    ),
}
"""In the order of the page. A new chart is an entry here, and a new attribute of `Board` if it shows new data."""


def specs() -> dict[str, dict[str, Any]]:
    """Every chart as a Vega-Lite spec, by name."""
    import altair as alt

    return {name: _plain(chart.spec(alt)) for name, chart in CHARTS.items()}


@cache
def vega_script() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script that defines `vegaEmbed`."""
    return _kept(f"vega-{version(PACKAGE)}.js", bundle)


@cache
def chart_specs() -> dict[str, Any]:
    """The specs, kept in the cache folder."""
    source = files("league.page").joinpath("charts.py").read_bytes()
    name = f"charts-{version('altair')}-{sha256(source).hexdigest()[:16]}.json"
    kept: dict[str, Any] = msgspec.json.decode(_kept(name, lambda: msgspec.json.encode(specs()).decode()))
    return kept


def bundle() -> str:
    """The script, made by vl-convert."""
    import vl_convert

    script: str = vl_convert.javascript_bundle(SNIPPET)
    return script


def _kept(name: str, make: Callable[[], str]) -> str:
    """The content of a file in the cache folder, which is made if it is not there."""
    path = cache_folder() / name
    with suppress(OSError):
        return path.read_text(encoding="utf-8")
    text = make()
    with suppress(OSError, StoreError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
    return text
