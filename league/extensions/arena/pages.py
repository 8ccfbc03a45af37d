"""What people ask an arena for: to come in, authors' pages, hand-ins, receipts, the ladder, the staff's decisions."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route

from league.errors import ArenaError, LeagueError
from league.extensions.arena.database import RefusedError
from league.extensions.arena.decisions import DECISIONS, Desk, StaffDecision, offers
from league.extensions.arena.folder import CONFIG, THINKING_SECONDS, free_disk
from league.extensions.arena.people import links_table, qr_codes
from league.extensions.arena.records import SESSION_DAYS, Participant, Receipt, Submission
from league.extensions.arena.status import AuthorState, course, ladder
from league.extensions.arena.web import COOKIE, PRIVATE, ArenaPage, Endpoint, Site, Visit, explain, json_answer, root_of
from league.page.live import KINDS
from league.page.server import OWN_NAMES
from league.page.svg import RunRating, history
from league.results.lines import rating_digits

LEAST_DISK = 200 << 20
"""Free bytes below which nothing is taken: results need them."""


def welcome(visit: Visit) -> Response:
    """On to one's own page, or how to come in."""
    person = visit.reader
    if person:
        return visit.go("/staff" if person.is_staff else "/people/me")
    return visit.page("landing.html.j2", is_over=visit.rules.phase == "over")


def enter_page(visit: Visit) -> Response:
    """Where a code is exchanged for a cookie, by a button: opening a link alone does nothing."""
    return visit.page("enter.html.j2")


def enter(visit: Visit) -> Response:
    """A cookie for a code."""
    person = visit.by_code(str(visit.form.get("code", "")).strip())
    answer = visit.go("/")
    answer.set_cookie(
        COOKIE,
        visit.arena.begin_session(person),
        max_age=SESSION_DAYS * 86400,
        path=root_of(visit.request) or "/",
        secure=visit.site.secure,
        httponly=True,
        samesite="strict",
    )
    return answer


def leave(visit: Visit) -> Response:
    """Sign out."""
    visit.arena.end_session(visit.request.cookies.get(COOKIE, ""))
    answer = visit.go("/")
    answer.delete_cookie(COOKIE, path=root_of(visit.request) or "/")
    return answer


def news(visit: Visit) -> Response:
    """What changes when something is handed in, checked, played or decided: pages ask for it, and renew themselves."""
    mark = visit.arena.mark()
    tag = f'"{mark}"'
    if visit.request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers={"ETag": tag})
    return Response(f'<p data-page="{mark}"></p>', headers={**PRIVATE, "ETag": tag}, media_type="text/html")


def standings(visit: Visit) -> Response:
    """With the slash that its relative links need."""
    return visit.go("/standings/")


def ladder_page(visit: Visit) -> Response:
    """The ladder as an event: who is ahead, who has risen, how long it takes; and the final with its podium."""
    mark = visit.arena.mark()  # before anything is read: what changes meanwhile is not missed
    number, since = visit.arena.round_before()
    boards = ladder(visit.arena, number)
    own = visit.reader.bot if visit.reader else ""
    return visit.page("ladder.html.j2", mark=mark, boards=boards, since=since, own=own, rules=visit.rules)


# Authors


def author(visit: Visit) -> Response:
    """What an author and the staff see of a bot: as a page, or as JSON."""
    owner, mark = visit.owner(), visit.arena.mark()
    state = AuthorState.of(visit.arena, owner)
    if not visit.wants_page:
        return json_answer(state)
    person = visit.enter()
    return visit.page(
        "author.html.j2",
        mark=mark,
        owner=owner,
        state=state,
        base="me" if person.id == owner.id else owner.alias,
        kinds={kind: words for kind, (words, _, _) in KINDS.items()},
        curve=_curve(state),
        thinking_seconds=THINKING_SECONDS,
        may_submit=person.id == owner.id and not owner.is_staff,
        most_mb=visit.site.config.folder_mb,
        decisions=offers(visit.rules, person.role, owner) if person.is_staff else (),
    )


def _curve(state: AuthorState) -> Markup:
    """Ratings after the last hundred rounds, with a mark where a version begins; nothing after a single one."""
    title = state.report.main.title if state.report and state.report.main else ""
    rounds = [(rated, game) for rated in state.ratings[:100][::-1] if (game := rated.at(title))]
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


