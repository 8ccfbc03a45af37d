"""The routes of the staff: the course at a glance, and decisions."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from league.arena.database import RefusedError
from league.arena.records import Participant, Submission
from league.arena.site import ArenaSite, json_answer, root_of
from league.arena.store import ArenaStore


class StaffRoutes:
    """What the lecturer and the assistants see and do."""

    def __init__(self, site: ArenaSite) -> None:
        self._site = site

    def routes(self) -> list[BaseRoute]:
        """All of them."""
        return [
            Route("/staff", self._staff),
            Route("/staff.json", self._staff_json),
            Route("/staff/{action}", self._act, methods=["POST"]),
        ]

    async def _staff(self, request: Request) -> Response:
        person = await self._site.visitors.member_of_staff(request)
        about = await run_in_threadpool(self._course)
        return self._site.page(request, "staff.html.j2", person, lecturer=person.role == "lecturer", **about)

    async def _staff_json(self, request: Request) -> Response:
        await self._site.visitors.member_of_staff(request)
        about = await run_in_threadpool(self._course)
        return json_answer(msgspec.to_builtins(about))

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

    async def _act(self, request: Request) -> Response:
        person = await self._site.visitors.member_of_staff(request)
        if person.role != "lecturer":
            raise HTTPException(403, "Only the lecturer can do this.")
        action = _ACTIONS.get(request.path_params["action"])
        if action is None:
            raise HTTPException(404)
        form = await self._site.bodies.form(request)
        await run_in_threadpool(action, self._site.arena, person, form)
        return RedirectResponse(f"{root_of(request)}/staff", 303)


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
