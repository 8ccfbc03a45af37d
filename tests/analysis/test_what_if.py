"""Games with another version of a bot: the same deal, and where the two part."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from league.analysis.rematch import play_again
from league.analysis.what_if import Decision, Gain, Retry, SeatResult, effects, retries, verdict
from league.cli.replay import _difference
from league.errors import LeagueError, RosterError
from league.games import replay
from league.results.find import Query, find
from league.results.store import Store
from league.setup.config import parse
from tests.leagues import DICE, FIRST, LAST, bot, missing, play
from tests.tables import each

CONFIG = """
league: t
seed: 1
bots: bots
games: [{game: raj, deals: 6}, {game: raj, players: 3, deals: 2}]
isolation: trusted
"""
BOTS = (bot("ann"), bot("bob", LAST), bot("cid", DICE))
LATE = """
class Bot:
    def choose(self, view):
        return view.legal[-1 if len(view.legal) == 12 else 0]
"""
"""As the first one, except in round 4."""
CRASH = LATE.replace("view.legal[-1 if", "view.legal[99 if")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    config = parse(CONFIG, Path())
    with Store.create(tmp_path_factory.mktemp("what-if")) as store:
        store.begin(config, BOTS)
        for block in missing(store.coverage()):
            store.add(play(block, BOTS))
        yield store


def retried(store, source):
    """All games of ann, with another version."""
    return [*retries(store, "ann", bot("another", source), [*find(store, Query("ann"))])]


@pytest.mark.parametrize("luck_follows", ["names", "versions"])
def test_versions_are_compared_on_the_same_deals_also_where_leagues_deal_new_ones(tmp_path, luck_follows):
    with Store.create(tmp_path) as store:
        store.begin(parse(f"{CONFIG}luck_follows: {luck_follows}\n", Path()), BOTS)
        for block in missing(store.coverage()):
            store.add(play(block, BOTS))
        alike = retried(store, f"# the same, edited\n{FIRST}")
    assert all(retry.decision is None and retry.before == retry.after for retry in alike)


class TestOneGame:
    def test_the_first_different_decision_is_found(self, store):
        for retry, game in zip(retried(store, LATE), find(store, Query("ann")), strict=True):
            seat = game.bots.index("ann")
            assert retry.address == str(game.address)
            assert (retry.before.place, retry.before.points) == (game.ranks[seat] + 1, game.points[seat])
            assert retry.decision.step == 4
            assert retry.decision.bot == "ann"
            assert (retry.decision.before, retry.decision.after) == ("bids 4", "bids 15")
            assert any("Round 4 of 15" in line for line in retry.decision.position)
            assert retry.reproduced

    def test_the_outcome_is_that_of_a_league_with_the_new_version(self, store, tmp_path):
        """The new version sits in for the old one under its name: same deals, same random numbers of everybody."""
        bots = (bot("ann", LATE), *BOTS[1:])
        config = parse(CONFIG, Path())
        with Store.create(tmp_path) as other:
            other.begin(config, bots)
            for block in missing(other.coverage()):
                other.add(play(block, bots))
            expected = []
            for game in find(other, Query("ann")):
                seat = game.bots.index("ann")
                expected.append((game.ranks[seat] + 1, game.points[seat]))
        assert [(retry.after.place, retry.after.points) for retry in retried(store, LATE)] == expected

    def test_the_same_decisions_differ_nowhere(self, store):
        played = retried(store, FIRST + "\n# the same, in other words\n")
        assert all(retry.decision is None and retry.before == retry.after for retry in played)
        told = verdict(played, "new.py", chosen_by_result=False)
        assert told == "new.py decides exactly as ann did in these 30 games."

    def test_a_fault_of_the_new_version(self, store):
        retry = retried(store, CRASH)[0]
        assert retry.decision.step == 4
        assert retry.decision.after == "is at fault (error)"
        assert retry.after.fault.startswith("error: IndexError")
        assert retry.after.place == 2

    def test_the_old_game_is_the_one_that_replay_shows(self, store):
        retry, game = retried(store, LATE)[5], list(find(store, Query("ann")))[5]
        shown = play_again(store, game.address).replay
        moved = [moves[game.bots.index("ann")] for moves in shown.moves]
        assert retry.decision.before == f"bids {moved[retry.decision.step - 1]}"
        assert replay.verify(shown)

    def test_the_same_source_is_refused(self, store):
        with pytest.raises(LeagueError, match=r"^another\.py is the same as the ann that played\.$"):
            retried(store, FIRST)

    def test_a_version_that_does_not_play_the_game_is_refused(self, store):
        version = bot("rats", LATE)
        version = type(version)(version.name, version.path, version.source, version.hash, games=("braverats",))
        with pytest.raises(RosterError, match="does not play raj"):
            next(retries(store, "ann", version, [*find(store, Query("ann"))]))


def made_up(contest, match, before, after, points=(0, 0)):
    """A game in which the bot got these place scores."""
    ended = [SeatResult(2 - (score == 1), score, scored) for score, scored in zip((before, after), points, strict=True)]
    decision = None if before == after else Decision(1, "ann", (), "bids 1", "bids 2")
    return Retry(f"{contest}:ann+bob:{match}.0", contest, "ann", match, *ended, decision, reproduced=True)


class TestManyGames:
    def test_effects_are_by_contest(self):
        played = [made_up("raj-2p", at, 0, at % 2, (10, 12 + at)) for at in range(4)]
        raj, rats = effects([*played, made_up("braverats-2p", 0, 1, 0, (4, 2))])
        assert (raj.contest, raj.games, raj.decided, raj.better, raj.worse) == ("raj-2p", 4, 2, 2, 0)
        assert raj.points.value == 3.5
        assert raj.points.low < 3.5 < raj.points.high
        assert (rats.better, rats.worse) == (0, 1)
        assert rats.points == Gain(-2.0, None, None), "one deal does not tell"

    def test_games_of_one_deal_count_as_one(self):
        alone = effects([made_up("raj-2p", at, 0, at % 2) for at in range(20)])[0].score
        thrice = effects([made_up("raj-2p", at, 0, at % 2) for at in range(20)] * 3)[0].score
        assert thrice.low == pytest.approx(alone.low)

    @pytest.mark.parametrize(
        ("scores", "begins"),
        [
            (
                [(0, 1)] * 12 + [(0, 0)] * 3,
                "new.py does better than ann in these 15 games: a better place in 12, a worse one in 0",
            ),
            (
                [(1, 0)] * 12 + [(0, 0)] * 3,
                "new.py does worse than ann in these 15 games: a better place in 0, a worse one in 12",
            ),
            ([(0, 1), (1, 0)] * 5, "These 10 games do not tell whether new.py is better than ann: a better place in 5"),
            ([(0, 1)], "This game does not tell whether new.py is better than ann: a better place in 1"),
        ],
    )
    def test_the_verdict(self, scores, begins):
        played = [made_up("raj-2p", at, *pair) for at, pair in enumerate(scores)]
        assert verdict(played, "new.py", chosen_by_result=False).startswith(begins)
        assert "biases the answer" not in verdict(played, "new.py", chosen_by_result=False)
        assert "biases the answer" in verdict(played, "new.py", chosen_by_result=True)


@each(("bot", "told"), [("", "none"), ("amy", "step 3: 4 → 5"), ("bob", "step 3: bob, an opponent, 4 → 5")])
def test_the_first_decision_that_differs_is_named_with_who_made_it(bot, told):
    decision = SimpleNamespace(bot=bot, step=3, before="4", after="5") if bot else None
    assert _difference(SimpleNamespace(bot="amy", decision=decision)) == told
