"""What all random numbers of a league follow from: drawn and kept, or stretched from a seed, and told to nobody."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from league.analysis.audit import audit
from league.api.leagues import run
from league.games.contract import plain
from league.hosts.process import BotProcess
from league.plan.seating import dealt
from league.results.store import Store
from league.tools.seeds import stretched
from tests.counting import stored
from tests.leagues import DICE, FIRST

pytestmark = pytest.mark.usefixtures("without_page")
CONFIG = "league: small\nbots: bots\ngames: [{game: raj, deals: 6}]\nisolation: trusted\n"


def played(folder: Path, more: str = "") -> Path:
    """The results of a small league."""
    (folder / "bots").mkdir(parents=True, exist_ok=True)
    for name, source in {"ann": DICE, "bob": FIRST}.items():
        (folder / "bots" / f"{name}.py").write_text(source)
    (folder / "small.yaml").write_text(CONFIG + more)
    return run(folder / "small.yaml", results=folder / "results", workers=1).folder


@pytest.fixture(scope="module")
def seedless(without_page: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a league without a seed: its config, bots and results."""
    return played(tmp_path_factory.mktemp("seedless")).parents[1]


def first_deals(folder: Path) -> list[object]:
    with Store.open(folder) as store:
        series = store.plan().series(0, 0, 0)
    return [plain(dealt(series, number)) for number in range(6)]


def games_of_a_run(folder: Path) -> int:
    report = run(folder / "small.yaml", results=folder / "results", workers=1).played
    assert report is not None
    return report.summary.games


@pytest.mark.slow
def test_a_league_without_a_seed_draws_a_secret_and_keeps_it(seedless: Path, tmp_path: Path) -> None:
    shutil.copytree(seedless, tmp_path, dirs_exist_ok=True)
    folder = tmp_path / "results" / "small"
    with Store.open(folder) as store:
        secret = store.secret()
        assert {result.block.series.seed for result in stored(store)} == {store.plan().seed} == {secret}
    before = (folder / "standings.csv").read_bytes()
    (tmp_path / "bots" / "cid.py").write_text(FIRST)
    assert games_of_a_run(tmp_path) == 2 * 12
    (tmp_path / "bots" / "cid.py").unlink()
    assert games_of_a_run(tmp_path) == 0
    assert (folder / "standings.csv").read_bytes() == before
    with Store.open(folder) as store:
        assert store.secret() == secret


@pytest.mark.slow
def test_two_leagues_without_a_seed_have_different_deals(seedless: Path, tmp_path: Path) -> None:
    assert first_deals(seedless / "results" / "small") != first_deals(played(tmp_path))


@pytest.mark.slow
def test_a_seed_gives_the_same_league_everywhere(tmp_path: Path) -> None:
    one, two = played(tmp_path / "one", "seed: 7\n"), played(tmp_path / "two", "seed: 7\n")
    assert first_deals(one) == first_deals(two)
    assert (one / "standings.csv").read_bytes() == (two / "standings.csv").read_bytes()
    with Store.open(one) as store:
        assert store.secret() is None
        assert store.plan().seed == stretched(7)


@pytest.mark.slow
def test_the_secret_stands_in_the_database_and_nowhere_else(tmp_path: Path, with_page: None) -> None:
    folder = played(tmp_path)
    with Store.open(folder) as store:
        secret = store.secret()
    assert secret is not None
    others = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("league.db")]
    assert len(others) > 5
    for path in others:
        assert secret.encode() not in path.read_bytes(), path


@pytest.mark.slow
def test_no_process_of_a_bot_gets_the_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor the random numbers of others: a bot gets a seed of its own for each match."""
    log = tmp_path / "said"
    write = BotProcess._write

    def listening(self: BotProcess, data: bytes) -> None:
        with log.open("ab") as file:  # an audit works in a process of its own
            file.write(data)
        write(self, data)

    monkeypatch.setattr(BotProcess, "_write", listening)
    folder = played(tmp_path)
    with Store.open(folder) as store:
        secret = str(store.secret())
        log.unlink(missing_ok=True)
        audit(store)
    text = log.read_bytes()
    said = []
    at = 0
    while at < len(text):
        size = int.from_bytes(text[at : at + 4], "little")
        said.append(text[at + 4 : at + 4 + size])
        at += 4 + size
    for form in (secret.encode(), bytes.fromhex(secret), bytes.fromhex(secret)[::-1]):
        assert form not in text
    seeds = [begin[2] for message in said for begin in _begins(message)]
    assert len(seeds) > 5
    assert all(0 <= seed < 2**64 for seed in seeds)


def _begins(message: bytes) -> list[list[int]]:
    """The begins of a tick; none if it is another message."""
    try:
        _, begins, *_ = msgspec.msgpack.decode(message)
    except (ValueError, TypeError, msgspec.DecodeError):
        return []
    return begins if isinstance(begins, list) else []
