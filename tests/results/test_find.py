"""Games are found by how they ended, exactly those that are wanted."""

from itertools import product
from pathlib import Path

import pytest

from league.errors import LeagueError, StoreError
from league.results import games
from league.results.find import Query, count, find, highlights, top
from league.results.games import FoundGame
from league.results.store import Store
from league.setup.config import parse
from tests.leagues import DICE, LAST, LEARNER, bot, missing, play, replays
from tests.tables import each

ROUGH = DICE.replace("return", "if self.rng.random() < 0.04: raise ValueError('out of luck')\n        return")
BOTS = (bot("ann", DICE), bot("bob", LAST), bot("cid", LEARNER), bot("dot", ROUGH))
RATINGS = {"ann": 25.0, "bob": 30.0, "cid": 20.0, "dot": 10.0}


def config(deals=12):
    written = (
        f"[{{game: raj, players: [2, 3], deals: {deals}}}, {{game: braverats, deals: {deals}, games_per_match: 6}}]"
    )
    text = f"league: t\nseed: 1\nbots: bots\ngames: {written}\nisolation: trusted\nlimits: {{max_faults: 1}}\n"
    return parse(text, Path())


@pytest.fixture(scope="module")
def league(tmp_path_factory):
    """A league that was played, and its games as they were seen while they were played."""
    seen = []
    with Store.create(tmp_path_factory.mktemp("games")) as store:
        store.begin(config(), BOTS)
        for block in missing(store.coverage()):
            result = play(block, BOTS, at_fault=["dot"])
            store.add(result)
            for deal, game in enumerate(replays(result), block.first):
                kinds = {lapse.seat: lapse.kind for lapse in game.faults}
                flags = [[seat in kinds, kinds.get(seat) == "forfeit"] for seat in range(block.series.contest.players)]
                seen.append(
                    (block.series.address(deal), game.outcome.ranks, game.outcome.scores, *zip(*flags, strict=True))
                )
        yield store, seen


@pytest.fixture
def store(league):
    return league[0]


def addresses(games):
    return [str(game.address) for game in games]


def ended(game: FoundGame, name: str, against: str | None) -> str:
    ranks = dict(zip(game.bots, game.ranks, strict=True))
    mine = ranks.pop(name)
    others = [ranks[against]] if against else ranks.values()
    return "won" if mine < min(others) else "lost" if mine > min(others) else "drawn"


class TestFinding:
    def test_every_game_is_found_as_it_was_played(self, league):
        store, seen = league
        found = [(game.address, game.ranks, game.points, game.faults, game.forfeits) for game in find(store)]
        assert sorted(found) == sorted(seen)
        assert count(store) == len(seen) == 12 * (6 * 2 + 4 * 3 + 6 * 2)
        assert any(any(forfeits) for *_, forfeits in found)

    @each("seat", [1, 2, 3])
    def test_games_in_one_seat(self, store, seat):
        found = addresses(find(store, Query("ann", seat=seat)))
        assert found == addresses(game for game in find(store, Query("ann")) if game.bots[seat - 1 : seat] == ("ann",))
        assert found

    def test_seats_and_faults_belong_together(self, store):
        for game in find(store):
            assert not any(fault for name, fault in zip(game.bots, game.faults, strict=True) if name != "dot")

    @each(
        ("name", "against", "how", "fault"),
        [*product(["ann", "dot"], [None, "bob"], [None, "won", "drawn", "lost"], [False, True])],
    )
    def test_filters_leave_what_one_by_one_would_be_left(self, store, name, against, how, fault):
        query = Query(name, against, ended=how, fault=fault)
        expected = [
            game
            for game in find(store)
            if {name, against} - {None} <= set(game.bots)
            and how in (None, ended(game, name, against))
            and (not fault or game.faults[game.bots.index(name)])
        ]
        assert list(find(store, query)) == expected
        assert count(store, query) == len(expected)

    @each("game", ["raj", "raj-3p", "braverats-2p"])
    def test_one_game_or_contest(self, store, game):
        found = set(addresses(find(store, Query(game=game))))
        assert found == {address for address in addresses(find(store)) if address.startswith(game)}

    def test_blocks_of_other_lineups_are_not_unpacked(self, store, monkeypatch):
        unpacked = []
        real = games.numbers_of

        def counted(code, packed, counts):
            unpacked.extend(packed)
            return real(code, packed, counts)

        monkeypatch.setattr(games, "numbers_of", counted)
        list(find(store, Query("ann", "bob", "raj-2p")))
        assert len(unpacked) == 2

    def test_a_game_by_its_address(self, store):
        for game in list(find(store))[::7]:
            assert store.game_at(game.series, game.deal) == game
        assert store.game_at(game.series, 99) is None

    @each(
        ("query", "line"),
        [
            (Query("anm"), "There is no bot 'anm' in this league. Did you mean 'ann'?"),
            (Query("ann", "bib"), "There is no bot 'bib' in this league. Did you mean 'bob'?"),
            (Query("ann", "ann"), "Expected two different bots, found 'ann' twice."),
            (
                Query(ended="lost"),
                "Say whose games are wanted: name a bot.",
            ),
            (
                Query(game="raj-4p"),
                "This league has no game 'raj-4p'; it has raj-2p, raj-3p, braverats-2p. Did you mean 'raj-3p'?",
            ),
        ],
    )
    def test_mistakes(self, store, query, line):
        for ask in (find, count):
            with pytest.raises(LeagueError) as told:
                ask(store, query)
            assert str(told.value) == line


