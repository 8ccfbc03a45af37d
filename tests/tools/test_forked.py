"""Work on many items comes in their order, from any number of processes."""

import os
from itertools import count, islice

import pytest

from league.tools.forked import in_order
from tests.tables import each


@each(("items", "processes", "forked"), [(0, 2, False), (1, 2, False), (2, 2, True), (50, 2, True), (50, 1, False)])
def test_results_come_in_order_and_one_item_needs_no_process(items, processes, forked):
    results = [*in_order(lambda item: (item, os.getpid()), range(items), processes)]
    assert [item for item, _ in results] == [*range(items)]
    assert (os.getpid() not in {process for _, process in results}) == forked or not items


def test_an_error_is_raised_where_its_result_was_due():
    def work(item):
        return 60 // (30 - item)

    results = in_order(work, range(100), 2)
    assert [*islice(results, 30)][-1] == 60
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_items_without_end_are_taken_as_they_are_needed():
    results = in_order(lambda item: item, count(), 2)
    assert [*islice(results, 100)] == [*range(100)]
    results.close()
