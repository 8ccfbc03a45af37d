"""The people of a course, from a table as Moodle, Canvas or a spreadsheet writes it, and whose hand-in is whose."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from unicodedata import combining, normalize

import msgspec
from msgspec.structs import replace

from league.errors import LeagueError, did_you_mean
from league.tools.files import not_utf8, read_bytes
from league.tools.text import counted, listed, shown_path
from league.values.settings import NAME_RULE, SAFE_NAME

MOST_BYTES = 10_000_000
NAME_COLUMNS = {
    "full": ("name", "full name", "student", "student name", "participant"),
    "first": ("first name", "given name", "firstname"),
    "last": ("last name", "surname", "family name", "lastname"),
}
"""What a column of a table of people means, by its heading in lower case."""
_COLUMNS = {
    **NAME_COLUMNS,
    "bot": ("bot", "bot name", "alias"),
    "id": ("id", "identifier", "id number", "student id", "user id", "sis user id", "matriculation number"),
    "user": ("username", "user", "login", "sis login id", "github", "github username"),
    "email": ("email", "email address", "e-mail"),
}


class Member(msgspec.Struct, frozen=True):
    """Somebody who may hand in a bot."""

    name: str
    bot: str
    """What their bot is called."""
    row: dict[str, str]
    """Their line of the table, as it is."""
    ids: frozenset[str]
    """Numbers and user names that are theirs alone."""
    names: frozenset[str]
    """Their name in every usual order, as `plain_word` writes it."""


class People(msgspec.Struct, frozen=True):
    """A course."""

    people: tuple[Member, ...]
    headings: tuple[str, ...]
    """The headings of the table, as they are."""
    notice: str = ""
    """What to know about it."""

    def owner(self, name: str, ids: Iterable[str] = ()) -> Member | None:
        """Whose hand-in this is, by the name and the numbers that an archive gives; None if that is not clear.

        A user name may be the end of a longer one, as in the clone `exercise-1-amy`.
        """
        known = [plain_word(word) for word in ids]
        word = plain_word(name)
        endings = [plain_word(name[match.end() :]) for match in re.finditer(r"[-_ ]", name)]
        for owners in (
            [person for person in self.people if person.ids.intersection(known)],
            [person for person in self.people if word in person.names | person.ids],
            [person for person in self.people if person.ids.intersection(endings)],
        ):
            if owners:
                return owners[0] if len(owners) == 1 else None
        return None


def plain_word(text: str) -> str:
    """Letters and digits only, in lower case and without accents: 'Miller, Amélie' is 'milleramelie'."""
    letters = normalize("NFKD", text.casefold())
    return "".join(char for char in letters if char.isalnum() and not combining(char))


def read_people(path: Path) -> People:
    """The people in a CSV file, by its headings; raises `LeagueError` with the line that cannot be used."""
    try:
        headings, rows = parse_table(read_bytes(path, MOST_BYTES).decode("utf-8-sig"), shown_path(path))
    except UnicodeDecodeError as problem:
        line, what = not_utf8(problem)
        raise LeagueError(f"{shown_path(path)}:{line}: {what}") from None
    columns = heading_of(headings, _COLUMNS)
    if not ({"full", "bot"} & {*columns} or {"first", "last"} <= {*columns}):
        known = [word for meaning in ("full", "first", "last", "bot") for word in _COLUMNS[meaning]]
        raise LeagueError(
            f"{shown_path(path)}:1: expected a heading 'name', or 'first name' and 'last name', "
            f"found {headings_told(headings, known)}"
        )
    people, renamed = _told_apart([_person(row, columns, where) for where, row in rows], shown_path(path))
    notice = f"People with the same name have bots with their numbers: {listed(renamed)}." if renamed else ""
    return People(tuple(people), headings, notice)


def parse_table(text: str, where: str) -> tuple[tuple[str, ...], list[tuple[str, dict[str, str]]]]:
    """The headings of a table as CSV, and its other lines by heading, each with its place; raises `LeagueError`."""
    first = text.partition("\n")[0]
    reader = csv.reader(text.splitlines(), delimiter=max(",;\t", key=first.count))
    try:
        lines = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as problem:
        raise LeagueError(f"{where}:{reader.line_num}: expected a table as CSV: {problem}.") from None
    if len(lines) < 2:
        raise LeagueError(
            f"{where}: expected headings and a line for each person, found {counted(len(lines), 'line')}."
        )
    headings = tuple(cell.strip() for cell in lines[0][1])
    return headings, [(f"{where}:{number}", dict(zip(headings, row, strict=False))) for number, row in lines[1:]]


def heading_of(headings: Iterable[str], columns: Mapping[str, Collection[str]]) -> dict[str, str]:
    """The heading of each meaning that a table has, by the words for it in `columns`."""
    meanings: dict[str, str] = {}
    for heading in headings:
        for meaning, words in columns.items():
            if heading.casefold() in words:
                meanings.setdefault(meaning, heading)
    return meanings


def headings_told(headings: Sequence[str], known: Sequence[str]) -> str:
    """Headings as the end of a sentence, with a hint at a known one that is like one of them."""
    near = (did_you_mean(heading.casefold(), known) for heading in headings)
    return f"{listed([repr(heading) for heading in headings])}.{next(filter(None, near), '')}"


def _person(row: dict[str, str], columns: dict[str, str], where: str) -> Member:
    values = {meaning: row.get(heading, "").strip() for meaning, heading in columns.items()}
    in_order = f"{values.get('first', '')} {values.get('last', '')}".strip()
    full = values.get("full") or in_order or values.get("bot", "")
    if not full:
        raise LeagueError(f"{where}: expected a name, found none.")
    last, comma, first = full.partition(",")
    in_order = f"{first.strip()} {last}" if comma else full
    words = in_order.split()
    bot = values.get("bot") or "_".join(re.findall(r"\w+", in_order.casefold()))[:64]
    if not SAFE_NAME.fullmatch(bot):
        raise LeagueError(f"{where}: expected a bot's name of {NAME_RULE}, found {bot!r}. Give one in a column 'bot'.")
    email = values.get("email", "")
    ids = [values.get("id", ""), values.get("user", ""), email, email.partition("@")[0], bot]
    ids += re.findall(r"\d+", values.get("id", ""))  # Moodle writes 'Participant 123'
    return Member(
        name=full,
        bot=bot,
        row=row,
        ids=frozenset(filter(None, map(plain_word, ids))),
        names=frozenset(filter(None, [plain_word("".join(words[at:] + words[:at])) for at in range(len(words))])),
    )


def _told_apart(people: Sequence[Member], where: str) -> tuple[list[Member], list[str]]:
    """People whose bots would have one name get their numbers into it; returns the names that were changed, too."""
    shared = Counter(person.bot.casefold() for person in people)
    told: dict[str, Member] = {}
    renamed = []
    for person in people:
        bot = person.bot
        number = next((word for word in sorted(person.ids) if word.isdecimal()), "")
        if number and shared[bot.casefold()] > 1:
            bot = f"{bot[: 63 - len(number)]}_{number}"
            renamed.append(bot)
        if other := told.get(bot.casefold()):
            both = f"{other.name!r} and {person.name!r}"
            hint = "Add a column 'id' or 'bot'."
            raise LeagueError(f"{where}: the bots of {both} would both be called {bot!r}. {hint}")
        told[bot.casefold()] = replace(person, bot=bot)
    return list(told.values()), renamed
