"""The pictures of the standings page: Vega-Lite specs by Altair, which the page's script fills with data.

Each chart names its data set and is made once for all tabs. Colours are the page's own custom properties
(`var(--ink)`), so that a chart follows the colour scheme, and paper, without being drawn again. Pools too large for a
line of text each are drawn as columns by place, with names on hover.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

HANDFUL = 14
"""Up to so many bots the cells of the heat map carry their percentage."""
MANY = 40
"""Beyond so many bots they do not get a line each, nor a name on the axes of the heat map."""
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
DIVERGING = tuple(f"var(--diverging-{step})" for step in range(9))
DARK_INK = "#14161b"
"""Readable on strong colours in both schemes."""
THRESHOLDS = (0.1, 0.25, 0.4, 0.48, 0.52, 0.6, 0.75, 0.9)
NOT_NEAR_HALF = "abs(datum.value - 0.5) < 0.05 ? '' : datum.label"
"""The two thresholds beside one half are too close to be both written down."""
TOP = tuple(f"var(--seat-{step})" for step in range(6))
REST = "var(--even)"


Size = Literal["handful", "few", "many"]
"""Of a pool of bots: how much room there is for each."""


def size_of(bots: int) -> Size:
    """The size of a pool."""
    return "handful" if bots <= HANDFUL else "few" if bots <= MANY else "many"


def specs(size: Size) -> dict[str, dict[str, Any]]:
    """Every chart for a pool of this size, by name."""
    import altair as alt

    few = size != "many"
    charts = {
        "ratings": _ratings(alt, few=few),
        "meetings": _meetings(alt, names=few, labels=size == "handful"),
        "settling": _settling(alt),
        "spreads": _spreads(alt, few=few),
        "seats": _seats(alt),
        "times": _times(alt, few=few),
    }
    return {name: _plain(chart) for name, chart in charts.items()}


def _plain(chart: Any) -> dict[str, Any]:
    spec: dict[str, Any] = chart.properties(width="container").configure(**CONFIG).to_dict()
    return spec


def _sized(chart: Any, step: int, *, few: bool, height: int = 300) -> Any:
    """With a line of so many pixels for each bot; the script knows how many there are. Large pools get one height."""
    return chart.properties(usermeta={"step": step}) if few else chart.properties(height=height)


def _by_bot(alt: Any, *, few: bool) -> tuple[Any, str]:
    """The axis on which bots are, best first, and the one on which their values are."""
    if few:
        return alt.Y("name:N", sort=alt.SortField("order"), title=None, axis=alt.Axis(grid=False)), "x"
    return alt.X("order:O", title="bots by place", axis=alt.Axis(labels=False, grid=False)), "y"


def _figure(alt: Any, bots: Any, values: dict[str, Any], **encoding: Any) -> Any:
    """A chart of bots against values, whichever way round."""
    axis = "y" if isinstance(bots, alt.Y) else "x"
    return alt.Chart(alt.NamedData("rows")).encode(**{axis: bots}, **values, **encoding)


def _ratings(alt: Any, *, few: bool) -> Any:
    bots, value = _by_bot(alt, few=few)
    channel = partial(alt.X if few else alt.Y, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=8))
    tooltip = [
        alt.Tooltip("name:N", title="bot"),
        alt.Tooltip("place:N"),
        alt.Tooltip("rating:Q", format=".2f"),
        alt.Tooltip("low:Q", format=".2f"),
        alt.Tooltip("high:Q", format=".2f"),
    ]
    span = _figure(alt, bots, {value: channel("low:Q", title="rating"), f"{value}2": "high:Q"}, tooltip=tooltip)
    dots = _figure(alt, bots, {value: channel("rating:Q", title="rating")}, tooltip=tooltip)
    layers = alt.layer(
        span.mark_rule(strokeWidth=5 if few else 3, stroke="var(--accent)", opacity=0.35, strokeCap="round"),
        dots.mark_circle(size=60 if few else 22, color="var(--accent)", opacity=1),
    )
    return _sized(layers, 22, few=few)


def _meetings(alt: Any, *, names: bool, labels: bool) -> Any:
    across = alt.Axis(grid=False, labels=names, labelAngle=-60)
    down = alt.Axis(grid=False, labels=names)
    base = alt.Chart(alt.NamedData("rows")).encode(
        x=alt.X("opponent:N", sort=alt.SortField("opponent_order"), title="against", axis=across),
        y=alt.Y("name:N", sort=alt.SortField("order"), title=None if names else "bots by place", axis=down),
        tooltip=[
            alt.Tooltip("name:N", title="bot"),
            alt.Tooltip("opponent:N", title="against"),
            alt.Tooltip("games:Q", format=","),
            alt.Tooltip("score:Q", title="score", format=".1%"),
            alt.Tooltip("interval:N", title="interval"),
            alt.Tooltip("expected:Q", format=".1%"),
        ],
    )
    cells = base.mark_rect().encode(
        color=alt.Color(
            "score:Q",
            scale=alt.Scale(type="threshold", domain=list(THRESHOLDS), range=list(DIVERGING)),
            legend=alt.Legend(title="score", format=".0%", orient="top", gradientLength=280, labelExpr=NOT_NEAR_HALF),
        )
    )
    if not labels:
        return _sized(cells, 18, few=names, height=620)
    outermost = (alt.datum.score < THRESHOLDS[0]) | (alt.datum.score >= THRESHOLDS[-1])
    strong = (alt.datum.score < THRESHOLDS[1]) | (alt.datum.score >= THRESHOLDS[-2])
    readable = alt.when(outermost).then(alt.value("var(--paper)")).when(strong).then(alt.value(DARK_INK))
    text = base.mark_text(fontSize=11).encode(
        text=alt.Text("score:Q", format=".0%"), color=readable.otherwise(alt.value("var(--ink)"))
    )
    return _sized(alt.layer(cells, text), 34, few=True)


def _settling(alt: Any) -> Any:
    base = alt.Chart(alt.NamedData("rows")).encode(
        x=alt.X(
            "games:Q",
            scale=alt.Scale(type="log", nice=False),
            title="games played",
            axis=alt.Axis(grid=False, format="~s"),
        ),
        y=alt.Y("rating:Q", scale=alt.Scale(zero=False), title="rating"),
        detail="name:N",
        tooltip=[
            alt.Tooltip("name:N", title="bot"),
            alt.Tooltip("games:Q", format=","),
            alt.Tooltip("rating:Q", format=".2f"),
        ],
    )
    colour = alt.Color("top:O", scale=alt.Scale(domain=[-1, *range(len(TOP))], range=[REST, *TOP]), legend=None)
    in_top = alt.datum.top >= 0
    lines = base.mark_line().encode(
        color=colour,
        strokeWidth=alt.condition(in_top, alt.value(2), alt.value(1)),
        opacity=alt.condition(in_top, alt.value(1), alt.value(0.6)),
    )
    names = base.transform_filter("datum.top >= 0 && datum.last").mark_text(align="left", dx=7, fontSize=11)
    names = names.encode(y="label:Q", text="name:N", color=colour)
    return alt.layer(lines, names).properties(height=320, padding={"right": 130, "left": 5, "top": 5, "bottom": 5})


def _spreads(alt: Any, *, few: bool) -> Any:
    bots, value = _by_bot(alt, few=few)
    channel = alt.X if few else alt.Y
    tooltip = [
        alt.Tooltip("name:N", title="bot"),
        alt.Tooltip("lowest:Q", title="5 %"),
        alt.Tooltip("quarter:Q", title="25 %"),
        alt.Tooltip("median:Q"),
        alt.Tooltip("three_quarters:Q", title="75 %"),
        alt.Tooltip("highest:Q", title="95 %"),
        alt.Tooltip("mean:Q", format=".2f"),
    ]
    outer = _figure(alt, bots, {value: channel("lowest:Q", title="points"), f"{value}2": "highest:Q"}, tooltip=tooltip)
    inner = _figure(alt, bots, {value: channel("quarter:Q"), f"{value}2": "three_quarters:Q"}, tooltip=tooltip)
    middle = _figure(alt, bots, {value: channel("median:Q")}, tooltip=tooltip)
    mean = _figure(alt, bots, {value: channel("mean:Q")}, tooltip=tooltip)
    layers = alt.layer(
        outer.mark_rule(strokeWidth=1.5, stroke="var(--soft)", opacity=1 if few else 0.35),
        inner.mark_rule(strokeWidth=11 if few else 3, stroke="var(--accent)", opacity=0.4),
        middle.mark_tick(
            color="var(--ink)", thickness=2, size=14 if few else 4, orient="vertical" if few else "horizontal"
        ),
        mean.mark_point(shape="diamond", size=34 if few else 10, filled=True, color="var(--bad)", opacity=1),
    )
    return _sized(layers, 22, few=few)


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
        tooltip=["contest:N", "seat:Q", alt.Tooltip("games:Q", format=","), alt.Tooltip("score:Q", format=".2%")],
    )
    colour = alt.Color("seat:O", scale=alt.Scale(domain=[1, 2, 3, 4, 5, 6], range=list(TOP)), legend=None)
    even = base.mark_rule(stroke="var(--soft)", strokeDash=[4, 4]).encode(x=alt.datum(0.5))
    layers = alt.layer(
        even,
        points.mark_circle(size=330, opacity=1).encode(color=colour),
        points.mark_text(color="var(--raised)", fontWeight="bold", fontSize=11).encode(text="seat:N"),
    )
    return _sized(layers, 34, few=True)


def _times(alt: Any, *, few: bool) -> Any:
    bots, value = _by_bot(alt, few=few)
    channel = alt.X if few else alt.Y
    tooltip = [alt.Tooltip("name:N", title="bot"), alt.Tooltip("ms:Q", title="ms", format=".3~g")]
    values = {
        value: channel(
            "ms:Q",
            title="milliseconds per decision",
            scale=alt.Scale(type="log"),
            axis=alt.Axis(format="~g", values=list(DECADES)),
        )
    }
    dots = _figure(alt, bots, values, tooltip=tooltip).mark_circle(
        size=70 if few else 22, color="var(--good)", opacity=1
    )
    return _sized(dots, 22, few=few)
