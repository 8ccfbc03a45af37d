"""Who asks an arena, and what they may see and do: every route asks this, and none has a rule of its own."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from starlette.exceptions import HTTPException

from league.extensions.arena.records import ArenaRules, Participant, code_hash
from league.page.privacy import PageReader

WRONG_SECONDS, LONGEST_SECONDS = 0.5, 8.0
"""How long the answer to a wrong code takes at first, and if the same one comes again and again."""
KEPT_WRONG = 10_000
MOST_OF_A_PERSON, MOST_OF_AN_ADDRESS, MOST_READING = 16, 128, 1000
"""Requests that read something at the same time: of one person, of all unknown people at an address, and of all."""


class Access(PageReader):
    """Somebody who asks, and the rules of the arena at this moment."""

    def __init__(self, reader: Participant | None, rules: ArenaRules, address: str = "") -> None:
        self.reader = reader
        """None: nobody who is known."""
        self.rules = rules
        self.address = address

    @property
    def is_staff(self) -> bool:
        """Whether they run the arena: they see everything."""
        return self.reader is not None and self.reader.is_staff

    def anybody(self) -> None:
        """For the pages by which people come in."""

    def enter(self) -> Participant:
        """For the pages of those who take part; returns who asks."""
        if self.reader is None:
            raise HTTPException(401, "Open your personal link first.")
        return self.reader

    def look(self) -> None:
        """For standings and news."""
        if not self.rules.spectators:
            self.enter()

    def run(self) -> None:
        """For the pages of the staff."""
        if not self.enter().is_staff:
            raise HTTPException(403, "This page is for the staff of the course.")

    def own(self, owner: Participant | None) -> Participant:
        """For code, verdicts, tracebacks and versions: those of one's own bot; returns whose they are."""
        if owner is None or not (self.is_staff or self.enter().bot == owner.bot):
            raise HTTPException(403, "This is for its author and the staff.")
        return owner

    def watch(self, bots: Collection[str]) -> None:
        """For games in which these bots play: a game, a list, a curve. Of no bots: any game."""
        self.look()
        if self.is_staff:
            return
        if self.rules.replays == "after-final" and self.rules.phase != "over":
            raise HTTPException(403, "Games can be watched after the final.")
        if self.rules.replays == "own" and (self.reader is None or self.reader.bot not in bots):
            raise HTTPException(403, "Only games of your own bot can be watched.")


class WrongCodeError(HTTPException):
    """Somebody has come with a wrong code, and is told so after some seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(401, "This code is not valid, or was revoked. Ask the lecturer for a new link.")
        self.seconds = seconds


class WrongCodes:
    """How often each wrong code has come. Whoever repeats one waits longer and longer, and nobody else does."""

    def __init__(self) -> None:
        self._counts: OrderedDict[bytes, int] = OrderedDict()

    def seconds(self, code: str) -> float:
        """How long the answer to a wrong code should take, which comes once more."""
        key = code_hash(code)
        before = self._counts.pop(key, 0)
        self._counts[key] = before + 1
        if len(self._counts) > KEPT_WRONG:
            self._counts.popitem(last=False)
        return min(WRONG_SECONDS * 2.0 ** min(before, 10), LONGEST_SECONDS)


class Turnstile:
    """Bounds how many answers are read at the same time, so that slow readers take no connection of a hand-in."""

    def __init__(self) -> None:
        self._inside: Counter[object] = Counter()

    @contextmanager
    def passing(self, access: Access) -> Iterator[None]:
        """While one answer is made and read; raises 429 or 503 if there are too many."""
        person = access.reader
        key, most = (person.id, MOST_OF_A_PERSON) if person else (access.address, MOST_OF_AN_ADDRESS)
        soon = {"Retry-After": "5"}
        if self._inside[key] >= most:
            raise HTTPException(429, "Too many pages are read from there at once. Try again in 5 s.", soon)
        if self._inside.total() >= MOST_READING and not access.is_staff:
            raise HTTPException(503, "Too many people read at once. Try again in 5 s.", soon)
        self._inside[key] += 1
        try:
            yield
        finally:
            self._inside[key] -= 1
            if not self._inside[key]:
                del self._inside[key]
