"""`each` tries every row, and names those that fail."""

import pytest

from tests.tables import each


def test_failing_rows_are_named():
    tried = []

    @each(("number", "square"), [(2, 4), (3, 8), (4, 16), pytest.param(5, 24, id="wrong")])
    def squares(number, square):
        tried.append(number)
        assert number**2 == square

    with pytest.raises(pytest.fail.Exception) as failure:
        squares()
    assert tried == [2, 3, 4, 5]
    assert [line.partition(":")[0] for line in str(failure.value).splitlines()] == [
        "2 of 4 rows fail",
        "(3, 8)",
        "(5, 24)",
    ]


def test_a_row_that_raises_nothing_where_it_should_fails():
    @each("text", ["1", "x"])
    def not_a_number(text):
        with pytest.raises(ValueError, match="invalid literal"):
            int(text)

    with pytest.raises(pytest.fail.Exception, match=r"1 of 2 rows fail:\n\('1',\): Failed: DID NOT RAISE"):
        not_a_number()
