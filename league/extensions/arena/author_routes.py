"""The routes of authors: their page, hand-ins, versions and receipts."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from league.errors import ArenaError
from league.extensions.arena.access import read_receipt
from league.extensions.arena.briefs import THINKING_SECONDS
from league.extensions.arena.database import RefusedError
from league.extensions.arena.decisions import offers
from league.extensions.arena.folder import CONFIG, shown_league
from league.extensions.arena.own_games import Wanted, games_of, games_of_version, rating_chart, replay_of
from league.extensions.arena.records import Participant, Submission
from league.extensions.arena.site import HEADERS, ArenaSite, json_answer, root_of
from league.page.live import KINDS
from league.page.server import viewer_answer
from league.results.schema import FILE as LEAGUE_FILE
from league.values.block import Entrant

LEAST_DISK = 200 << 20
"""Free bytes on the disk below which nothing is taken: results need them."""
MOST_NUMBER = 2**62
"""SQLite takes no larger one."""
MOST_FILENAME = 200


class AuthorRoutes:
    """What an author sees and does; the staff see it too, below `/staff/people`."""

    def __init__(self, site: ArenaSite) -> None:
        self._site = site

    def routes(self) -> list[BaseRoute]:
        post = ["POST"]
        return [
            Route("/me", self._me),
            Route("/me.json", self._me_json),
            Route("/me/config.yaml", self._config_file),
            Route("/me/submit", self._submit, methods=post),
            Route("/me/paste", self._paste, methods=post),
            Route("/me/versions/{number:int}", self._download),
            Route("/me/receipts/{number:int}", self._receipt),
            Route("/me/versions/{number:int}/play", self._play_version, methods=post),
            Route("/me/games", self._games),
            Route("/staff/people/{alias}/games", self._games),
            Route("/me/versions/{number:int}/replays/{series:int}/{deal:int}", self._replay),
            Route("/staff/people/{alias}/versions/{number:int}/replays/{series:int}/{deal:int}", self._replay),
            Route("/receipt", self._ask_for_receipt),
            Route("/receipt", self._confirm_receipt, methods=post),
            Route("/staff/people/{alias}", self._seen_by_staff),
            Route("/staff/people/{alias}/versions/{number:int}", self._download),
            Route("/staff/people/{alias}/receipts/{number:int}", self._receipt),
        ]

    async def _me(self, request: Request) -> Response:
        person = await self._site.visitors.participant(request)
        if person.is_staff:
            return RedirectResponse(f"{root_of(request)}/staff", 303)
        about = await run_in_threadpool(self._about, person, person)
        return self._site.page(request, "author.html.j2", person, **about)

    def _about(self, owner: Participant, reader: Participant) -> dict[str, Any]:
        """What an author's page shows, to its author or to the staff."""
        arena = self._site.arena
        versions = {submission.id: submission for submission in arena.submissions(owner.bot)}
        numbers = {submission.hash: submission.number for submission in versions.values()}
        active = arena.playing_version(owner.bot)
        own = reader.id == owner.id
        ratings = arena.ratings(owner.bot)
        return {
            "owner": owner,
            "rules": arena.rules,
            "base": _base(owner, reader),
            "deadline": arena.deadline_of(owner),
            "versions": versions,
            "checks": {id_: check for id_ in versions if (check := arena.check_of(id_))},
            "active": active,
            "benched": arena.benched().get(active.id, "") if active else "",
            "queued": self._queued(owner.bot),
            "brief": self._site.briefs.of(owner.bot),
            "thinking_seconds": THINKING_SECONDS,
            "ratings": ratings,
            "numbers": numbers,
            "chart": rating_chart(ratings[::-1], numbers),
            "decisions": [] if own else offers(arena.rules, reader.role, owner),
            "may_submit": own,
            "most_mb": self._site.config.folder_mb,
        }

    def _queued(self, bot: str) -> dict[str, Any] | None:
        """Where a bot is in the queue, and how long that takes at most."""
        for place, submission in enumerate(self._site.arena.queue(), 1):
            if submission.bot == bot:
                return {"place": place, "seconds": self._site.arena.seconds_until_verdict(place)}
        return None

    async def _games(self, request: Request) -> Response:
        """Games of one's own bot, or of anybody's for the staff, by how they ended."""
        reader = await self._watcher(request)
        owner = await self._owner(request)
        asked = {key: request.query_params.get(key, "") for key in ("kind", "contest", "against", "version")}
        about = await run_in_threadpool(self._games_of, owner, asked)
        return self._site.page(request, "games.html.j2", reader, owner=owner, base=_base(owner, reader), **about)

    async def _watcher(self, request: Request) -> Participant:
        """Who asks, if they may watch games of their own bot now."""
        reader = await self._site.visitors.participant(request)
        self._site.reader(reader).watch([reader.bot])
        return reader

    async def _replay(self, request: Request) -> Response:
        """A game of one version from its stored moves, also if it was replaced."""
        reader = await self._watcher(request)
        submission = await self._version(request)
        back = f"{root_of(request)}/standings/"
        series, deal = request.path_params["series"], request.path_params["deal"]
        page = await run_in_threadpool(self._page_of, reader, submission, series, deal, back)
        if page is None:
            raise HTTPException(404, f"Version {submission.number} of {submission.bot} has played no such game.")
        return viewer_answer(request, page)

    def _page_of(self, reader: Participant, submission: Submission, series: int, deal: int, back: str) -> str | None:
        source, league = self._source(submission), self._site.ladder
        if series >= MOST_NUMBER or deal >= MOST_NUMBER or not (league / LEAGUE_FILE).is_file():
            return None
        return replay_of(league, Entrant(submission.bot, source), series, deal, self._site.reader(reader), back)

    def _source(self, submission: Submission) -> str:
        """The hash of a version's source as the league knows it; that of the hand-in may be of a .zip."""
        check = self._site.arena.check_of(submission.id)
        return str(check.verdict.get("hash", "")) if check else ""

    def _games_of(self, owner: Participant, asked: Mapping[str, str]) -> dict[str, Any]:
        arena, config = self._site.arena, self._site.config
        contests = [contest.key for contest in config.contests()]
        part = arena.last_round()
        opponents = sorted(set(part.roster if part else ()) - {owner.bot})
        kind = asked["kind"] if asked["kind"] in KINDS else next(iter(KINDS))
        contest = asked["contest"] if asked["contest"] in contests else None
        against = asked["against"] if asked["against"] in opponents else None
        submissions = arena.submissions(owner.bot)
        passed = {str(submission.number): submission for submission in submissions if submission.state == "passed"}
        version = passed.get(asked["version"])
        league = self._site.ladder if version else shown_league(self._site.folder, config, arena.rules.phase)
        wanted = Wanted(owner.bot, kind, contest, against)
        games = []
        if (league / LEAGUE_FILE).is_file():
            numbers = arena.version_numbers()
            if version:
                games = games_of_version(league, self._source(version), wanted, numbers)
            else:
                games = games_of(league, wanted, numbers)
        kinds = {kind: text for kind, (text, _, _) in KINDS.items()}
        choices = {"kinds": kinds, "contests": contests, "opponents": opponents, "versions": passed}
        filters = {"kind": kind, "contest": contest, "against": against, "version": version and version.number}
        return {**filters, **choices, "games": games}

    async def _me_json(self, request: Request) -> Response:
        person = await self._site.visitors.participant(request)
        return json_answer(await run_in_threadpool(self._status, person))

    def _status(self, person: Participant) -> dict[str, Any]:
        arena = self._site.arena
        submissions = arena.submissions(person.bot)
        active = arena.playing_version(person.bot)
        deadline, brief = arena.deadline_of(person), self._site.briefs.of(person.bot)
        check = arena.check_of(submissions[0].id) if submissions else None
        return {
            "arena": self._site.name,
            "alias": person.alias,
            "bot": person.bot,
            "role": person.role,
            "phase": arena.rules.phase,
            "now": arena.now(),
            "deadline": deadline,
            "versions": [msgspec.to_builtins(submission) for submission in submissions],
            "plays": active and active.number,
            "queue": self._queued(person.bot),
            "verdict": list(check.lines) if check else None,
            "passed": check.passed if check else None,
            "standing": msgspec.to_builtins(brief) if brief else None,
        }

    async def _config_file(self, request: Request) -> Response:
        await self._site.visitors.participant(request)
        text = (self._site.folder / CONFIG).read_text(encoding="utf-8")
        return Response(text, media_type="text/plain", headers=HEADERS)

    async def _submit(self, request: Request) -> Response:
        person = await self._site.visitors.participant(request)
        filename = plain_name(request.query_params.get("filename", ""))
        body = await self._site.body(request, self._site.config.folder_mb << 20)
        receipt = await self._keep(person, filename, body)
        return json_answer(msgspec.to_builtins(receipt), 201)

    async def _paste(self, request: Request) -> Response:
        person = await self._site.visitors.participant(request)
        form = await self._site.form(request)
        text = form.get("text", "").replace("\r\n", "\n")
        await self._keep(person, "bot.py", text.encode())
        return RedirectResponse(f"{root_of(request)}/me", 303)

    async def _keep(self, person: Participant, filename: str, body: bytes) -> msgspec.Struct:
        if person.is_staff:
            raise RefusedError("The staff's bots are in the folder staff/ of the arena; only authors hand in here.")
        if not body.strip():
            raise RefusedError("Expected a bot, found an empty file. Nothing was handed in.")
        if shutil.disk_usage(self._site.folder).free < LEAST_DISK:
            raise HTTPException(507, "The server's disk is nearly full. Nothing was handed in; tell the lecturer.")
        return await run_in_threadpool(self._site.arena.hand_in, person, filename, body)

    async def _download(self, request: Request) -> Response:
        submission = await self._version(request)
        content = await run_in_threadpool(self._site.arena.content, submission)
        name = f"{submission.bot}-{submission.number}{Path(submission.filename).suffix}"
        headers = {**HEADERS, "Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type="application/octet-stream", headers=headers)

    async def _receipt(self, request: Request) -> Response:
        submission = await self._version(request)
        return json_answer(msgspec.to_builtins(await run_in_threadpool(self._site.arena.receipt, submission)))

    async def _ask_for_receipt(self, request: Request) -> Response:
        person = await self._site.visitors.participant(request)
        return self._site.page(request, "receipt.html.j2", person, text="", answer="")

    async def _confirm_receipt(self, request: Request) -> Response:
        """Whether this arena has issued a receipt, for anybody who takes part."""
        person = await self._site.visitors.participant(request)
        text = (await self._site.form(request)).get("receipt", "")
        status = 200
        try:
            answer = await run_in_threadpool(self._site.arena.confirm, read_receipt(text))
        except ArenaError as problem:
            answer, status = str(problem), 400
        page = self._site.page(request, "receipt.html.j2", person, text=text, answer=answer)
        page.status_code = status
        return page

    async def _owner(self, request: Request) -> Participant:
        """Whose bot an address is about: whoever asks, or anybody for the staff."""
        alias = request.path_params.get("alias")
        if alias is None:
            return await self._site.visitors.participant(request)
        await self._site.visitors.member_of_staff(request)
        return await self._site.visitors.called(alias)

    async def _version(self, request: Request) -> Submission:
        """The version that an address names: of one's own, or of anybody's for the staff."""
        owner = await self._owner(request)
        for submission in await run_in_threadpool(self._site.arena.submissions, owner.bot):
            if submission.number == request.path_params["number"]:
                return submission
        raise HTTPException(404, f"There is no version {request.path_params['number']} of {owner.bot}.")

    async def _play_version(self, request: Request) -> Response:
        person = await self._site.visitors.participant(request)
        submission = await self._version(request)
        if self._site.arena.rules.phase != "open":
            raise RefusedError("Hand-ins are closed: the version that plays is settled.")
        await run_in_threadpool(self._site.arena.play_version, submission, person.alias)
        return RedirectResponse(f"{root_of(request)}/me", 303)

    async def _seen_by_staff(self, request: Request) -> Response:
        reader = await self._site.visitors.member_of_staff(request)
        owner = await self._site.visitors.called(request.path_params["alias"])
        return self._site.page(request, "author.html.j2", reader, **await run_in_threadpool(self._about, owner, reader))


def plain_name(filename: str) -> str:
    """The name of a file without folders and unusual characters: only its ending matters."""
    name = filename.replace("\\", "/").rpartition("/")[2]
    kept = "".join(char for char in name if char.isalnum() or char in "._-")[-MOST_FILENAME:].lstrip(".")
    return kept or "bot.py"


def _base(owner: Participant, reader: Participant) -> str:
    """The path of an author's page, for its author or for the staff."""
    return "me" if reader.id == owner.id else f"staff/people/{owner.alias}"
