"""What people ask an arena for: to come in, authors' pages, hand-ins, receipts, the ladder, the staff's decisions."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Mount

from league.errors import ArenaError, LeagueError
from league.extensions.arena.access import COOKIE, Access, SignOn
from league.extensions.arena.database import RefusedError
from league.extensions.arena.decisions import DECISIONS, offers
from league.extensions.arena.desk import Desk, StaffDecision
from league.extensions.arena.folder import CONFIG, THINKING_SECONDS, free_disk
from league.extensions.arena.people import URL_FACT, links_table, qr_codes
from league.extensions.arena.records import SESSION_DAYS, Participant, Receipt, Submission
from league.extensions.arena.status import ArenaState, AuthorState, ladder
from league.extensions.arena.web import (
    PRIVATE,
    UPLOAD_SECONDS,
    ArenaPage,
    Site,
    Upload,
    Visit,
    explain,
    json_answer,
    root_of,
)
from league.page.live import KINDS
from league.page.server import OWN_NAMES
from league.page.svg import RunRating, history
from league.results.lines import rating_digits

LEAST_DISK = 200 << 20
"""Free bytes below which nothing is taken: results need them."""
SHOWN_ROUNDS = 100
"""On the curve of ratings."""


async def welcome(visit: Visit) -> Response:
    """On to one's own page, or how to come in."""
    person = visit.access.reader
    if person:
        return visit.go("/staff" if person.is_staff else "/people/me")
    return await visit.page("landing.html.j2")


async def enter_page(visit: Visit) -> Response:
    """Where a code is exchanged for a cookie, by a button: opening a link alone does nothing."""
    return await visit.page("enter.html.j2")


async def enter(visit: Visit) -> Response:
    """A cookie for a code."""
    form = await visit.form()
    person = await visit.site.visitors.by_code(str(form.get("code", "")).strip())
    session = await visit.call(visit.arena.begin_session, person)
    answer = visit.go("/")
    how: dict[str, Any] = {"path": root_of(visit.request) or "/", "httponly": True, "samesite": "strict"}
    answer.set_cookie(COOKIE, session, max_age=SESSION_DAYS * 86400, secure=visit.site.secure, **how)
    return answer


async def leave(visit: Visit) -> Response:
    """Sign out."""
    await visit.call(visit.arena.end_session, visit.request.cookies.get(COOKIE, ""))
    answer = visit.go("/")
    answer.delete_cookie(COOKIE, path=root_of(visit.request) or "/")
    return answer


async def news(visit: Visit) -> Response:
    """What changes when something is handed in, checked, played or decided: pages ask for it, and renew themselves."""
    mark = await visit.call(visit.arena.mark)
    tag = f'"{mark}"'
    if visit.request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers={"ETag": tag})
    return Response(f'<p data-page="{mark}"></p>', headers={**PRIVATE, "ETag": tag}, media_type="text/html")


async def standings(visit: Visit) -> Response:
    """With the slash that its relative links need."""
    return visit.go("/standings/")


async def ladder_page(visit: Visit) -> Response:
    """The ladder as an event: who is ahead, who has risen, how long it takes; and the final with its podium."""
    mark = await visit.call(visit.arena.mark)  # before anything is read: what changes meanwhile is not missed
    number, since = await visit.call(visit.arena.round_before)
    boards = await visit.call(ladder, visit.arena, number)
    own = visit.access.reader.bot if visit.access.reader else ""
    values = {"boards": boards, "since": since, "own": own, "rules": visit.access.rules}
    return await visit.page("ladder.html.j2", mark=mark, **values)


# Authors


async def author(visit: Visit) -> Response:
    """What an author and the staff see of a bot: as a page, or as JSON."""
    owner, mark = await visit.owner(), await visit.call(visit.arena.mark)
    state = await visit.call(AuthorState.of, visit.arena, owner)
    if not visit.wants_page:
        return json_answer(state)
    is_own = visit.person.id == owner.id
    return await visit.page(
        "author.html.j2",
        mark=mark,
        owner=owner,
        state=state,
        base="me" if is_own else owner.alias,
        kinds={kind: words for kind, (words, _, _) in KINDS.items()},
        curve=_curve(state),
        thinking_seconds=THINKING_SECONDS,
        may_submit=is_own and not owner.is_staff,
        most_mb=visit.site.config.folder_mb,
        decisions=offers(visit.access.rules, visit.person.role, owner) if visit.access.is_staff else (),
    )


