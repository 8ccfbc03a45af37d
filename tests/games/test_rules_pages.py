"""Every game has a page with its rules, and the page names every option and every field of the view and the deal."""

from __future__ import annotations

from pathlib import Path

import pytest

from league import games
from league.games.braverats.rules import StartingCards
from league.games.guide import members
from league.testing import option_values

RULES = Path(__file__).parents[2] / "docs" / "rules"


@pytest.fixture(params=sorted(games.BUILT_IN))
def rules(request):
    return games.find(request.param)


def page(rules) -> str:
    return (RULES / f"{rules.name}.md").read_text(encoding="utf-8")


def test_there_is_a_page_for_each_game_and_no_other():
    assert {path.stem for path in RULES.glob("*.md")} == {*games.BUILT_IN}


def test_page_has_title_and_name(rules):
    assert page(rules).startswith(f"# {rules.title}")
    assert f"`{rules.name}`" in page(rules) or f"`game: {rules.name}`" in page(rules)


def test_every_option_and_every_choice_is_explained(rules):
    for option, values in option_values(rules.options_type).items():
        assert f"| `{option}` |" in page(rules), f"option {option}"
        for value in values:
            if isinstance(value, str):
                assert f"`{value}`" in page(rules), f"{option}: {value}"


def test_every_field_and_property_of_the_view_is_explained(rules):
    for name in rules.view_type.__struct_fields__:
        assert f"| `{name}` |" in page(rules), f"view.{name}"
    for name, _ in members(rules.view_type):
        assert f"`{name}`" in page(rules), f"view.{name}"


def test_every_field_of_the_deal_is_explained(rules):
    parts = [rules.deal_type, *([StartingCards] if rules.name == "braverats" else [])]
    for name in (name for part in parts for name in part.__struct_fields__):
        assert f"`{name}`" in page(rules), f"deal.{name}"


def test_every_field_and_option_has_a_docstring_of_its_own(rules):
    for kind in (rules.view_type, rules.options_type, rules.deal_type):
        for name, meaning in members(kind):
            assert meaning.strip(), f"{kind.__name__}.{name}"
