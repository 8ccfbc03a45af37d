"""Duels: they find the better bot, stop then, and go on where they stopped."""

import pytest
from msgspec.structs import replace

from league.analysis.rematch import parse_address, play_again
from league.api.duel import LOOKS, ROUND, Duel, lead_text
from league.errors import RosterError
from league.rating.sequential import SequentialTest
from league.results.standings import Standings
from league.results.store import Store
from league.values.settings import Config, Isolation, Limits, Stop
from tests.counting import stored
from tests.leagues import DICE, FIRST, LAST, bot, contest
from tests.tables import each

NEAREST = """
class Bot:
    def choose(self, view):
        return min(view.legal, key=lambda card: abs(card - abs(view.prize) * 1.5))
"""


MIDDLE = """
class Bot:
    def choose(self, view):
        return view.legal[len(view.legal) // 2]
"""


def duel(folder, a, b, others=(), players=2, game="raj", **how):
    config = Config("duel", (), folder, (), seed=5, isolation=Isolation.TRUSTED, limits=Limits())
    return Duel(a, b, others, contest(game, players), config, folder, **how)


def play(one, deals=10 * ROUND, workers=1, stopping=lambda: False, stop=None, **rates):
    seen = []
    test = SequentialTest(**rates)
    outcome = one.play(test, deals, workers, lambda test: seen.append(test.deals), stopping, stop=stop)
    return outcome, seen


def test_the_better_bot_is_found_and_playing_stops(tmp_path):
    outcome, seen = play(duel(tmp_path, bot("near", NEAREST), bot("dice", DICE)))
    assert outcome.verdict == "a"
    assert seen == sorted(set(seen))
    assert seen[-1] == outcome.test.deals < ROUND, "it may be settled after any deal"
    assert outcome.test.mean > 0.5
    with Store.open(tmp_path) as store:
        assert sum(result.block.games for result in stored(store)) >= 2 * outcome.test.deals


def test_seen_from_the_other_side_the_verdict_is_the_other(tmp_path):
    one, _ = play(duel(tmp_path / "one", bot("near", NEAREST), bot("dice", DICE)))
    other, _ = play(duel(tmp_path / "other", bot("dice", DICE), bot("near", NEAREST)))
    assert other.verdict == "b"
    assert other.test.mean == pytest.approx(1 - one.test.mean)


def test_it_goes_on_where_it_stopped_and_ends_the_same(tmp_path):
    bots = (bot("ann", DICE), bot("bob", DICE))
    whole, _ = play(duel(tmp_path / "whole", *bots), deals=3 * ROUND)
    first, _ = play(duel(tmp_path / "parts", *bots), deals=ROUND)
    again, _ = play(duel(tmp_path / "parts", *bots), deals=3 * ROUND, workers=2)
    done, seen = play(duel(tmp_path / "parts", *bots), deals=3 * ROUND)
    assert (first.played, again.played, done.played) == (2 * ROUND, 4 * ROUND, 0)
    assert whole.test.scores == again.test.scores == done.test.scores
    assert seen == [3 * ROUND]


@each(("limit", "deals"), [(Stop(games=2 * ROUND), ROUND), (Stop(rounds=2), 2 * ROUND)])
def test_it_ends_with_its_limit_and_the_same_call_goes_on(tmp_path, limit, deals):
    bots = (bot("ann", DICE), bot("bob", DICE))
    folder = tmp_path / str(deals)
    first, _ = play(duel(folder, *bots), deals=3 * ROUND, stop=limit)
    assert (first.test.deals, first.played, first.interrupted) == (deals, 2 * deals, False)
    second, _ = play(duel(folder, *bots), deals=3 * ROUND)
    assert (second.test.deals, first.played + second.played) == (3 * ROUND, 2 * 3 * ROUND)
    whole, _ = play(duel(folder / "whole", *bots), deals=3 * ROUND)
    assert second.test.scores == whole.test.scores


def test_an_older_version_of_a_bot_goes_on_where_it_was(tmp_path):
    old, new, other = bot("ann", DICE), bot("ann", f"{DICE}# new"), bot("bob", DICE)
    for one, games in ((old, 2 * ROUND), (new, 2 * ROUND), (old, 0)):
        outcome, _ = play(duel(tmp_path, one, other), deals=ROUND)
        assert (outcome.test.deals, outcome.played) == (ROUND, games)


def test_a_bot_that_cannot_be_loaded_is_refused(tmp_path):
    with pytest.raises(RosterError, match=r"ann\.py: cannot be loaded: .*no_such_module"):
        play(duel(tmp_path, bot("ann", f"import no_such_module\n{DICE}"), bot("bob", DICE)))


@each(("deals", "looks"), [(LOOKS, LOOKS), (2 * LOOKS, 2 * LOOKS), (4 * LOOKS, 182)])
def test_the_test_is_looked_at_often_but_not_after_each_of_many_deals(tmp_path, deals, looks):
    class Counting(SequentialTest):
        count = 0

        @property
        def verdict(self):
            self.count += 1

    test = Counting()
    one = duel(tmp_path / str(deals), bot("ann", DICE), bot("bob", DICE))
    one.play(test, deals, 1, lambda test: None, lambda: False)
    assert test.count == looks


def test_an_interrupted_duel_is_not_settled(tmp_path):
    outcome, seen = play(duel(tmp_path, bot("ann", DICE), bot("bob", DICE)), stopping=lambda: True)
    assert (outcome.verdict, outcome.played, seen) == (None, 0, [])