def _curve(state: AuthorState) -> Markup:
    """Ratings after the last rounds, with a mark where a version begins; nothing after a single one."""
    title = state.report.main.title if state.report and state.report.main else ""
    rounds = [(rated, game) for rated in state.ratings[:SHOWN_ROUNDS][::-1] if (game := rated.at(title))]
    numbers = {version.hash: version.number for version in state.versions}
    final = state.ratings[0].round if state.ratings and state.rules.phase == "over" else 0
    moments = [
        RunRating(
            *("the final" if rated.round == final else f"round {rated.round}", game.rating, game.low, game.high),
            f"version {numbers[rated.hash]}" if rated.hash != before.hash and rated.hash in numbers else "",
            f"place {game.place}",
        )
        for (before, _), (rated, game) in zip([*rounds[:1], *rounds], rounds, strict=False)
    ]
    return history(moments, rating_digits("games")) if len(moments) > 1 else Markup()


async def hand_in(visit: Visit) -> Response:
    """Take a bot: from a form with a file or a text, or as the body of a request with `?filename=`."""
    owner = await visit.owner()
    if owner.id != visit.person.id or owner.is_staff:
        raise RefusedError("Only authors hand in here, on their own page. The staff's bots are in the arena's staff/.")
    if free_disk(visit.site.folder) < LEAST_DISK:
        raise HTTPException(507, "The server's disk is nearly full. Nothing was handed in; tell the lecturer.")
    most, filename = visit.site.config.folder_mb << 20, visit.request.query_params.get("filename")
    if filename is not None:  # a program says so, whatever it calls the type of the body
        body = await visit.site.body(visit.request, most, UPLOAD_SECONDS)
    else:
        form = await visit.form(most + (1 << 16), UPLOAD_SECONDS)  # there is more in it than the file
        file, text = form.get("file"), str(form.get("text", "")).replace("\r\n", "\n")
        filename, body = file if isinstance(file, Upload) and file.filename else ("bot.py", text.encode())
    if not body.strip():
        raise RefusedError("Expected a bot, found an empty file. Nothing was handed in.")
    receipt = await visit.call(visit.arena.hand_in, owner, plain_name(filename), body)
    return visit.go("/people/me#versions") if visit.wants_page else json_answer(receipt, 201)


