"""What commands print is what their golden transcripts say."""

import pytest

from tests.golden import COMMANDS_FOLDER
from tests.tables import each
from tests.transcripts import stored, transcripts


@pytest.fixture(scope="module")
def now():
    return dict(transcripts())


@pytest.mark.slow
@each("name", sorted(path.stem for path in COMMANDS_FOLDER.glob("*.txt")))
def test_commands_print_what_they_printed(now, name):
    assert now.get(name) == stored(name), "if that is meant: `make golden`, then read the difference"


@pytest.mark.slow
def test_every_command_has_a_transcript(now):
    assert {path.stem for path in COMMANDS_FOLDER.glob("*.txt")} == now.keys()