def test_at_larger_tables_both_sit_down_with_the_same_opponents(tmp_path):
    others = [bot("x", DICE), bot("y", DICE)]
    outcome, _ = play(duel(tmp_path, bot("near", NEAREST), bot("dice", DICE), others, players=3), deals=4 * ROUND)
    assert outcome.test.mean > 0.5
    with Store.open(tmp_path) as store:
        lineups = {tuple(one.name for one in result.block.series.lineup) for result in stored(store)}
    assert lineups == {("near", "x", "y"), ("dice", "x", "y")}


def test_scores_are_place_scores_of_what_the_verdict_counts(tmp_path):
    """As the standings of the same games have them, if no round was played in vain."""
    others = [bot("x", DICE), bot("y", DICE)]
    outcome, _ = play(
        duel(tmp_path, bot("near", NEAREST), bot("dice", DICE), others, players=3), 2 * ROUND, alpha=1e-99
    )
    assert outcome.counted == outcome.played == 2 * ROUND * 3 * 2
    with Store.open(tmp_path) as store:
        lines = {line.bot: line for line in Standings.of(store).contests["raj-3p"].lines}
    assert outcome.scores == pytest.approx((lines["near"].mean_score, lines["dice"].mean_score))
    assert outcome.test.mean == pytest.approx((1 + outcome.scores[0] - outcome.scores[1]) / 2)


def test_who_was_at_fault_is_reported_also_when_nothing_is_played_any_more(tmp_path):
    crash = "class Bot:\n    def choose(self, view):\n        raise ValueError"
    bots = (bot("crash", crash), bot("dice", DICE))
    first, _ = play(duel(tmp_path, *bots), deals=ROUND)
    again, _ = play(duel(tmp_path, *bots), deals=ROUND)
    assert first.faults == again.faults
    assert [text.split(" (")[0] for text in first.faults] == ["128 faults of crash"]


@pytest.mark.slow
@pytest.mark.parametrize(("a", "b"), [("ann", "bob"), ("ann", "mia"), ("zoe", "mia")])
def test_a_bot_against_its_own_copy_at_a_larger_table_is_exactly_even(tmp_path, a, b):
    """Bots without chance of their own play the same games there, so every deal scores one half."""
    others = [bot("x", FIRST), bot("f", LAST)]
    one = duel(tmp_path, bot(a, MIDDLE), bot(b, MIDDLE), others, players=3, game="cheese_rescue")
    outcome, _ = play(one, deals=ROUND)
    assert outcome.test.scores == {0.5: ROUND}
    with Store.open(tmp_path) as store:
        (played, *_) = (result.block.series.address(0) for result in stored(store))
        assert not play_again(store, parse_address(str(played))).differs


class TestTogether:
    def test_both_sit_at_one_table(self, tmp_path):
        near, dice = bot("near", NEAREST), bot("dice", DICE)
        one = duel(tmp_path, near, dice, [bot("x", DICE)], players=3, together=True)
        outcome, _ = play(one, deals=4 * ROUND)
        assert outcome.met
        assert outcome.verdict == "a"
        assert outcome.counted == 3 * outcome.test.deals
        with Store.open(tmp_path) as store:
            lineups = {tuple(sorted(one.name for one in result.block.series.lineup)) for result in stored(store)}
        assert lineups == {("dice", "near", "x")}

    @pytest.mark.parametrize(("a", "b"), [("ann", "bob"), ("zoe", "bob")])
    def test_copies_of_a_bot_without_chance_are_even(self, tmp_path, a, b):
        """Whatever their names: every deal is played in every rotation, and orders vary from deal to deal."""
        one = duel(tmp_path, bot(a, MIDDLE), bot(b, MIDDLE), [bot("x", LAST)], players=3, together=True)
        outcome, _ = play(one, deals=2 * ROUND, alpha=1e-99)
        assert outcome.scores[0] == pytest.approx(outcome.scores[1], abs=0.02)

    def test_one_seat_less_is_left_for_others(self, tmp_path):
        with pytest.raises(RosterError, match="Raj, 3 players: expected 1 other bot at the table, found 2"):
            duel(tmp_path, bot("ann"), bot("bob"), [bot("x"), bot("y")], players=3, together=True)
        with pytest.raises(RosterError, match=r"found 1\. Others sit at tables of three and more: ask"):
            duel(tmp_path, bot("ann"), bot("bob"), [bot("x")], together=True)


def test_a_settled_lead_never_reads_as_zero(tmp_path):
    """The bounds are fine enough, and are shown with enough decimals."""
    test = SequentialTest()
    while test.verdict is None:
        test.add(1.0, 55)
        test.add(0.0, 50)
    assert test.verdict == "a"
    shown = lead_text(test)
    assert float(shown.split("(")[1].split(" ")[0]) > 0


def test_mistakes_are_reported(tmp_path):
    ann, bob = bot("ann"), bot("bob")
    with pytest.raises(RosterError, match="found 'ann' twice"):
        duel(tmp_path, ann, bot("ann", DICE))
    with pytest.raises(RosterError, match="expected 2 other bots at the table"):
        duel(tmp_path, ann, bob, [bot("x")], players=3)
    with pytest.raises(RosterError, match="bob does not play raj"):
        duel(tmp_path, ann, replace(bob, games=("braverats",)))
