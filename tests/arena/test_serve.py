"""An arena that is served: from the command line to the final, and through kills at any moment."""

import pytest
from click.testing import CliRunner

from league.cli import league
from tests.arena.conftest import FAILING, HIGHEST
from tests.arena.serving import serving, until

pytestmark = pytest.mark.slow


def test_from_login_to_a_place_by_commands_alone(arena, tmp_path, monkeypatch):
    [(_, code)] = arena.invite([("Amy Miller", "amy", "", "author")], "test")
    monkeypatch.setenv("LEAGUE_LOGINS", str(tmp_path / "logins.json"))
    good, bad = tmp_path / "amy.py", tmp_path / "bad.py"
    good.write_bytes(HIGHEST)
    bad.write_bytes(FAILING)
    run = CliRunner().invoke
    with serving(arena.folder) as served:
        until(lambda: run(league, ["arena", "login", f"{served.url}/enter#{code}"]).exit_code == 0)
        assert (tmp_path / "logins.json").stat().st_mode & 0o077 == 0
        passed = run(league, ["submit", str(good), "--to", served.url])
        assert passed.exit_code == 0, passed.output
        assert "It has passed, and plays from the next round on." in passed.output
        failed = run(league, ["submit", str(bad), "--to", served.url])
        assert failed.exit_code == 1
        assert "ZeroDivisionError: division by zero" in failed.output
        until(lambda: "Place " in run(league, ["arena", "status", served.url]).output)
        assert "Version 2: failed. Version 1 plays." in run(league, ["arena", "status", served.url]).output
    log = (arena.folder / "arena.log").read_text()
    assert code not in log
    assert "Traceback" not in log
