"""Pages that are handed out give away no more than they should."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from league.page import write_page
from league.page.privacy import KEY, Aliases
from league.results.standings import Standings
from league.results.store import Store
from league.values.settings import PageSettings
from tests.page.leagues import CONFIG, FIRST, play

SECRET = "hunter2"
NAMES = ("zz_amy", "zz_bob", "zz_cid", "zz_dora", "zz_emil", "zz_fay")
BOTS = {name: FIRST.replace("class Bot:", f'class Bot:\n    """The bot of {name}."""') for name in NAMES[:-1]}
BOTS[NAMES[-1]] = f"class Bot:\n    def choose(self, view):\n        raise ValueError({SECRET!r})\n"
PUBLIC = PageSettings(public=True)
ANONYMOUS = PageSettings(anonymous=True)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with Store.open(play(tmp_path_factory.mktemp("league"), BOTS, CONFIG.replace("[2, 3]", "2"))) as store:
        yield store


def write(store, settings, target) -> dict[str, str]:
    """Path to content of all that was written."""
    write_page(store, Standings.of(store), settings=settings, folder=target)
    files = [path for path in target.rglob("*") if path.is_file()]
    return {str(path.relative_to(target)): path.read_text(encoding="utf-8") for path in files}


def games(files):
    return {path for path in files if path.startswith("games/")}


def test_a_public_page_does_not_say_what_a_fault_was_about(store, tmp_path):
    own = write(store, PageSettings(), tmp_path / "own")
    public = write(store, PUBLIC, tmp_path / "public")
    assert any(SECRET in text for text in own.values())
    assert games(public) == games(own) != set()
    for path, text in public.items():
        assert SECRET not in text, path
        assert "line 3" not in text, path


def test_an_anonymous_page_has_no_name_anywhere(store, tmp_path):
    for path, text in write(store, ANONYMOUS, tmp_path / "public").items():
        assert "zz_" not in path + text, path


def test_aliases_are_the_same_every_week_and_the_key_is_not_handed_out(store, tmp_path):
    before = Aliases.of(store.folder, NAMES).names
    files = write(store, ANONYMOUS, tmp_path / "public")
    assert KEY not in files
    assert Aliases.of(store.folder, [*NAMES, "zz_new"], keep=False).names.items() > before.items()
    assert all(before[name] in files["standings.html"] for name in NAMES)


def test_nothing_is_left_of_a_page_with_names(store, tmp_path):
    """The same folder is handed out every week, and only this week without names. What else is in it stays there."""
    write(store, PUBLIC, tmp_path / "public")
    note = tmp_path / "public" / "games" / "note.html"
    note.write_text("by hand")
    files = write(store, ANONYMOUS, tmp_path / "public")
    assert not any("zz_" in path for path in files)
    assert files["games/note.html"] == "by hand"


def test_neither_order_nor_seats_tell_who_is_who(store, tmp_path):
    """Bots in the order of their names could be matched with a list of the class. Addresses tell who sits where."""
    aliases = Aliases.of(store.folder, NAMES).names
    files = write(store, ANONYMOUS, tmp_path / "public")
    data = files["standings.html"].partition('id="data">')[2]
    at = [data.index(aliases[name]) for name in NAMES]
    assert [name for _, name in sorted(zip(at, NAMES, strict=True))] == sorted(NAMES, key=aliases.get)
    address = re.compile(r"-2p[:_]\w+\+\w+[:_]\d+\.\d")
    for path, text in files.items():
        assert not address.search(path + text), path


def test_games_of_an_anonymous_page_can_be_found(store, tmp_path):
    files = write(store, ANONYMOUS, tmp_path / "public")
    links = set(re.findall(r"games/[\w-]+\.html", files["standings.html"]))
    assert links == games(files) != set()
    for path in links:
        around = re.findall(r'href="([^"]+)" rel="(?:prev|next)"', files[path])
        assert all((Path(path).parent / href).as_posix() in files for href in around)
