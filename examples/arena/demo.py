"""A demonstration: an arena with twelve authors, hand-ins and a ladder under way, on this machine only.

    python examples/arena/demo.py build/arena

The authors are made up, and hand in bots that League ships. Ctrl-C ends it, and the same command begins again.
"""

import shutil
import sys
from pathlib import Path
from time import time

from league.extensions.arena.folder import make_arena
from league.extensions.arena.records import link
from league.extensions.arena.serve import ServeOptions, Supervisor
from league.tools.files import shipped

PORT = 8643
DEADLINE_SECONDS = 3 * 86400.0
CONFIG = """
league: demonstration
bots: [{bots}/random.py, {bots}/raj_nearest.py]
milestones:
  - {{bot: random, title: Better than chance, points: 1}}
  - {{bot: raj_nearest, title: Knows what a card is worth, points: 1, game: raj}}
games:
  - {{game: raj, players: 2, deals: 200}}
  - {{game: braverats, deals: 200}}
page: {{public: true}}
"""
AUTHORS = (
    ("Ada Brook", "ada", "raj_habits"),
    ("Ben Carter", "ben", "raj_endgame"),
    ("Cleo Dunn", "cleo", "raj_memory"),
    ("Dara Ellis", "dara", "dreamer"),
    ("Eli Fox", "eli", "rats_prince"),
    ("Fay Grant", "fay", "random"),
    ("Gil Hart", "gil", "raj_nearest"),
    ("Hana Ito", "hana", "stubborn"),
    ("Ivo Jansen", "ivo", ""),
    ("Jo Klein", "jo", ""),
    ("Kim Lund", "kim", ""),
    ("Lars Moen", "lars", ""),
)
"""Name, alias, and the shipped bot that they hand in; those without one write their own."""
OWN = """class Bot:
    \"\"\"Bid {what} card.\"\"\"

    def choose(self, view):
        return {choice}
"""
CHOICES = (("the highest", "max(view.legal)"), ("the lowest", "min(view.legal)"), ("a forbidden", "999"))


def main(folder: Path) -> None:
    """Make the arena again, hand in, and serve it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    config = folder.with_suffix(".yaml")
    config.write_text(CONFIG.format(bots=shipped("bots").absolute()))
    arena, _, code = make_arena(folder, config)
    url = f"http://127.0.0.1:{PORT}"
    print("Open one of these links, and press the button:")
    print(f"lecturer:  {link(url, code)}")
    [(_, assistant)] = arena.invite([("Tess Tutor", "tess", "", "assistant")], "demonstration")
    print(f"assistant: {link(url, assistant)}")
    people = [(name, alias, "", "author") for name, alias, _ in AUTHORS]
    invited = arena.invite(people, "demonstration")
    for number, ((person, own), (_, _, bot)) in enumerate(zip(invited, AUTHORS, strict=True)):
        source = shipped("bots") / f"{bot}.py"
        if source.is_file():
            arena.hand_in(person, source.name, source.read_bytes())
        elif number % 4 < len(CHOICES):
            what, choice = CHOICES[number % 4]
            arena.hand_in(person, "bot.py", OWN.format(what=what, choice=choice).encode())
        print(f"{person.alias + ':':<10} {link(url, own)}")
    arena.change_rules("demonstration", spectators=True, deadline=time() + DEADLINE_SECONDS)
    arena.close()
    supervisor = Supervisor(ServeOptions(str(folder), port=PORT))
    print(
        f"The arena is at {url}/ (Ctrl-C ends it). Everybody can see {url}/standings/, in about half a minute.",
        flush=True,
    )
    supervisor.run(lambda line: print(line, file=sys.stderr))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/arena"))
