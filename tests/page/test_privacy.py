"""Pages that are handed out give away no more than they should."""

from __future__ import annotations

import re
import shutil

import pytest
from click.testing import CliRunner

from league.cli.find import find_command as find
from league.page import write_page
from league.page.build import fault_notes, gather
from league.page.inline import script_hashes
from league.page.live import LeagueFolder
from league.page.privacy import KEY, Privacy, aliases_of, fresh_names
from league.page.render import page_scripts
from league.page.reports import write_reports
from league.results.history import HistoryEntry
from league.results.lines import Line
from league.results.standings import Standings
from league.results.store import Store
from league.values.block import Fault, MilestoneStep
from league.values.settings import Isolation, PageSettings
from tests.page.leagues import CONFIG, FIRST, play
from tests.page.serving import ask, served

ADDRESS = "raj-2p:zz_amy+zz_fay:0.0"

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


@pytest.mark.parametrize("settings", [PUBLIC, ANONYMOUS])
def test_what_is_handed_out_tells_neither_seed_nor_config_nor_folder(store, settings):
    page = gather(store, Standings.of(store), privacy := Privacy(settings))
    assert "seed" not in dict(page.facts)
    assert page.config == page.folder == ""
    assert privacy.remarks([]) == []
    assert privacy.remarks(["ann is slow"]) == ["One note is hidden."]
    assert any(page.docs.values()) == (settings == PUBLIC)


def test_public_page_lists_a_fault_once():
    """Without their causes, faults of one kind are the same."""
    faults = [Fault("ann", f"raj-2p:ann+bob:{at}.0", "error", f"KeyError: {at}", SECRET) for at in range(30)]
    (note,) = fault_notes(map(Privacy(PUBLIC).fault, faults))
    assert note == (Fault("ann", "raj-2p:ann+bob:0.0", "error", ""), 30)


def test_a_bot_that_left_before_there_were_aliases_is_not_named():
    lines = {name: Line(place="1", bot=name, rating=25, sigma=1, low=24, high=26) for name in ("zz_amy", "zz_old")}
    entry = HistoryEntry(1.0, "", dict.fromkeys(lines, "1"), {"overall": lines}, 10)
    assert "zz_" not in repr(Privacy(ANONYMOUS, {"zz_amy": "calm_fox"}).entry(entry))


def test_milestones_and_faults_name_aliases():
    privacy = Privacy(ANONYMOUS, {"zz_amy": "calm_fox"})
    step = MilestoneStep("beats zz_amy", "zz_amy", 1.0, "reached", "ahead of zz_amy")
    fault = Fault("zz_amy", "raj-2p:zz_amy+zz_bob:0.0", "error", "ValueError", SECRET)
    told = repr([privacy.step(step), privacy.fault(fault)])
    assert "zz_" not in told
    assert told.count("calm_fox") == 4


def test_an_anonymous_page_has_no_name_anywhere(store, tmp_path):
    for path, text in write(store, ANONYMOUS, tmp_path / "public").items():
        assert "zz_" not in path + text, path


def test_aliases_of_a_page_without_games_are_kept(store, tmp_path):
    shutil.copytree(store.folder, tmp_path / "copy")
    with Store.open(tmp_path / "copy") as copy:
        (copy.folder / KEY).unlink(missing_ok=True)
        Privacy.of(copy, ANONYMOUS, keep=True)
        assert (copy.folder / KEY).exists()


def test_aliases_are_the_same_every_week_and_the_key_is_not_handed_out(store, tmp_path):
    before = aliases_of(store.folder, NAMES)
    files = write(store, ANONYMOUS, tmp_path / "public")
    assert KEY not in files
    assert aliases_of(store.folder, [*NAMES, "zz_new"], keep=False).items() > before.items()
    assert all(before[name] in files["standings.html"] for name in NAMES)


def test_nothing_is_left_of_a_page_with_names(store, tmp_path):
    """The same folder is handed out every week, and only this week without names. What else is in it stays there."""
    write(store, PUBLIC, tmp_path / "public")
    note = tmp_path / "public" / "games" / "note.html"
    note.write_text("by hand")
    files = write(store, ANONYMOUS, tmp_path / "public")
    assert not any("zz_" in path for path in files)
    assert files["games/note.html"] == "by hand"


def test_addresses_and_names_of_files_reveal_no_names(store, tmp_path):
    """Addresses tell who sits where, in the order of the names."""
    aliases = aliases_of(store.folder, NAMES)
    files = write(store, ANONYMOUS, tmp_path / "public")
    assert {path for path in files if path.startswith("bots/")} == {f"bots/{alias}.html" for alias in aliases.values()}
    address = re.compile(r"-2p[:_]\w+\+\w+[:_]\d+\.\d")
    for path, text in files.items():
        assert not address.search(path + text), path


def test_games_of_an_anonymous_page_can_be_found(store, tmp_path):
    files = write(store, ANONYMOUS, tmp_path / "public")
    links = set(re.findall(r"games/[\w-]+\.html", "".join(files.values())))
    assert links == games(files) != set()


