"use strict";
const DASHES = ["", "14 6", "4 5", "18 5 4 5", "9 9", "24 8"];

function svgPart(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

// The look of a seat's line: its colour, and dashes for those who do not see colours.
const seatLine = (seat) => ({ style: `stroke: var(--seat-${seat})`, "stroke-dasharray": DASHES[seat] ?? "" });

// Which line is whose, with something to add for each seat.
function seatKey(names, more) {
  const items = names.map((name, seat) => {
    const line = svgPart("svg", { viewBox: "0 0 40 8", "aria-hidden": "true" });
    line.append(svgPart("line", { x1: 0, x2: 40, y1: 4, y2: 4, ...seatLine(seat) }));
    return make("span", "", line, make("bdi", "", name), ...more(seat));
  });
  return make("p", "key", ...items);
}

// How the scores went over the game: a line for each seat, a mark where a seat was at fault. Choose a moment to go there.
function scoreCurve(box, { names, frames, scores, faults }, go) {
  const WIDTH = 1000,
    HEIGHT = 90,
    EDGE = 6;
  const last = frames.length - 1;
  const values = frames.map(({ scene }, at) =>
    names.map((_, seat) => Number(at === last ? scores[seat] : scene.seats[seat].score || NaN)),
  );
  if (last < 2 || values.some((row) => row.some(Number.isNaN))) return null; // a game that shows no scores on the way
  const low = Math.min(0, ...values.flat()),
    high = Math.max(1, ...values.flat());
  const x = (at) => EDGE + ((WIDTH - 2 * EDGE) * at) / last,
    y = (score) => HEIGHT - EDGE - ((HEIGHT - 2 * EDGE) * (score - low)) / (high - low);
  const svg = svgPart("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  svg.append(svgPart("line", { class: "zero", x1: 0, x2: WIDTH, y1: y(0), y2: y(0) }));
  names.forEach((_, seat) => {
    const points = values.map((row, at) => `${x(at).toFixed(1)},${y(row[seat]).toFixed(1)}`).join(" ");
    svg.append(svgPart("polyline", { points, ...seatLine(seat) }));
  });
  const now = svgPart("line", { class: "now-line", y1: 0, y2: HEIGHT });
  svg.append(now);
  const key = seatKey(names, (seat) =>
    faults.filter(([at]) => at === seat).map(([, step]) => ` ✕ at fault at step ${step}`),
  );
  const marks = faults.map(([seat, step]) => {
    const mark = make("span", "fault-mark", "✕"),
      at = Math.max(
        0,
        frames.findIndex((frame) => frame.step >= step),
      );
    mark.title = `${names[seat]} is at fault`;
    mark.style.cssText = `left: ${x(at) / 10}%; top: ${(100 * y(values[at][seat])) / HEIGHT}%; color: var(--seat-${seat})`;
    return mark;
  });
  const plot = make("div", "plot", svg, ...marks);
  plot.setAttribute("role", "img");
  plot.setAttribute(
    "aria-label",
    `Scores over the game: ${names.map((name, seat) => `${name} ends with ${scores[seat]}`).join(", ")}`,
  );
  plot.addEventListener("click", (event) => {
    const area = plot.getBoundingClientRect();
    go(Math.round((last * (event.clientX - area.left)) / area.width));
  });
  box.replaceChildren(plot, key);
  box.hidden = false;
  return {
    show(at) {
      now.setAttribute("x1", x(at));
      now.setAttribute("x2", x(at));
    },
  };
}
