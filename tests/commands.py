"""The real command in a copy of this process: to start Python and to import League takes longer than most commands."""

import os
import sys
import tempfile
import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from subprocess import CompletedProcess

from click.testing import CliRunner, Result

from league.cli import league, main
from league.errors import LeagueError

WITHOUT_PAGE = """
import league.page.reports as reports
reports.write_page = lambda store, *_, **__: store.folder / "standings.html"
"""
"""Code to run before a command: it writes no page and plays no games for it, which takes longer than a small league."""


def command(words: Sequence[object], *, before: str = "", stdout: int | None = None) -> CompletedProcess[str]:
    """What `league WORDS` did, with the code `before` run first, and its output to a file descriptor if one is given.

    It has standard streams of its own, as a new process would, and ends without the clean-up of an interpreter.
    """
    with ExitStack() as files:
        streams = [files.enter_context(tempfile.TemporaryFile("w+")) for _ in range(2)]
        sys.stdout.flush()
        sys.stderr.flush()
        with warnings.catch_warnings(
            action="ignore", category=DeprecationWarning
        ):  # of other threads: none holds locks
            child = os.fork()
        if not child:
            numbers = [os.open(os.devnull, os.O_RDONLY), streams[0].fileno() if stdout is None else stdout]
            _become([str(word) for word in words], before, [*numbers, streams[1].fileno()])
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        for stream in streams:
            stream.seek(0)
        return CompletedProcess([str(word) for word in words], code, *(stream.read() for stream in streams))


def call(*words: object) -> Result:
    """What `league WORDS` did, in this process; only errors that are not the user's escape."""
    result = CliRunner().invoke(league, [str(word) for word in words])
    if result.exception and not isinstance(result.exception, SystemExit | LeagueError):
        raise result.exception
    return result


def refused(*words: object) -> str:
    """The one line with which `league WORDS` refuses; anything else, such as a traceback, fails the test."""
    result = call(*words)
    problem = result.exception
    assert problem is not None, (words, result.output)
    assert result.exit_code in (1, 2), (words, result.output)
    said = str(problem) if isinstance(problem, LeagueError) else result.output.rpartition("Error: ")[2]
    lines = said.strip().splitlines()
    assert len(lines) == 1, (words, lines)
    return lines[0]


def _become(words: list[str], before: str, streams: Sequence[int]) -> None:
    """Run the command in this process, which never returns from it."""
    code = 255
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        sys.stdin, sys.stdout, sys.stderr = (open(n, "r" if n == 0 else "w", closefd=False) for n in range(3))  # noqa: SIM115
        sys.argv = ["league", *words]
        tempfile.tempdir = None
        exec(before, {})
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - nothing may run in this copy that belongs to the original
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(code)
