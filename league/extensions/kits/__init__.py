"""Kits: bots in other languages to start from, with the protocol done. `league new --language` writes them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from league import games
from league.extensions.kits.java_views import java_files
from league.games.contract import Game
from league.games.guide import guide

_FOLDER = Path(__file__).parent
KITS = {"c": "bot.c", "go": "bot.go", "java": "CLASS.java", "node": "bot.js", "rust": "bot.rs"}
"""By language, the file of the author's own in its folder here. Words in upper case are replaced in it."""


def kit_files(language: str, name: str, game: Game, own: Mapping[str, str] | None = None) -> dict[str, str]:
    """The files of a new bot that plays a game at random, by path; `own` files take the place of the main one.

    The first of them is then the one whose class plays.
    """
    folder = _FOLDER / language
    files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*.*"))}
    texts = {path: file.read_text(encoding="utf-8") for path, file in files.items()}
    texts |= java_files(game) if language == "java" else {}
    main = KITS[language]
    words = {
        "CLASS": Path(next(iter(own))).stem if own else class_name(name),
        "VIEW": game.view_type.__name__,
        "GAME": game.name,
        "DESCRIPTION": f"What {next(iter(own))} plays." if own else "Any legal move, at random.",
        "// ABOUT": "\n".join(f"// {line}".rstrip() for line in _about(name, game)),
    }
    for path in ("bot.toml", main):
        for word, meaning in words.items():
            texts[path] = texts[path].replace(word, meaning)
    theirs = own or {main.replace("CLASS", words["CLASS"]): texts[main]}
    return {"bot.toml": texts["bot.toml"], **theirs, **{path: texts[path] for path in texts if path != main}}


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


_GEIER = re.compile(rb"class\s+\w+\s+extends\s+HolsDerGeierSpieler\b")
_FRAMEWORK = ("HolsDerGeier.java", "HolsDerGeierSpieler.java")
"""Files of others that people hand in with their own; the kit has its own."""
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
