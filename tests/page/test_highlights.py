"""The games of a league that are worth a look are those that they are said to be."""

from __future__ import annotations

import pytest

from league.page import samples
from league.page.privacy import Privacy
from league.page.samples import chosen
from league.results.find import Query, find
from league.results.standings import Standings
from league.results.store import Store
from tests.page.leagues import play


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with Store.open(play(tmp_path_factory.mktemp("league"))) as store:
        yield store


@pytest.fixture(scope="module")
def standings(store):
    return Standings.of(store)


def test_what_the_author_of_every_bot_looks_for_comes_before_the_rest(store, standings):
    about_one = [*samples._candidates(store, standings)]
    assert {reason for _, index, _, reason, _ in about_one if index} > set(samples.WANTED)
    for importance, index, bot, reason, _ in about_one:
        assert importance == (index > 0 and reason not in samples.WANTED), (bot, reason)


def reasons_of(choices):
    """Contest, bot and reason to the game that was chosen for it."""
    return {(game.contest.key, bot, reason): game for game, reasons in choices for bot, reason in reasons}


def test_the_games_of_the_best_come_first_and_every_bot_has_its_worst_loss_soon(store, standings, monkeypatch):
    """Whatever the number of pages: a bot in the middle of the table is not forgotten for a tenth game of the best."""
    lost = {
        (key, bot)
        for key, contest in standings.contests.items()
        for bot in contest.bots
        if next(find(store, Query(bot=bot, game=key, ended="lost")), None)
    }
    monkeypatch.setattr(samples, "MOST", len(lost) + 3 * len(standings.contests))
    choices = chosen(store, standings)
    leaders = {contest.lines[0].bot for contest in standings.contests.values()}
    assert {bot for bot, _ in choices[0][1]} & leaders
    found = reasons_of(choices)
    assert {(key, bot) for key, bot, reason in found if reason == "worst loss"} == lost
    assert all((key, "rash", "first fault") in found for key, one in standings.contests.items() if "rash" in one.bots)


def test_their_number_is_bounded_and_contests_take_turns(store, standings, monkeypatch):
    monkeypatch.setattr(samples, "MOST", 10)
    games = [game for game, _ in chosen(store, standings)]
    assert len(games) == 10
    assert {game.contest.key for game in games} == set(standings.contests)


def test_an_upset_says_who_surprises_whom(store, standings):
    found = [
        (key, game) for (key, _, reason), game in reasons_of(chosen(store, standings)).items() if reason == "upset"
    ]
    assert found
    for key, game in found:
        contest = standings.contests[key]
        winner, loser = samples._surprise(game, contest, Privacy.of(store)).split(" surprises ")
        rating = {line.bot: line.rating for line in contest.lines}
        assert rating[winner] < rating[loser]
        assert game.ranks[game.bots.index(winner)] < game.ranks[game.bots.index(loser)]
