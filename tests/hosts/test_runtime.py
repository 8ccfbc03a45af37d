"""What a bot's class is asked when it is loaded."""

from functools import partial

from league.hosts.runtime import takes_final_view
from tests.tables import each


def bot(**methods):
    return type("Bot", (), methods)


class Callable:
    def __call__(self, outcome, view):
        """Takes both."""


@each(
    ("finish", "takes"),
    [
        (lambda self, outcome: None, False),
        (lambda self, outcome, view: None, True),
        (lambda self, outcome, view=None: None, True),
        (lambda self, *told: None, True),
        (lambda self, outcome, *, view=None: None, False),
        (staticmethod(lambda outcome: None), False),
        (staticmethod(lambda outcome, view: None), True),
        (classmethod(lambda cls, outcome: None), False),
        (classmethod(lambda cls, outcome, view: None), True),
        (Callable(), True),
        (partial(lambda limit, outcome: None, 3), False),
        (3, False),
    ],
)
def test_whether_finish_takes_the_final_view(finish, takes):
    assert takes_final_view(bot(finish=finish)) == takes
    assert takes_final_view(type("Heir", (bot(finish=finish),), {})) == takes


def test_a_bot_without_finish_wants_nothing():
    assert not takes_final_view(bot())
