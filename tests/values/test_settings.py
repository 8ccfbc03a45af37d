"""Isolation modes are values that know what they can, and are stored as their words."""

import pickle

import msgspec
import pytest

from league.errors import LeagueError
from league.values.settings import Isolation


@pytest.mark.parametrize("mode", Isolation)
def test_isolation_is_stored_as_its_word(mode):
    assert msgspec.json.encode(mode) == f'"{mode}"'.encode()
    assert msgspec.json.decode(f'"{mode}"', type=Isolation) is mode
    assert Isolation(mode.value) is pickle.loads(pickle.dumps(mode)) is mode


def test_only_trusted_bots_run_inside_and_only_the_sandbox_confines():
    assert {mode.value: (mode.runs_inside, mode.confines) for mode in Isolation} == {
        "sandbox": (False, True),
        "process": (False, False),
        "trusted": (True, False),
    }
    assert [mode.outside for mode in Isolation] == [Isolation.SANDBOX, Isolation.PROCESS, Isolation.PROCESS.here]


def test_unknown_isolation_is_one_line_with_the_nearest_word():
    with pytest.raises(LeagueError) as refused:
        Isolation("sandbx")
    assert str(refused.value) == (
        "expected isolation as one of sandbox, process, trusted, found 'sandbx'. Did you mean 'sandbox'?"
    )
