"use strict";
// The chance to win of each seat over the game, asked for on demand: a line with its error for each seat, a link for
// each step, and a mark at the turning point. A page without a server has none.
function chanceCurve(box, { names, frames, curve: source }, go) {
  const ERRORS = 2;
  if (document.documentElement.dataset.served === undefined || !source) return null;
  const ask = box.querySelector("button"),
    status = box.querySelector("[role=status]"),
    answer = box.querySelector(".answer");
  let drawn = null,
    current = 0;

  async function answerIt() {
    ask.disabled = true;
    status.textContent = "Playing on at random from each step…";
    try {
      const response = await fetch(source).catch(() => Promise.reject(new Error("the connection is lost.")));
      if (!response.ok) throw new Error((await response.text()).trim());
      drawn = draw(await response.json());
      ask.parentElement.hidden = true;
      answer.focus({ preventScroll: true });
      answer.scrollIntoView({ block: "nearest" });
      show(current);
    } catch (problem) {
      ask.disabled = false;
      status.textContent = `There is no curve: ${problem.message}`;
    }
  }

  function draw({ unit, chances, errors, turning_point: turn, assumed }) {
    const inPlaces = unit === "places",
      last = chances.length - 1 || 1,
      wide = errors.map((row) => row.map((error) => ERRORS * error)),
      ends = [-1, 1].flatMap((sign) =>
        chances.flatMap((row, step) => row.map((one, at) => one + sign * wide[step][at])),
      ),
      [low, high] = inPlaces ? [0, 1] : [Math.min(...ends), Math.max(...ends)],
      across = [0, 0.25, 0.5, 0.75, 1].map((share) => low + share * (high - low)),
      text = (value) => (inPlaces ? `${(100 * value).toFixed(1)}\u00a0%` : value.toFixed(2)),
      curve = seatPlot(chances, [low, high], across, wide),
      { plot } = curve;
    const said = (step, seat) =>
      `${text(chances[step][seat])}${wide[step][seat] ? ` ± ${text(wide[step][seat])}` : ""}`;
    const links = chances.map((_, step) => {
      const link = make("a", "step-link"),
        all = names.map((name, seat) => `${name} ${said(step, seat)}`).join(", ");
      link.href = `#step=${step}`;
      link.title = `Step ${step}: ${all}${turn?.step === step ? ". The turning point" : ""}`;
      link.setAttribute("aria-label", link.title);
      link.style.left = curve.left(Math.max(step - 0.5, 0));
      link.style.right = `calc(100% - ${curve.left(Math.min(step + 0.5, last))})`;
      link.addEventListener("click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        go(step);
      });
      return link;
    });
    plot.append(...links);
    if (turn) {
      const mark = make("span", "turn-mark", "turning point");
      mark.style.left = curve.left(turn.step);
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
        curve.show(step);
        plot.style.setProperty("--played", curve.left(step));
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
  return { show, ask: answerIt };
}
