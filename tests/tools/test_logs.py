"""Logs do not grow without end."""

import logging

from league.tools import logs
from league.tools.logs import LOGGER, logging_to


def test_a_log_that_is_too_large_is_put_aside_and_the_oldest_is_forgotten(tmp_path, monkeypatch):
    monkeypatch.setattr(logs, "LOG_BYTES", 100)
    path = tmp_path / "league.log"
    for run in range(20):
        with logging_to(path):
            logging.getLogger(LOGGER).info("run %d of a league that is played on and on", run)
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "league.log",
        "league.log.1",
        "league.log.2",
        "league.log.3",
    ]
    assert "run 19 " in path.read_text()
    texts = [tmp_path.joinpath(f"league.log.{number}").read_text() for number in (3, 2, 1)] + [path.read_text()]
    runs = [int(line.split("run ")[1].split()[0]) for text in texts for line in text.splitlines()]
    assert runs == [*range(runs[0], 20)]  # none of those that are kept is missing
