"""Former versions of bots are kept, and can be brought back."""

from pathlib import Path

import pytest

from league.errors import RosterError
from league.setup.roster import load, scan
from league.setup.versions import bring_back, former, put

GOOD = "class Bot:\n    def choose(self, view):\n        return view.legal[0]\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("bots").mkdir()
    Path("bots/bob.py").write_text(GOOD)


def submit(text, as_folder=False):
    path = Path("amy/bot.py" if as_folder else "amy.py")
    path.parent.mkdir(exist_ok=True)
    path.write_text(GOOD + text)
    return put(load(path), Path("bots"), replace=True)


def now():
    """The text of the bot that plays now, and of bob, who must stay."""
    roster = scan(["bots"], Path())
    assert roster.broken == ()
    amy, bob = roster.bots
    assert bob.source == GOOD.encode()
    return amy.source.decode().removeprefix(GOOD)


def test_versions_are_numbered_and_any_can_come_back():
    assert submit("# one") is None
    assert submit("# two").number == 1
    assert submit("# three", as_folder=True).number == 2
    assert submit("# four", as_folder=True).number == 3
    assert submit("# five").number == 4
    assert now() == "# five"
    assert [path.name for _, path in former("amy", Path("bots"))] == ["1.py", "2.py", "3", "4"]
    for number, text in ((1, "# one"), (3, "# three"), (5, "# five"), (2, "# two")):
        kept = bring_back("amy", number, Path("bots"))
        assert now() == text
        assert kept.number == len(former("amy", Path("bots")))
    assert former("bob", Path("bots")) == []


def test_unknown_version_number_is_reported():
    with pytest.raises(RosterError) as raised:
        bring_back("amy", 3, Path("bots"))
    assert str(raised.value) == (
        "Expected the number of a former version, found 3: there are 0 former versions of 'amy' in bots. "
        "`league submit --replace` keeps them."
    )


def test_of_two_who_submit_at_once_one_wins():
    submit("# one")
    with pytest.raises(RosterError, match=r"bots/amy\.py exists already"):
        put(load(Path("amy.py")), Path("bots"), replace=False)
    submit("# two", as_folder=True)
    with pytest.raises(RosterError, match="bots/amy exists already"):
        put(load(Path("amy")), Path("bots"), replace=False)
    assert sorted(path.name for path in Path("bots").iterdir()) == [".versions", "amy", "bob.py"]
