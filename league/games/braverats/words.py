"""BraveRats in words: moves, rounds and the table, for people."""

from __future__ import annotations

from collections.abc import Sequence

from league.games.braverats.rules import (
    ASSASSIN,
    EMPEROR_GAMES,
    MIME,
    MUSICIAN,
    NAMES,
    NO_CARD,
    NOBODY,
    PACKET,
    PRINCE,
    VALUES,
    WIZARD,
    Both,
    BraveRatsRound,
    BraveRatsRules,
    BraveRatsState,
    BraveRatsView,
    Cards,
    Pair,
    RoundVerdict,
    resolve,
    seats_to_decide,
)
from league.tools.text import counted, listed, table


class BraveRats(BraveRatsRules):
    """BraveRats: the rules, with words for people."""

    def label(self, move: int, view: BraveRatsView) -> str:
        """The card that is played, or taken in the draft."""
        return f"{'takes' if view.drafting else 'plays'} {_the(move)}"

    def opening(self, state: BraveRatsState, names: Sequence[str]) -> list[str]:
        """How the cards came to both, where that was not as always."""
        options = state.options
        if state.packets:
            return [f"Both clans are shuffled into four packets of four. {names[0]} opens the first."]
        lines = []
        if options.traitor:
            gave = [f"{name} gives away {_the(card)}" for name, card in zip(names, state.gave, strict=True)]
            lines.append(f"The traitors change sides: {listed(gave)}.")
        if options.deal != "standard" or options.traitor:
            lines += _line_up(state.cards, names)
        return lines

    def sketch(self, view: BraveRatsView, names: Sequence[str]) -> list[str]:
        """How far it is, the last round, what is on hold, who spies, and what both have won and left."""
        options = self.options
        other = names[view.opponent]
        lines = []
        if options.emperor:
            won = listed([f"{name} {games}" for name, games in zip(names, view.games_won, strict=True)])
            lines.append(f"Game {view.game} of {EMPEROR_GAMES}. Games won: {won}.")
        if view.drafting:
            packet = f"you see {_cards(view.packet)}" if view.packet else f"{other} looks at it first"
            return [*lines, f"The draft, packet {len(view.packets)} of 4: {packet}.", f"You took {_cards(view.hand)}."]
        if view.given != NO_CARD:
            lines.append(f"You gave {_the(view.given)} to {other} and got {_the(view.got)}.")
        history = view.history or (view.earlier[-1].history if view.earlier else ())
        if history:
            lines.append(_last_round(history, names))
        hands = view.remaining
        if seats_to_decide(view, hands):
            on_hold = f" On hold for the next winner: {view.on_hold}." if view.on_hold else ""
            lines.append(f"Round {len(view.history) + 1}. The game goes to {options.target} rounds won.{on_hold}")
            if view.spy == view.seat:
                shown = "chooses first" if view.shown == NO_CARD else f"shows {_the(view.shown)}"
                lines.append(f"Your Spy is watching: {other} {shown}.")
            elif view.spy != NOBODY:
                lines.append(f"The Spy of {other} is watching: you choose first.")
        left = [_cards(cards) for cards in hands]
        if options.deck:
            left = [f"{cards} ({pile} in the pile)" for cards, pile in zip(left, view.piles, strict=True)]
            lines.append(f"Your hand: {_cards(view.hand)}.")
        bonus = [f"+{bonus}" if bonus else "" for bonus in view.bonus]
        rows = [*zip(names, view.scores, bonus, left, strict=True)]
        return [*lines, *table(("", "won", "next", "cards left"), rows, right=("won", "next")).splitlines()]

    def tell(
        self, before: BraveRatsState, moves: Sequence[int], after: BraveRatsState, names: Sequence[str]
    ) -> list[str]:
        """One take of the draft, one card shown to a Spy, or one round: who won it, and why."""
        if not before.cards[0]:
            return _tell_take(before, moves[0], after, names)
        if after.shown != NO_CARD:
            spy = before.spy
            return [f"{names[spy]}'s Spy is watching: {names[1 - spy]} shows {_the(after.shown)} first."]
        earlier = after.earlier[0]
        fresh = len(earlier) > len(before.earlier[0])
        history = earlier[-1].history if fresh else after.history
        past = history[-1]
        verdict = resolve(past.acted, before.bonus)
        plays = [f"{names[seat]} plays {_played(past, before.bonus, seat)}" for seat in (0, 1)]
        story = [f"Round {len(history)}: {listed(plays)}.", *_why(past.acted, verdict)]
        if past.winner == NOBODY:
            waiting = before.on_hold + 1
            story.append("The round is on hold." if waiting == 1 else f"Now {waiting} rounds are on hold.")
        else:
            score = before.scores[past.winner] + past.crowns
            story.append(f"{names[past.winner]} wins {counted(past.crowns, 'round')} and has {score}.")
        if after.turn and not fresh:
            story += [f"{names[seat]}'s General adds 2 to the next card." for seat in (0, 1) if verdict.bonus[seat]]
            story += [f"{names[seat]}'s Spy slips behind the lines." for seat in (0, 1) if verdict.spy == seat]
            return [" ".join(story)]
        next_game = self.opening(after, names) if after.turn else []
        return [" ".join(story), *_tell_end(before, after, names), *next_game]


