"""Games that are played again."""

from league.analysis.rematch import Prints
from league.games.contract import State
from league.hosts import Printed


def test_prints_belong_to_the_deal_in_which_they_were_printed():
    prints = Prints()
    state = State(turn=(0,))
    prints.on_step(3, [], state)
    prints.on_print("ann", Printed(5, "first"))
    prints.on_step(4, [[1]], state)
    prints.on_print("bob", Printed(6, "second"))
    (text,) = prints.of(4)
    assert (text.step, text.name, text.beginning) == (2, "bob", "second")
    assert prints.of(3) == (), "all is forgotten when a deal was asked for"
