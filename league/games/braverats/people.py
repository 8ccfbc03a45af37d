"""BraveRats for people: moves, rounds and the table in words, and as scenes."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

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
    Bout,
    BraveRatsRound,
    BraveRatsRules,
    BraveRatsState,
    BraveRatsView,
    Cards,
    Pair,
    fight,
    seats_to_decide,
)
from league.games.scenes import Card, Mark, Pick, Scene, Seat, Zone, laid, zone_number
from league.tools.table import Table
from league.tools.text import counted, listed

ICONS = ("lute", "tiara", "eye", "dagger", "scroll", "wand", "shield", "crown", "mask")
"""By card."""
POWERS = (
    "The round is on hold. The card opposite has no power.",
    "Against a Prince she wins the game.",
    "In the next round the opponent chooses first and shows it.",
    "The lower value wins.",
    "Winning with this card counts as two rounds.",
    "The card opposite has no power.",
    "Your card of the next round is worth 2 more.",
    "Wins the round, whatever the values.",
    "Becomes the card that the opponent played in the round before.",
)
"""By card: what it can do."""

Views = tuple[BraveRatsView, BraveRatsView]


class BraveRats(BraveRatsRules):
    """The rules, with words and pictures for people."""

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
        header = ("", "won", "next", "cards left")
        return [*lines, *Table.of(header, rows, ("won", "next")).text().splitlines()]

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
        bout = fight(past.acted, before.bonus)
        plays = [f"{names[seat]} plays {_played(past, before.bonus, seat)}" for seat in (0, 1)]
        story = [f"Round {len(history)}: {listed(plays)}.", *_why(past.acted, bout)]
        if past.winner == NOBODY:
            waiting = before.on_hold + 1
            story.append("The round is on hold." if waiting == 1 else f"Now {waiting} rounds are on hold.")
        else:
            score = before.scores[past.winner] + past.crowns
            story.append(f"{names[past.winner]} wins {counted(past.crowns, 'round')} and has {score}.")
        if after.turn and not fresh:
            story += [f"{names[seat]}'s General adds 2 to the next card." for seat in (0, 1) if bout.bonus[seat]]
            story += [f"{names[seat]}'s Spy slips behind the lines." for seat in (0, 1) if bout.spy == seat]
            return [" ".join(story)]
        next_game = self.opening(after, names) if after.turn else []
        return [" ".join(story), *_tell_end(before, after, names), *next_game]

    def scenes(self, states: Sequence[BraveRatsState], moves: Sequence[Sequence[int]]) -> list[list[Scene]]:
        """A scene after each step; two where one game of an emperor's ends and the next begins."""
        views = [(state.view(0), state.view(1)) for state in states]
        scenes = [[_scene(self, views[0], states[0].turn)]]
        for before, after, state in zip(views, views[1:], states[1:], strict=False):
            ended = [_end_of_game(before, after)] if after[0].game > before[0].game else []
            scenes.append([*ended, _scene(self, after, state.turn)])
        return scenes

    def now(self, view: BraveRatsView, scene: Scene) -> Scene:
        """The hands large, and the rounds that are over small."""
        seats = []
        for seat in scene.seats:
            zones = [replace(zone, look="small") if zone.label == "Rounds" else zone for zone in seat.zones]
            seats.append(replace(seat, zones=tuple(sorted(zones, key=lambda zone: zone.label == "Rounds"))))
        return replace(scene, seats=tuple(seats))

    def picks(self, view: BraveRatsView, scene: Scene) -> dict[int, tuple[Pick, ...]]:
        """The card of the own hand that is played, or that of the packet that is taken."""
        if view.drafting:
            return {card: ((-1, 0, view.packet.index(card)),) for card in view.legal}
        hand = zone_number(scene.seats[view.seat].zones, "Hand")
        return {card: ((view.seat, hand, view.hand.index(card)),) for card in view.legal}


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


def _why(acted: Pair, bout: Bout) -> list[str]:
    """What decided a round, if it was more than the higher value."""
    if WIZARD in acted:
        other = acted[1 - acted.index(WIZARD)]
        return [] if other in (WIZARD, MIME) else [f"The Wizard cancels the {NAMES[other]}'s power."]
    if MUSICIAN in acted:
        return ["The music plays and nobody fights."]
    if bout.wins_game:
        return ["The Princess wins the Prince's heart, and the kingdom!"]
    if acted.count(PRINCE) == 1:
        return ["Nobody stands against the Prince."]
    if bout.winner == NOBODY:
        return ["They are equal."]
    return ["With an Assassin about, the lower value wins."] if ASSASSIN in acted else []


