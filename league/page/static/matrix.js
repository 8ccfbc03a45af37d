"use strict";
// The head-to-head table is in the page; of large boards the script draws it for the bots that are asked for, and a
// picture of all pairs. Pointing at a cell shows what it says, and a chosen cell leads to the comparison.
(() => {
  const { make, count, scored } = league;
  const EDGES = [0.1, 0.25, 0.4, 0.48, 0.52, 0.6, 0.75, 0.9];
  const shade = (score) => EDGES.filter((edge) => score >= edge).length;
  const settled = ({ low, high }) => low > 0.5 || high < 0.5;
  const said = (board, a, b, met) =>
    `${league.name(a)} against ${league.name(b)}: ` +
    (met
      ? `${scored(board, met.score)} ${board.span ? "a game, in" : "of"} ${count(met.games)} games, interval ${scored(board, met.low)} to ${scored(board, met.high)}, expected ${scored(board, met.expected)}${settled(met) ? "; settled" : ""}`
      : "never met");

  function cell(board, a, b) {
    if (a === b) return make("td", { class: "self" });
    const met = league.meeting(board, a, b);
    if (!met) return make("td", { class: "unmet" }, "·");
    const text = board.span ? league.lead(board, met.score) : String(Math.round(100 * met.score));
    return make("td", { class: `d${shade(met.score)}${settled(met) ? " s" : ""}` }, text);
  }
  const heading = (scope, bot) =>
    make("th", { scope, "data-bot": bot }, make("span", {}, make("bdi", {}, league.name(bot))));

  function fill(table, board, bots) {
    table.tHead.rows[0].replaceChildren(make("td"), ...bots.map((bot) => heading("col", bot)));
    table.tBodies[0].replaceChildren(
      ...bots.map((bot) => make("tr", {}, heading("row", bot), ...bots.map((other) => cell(board, bot, other)))),
    );
  }

  function picture(board) {
    // every pair as a dot; what it is, is said below as the pointer moves
    const size = board.meetings.bots,
      canvas = make("canvas", {
        width: size,
        height: size,
        role: "img",
        "aria-label": `All ${size} bots against each other, best first`,
      });
    const line = make(
      "p",
      { class: "reading" },
      `All ${size} bots by place. Point at a dot to read it, choose it to compare.`,
    );
    const probe = make("span", { hidden: "" });
    document.body.append(probe);
    const colours = Array.from({ length: 9 }, (_, at) => {
      probe.style.color = `var(--diverging-${at})`;
      return getComputedStyle(probe).color.match(/\d+/g).map(Number);
    });
    probe.remove();
    const pen = canvas.getContext("2d"),
      image = pen.createImageData(size, size);
    const bots = board.rows.slice(0, size).map((row) => row.bot);
    bots.forEach((a, y) =>
      bots.forEach((b, x) => {
        const met = league.meeting(board, a, b),
          at = 4 * (y * size + x);
        if (met) image.data.set([...colours[shade(met.score)], 255], at);
      }),
    );
    pen.putImageData(image, 0, 0);
    const pair = (event) => {
      const box = canvas.getBoundingClientRect(),
        at = (part, whole) => Math.min(size - 1, Math.max(0, Math.floor((size * part) / whole)));
      return [bots[at(event.clientY - box.top, box.height)], bots[at(event.clientX - box.left, box.width)]];
    };
    canvas.addEventListener("pointermove", (event) => {
      const [a, b] = pair(event);
      line.textContent = a === b ? league.name(a) : said(board, a, b, league.meeting(board, a, b));
    });
    canvas.addEventListener("click", (event) => {
      const [a, b] = pair(event);
      league.go({ bot: a, other: a === b ? null : b });
    });
    return [line, canvas];
  }

  const pairAt = (box) => {
    // the two bots of a cell: of its row and of its column
    const heads = box.closest("table").tHead.rows[0].cells;
    return [box.parentElement.cells[0], heads[box.cellIndex]].map((head) => Number(head.dataset.bot));
  };
  const current = new Set(league.boards.map((board) => board.key)); // boards whose table has the newest numbers
  function draw(key) {
    const board = league.boardOf(key),
      box = document.querySelector(`[data-board="${CSS.escape(key)}"] [data-matrix]`);
    if (!box || !board.meetings) return;
    const bots = league.subset(board).map((row) => row.bot),
      all = bots.length < board.rows.filter((row) => row.games).length;
    const table = box.querySelector("table"),
      there = [...table.tBodies[0].rows].map((row) => Number(row.cells[0].dataset.bot));
    if (bots.join() !== there.join() || !current.has(key)) fill(table, board, bots);
    current.add(key);
    for (const row of table.tBodies[0].rows)
      row.classList.toggle("chosen", Number(row.cells[0].dataset.bot) === league.state.bot);
    box.querySelectorAll(".reading, canvas").forEach((old) => {
      old.remove();
    });
    if (all) box.append(...picture(board));
  }
  document.addEventListener("league-board", (event) => draw(event.detail));
  document.addEventListener("league-renewed", () => {
    current.clear();
    draw(league.state.board);
  });
  document.addEventListener("league-theme", () => draw(league.state.board));
  document.addEventListener("pointerover", (event) => {
    const box = event.target.closest(".meetings tbody td");
    if (!box || box.title || box.className === "self") return;
    const board = league.boardOf(box.closest("[data-board]").dataset.board),
      [a, b] = pairAt(box);
    box.title = said(board, a, b, league.meeting(board, a, b));
  });
  document.addEventListener("click", (event) => {
    const box = event.target.closest(".meetings tbody :is(td, th), .meetings thead th");
    if (!box) return;
    const [a, b] = box.tagName === "TD" ? pairAt(box) : [Number(box.dataset.bot), null];
    league.go({ bot: a, other: a === b ? null : b });
  });
})();
