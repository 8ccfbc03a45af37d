"""How the kit reports a mistake: where it is, what it is, and how to fix it."""

from __future__ import annotations

from typing import NoReturn

from league.games.contract import Game, plain


class ContractError(AssertionError):
    """A game breaks the contract of `league.games.contract`."""


class Place:
    """Where the kit is at work: the game and its setup, the seed of the playing, the step, and the seat."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.seed = seed
        self.step: int | None = None
        self.seat: int | None = None

    def __str__(self) -> str:
        parts = [self.game.name, f"{self.game.players} players", f"options {plain(self.game.options)}"]
        parts.append(f"seed {self.seed}")
        parts += [f"step {self.step}"] * (self.step is not None)
        parts += [f"seat {self.seat}"] * (self.seat is not None)
        return ", ".join(parts)

    def fail(self, what: str, fix: str) -> NoReturn:
        """Raise `ContractError`: what is wrong here, and how to fix it."""
        raise ContractError(f"{self}: {what}\n  Fix: {fix}")

    def check(self, holds: bool, what: str, fix: str) -> None:
        """Fail unless it holds."""
        if not holds:
            self.fail(what, fix)