class Served:
    """What a server answers for a league whose config hides something. One page of a game was added by hand."""

    settings = ""

    @pytest.fixture(scope="class")
    @classmethod
    def folder(cls, tmp_path_factory):
        config = f"{CONFIG.replace('[2, 3]', '2')}page: {{{cls.settings}: true}}\n"
        folder = play(tmp_path_factory.mktemp("league"), BOTS, config)
        with Store.open(folder) as store:
            write_reports(store, Standings.of(store), isolation=Isolation.TRUSTED)
        (folder / "games" / "by_hand.html").write_text(f"<html lang=en data-league-game>zz_fay: {SECRET}")
        return folder

    @pytest.fixture(scope="class")
    @classmethod
    def get(cls, folder):
        """From a path to the status and the text of the answer."""
        with served(folder, Isolation.TRUSTED) as port:
            yield lambda path: (lambda status, content, _: (status, content.decode()))(*ask(port, f"/{path}"))

    def paths(self, folder):
        """Everything that can be asked for."""
        files = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
        queries = [f"games?bot=zz_fay&kind={kind}" for kind in ("lost", "fault")] + ["games?bot=zz_f", "games?bot=x"]
        compared = ["compare/zz_amy/zz_fay", "compare/zz_amy/zz_f", "bots/zz_amy.html"]
        played = [f"play/{ADDRESS}", f"curve/{ADDRESS}"]
        return ["", "progress", *played, "play/raj-2p:zz_amy+zz_f:0.0", *queries, *compared, *files]


class TestAnonymousLeagueServed(Served):
    settings = "anonymous"

    def test_no_answer_has_a_name_or_a_cause(self, folder, get):
        for path in self.paths(folder):
            _, text = get(path)
            assert "zz_" not in text, path
            assert SECRET not in text, path

    def test_what_needs_names_says_why_it_is_not_there(self, get):
        for path in (f"play/{ADDRESS}", f"curve/{ADDRESS}", "games?bot=zz_fay", "compare/zz_amy/zz_fay"):
            status, text = get(path)
            assert status == 404
            assert "hides the names of bots" in text
        assert get("standings.csv")[0] == 404

    def test_the_page_and_its_games_are_there(self, folder, get):
        links = set(re.findall(r"games/[\w-]+\.html", get("")[1]))
        assert links
        assert {get(link)[0] for link in links} == {200}
        assert not any("--curve" in get(link)[1] for link in links), "it would name the address"

    def test_a_page_with_names_that_is_up_to_date_is_not_served(self, folder, get):
        page = folder / "standings.html"
        written = page.read_text()
        page.write_text(f"<html lang=en>{' '.join(script_hashes(page_scripts()))} zz_amy")
        assert "zz_" not in get("")[1]
        page.write_text(written)

    def test_serving_writes_no_key(self, folder):
        key = (folder / KEY).read_bytes()
        (folder / KEY).unlink()
        (folder / "standings.html").unlink()
        assert b"zz_" not in LeagueFolder(folder).page()
        assert not (folder / KEY).exists()
        (folder / KEY).write_bytes(key)

    def test_live_data_have_no_names(self, folder, get):
        with Store.create(folder) as store:  # as a run that is under way
            write_page(store, Standings.of(store), running=True, isolation=Isolation.TRUSTED)
            page, news = get("")[1], get("progress")[1]
            write_page(store, Standings.of(store), isolation=Isolation.TRUSTED)
        assert "Being played" in page
        assert "zz_" not in page + news

    def test_an_export_says_that_it_has_names(self, folder, tmp_path):
        told = CliRunner().invoke(find, [str(folder), "--to", str(tmp_path / "games.csv")])
        assert "names of bots, which the page of this league hides" in " ".join(told.output.split())


class TestPublicLeagueServed(Served):
    settings = "public"

    def test_a_page_with_a_cause_says_why_it_is_not_there(self, get):
        status, text = get("games/by_hand.html")
        assert status == 404
        assert "by_hand.html shows what the page of this league hides." in text

    def test_no_answer_has_a_cause(self, folder, get):
        for path in self.paths(folder):
            assert SECRET not in get(path)[1], path

    def test_names_games_and_files_are_there(self, get):
        for path in (f"play/{ADDRESS}", "games?bot=zz_fay", "compare/zz_amy/zz_fay", "standings.csv"):
            status, text = get(path)
            assert status == 200
            assert "zz_fay" in text
        assert "not shown here" in get(f"play/{ADDRESS}")[1]

    def test_a_curve_is_there_in_numbers_only(self, get):
        (sample, *_) = re.findall(r"games/[\w+%.-]+\.html", get("")[1])
        assert "data-served" in get(sample)[1], "its page can ask for it"
        status, text = get(f"curve/{ADDRESS}")
        assert status == 200
        assert "zz_" not in text


def test_fresh_names_do_not_run_out():
    names = fresh_names(10_000, ())
    assert len({*names}) == 10_000
    assert not {*names} & {*fresh_names(100, names)}
