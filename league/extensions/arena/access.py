"""Who asks an arena, and what they may see and do: every route asks this, and none has a rule of its own."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request

from league.errors import ArenaError
from league.extensions.arena.records import ArenaRules, Participant, code_hash
from league.extensions.arena.store import ArenaStore
from league.page.privacy import PageReader

COOKIE = "arena"
WRONG_SECONDS, LONGEST_SECONDS = 0.5, 8.0
"""How long the answer to a wrong code takes at first, and if the same one comes again and again."""
KEPT_WRONG = 10_000
MOST_OF_A_PERSON, MOST_OF_AN_ADDRESS, MOST_READING = 16, 128, 1000
"""Requests that read something at the same time: of one person, of all unknown people at an address, and of all."""


SOON = {"Retry-After": "5"}
Call = Callable[..., Awaitable[Any]]
"""Calls a function in a thread that no reader of pages takes."""


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


class SignOn(NamedTuple):
    """A proxy that says who somebody is, after a university's sign-on."""

    header: str
    address: str
    """The address of the proxy: from anywhere else, the header means nothing."""


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
        self._all = 0

    @contextmanager
    def passing(self, access: Access) -> Iterator[None]:
        """While one answer is made and read; raises 429 or 503 if there are too many."""
        person = access.reader
        key, most = (person.id, MOST_OF_A_PERSON) if person else (access.address, MOST_OF_AN_ADDRESS)
        if self._inside[key] >= most:
            raise HTTPException(429, "Too many pages are read from there at once. Try again in 5 s.", SOON)
        if self._all >= MOST_READING and not access.is_staff:
            raise HTTPException(503, "Too many people read at once. Try again in 5 s.", SOON)
        self._inside[key] += 1
        self._all += 1
        try:
            yield
        finally:
            self._all -= 1
            self._inside[key] -= 1
            if not self._inside[key]:
                del self._inside[key]


class Visitors:
    """Tells who asks: by a personal code, by the cookie of a browser, or by the word of a trusted proxy."""

    def __init__(self, arena: ArenaStore, call: Call, sign_on: SignOn | None = None) -> None:
        self._arena = arena
        self._call = call
        self._sign_on = sign_on
        self._wrong = WrongCodes()

    async def access(self, request: Request) -> Access:
        """Who asks, and the rules. A browser that writes must come from a page of this arena."""
        header = request.headers.get("authorization", "")
        if header.startswith("Bearer "):
            person: Participant | None = await self.by_code(header.removeprefix("Bearer ").strip())
        else:
            if request.method == "POST":
                _refuse_other_origins(request)
            person = await self._signed_on(request)
            if person is None and (session := request.cookies.get(COOKIE)):
                person = await self._call(self._arena.by_session, session)
        return Access(person, await self._call(lambda: self._arena.rules), self._address(request))

    async def by_code(self, code: str) -> Participant:
        """Whose code this is; raises 401 for a wrong one, later and later."""
        person: Participant | None = await self._call(self._arena.by_code, code)
        if person is None:
            await asyncio.sleep(self._wrong.seconds(code))
            raise HTTPException(401, "This code is not valid, or was revoked. Ask the lecturer for a new link.")
        return person

    async def called(self, word: str) -> Participant:
        """Somebody by alias or name; raises 404 if there is nobody."""
        try:
            person: Participant = await self._call(self._arena.person_called, word)
        except ArenaError as problem:
            raise HTTPException(404, str(problem)) from None
        return person

    async def _signed_on(self, request: Request) -> Participant | None:
        """Whom a trusted proxy names."""
        proxy = self._sign_on
        word = request.headers.get(proxy.header, "") if proxy else ""
        if not (proxy and word and request.client and request.client.host == proxy.address):
            return None
        person = await self.called(word)
        if person.revoked:  # whoever signs on has no link that could have ended
            raise HTTPException(403, "Your access was revoked. Ask the lecturer.")
        return person

    def _address(self, request: Request) -> str:
        """Where a request comes from; what a proxy for sign-on passes on comes from the proxy's own client."""
        address = request.client.host if request.client else ""
        if self._sign_on and address == self._sign_on.address:
            # The last address is the one that the proxy saw; those before it are what its client claims.
            return ",".join(request.headers.getlist("x-forwarded-for")).rpartition(",")[2].strip() or address
        return address


def _refuse_other_origins(request: Request) -> None:
    """Raise 403 if a browser sends this from a page of another site."""
    origin = request.headers.get("origin")
    if origin is None:
        allowed = request.headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
    else:
        allowed = origin.partition("://")[2] == request.headers.get("host", "")
    if not allowed:
        raise HTTPException(403, "This was sent from a page of another site.")
