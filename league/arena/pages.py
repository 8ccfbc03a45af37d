"""The arena's pages: templates that escape, and a policy by which nothing but the arena's own script runs."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment

from league.arena.access import utc
from league.arena.records import HandInState, Phase
from league.page.inline import environment, static

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
STATE_WORDS: dict[HandInState, str] = {
    "waiting": "waits to be checked",
    "replaced": "was replaced before it was checked",
    "passed": "has passed",
    "failed": "has failed its check",
    "late": "came after the deadline, and is kept aside",
}
PHASE_WORDS: dict[Phase, str] = {
    "open": "Hand-ins are open",
    "closed": "Hand-ins are closed; the last checks run",
    "final": "The final is being played",
    "over": "The final is over",
}


def render(template: str, **values: Any) -> str:
    """A page of the arena."""
    return _templates().get_template(template).render(words=STATE_WORDS, phases=PHASE_WORDS, **values)


@cache
def asset(name: str) -> bytes:
    """A static file of the arena, by its name; raises KeyError if there is none."""
    if name not in ("arena.css", "arena.js"):
        raise KeyError(name)
    text = files("league.arena").joinpath("static", name).read_text(encoding="utf-8")
    return (static("base.css") + text if name == "arena.css" else text).encode()


def _local(seconds: float) -> datetime:
    """A moment as the server's clock shows it."""
    return datetime.fromtimestamp(seconds).astimezone()


@cache
def _templates() -> Environment:
    templates = environment("league.arena")
    templates.filters["utc"] = utc
    templates.filters["moment"] = lambda seconds: _local(seconds).strftime("%Y-%m-%d %H:%M:%S")
    templates.filters["zoned"] = lambda seconds: _local(seconds).strftime("%Y-%m-%d %H:%M:%S %Z")
    return templates
