"""The routes of the staff: the course at a glance, and decisions."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route

from league.errors import LeagueError
from league.extensions.arena.database import RefusedError
from league.extensions.arena.decisions import DECISIONS, Desk, StaffDecision, offers
from league.extensions.arena.invitations import URL_FACT, links_table, qr_codes
from league.extensions.arena.records import ROSTER_FACT, Participant, Submission
from league.extensions.arena.site import HEADERS, ArenaSite, json_answer, root_of, wants_page


class StaffRoutes:
    """What the lecturer and the assistants see and do."""

    def __init__(self, site: ArenaSite) -> None:
        self._site = site

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/staff", self._staff),
            Route("/staff.json", self._staff_json),
            Route("/staff/{decision}", self._ask),
            Route("/staff/{decision}", self._act, methods=["POST"]),
        ]

    async def _staff(self, request: Request) -> Response:
        person = await self._site.visitors.member_of_staff(request)
        about = await run_in_threadpool(self._course)
        decisions = offers(about["rules"], person.role)
        of_people = {row["person"].id: offers(about["rules"], person.role, row["person"]) for row in about["people"]}
        return self._site.page(request, "staff.html.j2", person, decisions=decisions, of_people=of_people, **about)

    async def _staff_json(self, request: Request) -> Response:
        await self._site.visitors.member_of_staff(request)
        about = await run_in_threadpool(self._course)
        return json_answer(msgspec.to_builtins({**about, "roster_hash": self._site.arena.fact(ROSTER_FACT)}))

    def _course(self) -> dict[str, Any]:
        arena = self._site.arena
        newest: dict[str, Submission] = {}
        seconds: dict[str, float] = {}
        for submission in arena.submissions():
            newest.setdefault(submission.bot, submission)
            check = arena.check_of(submission.id)
            seconds[submission.bot] = seconds.get(submission.bot, 0.0) + (check.seconds if check else 0.0)
        benched = arena.benched()
        people = []
        for person in arena.people():
            last, brief = newest.get(person.bot), self._site.briefs.of(person.bot)
            kept = arena.playing_version(person.bot)
            people.append(
                {
                    "person": person,
                    "last": last,
                    "benched": bool(kept and kept.id in benched),
                    "seconds": seconds.get(person.bot, 0.0),
                    "played_seconds": brief.seconds if brief else 0.0,
                    "place": brief.place if brief else "",
                }
            )
        return {
            "rules": arena.rules,
            "queue": arena.queue(),
            "last_round": arena.last_round(),
            "load": f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores",
            "people": people,
            "equal": arena.equal_files(),
            "log": arena.audit(50),
        }

    async def _ask(self, request: Request) -> Response:
        """What a decision will do, with a button to confirm it."""
        person = await self._site.visitors.member_of_staff(request)
        decision, about = await self._decision(request, person, request.query_params)
        return self._asked(request, person, decision, about)

    def _asked(
        self,
        request: Request,
        person: Participant,
        decision: StaffDecision,
        about: Participant | None,
        form: Mapping[str, str] | None = None,
        problem: str = "",
    ) -> Response:
        rules = self._site.arena.rules
        fields = [
            (field, form.get(field.name, "") if form else field.shown(rules, about))
            for field in decision.fields
            if field.name != "who"
        ]
        values = {"decision": decision, "about": about, "fields": fields, "problem": problem}
        page = self._site.page(request, "decision.html.j2", person, **values)
        page.status_code = 400 if problem else 200
        return page

    async def _act(self, request: Request) -> Response:
        person = await self._site.visitors.member_of_staff(request)
        form = await self._site.form(request)
        decision, about = await self._decision(request, person, form)
        try:
            return await self._done(request, person, decision, form)
        except LeagueError as problem:
            if not wants_page(request):
                raise RefusedError(str(problem)) from None
            return self._asked(request, person, decision, about, form, str(problem))

    async def _done(
        self, request: Request, person: Participant, decision: StaffDecision, form: Mapping[str, str]
    ) -> Response:
        arena = self._site.arena
        base = arena.fact(URL_FACT) or f"{request.url.scheme}://{request.url.netloc}{root_of(request)}"
        with ExitStack() as stack:
            place = stack.enter_context(TemporaryDirectory(prefix=".download-", dir=arena.folder))  # which has room
            desk = Desk(arena, person.alias, person.role, base, Path(place))
            done = await run_in_threadpool(decision.make, desk, form)
            if done.file:
                ending = BackgroundTask(stack.pop_all().close)
                return FileResponse(done.file, filename=done.file.name, headers=HEADERS, background=ending)
        if not wants_page(request):
            return json_answer(done.answer)
        cards = await run_in_threadpool(qr_codes, done.invitations)
        table = links_table(done.invitations) if done.invitations else ""
        values = {"decision": decision, "done": done, "cards": cards, "table": table}
        return self._site.page(request, "done.html.j2", person, **values)

    async def _decision(
        self, request: Request, person: Participant, form: Mapping[str, str]
    ) -> tuple[StaffDecision, Participant | None]:
        """The decision that an address names, and whom it is about; raises 403 if it is not this person's."""
        decision = DECISIONS.get(request.path_params["decision"])
        if decision is None:
            raise HTTPException(404)
        if person.role not in decision.roles:
            raise HTTPException(403, "Only the lecturer can do this.")
        about = await self._site.visitors.called(form.get("who", "")) if decision.about_people else None
        if not decision.may(person.role, about):
            raise HTTPException(403, "Only the lecturer decides about members of the staff.")
        return decision, about
