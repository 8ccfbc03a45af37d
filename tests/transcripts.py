"""Golden transcripts of commands: what `league …` prints and its exit code, a file for each command.

`make golden` writes them to `tests/golden/cli/`. Every transcript begins with `--help`, of all commands of a group too;
`SCRIPT` says what comes after it. All lines are run one after the other, in one folder with the project's bots/ and
configs/ and with `FILES`, so a line may use what those before it have written. What a terminal would show on standard
error is among the rest. A line that differs from the last transcript in times, rates and dates alone stays as it was.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator

from league.commands import commands
from tests import docs
from tests.golden import COMMANDS_FOLDER
from tests.leagues import DICE

FAULT = """if self.rng.random() < 0.02:
            raise ValueError('no idea')
        return"""
MEASURED = re.compile(r'("(?:start_ms|ms_per_decision)": )[\d.e-]+')
"""Times in JSON, which have no unit beside them."""
LONG = re.compile(r"(\d\.\d{6})\d{4,}")
"""Numbers whose last digits may differ between machines."""
FILES = {
    "small.yaml": """\
league: small
seed: 1
bots: [bots/random.py, bots/raj_nearest.py, bots/rats_prince.py, hasty.py]
games:
  - {game: raj, deals: 10}
  - {game: braverats, deals: 10}
milestones:
  - {bot: random, title: Better than chance, points: 40}
