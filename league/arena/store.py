"""`arena.db` as one object: people, hand-ins with their content, rounds with their rosters, practice, an audit log.

with ArenaStore.open(folder) as arena:
    receipt = arena.hand_in(person, "amy.py", body)
"""

# ruff: noqa: S608 - queries are put together from constants alone

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

import msgspec

from league.arena.database import RULES, RefusedError
from league.arena.people import DAY
from league.arena.records import LadderRound, Participant, Practice, Rated
from league.arena.submissions import Submissions


class ArenaStore(Submissions):
    """An open arena: what `people` and `submissions` keep, and what is played."""

    # The ladder

    def begin_round(self, roster: Mapping[str, str]) -> LadderRound:
        """Write down who plays in the next round, before it begins."""
        began = self._clock()
        with self._transaction() as db:
            number = int(db.execute("SELECT coalesce(max(number), 0) + 1 FROM rounds").fetchone()[0])
            text = msgspec.json.encode(roster, order="sorted").decode()
            db.execute("INSERT INTO rounds VALUES (?, ?, NULL, ?)", (number, began, text))
        return LadderRound(number, began, None, dict(roster))

    def end_round(self, number: int, ratings: Iterable[Rated] = ()) -> None:
        """Write down that a round is over, and what it came to."""
        with self._transaction() as db:
            rows = [msgspec.structs.astuple(rated) for rated in ratings]
            db.executemany("INSERT OR REPLACE INTO ratings VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
            db.execute("UPDATE rounds SET ended = ? WHERE number = ?", (self._clock(), number))

    def rounds(self) -> list[LadderRound]:
        """All rounds, the oldest first."""
        rows = self._rows("SELECT number, began, ended, roster FROM rounds ORDER BY number")
        return [_as_round(row) for row in rows]

    def version_numbers(self) -> dict[tuple[str, str], int]:
        """The number of each version that was checked, by its bot and the hash of its source as the league knows it."""
        rows = self._rows(
            "SELECT bot, json_extract(verdict, '$.hash'), number FROM submissions JOIN checks ON submission = id"
            " ORDER BY id"
        )
        return {(bot, source): number for bot, source, number in rows}

    def ratings(self, bot: str) -> list[Rated]:
        """A bot after each round, the newest first."""
        return [Rated(*row) for row in self._rows("SELECT * FROM ratings WHERE bot = ? ORDER BY round DESC", bot)]

    def last_round(self) -> LadderRound | None:
        """The newest one."""
        row = self._row("SELECT number, began, ended, roster FROM rounds ORDER BY number DESC LIMIT 1")
        return _as_round(row) if row else None

    def bench(self, submission: int, reason: str) -> None:
        """Let a version play no more."""
        with self._transaction() as db:
            db.execute("INSERT OR IGNORE INTO benched VALUES (?, ?, ?)", (submission, self._clock(), reason))

    def benched(self) -> dict[int, str]:
        """The versions that play no more, and why."""
        return dict(self._rows("SELECT submission, reason FROM benched"))

    def mark(self) -> str:
        """What changes whenever something is handed in, checked, played or decided."""
        row = self._row(
            "SELECT (SELECT count(*) FROM submissions), (SELECT count(*) FROM checks),"
            " (SELECT count(*) FROM activations), (SELECT count(*) + count(ended) FROM rounds),"
            " (SELECT count(*) FROM answers), (SELECT value FROM meta WHERE key = ?)",
            RULES,
        )
        return sha256(repr(row).encode()).hexdigest()[:16]

    # Practice

    def request_practice(self, person: Participant, opponents: Sequence[str], contest: str) -> int:
        """Ask for a few games that do not count; returns the number of the request."""
        now, rules = self._clock(), self.rules
        with self._transaction() as db:
            today = db.execute(
                "SELECT requested FROM practice WHERE bot = ? AND requested > ? ORDER BY requested",
                (person.bot, now - DAY),
            ).fetchall()
            if len(today) >= rules.practice_per_day:
                wait = today[len(today) - rules.practice_per_day][0] - (now - DAY)
                limit = f"Expected at most {rules.practice_per_day} practice games a day, and this is one more."
                raise RefusedError(f"{limit} Try again in {max(1, round(wait / 60))} min.", wait)
            row = (person.bot, msgspec.json.encode(opponents).decode(), contest, now)
            return int(db.execute("INSERT INTO practice VALUES (NULL, ?, ?, ?, ?)", row).lastrowid or 0)

    def practices(self, bot: str | None = None, *, waiting: bool = False, most: int = 20) -> list[Practice]:
        """Practice games, the newest first; with `waiting`, only those without an answer, the oldest first."""
        where = " WHERE (? IS NULL OR p.bot = ?)" + (" AND a.practice IS NULL" if waiting else "")
        order = "ASC" if waiting else "DESC"
        rows = self._rows(
            "SELECT p.id, p.bot, p.opponents, p.contest, p.requested, a.ended, a.answer FROM practice p"
            f" LEFT JOIN answers a ON a.practice = p.id{where} ORDER BY p.id {order} LIMIT ?",
            bot,
            bot,
            most,
        )
        return [
            Practice(
                id_,
                owner,
                tuple(msgspec.json.decode(opponents)),
                contest,
                requested,
                ended,
                msgspec.json.decode(answer) if answer else {},
            )
            for id_, owner, opponents, contest, requested, ended, answer in rows
        ]

    def answer_practice(self, practice: int, answer: Mapping[str, Any]) -> None:
        """Keep what practice games came to."""
        with self._transaction() as db:
            text = msgspec.json.encode(answer).decode()
            db.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", (practice, self._clock(), text))


def _as_round(row: Any) -> LadderRound:
    number, began, ended, roster = row
    return LadderRound(number, began, ended, msgspec.json.decode(roster, type=dict[str, str]))
