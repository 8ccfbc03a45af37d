"use strict";
// Tabs, and the table of the board that is shown: sorted, filtered, and of a large pool the first rows until all are asked for.
(() => {
  const { make, count } = league;
  const FIRST = league.first_rows,
    SPARE = 10;
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const boxes = [...document.querySelectorAll(".board")];
  const filter = document.getElementById("filter"),
    more = document.getElementById("more");
  const words = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const texts = league.bots.map(([name, doc]) => `${name}\n${doc}`.toLowerCase());

  function along(board, rating) {
    // from ratings to per cent of a bar; what is beyond the scale of the chart ends at its edge
    const [low, high] = board.scale;
    return Math.min(100, Math.max(0, (100 * (rating - low)) / (high - low))).toFixed(1);
  }

  const dash = (value, digits) => (value === null ? "–" : value.toFixed(digits));
  const signed = (number, digits) => {
    const text = Math.abs(number).toFixed(digits);
    return `${Number(text) ? (number > 0 ? "+" : "-") : "±"}${text}`;
  };
  const faults = (row) =>
    [
      ...row.kinds.map(([kind, number]) => `${count(number)} ${kind}`),
      ...(row.forfeits ? [`${count(row.forfeits)} games forfeited`] : []),
    ].join(", ");
  const cells = {
    // columns that are more than a number
    place: (row) => league.range(row.place),
    interval(row, board) {
      const at = (rating) => along(board, rating);
      return [
        make(
          "span",
          { class: "interval" },
          make("i", { style: `left:${at(row.low)}%;right:${(100 - at(row.high)).toFixed(1)}%` }),
          make("b", { style: `left:${at(row.rating)}%` }),
        ),
        make("small", {}, `${dash(row.low, league.digits(board))} … ${dash(row.high, league.digits(board))}`),
      ];
    },
    change(row, board) {
      const before = board.before.get(row.bot);
      if (!before) return make("small", { class: "chip" }, "new");
      const moved =
        before.place !== row.place && before.place && row.place
          ? make("small", {}, `${league.range(before.place)} → ${league.range(row.place)}`)
          : null;
      return [signed(row.rating - before.rating, league.digits(board)), moved].filter(Boolean);
    },
    record(row, board) {
      const all = row.games || 1,
        said = `${count(row.wins)} won, ${count(row.draws)} drawn, ${count(row.losses)} lost`;
      const bar = make(
        "a",
        {
          class: "wdl",
          href: league.addressOf({ board: board.key, bot: row.bot }),
          tabindex: "-1",
          title: said,
          "aria-label": said,
          "data-to": "games",
        },
        make("i", { style: `width:${((100 * row.wins) / all).toFixed(1)}%` }),
        make("i", { style: `width:${((100 * row.draws) / all).toFixed(1)}%` }),
      );
      return [bar, make("small", {}, `${count(row.wins)} · ${count(row.draws)} · ${count(row.losses)}`)];
    },
    faults: (row, board) =>
      row.faults || row.forfeits
        ? make(
            "a",
            {
              class: "fault",
              href: league.addressOf({ board: board.key, bot: row.bot }),
              title: faults(row),
              tabindex: "-1",
              "data-to": "faults",
            },
            count(row.faults + row.forfeits),
          )
        : "–",
  };
  league.intervalOf = cells.interval;
  const share = { mean_score: league.percent, best: league.chance };
  const cell = (row, board, { name, digits, in_unit, percent }) =>
    cells[name]?.(row, board) ??
    (percent ? (row[name] === null ? "–" : share[name](row[name])) : null) ??
    (digits === null && row[name] !== null
      ? count(row[name])
      : dash(row[name], in_unit ? league.digits(board) : digits));
  const classOf = ({ name, page, number }) => `c-${name} ${page}${number ? " n" : ""}`;
  const values = {
    change: (row, board) => row.rating - (board.before.get(row.bot)?.rating ?? -Infinity),
    place: (row) => row.order,
    bot: (row) => league.name(row.bot),
    interval: (row) => row.high - row.low,
    record: (row) => (row.wins + row.draws / 2) / (row.games || 1),
    faults: (row) => row.faults + row.forfeits,
  };
  const valueIn = (name) => values[name] ?? ((row) => row[name] ?? -Infinity);
  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  const rising = (name) => league.columns.find((column) => column.name === name)?.rising ?? false;

  function medal(bot) {
    // the last milestone that a bot has reached
    const reached = (league.milestones[bot] ?? []).filter(([, state]) => state === "reached");
    if (!reached.length) return null;
    const title = reached.map(([text, , about]) => `${text}: ${about}`).join("; ");
    return make("small", { class: "medal", title }, `✓ ${reached.at(-1)[0]}`);
  }

  function drawRow(row, board, columns) {
    const tr = make("tr", { "data-bot": row.bot });
    for (const column of columns) {
      const { name } = column;
      if (name === "bot") {
        const mark = row.notes ? make("abbr", { title: row.notes.join(", "), class: "mark" }, "*") : null;
        const baseline = league.isBaseline(row.bot)
          ? make("small", { class: "chip", title: "There for comparison only: it leads no contest" }, "baseline")
          : null;
        const link = make(
          "a",
          { href: league.addressOf({ board: board.key, bot: row.bot }), title: league.name(row.bot) },
          make("bdi", {}, league.name(row.bot)),
        );
        tr.append(
          make(
            "th",
            { scope: "row", class: "c-bot" },
            make("span", { class: "who" }, link, mark, baseline, medal(row.bot)),
          ),
        );
        continue;
      }
      tr.append(
        make(
          "td",
          { class: classOf(column) },
          ...[row.games || name === "place" || name === "games" ? cell(row, board, column) : "–"].flat(),
        ),
      );
    }
    return tr;
  }

  function ordered(board) {
    const wanted = league.state.q.trim().toLowerCase(),
      sort = league.state.sort,
      name = sort.replace(/^-/, "");
    const rows = board.rows.filter((row) => texts[row.bot].includes(wanted));
    if (!league.columns.some((column) => column.name === name)) return rows;
    const sign = (sort.startsWith("-") ? -1 : 1) * (rising(name) ? 1 : -1),
      value = valueIn(name);
    return rows.sort(
      (a, b) =>
        sign * (name === "bot" ? words.compare(value(a), value(b)) : compare(value(a, board), value(b, board))) ||
        a.order - b.order,
    );
  }

  function header(column, key) {
    const { sort } = league.state,
      name = sort.replace(/^-/, "") || "place";
    const title = column.counted[league.boardOf(key).counts] ?? column.title,
      th = make("th", { scope: "col", class: classOf(column), "data-title": title });
    const button = make(
      "button",
      { type: "button", "data-heading": column.heading, ...(column.about ? { title: column.about } : {}) },
      title,
    );
    if (name === column.name)
      th.setAttribute("aria-sort", rising(name) !== sort.startsWith("-") ? "ascending" : "descending");
    button.addEventListener("click", () => {
      league.go({
        sort: name === column.name && !sort.startsWith("-") ? `-${name}` : column.name === "place" ? "" : column.name,
      });
      document.querySelector(`[data-board="${CSS.escape(key)}"] thead .c-${column.name} button`)?.focus();
    });
    th.append(button);
    return th;
  }

  const opened = new Set(); // boards whose rows are all shown
  function draw() {
    const board = league.boardOf(league.state.board);
    if (!board) return;
    const box = document.querySelector(`[data-board="${CSS.escape(board.key)}"] [data-table]`);
    const columns = league.columns.filter(
      (column) =>
        (league.state.all || column.page !== "more") &&
        (cells[column.name] || column.name === "bot" || board.rows.some((row) => row[column.name] !== null)),
    );
    const rows = ordered(board),
      body = make("tbody");
    const table = make(
      "table",
      { class: `ranking${league.state.sort ? " sorted" : ""}` },
      make("caption", { class: "visually-hidden" }, `Standings, ${board.title}. Column headers sort.`),
      make("thead", {}, make("tr", {}, ...columns.map((column) => header(column, board.key)))),
      body,
    );
    let before = null;
    function add(some) {
      for (const row of some) {
        const tr = drawRow(row, board, columns);
        if (!league.state.sort && before !== null && before !== row.place) tr.className = "rung";
        before = row.place;
        body.append(tr);
      }
    }
    const left = board.bots - board.rows.length,
      whole = rows.length <= FIRST + SPARE || opened.has(board.key);
    const rest = make("button", { type: "button", class: "rest" }, `Show all ${count(rows.length)} bots`);
    rest.addEventListener("click", () => {
      opened.add(board.key);
      add(rows.slice(FIRST));
      rest.remove();
    });
    add(whole ? rows : rows.slice(0, FIRST));
    box.classList.toggle("all", league.state.all);
    box.style.removeProperty("--rows"); // which kept the place until now
    box.replaceChildren(
      table,
      ...(whole ? [] : [rest]),
      ...(rows.length ? [] : [make("p", { class: "nobody" }, "No bot matches this filter.")]),
      ...(left > 0
        ? [
            make(
              "p",
              { class: "nobody" },
              `${count(left)} more bots are in the file ${board.key === "overall" ? "standings.csv" : `standings-${board.key}.csv`}.`,
            ),
          ]
        : []),
    );
    document.getElementById("found").textContent = league.state.q.trim()
      ? `${count(rows.length)} of ${count(board.rows.length)} bots`
      : "";
  }

  function show({ before, now }) {
    const { board, q, all } = now;
    for (const tab of tabs) {
      const chosen = tab.id === `tab-${board}`;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      if (chosen && before && before.board !== board) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    for (const box of boxes) {
      box.removeAttribute("data-later");
      box.classList.toggle("hidden", box.dataset.board !== board);
    }
    if (document.activeElement !== filter) filter.value = q;
    more.setAttribute("aria-pressed", String(all));
    if (!before || ["board", "sort", "q", "all"].some((part) => before[part] !== now[part])) draw();
  }
  document.addEventListener("league-state", (event) => show(event.detail));

  tabs.forEach((tab, at) => {
    tab.addEventListener("click", () => league.go({ board: tab.id.slice("tab-".length), bot: null, other: null }));
    tab.addEventListener("keydown", (event) => {
      const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      const next = tabs[(to + tabs.length) % tabs.length];
      next.focus();
      next.click();
    });
  });
  filter.addEventListener("input", () => league.go({ q: filter.value }, { replace: true }));
  more.addEventListener("click", () => league.go({ all: !league.state.all }));
  document.addEventListener("click", (event) => {
    const row = event.target.closest("table.ranking tbody tr");
    if (row && !event.target.closest("a") && !String(getSelection()))
      league.go({ bot: Number(row.dataset.bot), other: null });
  });
  filter.value = league.state.q;
  show({ before: null, now: league.state });
})();
