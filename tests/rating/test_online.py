"""The trueskill package, as it is installed."""

from pathlib import Path

import trueskill


def test_it_can_be_compiled_where_warnings_are_errors():
    """Its source has an invalid escape; without compiled files it is compiled on every import."""
    compile(Path(trueskill.__file__).read_text(), trueskill.__file__, "exec")