def _tell_take(before: BraveRatsState, card: int, after: BraveRatsState, names: Sequence[str]) -> list[str]:
    """One take of the draft, and what it led to when it was the last."""
    (seat,) = before.turn
    packet = before.view(seat).packet
    who = names[seat]
    if len(packet) == PACKET:
        line = f"{who} opens {listed([NAMES[other] for other in packet])} and takes {_the(card)}."
    elif len(packet) == 1:
        line = f"{who} is left with {_the(card)}."
    else:
        line = f"{who} takes {_the(card)}."
    return [line, *(_line_up(after.cards, names) if after.cards[0] else [])]


def _tell_end(before: BraveRatsState, after: BraveRatsState, names: Sequence[str]) -> list[str]:
    """How a game ended, and the emperor's games with it."""
    emperor = after.options.emperor
    game = f"game {len(before.earlier[0]) + 1}" if emperor else "the game"
    winners = [seat for seat in (0, 1) if after.games_won[seat] > before.games_won[seat]]
    lines = [f"{names[winners[0]]} wins {game}." if winners else f"The cards run out: {game} is a draw."]
    if emperor and not after.turn:
        first, second = after.games_won
        games = f"with {max(first, second)} to {counted(min(first, second), 'game')}"
        crowned = names[0] if first > second else names[1]
        lines.append(f"{crowned} is emperor, {games}." if first != second else "There is no emperor: a draw.")
    return lines


def _why(acted: Pair, verdict: RoundVerdict) -> list[str]:
    """What decided a round, if it was more than the higher value."""
    if WIZARD in acted:
        other = acted[1 - acted.index(WIZARD)]
        return [] if other in (WIZARD, MIME) else [f"The Wizard cancels the {NAMES[other]}'s power."]
    if MUSICIAN in acted:
        return ["The music plays and nobody fights."]
    if verdict.wins_game:
        return ["The Princess wins the Prince's heart, and the kingdom!"]
    if acted.count(PRINCE) == 1:
        return ["Nobody stands against the Prince."]
    if verdict.winner == NOBODY:
        return ["They are equal."]
    return ["With an Assassin about, the lower value wins."] if ASSASSIN in acted else []


def _last_round(history: Sequence[BraveRatsRound], names: Sequence[str]) -> str:
    past = history[-1]
    bonus = resolve(history[-2].acted).bonus if len(history) > 1 else (0, 0)
    plays = listed([f"{names[seat]} played {_played(past, bonus, seat)}" for seat in (0, 1)])
    if past.winner == NOBODY:
        return f"Last round {plays}; it is on hold."
    return f"Last round {plays}; {names[past.winner]} won {counted(past.crowns, 'round')}."


def _played(past: BraveRatsRound, bonus: Pair, seat: int) -> str:
    card, acted = past.cards[seat], past.acted[seat]
    copied = f" as {NAMES[acted]}" if card != acted else ""
    return f"the {NAMES[card]}{copied} ({VALUES[acted]}{f'+{bonus[seat]}' if bonus[seat] else ''})"


def _the(card: int) -> str:
    return f"the {NAMES[card]}" if card == MIME else f"the {NAMES[card]} ({card})"


def _cards(cards: Cards) -> str:
    return ", ".join(NAMES[card] for card in cards) or "nothing"


def _line_up(cards: Both, names: Sequence[str]) -> list[str]:
    return [f"{name} has {listed([NAMES[card] for card in cards[seat]])}." for seat, name in enumerate(names)]
