"use strict";
const DASHES = ["", "14 6", "4 5", "18 5 4 5", "9 9", "24 8"];

function svgPart(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// The look of a seat's line: its colour, and dashes for those who do not see colours.
const seatLine = (seat) => ({ style: `stroke: var(--seat-${seat})`, "stroke-dasharray": DASHES[seat] ?? "" });

// Which line is whose, with something to add for each seat.
function seatKey(names, more) {
  const items = names.map((name, seat) => {
    const line = svgPart("line", { x1: 0, x2: 40, y1: 4, y2: 4, ...seatLine(seat) }),
      picture = svgPart("svg", { viewBox: "0 0 40 8", "aria-hidden": "true" }, line);
    return make("span", "", picture, make("bdi", "", name), ...more(seat));
  });
  return make("p", "key", ...items);
}

// A line of each seat over a game, with the band of its errors, lines across at some values, and the moment shown.
function seatPlot(rows, [low, high], across, errors) {
  const WIDTH = 1000,
    HEIGHT = 200,
    last = rows.length - 1 || 1,
    x = (at) => (WIDTH * at) / last,
    y = (value) => HEIGHT * (1 - (Math.min(Math.max(value, low), high) - low) / (high - low || 1)),
    points = (seat, off = 0) =>
      rows.map((row, at) => `${x(at).toFixed(1)},${y(row[seat] + (off && off * errors[at][seat])).toFixed(1)}`),
    level = (value) => svgPart("line", { class: "zero", x1: 0, x2: WIDTH, y1: y(value), y2: y(value) }),
    seats = [...rows[0].keys()],
    band = (seat) =>
      svgPart("polygon", {
        points: [...points(seat, 1), ...points(seat, -1).reverse()].join(" "),
        style: `fill: var(--seat-${seat})`,
      }),
    line = (seat) => svgPart("polyline", { points: points(seat).join(" "), ...seatLine(seat) }),
    now = svgPart("line", { class: "now-line", y1: 0, y2: HEIGHT }),
    look = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" };
  const parts = [...across.map(level), ...(errors ? seats.map(band) : []), ...seats.map(line), now];
  return {
    plot: make("div", "plot", svgPart("svg", look, ...parts)),
    left: (at) => `${(100 * at) / last}%`,
    top: (value) => `${(100 * y(value)) / HEIGHT}%`,
    show(at) {
      for (const end of ["x1", "x2"]) now.setAttribute(end, x(at));
    },
  };
}

// How the scores went over the game: a mark where a seat was at fault. Choose a moment to go there.
function scoreCurve(box, { names, frames, scores, faults }, go) {
  const last = frames.length - 1,
    rows = frames.map(({ scene }, at) =>
      names.map((_, seat) => Number(at === last ? scores[seat] : scene.seats[seat].score || NaN)),
    );
  if (last < 2 || rows.some((row) => row.some(Number.isNaN))) return null; // a game that shows no scores on the way
  const drawn = seatPlot(rows, [Math.min(0, ...rows.flat()), Math.max(1, ...rows.flat())], [0]),
    { plot } = drawn;
  for (const [seat, step] of faults) {
    const mark = make("span", "fault-mark", "✕"),
      at = Math.max(
        0,
        frames.findIndex((frame) => frame.step >= step),
      );
    mark.title = `${names[seat]} is at fault`;
    Object.assign(mark.style, { left: drawn.left(at), top: drawn.top(rows[at][seat]), color: `var(--seat-${seat})` });
    plot.append(mark);
  }
  const ends = names.map((name, seat) => `${name} ends with ${scores[seat]}`);
  plot.setAttribute("role", "img");
  plot.setAttribute("aria-label", `Scores over the game: ${ends.join(", ")}`);
  plot.addEventListener("click", (event) => {
    const area = plot.getBoundingClientRect();
    go(Math.round((last * (event.clientX - area.left)) / area.width));
  });
  const key = seatKey(names, (seat) =>
    faults.filter(([at]) => at === seat).map(([, step]) => ` ✕ at fault at step ${step}`),
  );
  box.replaceChildren(plot, key);
  box.hidden = false;
  return drawn;
}
