"""Kits: bots in other languages to start from, with the protocol done. `league new --language` writes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from league import games
from league.extensions.kits.java_views import java_files
from league.games.contract import Game
from league.games.guide import guide

_TEXTS = Path(__file__).parent


class Kit(NamedTuple):
    """How a bot of one language is written, built and started."""

    main: str
    """The file of the author's own; CLASS stands for the name of the bot's class."""
    command: str
    build: str
    template: str
    """The text of the main file."""
    generated: Callable[[Game], Mapping[str, str]] = lambda _: {}
    """Files of the kit that depend on the game."""


_JAVA = Kit(
    main="CLASS.java",
    command='["java", "-cp", "classes", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "Kit", "CLASS"]',
    build='["javac", "-d", "classes", "*.java", "kit/*.java"]',
    template="""\
ABOUT

/** Any legal move, at random. */
public class CLASS extends Bot {
    @Override
    public int choose(VIEW view) {
        // Your turn: return one of view.legal. Everything you know is in the view: see above, and kit/VIEW.java.
        return view.legal[random.nextInt(view.legal.length)];
    }
}
""",
    generated=java_files,
)
_NODE = Kit(
    main="bot.js",
    command='["node", "bot.js"]',
    build="",
    template="""\
ABOUT

const { play } = require("./kit.js");

class CLASS {
  constructor(table) {
    // A match begins: you have table.game, players, seat, options, and random() for numbers from 0 to 1.
    this.random = table.random;
  }

  choose(view) {
    // Your turn: return one of view.legal. Everything you know is in the view, described above.
    return view.legal[Math.floor(this.random() * view.legal.length)];
  }
}

play(CLASS);
""",
)
_C = Kit(
    main="bot.c",
    command='["./bot"]',
    build='["cc", "-O2", "-o", "bot", "bot.c"]',
    template="""\
ABOUT

#include "kit.h"

/* Your turn: return one of the numbers in legal. What the view has is described above, how to read it in kit.h. */
int choose(Table *table, const Json *view) {
    const Json *legal = field(view, "legal");
    return at(legal, random_below(table, length(legal)));
}
""",
)
_RUST = Kit(
    main="bot.rs",
    command='["./bot"]',
    build='["rustc", "-O", "--edition", "2021", "-o", "bot", "bot.rs"]',
    template="""\
ABOUT

mod kit;
use kit::{Bot, Json, Table};

#[derive(Default)]
struct CLASS;

impl Bot for CLASS {
    fn choose(&mut self, table: &mut Table, view: &Json) -> i64 {
        // Your turn: return one of legal. What the view has is described above, how to read it in kit.rs.
        let legal = view.numbers("legal");
        legal[table.random_below(legal.len())]
    }
}

fn main() {
    kit::play::<CLASS>();
}
""",
)
_GO = Kit(
    main="bot.go",
    command='["./bot"]',
    build='["go", "build", "-o", "bot", "bot.go", "kit.go"]',
    template="""\
ABOUT

package main

// CLASS plays one match.
type CLASS struct{}

// Choose is your turn: return one of legal. What the view has is described above, how to read it in kit.go.
func (bot *CLASS) Choose(table *Table, view View) int {
	legal := view.Numbers("legal")
	return legal[table.Random.Intn(len(legal))]
}

func main() {
	play(func(table *Table) Bot { return &CLASS{} })
}
""",
)
KITS = {"c": _C, "go": _GO, "java": _JAVA, "node": _NODE, "rust": _RUST}
"""By language."""


def kit_files(language: str, name: str, game: Game, own: Mapping[str, str] | None = None) -> dict[str, str]:
    """The files of a new bot that plays a game at random, by path; `own` files take the place of the main one.

    The first of them is then the one whose class plays.
    """
    kit = KITS[language]
    called = class_name(name) if own is None else next(iter(own)).removesuffix(Path(kit.main).suffix)
    files = _texts(language, game)
    view = game.view_type.__name__
    about = "\n".join(f"// {line}".rstrip() for line in _about(name, game))
    text = kit.template.replace("ABOUT", about).replace("CLASS", called).replace("VIEW", view)
    build = f"build = {kit.build}\n" if kit.build else ""
    command = f"command = {kit.command}\n".replace("CLASS", called)
    description = "Any legal move, at random." if own is None else f"What {next(iter(own))} plays."
    toml = f'{build}{command}games = ["{game.name}"]\ndescription = "{description}"\n'
    return {"bot.toml": toml, **(own or {kit.main.replace("CLASS", called): text}), **files}


def adopted(files: Mapping[str, bytes]) -> dict[str, bytes] | None:
    """The files of a bot, made of files for a framework that a kit stands in for; None if they are for none.

    A class for Hol's der Geier plays Raj: it gets the kit for Java in the place of the framework.
    """
    mains = [path for path, content in files.items() if _GEIER.search(content)]
    if len(mains) != 1 or "/" in mains[0]:
        return None
    others = [path for path in files if path.endswith(".java") and path not in (*mains, *_FRAMEWORK)]
    own = {path: files[path].decode("utf-8", "replace") for path in (*mains, *others)}
    made = kit_files("java", Path(mains[0]).stem, games.make("raj"), own)
    return {path: text.encode() for path, text in made.items()}


def _texts(language: str, game: Game) -> dict[str, str]:
    """The files of a kit itself, by path."""
    folder = _TEXTS / language
    paths = [path for path in sorted(folder.rglob("*.*")) if path.suffix in _CODE]
    texts = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    return {**texts, **KITS[language].generated(game)}


_GEIER = re.compile(rb"class\s+\w+\s+extends\s+HolsDerGeierSpieler\b")
_FRAMEWORK = ("HolsDerGeier.java", "HolsDerGeierSpieler.java")
"""Files of others that people hand in with their own; the kit has its own."""
_CODE = (".go", ".java", ".js", ".h", ".rs")
"""How the files of kits end."""
_RESERVED = {"Bot", "GeierBot", "HolsDerGeier", "HolsDerGeierSpieler", "Json", "Kit", "View", "Views"}


def class_name(name: str) -> str:
    """The name of a bot as that of a class: MyBot for my_bot."""
    words = re.findall(r"[^\W_]+", name)
    joined = "".join(word[0].upper() + word[1:] for word in words)
    plain = joined if joined.isascii() and joined[:1].isalpha() else f"Bot{re.sub(r'[^A-Za-z0-9]', '', joined)}"
    return f"My{plain}" if plain in _RESERVED or plain.endswith("View") else plain


def _about(name: str, game: Game) -> list[str]:
    return [
        f"{name}: a bot for {game.title}. All that is in this folder belongs to it.",
        "",
        f"Try it:     league check {name}",
        f"Watch it:   league match {game.name} {name} {' '.join(['random'] * (game.players - 1))}",
        f"Enter it:   league submit {name}",
        "",
        *guide(game, for_programs=True),
    ]
