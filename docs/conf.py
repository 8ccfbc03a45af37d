"""The documentation site: `make site` builds it. Warnings are errors."""

from league import __version__

project = "League"
author = "The League developers"
copyright = "2026, The League developers"  # noqa: A001 - the name that Sphinx reads
version = release = __version__

extensions = ["myst_parser"]
myst_heading_anchors = 3
suppress_warnings = ["misc.highlighting_failure"]  # examples are not always complete programs
html_theme = "furo"
html_title = f"League {__version__}"