def _last_round(history: Sequence[BraveRatsRound], names: Sequence[str]) -> str:
    past = history[-1]
    bonus = fight(history[-2].acted).bonus if len(history) > 1 else (0, 0)
    plays = listed([f"{names[seat]} played {_played(past, bonus, seat)}" for seat in (0, 1)])
    why = [f"Last round {plays}.", *_why(past.acted, fight(past.acted, bonus))]
    won = past.winner != NOBODY and f"{names[past.winner]} won {counted(past.crowns, 'round')}."
    return " ".join([*why, won or "The round is on hold."])


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


def _scene(game: BraveRatsRules, views: Views, turn: tuple[int, ...]) -> Scene:
    view = views[0]
    if view.drafting:
        return _drafting(views, turn)
    seats = []
    for seat in (0, 1):
        zones = [_rounds(view.history, seat)]
        if view.shown != NO_CARD and seat == 1 - view.spy:
            zones.append(Zone("Shown to the Spy", (_card(view.shown, seat, marks=("new",)),)))
        zones += [
            _hand(views[seat]),
            Zone("Draw pile", (Card(seat=seat, known=()),) * view.piles[seat], "pile"),
        ]
        roles = [f"games won: {view.games_won[seat]}"] if game.options.emperor else []
        roles += ["spies"] if seat == view.spy else []
        roles += [f"General: +{view.bonus[seat]} next"] if view.bonus[seat] else []
        seats.append(Seat(str(view.scores[seat]), " · ".join(roles), laid(*zones)))
    return Scene(_title(game, view), tuple(seats), _on_hold(view), turn)


def _end_of_game(before: Views, after: Views) -> Scene:
    """The end of a game that is not the last: the views have gone on to the next one already."""
    past = after[0].earlier[-1]
    number = len(after[0].earlier)
    seats = []
    for seat in (0, 1):
        crowns = sum(bout.crowns for bout in past.history if bout.winner == seat)
        role = f"wins game {number}" if past.winner == seat else ""
        seats.append(Seat(str(crowns), role, laid(_rounds(past.history, seat))))
    return Scene(f"End of game {number}", tuple(seats))


def _drafting(views: Views, turn: tuple[int, ...]) -> Scene:
    (seat,) = turn
    packets = views[seat].packets
    taken = len(packets[-1].takes)
    known = None if taken else turn
    packet = Zone("Packet", tuple(_card(card, known=known) for card in views[seat].packet))
    number = sum(len(past.takes) for past in packets)
    hands = tuple(Seat("0", zones=laid(_hand(view))) for view in views)
    return Scene(f"Draft, after {number} takes" if number else "The draft", hands, (packet,), turn)


def _rounds(history: Sequence[BraveRatsRound], seat: int) -> Zone:
    cards = []
    for number, past in enumerate(history, start=1):
        card, acted = past.cards[seat], past.acted[seat]
        marks: list[Mark] = ["held" if past.winner == NOBODY else "won" if past.winner == seat else "lost"]
        if number == len(history):
            marks.append("new")
        name = f"as {NAMES[acted]}" if card == MIME and acted != MIME else NAMES[card]
        badge = f"+{past.crowns}" if past.winner == seat else ""
        cards.append(
            Card(str(VALUES[acted]), name, ICONS[acted], seat, about=POWERS[acted], badge=badge, marks=tuple(marks))
        )
    return Zone("Rounds", tuple(cards))


def _hand(view: BraveRatsView) -> Zone:
    return Zone("Hand", tuple(_card(card, view.seat, (view.seat,)) for card in view.hand))


def _card(card: int, seat: int = -1, known: tuple[int, ...] | None = None, marks: tuple[Mark, ...] = ()) -> Card:
    return Card(str(VALUES[card]), NAMES[card], ICONS[card], seat, about=POWERS[card], marks=marks, known=known)


def _on_hold(view: BraveRatsView) -> tuple[Zone, ...]:
    if not view.on_hold:
        return ()
    return (Zone("Rounds on hold", (Card("1", icon="crown", hue=45),) * view.on_hold, look="small"),)


def _title(game: BraveRatsRules, view: BraveRatsView) -> str:
    played = f"round {len(view.history)}" if view.history else "before the first round"
    title = f"Game {view.game}, {played}" if game.options.emperor else played
    return title[0].upper() + title[1:]
