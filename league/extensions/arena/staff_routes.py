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
from league.extensions.arena.actions import ACTIONS, StaffAction, StaffDecision, offers
from league.extensions.arena.database import RefusedError
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
            Route("/staff/{action}", self._ask),
            Route("/staff/{action}", self._act, methods=["POST"]),
        ]

    async def _staff(self, request: Request) -> Response:
        person = await self._site.visitors.member_of_staff(request)
        about = await run_in_threadpool(self._course)
        actions = offers(about["rules"], person)
        of_people = {row["person"].id: offers(about["rules"], person, row["person"]) for row in about["people"]}
        return self._site.page(request, "staff.html.j2", person, actions=actions, of_people=of_people, **about)

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
        return await self._asked(request, *await self._decision(request, person, request.query_params))

    async def _asked(
        self, request: Request, action: StaffAction, decision: StaffDecision, problem: str = ""
    ) -> Response:
        fields = await run_in_threadpool(action.fields, decision.arena, decision.about)
        if problem:
            fields = tuple(field._replace(value=decision.form.get(field.name, "")) for field in fields)
        values = {"action": action, "about": decision.about, "fields": fields, "problem": problem}
        page = self._site.page(request, "action.html.j2", decision.actor, **values)
        page.status_code = 400 if problem else 200
        return page

    async def _act(self, request: Request) -> Response:
        person = await self._site.visitors.member_of_staff(request)
        action, decision = await self._decision(request, person, await self._site.form(request))
        try:
            return await self._done(request, action, decision)
        except LeagueError as problem:
            if not wants_page(request):
                raise RefusedError(str(problem)) from None
            return await self._asked(request, action, decision, str(problem))

    async def _done(self, request: Request, action: StaffAction, decision: StaffDecision) -> Response:
        arena = decision.arena
        if not action.fits(arena.rules, decision.about):
            raise RefusedError(f"“{action.title}” does not apply any more. Nothing was changed.")
        if action.final and decision.form.get("sure") != "yes":
            raise RefusedError("Tick the box: this cannot be undone.")
        with ExitStack() as stack:
            place = stack.enter_context(TemporaryDirectory(prefix=".download-", dir=arena.folder))  # which has room
            done = await run_in_threadpool(action.do, decision._replace(place=Path(place)))
            if done.file:
                ending = BackgroundTask(stack.pop_all().close)
                return FileResponse(done.file, filename=done.file.name, headers=HEADERS, background=ending)
        if not wants_page(request):
            return json_answer({"done": done.text, "invited": done.invitations})
        cards = await run_in_threadpool(qr_codes, done.invitations)
        table = links_table(done.invitations) if done.invitations else ""
        values = {"action": action, "done": done, "cards": cards, "table": table}
        return self._site.page(request, "done.html.j2", decision.actor, **values)

    async def _decision(
        self, request: Request, person: Participant, form: Mapping[str, str]
    ) -> tuple[StaffAction, StaffDecision]:
        """The decision that an address names, and whom it is about; raises 403 if it is not this person's."""
        action = ACTIONS.get(request.path_params["action"])
        if action is None:
            raise HTTPException(404)
        if person.role not in action.roles:
            raise HTTPException(403, "Only the lecturer can do this.")
        about = await self._site.visitors.called(form.get("who", "")) if action.about else None
        if not action.may(person, about):
            raise HTTPException(403, "Only the lecturer decides about members of the staff.")
        arena = self._site.arena
        base = arena.fact(URL_FACT) or f"{request.url.scheme}://{request.url.netloc}{root_of(request)}"
        return action, StaffDecision(arena, person, about, form, base)
