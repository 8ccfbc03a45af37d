"""Ids are the same in every version of League: fields that equal their default are no part of them."""

import msgspec

from league.values.block import Block, Entrant, Series, Terms, canonical, hashed
from league.values.settings import Contest, Limits
from tests.leagues import contest
from tests.tables import each

LINEUP = (Entrant("ann", "0a" * 16), Entrant("zoë", "1b" * 16))
PLAIN = Series(Contest("raj", 2, {}, 1), LINEUP, 1, 5, Limits())
CHOSEN = Series(
    Contest("cheese_rescue", 2, {"surface": "centred", "cheese_points": [1, 2, 3, 4, 5, 9]}, 2, games_per_match=4),
    LINEUP, 0, -7, Limits(move_ms=20, max_faults=2),
)  # fmt: skip
EDITED = (LINEUP[0], Entrant("zoë", "2c" * 16))
RENAMED = (LINEUP[0], Entrant("zoe", "1b" * 16))


class TestPinned:
    """If one of these fails, all stored results are lost to the leagues that have them: undo it, or migrate them."""

    def test_forms(self):
        lineup = (
            '"lineup":[{"name":"ann","source":"0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a"},'
            '{"name":"zoë","source":"1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b"}]'
        )
        assert canonical(PLAIN) == (
            '{"contest":{"game":"raj","options":{},"players":2,"version":1},"limits":{},'
            + lineup
            + ',"rotation":1,"seed":5}'
        )
        assert canonical(CHOSEN) == (
            '{"contest":{"game":"cheese_rescue","games_per_match":4,'
            '"options":{"cheese_points":[1,2,3,4,5,9],"surface":"centred"},"players":2,"version":2},'
            '"limits":{"max_faults":2,"move_ms":20},' + lineup + ',"rotation":0,"seed":-7}'
        )

    def test_ids(self):
        assert PLAIN.id == "117a0c132d756a1c5914fb626a8145f9"
        assert Block(PLAIN, 10, 20).id == f"{PLAIN.id}:10-20"


def test_written_defaults_are_the_same_as_none():
    assert contest("raj", 2, tie_break="second_best") == contest("raj", 2)


class TestDeals:
    """Which lineups play the same deals."""

    @each(
        ("luck_follows", "edited", "renamed"),
        [("seed", True, True), ("names", True, False), ("versions", False, False)],
    )
    def test_luck_follows_from_what_the_terms_say(self, luck_follows, edited, renamed):
        terms = Terms(PLAIN.contest, 5, Limits(), luck_follows)
        luck = terms.series(LINEUP, 0).luck
        assert (terms.series(EDITED, 0).luck == luck) == edited
        assert (terms.series(RENAMED, 0).luck == luck) == renamed
        assert terms.series(LINEUP, 1).luck == terms.series(LINEUP[::-1], 0).luck == luck

    @each("luck_follows", ["seed", "names", "versions"])
    def test_a_new_version_that_plays_an_old_game_again_gets_its_deals(self, luck_follows):
        old = Terms(PLAIN.contest, 5, Limits(), luck_follows).series(LINEUP, 0)
        assert msgspec.structs.replace(old, lineup=EDITED, dealt_as=LINEUP).luck == old.luck


def test_order_of_options_does_not_change_the_canonical_form():
    one, other = (
        Contest("g", 2, {"a": 1, "b": [True, None, "x y"]}, 1),
        Contest("g", 2, {"b": [True, None, "x y"], "a": 1}, 1),
    )
    assert (
        canonical(one)
        == canonical(other)
        == '{"game":"g","options":{"a":1,"b":[true,null,"x y"]},"players":2,"version":1}'
    )
    assert hashed(one) != hashed(msgspec.structs.replace(one, options={"a": 1}))
