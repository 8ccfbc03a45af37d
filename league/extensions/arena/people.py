"""Invitations: people from a table, their personal links, and a sheet with QR codes to print.

Codes are in links alone. They are given out once and kept nowhere: whoever loses a link gets a new one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args
from unicodedata import normalize

import msgspec

from league.errors import ArenaError, did_you_mean
from league.extensions.arena.folder import staff_bots
from league.extensions.arena.records import Participant, Role, link
from league.extensions.arena.store import ArenaStore
from league.extensions.course.people import NAME_COLUMNS, heading_of, headings_told, parse_table
from league.page.privacy import fresh_names
from league.setup.bot_folder import MAIN_FILES
from league.tools.text import listed
from league.values.settings import NAME_RULE, SAFE_NAME

_HEADINGS = {**NAME_COLUMNS, "alias": ("alias", "bot", "bot name"), "team": ("team", "group"), "role": ("role",)}


class Guest(msgspec.Struct, frozen=True):
    """Somebody to invite, and in the end their personal link."""

    name: str
    alias: str
    """Empty: one is drawn, which says nothing about them."""
    team: str = ""
    role: Role = "author"
    link: str = ""


def guests_of(text: str, where: str) -> dict[str, Guest]:
    """The people in a table as CSV, by where they stand in it; raises `LeagueError` for what cannot be used."""
    headings, rows = parse_table(text, where)
    meanings = heading_of(headings, _HEADINGS)
    if "full" not in meanings and not {"first", "last"} <= {*meanings}:
        raise ArenaError(f"{where}:1: expected a heading 'name', found {headings_told(headings, _HEADINGS['full'])}")
    roles: tuple[Role, ...] = get_args(Role)
    guests = {}
    for place, row in rows:
        words = {meaning: row.get(meanings.get(meaning, ""), "").strip() for meaning in _HEADINGS}
        name = words["full"] or f"{words['first']} {words['last']}".strip()
        role = words["role"].casefold() or "author"
        if not name:
            raise ArenaError(f"{place}: expected a name, found none.")
        if role not in roles:
            near = did_you_mean(role, roles)
            raise ArenaError(f"{place}: expected a role as {listed(roles, 'or')}, found {role!r}.{near}")
        guests[place] = Guest(
            name, normalize("NFC", words["alias"]), normalize("NFC", words["team"]), roles[roles.index(role)]
        )
    return guests


def invite(
    arena: ArenaStore, guests: Mapping[str, Guest], actor: str, base: str = ""
) -> tuple[list[Guest], list[Participant]]:
    """Invite people; returns the new ones with their links, and who was there before, for a table that has grown."""
    people = arena.people()
    there = {(person.name.casefold(), key): person for person in people for key in (person.alias.casefold(), "")}
    known = {place: there.get((guest.name.casefold(), guest.alias.casefold())) for place, guest in guests.items()}
    new = _named(arena, people, {place: guest for place, guest in guests.items() if known[place] is None})
    invited = arena.invite([(guest.name, guest.alias, guest.team, guest.role) for guest in new], actor) if new else []
    return [with_link(arena, *one, base) for one in invited], [person for person in known.values() if person]


def with_link(arena: ArenaStore, person: Participant, code: str, base: str = "") -> Guest:
    """Somebody with their link, from their code."""
    return Guest(person.name, person.alias, person.team, person.role, link(base or base_url(arena), code))


def base_url(arena: ArenaStore) -> str:
    """Where the arena is on the web; on this machine, where `serve` listens, while nobody has said otherwise."""
    return arena.fact("url") or "http://127.0.0.1:8643"


def checked_url(base: str) -> str:
    """The address of an arena; raises `ArenaError` if it cannot be one."""
    if not base.startswith(("http://", "https://")) or any(char in base for char in "#?\"' "):
        raise ArenaError(f"Expected an address such as https://arena.example.org, found {base!r}.")
    return base.rstrip("/")


def _named(arena: ArenaStore, people: Sequence[Participant], guests: Mapping[str, Guest]) -> list[Guest]:
    """The guests, each with an alias; raises `ArenaError` for names that no bot can have, or that are taken."""
    teams = [guest.team for guest in reversed([*guests.values()])] + [person.team for person in people]
    meant = {team.casefold(): (team, "a team") for team in teams if team}
    meant |= {person.alias.casefold(): (person.alias, "an alias") for person in people}
    meant |= {bot.name.casefold(): (bot.name, "a bot of the staff") for bot in staff_bots(arena.folder)}
    named = []
    for place, guest in guests.items():
        alias = guest.alias or fresh_names(1, meant)[0]  # which says nothing about a person
        for what, word in (("an alias", alias), ("a team", guest.team)):
            if word and not _can_be_a_bot(word):
                raise ArenaError(f"{place}: expected {what} of {NAME_RULE}, found {word!r}.")
            before = meant.get(word.casefold())
            if word and before and (what == "an alias" or before != (word, what)):
                spelt = f", spelt {before[0]!r}" if before[0] != word else ""
                raise ArenaError(f"{place}: {word!r} is {before[1]} already{spelt}. Nobody was invited.")
        meant[alias.casefold()] = alias, "an alias"
        named.append(msgspec.structs.replace(guest, alias=alias))
    return named


def _can_be_a_bot(word: str) -> bool:
    """Whether a bot can be called that. A leading '_' hides a bot; `bot.py` would make a bot of its folder.

    `me` is whoever asks for a page.
    """
    folded = word.casefold()
    return bool(SAFE_NAME.fullmatch(word)) and word[0] != "_" and f"{folded}.py" not in MAIN_FILES and folded != "me"


def links_table(guests: Sequence[Guest]) -> str:
    """Links as CSV, to send by mail merge."""
    from league.tools.table import Column, Table

    return Table([Column(name) for name in Guest.__struct_fields__], guests).csv()


def links_sheet(arena: ArenaStore, guests: Sequence[Guest]) -> str:
    """A page to print and cut up: for each person their name, their link and a QR code of it."""
    from league.page.inline import render_template

    return render_template("invitations.html.j2", [], arena=arena.fact("name"), cards=qr_codes(guests))


def qr_codes(guests: Sequence[Guest]) -> list[tuple[Guest, str]]:
    """Each link with a QR code of it, as the address of a picture."""
    import segno

    return [(guest, segno.make_qr(guest.link).svg_data_uri(border=2, scale=4)) for guest in guests]
