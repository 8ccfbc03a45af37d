"""Types say what may be written, in messages and in documentation; what is read has the type."""

from enum import StrEnum
from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import Meta

from league.tools.reading import MistakeError, choices, describe, example_of, read
from tests.tables import each

Digit = Annotated[int, Meta(ge=0, le=9)]
Share = Annotated[float, Meta(ge=0, le=0.5)]
Even = Annotated[int, Meta(extra={"words": "an even word", "parse": {"two": 2, "four": 4}.get})]
Row = Annotated[tuple[Digit, ...], Meta(min_length=1, max_length=3)]
Words = Annotated[tuple[str, ...], Meta(min_length=1, extra={"alone": True})]


class Mode(StrEnum):
    SLOW = "slow"
    FAST = "fast"


class Inner(msgspec.Struct):
    depth: Annotated[Digit, Meta(examples=[7])]


class Outer(msgspec.Struct):
    width: Digit
    inner: Inner | None = None


@each(
    ("kind", "words"),
    [
        (bool, "true or false"),
        (str, "text"),
        (Literal["a", "b"], "one of a, b"),
        (Literal["a"], "a"),
        (Mode, "one of slow, fast"),
        (Digit, "a whole number from 0 to 9"),
        (Digit | None, "a whole number from 0 to 9"),
        (Annotated[int, Meta(ge=2)], "a whole number of at least 2"),
        (Share, "a number from 0 to 0.5"),
        (Annotated[Share | None, Meta(extra={"auto": "auto"})], "auto or a number from 0 to 0.5"),
        (Even, "an even word"),
        (tuple[Digit, Digit, Digit], "a list of 3, each a whole number from 0 to 9"),
        (Row, "a list of 1 to 3, each a whole number from 0 to 9"),
        (Words, "text, or a list of them"),
        (Inner, "keys with values ('{depth: 7}')"),
        (Literal["flat"] | Inner, "flat or {depth: 7}"),
    ],
)
def test_what_a_type_allows_in_words(kind, words):
    assert describe(kind) == words


@each(
    ("written", "kind", "value"),
    [
        ("true", bool, True),
        ("fast", Mode, Mode.FAST),
        ("7", Digit, 7),
        ("7", str, "7"),
        ("0", Share, 0.0),
        ("1e-1", Share, 0.1),
        ("auto", Annotated[Share | None, Meta(extra={"auto": "auto"})], None),
        ("two", Even, 2),
        ("flat", Literal["flat"] | Inner, "flat"),
        ("ann", Words, ("ann",)),
        (["ann", "bob"], Words, ("ann", "bob")),
        ([1, 2], tuple[Digit, Digit], (1, 2)),
        ({"width": 3, "inner": {"depth": 4}}, Outer, Outer(3, Inner(4))),
    ],
)
def test_a_right_value_is_read(written, kind, value):
    assert read(written, kind, "it") == value


@each(
    ("written", "kind", "told"),
    [
        ("yes", bool, "expected it as true or false, found 'yes'. Did you mean true?"),
        ("fats", Mode, "expected it as one of slow, fast, found 'fats'. Did you mean 'fast'?"),
        ("0_7", Digit, "expected it as a whole number from 0 to 9, found '0_7'."),
        ("9" * 5000, Digit, f"expected it as a whole number from 0 to 9, found '{'9' * 59}…'."),
        ("nan", Share, "expected it as a number from 0 to 0.5, found 'nan'."),
        ("three", Even, "expected it as an even word, found 'three'."),
        ("flt", Literal["flat"] | Inner, "expected it as flat or {depth: 7}, found 'flt'. Did you mean 'flat'?"),
        ([], Words, "expected it as text, or a list of them, found an empty list."),
        ([1, 99], tuple[Digit, Digit], "expected each of it as a whole number from 0 to 9, found 99."),
        (
            {"width": 1, "inner": {"depht": 4}},
            Outer,
            "expected a key of inner (depth), found 'depht'. Did you mean 'depth'?",
        ),
    ],
)
def test_a_wrong_value_is_a_sentence(written, kind, told):
    with pytest.raises(MistakeError) as raised:
        read(written, kind, "it")
    assert raised.value.what == told


def test_choices_are_what_can_be_listed():
    assert choices(Literal["a", "b"]) == ("a", "b")
    assert choices(bool) == ("true", "false")
    assert choices(Digit) == ()


def test_the_example_of_a_struct_is_its_first_key():
    assert (example_of(Inner), example_of(Outer)) == ("{depth: 7}", "{width: …}")
