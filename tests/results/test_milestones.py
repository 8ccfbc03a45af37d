"""When a milestone is reached, with differences on both sides of each bound."""

from types import SimpleNamespace

from league.results import milestones
from league.results.compare import Difference, More
from league.values.settings import Milestone
from tests.tables import each

AHEAD, LEVEL, BEHIND = Difference(2, 0.5, 3.5, True), Difference(0, -1, 1, False), Difference(-2, -3.5, -0.5, True)
UNKNOWN = Difference(2, 0.5, 3.5, False, known=False)


@each(
    ("game", "margin", "parts", "reached", "said"),
    [
        ("raj", 0, (AHEAD, AHEAD), True, "ahead of near, settled"),
        ("raj", 0, (AHEAD, LEVEL), False, "level with near, 100 or more games would tell"),
        ("raj", 0, (AHEAD, BEHIND), False, "behind near, settled"),
        ("raj", 0, (AHEAD, UNKNOWN), False, "level with near, 100 or more games would tell"),
        ("raj", 0.99, (LEVEL, LEVEL), False, "level with near, 100 or more games would tell"),
        ("raj", 1.01, (LEVEL, AHEAD), True, "not behind near by more than 1.01, settled"),
        ("raj", 1.01, (LEVEL, BEHIND), False, "behind near, perhaps by less than 1.01"),
        ("raj-2p", 0, (AHEAD, BEHIND), True, "ahead of near, settled"),
        ("raj-3p", 0, (AHEAD, BEHIND), False, "behind near, settled"),
        ("braverats", 0, (AHEAD, AHEAD), False, "no games of braverats with near yet"),
        ("", 0, (BEHIND, BEHIND), True, "ahead of near, settled"),
    ],
)
def test_a_milestone_is_reached_in_each_contest_of_its_game(monkeypatch, game, margin, parts, reached, said):
    contests = [SimpleNamespace(contest=f"raj-{players}p", rating=part) for players, part in enumerate(parts, 2)]
    found = SimpleNamespace(overall=AHEAD, contests=contests, more_games=More(100, 200))
    monkeypatch.setattr(milestones, "compare", lambda *_: found)
    milestone = Milestone("near", points=1, margin=margin, game=game)
    assert milestones._verdict(None, milestone, "amy") == (reached, said)
