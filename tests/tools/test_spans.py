"""Spans of time and times of day as people write them."""

from league.tools.text import clock_in, seconds_in
from tests.tables import each


@each(
    ("text", "seconds"),
    [
        ("8h", 8 * 3600),
        ("90min", 5400),
        ("90 m", 5400),
        ("1h 30min", 5400),
        ("1.5h", 5400),
        ("45s", 45),
        ("2d", 172_800),
        ("0s", None),
        ("8", None),
        ("eight hours", None),
        ("8h or so", None),
        ("-8h", None),
        ("", None),
    ],
)
def test_spans(text, seconds):
    assert seconds_in(text) == seconds


@each(
    ("text", "clock"),
    [("06:00", "06:00"), ("6:00", "06:00"), ("23:59", "23:59"), ("24:00", None), ("06.00", None), ("6", None)],
)
def test_clocks(text, clock):
    assert clock_in(text) == clock
