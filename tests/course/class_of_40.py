"""A made-up class of 40 that writes bots for Raj: honest ones, faulty ones and copies, in Python and Java.

Both archives are made from it, Moodle's of the first week and Canvas's of the second.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping

from league.hosts.launcher import ENVIRONMENT
from tests.course.made_up_class import bot_text, moodle, zipped

FIRST_NAMES = ("Amy", "Bo", "Cid", "Dana", "Eli", "Fay", "Gus", "Hana")
LAST_NAMES = ("Adams", "Brown", "Cruz", "Diaz", "Evans")
PEOPLE = [f"{first} {last}" for last in LAST_NAMES for first in FIRST_NAMES]
"""40 people. Their numbers begin at 101."""

Files = Mapping[str, str | bytes]

ORIGINAL = '''class Bot:
    """What a prize is worth, a little less when ahead, and the extremes at the end."""

    games = ("raj",)

    def choose(self, view):
        worth = abs(view.prize)
        if view.prize < 0:
            worth += 2
        ahead = all(view.scores[view.seat] > score for seat, score in enumerate(view.scores) if seat != view.seat)
        if ahead:
            worth -= 1
        if len(view.legal) <= 4:
            return view.legal[-1] if view.prize > 0 else view.legal[0]
        wanted = min(15, 4 + worth)
        return min(view.legal, key=lambda card: (abs(card - wanted), card))
'''
RENAMED = (
    ORIGINAL.replace("What a prize", "My own idea: what a prize")
    .replace("worth", "stake")
    .replace("ahead", "in_front")
    .replace("wanted", "goal")
    .replace("card", "mine")
)
REORDERED = '''class Bot:
    """Bids by a plan."""

    games = ("raj",)
    offset = 4

    def nearest(self, hand, goal):
        best = hand[0]
        for card in hand[1:]:
            if abs(card - goal) < abs(best - goal):
                best = card
        return best

    def leads(self, view):
        others = [score for seat, score in enumerate(view.scores) if not seat == view.seat]
        return view.scores[view.seat] > max(others)

    def choose(self, view):
        hand = list(view.legal)
        if len(hand) < 5:
            return hand[0] if view.prize <= 0 else hand[-1]
        goal = self.offset - int(self.leads(view))
        goal += view.prize if view.prize >= 0 else 2 - view.prize
        return self.nearest(hand, 15 if goal > 15 else goal)
'''
NOISY = ORIGINAL.replace(
    "    def choose(self, view):\n",
    "    def __init__(self, table):\n        self.rng = table.rng\n\n    def choose(self, view):\n"
    "        if self.rng.random() < 0.05:\n            return self.rng.choice(view.legal)\n",
)
IN_JAVA = """public class Plan extends Bot {
    @Override
    public int choose(RajView view) {
        int[] hand = view.legal;
        if (hand.length <= 4) {
            return view.prize > 0 ? hand[hand.length - 1] : hand[0];
        }
        int goal = 4 + (view.prize < 0 ? 2 - view.prize : view.prize);
        boolean first = true;
        for (int other = 0; other < players; other++) {
            first &= other == seat || view.scores[seat] > view.scores[other];
        }
        goal = Math.min(15, first ? goal - 1 : goal);
        int best = hand[0];
        for (int card : hand) {
            if (Math.abs(card - goal) < Math.abs(best - goal)) {
                best = card;
            }
        }
        return best;
    }
}
"""


def shifted(number: float) -> str:
    """A bot that bids near the prize, with a number of its own."""
    return bot_text(f"min(view.legal, key=lambda card: (abs(card - abs(view.prize) - {number}), card))", "Near it.")


def scaled(number: float) -> str:
    """A bot for which a prize is worth so many points."""
    return bot_text(f"min(view.legal, key=lambda card: (abs(card - {number} * abs(view.prize)), card))", "A rate.")


def split(number: int) -> str:
    """A bot that bids high for prizes from a number on, and low otherwise."""
    return bot_text(f"view.legal[-1] if view.prize >= {number} else view.legal[0]", "High or low.")


def ranked(number: int) -> str:
    """A bot that plays the card whose rank in its hand fits the prize."""
    return bot_text(f"view.legal[min(len(view.legal) - 1, max(0, abs(view.prize) + {number}) * len(view.legal) // 16)]")


def drawn(number: int) -> str:
    """A bot that draws among some of its cards."""
    text = bot_text(f"self.rng.choice(view.legal[: {number} + abs(view.prize)] or view.legal)", "Draws.")
    return text.replace(
        "    def choose", "    def __init__(self, table):\n        self.rng = table.rng\n\n    def choose"
    )


IDEAS = (
    [shifted(number) for number in (0, 1, 2, 3, 5, 6)]
    + [scaled(number) for number in (0.6, 0.8, 1.2, 1.5, 1.7, 2)]
    + [split(number) for number in (1, 2, 3, 5, 6)]
    + [ranked(number) for number in (-1, 0, 2, 4)]
    + [drawn(number) for number in (1, 3, 5)]
)
"""24 honest bots of five ideas."""


def has_java() -> bool:
    """Whether bots in Java can be built and played here."""
    return shutil.which("javac", path=ENVIRONMENT["PATH"]) is not None


def handins() -> dict[str, Files]:
    """What some of them have handed in after the first week, by name: an original and a copy, a faulty bot, others."""
    texts = {0: ORIGINAL, 1: RENAMED, 10: scaled(2.6), 12: bot_text("view.leg[0]"), 15: IDEAS[0], 20: IDEAS[5]}
    return {PEOPLE[number]: {f"bot{number}.py": text} for number, text in texts.items()}


def roster() -> str:
    """The table of people, as Moodle gives it."""
    lines = [f"Participant {number},{name},,{number}" for number, name in enumerate(PEOPLE, 101)]
    return "\n".join(["Identifier,Full name,Grade,id", *lines, ""])


def moodles_archive(handed_in: Mapping[str, Files]) -> bytes:
    """The archive of the first week: folders, and a .zip in a folder."""
    named = {f"{name}_{101 + PEOPLE.index(name)}": files for name, files in handed_in.items()}
    packed: dict[str, Files] = {
        name: {"handin.zip": zipped(files)} if number % 3 == 2 else files
        for number, (name, files) in enumerate(named.items())
    }
    return zipped(moodle(packed))


def canvas_archive(handed_in: Mapping[str, Files]) -> bytes:
    """The archive of the second week: files only, each with the number of its person."""
    entries: dict[str, str | bytes] = {}
    for name, files in handed_in.items():
        first, last = name.lower().split()
        start = f"{last}{first}_{101 + PEOPLE.index(name)}_{5000 + PEOPLE.index(name)}"
        ((path, content),) = files.items() if len(files) == 1 else {"handin.zip": zipped(files)}.items()
        entries[f"{start}_{path}"] = content
    return zipped(entries)


def week_later(handed_in: Mapping[str, Files]) -> dict[str, Files]:
    """The hand-ins a week later: one is mended, one is better, and the last one has come."""
    return {
        **handed_in,
        PEOPLE[12]: {"bot.py": shifted(4)},
        PEOPLE[20]: {"bot.py": shifted(4.5)},
        PEOPLE[-1]: {"bot.py": scaled(2.2)},
    }
