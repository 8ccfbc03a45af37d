"use strict";
// The panel of one bot, or of two that are compared. The address says which: the browser's back button closes it.
// It answers first: how good the bot is, then where it loses, its most telling games, and its faults.
(() => {
  const { make, count, percent, scored, name } = league;
  const { table, section, gameAt, gamesList, gamesOf, allGames } = league.parts;
  const panel = document.getElementById("panel"),
    body = panel.querySelector(".body");
  panel.querySelector("[data-close]").autofocus = true; // in the file, it would be for the page too
  const TELLING = ["worst loss", "closest game", "upset"],
    OPPONENTS = 8,
    LONG_DOC = 160;

  let wanted = "";
  const current = () => league.boardOf(league.state.board);
  const rowOf = (board, bot) => board.rows.find((row) => row.bot === bot);
  const fixed = (board, value) => value.toFixed(league.digits(board));
  const rated = (board, { rating, low, high }) =>
    `${fixed(board, rating)} (${fixed(board, low)} … ${fixed(board, high)})${board.counts === "points" ? " points" : ""}`;

  const parts = {
    answer(bot) {
      const board = current(),
        row = rowOf(board, bot);
      if (!row?.games) {
        const why = board.key === "overall" ? "it does not play every game" : "it has not played here";
        return make("p", { class: "none" }, `No place on “${board.title}”: ${why}.`);
      }
      const fact = (title, value, small) =>
        make("div", {}, make("dt", {}, title), make("dd", {}, make("b", {}, value), " ", make("small", {}, small)));
      const field = board.rows.filter((other) => other.games).length;
      return make(
        "div",
        {},
        make("h3", {}, board.title),
        make(
          "dl",
          { class: "facts" },
          fact("Place", league.range(row.place), `of ${field}`),
          fact(
            board.counts === "points" ? "Points a game" : "Rating",
            fixed(board, row.rating),
            `${fixed(board, row.low)} … ${fixed(board, row.high)}`,
          ),
          row.best === null ? null : fact("Chance of being the best", league.chance(row.best), ""),
        ),
      );
    },
    milestones(bot) {
      const marks = league.milestones[bot];
      if (!marks?.length) return null;
      const signs = { reached: "✓", "not reached": "✕", undecided: "?" };
      return section(
        "Milestones",
        make(
          "ul",
          { class: "milestones" },
          ...marks.map(([title, state, about]) =>
            make("li", { class: state }, make("b", {}, `${signs[state]} ${title}`), ` ${state}: ${about}`),
          ),
        ),
      );
    },
    opponents(bot) {
      const board = current();
      const met = board.rows.map((row) => [row.bot, league.meeting(board, bot, row.bot)]).filter(([, one]) => one);
      met.sort(([, one], [, other]) => one.score - other.score);
      if (!met.length) return null;
      const rows = met.map(([other, one]) => [
        league.link(board.key, bot, other),
        ...league.picture.met(
          board,
          one,
          `${scored(board, one.score)} against ${name(other)}, the ratings expect ${scored(board, one.expected)}`,
        ),
      ]);
      const box = table("Against each opponent", ["Opponent", ...league.picture.METS], rows);
      const lines = [...box.querySelectorAll("tbody tr")].slice(OPPONENTS);
      const all = make("button", { type: "button" }, `Show all ${met.length} opponents`);
      all.addEventListener("click", () => {
        for (const line of lines) line.hidden = false;
        all.remove();
      });
      const many = lines.length > 2;
      if (many) for (const line of lines) line.hidden = true;
      return section(
        `Where it loses: ${board.title}`,
        make("p", { class: "none" }, "Worst result first. The mark is what the ratings expect, the bar the interval."),
        box,
        many ? all : null,
      );
    },
    games(bot) {
      const own = league.samples.filter((sample) => sample.bots.includes(bot)),
        why = (sample) => sample.reasons.filter(([of]) => of === bot).map(([, reason]) => reason),
        here = own.filter((sample) => sample.contest === league.state.board),
        first = (among, reason) => among.find((sample) => why(sample).includes(reason));
      const telling = [...new Set(TELLING.map((reason) => first(here, reason) ?? first(own, reason)))].filter(Boolean);
      if (!telling.length) telling.push(...new Set([...here, ...own].slice(0, TELLING.length)));
      const others = own.filter((sample) => why(sample).length && !telling.includes(sample)),
        elsewhere = (sample) => Number(sample.contest !== league.state.board);
      others.sort((one, other) => elsewhere(one) - elsewhere(other));
      return section(
        "Most telling games",
        gamesList(telling, [bot]),
        others.length
          ? make(
              "details",
              {},
              make("summary", {}, `${count(others.length)} more ${others.length === 1 ? "game" : "games"}`),
              gamesList(others, [bot]),
            )
          : null,
        allGames({ contest: league.state.board, bot: name(bot) }),
      );
    },
    faults(bot) {
      const own = league.faults.filter((fault) => fault.bot === bot);
      if (!own.length) return section("Faults", make("p", { class: "none" }, "None."));
      return section(
        "Faults",
        ...own.map((fault) =>
          make(
            "details",
            {},
            make(
              "summary",
              {},
              make("span", { class: "fault" }, `${count(fault.count)} ${fault.kind}`),
              ` in ${league.title(fault.contest)}${fault.cause ? `: ${fault.cause}` : ""}`,
            ),
            fault.tail ? make("pre", { tabindex: "0" }, fault.tail) : null,
            fault.address ? make("p", {}, "The first: ", gameAt(fault.address)) : null,
          ),
        ),
      );
    },
    past(bot) {
      const board = current();
      const runs = league.past.flatMap(({ ended, boards, edited, anchors }) =>
        (boards[board.key] ?? [])
          .filter(([own]) => own === bot)
          .map(([, place, rating, low, high]) => ({
            ended,
            place,
            rating,
            low,
            high,
            edited: edited.includes(bot),
            anchors: anchors[board.key] ?? 0,
          })),
      );
      if (runs.length < 2) return null;
      const rows = [...runs]
        .reverse()
        .map((run) => [run.ended, league.range(run.place), rated(board, run), run.edited ? "new version" : ""]);
      return section(
        `Over runs: ${board.title}`,
        make("p", { class: "none" }, anchored(runs)),
        versions(board, runs),
        league.picture.history(runs, league.digits(board)),
        table("Over runs", ["Run", "Place", "Rating", "Source"], rows),
      );
    },
    places(bot) {
      const rows = league.boards.flatMap((board) =>
        board.rows
          .filter((row) => row.bot === bot)
          .map((row) => [
            make("a", { href: league.addressOf({ board: board.key, bot }) }, board.title),
            league.range(row.place),
            rated(board, row),
            row.best === null ? "–" : league.chance(row.best),
            row.mean_score === null ? "–" : percent(row.mean_score),
            `${count(row.wins)} · ${count(row.draws)} · ${count(row.losses)}`,
            count(row.games),
          ]),
      );
      return section(
        "All contests",
        table("Places", ["Contest", "Place", "Rating", "Best", "Score", "Won · drawn · lost", "Games"], rows),
      );
    },
    seats(bot) {
      const rows = league.boards.flatMap((board) =>
        board.own_seats
          .filter(([own]) => own === bot)
          .map(([, seat, games, score, low, high]) => {
            const text = `${board.title}, seat ${seat}`;
            return [
              league.served
                ? make("a", { href: gamesOf({ contest: board.key, bot: name(bot), seat, kind: "lost" }) }, text)
                : text,
              percent(score),
              low === undefined ? "–" : `${percent(low)} to ${percent(high)}`,
              count(games),
            ];
          }),
      );
      return rows.length ? section("By seat", table("By seat", ["Seat", "Score", "Interval", "Games"], rows)) : null;
    },
    points(bot) {
      const boxes = league.boards.flatMap((board) =>
        board.spreads
          .filter(([own]) => own === bot)
          .map(([, mean, first, width, bars]) => {
            const most = Math.max(...bars),
              last = first + width * bars.length - 1;
            const from = (at) =>
              width > 1 ? `${first + at * width} to ${first + (at + 1) * width - 1}` : `${first + at}`;
            const drawn = bars.map((games, at) =>
              make("i", {
                style: `height:${(100 * games) / most}%`,
                title: `${from(at)} points: ${count(games)} games`,
              }),
            );
            return make(
              "div",
              {},
              make("p", {}, `${board.title}, ${mean.toFixed(2)} on average`),
              make("div", { class: "bars", role: "img", "aria-label": `Points from ${first} to ${last}` }, ...drawn),
              make("div", { class: "ends" }, make("span", {}, String(first)), make("span", {}, String(last))),
            );
          }),
      );
      return boxes.length ? section("Points", make("div", { class: "histograms" }, ...boxes)) : null;
    },
  };

  function anchored(runs) {
    const bots = (number) => `${count(number)} ${number === 1 ? "bot" : "bots"}`,
      least = Math.min(...runs.map((run) => run.anchors));
    return least
      ? `Ratings are relative. So those of earlier runs are moved to where the bots that were there and did not change since (${bots(least)} or more) have the same mean rating as now.`
      : "No bot is unchanged since the first of these runs, so ratings of different runs can hardly be compared.";
  }
  function versions(board, runs) {
    // this version against the one before
    const last = runs.map((run) => run.edited).lastIndexOf(true);
    if (last < 1) return null;
    const [before, now] = [runs[last - 1], runs.at(-1)],
      gain = now.rating - before.rating,
      half = Math.hypot((now.high - now.low) / 2, (before.high - before.low) / 2);
    const verdict =
      gain > half
        ? "This version is better than the one before"
        : gain < -half
          ? "This version is worse than the one before"
          : "It is not settled whether this version is better than the one before";
    const sign = (value) => `${value < 0 ? "-" : "+"}${fixed(board, Math.abs(value))}`;
    return make(
      "p",
      { class: "version" },
      `${verdict}: ${rated(board, now)} after ${rated(board, before)}, a change of ${sign(gain)} (${sign(gain - half)} … ${sign(gain + half)}).`,
    );
  }

  function chooser(bot) {
    const others = league.names
      .map((text, at) => [text, at])
      .filter(([, at]) => at !== bot)
      .sort(([one], [other]) => one.localeCompare(other));
    const select = make(
      "select",
      { "aria-label": "Compare with" },
      make("option", { value: "" }, "Compare with …"),
      ...others.map(([text, at]) => make("option", { value: at }, text)),
    );
    select.addEventListener("change", () => {
      if (select.value) league.go({ other: Number(select.value) });
    });
    return make("p", { class: "chooser" }, select);
  }

  const flowing = (doc) => doc.replace(/(\S)\n(?=[^\s\d*+-])/g, "$1 "); // lines of a paragraph as one; lists and code stay as they are
  function docOf(bot) {
    const doc = flowing(league.bots[bot][1]),
      [first, ...rest] = doc.split("\n");
    if (!doc) return null;
    if (!rest.join("").trim() && doc.length <= LONG_DOC) return make("p", { class: "doc" }, doc);
    const short = first.length > LONG_DOC ? `${first.slice(0, LONG_DOC)} …` : first;
    return make("details", { class: "doc" }, make("summary", {}, short), make("p", {}, doc));
  }
  function aboutOne(bot) {
    const notes = [
      ...new Set(
        league.boards.flatMap((board) =>
          board.rows
            .filter((row) => row.bot === bot && row.notes)
            .flatMap((row) => row.notes.map((note) => `${board.title}: ${note}.`)),
        ),
      ),
    ];
    const { answer, ...others } = Object.fromEntries(
      Object.entries(parts).map(([part, make]) => {
        const box = make(bot);
        box?.setAttribute("data-part", part);
        return [part, box];
      }),
    );
    return [
      answer,
      league.isBaseline(bot)
        ? make(
            "p",
            { class: "none" },
            "A baseline: it is there for comparison, is rated like any other bot, and leads no contest.",
          )
        : null,
      notes.length ? make("p", { class: "notice" }, notes.join(" ")) : null,
      docOf(bot),
      document.documentElement.hasAttribute("data-play")
        ? make(
            "p",
            { class: "links" },
            make(
              "a",
              { href: `sit?${new URLSearchParams({ contest: league.state.board, bot: name(bot) })}` },
              "Play against it",
            ),
          )
        : null,
      chooser(bot),
      ...Object.values(others),
    ];
  }

  function open() {
    const { bot, other } = league.state;
    if (bot === null) {
      if (panel.open) panel.close();
      return;
    }
    const two = other !== null && other !== bot;
    document.getElementById("panel-name").textContent = two ? `${name(bot)} and ${name(other)}` : name(bot);
    body.replaceChildren(...(two ? league.aboutTwo(bot, other) : aboutOne(bot)).filter((part) => part !== null));
    if (!panel.open) panel.showModal();
    const part = body.querySelector(`section[data-part="${wanted}"]`),
      top = panel.querySelector("header").offsetHeight;
    panel.scrollTop = part ? part.offsetTop - top : 0;
    wanted = "";
  }

  // Numbers of the table lead to the part of the panel that is about them.
  document.addEventListener(
    "click",
    (event) => {
      wanted = event.target.closest("a[data-to]")?.dataset.to ?? "";
    },
    { capture: true },
  );
  panel.addEventListener("close", league.leave);
  panel.addEventListener("click", (event) => {
    if (event.target === panel || event.target.closest("[data-close]")) panel.close();
  });
  document.addEventListener("league-state", ({ detail: { before, now } }) => {
    if (before.bot !== now.bot || before.other !== now.other || (now.bot !== null && before.board !== now.board))
      open();
  });
  open();
})();
