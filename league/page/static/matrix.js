"use strict";
// The head-to-head table: a number in every cell, each a link to the comparison; of large boards also a picture of all.
(() => {
  const { make, count, scored } = league;
  const EDGES = [0.1, 0.25, 0.4, 0.48, 0.52, 0.6, 0.75, 0.9];
  const shade = (score) => EDGES.filter((edge) => score >= edge).length;
  const said = (board, a, b, met) =>
    `${league.name(a)} against ${league.name(b)}: ` +
    (met
      ? `${scored(board, met.score)} ${board.span ? "a game, in" : "of"} ${count(met.games)} games, interval ${scored(board, met.low)} to ${scored(board, met.high)}, expected ${scored(board, met.expected)}`
      : "never met");

  function cell(board, a, b) {
    if (a === b) return make("td", { class: "self" });
    const met = league.meeting(board, a, b);
    if (!met) return make("td", { class: "unmet", title: said(board, a, b, null) }, "·");
    const link = make(
      "a",
      { href: league.addressOf({ board: board.key, bot: a, other: b }), tabindex: "-1" },
      board.span ? league.lead(board, met.score) : String(Math.round(100 * met.score)),
    );
    return make("td", { class: `d${shade(met.score)}`, title: said(board, a, b, met) }, link);
  }

  function table(board, bots) {
    const heads = bots.map((bot) => make("th", { scope: "col" }, make("span", {}, make("bdi", {}, league.name(bot)))));
    const rows = bots.map((bot) =>
      make(
        "tr",
        bot === league.state.bot ? { class: "chosen" } : {},
        make("th", { scope: "row" }, league.link(board.key, bot)),
        ...bots.map((other) => cell(board, bot, other)),
      ),
    );
    return make(
      "div",
      { class: "scroll box", tabindex: "0", role: "region", "aria-label": `Head to head, ${board.title}` },
      make(
        "table",
        { class: "meetings" },
        make(
          "caption",
          { class: "visually-hidden" },
          `Head to head, ${board.title}, in ${board.span ? "points" : "per cent"}`,
        ),
        make("thead", {}, make("tr", {}, make("td", {}, ""), ...heads)),
        make("tbody", {}, ...rows),
      ),
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

  function draw(key) {
    const board = league.boardOf(key),
      box = document.querySelector(`[data-board="${CSS.escape(key)}"] [data-matrix]`);
    if (!box || !board.meetings) return;
    const bots = league.subset(board).map((row) => row.bot);
    const all = bots.length < board.rows.filter((row) => row.games).length;
    box.replaceChildren(table(board, bots), ...(all ? picture(board) : []));
  }
  document.addEventListener("league-board", (event) => draw(event.detail));
  document.addEventListener("league-theme", () => draw(league.state.board));
})();
