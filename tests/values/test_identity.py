"""Ids are the same in every version of League: what a later one adds with a default changes none."""

from typing import Literal

import msgspec

from league.games.raj import Raj
from league.games.raj.rules import RajOptions
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


class LaterLimits(Limits, frozen=True):
    """As a later version may have it."""

    cores: int = 1
    places: tuple[str, ...] = ()


class LaterContest(Contest, frozen=True):
    """As a later version may have it."""

    clock: Literal["none", "chess"] = "none"
    shares: dict[str, int] = {}  # noqa: RUF012 - msgspec makes a new one for each

    __hash__ = Contest.__hash__


class LaterSeries(Series, frozen=True):
    """As a later version may have it."""

    seating: int = 1


class LaterOptions(RajOptions, frozen=True):
    """As a later version may have it."""

    rounds: int = 15
    extra_cards: tuple[int, ...] = ()


class LaterRaj(Raj):
    """As a later version may have it."""

    options_type = LaterOptions


def later(series: Series, **changes: object) -> LaterSeries:
    """A series as a later version would make it."""
    fields = msgspec.structs.asdict(series) | {
        "contest": LaterContest(**msgspec.structs.asdict(series.contest)),
        "limits": LaterLimits(**msgspec.structs.asdict(series.limits)),
    }
    return LaterSeries(**(fields | changes))


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


class TestUpgrades:
    @each("series", [PLAIN, CHOSEN])
    def test_new_fields_with_defaults_change_no_id(self, series):
        assert later(series).id == series.id

    def test_a_new_option_with_a_default_changes_no_id(self):
        assert Contest.of(LaterRaj(2)) == Contest.of(Raj(2))
        chosen = {"tie_break": "highest_mouse"}
        assert Contest.of(LaterRaj(2, chosen)) == Contest.of(Raj(2, chosen))

    @each(
        "changes",
        [
            {"seating": 2},
            {"limits": LaterLimits(cores=2)},
            {"contest": LaterContest("raj", 2, {}, 1, shares={"ann": 1})},
            {"contest": LaterContest("raj", 2, {}, 1, clock="chess")},
            {"contest": Contest.of(LaterRaj(2, {"rounds": 3}))},
        ],
    )
    def test_what_is_not_the_default_changes_it(self, changes):
        assert later(PLAIN, **changes).id != PLAIN.id

    def test_a_stored_series_is_read_by_a_later_version_and_has_its_id(self):
        stored = msgspec.msgpack.encode(CHOSEN)
        assert msgspec.msgpack.decode(stored, type=LaterSeries).id == CHOSEN.id

    def test_written_defaults_are_the_same_as_none(self):
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