def hand_in(visit: Visit) -> Response:
    """Take a bot: from a form with a file or a text, or as the body of a request with `?filename=`."""
    owner = visit.owner()
    if owner.id != visit.enter().id or owner.is_staff:
        raise RefusedError("Only authors hand in here, on their own page. The staff's bots are in the arena's staff/.")
    if free_disk(visit.site.folder) < LEAST_DISK:
        raise HTTPException(507, "The server's disk is nearly full. Nothing was handed in; tell the lecturer.")
    filename, body = visit.request.query_params.get("filename"), visit.body
    if filename is None:
        file, text = visit.form.get("file"), str(visit.form.get("text", "")).replace("\r\n", "\n")
        filename, body = file if isinstance(file, tuple) and file[0] else ("bot.py", text.encode())
    if not body.strip():
        raise RefusedError("Expected a bot, found an empty file. Nothing was handed in.")
    receipt = visit.arena.hand_in(owner, plain_name(filename), body)
    return visit.go("/people/me#versions") if visit.wants_page else json_answer(receipt, 201)


def download(visit: Visit) -> Response:
    """A version, as it was handed in."""
    version = _version(visit)
    name = f"{version.bot}-{version.number}{Path(version.filename).suffix}"
    headers = {**PRIVATE, "Content-Disposition": f'attachment; filename="{name}"'}
    return Response(visit.arena.content(version), media_type="application/octet-stream", headers=headers)


def receipt(visit: Visit) -> Response:
    """The receipt of a version."""
    return json_answer(visit.arena.receipt(_version(visit)))


def play_version(visit: Visit) -> Response:
    """Let another version of one's bot play."""
    visit.arena.play_version(_version(visit), visit.enter().alias)
    return visit.go("/people/me#versions")


def config_file(visit: Visit) -> Response:
    """The league's config, with which authors check at home."""
    return PlainTextResponse((visit.site.folder / CONFIG).read_text(encoding="utf-8"), headers=PRIVATE)


def receipt_page(visit: Visit) -> Response:
    """A form for a receipt; of one that was sent, whether this arena has issued it, for anybody who takes part."""
    text, answer, status = str(visit.form.get("receipt", "")), "", 200
    if visit.request.method == "POST":
        try:
            answer = visit.arena.confirm(Receipt.read(text))
        except ArenaError as problem:
            answer, status = str(problem), 400
    return visit.page("receipt.html.j2", status, text=text, answer=answer)


def _version(visit: Visit) -> Submission:
    """The version that an address names: of one's own, or of anybody's for the staff."""
    owner, number = visit.owner(), visit.request.path_params["number"]
    for version in visit.arena.submissions(owner.bot):
        if version.number == number:
            return version
    raise HTTPException(404, f"There is no version {number} of {owner.bot}.")


def plain_name(filename: str) -> str:
    """The name of a file without folders and unusual characters: only its ending matters."""
    name = filename.replace("\\", "/").rpartition("/")[2]
    kept = "".join(char for char in name if char.isascii() and (char.isalnum() or char in "._-"))
    return kept[-200:].lstrip(".") or "bot.py"


# The staff


def staff(visit: Visit) -> Response:
    """The course at a glance: as a page, or as JSON."""
    mark, state = visit.arena.mark(), course(visit.arena)
    if not visit.wants_page:
        return json_answer(state)
    rules, role = visit.rules, visit.enter().role
    of_people = {one["person"].alias: offers(rules, role, one["person"]) for one in state["people"]}
    of_many = [one for one in DECISIONS.values() if one.of_many and any(one in some for some in of_people.values())]
    return visit.page(
        "staff.html.j2", mark=mark, state=state, decisions=offers(rules, role), of_people=of_people, of_many=of_many
    )