""",
    "wrong.yaml": "league: wrong\nbots: bots\ngames: [{game: rajj}]\ndeals: 4\n",
    "class.yaml": "league: class\nbots: class\ngames: [{game: raj, deals: 2}]\n",
    "hasty.py": DICE.replace("return", FAULT),
    "patient.py": DICE,
    "broken.py": "class Bot\n",
    "people.csv": "name,bot,Grade\nAnn Lee,hasty,\nBo Chen,rats_prince,\nCy Roe,cy,\n",
    "handins/Ann Lee/bot.py": DICE,
    "handins/Nobody Known/bot.py": DICE,
}
SCRIPT = {
    "league": ["league rum", "league audit results/small", "league --wrong"],
    "run": [
        "league run small.yaml --dry-run --workers 1",
        "league run small.yaml --workers 1 --games 30",
        "league run small.yaml --workers 1",
        "league run small.yaml --workers 1",
        "league run wrong.yaml",
        "league run smal.yaml",
        "league run small.yaml --games 0",
    ],
    "standings": [
        "league standings results/small",
        "league standings results/small --game raj --format csv",
        "league standings results/small --game braverats --format json",
        "league standings results/small --without hasty --sort wins --format markdown",
        "league standings results/smal",
        "league standings results/small --game rajj",
        "league standings results/small --history",
        "league standings results/small --history --bot random",
        "league standings results/small --page handed_out --anonymous",
        "league standings results/small --page --game raj",
        "league standings results/small --public",
    ],
    "compare": [
        "league compare results/small random raj_nearest",
        "league compare results/small random raj_nearest --json",
        "league compare results/small random nobody",
    ],
    "faults": [
        "league faults results/small",
        "league faults results/small hasty",
        "league faults results/small nobody",
    ],
    "find": [
        "league find results/small --bot hasty --worst 2",
        "league find results/small --bot random --lost --against raj_nearest --limit 2",
        "league find results/small --fault --limit 1 --json",
        "league find results/small --to games.csv",
        "league find results/small --moves --to moves.jsonl",
        "league find results/small --to games.xls",
        "league find results/small --bot rats_prince --lost --blunders --games 4 --limit 2",
        "league find results/small --worst 2",
        "league find results/small --bot nobody",
    ],
    "replay": [
        "league replay results/small raj-2p:raj_nearest+random:3.1",
        "league replay results/small hasty --fault",
        "league replay results/small raj-2p:raj_nearest+random:3.1 --step 2",
        "league replay results/small raj-2p:raj_nearest+random:3.1 --html",
        "league replay results/small braverats-2p:random+rats_prince:0.0 --curve --playouts 20",
        "league replay results/small raj-2p:raj_nearest+random:99.1",
        "league replay results/small nobody",
        "league replay results/small raj-2p:hasty+random:0.0 --with hasty=patient.py",
        "league replay results/small --with hasty=patient.py --lost --games 6",
        "league replay results/small --with nobody=patient.py",
    ],
    "verify": [
        "league verify results/small --share 100% --seed 1",
        "league verify nowhere",
    ],
    "match": [
        "league match raj random raj_nearest --seed 7",
        "league match braverats random rats_prince --option mime=true --json",
        "league match raj random",
        "league match raj random nobody",
        "league match braverats random random --option mime=maybe",
    ],
    "duel": [
        "league duel raj_nearest random --game raj --seed 1 --workers 1",
        "league duel raj_nearest random --game raj --seed 1 --workers 1 --json",
        "league duel raj_nearest random --game raj --alpha 2",
        "league duel raj_nearest rats_prince --game raj",
    ],
    "games": [
        "league games",
        "league games raj",
        "league games rajj",
    ],
    "bots": [
        "league bots",
        "league bots --bots nowhere",
    ],
    "new": [
        "league new amy --game raj",
        "league new amy --game raj",
        "league new barista --game raj --language java",
        "league new ../amy --game raj",
        "league new amy",
        "league new crown --rules",
        "league new crown --rules",
    ],
    "check": [
        "league check amy.py",
        "league check amy.py --config small.yaml",
        "league check hasty.py --game raj",
        "league check hasty.py --game braverats --json",
        "league check broken.py",
        "league check nobody.py",
        "league check crown.py --playings 1",
        "league check crown.py hasty.py",
    ],
    "submit": [
        "league submit amy.py",
        "league submit amy.py",
        "league submit patient.py --as amy --replace",
        "league submit amy --restore 1",
        "league submit broken.py",
    ],
    "class": [
        "league class collect handins --roster people.csv --config class.yaml --to class",
        "league class collect handins --roster nobody.csv --to class",
        "league class collect handins --roster people.csv",
        "league class grades results/small --roster people.csv",
        "league class grades results/small --roster people.csv --provisional",
        "league class grades results/small --roster small.yaml",
        "league class similar results/small --games 10",
        "league class similar nowhere",
    ],
    "arena": ["league arena login nowhere", "league arena status nowhere"],
    "solve": [
        "league solve braverats --hands 0246 1357",
        "league solve raj",
        "league solve raj raj_nearest --games 10",
        "league solve braverats nobody",
        "league solve braverats random --hands 12 34",
    ],
    "play": ["league play raj --vs nobody"],
    "completion": ["league completion bash", "league completion csh"],
}


def transcripts() -> Iterator[tuple[str, str]]:
    """The name and the text of each transcript, as they are now."""
    with docs.in_a_folder_of_its_own() as here:
        for name, text in FILES.items():
            (here / name).parent.mkdir(parents=True, exist_ok=True)
            (here / name).write_text(text, encoding="utf-8")
        for name in [*SCRIPT, *sorted(commands().keys() - SCRIPT)]:
            before: dict[str, list[list[str]]] = {}
            for example in docs.examples(stored(name)):
                before.setdefault(example.command, []).append(example.shown)
            lines: list[str] = []
            for line in [*_helps(name), *SCRIPT.get(name, ())]:
                printed, code = docs.run(line)
                told = [LONG.sub(r"\1", MEASURED.sub(r"\1#", each.replace(str(here), "HERE"))) for each in printed]
                shown = before[line].pop(0) if before.get(line) else []
                as_long = len(shown) - len(told) in (0, 1)  # an empty line stands between commands
                lines += [f"{docs.PROMPT}{line}", *(docs.with_old_times(told, shown) if as_long else told)]
                lines += [docs.EXIT_CODE, str(code), ""] if code else [""]
            yield name, "\n".join(lines)


def stored(name: str) -> str:
    """A transcript as it was written last."""
    path = COMMANDS_FOLDER / f"{name}.txt"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _helps(name: str) -> list[str]:
    if name == "league":
        return ["league --help"]
    names = [each for each in docs.all_commands() if each.split()[0] == name]
    return [f"league {each} --help" for each in names]


def main() -> None:
    """Write all transcripts again, and drop those of commands that are gone."""
    now = dict(transcripts())
    shutil.rmtree(COMMANDS_FOLDER, ignore_errors=True)
    COMMANDS_FOLDER.mkdir(parents=True)
    for name, text in now.items():
        (COMMANDS_FOLDER / f"{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
