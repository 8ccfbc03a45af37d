"use strict";
// Small drawings of the panels. Positions across are per cent, as in the charts, so that text keeps its size.
(() => {
  const { make, count, scored } = league;
  const HEIGHT = 150,
    TOP = 14,
    BOTTOM = 22;
  const at = (value, low, high) => `${((100 * (value - low)) / (high - low || 1)).toFixed(1)}%`;

  function draw(tag, attributes = {}, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }
  const titled = (text) => draw("title", {}, text);

  function interval({ low, high, value }, [from, to], said, ...more) {
    // a bar with a dot
    const left = Math.max(low, from),
      right = Math.min(high, to);
    return draw(
      "svg",
      { role: "img" },
      titled(said),
      ...more,
      draw("rect", {
        x: at(left, from, to),
        width: `${Math.max(0, (100 * (right - left)) / (to - from || 1)).toFixed(1)}%`,
      }),
      draw("circle", { cx: at(value, from, to) }),
    );
  }
  const upright = (value, [from, to], kind) =>
    draw("line", { class: kind, x1: at(value, from, to), x2: at(value, from, to), y1: 3, y2: 19 });

  // A score against an opponent: where it is, what the ratings expect, and one half.
  const score = (met, said) =>
    make(
      "span",
      { class: "lanes score" },
      interval(
        { ...met, value: met.score },
        [0, 1],
        said,
        upright(0.5, [0, 1], "half"),
        upright(met.expected, [0, 1], "expected"),
      ),
    );

  // The cells of a table that say how a bot did against an opponent, and their headers.
  const METS = ["", "Score", "Interval", "Expected", "Games"];
  const met = (board, result, said) => [
    score(result, said),
    scored(board, result.score),
    `${scored(board, result.low)} to ${scored(board, result.high)}`,
    scored(board, result.expected),
    count(result.games),
  ];

  function leads(rows, digits) {
    // differences of two bots, a line for each contest, around zero
    const ends = rows.flatMap(({ low, high }) => [low, high]),
      reach = 1.05 * Math.max(...ends.map(Math.abs), 0.01);
    const range = [-reach, reach];
    const items = rows.map((row) => {
      const settled = row.low > 0 || row.high < 0,
        text = `${row.value > 0 ? "+" : ""}${row.value.toFixed(digits)}`;
      return make(
        "li",
        { class: settled ? "settled" : "" },
        make("bdi", {}, row.title),
        interval(
          row,
          range,
          `${row.title}: ${text}, ${row.low.toFixed(digits)} to ${row.high.toFixed(digits)}${settled ? ", settled" : ", not settled"}`,
          upright(0, range, "half"),
        ),
        make("span", { class: "number" }, `${text}${settled ? " settled" : ""}`),
      );
    });
    return make("div", { class: "lanes leads" }, make("ul", {}, ...items));
  }

  function history(runs, digits) {
    // ratings with their intervals after each run; a square is a new version
    const low = Math.min(...runs.map((run) => run.low)),
      high = Math.max(...runs.map((run) => run.high));
    const x = (number) => `${(4 + (92 * number) / (runs.length - 1)).toFixed(1)}%`,
      y = (rating) => (HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * (rating - low)) / (high - low || 1)).toFixed(1);
    const grid = [low, (low + high) / 2, high].map((rating) => [
      draw("line", { class: "grid", x1: "0", x2: "100%", y1: y(rating), y2: y(rating) }),
      draw("text", { class: "level", x: "0", y: y(rating) - 3 }, rating.toFixed(digits)),
    ]);
    const lines = runs
      .slice(1)
      .map((run, number) =>
        draw("line", { class: "way", x1: x(number), x2: x(number + 1), y1: y(runs[number].rating), y2: y(run.rating) }),
      );
    let version = 1;
    const marks = runs.map((run, number) => {
      if (run.edited) version += 1;
      const said = `${run.ended}: ${run.rating.toFixed(digits)}, ${run.low.toFixed(digits)} to ${run.high.toFixed(digits)}, place ${league.range(run.place)}${run.edited ? ", a new version" : ""}`;
      const middle = x(number);
      return draw(
        "g",
        {},
        titled(said),
        draw("line", { class: "reach", x1: middle, x2: middle, y1: y(run.low), y2: y(run.high) }),
        draw("circle", { class: run.edited ? "edited" : "", cx: middle, cy: y(run.rating), r: run.edited ? 6 : 4 }),
        ...(run.edited ? [draw("text", { class: "version", x: middle, y: TOP - 3 }, `version ${version}`)] : []),
      );
    });
    const few =
      runs.length > 4 ? [0, Math.floor((runs.length - 1) / 2), runs.length - 1] : runs.map((_, number) => number);
    const dates = few.map((number) =>
      draw(
        "text",
        {
          class: `date ${number === 0 ? "first" : number === runs.length - 1 ? "last" : ""}`,
          x: x(number),
          y: HEIGHT - 4,
        },
        runs[number].ended.replace(/ \d{4}, .*$/, ""),
      ),
    );
    const said = `Rating over ${runs.length} runs, now ${runs.at(-1).rating.toFixed(digits)}`;
    return draw(
      "svg",
      { class: "past", role: "img", "aria-label": said },
      ...grid.flat(),
      ...lines,
      ...marks,
      ...dates,
    );
  }

  league.picture = { METS, met, leads, history };
})();
