"""Loads bots that are no plain files of the roster, and bots from a few lines."""

from __future__ import annotations

import importlib.util
from hashlib import blake2b
from pathlib import Path
from types import ModuleType

from league.setup.roster import Bot

ROOT = Path(__file__).parent.parent.parent


def module(path: str) -> ModuleType:
    """A bot's file as a module."""
    spec = importlib.util.spec_from_file_location(f"bot_{Path(path).parent.name}", ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def written(name: str, body: str) -> Bot:
    """A bot whose class is made of these lines."""
    lines = "\n".join(f"    {line}" for line in body.strip("\n").splitlines())
    source = f"class Bot:\n{lines}\n".encode()
    return Bot(name, Path(f"{name}.py"), source, blake2b(source, digest_size=16).hexdigest())