def decide(visit: Visit) -> Response:
    """What a decision will do, with a button to confirm it. What is sent is decided.

    What is wrong with that is said above the form, which keeps what was written.
    """
    sends = visit.request.method == "POST"
    written = visit.form if sends else visit.request.query_params
    decision, about = _decision(visit, [str(word) for word in written.getlist("who")])
    given = {key: str(value) for key, value in visit.form.multi_items()}
    problem = ""
    if sends:
        try:
            return _done(visit, decision, about, given)
        except LeagueError as refused:
            if not visit.wants_page:
                raise RefusedError(str(refused)) from None
            problem = str(refused)
    one = about[0] if len(about) == 1 else None
    shown = [field for field in decision.fields if field.name != "who"]
    fields = [(field, given.get(field.name, field.shown(visit.rules, one))) for field in shown]
    values = {"decision": decision, "about": about, "fields": fields, "problem": problem}
    return visit.page("decision.html.j2", 400 if problem else 200, **values)


def _decision(visit: Visit, words: list[str]) -> tuple[StaffDecision, list[Participant]]:
    """The decision that an address names, and whom it is about; raises 403 if it is not this person's."""
    decision = DECISIONS.get(visit.request.path_params["decision"])
    if decision is None:
        raise HTTPException(404)
    about = [visit.called(word) for word in words or [""]] if decision.about_people else []
    if not all(decision.may(visit.enter().role, person) for person in (*about, None)):
        raise HTTPException(403, "Only the lecturer can decide this.")
    return decision, about


def _done(visit: Visit, decision: StaffDecision, about: list[Participant], given: dict[str, str]) -> Response:
    """Decide it, about everybody who was ticked, one after the other."""
    url, person = visit.request.url, visit.enter()
    base = visit.arena.fact("url") or f"{url.scheme}://{url.netloc}{root_of(visit.request)}"
    with ExitStack() as stack:
        place = stack.enter_context(TemporaryDirectory(prefix=".download-", dir=visit.site.folder))  # which has room
        desk = Desk(visit.arena, person.alias, person.role, base, lambda name: Path(place, name))
        every = [decision.make(desk, {**given, **who}) for who in [{"who": one.alias} for one in about] or [{}]]
        if every[0].file:
            ending = BackgroundTask(stack.pop_all().close)
            return FileResponse(every[0].file, filename=every[0].file.name, headers=PRIVATE, background=ending)
    if not visit.wants_page:
        return json_answer(every[0].answer if len(every) == 1 else [done.answer for done in every])
    links = [link for done in every for link in done.invitations]
    table = links_table(links) if links else ""
    return visit.page("done.html.j2", decision=decision, every=every, cards=qr_codes(links), table=table)


PAGES = (
    ArenaPage("/", Visit.anybody, welcome),
    ArenaPage("/enter", Visit.anybody, enter_page),
    ArenaPage("/enter", Visit.anybody, enter, "POST"),
    ArenaPage("/leave", Visit.anybody, leave, "POST"),
    ArenaPage("/news", Visit.look, news),
    ArenaPage("/ladder", Visit.look, ladder_page),
    ArenaPage("/standings", Visit.anybody, standings),
    ArenaPage("/config.yaml", Visit.enter, config_file),
    ArenaPage("/receipt", Visit.enter, receipt_page),
    ArenaPage("/receipt", Visit.enter, receipt_page, "POST"),
    ArenaPage("/people/{alias}", Visit.enter, author),
    ArenaPage("/people/{alias}/versions", Visit.enter, hand_in, "POST", upload=True),
    ArenaPage("/people/{alias}/versions/{number:number}", Visit.enter, download),
    ArenaPage("/people/{alias}/versions/{number:number}/receipt", Visit.enter, receipt),
    ArenaPage("/people/{alias}/versions/{number:number}/play", Visit.enter, play_version, "POST"),
    ArenaPage("/staff", Visit.run, staff),
    ArenaPage("/staff/{decision}", Visit.run, decide),
    ArenaPage("/staff/{decision}", Visit.run, decide, "POST"),
)
"""All routes but those of the core, which show the standings: what depends on a person, `Visit.owner` asks."""


def make_app(
    folder: Path, *, secure: bool = False, hosts: Sequence[str] = OWN_NAMES, sign_on: tuple[str, str] | None = None
) -> Starlette:
    """The application of an arena."""
    site = Site(folder, secure=secure, sign_on=sign_on)
    routes = [Route(page.path, Endpoint(site, page), methods=[page.method]) for page in PAGES]
    return Starlette(
        routes=[*routes, Mount("/standings", app=site.standings)],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts)), Middleware(GZipMiddleware)],
        exception_handlers=dict.fromkeys((LeagueError, HTTPException, 500), explain),
    )
