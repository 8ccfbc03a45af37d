"""Columns hold the games that count, as counting them one by one in plain Python does."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league.plan.schedule import ChosenLineup
from league.results import store as store_module
from league.results.outcomes import Ending, result_of
from league.results.store import Store
from league.setup.config import parse
from league.values.block import Block, BlockResult, Fault, Series
from tests.counting import check_counts, endings_of, stored
from tests.leagues import FIRST, bot, missing

CONFIG = """
league: random
seed: 3
bots: bots
games:
  - {{game: raj, players: [2, 3], deals: {deals}, max_lineups: {most}}}
  - {{game: cheese_rescue, deals: {deals}, count: points, games_per_match: 2}}
  - {{game: braverats, deals: {deals}, count: match, games_per_match: 2}}
"""
TEXTS = {name: FIRST + f"# {name}\n" for name in ("ann", "bob", "cid", "dot")}


def ended(rng: Random, block: Block) -> BlockResult:
    """Games that ended by chance, some with faults and some forfeited."""
    lineup = block.series.lineup
    players = len(lineup)
    endings, faults = [], []
    for deal in range(block.first, block.stop):
        width = rng.choice((3, 3, 100, 10**9, 10**14))
        ranks = tuple(rng.randrange(players) for _ in lineup)
        forfeited = tuple(sorted(rng.sample(range(players), rng.randrange(players)))) if rng.random() < 0.1 else ()
        endings.append(Ending(ranks, tuple(rng.randint(-width, width) for _ in lineup), forfeited))
        if rng.random() < 0.1:
            name = rng.choice(lineup).name
            faults.append(Fault(name, str(block.series.address(deal)), rng.choice(("error", "timeout")), "oh", "tail"))
    return result_of(block, endings, faults)


def cuts(rng: Random, block: Block) -> list[Block]:
    """A gap of deals in blocks of whole matches, some of which were never played."""
    size = block.series.contest.games_per_match
    places = sorted({block.first, block.stop, *rng.choices(range(block.first, block.stop, size), k=rng.randrange(4))})
    blocks = [Block(block.series, *span) for span in pairwise(places)]
    return [part for part in blocks if rng.random() < 0.8]


def written(seed: int, folder: Path) -> None:
    """A league with a history by chance: bots come, change and go, deals become more and fewer, rounds are chosen."""
    rng = Random(seed)
    with Store.create(folder) as store:
        for _ in range(rng.randrange(1, 4)):
            names = rng.sample(sorted(TEXTS), rng.randrange(3, 5))
            bots = [bot(name, TEXTS[name] + rng.choice(("", "# edited\n"))) for name in names]
            config = parse(CONFIG.format(deals=2 * rng.randrange(1, 8), most=rng.randrange(1, 5)), Path())
            store.begin(config, sorted(bots, key=lambda one: one.name), chosen_rounds=rng.random() < 0.3)
            if store.plan().chosen is not None:
                store.record_round([ChosenLineup(0, (0, 1), (2, 6))])
            gaps = missing(store.coverage())
            store.add(*[ended(rng, part) for gap in rng.sample(gaps, len(gaps)) for part in cuts(rng, gap)])


def check(seed: int, most: int) -> None:
    """Compare the columns of a league by chance with plain counting, at most so many games to a part."""
    with TemporaryDirectory(prefix="league-test-") as name, pytest.MonkeyPatch.context() as patch:
        written(seed, Path(name))
        patch.setattr(store_module, "AT_ONCE", most)
        with Store.open(Path(name)) as store:
            check_counts(store)
            found = [part.game(row) for part in store.games() for row in range(part.size)]
            plain = [
                (result.block.series, deal, ending)
                for result in stored(store)
                for deal, ending in enumerate(endings_of(result), result.block.first)
            ]
            assert [(game.series, game.deal) for game in found] == [(series, deal) for series, deal, _ in plain]
            at_fault = {(fault.address, fault.bot) for fault in store.faults()}
            for game, (_, _, ending) in zip(found, plain, strict=True):
                order = [game.bots.index(entrant.name) for entrant in game.series.lineup]
                assert tuple(game.ranks[seat] for seat in order) == ending.ranks
                assert tuple(game.points[seat] for seat in order) == ending.points
                assert tuple(place for place, seat in enumerate(order) if game.forfeits[seat]) == ending.forfeited
                for name, fault, forfeit in zip(game.bots, game.faults, game.forfeits, strict=True):
                    assert fault == (forfeit or (str(game.address), name) in at_fault)


@given(st.integers(0, 2**32), st.sampled_from([1, 7, 2**17]))
@settings(max_examples=6, deadline=None)
def test_columns_are_what_plain_counting_gives(seed: int, most: int) -> None:
    check(seed, most)


@pytest.mark.slow
@given(st.integers(0, 2**32), st.sampled_from([1, 7, 2**17]))
@settings(max_examples=200, deadline=None)
def test_columns_of_200_leagues_are_what_plain_counting_gives(seed: int, most: int) -> None:
    check(seed, most)


def test_order_is_by_name_whoever_came_first(tmp_path: Path) -> None:
    def series_of(folder: Path, *fields: tuple[str, ...]) -> list[Series]:
        with Store.create(folder) as store:
            for names in fields:
                store.begin(parse(CONFIG.format(deals=2, most=9), Path()), [bot(name) for name in names])
                store.add(*[ended(Random(1), gap) for gap in missing(store.coverage())])
            return [series for series, _ in store.coverage().played()]

    late = series_of(tmp_path / "late", ("bob", "cid", "dot"), ("ann", "bob", "cid", "dot"))
    assert late == series_of(tmp_path / "at once", ("ann", "bob", "cid", "dot"))


def test_games_of_a_version_are_those_it_played(tmp_path: Path) -> None:
    old, new = bot("ann"), bot("ann", FIRST + "# new\n")
    with Store.create(tmp_path) as store:
        for ann in (old, new):
            store.begin(parse(CONFIG.format(deals=4, most=9), Path()), [ann, bot("bob"), bot("cid")])
            store.add(*[ended(Random(2), gap) for gap in missing(store.coverage())])
        counts = {one: sum(part.size for part in store.games(store.with_entrant(one.entrant()))) for one in (old, new)}
        assert counts[old] == counts[new] > 0
        for part in store.games(store.with_entrant(old.entrant())):
            assert (np.array([one == old.entrant() for one in part.bots])[part.lineup].sum(axis=1) == 1).all()
        everybody = sum(part.size for part in store.games(store.with_entrant(bot("bob").entrant())))
        assert everybody > sum(part.size for part in store.games())  # those with the old one too
