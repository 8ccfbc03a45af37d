"""The web application of an arena: hand-ins, author's and staff's pages, standings.

    app = make_app([folder], secure=False, hosts=("localhost",))

It takes and shows what people hand in, and never opens, imports or runs any of it. People come in by a personal code,
which is exchanged for a cookie; programs send the code with each request. Whoever has neither sees a welcome.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from math import ceil
from pathlib import Path
from time import time
from typing import Any, NamedTuple
from urllib.parse import parse_qs

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route, Router
from starlette.types import Receive, Scope, Send

from league.arena.briefs import Briefs
from league.arena.database import RefusedError
from league.arena.folder import CONFIG, FINAL, RESULTS, arena_config, staff_bots
from league.arena.pages import HEADERS, asset, render
from league.arena.records import STAFF, Participant, Submission
from league.arena.store import ArenaStore
from league.errors import ArenaError, LeagueError
from league.page.live import LeagueFolder
from league.page.server import LeagueRoutes
from league.results.schema import FILE as LEAGUE_FILE

COOKIE = "arena"
UPLOAD_SECONDS = 60.0
"""For the whole body of a request to arrive."""
MOST_FORM = 2_000_000
"""Bytes of a form."""
MOST_IN_FLIGHT = 256 << 20
"""Bytes of all bodies that are arriving at this moment."""
LEAST_DISK = 200 << 20
"""Free bytes on the disk below which nothing is taken: results need them."""
NEWS_SECONDS = 1.0
KEEP_ALIVE_SECONDS = 15.0
MOST_FILENAME = 200
TRIES, TRY_SECONDS = 30, 60.0
"""How often one address may send a wrong code within a minute."""

Answer = Callable[[Request], Awaitable[Response]]


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


class Bulletin:
    """News for any number of readers: read once a second while anybody listens, and sent when it has changed."""

    def __init__(self, read: Callable[[], str]) -> None:
        self._read = read
        self._news = ""
        self._changed = asyncio.Event()
        self._reader: asyncio.Task[None] | None = None
        self._listeners = 0

    async def listen(self, ends: Callable[[], bool]) -> AsyncIterator[bytes]:
        """Server-sent events until the reader leaves or the server ends."""
        self._listeners += 1
        if self._reader is None:
            self._reader = asyncio.create_task(self._watch(ends))
        try:
            last = ""
            while not ends():
                if self._news != last:
                    last = self._news
                    yield f"data: {last}\n\n".encode()
                changed = self._changed
                try:
                    await asyncio.wait_for(changed.wait(), KEEP_ALIVE_SECONDS)
                except TimeoutError:
                    yield b": nothing new\n\n"
        finally:
            self._listeners -= 1

    async def _watch(self, ends: Callable[[], bool]) -> None:
        while self._listeners and not ends():
            news = await run_in_threadpool(self._read)
            if news != self._news:
                self._news = news
                self._wake()
            await asyncio.sleep(NEWS_SECONDS)
        self._wake()
        self._reader = None

    def _wake(self) -> None:
        before, self._changed = self._changed, asyncio.Event()
        before.set()


class SignOn(NamedTuple):
    """A proxy that says who somebody is, after a university's sign-on."""

    header: str
    address: str
    """Of the proxy: from anywhere else, the header means nothing."""


class Visit(NamedTuple):
    """Who asks, and how."""

    person: Participant | None
    by_cookie: bool


