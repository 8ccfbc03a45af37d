"use strict";
// Draws the charts of the board that is shown when there is time, and once more for paper when it is printed.
(() => {
  const { names, charts } = league;
  const TOP = 6;
  const SCREEN = { width: "container" };
  const PAPER = { width: 680, autosize: { type: "fit-x", contains: "padding" } }; // upright A4 minus margins and frame
  const views = new Map(); // figure -> view

  function apart(ratings, gap) {
    // where to write names so that none lies on another
    const places = new Map();
    let below = -Infinity;
    for (const [bot, rating] of [...ratings].sort((one, other) => one[1] - other[1])) {
      below = Math.max(rating, below + gap);
      places.set(bot, below);
    }
    return places;
  }

  const arranged = {
    // charts whose data are more than rows
    settling(board, shown) {
      const drawn = new Set(shown.map((row) => row.bot)),
        top = new Map(shown.slice(0, TOP).map((row, at) => [row.bot, at]));
      const steps = board.settling.map(([games, after]) => [games, after.filter(([bot]) => drawn.has(bot))]);
      const end = steps.length - 1,
        ratings = steps.flatMap(([, after]) => after.map(([, rating]) => rating));
      const label = apart(
        steps[end][1].filter(([bot]) => top.has(bot)),
        (Math.max(...ratings) - Math.min(...ratings)) / 22,
      );
      return steps.flatMap(([games, after], at) =>
        after.map(([bot, rating]) => ({
          games,
          rating,
          name: names[bot],
          top: top.get(bot) ?? -1,
          last: at === end,
          label: label.get(bot),
        })),
      );
    },
  };
  function rows({ data, fields, needs }, board, shown) {
    // those of the bots that are shown, in their order
    const named = fields.length
      ? board[data].map((values) => Object.fromEntries(fields.map((field, at) => [field, values[at]])))
      : board[data];
    const kept = named.filter((row) => !needs || row[needs] > 0);
    if (!kept.some((row) => row.bot !== undefined)) return kept;
    const of = new Map(kept.map((row) => [row.bot, row]));
    return shown
      .filter(({ bot }) => of.has(bot))
      .map(({ bot, order, place }) => ({ ...of.get(bot), order, place: league.range(place), name: names[bot] }));
  }

  function inUnit(spec, board) {
    // a rating is called what it is
    return board.counts === "points"
      ? JSON.parse(
          JSON.stringify(spec).replaceAll('"title":"rating"', '"title":"points a game"').replaceAll('".2f"', '".3f"'),
        )
      : spec;
  }

  async function draw(figure, layout) {
    const board = league.boardOf(figure.closest(".board").dataset.board),
      kind = figure.dataset.chart;
    const shown = league.subset(board),
      values = arranged[kind]?.(board, shown) ?? rows(charts[kind], board, shown);
    figure.hidden = !values.length;
    if (!values.length) return;
    views.get(figure)?.finalize();
    const spec = { ...inUnit(charts[kind].spec, board), ...layout, datasets: { rows: values } };
    const lines = new Set(values.map((row) => row.contest ?? row.name)).size,
      step = spec.usermeta?.step;
    if (step) spec.height = step * lines;
    const chart = figure.querySelector(".chart");
    const drawn = await vegaEmbed(chart, spec, { actions: false, renderer: "svg", tooltip: { theme: "custom" } });
    drawn.view.addEventListener("click", (_, mark) => {
      // a mark of a bot leads to its games
      const bot = league.numberOf(mark?.datum?.name);
      if (bot !== null) league.go({ bot, other: null });
    });
    views.set(figure, drawn);
    chart.setAttribute("role", "img");
    chart.setAttribute("aria-label", `${figure.querySelector("h3").textContent}, ${board.title}`);
    chart.querySelector("svg").setAttribute("aria-hidden", "true"); // the same numbers are in the tables
    figure.dataset.drawn = "yes";
  }

  let drawing = Promise.resolve();
  function drawInTurn(figure, layout = SCREEN) {
    // two drawings at once would both end up in the figure
    const turn = () => draw(figure, layout);
    drawing = drawing.then(turn, turn);
    return drawing;
  }

  let waiting = [];
  const later = window.requestIdleCallback ?? ((task) => setTimeout(task, 50));
  async function next() {
    const figure = waiting.shift();
    if (!figure) {
      document.dispatchEvent(new Event("league-drawn"));
      return;
    }
    if (!figure.dataset.drawn && figure.offsetParent) await drawInTurn(figure);
    later(next);
  }
  const drawnBots = new Map();
  document.addEventListener("league-board", (event) => {
    const figures = [...document.querySelectorAll(`[data-board="${CSS.escape(event.detail)}"] [data-chart]`)];
    const bots = league
      .subset(league.boardOf(event.detail))
      .map((row) => row.bot)
      .join(" ");
    if (drawnBots.get(event.detail) !== bots)
      for (const figure of figures) {
        delete figure.dataset.drawn;
        figure.hidden = false;
      }
    drawnBots.set(event.detail, bots);
    waiting = figures;
    later(next);
  });
  // Drawing waits for nothing but promises that are kept at once: charts are there before the browser lays out the paper.
  const redraw = (layout) => () => {
    for (const figure of document.querySelectorAll(".board:not(.hidden) [data-chart]")) drawInTurn(figure, layout);
  };
  addEventListener("beforeprint", redraw(PAPER));
  addEventListener("afterprint", redraw(SCREEN));
})();
