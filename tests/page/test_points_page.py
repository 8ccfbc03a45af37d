"""The page of a league in which points count says so, and shows points."""

import pytest
from msgspec.structs import replace

from league.page.build import gather
from league.page.render import render
from league.results.standings import Standings
from league.results.store import Store
from league.setup.config import load
from league.values.settings import Isolation
from tests.leagues import play_league
from tests.results.test_counting import KUHN


def test_page_shows_points_a_game_and_leads(tmp_path):
    config = load(KUHN)
    events = (replace(config.events[0], deals=10),)
    play_league(replace(config, events=events, isolation=Isolation.TRUSTED), tmp_path)
    with Store.open(tmp_path / "kuhn") as store:
        standings = Standings.of(store)
        page = gather(store, standings)
    (board,) = page.boards
    assert board.counts == "points"
    assert board.subtitle.endswith("points count")
    contest = standings.contests["kuhn-2p"]
    for meeting in board.meetings:
        pair = contest.bots.index(page.bots[meeting.a].name), contest.bots.index(page.bots[meeting.b].name)
        assert (2 * meeting.score - 1) * board.span == pytest.approx(contest.pairs.score[pair])
    last_step = dict(board.settling[-1][1])
    assert last_step == {row.bot: row.line.rating for row in board.rows}
    html = render(page)
    assert f"<td>{board.rows[0].line.rating:.3f}<td" in html
    assert "Points a game" in html
    assert "Points of the bot of the row minus those of the bot of the column" in html