class ArenaRoutes:
    """The routes of one arena."""

    def __init__(self, folder: Path, *, secure: bool, ends: Callable[[], bool], sign_on: SignOn | None = None) -> None:
        self._sign_on = sign_on
        self._folder = folder
        self._arena = ArenaStore.open(folder)
        self._config = arena_config(folder)
        self._secure = secure
        self._ends = ends
        self._briefs = Briefs(folder)
        self._knocks = Knocks()
        self._bulletin = Bulletin(self._news)
        self._in_flight = 0
        self._leagues: dict[Path, Router] = {}

    @property
    def name(self) -> str:
        """Of the arena."""
        return self._arena.fact("name")

    def close(self) -> None:
        """Let go of the arena."""
        self._arena.close()

    def routes(self) -> list[BaseRoute]:
        """Everything, relative to where the arena is mounted."""
        post = ["POST"]
        return [
            Route("/", self._welcome),
            Route("/static/{name}", self._static),
            Route("/enter", self._enter_page),
            Route("/enter", self._enter, methods=post),
            Route("/leave", self._leave, methods=post),
            Route("/me", self._me),
            Route("/me.json", self._me_json),
            Route("/me/config.yaml", self._config_file),
            Route("/me/submit", self._submit, methods=post),
            Route("/me/paste", self._paste, methods=post),
            Route("/me/versions/{number:int}", self._download),
            Route("/me/receipts/{number:int}", self._receipt),
            Route("/me/versions/{number:int}/play", self._play_version, methods=post),
            Route("/me/practice", self._practice, methods=post),
            Route("/events", self._events),
            Route("/staff", self._staff),
            Route("/staff.json", self._staff_json),
            Route("/staff/people/{alias}", self._author_seen_by_staff),
            Route("/staff/people/{alias}/versions/{number:int}", self._download),
            Route("/staff/people/{alias}/receipts/{number:int}", self._receipt),
            Route("/staff/{action}", self._act, methods=post),
            Route("/standings", self._slash),
            Mount("/standings", app=self._standings),
        ]

    # Who is there

    async def _visit(self, request: Request) -> Visit:
        """Who asks. A browser that writes must come from a page of this arena."""
        header = request.headers.get("authorization", "")
        if header.startswith("Bearer "):
            return Visit(await self._by_code(request, header.removeprefix("Bearer ").strip()), by_cookie=False)
        if request.method == "POST":
            refuse_other_origins(request)
        proxy = self._sign_on
        word = request.headers.get(proxy.header, "") if proxy else ""
        if proxy and word and request.client and request.client.host == proxy.address:
            return Visit(await self._called(word), by_cookie=True)
        session = request.cookies.get(COOKIE, "")
        person = await run_in_threadpool(self._arena.by_session, session) if session else None
        return Visit(person, by_cookie=True)

    async def _by_code(self, request: Request, code: str) -> Participant:
        address, now = request.client.host if request.client else "", self._arena.now()
        self._knocks.refuse_if_many(address, now)
        person = await run_in_threadpool(self._arena.by_code, code)
        if person is None:
            self._knocks.wrong(address, now)
            raise HTTPException(401, "This code is not valid, or was revoked. Ask the lecturer for a new link.")
        return person

    async def _author(self, request: Request) -> Participant:
        visit = await self._visit(request)
        if visit.person is None:
            raise HTTPException(401, "Open your personal link first.")
        return visit.person

    async def _member_of_staff(self, request: Request) -> Participant:
        person = await self._author(request)
        if person.role not in STAFF:
            raise HTTPException(403, "This page is for the staff of the course.")
        return person

    # Coming in

    async def _welcome(self, request: Request) -> Response:
        person = (await self._visit(request)).person
        if person:
            return RedirectResponse(f"{_root(request)}/{'staff' if person.is_staff else 'me'}", 303)
        return self._page(request, "landing.html.j2", None)

    async def _enter_page(self, request: Request) -> Response:
        return self._page(request, "enter.html.j2", None)

    async def _enter(self, request: Request) -> Response:
        refuse_other_origins(request)
        form = await self._form(request)
        person = await self._by_code(request, form.get("code", "").strip())
        session = await run_in_threadpool(self._arena.begin_session, person)
        answer = RedirectResponse(f"{_root(request)}/", 303)
        answer.set_cookie(
            COOKIE,
            session,
            max_age=120 * 86400,
            path=_root(request) or "/",
            httponly=True,
            samesite="strict",
            secure=self._secure,
        )
        return answer

    async def _leave(self, request: Request) -> Response:
        await self._visit(request)
        await run_in_threadpool(self._arena.end_session, request.cookies.get(COOKIE, ""))
        answer = RedirectResponse(f"{_root(request)}/", 303)
        answer.delete_cookie(COOKIE, path=_root(request) or "/")
        return answer

    async def _static(self, request: Request) -> Response:
        name = request.path_params["name"]
        try:
            content = asset(name)
        except KeyError:
            raise HTTPException(404) from None
        kind = "text/css" if name.endswith(".css") else "text/javascript"
        return Response(content, media_type=kind, headers={**HEADERS, "Cache-Control": "max-age=300"})

    # The author

    async def _me(self, request: Request) -> Response:
        person = await self._author(request)
        if person.is_staff:
            return RedirectResponse(f"{_root(request)}/staff", 303)
        return self._page(request, "author.html.j2", person, **await run_in_threadpool(self._about, person, person))

    def _about(self, owner: Participant, reader: Participant) -> dict[str, Any]:
        """What an author's page shows, to its author or to the staff."""
        arena = self._arena
        versions = {submission.id: submission for submission in arena.submissions(owner.bot)}
        by_hash = {submission.hash: submission.number for submission in versions.values()}
        active = arena.playing_version(owner.bot)
        own = reader.id == owner.id
        return {
            "owner": owner,
            "base": "me" if own else f"staff/people/{owner.alias}",
            "deadline": arena.deadline_of(owner),
            "versions": versions,
            "checks": {id_: check for id_ in versions if (check := arena.check_of(id_))},
            "active": active,
            "benched": arena.benched().get(active.submission, "") if active else "",
            "queued": self._queued(owner.bot),
            "brief": self._briefs.of(owner.bot),
            "rounds": [
                {
                    "round": rated.round,
                    "version": by_hash.get(rated.hash, ""),
                    "rating": rated.rating,
                    "place": rated.place,
                }
                for rated in arena.ratings(owner.bot)
            ],
            "may_submit": own,
            "most_mb": self._config.folder_mb,
            "contests": [contest.key for contest in self._config.contests()],
            "opponents": self._opponents(owner.bot),
            "practices": arena.practices(owner.bot, most=5),
        }

    def _queued(self, bot: str) -> dict[str, Any] | None:
        """Where a bot is in the queue, and how long that takes by the last checks."""
        for place, submission in enumerate(self._arena.queue(), 1):
            if submission.bot == bot:
                lately = self._arena.seconds_of_checks()
                return {"place": place, "seconds": place * sum(lately) / len(lately) if lately else None}
        return None

    def _opponents(self, bot: str) -> list[str]:
        others = [other for other in self._arena.active() if other not in {bot, *self._arena.hidden_bots()}]
        return [*(staff.name for staff in staff_bots(self._folder)), *others]

    async def _me_json(self, request: Request) -> Response:
        person = await self._author(request)
        return _json(await run_in_threadpool(self._status, person))

    def _status(self, person: Participant) -> dict[str, Any]:
        arena = self._arena
        submissions = arena.submissions(person.bot)
        active = arena.playing_version(person.bot)
        deadline, brief = arena.deadline_of(person), self._briefs.of(person.bot)
        check = arena.check_of(submissions[0].id) if submissions else None
        return {
            "arena": self.name,
            "alias": person.alias,
            "bot": person.bot,
            "role": person.role,
            "phase": arena.rules.phase,
            "now": arena.now(),
            "deadline": deadline,
            "versions": [msgspec.to_builtins(submission) for submission in submissions],
            "plays": active and next(s.number for s in submissions if s.id == active.submission),
            "queue": self._queued(person.bot),
            "verdict": list(check.lines) if check else None,
            "passed": check.passed if check else None,
            "standing": msgspec.to_builtins(brief) if brief else None,
        }

    async def _config_file(self, request: Request) -> Response:
        await self._author(request)
        text = (self._folder / CONFIG).read_text(encoding="utf-8")
        return Response(text, media_type="text/plain", headers=HEADERS)

    async def _submit(self, request: Request) -> Response:
        person = await self._author(request)
        filename = _plain_name(request.query_params.get("filename", ""))
        body = await self._body(request, self._config.folder_mb << 20)
        receipt = await self._keep(person, filename, body)
        return _json(msgspec.to_builtins(receipt), 201)

    async def _paste(self, request: Request) -> Response:
        person = await self._author(request)
        form = await self._form(request)
        text = form.get("text", "").replace("\r\n", "\n")
        await self._keep(person, "bot.py", text.encode())
        return RedirectResponse(f"{_root(request)}/me", 303)

    async def _keep(self, person: Participant, filename: str, body: bytes) -> msgspec.Struct:
        if person.is_staff:
            raise RefusedError("The staff's bots are in the folder staff/ of the arena; only authors hand in here.")
        if not body.strip():
            raise RefusedError("Expected a bot, found an empty file. Nothing was handed in.")
        if shutil.disk_usage(self._folder).free < LEAST_DISK:
            raise HTTPException(507, "The server's disk is nearly full. Nothing was handed in; tell the lecturer.")
        return await run_in_threadpool(self._arena.hand_in, person, filename, body)

    async def _download(self, request: Request) -> Response:
        submission = await self._version(request)
        content = await run_in_threadpool(self._arena.content, submission)
        name = f"{submission.bot}-{submission.number}{Path(submission.filename).suffix}"
        headers = {**HEADERS, "Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type="application/octet-stream", headers=headers)

    async def _receipt(self, request: Request) -> Response:
        submission = await self._version(request)
        return _json(msgspec.to_builtins(await run_in_threadpool(self._arena.receipt, submission)))

    async def _version(self, request: Request) -> Submission:
        """The version that an address names: of one's own, or of anybody's for the staff."""
        alias = request.path_params.get("alias")
        if alias is None:
            owner = await self._author(request)
        else:
            await self._member_of_staff(request)
            owner = await self._called(alias)
        for submission in await run_in_threadpool(self._arena.submissions, owner.bot):
            if submission.number == request.path_params["number"]:
                return submission
        raise HTTPException(404, f"There is no version {request.path_params['number']} of {owner.bot}.")

    async def _play_version(self, request: Request) -> Response:
        person = await self._author(request)
        submission = await self._version(request)
        if self._arena.rules.phase != "open":
            raise RefusedError("Hand-ins are closed: the version that plays is settled.")
        await run_in_threadpool(self._arena.play_version, submission, person.alias)
        return RedirectResponse(f"{_root(request)}/me", 303)

    async def _practice(self, request: Request) -> Response:
        person = await self._author(request)
        form = await self._form(request)
        contest, opponent = form.get("contest", ""), form.get("opponent", "")
        if contest not in [known.key for known in self._config.contests()]:
            raise RefusedError("Expected a contest of this league. Choose one of the list.")
        if opponent not in await run_in_threadpool(self._opponents, person.bot):
            raise RefusedError("Expected a bot that plays in this arena. Choose one of the list.")
        await run_in_threadpool(self._arena.request_practice, person, [opponent], contest)
        return RedirectResponse(f"{_root(request)}/me", 303)

    # The staff

    async def _staff(self, request: Request) -> Response:
        person = await self._member_of_staff(request)
        about = await run_in_threadpool(self._course)
        return self._page(request, "staff.html.j2", person, lecturer=person.role == "lecturer", **about)

    async def _staff_json(self, request: Request) -> Response:
        await self._member_of_staff(request)
        about = await run_in_threadpool(self._course)
        return _json(msgspec.to_builtins(about))

    def _course(self) -> dict[str, Any]:
        arena = self._arena
        newest: dict[str, Submission] = {}
        seconds: dict[str, float] = {}
        for submission in arena.submissions():
            newest.setdefault(submission.bot, submission)
            check = arena.check_of(submission.id)
            seconds[submission.bot] = seconds.get(submission.bot, 0.0) + (check.seconds if check else 0.0)
        benched = arena.benched()
        people = []
        for person in arena.people():
            last, brief = newest.get(person.bot), self._briefs.of(person.bot)
            active = arena.playing_version(person.bot)
            people.append(
                {
                    "person": person,
                    "last": last,
                    "benched": bool(active and active.submission in benched),
                    "seconds": seconds.get(person.bot, 0.0),
                    "place": brief.place if brief else "",
                }
            )
        return {
            "rules": arena.rules,
            "queue": arena.queue(),
            "last_round": arena.last_round(),
            "load": f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores",
            "roster_hash": arena.fact("roster_hash"),
            "people": people,
            "equal": arena.equal_files(),
            "log": arena.audit(50),
        }

    async def _author_seen_by_staff(self, request: Request) -> Response:
        reader = await self._member_of_staff(request)
        owner = await self._called(request.path_params["alias"])
        return self._page(request, "author.html.j2", reader, **await run_in_threadpool(self._about, owner, reader))

    async def _called(self, word: str) -> Participant:
        try:
            return await run_in_threadpool(self._arena.person_called, word)
        except ArenaError as problem:
            raise HTTPException(404, str(problem)) from None

    async def _act(self, request: Request) -> Response:
        person = await self._member_of_staff(request)
        if person.role != "lecturer":
            raise HTTPException(403, "Only the lecturer can do this.")
        action = _ACTIONS.get(request.path_params["action"])
        if action is None:
            raise HTTPException(404)
        form = await self._form(request)
        await run_in_threadpool(action, self._arena, person, form)
        return RedirectResponse(f"{_root(request)}/staff", 303)

    # Standings and news

    async def _slash(self, request: Request) -> Response:
        return RedirectResponse(f"{_root(request)}/standings/", 303)

    async def _standings(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The pages of the ladder, and of the final when it is over, for whoever may see them."""
        request = Request(scope, receive)
        person = (await self._visit(request)).person
        rules = self._arena.rules
        if person is None and not rules.spectators:
            raise HTTPException(401, "Open your personal link first.")
        self._refuse_others_games(scope.get("path", ""), person)
        ladder = self._folder / RESULTS / self._config.name
        final = self._folder / FINAL / RESULTS / f"{self._config.name}-final"
        league = final if rules.phase == "over" else ladder
        if not (league / LEAGUE_FILE).is_file():
            raise HTTPException(404, "No round has been played yet. Come back after the first one.")
        if league not in self._leagues:
            routes = LeagueRoutes(LeagueFolder(league), self._ends).routes()
            self._leagues[league] = Router(routes)
        await self._leagues[league](scope, receive, send)

    def _refuse_others_games(self, path: str, person: Participant | None) -> None:
        """Games of others are shown as the lecturer has decided."""
        rules = self._arena.rules
        word = path.rpartition("/standings/")[2]
        if not word.startswith(("play/", "games")) or (person and person.is_staff):
            return
        if rules.replays == "after-final" and rules.phase != "over":
            raise HTTPException(403, "Games can be watched after the final.")
        lineup = word.removeprefix("play/").split(":")[1].split("+") if word.count(":") == 2 else []
        own = person is not None and person.bot in lineup
        if rules.replays == "own" and not own:
            raise HTTPException(403, "Only games of your own bot can be watched.")
        if not own and self._arena.hidden_bots().intersection(lineup):
            raise HTTPException(403, "Games of this bot cannot be watched.")

    async def _events(self, request: Request) -> Response:
        visit = await self._visit(request)
        if visit.person is None and not self._arena.rules.spectators:
            raise HTTPException(401, "Open your personal link first.")
        return StreamingResponse(self._bulletin.listen(self._ends), media_type="text/event-stream", headers=HEADERS)

    def _news(self) -> str:
        """What changes when a page has something new; it tells nothing about anybody."""
        return self._arena.mark()

    # Bodies and answers

    async def _body(self, request: Request, most: int) -> bytes:
        """The whole body, within its size and its time."""
        parts, size = [], 0
        try:
            async with asyncio.timeout(UPLOAD_SECONDS):
                async for part in request.stream():
                    size += len(part)
                    self._in_flight += len(part)
                    if size > most:
                        raise HTTPException(
                            413, f"Expected at most {most >> 20 or 1} MB, found more. Nothing was handed in."
                        )
                    if self._in_flight > MOST_IN_FLIGHT:
                        headers = {"Retry-After": "10"}
                        raise HTTPException(503, "Many hand-ins arrive at this moment. Try again in 10 s.", headers)
                    parts.append(part)
        except TimeoutError:
            limit = f"Expected the whole file within {UPLOAD_SECONDS:.0f} s. Nothing was handed in; try again."
            raise HTTPException(408, limit) from None
        except ClientDisconnect:
            raise HTTPException(400, "The connection was closed before the whole file had arrived.") from None
        finally:
            self._in_flight -= size
        return b"".join(parts)

    async def _form(self, request: Request) -> dict[str, str]:
        body = await self._body(request, MOST_FORM)
        try:
            fields = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=20)
        except (UnicodeDecodeError, ValueError):
            raise HTTPException(400, "Expected a form of this page.") from None
        return {key: values[-1] for key, values in fields.items()}

    def _page(self, request: Request, template: str, person: Participant | None, **values: Any) -> Response:
        text = render(
            template,
            arena=self.name,
            root=_root(request),
            person=person,
            spectators=self._arena.rules.spectators,
            now=self._arena.now(),
            secret_hash=self._arena.fact("secret_hash"),
            **values,
        )
        return Response(text, media_type="text/html", headers=HEADERS)


def make_app(
    folders: Sequence[Path],
    *,
    secure: bool = False,
    hosts: Sequence[str] = ("localhost", "127.0.0.1"),
    ends: Callable[[], bool] = lambda: False,
    sign_on: SignOn | None = None,
) -> Starlette:
    """The application for one arena, or for several, each below its name."""
    arenas = [ArenaRoutes(folder, secure=secure, ends=ends, sign_on=sign_on) for folder in folders]
    if len(arenas) == 1:
        routes = arenas[0].routes()
    else:
        names = [arena.name for arena in arenas]
        if twice := {name for name in names if names.count(name) > 1}:
            raise ArenaError(f"Two arenas are called {sorted(twice)[0]!r}. Serve them apart.")
        routes = [Mount(f"/{arena.name}", routes=arena.routes()) for arena in arenas]
    return Starlette(
        routes=routes,
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts)), Middleware(GZipMiddleware)],
        exception_handlers={LeagueError: _explain, HTTPException: _explain_http, 500: _explain_bug},
    )


def refuse_other_origins(request: Request) -> None:
    """Raise 403 if a browser sends this from a page of another site."""
    origin = request.headers.get("origin")
    if origin is None:
        if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise HTTPException(403, "This was sent from a page of another site.")
    elif origin.partition("://")[2] != request.headers.get("host", ""):
        raise HTTPException(403, "This was sent from a page of another site.")


def _pause(arena: ArenaStore, person: Participant, form: Mapping[str, str]) -> None:
    arena.change_rules(person.alias, paused=True)


def _resume(arena: ArenaStore, person: Participant, form: Mapping[str, str]) -> None:
    arena.change_rules(person.alias, paused=False)


def _set_deadline(arena: ArenaStore, person: Participant, form: Mapping[str, str]) -> None:
    try:
        moment = datetime.fromisoformat(form.get("when", ""))
        offset = timedelta(hours=float(form.get("offset") or 0))
        seconds = (moment.replace(tzinfo=UTC) - offset).timestamp()
    except (ValueError, OverflowError):
        raise RefusedError("Expected a date and a time, as in 2027-01-31T18:00, and an offset in hours.") from None
    arena.set_deadline(person.alias, seconds)


def _begin_final(arena: ArenaStore, person: Participant, form: Mapping[str, str]) -> None:
    if form.get("sure") != "yes":
        raise RefusedError("Tick the box: after this nothing can be handed in any more.")
    if arena.rules.phase != "open":
        raise RefusedError("The final has begun already.")
    arena.change_rules(person.alias, phase="closed")


def _revoke(arena: ArenaStore, person: Participant, form: Mapping[str, str]) -> None:
    arena.revoke(arena.person_called(form.get("who", "")), person.alias)


def _disqualify(arena: ArenaStore, person: Participant, form: Mapping[str, str]) -> None:
    reason = form.get("reason", "").strip()
    if not reason:
        raise RefusedError("Expected a reason: the author will read it.")
    arena.change_person(arena.person_called(form.get("who", "")), person.alias, disqualified=reason)


def _readmit(arena: ArenaStore, person: Participant, form: Mapping[str, str]) -> None:
    arena.change_person(arena.person_called(form.get("who", "")), person.alias, disqualified="")


def _accept(arena: ArenaStore, person: Participant, form: Mapping[str, str]) -> None:
    owner = arena.person_called(form.get("who", ""))
    late = [submission for submission in arena.submissions(owner.bot) if submission.state == "late"]
    if not late:
        raise RefusedError(f"{owner.bot} has no late hand-in.")
    arena.accept_late(late[0], person.alias)


_ACTIONS: dict[str, Callable[[ArenaStore, Participant, Mapping[str, str]], None]] = {
    "pause": _pause,
    "resume": _resume,
    "deadline": _set_deadline,
    "final": _begin_final,
    "revoke": _revoke,
    "disqualify": _disqualify,
    "readmit": _readmit,
    "accept": _accept,
}


def _root(request: Request) -> str:
    return str(request.scope.get("root_path", "")).rstrip("/")


def _plain_name(filename: str) -> str:
    """The name of a file without folders and strange characters: only its ending matters."""
    name = filename.replace("\\", "/").rpartition("/")[2]
    kept = "".join(char for char in name if char.isalnum() or char in "._-")[-MOST_FILENAME:].lstrip(".")
    return kept or "bot.py"


def _json(data: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(data), status, media_type="application/json", headers=HEADERS)


async def _explain(request: Request, problem: Exception) -> Response:
    after = getattr(problem, "retry_after", None)
    headers = {"Retry-After": str(ceil(after))} if after is not None else {}
    status = 429 if after is not None else 400 if isinstance(problem, RefusedError) else 503
    return _problem(request, str(problem), status, headers)


async def _explain_http(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    text = "There is nothing here." if problem.detail == "Not Found" else problem.detail
    return _problem(request, text, problem.status_code, dict(problem.headers or {}))


async def _explain_bug(request: Request, problem: Exception) -> Response:
    return _problem(request, "The server has met a bug. Nothing was handed in; tell the lecturer.", 500, {})


def _problem(request: Request, text: str, status: int, headers: dict[str, str]) -> Response:
    """One clear line, as a page for people and as JSON for programs."""
    if "text/html" not in request.headers.get("accept", ""):
        answer = _json({"problem": text}, status)
    else:
        page = render(
            "message.html.j2",
            heading="That did not work",
            text=text,
            arena="Arena",
            root=_root(request),
            person=None,
            spectators=False,
            now=time(),
            secret_hash="",
        )
        answer = Response(page, status, media_type="text/html", headers=HEADERS)
    answer.headers.update(headers)
    return answer
