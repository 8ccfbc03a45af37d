"""The JavaScript that draws the charts, ready to be put into a page.

Bundling takes seconds and always gives the same, so the result is kept in the user's cache folder, by version; where
that cannot be written it is made anew in each process.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from importlib.metadata import version

from league.errors import StoreError
from league.tools.files import cache_folder, write_text

PACKAGE = "vl-convert-python"
SNIPPET = "window.vegaEmbed = vegaEmbed;"


@cache
def vega_script() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script that defines `vegaEmbed`."""
    kept = cache_folder() / f"vega-{version(PACKAGE)}.js"
    with suppress(OSError):
        return kept.read_text(encoding="utf-8")
    script = bundle()
    with suppress(OSError, StoreError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_text(kept, script)
    return script


def bundle() -> str:
    """Make the script anew."""
    import vl_convert

    script: str = vl_convert.javascript_bundle(SNIPPET)
    return script
