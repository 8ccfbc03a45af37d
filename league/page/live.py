"""A league's folder as a server shows it: its progress, its page, lists of games, and any of its games.

A run writes its page every minute. After a kill the page on disk is out of date, so a new one is made from the results.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeVar
from urllib.parse import quote

import msgspec

from league.errors import LeagueError
from league.page import is_up_to_date
from league.page.data import PAGE
from league.page.inline import environment, render_template, static
from league.page.play import OfferedContest, WantedGame
from league.page.privacy import EVERYBODY, PageReader, Privacy
from league.page.tables import BusyError, TableSetting
from league.plan.rounds import progress
from league.results.find import Query, SortBy, top
from league.results.games import FoundGame
from league.results.history import OVERALL
from league.results.lock import is_being_played, last_change
from league.results.recorded import load_rules
from league.results.store import Store
from league.tools.files import read_inside
from league.values.block import Entrant
from league.values.settings import Isolation

if TYPE_CHECKING:
    from league.page.data import Page
    from league.page.viewer import Neighbour
    from league.plan.coverage import LeagueProgress
    from league.results.standings import Standings
    from league.values.block import Address

NOTHING = "There is nothing here."
REST = 10
"""At most one part in REST of the time is spent on reading news."""
KEPT_GAMES = 64
"""Pages of games that are kept in memory."""
KEPT_CURVES = 256
"""Curves of chances that are kept in memory."""
SHOWN = 100
"""Games of each contest on one page of the list."""
MOST_PAGES = 1000
KINDS: dict[str, tuple[str, Query, SortBy]] = {
    "lost": ("Lost games, the worst first", Query(ended="lost"), "worst"),
    "won": ("Won games, the clearest first", Query(ended="won"), "best"),
    "drawn": ("Drawn games", Query(ended="drawn"), "first"),
    "closest": ("Closest games", Query(), "closest"),
    "fault": ("Games with faults", Query(fault=True), "first"),
}


ValueT = TypeVar("ValueT")


class News(NamedTuple):
    """How far a league is."""

    page: float
    """When the page was made. If this changes, the page has changed."""
    running: bool
    progress: LeagueProgress
    titles: dict[str, str]
    """By the keys of the contests."""
    per_second: float | None = None
    """Games a second of this run; None if it is not known yet, or nothing is being played."""
    baselines: frozenset[str] = frozenset()
    """Bots that lead nothing."""

    @property
    def played(self) -> int:
        """Games."""
        return self.progress.played

    @property
    def total(self) -> int:
        """Games that are planned."""
        return self.progress.total


class RunSpeed:
    """How many games a second a run plays. What came before it, and the time between runs, does not count."""

    def __init__(self) -> None:
        self._began: tuple[object, float, int] = None, 0.0, 0

    def after(self, run: object, now: float, played: int) -> float | None:
        """The speed since this run was first seen, when this many games were played now; None if it is not known."""
        if run != self._began[0]:
            self._began = run, now, played
        _, since, before = self._began
        return (played - before) / (now - since) if played > before else None


class Kept:
    """Values that are made once, by one thread at a time. The oldest ones are forgotten."""

    def __init__(self, most: int = 1) -> None:
        self._most, self._lock = most, Lock()
        self._made: dict[object, Any] = {}

    def get(self, key: object, make: Callable[[], ValueT], *, wait: bool = True) -> ValueT:
        """The value with this key; without `wait`, a `BusyError` while another one is made."""
        made: ValueT | None = self._made.get(key)
        if made is None:
            if not self._lock.acquire(blocking=wait):
                raise BusyError("The chances of another game are being computed. Try again in some seconds.")
            try:
                made = self._made.get(key)
                if made is None:
                    made = self._made[key] = make()
                    if len(self._made) > self._most:
                        del self._made[next(iter(self._made))]
            finally:
                self._lock.release()
        return made


class LeagueFolder:
    """One league, for any number of concurrent readers. Nothing is written."""

    def __init__(self, folder: Path, isolation: Isolation = Isolation.SANDBOX) -> None:
        self.folder = folder
        self._isolation = isolation
        self._news_lock = Lock()
        self._news: News | None = None
        self._news_of: tuple[float, bool] | None = None
        self._good_until = 0.0
        self._speed = RunSpeed()
        self._standings, self._pages, self._games, self._curves = Kept(), Kept(), Kept(KEPT_GAMES), Kept(KEPT_CURVES)

    def news(self) -> News:
        """How far the league is. An answer is reused until results change, and for a while if it takes long."""
        with self._news_lock:
            started, source = monotonic(), (last_change(self.folder), is_being_played(self.folder))
            if self._news is None or (source != self._news_of and started >= self._good_until):
                self._news, self._news_of = self._read_news(), source
                self._good_until = monotonic() + REST * (monotonic() - started)
            return self._news._replace(page=_page_time(self.folder, running=self._news.running))

    def page(self) -> bytes:
        """The standings page as it is now, made at most once for each change of the results."""
        if is_up_to_date(self.folder, running=is_being_played(self.folder)):
            page = read_inside(self.folder, PAGE)
            with Store.open(self.folder) as store:
                if Privacy.of(store).allows(PAGE, page):
                    return page
        from league.page.render import render

        return render(self._page_now()).encode()

    def bot(self, name: str) -> str:
        """The page of a bot, by the name under which it is shown."""
        from league.page.bots import render_bot

        page = self._page_now()
        if name not in page.docs:
            raise LeagueError("There is no such bot in this league.")  # without its name: it may be hidden
        return render_bot(page, name)

    def _page_now(self) -> Page:
        """What the standings page shows now. A run renews its page every minute, and this one is made as often."""
        from league.page.build import gather

        running = is_being_played(self.folder)

        def gathered() -> Page:
            with Store.open(self.folder) as store:
                return gather(store, self._standings_now(), Privacy.of(store), running=running)

        return self._pages.get((_page_time(self.folder, running=running), running), gathered)

    def file(self, reader: PageReader, *names: str) -> bytes:
        """The content of a file that may be shown, by the names of its folders and its own."""
        if len(names) > 1:
            reader.watch(())
        try:
            content = read_inside(self.folder, *names)
        except OSError:  # there is no such file, or it is a link
            raise LeagueError(NOTHING) from None
        with Store.open(self.folder) as store:
            privacy = Privacy.of(store)
        if not privacy.allows(names[-1], content):
            privacy.require_names()
            hint = "`league standings --page` writes it again."
            raise LeagueError(f"{names[-1]} shows what the page of this league hides. {hint}")
        return content

    def game(self, address: str, reader: PageReader = EVERYBODY) -> str:
        """The page of the game at an address. Games are shown one at a time: some must be played again."""
        from league.analysis.rematch import parse_address, show
        from league.page.viewer import render

        wanted = parse_address(address)
        reader.watch(wanted.lineup)

        def draw() -> str:
            with self._named() as (store, privacy):
                shown, around = show(store, wanted, self._isolation), _around(store, wanted)
            back = f"../{PAGE}"
            return render(shown, address=address, back=back, privacy=privacy, neighbours=around, in_words=True)

        return self._games.get((address, last_change(self.folder)), draw)

    def game_of_version(self, entrant: Entrant, block: int, deal: int, reader: PageReader = EVERYBODY) -> str:
        """The page of a game of one version of a bot, from its stored moves: it may count no longer."""
        from league.page.viewer import render
        from league.results.recorded import recorded

        with self._named() as (store, privacy):
            load_rules(store)
            parts = store.games(store.with_entrant(entrant), block=block)
            found = [part.game(row) for part in parts for row, at in enumerate(part.deal.tolist()) if at == deal]
            for game in found:
                reader.watch(game.bots)
                if shown := recorded(store, game):
                    return render(shown, address=str(game.address), back=f"../{PAGE}", privacy=privacy, in_words=True)
        raise LeagueError("This version has played no such game.")

    def curve(self, address: str, reader: PageReader = EVERYBODY) -> bytes:
        """The chances of the game at an address as JSON, in numbers only. One curve is computed at a time."""
        from league.analysis.rematch import parse_address, show
        from league.analysis.turning_points import unit_in
        from league.page.viewer import shown_curve

        wanted = parse_address(address)
        reader.watch(wanted.lineup)

        def compute() -> bytes:
            with self._named() as (store, _):
                shown, unit = show(store, wanted, self._isolation), unit_in(store, wanted.contest)
            return msgspec.json.encode(shown_curve(shown.replay, unit))

        return self._curves.get((str(wanted), last_change(self.folder)), compute, wait=False)

    def games(self, parameters: dict[str, str], reader: PageReader = EVERYBODY) -> str:
        """A page that lists games of one bot, or of one bot against another, with a link to watch each."""
        try:
            asked = msgspec.convert(parameters, Asked, strict=False)
        except msgspec.ValidationError as problem:
            hint = "Expected games?bot=NAME&kind=lost, and contest, against and seat"
            raise LeagueError(f"{hint}: {problem}.") from None
        reader.watch([bot for bot in (asked.bot, asked.against) if bot])
        with self._named() as (store, _):
            return games_page(store, asked)

    def compare(self, a: str, b: str) -> str:
        """The page that compares two bots, as `league compare` does."""
        from league.page.bots import render_comparison
        from league.results.compare import compare

        with self._named() as (_, privacy):
            compared = compare(self._standings_now(), a, b)
        return render_comparison(msgspec.structs.replace(compared, notices=tuple(map(privacy.text, compared.notices))))

    def progress(self) -> str:
        """How far the league is, as the part of its page that says it."""
        news = self.news()
        shown = {"running": news.running, "per_second": news.per_second, "titles": news.titles}
        now = news.progress if news.running or news.played < news.total else None
        return environment("league.page").get_template("progress.j2").render(page_time=news.page, progress=now, **shown)

    def offered(self) -> tuple[OfferedContest, ...]:
        """The contests that a person can play against bots of the league."""
        with self._named() as (store, _):
            return tuple(
                OfferedContest(contest.key, contest.title, contest.players, tuple(bot.name for bot in fixture.entrants))
                for fixture in store.plan().fixtures
                for contest in [fixture.contest]
            )

    def set_up(self, wanted: WantedGame) -> TableSetting:
        """The game that a person wants to play, with the bots as they are in the league."""
        with self._named() as (store, _):
            load_rules(store)
            contests = {fixture.contest.key: fixture.contest for fixture in store.plan().fixtures}
            bots = {bot.name: bot for bot in store.bots()}
            unknown = [name for name in wanted.bots if name not in bots]
            if wanted.contest not in contests or unknown:
                raise LeagueError(f"This league has no {unknown[0] if unknown else wanted.contest!r}.")
            seated = store.with_files([bots[name] for name in wanted.bots])
            return TableSetting(contests[wanted.contest].set_up(), seated, self._isolation, store.settings().limits)

    @contextmanager
    def _named(self) -> Iterator[tuple[Store, Privacy]]:
        """The results, and what is hidden of them; an error if names are: for what cannot be shown without them."""
        with Store.open(self.folder) as store:
            privacy = Privacy.of(store)
            privacy.require_names()
            yield store, privacy

    def _standings_now(self) -> Standings:
        """The standings, computed once for each change of the results."""
        from league.results.standings import Standings

        def compute() -> Standings:
            with Store.open(self.folder) as store:
                return Standings.of(store)

        return self._standings.get(last_change(self.folder), compute)

    def _read_news(self) -> News:
        with Store.open(self.folder) as store:
            coverage = store.coverage()
            now = progress(coverage)
            runs = store.runs()
            baselines = frozenset(bot.name for bot in store.bots() if bot.baseline)
        titles = {fixture.contest.key: fixture.contest.title for fixture in coverage.plan.fixtures}
        running = is_being_played(self.folder)
        speed = self._speed.after(len(runs) if running else None, monotonic(), now.played)
        return News(0.0, running, now, titles, speed if running else None, baselines)


def _around(store: Store, address: Address) -> tuple[Neighbour | None, Neighbour | None]:
    """The games of the same series on the deals before and after one."""
    from league.analysis.rematch import series_at
    from league.page.viewer import Neighbour

    def neighbour(deal: int) -> Neighbour | None:
        other = address._replace(deal=deal)
        try:
            series_at(store, other)
        except LeagueError:  # there is no such deal
            return None
        return Neighbour(quote(str(other)), str(other))

    return (neighbour(address.deal - 1) if address.deal else None), neighbour(address.deal + 1)


def _page_time(folder: Path, *, running: bool) -> float:
    """When the page was made: on disk by a run, or here when results have changed."""
    try:
        return os.lstat(folder / PAGE).st_mtime if running else last_change(folder)
    except OSError:
        return 0.0  # a run will soon write its first page


class Asked(msgspec.Struct, frozen=True):
    """Which games a reader asks for."""

    bot: str
    against: str | None = None
    contest: str | None = None
    """The key of a contest; None or `OVERALL` is every contest."""
    seat: int | None = None
    """The seat of the bot, from 1."""
    kind: Literal["lost", "won", "drawn", "closest", "fault"] = "lost"
    version: str | None = None
    """The hash of its source: all games of that version of the bot, also if another one has taken its place."""
    page: Annotated[int, msgspec.Meta(ge=1, le=MOST_PAGES)] = 1


def games_page(store: Store, asked: Asked) -> str:
    """The page with these games; those of each contest together."""
    words, query, by = KINDS[asked.kind]
    contest = None if asked.contest == OVERALL else asked.contest
    query = msgspec.structs.replace(query, bot=asked.bot, against=asked.against, game=contest, seat=asked.seat)
    end = SHOWN * asked.page
    by_contest: dict[str, list[FoundGame]] = {}
    which = store.with_entrant(Entrant(asked.bot, asked.version)) if asked.version else None
    for game in top(store, query, by, end + 1, which=which):
        by_contest.setdefault(game.contest.key, []).append(game)
    shown = [game for games in by_contest.values() for game in games[end - SHOWN : end]]
    return render_template(
        "games.html.j2",
        [static("theme.js")],
        asked=asked,
        words=words,
        kinds={kind: text for kind, (text, _, _) in KINDS.items()},
        games=[(game.contest.title, game, _path(game, asked), _players(game)) for game in shown],
        more=any(len(games) > end for games in by_contest.values()),
        back=PAGE,
    )


def _path(game: FoundGame, asked: Asked) -> str:
    """Where a game can be watched, from the list."""
    if asked.version:
        return quote(f"versions/{asked.bot}/{asked.version}/{game.block}/{game.deal}")
    return f"play/{quote(str(game.address))}"


def _players(game: FoundGame) -> list[tuple[str, int, int, bool]]:
    """Bot, place, points and fault of each player, best first."""
    seats = sorted(range(len(game.bots)), key=lambda seat: (game.ranks[seat], seat))
    return [(game.bots[seat], game.ranks[seat] + 1, game.points[seat], game.faults[seat]) for seat in seats]