def test_only_the_deals_that_count(tmp_path):
    with Store.create(tmp_path) as store:
        store.begin(config(), BOTS)
        for block in missing(store.coverage()):
            store.add(play(block, BOTS, at_fault=["dot"]))
        before = {str(game.address): game for game in find(store)}
        store.begin(config(6), BOTS)
        after = list(find(store))
        assert len(after) == len(before) / 2
        assert all(game == before[str(game.address)] for game in after)
        assert {game.deal for game in after} == set(range(6))


class TestOrders:
    @each("against", [None, "cid"])
    def test_worst_are_the_last_places_and_then_the_widest_margins(self, store, against):
        def key(game):
            points = dict(zip(game.bots, game.points, strict=True))
            others = [points[against]] if against else [points[name] for name in game.bots if name != "ann"]
            return -game.ranks[game.bots.index("ann")], points["ann"] - max(others)

        query = Query("ann", against)
        found = top(store, query, "worst", 3)
        for contest in ("raj-2p", "raj-3p", "braverats-2p"):
            of_contest = [game for game in find(store, query) if game.address.contest == contest]
            assert [game for game in found if game.address.contest == contest] == sorted(of_contest, key=key)[:3]
            assert top(store, Query("ann", against, contest), "best", 1)[0] in of_contest

    def test_closest_is_by_points_and_without_faults(self, store):
        def key(game):
            first, second, *_ = sorted(zip(game.ranks, game.points, strict=True), key=lambda pair: pair[0])
            return abs(first[1] - second[1])

        honest = [game for game in find(store, Query(game="raj-3p")) if not any(game.faults)]
        found = top(store, Query(game="raj-3p"), "closest", 5)
        assert [key(game) for game in found] == sorted(map(key, honest))[:5]
        assert all(game in honest for game in found)

    def test_upsets_are_by_ratings(self, store):
        ratings = dict.fromkeys(("raj-2p", "raj-3p", "braverats-2p"), RATINGS)
        (first, *others) = top(store, Query(game="raj-2p"), "upsets", 400, ratings)
        assert RATINGS[first.bots[first.ranks.index(1)]] - RATINGS[first.bots[first.ranks.index(0)]] == 20.0
        for game in (first, *others):
            winner, loser = game.bots[game.ranks.index(0)], game.bots[game.ranks.index(1)]
            assert RATINGS[loser] > RATINGS[winner]
            assert not any(game.faults)

    @each("bots", [("ann",), ("cid",), ("ann", "bob"), ("cid", "bob")])
    def test_upsets_of_a_bot_are_between_it_and_another_one(self, store, bots):
        """Or between both that are asked for, whoever else sits at the table."""

        def gap(game):
            ranks = dict(zip(game.bots, game.ranks, strict=True))
            pairs = [(one, other) for one, other in product(ranks, ranks) if {*bots} <= {one, other}]
            return max([RATINGS[one] - RATINGS[other] for one, other in pairs if ranks[one] > ranks[other]], default=0)

        ratings = dict.fromkeys(("raj-2p", "raj-3p", "braverats-2p"), RATINGS)
        honest = [game for game in find(store, Query(*bots, game="raj-3p")) if not any(game.faults)]
        found = top(store, Query(*bots, game="raj-3p"), "upsets", 99, ratings)
        assert [gap(game) for game in found] == sorted([gap(game) for game in honest if gap(game) > 0], reverse=True)

    def test_whose_worst(self, store):
        with pytest.raises(LeagueError, match="whose worst games are wanted"):
            top(store, Query(), "worst", 1)


def test_highlights_are_what_single_searches_find(store):
    ratings = dict.fromkeys(("raj-2p", "raj-3p", "braverats-2p"), RATINGS)
    found = highlights(store, ratings)
    assert set(found) == {(key, one.name) for key in ("raj-2p", "raj-3p", "braverats-2p") for one in BOTS}
    for (contest, name), chosen in found.items():

        def first(by, query):
            return next(iter(top(store, query, by, 1, ratings)), None)

        assert chosen.get("worst loss") == first("worst", Query(name, game=contest, ended="lost"))
        assert chosen.get("best win") == first("best", Query(name, game=contest, ended="won"))
        assert chosen.get("closest game") == first("closest", Query(name, game=contest))
        assert chosen.get("first fault") == first("first", Query(name, game=contest, fault=True))
        assert chosen.get("upset") == first("upsets", Query(name, game=contest))
    assert "first fault" in found["raj-2p", "dot"]
    assert "first fault" not in found["raj-2p", "ann"]


def test_a_league_that_was_never_begun_is_said_to_be_incomplete(tmp_path):
    with Store.create(tmp_path) as store, pytest.raises(StoreError, match="run the league again to mend it"):
        find(store, Query(bot="ann"))
