"""The page of a league in which points count says so, and shows points."""

from msgspec.structs import replace

from league.page.build import gather
from league.page.charts import matrix
from league.page.privacy import Privacy
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
        page = gather(store, standings, Privacy.of(store))
    (board,) = page.boards
    assert board.counts == "points"
    pairs = standings.contests["kuhn-2p"].pairs
    for bot, cells in matrix(board):
        for other, (text, _) in zip([row for row, _ in matrix(board)], cells, strict=True):
            lead = pairs.score[board.bots.index(bot), board.bots.index(other)]
            assert text == ("" if bot == other else f"{lead:+z.2f}")
    assert board.settling[-1][1] == {line.bot: line.rating for line in board.lines}
    html = render(page)
    assert f"<td>{board.lines[0].rating:.3f}<td" in html
    assert "Points a game" in html
    assert "Points of the bot of the row minus those of the bot of the column" in html
