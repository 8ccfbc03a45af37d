"""How often the page of a league under way is written, beside the standings that are watched."""

from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from league.page import reports
from league.results.store import Store


@pytest.mark.parametrize(("watch_seconds", "polls"), [(1.0, 25), (None, 25)])
def test_the_page_is_written_no_more_often_than_it_is_asked_for(tmp_path, monkeypatch, watch_seconds, polls):
    now, looks = [0.0], [0]
    Store.create(tmp_path / "t").close()

    class Pipe:
        """It is closed after some looks, each of which takes as long as it is asked to wait."""

        def __init__(self, number):
            self.send = Mock()

        def __enter__(self):
            return self

        def __exit__(self, *problem):
            return None

        def poll(self, seconds):
            now[0] += seconds
            looks[0] += 1
            return looks[0] > polls

    written = []
    for name, value in {
        "system": SimpleNamespace(die_with=lambda parent: None),
        "signal": SimpleNamespace(signal=lambda *_: None, SIGTERM=15),
        "os": SimpleNamespace(nice=lambda by: None),
        "Connection": Pipe,
        "monotonic": lambda: now[0],
        "standings_now": lambda store: None,
        "write_reports": lambda *_, **__: written.append(now[0]),
    }.items():
        monkeypatch.setattr(reports, name, value)
    reports.renew(str(tmp_path / "t"), 10.0, watch_seconds, 0, 0)
    seconds = [10.0 * number for number in range(1, len(written) + 1)]
    assert written == seconds
    assert len(written) == (2 if watch_seconds else polls)
