"""Who asks: by a personal code, by the cookie of a browser, or by the word of a trusted proxy."""

from __future__ import annotations

from collections.abc import Collection
from math import ceil
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request

from league.errors import ArenaError
from league.extensions.arena.database import RefusedError
from league.extensions.arena.records import ArenaRules, Participant
from league.extensions.arena.store import ArenaStore
from league.page.privacy import PageReader

COOKIE = "arena"
TRIES, TRY_SECONDS = 30, 60.0
"""How often one address may send a wrong code within a minute."""


class Knocks:
    """Counts wrong codes by address, so that nobody can try many."""

    def __init__(self) -> None:
        self._times: dict[str, list[float]] = {}

    def refuse_if_many(self, address: str, now: float) -> None:
        """Raise `RefusedError` if there were too many lately."""
        times = [time for time in self._times.get(address, ()) if time > now - TRY_SECONDS]
        if len(times) >= TRIES:
            wait = times[0] + TRY_SECONDS - now
            raise RefusedError(f"Too many wrong codes came from your address. Try again in {ceil(wait)} s.", wait)
        self._times[address] = times
        if len(self._times) > 10_000:
            self._times = {key: value for key, value in self._times.items() if value}

    def wrong(self, address: str, now: float) -> None:
        """A wrong code came."""
        self._times.setdefault(address, []).append(now)


class SignOn(NamedTuple):
    """A proxy that says who somebody is, after a university's sign-on."""

    header: str
    address: str
    """The address of the proxy: from anywhere else, the header means nothing."""


class Visitors:
    """Tells who asks an arena, and refuses who may not."""

    def __init__(self, arena: ArenaStore, sign_on: SignOn | None = None) -> None:
        self._arena = arena
        self._sign_on = sign_on
        self._knocks = Knocks()

    async def visitor(self, request: Request) -> Participant | None:
        """Who asks; None: nobody who is known. A browser that writes must come from a page of this arena."""
        header = request.headers.get("authorization", "")
        if header.startswith("Bearer "):
            return await self.by_code(request, header.removeprefix("Bearer ").strip())
        if request.method == "POST":
            refuse_other_origins(request)
        proxy = self._sign_on
        word = request.headers.get(proxy.header, "") if proxy else ""
        if proxy and word and request.client and request.client.host == proxy.address:
            person = await self.called(word)
            if person.revoked:  # whoever signs on has no link that could have ended
                raise HTTPException(403, "You may not come in any more. Ask the lecturer.")
            return person
        session = request.cookies.get(COOKIE, "")
        return await run_in_threadpool(self._arena.by_session, session) if session else None

    async def by_code(self, request: Request, code: str) -> Participant:
        """Whose code this is; raises 401 for a wrong one, and counts it."""
        address, now = self._address(request), self._arena.now()
        self._knocks.refuse_if_many(address, now)
        person = await run_in_threadpool(self._arena.by_code, code)
        if person is None:
            self._knocks.wrong(address, now)
            raise HTTPException(401, "This code is not valid, or was revoked. Ask the lecturer for a new link.")
        return person

    def _address(self, request: Request) -> str:
        """Where a request comes from; what a proxy for sign-on passes on comes from the proxy's own client."""
        address = request.client.host if request.client else ""
        if self._sign_on and address == self._sign_on.address:
            # The last address is the one that the proxy saw; those before it are what its client claims.
            return ",".join(request.headers.getlist("x-forwarded-for")).rpartition(",")[2].strip() or address
        return address

    async def participant(self, request: Request) -> Participant:
        """Who asks; raises 401 if it is nobody who is known."""
        person = await self.visitor(request)
        if person is None:
            raise HTTPException(401, "Open your personal link first.")
        return person

    async def member_of_staff(self, request: Request) -> Participant:
        """Who asks; raises 403 if it is an author."""
        person = await self.participant(request)
        if not person.is_staff:
            raise HTTPException(403, "This page is for the staff of the course.")
        return person

    async def called(self, word: str) -> Participant:
        """Somebody by alias or name; raises 404 if there is nobody."""
        try:
            return await run_in_threadpool(self._arena.person_called, word)
        except ArenaError as problem:
            raise HTTPException(404, str(problem)) from None


class ArenaReader(PageReader):
    """What somebody, or nobody who is known, may see: by their role, and the rules of the arena."""

    def __init__(self, person: Participant | None, rules: ArenaRules) -> None:
        self._rules = rules
        self._own = person.bot if person else ""
        self._is_staff = person is not None and person.is_staff

    def watch(self, bots: Collection[str]) -> None:
        """Games of others are shown as the lecturer has decided."""
        if self._is_staff:
            return
        if self._rules.replays == "after-final" and self._rules.phase != "over":
            raise HTTPException(403, "Games can be watched after the final.")
        if self._rules.replays == "own" and (not self._own or self._own not in bots):
            raise HTTPException(403, "Only games of your own bot can be watched.")


def refuse_other_origins(request: Request) -> None:
    """Raise 403 if a browser sends this from a page of another site."""
    origin = request.headers.get("origin")
    if origin is None:
        allowed = request.headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
    else:
        allowed = origin.partition("://")[2] == request.headers.get("host", "")
    if not allowed:
        raise HTTPException(403, "This was sent from a page of another site.")