async def download(visit: Visit) -> Response:
    """A version, as it was handed in."""
    version = await _version(visit)
    content = await visit.call(visit.arena.content, version)
    name = f"{version.bot}-{version.number}{Path(version.filename).suffix}"
    headers = {**PRIVATE, "Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type="application/octet-stream", headers=headers)


async def receipt(visit: Visit) -> Response:
    """The receipt of a version."""
    return json_answer(await visit.call(visit.arena.receipt, await _version(visit)))


async def play_version(visit: Visit) -> Response:
    """Let another version of one's bot play."""
    version = await _version(visit)
    await visit.call(visit.arena.play_version, version, visit.person.alias)
    return visit.go("/people/me#versions")


async def config_file(visit: Visit) -> Response:
    """The league's config, with which authors check at home."""
    return PlainTextResponse((visit.site.folder / CONFIG).read_text(encoding="utf-8"), headers=PRIVATE)


async def receipt_page(visit: Visit) -> Response:
    """A form for a receipt; of one that was sent, whether this arena has issued it, for anybody who takes part."""
    if visit.request.method == "GET":
        return await visit.page("receipt.html.j2", text="", answer="")
    text = str((await visit.form()).get("receipt", ""))
    try:
        answer, status = await visit.call(visit.arena.confirm, Receipt.read(text)), 200
    except ArenaError as problem:
        answer, status = str(problem), 400
    return await visit.page("receipt.html.j2", status, text=text, answer=answer)


async def _version(visit: Visit) -> Submission:
    """The version that an address names: of one's own, or of anybody's for the staff."""
    owner, number = await visit.owner(), visit.request.path_params["number"]
    versions: list[Submission] = await visit.call(visit.arena.submissions, owner.bot)
    for version in versions:
        if version.number == number:
            return version
    raise HTTPException(404, f"There is no version {number} of {owner.bot}.")


def plain_name(filename: str) -> str:
    """The name of a file without folders and unusual characters: only its ending matters."""
    name = filename.replace("\\", "/").rpartition("/")[2]
    kept = "".join(char for char in name if char.isascii() and (char.isalnum() or char in "._-"))
    return kept[-200:].lstrip(".") or "bot.py"


# The staff


async def staff(visit: Visit) -> Response:
    """The course at a glance: as a page, or as JSON."""
    mark = await visit.call(visit.arena.mark)
    state = await visit.call(ArenaState.of, visit.arena)
    if not visit.wants_page:
        return json_answer(state)
    people = {person.alias: person for person in await visit.call(visit.arena.people)}
    rules, role = visit.access.rules, visit.person.role
    of_people = {alias: offers(rules, role, person) for alias, person in people.items()}
    of_many = [one for one in DECISIONS.values() if one.of_many and any(one in some for some in of_people.values())]
    return await visit.page(
        "staff.html.j2", mark=mark, state=state, decisions=offers(rules, role), of_people=of_people, of_many=of_many
    )


async def ask_decision(visit: Visit) -> Response:
    """What a decision will do, with a button to confirm it."""
    words = visit.request.query_params.getlist("who")
    decision, about = await _decision(visit, words)
    return await _asked(visit, decision, about, {}, "")


async def _asked(
    visit: Visit, decision: StaffDecision, about: list[Participant], given: dict[str, str], problem: str
) -> Response:
    rules = visit.access.rules
    one = about[0] if len(about) == 1 else None
    shown = [field for field in decision.fields if field.name != "who"]
    fields = [(field, given.get(field.name, field.shown(rules, one))) for field in shown]
    values = {"decision": decision, "about": about, "fields": fields, "problem": problem}
    return await visit.page("decision.html.j2", 400 if problem else 200, **values)


async def decide(visit: Visit) -> Response:
    """Make a decision; what is wrong is said above the form, which keeps what was written."""
    form = await visit.form()
    given = {key: str(value) for key, value in form.multi_items()}
    decision, about = await _decision(visit, [str(word) for word in form.getlist("who")])
    try:
        return await _done(visit, decision, about, given)
    except LeagueError as problem:
        if not visit.wants_page:
            raise RefusedError(str(problem)) from None
        return await _asked(visit, decision, about, given, str(problem))


async def _done(visit: Visit, decision: StaffDecision, about: list[Participant], given: dict[str, str]) -> Response:
    """Decide it, about everybody who was ticked, one after the other."""
    url = visit.request.url
    base = visit.arena.fact(URL_FACT) or f"{url.scheme}://{url.netloc}{root_of(visit.request)}"
    with ExitStack() as stack:
        place = stack.enter_context(TemporaryDirectory(prefix=".download-", dir=visit.site.folder))  # which has room
        desk = Desk(visit.arena, visit.person.alias, visit.person.role, base, lambda name: Path(place, name))
        words = [{**given, "who": person.alias} for person in about] or [given]
        every = [await visit.call(decision.make, desk, written) for written in words]
        if every[0].file:
            ending = BackgroundTask(stack.pop_all().close)
            return FileResponse(every[0].file, filename=every[0].file.name, headers=PRIVATE, background=ending)
    if not visit.wants_page:
        return json_answer(every[0].answer if len(every) == 1 else [done.answer for done in every])
    links = [link for done in every for link in done.invitations]
    cards, table = await visit.call(qr_codes, links), links_table(links) if links else ""
    return await visit.page("done.html.j2", decision=decision, every=every, cards=cards, table=table)


async def _decision(visit: Visit, words: list[str]) -> tuple[StaffDecision, list[Participant]]:
    """The decision that an address names, and whom it is about; raises 403 if it is not this person's."""
    decision = DECISIONS.get(visit.request.path_params["decision"])
    if decision is None:
        raise HTTPException(404)
    about = [await visit.site.visitors.called(word) for word in words or [""]] if decision.about_people else []
    if not all(decision.may(visit.person.role, person) for person in (*about, None)):
        raise HTTPException(403, "Only the lecturer can decide this.")
    return decision, about


PAGES = (
    ArenaPage("/", Access.anybody, welcome),
    ArenaPage("/enter", Access.anybody, enter_page),
    ArenaPage("/enter", Access.anybody, enter, "POST"),
    ArenaPage("/leave", Access.anybody, leave, "POST"),
    ArenaPage("/news", Access.look, news),
    ArenaPage("/ladder", Access.look, ladder_page),
    ArenaPage("/standings", Access.anybody, standings),
    ArenaPage("/config.yaml", Access.enter, config_file),
    ArenaPage("/receipt", Access.enter, receipt_page),
    ArenaPage("/receipt", Access.enter, receipt_page, "POST"),
    ArenaPage("/people/{alias}", Access.enter, author),
    ArenaPage("/people/{alias}/versions", Access.enter, hand_in, "POST"),
    ArenaPage("/people/{alias}/versions/{number:number}", Access.enter, download),
    ArenaPage("/people/{alias}/versions/{number:number}/receipt", Access.enter, receipt),
    ArenaPage("/people/{alias}/versions/{number:number}/play", Access.enter, play_version, "POST"),
    ArenaPage("/staff", Access.run, staff),
    ArenaPage("/staff/{decision}", Access.run, ask_decision),
    ArenaPage("/staff/{decision}", Access.run, decide, "POST"),
)
"""All routes but those of the core, which show the standings: what depends on a person, `Visit.owner` asks."""


def make_app(
    folder: Path, *, secure: bool = False, hosts: Sequence[str] = OWN_NAMES, sign_on: SignOn | None = None
) -> Starlette:
    """The application of an arena."""
    site = Site(folder, secure=secure, sign_on=sign_on)
    return Starlette(
        routes=[*map(site.route, PAGES), Mount("/standings", app=site.standings)],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts)), Middleware(GZipMiddleware)],
        exception_handlers=dict.fromkeys((LeagueError, HTTPException, 500), explain),
    )
