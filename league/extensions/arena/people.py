"""Invitations: people from a table, their personal links, and a sheet with QR codes to print.

Codes are in links alone. They are given out once and kept nowhere: whoever loses a link gets a new one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from secrets import choice
from typing import get_args
from unicodedata import normalize

import msgspec

from league.errors import ArenaError, did_you_mean
from league.extensions.arena.folder import staff_bots
from league.extensions.arena.receipts import link
from league.extensions.arena.records import Participant, Role
from league.extensions.arena.store import ArenaStore
from league.extensions.course.people import NAME_COLUMNS, heading_of, headings_told, parse_table
from league.setup.bot_folder import MAIN_FILES
from league.tools.text import listed
from league.values.settings import NAME_RULE, SAFE_NAME

URL_FACT = "url"
DEFAULT_URL = "http://127.0.0.1:8643"
"""Where an arena is while nobody has said otherwise: on this machine, at the port that `serve` takes."""
_HEADINGS = {**NAME_COLUMNS, "alias": ("alias", "bot", "bot name"), "team": ("team", "group"), "role": ("role",)}
_QUALITIES = "amber bold brave calm clever copper crimson eager gentle golden jolly keen lucky merry nimble quiet"
_ANIMALS = "badger bear crane crow dove falcon fox hare heron lynx marten mole otter owl raven swan tern wren"


class Guest(msgspec.Struct, frozen=True):
    """Somebody to invite."""

    name: str
    alias: str
    """Empty: one is drawn, which says nothing about them."""
    team: str = ""
    role: Role = "author"
    place: str = ""
    """Where they stand in the table, for messages."""


class Invitation(msgspec.Struct, frozen=True):
    """A personal link, and whose it is."""

    name: str
    alias: str
    team: str
    role: Role
    link: str


def guests_of(text: str, where: str) -> list[Guest]:
    """The people in a table as CSV, by its headings; raises `LeagueError` with the line that cannot be used."""
    headings, rows = parse_table(text, where)
    meanings = heading_of(headings, _HEADINGS)
    if "full" not in meanings and not {"first", "last"} <= {*meanings}:
        raise ArenaError(f"{where}:1: expected a heading 'name', found {headings_told(headings, _HEADINGS['full'])}")
    return [
        _guest({meaning: row.get(heading, "").strip() for meaning, heading in meanings.items()}, place)
        for place, row in rows
    ]


def _guest(values: dict[str, str], where: str) -> Guest:
    name = values.get("full") or f"{values.get('first', '')} {values.get('last', '')}".strip()
    if not name:
        raise ArenaError(f"{where}: expected a name, found none.")
    role = values.get("role", "").casefold() or "author"
    roles: tuple[Role, ...] = get_args(Role)
    if role not in roles:
        raise ArenaError(
            f"{where}: expected a role as {listed(roles, 'or')}, found {role!r}.{did_you_mean(role, roles)}"
        )
    alias, team = (normalize("NFC", values.get(key, "")) for key in ("alias", "team"))
    return Guest(name, alias, team, roles[roles.index(role)], where)


def invite(
    arena: ArenaStore, guests: Iterable[Guest], actor: str, base: str = ""
) -> tuple[list[Invitation], list[Participant]]:
    """Invite people; returns the links of the new ones, and who was there before and keeps what they have."""
    new, present = _unknown(arena, guests)
    named = _checked(arena, new)
    rows = [(guest.name, guest.alias, guest.team, guest.role) for guest in named]
    invited = arena.invite(rows, actor) if rows else []
    return [invitation(arena, person, code, base) for person, code in invited], present


def invitation(arena: ArenaStore, person: Participant, code: str, base: str = "") -> Invitation:
    """The link of somebody, from their code."""
    return Invitation(person.name, person.alias, person.team, person.role, link(base or base_url(arena), code))


def base_url(arena: ArenaStore) -> str:
    """Where the arena is on the web."""
    return arena.fact(URL_FACT) or DEFAULT_URL


def checked_url(base: str) -> str:
    """The address of an arena; raises `ArenaError` if it cannot be one."""
    if not base.startswith(("http://", "https://")) or any(char in base for char in "#?\"' "):
        raise ArenaError(f"Expected an address such as https://arena.example.org, found {base!r}.")
    return base.rstrip("/")


def _unknown(arena: ArenaStore, guests: Iterable[Guest]) -> tuple[list[Guest], list[Participant]]:
    """Those of a table who are not there yet, and those who are: a table may grow and be read again."""
    by_alias = {person.alias.casefold(): person for person in arena.people()}
    by_name = {person.name.casefold(): person for person in by_alias.values()}
    new, present = [], []
    for guest in guests:
        person = by_alias.get(guest.alias.casefold()) if guest.alias else by_name.get(guest.name.casefold())
        if person is None:
            new.append(guest)
        elif person.name.casefold() == guest.name.casefold():
            present.append(person)
        else:
            raise ArenaError(f"{guest.place}: the alias {guest.alias!r} is taken. Nobody was invited.")
    return new, present


def _checked(arena: ArenaStore, guests: Sequence[Guest]) -> list[Guest]:
    """The guests, each with an alias; raises `ArenaError` for names that no bot can have, or that clash."""
    people = arena.people()
    aliases = {person.alias.casefold(): person.alias for person in people}
    teams = {person.team.casefold(): person.team for person in people if person.team}
    staff = {bot.name.casefold() for bot in staff_bots(arena.folder)}
    teams |= {guest.team.casefold(): guest.team for guest in reversed(guests) if guest.team}
    named = []
    for guest in guests:
        alias = guest.alias or _drawn({*aliases, *teams, *staff})
        for what, word in (("an alias", alias), ("a team", guest.team)):
            if word and not _can_be_a_bot(word):
                raise ArenaError(f"{guest.place}: expected {what} of {NAME_RULE}, found {word!r}.")
            if word.casefold() in staff:
                raise ArenaError(f"{guest.place}: {word!r} is a bot of the staff. Choose another name.")
        if alias.casefold() in aliases:
            raise ArenaError(f"{guest.place}: the alias {alias!r} is there twice. Nobody was invited.")
        if alias.casefold() in teams:
            raise ArenaError(f"{guest.place}: {alias!r} is an alias and a team. Choose another name for one of them.")
        if guest.team and guest.team.casefold() in aliases:
            raise ArenaError(
                f"{guest.place}: {guest.team!r} is a team and an alias. Choose another name for one of them."
            )
        if guest.team and teams[guest.team.casefold()] != guest.team:
            both = f"{teams[guest.team.casefold()]!r} and {guest.team!r}"
            raise ArenaError(f"{guest.place}: expected each team in one spelling, found {both}.")
        aliases[alias.casefold()] = alias
        named.append(msgspec.structs.replace(guest, alias=alias))
    return named


def _can_be_a_bot(word: str) -> bool:
    """Whether a bot can be called that. A leading '_' hides a bot; `bot.py` would make a bot of its folder.

    `me` is whoever asks for a page.
    """
    folded = word.casefold()
    return bool(SAFE_NAME.fullmatch(word)) and word[0] != "_" and f"{folded}.py" not in MAIN_FILES and folded != "me"


def _drawn(taken: set[str]) -> str:
    """An alias that says nothing about a person, not even their place in the alphabet."""
    pairs = [f"{quality}-{animal}" for quality in _QUALITIES.split() for animal in _ANIMALS.split()]
    free = [pair for pair in pairs if pair not in taken]
    return choice(free) if free else _drawn_number(choice(pairs), taken)


def _drawn_number(word: str, taken: set[str]) -> str:
    return next(alias for number in count(2) if (alias := f"{word}-{number}") not in taken)


def links_table(invitations: Iterable[Invitation]) -> str:
    """Links as CSV, to send by mail merge."""
    from league.tools.table import Column, Table

    return Table([Column(name) for name in Invitation.__struct_fields__], list(invitations)).csv()


def links_sheet(arena: ArenaStore, invitations: Sequence[Invitation]) -> str:
    """A page to print and cut up: for each person their name, their link and a QR code of it."""
    from league.page.inline import render_template

    return render_template("invitations.html.j2", [], arena=arena.fact("name"), cards=qr_codes(invitations))


def qr_codes(invitations: Sequence[Invitation]) -> list[tuple[Invitation, str]]:
    """Each link with a QR code of it, as the address of a picture."""
    import segno

    return [(guest, segno.make_qr(guest.link).svg_data_uri(border=2, scale=4)) for guest in invitations]
