"""The charts and their script are made once and kept, where they can be kept."""

from __future__ import annotations

import pytest
import vl_convert

from league.page import charts
from league.page.charts import chart_specs, specs, vega_script


@pytest.fixture
def made(monkeypatch):
    """How often the script was made."""
    calls = []

    def bundle(snippet):
        calls.append(snippet)
        return "let charts;"

    monkeypatch.setattr(vl_convert, "javascript_bundle", bundle)
    vega_script.cache_clear()
    yield calls
    vega_script.cache_clear()


def test_it_is_kept_for_the_next_process(made, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "not there yet"))
    for _ in range(2):
        assert vega_script() == "let charts;"
        vega_script.cache_clear()
    assert len(made) == 1


def test_script_is_made_again_without_a_cache(made, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert vega_script() == "let charts;"
    vega_script.cache_clear()
    assert vega_script() == "let charts;"
    assert len(made) == 2


def test_charts_are_kept_as_they_are(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    chart_specs.cache_clear()
    made = chart_specs()
    assert made == specs()
    chart_specs.cache_clear()
    monkeypatch.setattr(charts, "specs", lambda: pytest.fail("made twice"))
    assert chart_specs() == made
    chart_specs.cache_clear()
