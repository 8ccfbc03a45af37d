"""No game without golden transcripts, and none that differs from them."""

from __future__ import annotations

import pytest

from league import games
from league.games import replay
from tests.golden import COMMANDS_FOLDER, FOLDER, transcript, variants

WANTED = [(name, file, game) for name in games.names() for file, game in variants(name)]


@pytest.mark.parametrize("name", games.names())
def test_every_registered_game_has_its_transcripts_and_no_others(name):
    wanted = {f"{file}.txt" for file, _ in variants(name)}
    found = {path.name for path in (FOLDER / name).glob("*")}
    assert found == wanted, f"run `make golden`, then read and commit tests/golden/{name}/"


def test_no_transcript_is_left_of_a_game_that_is_gone():
    assert {path.name for path in FOLDER.iterdir() if path != COMMANDS_FOLDER} == {*games.names()}


@pytest.mark.parametrize(("name", "file", "game"), WANTED, ids=[f"{name}-{file}" for name, file, _ in WANTED])
def test_game_matches_its_golden_transcript(name, file, game):
    golden = (FOLDER / name / f"{file}.txt").read_text(encoding="utf-8")
    assert transcript(file, game) == golden, (
        f"{name} plays or tells {file} differently; if that is meant: `make golden`"
    )
    recorded = replay.read(golden[golden.index("\n{\n") :])
    assert replay.verify(recorded) == recorded.outcome
