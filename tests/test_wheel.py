"""The wheel, installed outside of the checkout: what a stranger gets."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    pytest.importorskip("hatchling", reason="hatchling is not installed: no wheel can be built")
    folder = tmp_path_factory.mktemp("dist")
    build = "from hatchling.build import build_wheel; import sys; print(build_wheel(sys.argv[1]))"
    ended = subprocess.run(
        [sys.executable, "-c", build, str(folder)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return folder / ended.stdout.split()[-1]


@pytest.fixture(scope="module")
def fresh(wheel, tmp_path_factory):
    """A virtual environment with nothing but the wheel, which finds the other packages where they are installed."""
    folder = tmp_path_factory.mktemp("fresh")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "env")], check=True)
    site = next((folder / "env").glob("lib/python*/site-packages"))
    with zipfile.ZipFile(wheel) as content:
        content.extractall(site)
    others = [path for path in sys.path if path.endswith("site-packages")]
    (site / "others.pth").write_text("\n".join([*others, sysconfig.get_path("purelib")]))
    return folder


def league(fresh: Path, *words: str, code: int = 0) -> str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    work = fresh / "work"
    work.mkdir(exist_ok=True)
    ended = subprocess.run(
        [str(fresh / "env" / "bin" / "python"), "-P", "-m", "league", *words],
        cwd=work, env=environment, capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert ended.returncode == code, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


def test_the_wheel_carries_bots_configs_and_docs_and_nothing_of_the_developers(wheel):
    with zipfile.ZipFile(wheel) as content:
        names = content.namelist()
    for file in ("bots/random.py", "bots/rats_perfect/bot.py", "configs/quick.yaml", "docs/rules/raj.md"):
        assert f"league/shipped/{file}" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"league", "bot_league"}
    assert not [name for name in names if "__pycache__" in name]


def test_every_link_on_the_page_of_the_package_index_leads_somewhere(wheel):
    """Files of the repository cannot be reached from there."""
    with zipfile.ZipFile(wheel) as content:
        metadata = next(name for name in content.namelist() if name.endswith("METADATA"))
        page = content.read(metadata).decode()
    assert "Write your first bot" in page
    links = re.findall(r"\]\(([^)]*)\)", page)
    assert "](docs/" in (ROOT / "README.md").read_text(encoding="utf-8")  # which must have become plain text
    assert [link for link in links if not link.startswith("https://")] == []


@pytest.mark.soak
def test_a_stranger_gets_from_nothing_to_standings(fresh):
    assert "league init" in league(fresh)
    assert "played by raj_habits and random" in league(fresh, "match", "raj", "raj_habits", "random")
    assert "league run" in league(fresh, "init")
    pages = re.findall(r"`(docs/\S+\.md)`", league(fresh, "games", "raj"))
    assert pages
    assert all((fresh / "work" / page).is_file() for page in pages)
    small = fresh / "work" / "configs" / "small.yaml"
    small.write_text("league: small\nbots: [../bots/r*.py]\ngames: [{game: raj, deals: 2}]\n")
    assert "standings.html" in league(fresh, "run", "configs/small.yaml")
    league(fresh, "new", "mine", "--game", "raj")
    assert "no faults" in league(fresh, "check", "mine.py")
    assert "played by mine and raj_habits" in league(fresh, "match", "raj", "mine", "raj_habits", "--seed", "1")
    assert (fresh / "work" / "results" / "small" / "standings.csv").is_file()


def test_the_package_is_the_one_of_the_wheel(fresh):
    python = str(fresh / "env" / "bin" / "python")
    ended = subprocess.run(
        [python, "-P", "-c", "import league; print(league.__file__)"], cwd=fresh, capture_output=True, text=True
    )
    assert str(fresh) in ended.stdout
