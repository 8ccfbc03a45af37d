"use strict";
// Draws the charts of the board that is shown when there is time, and once more for paper when it is printed.
(() => {
  const { page, specs, sizes } = league;
  const names = page.bots.map((bot) => bot.name);
  const CANVAS = 3000;  // marks; beyond so many a canvas is quicker than a tree of elements
  const TOP = 6;
  const SCREEN = { width: "container" };
  const PAPER = { width: 680, autosize: { type: "fit-x", contains: "padding" } };  // upright A4, less margins and frame
  const views = new Map();  // figure -> view

  function apart(ratings, gap) {  // where to write names so that none lies on another
    const places = new Map();
    let below = -Infinity;
    for (const [bot, rating] of [...ratings].sort((one, other) => one[1] - other[1])) {
      below = Math.max(rating, below + gap);
      places.set(bot, below);
    }
    return places;
  }

  const rows = {
    ratings: (board) => board.rows.map((row, order) => ({ ...row.line, place: row.place, order, name: names[row.bot] })),
    meetings(board) {
      const order = new Map(board.rows.map((row, at) => [row.bot, at]));
      const cell = (a, b, games, score, low, high, expected) => ({
        name: names[a], opponent: names[b], order: order.get(a), opponent_order: order.get(b), games, score, expected,
        interval: `${(100 * low).toFixed(1)} % to ${(100 * high).toFixed(1)} %`,
      });
      return board.meetings.flatMap(([a, b, games, score, low, high, expected]) => [
        cell(a, b, games, score, low, high, expected), cell(b, a, games, 1 - score, 1 - high, 1 - low, 1 - expected),
      ]);
    },
    settling(board) {
      const top = new Map(board.rows.slice(0, TOP).map((row, at) => [row.bot, at]));
      const end = board.settling.length - 1, ratings = board.settling.flatMap(([, after]) => after.map(([, rating]) => rating));
      const label = apart(board.settling[end][1].filter(([bot]) => top.has(bot)), (Math.max(...ratings) - Math.min(...ratings)) / 22);
      return board.settling.flatMap(([games, ratings], at) => ratings.map(([bot, rating]) =>
        ({ games, rating, name: names[bot], top: top.get(bot) ?? -1, last: at === end, label: label.get(bot) })));
    },
    spreads(board) {
      const of = new Map(board.spreads.map((spread) => [spread[0], spread]));
      return board.rows.filter((row) => of.has(row.bot)).map((row, order) => {
        const [bot, lowest, quarter, median, three_quarters, highest, mean] = of.get(row.bot);
        return { name: names[bot], order, lowest, quarter, median, three_quarters, highest, mean };
      });
    },
    seats: (board) => board.seats.map(([contest, seat, games, score]) => ({ contest, seat, games, score })),
    times: (board) => board.rows.filter((row) => row.ms > 0).map((row, order) => ({ ms: row.ms, order, name: names[row.bot] })),
  };

  const probe = document.createElement("span");
  probe.hidden = true;
  document.body.append(probe);
  function colour(variable) {
    probe.style.color = `var(${variable})`;
    return getComputedStyle(probe).color;
  }
  function resolved(spec, layout) {
    probe.style.colorScheme = layout === PAPER ? "light" : "";
    return JSON.parse(JSON.stringify(spec).replace(/var\((--[\w-]+)\)/g, (_, variable) => colour(variable)));
  }

  async function draw(figure, layout) {
    const key = figure.closest(".board").dataset.board, kind = figure.dataset.chart;
    const values = rows[kind](page.boards.find((board) => board.key === key)), made = specs[sizes[key]][kind];
    if (!values.length) { figure.hidden = true; return; }
    const canvas = values.length > CANVAS;
    views.get(figure)?.finalize();
    const spec = { ...(canvas ? resolved(made, layout) : made), ...layout, datasets: { rows: values } };
    const lines = new Set(values.map((row) => row.contest ?? row.name)).size, step = spec.usermeta?.step;
    if (step) spec.height = step * lines;
    const chart = figure.querySelector(".chart"), widest = kind === "meetings" ? 200 + 90 * lines : Infinity;
    chart.style.maxWidth = `${widest}px`;
    if (layout === PAPER) spec.width = Math.min(spec.width, widest);
    const options = { actions: false, renderer: canvas ? "canvas" : "svg", tooltip: { theme: "custom" } };
    views.set(figure, await vegaEmbed(chart, spec, options));
    figure.dataset.drawn = canvas ? "canvas" : "svg";
  }

  let drawing = Promise.resolve();
  function drawInTurn(figure, layout = SCREEN) {  // two drawings at once would both end up in the figure
    const turn = () => draw(figure, layout);
    drawing = drawing.then(turn, turn);
    return drawing;
  }

  let waiting = [];
  const later = window.requestIdleCallback ?? ((task) => setTimeout(task, 50));
  async function next() {
    const figure = waiting.shift();
    if (!figure) return;
    if (!figure.dataset.drawn && figure.offsetParent) await drawInTurn(figure);
    later(next);
  }
  document.addEventListener("league-board", (event) => {
    waiting = [...document.querySelectorAll(`[data-board="${CSS.escape(event.detail)}"] [data-chart]`)];
    later(next);
  });
  document.addEventListener("league-theme", () => {
    for (const figure of views.keys()) if (figure.dataset.drawn === "canvas") drawInTurn(figure);
  });
  // Drawing waits for nothing but promises that are kept at once: charts are there before the browser lays out the paper.
  const redraw = (layout) => () => {
    for (const figure of document.querySelectorAll(".board:not(.hidden) [data-chart]")) drawInTurn(figure, layout);
  };
  addEventListener("beforeprint", redraw(PAPER));
  addEventListener("afterprint", redraw(SCREEN));
})();
