"""The people of an arena: invitations, codes, sessions of browsers, deadlines, and who is forgotten."""

# ruff: noqa: S608 - queries are put together from constants alone

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

from league.arena.access import SESSION_DAYS, code_hash, new_code, utc
from league.arena.database import FILE, WRITES, ArenaDatabase, RefusedError, authorizer, explained
from league.arena.records import Participant, Role
from league.errors import ArenaError, did_you_mean

DAY = 86400.0
_PERSON = "SELECT id, name, alias, team, role, code IS NULL, deadline, hidden, disqualified FROM people"


class Participants(ArenaDatabase):
    """Who takes part, and who comes in."""

    def invite(self, people: Iterable[tuple[str, str, str, Role]], actor: str) -> list[tuple[Participant, str]]:
        """Add people, by name, alias, team and role; returns each with their new code, which is kept nowhere."""
        invited = []
        with self._transaction() as db:
            for name, alias, team, role in people:
                code = new_code()
                row = (name, alias, team, role, code_hash(code))
                try:
                    id_ = db.execute(
                        "INSERT INTO people (name, alias, team, role, code) VALUES (?, ?, ?, ?, ?)", row
                    ).lastrowid
                except sqlite3.IntegrityError:
                    raise ArenaError(f"The alias {alias!r} is taken. Nobody was invited; choose another one.") from None
                self._log(db, actor, "invite", f"{alias} ({role})")
                invited.append((self._person(db, int(id_ or 0)), code))
        return invited

    def renew(self, person: Participant, actor: str) -> str:
        """A new code for somebody; the old one and all sessions end."""
        code = new_code()
        self._replace_code(person, code_hash(code), actor, "renew")
        return code

    def revoke(self, person: Participant, actor: str) -> None:
        """Let nobody in by this person's link any more."""
        self._replace_code(person, None, actor, "revoke")

    def _replace_code(self, person: Participant, code: bytes | None, actor: str, action: str) -> None:
        with self._transaction() as db:
            db.execute("UPDATE people SET code = ? WHERE id = ?", (code, person.id))
            db.execute("DELETE FROM sessions WHERE person = ?", (person.id,))
            self._log(db, actor, action, person.alias)

    def people(self) -> list[Participant]:
        """Everybody, staff first, then by alias."""
        rows = self._rows(f"{_PERSON} ORDER BY role = 'author', alias")
        return [_as_person(row) for row in rows]

    def person_called(self, word: str) -> Participant:
        """Somebody by alias, or by name; raises `RefusedError` if nobody or several are called so."""
        people = self.people()
        called = [person for person in people if person.alias.casefold() == word.casefold()]
        called = called or [person for person in people if person.name.casefold() == word.casefold()]
        if len(called) == 1:
            return called[0]
        if called:
            aliases = ", ".join(person.alias for person in called)
            raise RefusedError(f"Several people are called {word!r}. Name one by alias: {aliases}.")
        raise RefusedError(f"Nobody is called {word!r}.{did_you_mean(word, [person.alias for person in people])}")

    def change_person(self, person: Participant, actor: str, **changes: Any) -> None:
        """Change `deadline`, `hidden`, `disqualified`, `name` or `alias` of somebody."""
        with self._transaction() as db:
            for column, value in changes.items():
                if column not in ("deadline", "hidden", "disqualified", "name", "alias", "team"):
                    raise ValueError(f"people have no {column} that can be changed")
                db.execute(f"UPDATE people SET {column} = ? WHERE id = ?", (value, person.id))
            about = ", ".join(f"{column}: {value}" for column, value in changes.items())
            self._log(db, actor, "person", f"{person.alias}: {about}")

    def forget(self, person: Participant, actor: str, *, sources: bool) -> None:
        """Erase somebody's name and link and, with `sources`, all versions of their bot and what was said of them."""
        kept_by_others = "SELECT hash FROM submissions WHERE bot != :bot"
        of_bot = "SELECT id FROM submissions WHERE bot = :bot"
        practice = "SELECT id FROM practice WHERE bot = :bot OR opponents LIKE '%' || json_quote(:bot) || '%'"
        changes = [
            "UPDATE people SET name = alias, code = NULL WHERE id = :id",
            "UPDATE people SET disqualified = :gone WHERE id = :id AND disqualified != ''",
            "DELETE FROM sessions WHERE person = :id",
            "UPDATE submissions SET filename = :gone WHERE person = :id",
            "UPDATE audit SET about = :alias || ': ' || :gone WHERE action = 'person' AND about LIKE :alias || ': %'",
        ]
        if sources:
            changes += [
                f"DELETE FROM contents WHERE hash IN (SELECT hash FROM submissions WHERE bot = :bot)"
                f" AND hash NOT IN ({kept_by_others})",
                f"UPDATE checks SET lines = '[]', verdict = '{{}}' WHERE submission IN ({of_bot})",
                f"UPDATE answers SET answer = '{{}}' WHERE practice IN ({practice})",
            ]
        values = {"bot": person.bot, "gone": "forgotten", "id": person.id, "alias": person.alias}
        with self._transaction() as db:
            for change in changes:
                db.execute(change, values)
            self._log(db, actor, "forget", person.alias)
        with explained(self.folder / FILE), self._one_at_a_time:
            self._db.set_authorizer(None)  # it refuses the way in which SQLite writes the file again
            self._db.execute("VACUUM")  # else the bytes would stay in it
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            self._db.set_authorizer(authorizer(WRITES["web"]))

    def by_code(self, code: str) -> Participant | None:
        """Whose code this is."""
        row = self._row(f"{_PERSON} WHERE code = ?", code_hash(code))
        return _as_person(row) if row else None

    def begin_session(self, person: Participant) -> str:
        """A code for the cookie of a browser."""
        code = new_code()
        with self._transaction() as db:
            db.execute("INSERT INTO sessions VALUES (?, ?, ?)", (code_hash(code), person.id, self._clock()))
        return code

    def end_session(self, code: str) -> None:
        """Sign a browser out."""
        with self._transaction() as db:
            db.execute("DELETE FROM sessions WHERE code = ?", (code_hash(code),))

    def by_session(self, code: str) -> Participant | None:
        """Whose browser this is."""
        since = self._clock() - SESSION_DAYS * DAY
        row = self._row(
            f"{_PERSON} WHERE code IS NOT NULL AND id = (SELECT person FROM sessions WHERE code = ? AND began > ?)",
            code_hash(code),
            since,
        )
        return _as_person(row) if row else None

    def set_deadline(self, actor: str, deadline: float | None, person: Participant | None = None) -> None:
        """Move everybody's deadline, or somebody's own; None takes it back.

        One that is over would close the arena at once, and for good, so it is refused.
        """
        if self.rules.phase != "open":
            raise RefusedError("The arena is closed, so its deadline cannot be moved any more.")
        if deadline is not None and deadline <= self._clock():
            raise RefusedError(
                f"Expected a time to come, found {utc(deadline)}. To close the arena now, begin the final."
            )
        if person is None:
            self.change_rules(actor, deadline=deadline)
        else:
            self.change_person(person, actor, deadline=deadline)

    def deadline_of(self, person: Participant) -> float | None:
        """Until when somebody may hand in; None: there is no deadline yet."""
        return person.deadline if person.deadline is not None else self.rules.deadline

    def hidden_bots(self) -> set[str]:
        """The bots that other authors may neither watch nor practise against."""
        return {person.bot for person in self.people() if person.hidden}

    def _person(self, db: sqlite3.Connection, id_: int) -> Participant:
        return _as_person(db.execute(f"{_PERSON} WHERE id = ?", (id_,)).fetchone())


def _as_person(row: Any) -> Participant:
    id_, name, alias, team, role, revoked, deadline, hidden, disqualified = row
    return Participant(id_, name, alias, team, role, bool(revoked), deadline, bool(hidden), disqualified)
