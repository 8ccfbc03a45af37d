"""Rows and columns as CSV, JSON, Markdown, text for a terminal, a pandas frame and HTML.

What a cell looks like is decided here and nowhere else: decimals, blanks, what a spreadsheet would take for a formula,
and what a narrow terminal does without. `page/templates/macros.j2` has the macro for pages.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Mapping, Sequence
from io import StringIO
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from league.tools.text import LEAST_COLUMNS, folded, listed, safe, shorten, width

if TYPE_CHECKING:
    from pandas import DataFrame

BLANK = "-"
"""What people see where there is no value."""


class Column(NamedTuple):
    """One column of a table: the values of its cells, and what people see of them."""

    name: str
    """In files, for programs and of `--sort`."""
    value: str | Callable[[Any], Any] = ""
    """An attribute of the row, if it is not the one of this name, or a function of the row."""
    spec: str = ""
    """The format of numbers for people, such as '.2f'. A column without one is text, and at the left."""
    shown: Callable[[Any], str] | None = None
    """What people see of a row, where that is not the value in its format."""
    title: str = ""
    """What stands above it for people, if it is not the name."""
    about: str = ""
    """What it means: a tooltip on pages."""
    where: Collection[str] = ("csv", "json", "text", "html")
    """Frames and Markdown have the columns of CSV."""
    spare: int = 0
    """A narrow terminal leaves out columns with the lowest numbers first; 0: never."""
    optional: bool = False
    """Left out where no row has a value."""
    style: str = ""
    """Its class on pages: 's', 'm' and 'l' need a small, medium or large window."""

    @property
    def of(self) -> Callable[[Any], Any]:
        """The function that gives its value of a row."""
        return self.value if callable(self.value) else attrgetter(self.value or self.name)

    def text(self, row: Any) -> str:
        """What people see of a row."""
        if self.shown:
            return self.shown(row)
        value = self.of(row)
        if isinstance(value, str):
            return value  # perhaps markup
        return BLANK if is_missing(value) else format(value, self.spec)

    @property
    def heading(self) -> str:
        """What stands above it on pages."""
        title = self.title or self.name.replace("_", " ")
        return title[:1].upper() + title[1:]


class Table(NamedTuple):
    """Rows of any kind, and the columns that are shown of them."""

    columns: Sequence[Column]
    rows: Sequence[Any]

    @classmethod
    def of(
        cls,
        header: Sequence[str],
        rows: Sequence[Sequence[Any]],
        right: Collection[str] = (),
        spare: Sequence[str] = (),
    ) -> Table:
        """A table of rows that are sequences; `spare` are columns to do without, the first ones first."""
        order = {name: number for number, name in enumerate(spare, 1)}
        return cls(
            [
                Column(name, itemgetter(at), ">" if name in right else "", spare=order.get(name, 0))
                for at, name in enumerate(header)
            ],
            rows,
        )

    def seen(self, where: str) -> list[Column]:
        """The columns of 'csv', 'json', 'text' or 'html'."""
        return [
            column
            for column in self.columns
            if where in column.where and not (column.optional and all(map(is_missing, map(column.of, self.rows))))
        ]

    def csv(self) -> str:
        """For spreadsheets: a fixed number of decimals, and no cell that would be taken for a formula."""
        columns = self.seen("csv")
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([_no_formula(column.name) for column in columns])
        values = [column.of for column in columns]
        writer.writerows([_csv_cell(of(row)) for of in values] for row in self.rows)
        return text.getvalue()

    def json(self) -> list[dict[str, Any]]:
        """For programs: an object for each row."""
        values = [(column.name, column.of) for column in self.seen("json")]
        return [{name: of(row) for name, of in values} for row in self.rows]

    def markdown(self) -> str:
        """With everything escaped that could be taken for markup."""
        columns = self.seen("csv")
        rows = [[_markdown_cell(column.of(row)) for column in columns] for row in self.rows]
        rule = ["---:" if column.spec else "---" for column in columns]
        return "\n".join(f"| {' | '.join(row)} |" for row in ([column.name for column in columns], rule, *rows))

    def frame(self) -> DataFrame:
        """As a pandas DataFrame."""
        import pandas as pd

        columns = self.seen("csv")
        values = [column.of for column in columns]
        return pd.DataFrame([[of(row) for of in values] for row in self.rows], columns=[one.name for one in columns])

    def text(self, most: int | None = None, elsewhere: str = "") -> str:
        """For a terminal of N columns: lines that are no longer, as far as that can be; None: of any width.

        It does without columns that are `spare` and says so in a line below, with `elsewhere`: where they are. If that
        is not enough, a last column of text is cut short.
        """
        columns = self.seen("text")
        left_out: list[str] = []
        shown = [
            [safe(column.title or column.name), *(safe(column.text(row)) for row in self.rows)] for column in columns
        ]
        widths = [max(map(width, cells)) for cells in shown]
        for at in sorted(range(len(columns)), key=lambda at: columns[at].spare):
            if most is None or _whole(widths) <= most:
                break
            if columns[at].spare:
                left_out.append(shown[at][0])
                widths[at] = 0
        kept = [at for at in range(len(columns)) if widths[at]]
        too_much = 0 if most is None else _whole(widths) - most
        if too_much > 0 and not columns[kept[-1]].spec:
            widths[kept[-1]] = max(widths[kept[-1]] - too_much, LEAST_COLUMNS)
            shown[kept[-1]] = [shorten(cell, widths[kept[-1]]) for cell in shown[kept[-1]]]
        lines = [
            "  ".join(_padded(shown[at][row], widths[at], right=bool(columns[at].spec)) for at in kept).rstrip()
            for row in range(1 + len(self.rows))
        ]
        note = f"Left out for lack of room: {listed(left_out)}. {elsewhere}".rstrip()
        return "\n".join([*lines, folded(note, most)] if left_out else lines)


def together(tables: Mapping[str, Table], name: str) -> Table:
    """Tables with the same columns as one, for files; a column of this name tells them apart if there are several."""
    first = next(iter(tables.values()))
    if len(tables) == 1:
        return first
    columns = [column._replace(value=_of_second(column.of), shown=None) for column in first.columns]
    return Table(
        [Column(name, itemgetter(0)), *columns], [(key, row) for key, table in tables.items() for row in table.rows]
    )


def _of_second(of: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda pair: of(pair[1])


def _whole(widths: Sequence[int]) -> int:
    """How wide columns are beside each other; those of no width are left out."""
    return sum(one + 2 for one in widths if one) - 2


def _padded(cell: str, columns: int, *, right: bool) -> str:
    space = " " * (columns - width(cell))
    return space + cell if right else cell + space


def is_missing(value: Any) -> bool:
    """Whether there is no value, or no number."""
    return value is None or value != value  # not a number


def _fixed(value: float) -> str:
    """The same in every format and on every machine; never -0.0000.

    Decimals after the ninth differ between processors, and a mean of points is often in the middle of two numbers.
    """
    return f"{round(value, 9):z.4f}"


def _no_formula(cell: str) -> str:
    return f"'{cell}" if cell != "-" and cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def _csv_cell(value: Any) -> str:
    if is_missing(value):
        return ""
    if isinstance(value, float):
        return _fixed(value)
    return str(value) if isinstance(value, int) else _no_formula(str(value))


def _markdown_cell(value: Any) -> str:
    text = "" if is_missing(value) else _fixed(value) if isinstance(value, float) else safe(str(value))
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>()#|!~" else char for char in text)
