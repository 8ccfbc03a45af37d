"""The JavaScript that draws the charts, and the charts themselves, ready to be put into a page.

Making them takes seconds, and the result is always the same. So they are kept in the user's cache folder, by version.
If it is not writable, each process makes them again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from typing import Any

import msgspec

from league.errors import StoreError
from league.page.charts import specs
from league.tools.files import cache_folder, write_text

PACKAGE = "vl-convert-python"
SNIPPET = "window.vegaEmbed = vegaEmbed;"


@cache
def vega_script() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script that defines `vegaEmbed`."""
    return _kept(f"vega-{version(PACKAGE)}.js", bundle)


@cache
def chart_specs() -> dict[str, Any]:
    """Every chart, by name."""
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
