"use strict";
// The panel of one bot, or of two that are compared. The address says which: the browser's back button closes it.
(() => {
  const { make, count, scored, name } = league;
  const panel = document.getElementById("panel"),
    body = panel.querySelector(".body");

  let wanted = "";

  function table(caption, headers, rows) {
    const head = make(
      "tr",
      {},
      ...headers.map((header, at) => make("th", { scope: "col", class: at ? "n" : "" }, header)),
    );
    const lines = rows.map(([first, ...cells]) =>
      make("tr", {}, make("th", { scope: "row" }, first), ...cells.map((cell) => make("td", { class: "n" }, cell))),
    );
    return make(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      make(
        "table",
        {},
        make("caption", { class: "visually-hidden" }, caption),
        make("thead", {}, head),
        make("tbody", {}, ...lines),
      ),
    );
  }

  const section = (title, ...children) => make("section", {}, make("h3", {}, title), ...children);
  const current = () => league.boardOf(league.state.board);
  const gamesOf = (query) => `games?${new URLSearchParams(query)}`;

  // A game is shown by its page beside this one, or by the server, which plays it again.
  const sampleAt = new Map(league.samples.map((sample) => [sample.address, sample]));
  function gameAt(address, text = address) {
    const href = sampleAt.get(address)?.href ?? (league.served ? `play/${encodeURIComponent(address)}` : null);
    return href ? make("a", { href }, text) : make("code", {}, address);
  }
  for (const spot of document.querySelectorAll("[data-address]")) spot.replaceChildren(gameAt(spot.dataset.address));

  function reasons(sample, bots) {
    // why a game was chosen, for these bots; "worst loss" includes "worst loss against bob"
    return bots
      .flatMap((bot) => {
        const own = sample.reasons.filter(([of]) => of === bot).map(([, reason]) => reason);
        const short = own.filter((reason) => !own.some((other) => reason.startsWith(`${other} against `))).join(", ");
        return short ? [bots.length > 1 ? `${name(bot)}: ${short}` : short] : [];
      })
      .join("; ");
  }
  function gamesList(samples, bots) {
    if (!samples.length) return null;
    return make(
      "div",
      { class: "watch" },
      make(
        "ul",
        {},
        ...samples.map((sample) => {
          const why = reasons(sample, bots);
          return make(
            "li",
            {},
            why ? make("b", {}, why) : null,
            make("a", { href: sample.href }, `${league.title(sample.contest)}: ${sample.bots.map(name).join(", ")}`),
            make("span", {}, sample.result),
            sample.differs ? make("em", {}, "not the game that was counted") : null,
          );
        }),
      ),
    );
  }

  function allGames(query) {
    // lists of all games, for those who read this page from the server
    if (!league.served)
      return make(
        "p",
        { class: "none" },
        "A selection.",
        ...(league.folder ? [" ", make("code", {}, `league serve ${league.folder}`), " shows every game here."] : []),
      );
    const kinds = {
      "Lost games": "lost",
      "Won games": "won",
      "Drawn games": "drawn",
      "Closest games": "closest",
      "Games with faults": "fault",
    };
    return make(
      "p",
      { class: "links" },
      ...Object.entries(kinds).map(([text, kind]) => make("a", { href: gamesOf({ ...query, kind }) }, text)),
    );
  }

  const rated = (board, { rating, low, high }) => {
    const fixed = (value) => value.toFixed(league.digits(board));
    return `${fixed(rating)} (${fixed(low)} … ${fixed(high)})${board.counts === "points" ? " points" : ""}`;
  };

  function line(board, runs) {
    // ratings with their intervals, and a mark at each new version
    const low = Math.min(...runs.map((run) => run.low)),
      high = Math.max(...runs.map((run) => run.high));
    const x = (at) => 10 + (580 * at) / (runs.length - 1),
      y = (rating) => 90 - (80 * (rating - low)) / (high - low || 1);
    const draw = (tag, attributes) => {
      const one = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
      return one;
    };
    const svg = draw("svg", {
      viewBox: "0 0 600 100",
      class: "past",
      role: "img",
      "aria-label": `Rating over ${runs.length} runs, now ${runs.at(-1).rating.toFixed(league.digits(board))}`,
    });
    svg.append(draw("polyline", { points: runs.map((run, at) => `${x(at)},${y(run.rating)}`).join(" ") }));
    runs.forEach((run, at) =>
      svg.append(
        draw("path", { d: `M${x(at)} ${y(run.low)}V${y(run.high)}` }),
        run.edited
          ? draw("rect", { x: x(at) - 5, y: y(run.rating) - 5, width: 10, height: 10 })
          : draw("circle", { cx: x(at), cy: y(run.rating), r: 4 }),
      ),
    );
    return svg;
  }

  const parts = {
    places(bot) {
      const rows = league.boards.flatMap((board) =>
        board.rows
          .filter((row) => row.bot === bot)
          .map((row) => [
            make("a", { href: league.addressOf({ board: board.key, bot }) }, board.title),
            league.range(row.place),
            rated(board, row),
            row.mean_score === null ? "–" : row.mean_score.toFixed(3),
            `${count(row.wins)} · ${count(row.draws)} · ${count(row.losses)}`,
            count(row.games),
          ]),
      );
      return section(
        "Places",
        table("Places", ["Contest", "Place", "Rating", "Score", "Won · drawn · lost", "Games"], rows),
      );
    },
    games(bot) {
      const own = league.samples.filter((sample) => sample.bots.includes(bot));
      const chosen = own.filter((sample) => sample.reasons.some(([of]) => of === bot)),
        here = (sample) => Number(sample.contest !== league.state.board);
      return section(
        "Games",
        gamesList(
          (chosen.length ? chosen : own).sort((one, other) => here(one) - here(other)),
          [bot],
        ),
        allGames({ contest: league.state.board, bot: name(bot) }),
      );
    },
    opponents(bot) {
      const board = current();
      const met = board.rows.map((row) => [row.bot, league.meeting(board, bot, row.bot)]).filter(([, one]) => one);
      met.sort(([, one], [, other]) => other.score - one.score);
      if (!met.length) return null;
      const rows = met.map(([other, one]) => [
        league.link(board.key, bot, other),
        count(one.games),
        scored(board, one.score),
        `${scored(board, one.low)} to ${scored(board, one.high)}`,
        scored(board, one.expected),
      ]);
      return section(
        `Against each opponent: ${board.title}`,
        table("Against each opponent", ["Opponent", "Games", "Score", "Interval", "Expected"], rows),
      );
    },
    seats(bot) {
      const rows = league.boards.flatMap((board) =>
        board.own_seats
          .filter(([own]) => own === bot)
          .map(([, seat, games, score]) => {
            const text = `${board.title}, seat ${seat}`;
            return [
              league.served
                ? make("a", { href: gamesOf({ contest: board.key, bot: name(bot), seat, kind: "lost" }) }, text)
                : text,
              count(games),
              score.toFixed(3),
            ];
          }),
      );
      return rows.length ? section("By seat", table("By seat", ["Seat", "Games", "Score"], rows)) : null;
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
    past(bot) {
      const board = current(),
        runs = league.past.flatMap(({ ended, boards, edited }) =>
          (boards[board.key] ?? [])
            .filter(([own]) => own === bot)
            .map(([, place, rating, low, high]) => ({ ended, place, rating, low, high, edited: edited.includes(bot) })),
        );
      if (runs.length < 2) return null;
      const rows = [...runs]
        .reverse()
        .map((run) => [run.ended, league.range(run.place), rated(board, run), run.edited ? "new version" : ""]);
      return section(
        `Over runs: ${board.title}`,
        line(board, runs),
        table("Over runs", ["Run", "Place", "Rating", "Source"], rows),
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
  };

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
  function aboutOne(bot) {
    const doc = league.bots[bot][1];
    const notes = [
      ...new Set(
        league.boards.flatMap((board) =>
          board.rows
            .filter((row) => row.bot === bot && row.notes)
            .flatMap((row) => row.notes.map((note) => `${board.title}: ${note}.`)),
        ),
      ),
    ];
    return [
      league.isBaseline(bot)
        ? make(
            "p",
            { class: "none" },
            "A baseline: it is there for comparison, is rated like any other bot, and leads no contest.",
          )
        : null,
      doc ? make("p", { class: "doc" }, flowing(doc)) : null,
      notes.length ? make("p", { class: "notice" }, notes.join(" ")) : null,
      chooser(bot),
      ...Object.entries(parts).map(([part, make]) => {
        const box = make(bot);
        box?.setAttribute("data-part", part);
        return box;
      }),
    ];
  }

  const byContest = (text) => (text === "overall" ? "Overall" : league.title(text));
  function answer(compared) {
    // the output of `league compare`
    const rows = ([head, ...lines]) => [head, lines.map(([contest, ...cells]) => [byContest(contest), ...cells])];
    return [
      make("p", { class: "verdict" }, compared.verdict),
      section(`${name(compared.a)} minus ${name(compared.b)}`, table("Ratings", ...rows(compared.ratings))),
      compared.meetings.length
        ? section(`${name(compared.a)} against ${name(compared.b)}`, table("Meetings", ...rows(compared.meetings)))
        : null,
      ...compared.notices.map((notice) => make("p", { class: "notice" }, notice)),
    ];
  }
  function atLeast(a, b) {
    // what the page knows of any two
    const rows = league.boards
      .map((board) => [board, league.meeting(board, a, b)])
      .filter(([, met]) => met)
      .map(([board, met]) => [
        board.title,
        count(met.games),
        scored(board, met.score),
        `${scored(board, met.low)} to ${scored(board, met.high)}`,
        scored(board, met.expected),
      ]);
    return [
      rows.length
        ? section(
            `${name(a)} against ${name(b)}`,
            table("Meetings", ["Contest", "Games", "Score", "Interval", "Expected"], rows),
          )
        : make("p", {}, "They never met, or this page does not have their results."),
      league.served || !league.folder
        ? null
        : make(
            "p",
            { class: "none" },
            "For the full comparison, run ",
            make("code", {}, `league compare ${league.folder} ${name(a)} ${name(b)}`),
            ".",
          ),
    ];
  }

  function aboutTwo(a, b) {
    const known = league.comparisons.find((one) => (one.a === a && one.b === b) || (one.a === b && one.b === a));
    const box = make("div", { class: "compared" }, ...(known ? answer(known) : atLeast(a, b)).filter(Boolean));
    if (!known && league.served) {
      fetch(`compare/${encodeURIComponent(name(a))}/${encodeURIComponent(name(b))}`)
        .then((found) => (found.ok ? found.json() : Promise.reject(found)))
        .then(
          (compared) => box.replaceChildren(...answer(compared).filter(Boolean)),
          () => {},
        );
    }
    const samples = league.samples.filter((sample) => sample.bots.includes(a) && sample.bots.includes(b));
    return [
      make("p", { class: "links" }, league.link(league.state.board, a), league.link(league.state.board, b)),
      box,
      section(
        "Games",
        gamesList(samples, [a, b]),
        allGames({ contest: league.state.board, bot: name(a), against: name(b) }),
      ),
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
    body.replaceChildren(...(two ? aboutTwo(bot, other) : aboutOne(bot)).filter((part) => part !== null));
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
  panel.addEventListener("close", () => league.go({ bot: null, other: null }));
  panel.addEventListener("click", (event) => {
    if (event.target === panel || event.target.closest("[data-close]")) panel.close();
  });
  document.addEventListener("league-state", ({ detail: { before, now } }) => {
    if (before.bot !== now.bot || before.other !== now.other || (now.bot !== null && before.board !== now.board))
      open();
  });
  open();
})();
