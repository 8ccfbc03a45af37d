"use strict";
// The chance to win of each seat over the game, asked for on demand: a line with its error for each seat, a link for
// each step, and a mark at the turning point. A page without a server has none.
function chanceCurve(box, { names, frames, address }, go) {
  const WIDTH = 1000,
    HEIGHT = 200,
    ERRORS = 2,
    AGAIN_MS = 2000,
    MOST_TRIES = 15;
  if (document.documentElement.dataset.served === undefined || !address) return null;
  const ask = box.querySelector("button"),
    status = box.querySelector("[role=status]"),
    answer = box.querySelector(".answer");
  let drawn = null,
    current = 0;

  async function load() {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const response = await fetch(`../curve/${encodeURIComponent(address)}`);
      if (response.ok) return response.json();
      const problem = (await response.text()).trim();
      if (response.status !== 503) throw new Error(problem);
      status.textContent = "The chances of another game are being computed. This one comes next.";
      await new Promise((done) => setTimeout(done, AGAIN_MS));
    }
    throw new Error("The server is busy.");
  }

  async function answerIt() {
    ask.disabled = true;
    status.textContent = "Playing on at random from each step…";
    try {
      drawn = draw(await load());
      ask.parentElement.hidden = true;
      answer.focus({ preventScroll: true });
      answer.scrollIntoView({ block: "nearest" });
      show(current);
    } catch (problem) {
      ask.disabled = false;
      status.textContent = `There is no curve: ${problem.message || "the server does not answer."}`;
    }
  }

  function draw({ unit, chances, errors, turning_point: turn, assumed }) {
    const inPlaces = unit === "places",
      last = chances.length - 1,
      most = chances.flatMap((row, step) => row.map((value, seat) => value + ERRORS * errors[step][seat])),
      least = chances.flatMap((row, step) => row.map((value, seat) => value - ERRORS * errors[step][seat])),
      low = inPlaces ? 0 : Math.min(...least),
      high = inPlaces ? 1 : Math.max(...most);
    const text = (value) => (inPlaces ? `${(100 * value).toFixed(1)}\u00a0%` : value.toFixed(2)),
      x = (step) => (WIDTH * step) / (last || 1),
      y = (value) => HEIGHT * (1 - (Math.min(Math.max(value, low), high) - low) / (high - low || 1)),
      points = (ends) => ends.map(([step, value]) => `${x(step).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
    const svg = svgPart("svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: "none",
      "aria-hidden": "true",
    });
    for (const share of [0, 0.25, 0.5, 0.75, 1])
      svg.append(svgPart("line", { class: "zero", x1: 0, x2: WIDTH, y1: HEIGHT * share, y2: HEIGHT * share }));
    names.forEach((_, seat) => {
      const upper = chances.map((row, step) => [step, row[seat] + ERRORS * errors[step][seat]]),
        lower = chances.map((row, step) => [step, row[seat] - ERRORS * errors[step][seat]]);
      svg.append(
        svgPart("polygon", { points: points([...upper, ...lower.reverse()]), style: `fill: var(--seat-${seat})` }),
      );
    });
    names.forEach((_, seat) => {
      svg.append(
        svgPart("polyline", { points: points(chances.map((row, step) => [step, row[seat]])), ...seatLine(seat) }),
      );
    });
    const now = svgPart("line", { class: "now-line", y1: 0, y2: HEIGHT });
    svg.append(now);
    const said = (step, seat) => {
      const error = ERRORS * errors[step][seat];
      return `${text(chances[step][seat])}${error ? ` ± ${text(error)}` : ""}`;
    };
    const links = chances.map((_, step) => {
      const link = make("a", "step-link"),
        all = names.map((name, seat) => `${name} ${said(step, seat)}`).join(", ");
      link.href = `#step=${step}`;
      link.title = `Step ${step}: ${all}${turn?.step === step ? ". The turning point" : ""}`;
      link.setAttribute("aria-label", link.title);
      const [start, end] = [Math.max(step - 0.5, 0), Math.min(step + 0.5, last)];
      link.style.left = `${(100 * start) / (last || 1)}%`;
      link.style.width = `${(100 * (end - start)) / (last || 1)}%`;
      link.addEventListener("click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        go(step);
      });
      return link;
    });
    const plot = make("div", "plot", svg, ...links);
    if (turn) {
      const mark = make("span", "turn-mark", "turning point");
      mark.style.left = `${(100 * turn.step) / last}%`;
      mark.classList.toggle("left", turn.step > last / 2);
      plot.append(mark);
    }
    const values = names.map(() => make("span", "value")),
      moment = make("span", "moment"),
      key = seatKey(names, (seat) => [values[seat]]);
    key.prepend(moment);
    const scale = make(
      "div",
      "scale",
      make("span", "", inPlaces ? "100 %" : text(high)),
      make("span", "", inPlaces ? "0 %" : text(low)),
    );
    scale.setAttribute("aria-hidden", "true");
    answer.replaceChildren(
      make("h2", "", inPlaces ? "The chance to win after each step" : "The points to expect after each step"),
      verdict(turn, text, inPlaces),
      make("div", "chart", scale, plot),
      key,
      make("p", "assumed", `${assumed} The band around a line is two standard errors.`),
    );
    return {
      show(step) {
        now.setAttribute("x1", x(step));
        now.setAttribute("x2", x(step));
        plot.style.setProperty("--played", `${(100 * step) / (last || 1)}%`);
        moment.textContent = step ? `After step ${step}:` : "At the beginning:";
        values.forEach((value, seat) => {
          value.textContent = said(step, seat);
        });
        const hides = document.body.classList.contains("no-spoilers");
        links.forEach((link, number) => {
          link.toggleAttribute("aria-current", number === step);
          link.hidden = hides && number > step;
        });
      },
    };
  }

  function verdict(turn, text, inPlaces) {
    if (!turn) return make("p", "verdict", "No turning point: no step changed it by clearly more than the error.");
    const link = make("a", "", `step ${turn.step}`),
      name = make("bdi", "", names[turn.seat]),
      story = frames.find((frame) => frame.step === turn.step)?.story ?? [];
    link.href = `#step=${turn.step}`;
    return make(
      "p",
      "verdict",
      make("strong", "", "Turning point: ", link, ". "),
      `${story.join(" ")} `,
      inPlaces ? "The chance of " : "What ",
      name,
      `${inPlaces ? "" : " can expect"} ${turn.after > turn.before ? "rises" : "falls"} from ${text(turn.before)} to ${text(turn.after)} (± ${text(ERRORS * turn.error)}).`,
    );
  }

  function show(index) {
    current = index;
    drawn?.show(frames[index].step);
  }

  ask.addEventListener("click", answerIt);
  box.hidden = false;
  return { show };
}
