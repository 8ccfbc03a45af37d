"""What goes into a page: templates that escape, and data and scripts that cannot break out of their tags.

Names, docstrings, tracebacks and configs are untrusted. Templates escape them in text and attributes. In data they are
JSON without '<', '>' and '&'. The page's content security policy allows the page's own scripts only, by their hashes,
and loads nothing.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib.resources import files
from math import isnan
from typing import Any
from urllib.parse import urlencode

import msgspec
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from league.results.report import shown_chance
from league.tools.table import Column, Table
from league.tools.text import duration

_FOR_PEOPLE = re.compile(r"/\*.*?\*/\s*|\s*(\{)\s*|;?\s*(\})\s*|(?<=[,;:])\s+|(?<=[\s(:,-])0(?=\.)", re.DOTALL)
"""What a style sheet can do without: comments, spaces around braces and after punctuation, zeros before points."""
DASH = "\N{EN DASH}"
"""What pages have where there is no value."""
SEATINGS = ("first", "second", "third", "fourth", "fifth", "sixth")
_UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def render_template(
    template: str, scripts: Sequence[str], *, package: str = "league.page", frames: str = "'none'", **values: Any
) -> str:
    """A page from a template. Only these scripts can run in it, and only pages from `frames` can be shown in it."""
    tags = [_script_tag(script) for script in scripts]
    policy = content_policy(scripts, frames=frames)
    return environment(package).get_template(template).render(policy=policy, scripts=tags, **values)


def content_policy(scripts: Sequence[str], *, connect: str = "'self'", frames: str = "'none'") -> str:
    """A content security policy: only these scripts run, nothing is loaded, and only `connect` is asked for data.

    Pages of other addresses can be shown inside it from `frames` alone.
    """
    allowed = " ".join(f"'{mark}'" for mark in script_hashes(scripts))
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        f"connect-src {connect}; frame-src {frames}; base-uri 'none'; form-action 'self'"
    )


def script_hashes(scripts: Sequence[str]) -> list[str]:
    """The hash of each script, as policies have it."""
    return [f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}" for script in scripts]


def inline_json(value: Any) -> Markup:
    """Data as JSON for a script tag: nothing in it can end the tag, open a comment or break a line."""
    text = msgspec.json.encode(value).decode()
    for char, escape in _UNSAFE.items():
        text = text.replace(char, escape)
    return Markup(text)  # noqa: S704 - made harmless just above


def static(name: str) -> str:
    """The text of a file in `static/`; of a style sheet, without what only people need."""
    text = files("league.page").joinpath("static", name).read_text(encoding="utf-8")
    return _FOR_PEOPLE.sub(lambda found: found[1] or found[2] or "", text) if name.endswith(".css") else text


def place(text: str) -> str:
    """A place such as '1-3' with the dash that pages have; a dash alone for a bot without a place."""
    return text.replace("-", DASH) if text[:1].isdigit() else DASH


def chance(part: float | None) -> str:
    """A chance for people: '78 %'; a dash where it is not known."""
    if part is None or isnan(part):
        return DASH
    return shown_chance(part).replace("more than", ">").replace(" ", "\N{NO-BREAK SPACE}")


def share(part: float | None) -> str:
    """A part of a whole: '94.7 %'."""
    return DASH if part is None or isnan(part) else f"{100 * part:.1f}\N{NO-BREAK SPACE}%"


def game_words(deal: int, rotation: int) -> str:
    """Which game of a lineup it is, for people: 'deal 1, first seating' is 0.0 in an address."""
    seating = SEATINGS[rotation] if rotation < len(SEATINGS) else f"{rotation + 1}th"
    return f"deal {deal + 1}, {seating} seating"


def moment(seconds: float, *, ago: bool = True) -> Markup:
    """A moment, which a script shows in the reader's own zone, with how long ago it was or how far away it is."""
    at = datetime.fromtimestamp(seconds, UTC)
    tag = Markup('<time datetime="{}" data-ago>{}</time>') if ago else Markup('<time datetime="{}">{}</time>')
    return tag.format(at.isoformat(timespec="seconds"), f"{at:%-d %B %Y, %H:%M} UTC")


def _kind(column: Column) -> Markup:
    """The class of a column's cells, as an attribute: its style, and 't' for text."""
    kinds = [column.style] * bool(column.style) + ["t"] * (not column.spec)
    quoted = f'"{" ".join(kinds)}"' if len(kinds) > 1 else "".join(kinds)
    return Markup(f" class={quoted}" if kinds else "")  # noqa: S704 - our own words


def _script_tag(script: str) -> Markup:
    if "</script" in script.lower() or "<!--" in script:
        raise ValueError("a script must not hold what would end its tag")
    return Markup(f"<script>{script}</script>")  # noqa: S704 - our own code, checked just above


@cache
def environment(package: str) -> Environment:
    """The templates of a package, which may extend and import those of `league.page`.

    They escape, and a value that is missing is an error.
    """
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("league.page")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["json"] = inline_json
    environment.globals |= {"game_words": game_words, "table_of": Table.of}
    environment.filters["query"] = lambda parts: urlencode({key: part for key, part in parts.items() if part})
    environment.filters["span"] = duration
    environment.filters |= {"chance": chance, "place": place, "share": share, "moment": moment, "kind": _kind}
    environment.globals["static"] = lambda name: Markup(static(name))  # noqa: S704 - files of this package
    return environment
