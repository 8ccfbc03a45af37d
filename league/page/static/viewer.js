"use strict";
(() => {
  const playing = JSON.parse(document.getElementById("playing").textContent),
    { names, frames, ranks, scores } = playing;
  const last = frames.length - 1;
  const query = (selector) => document.querySelector(selector);
  const felt = query(".felt"),
    slider = query(".controls input"),
    output = query("output"),
    pace = query(".pace select"),
    seenBy = query(".seen select");
  const log = query(".log ol"),
    playButton = query("[data-go=play]");
  const shown = names.map(() => true);
  let at = 0,
    timer = null;

  const SVG = "http://www.w3.org/2000/svg";
  const MARKS = { won: "won", lost: "lost", held: "on hold", gone: "out", new: "just played", chosen: "chosen" };
  const PLACES = ["1st", "2nd", "3rd"];

  function make(tag, className, ...children) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
    return element;
  }

  function icon(name) {
    const svg = document.createElementNS(SVG, "svg"),
      use = document.createElementNS(SVG, "use");
    use.setAttribute("href", `#i-${name}`);
    svg.setAttribute("aria-hidden", "true");
    svg.append(use);
    return svg;
  }

  const visible = (card) => !card.known || card.known.some((seat) => shown[seat]);

  function drawCard(card) {
    const element = make("div", "card");
    element.setAttribute("role", "listitem");
    if (card === null) {
      element.classList.add("empty");
      element.setAttribute("aria-label", "empty");
      return element;
    }
    const seat = visible(card) ? card.seat : (card.known[0] ?? card.seat); // the back of a card must not tell its face
    if (seat >= 0) element.style.setProperty("--seat", `var(--seat-${seat})`);
    else if (visible(card) && card.hue >= 0)
      element.style.setProperty("--seat", `light-dark(hsl(${card.hue} 55% 33%), hsl(${card.hue} 60% 70%))`);
    if (!visible(card)) {
      element.classList.add("face-down");
      element.setAttribute("aria-label", "face down");
      return element;
    }
    for (const mark of card.marks || []) element.classList.add(`is-${mark}`);
    const said = [card.caption, card.text, card.badge, ...(card.marks || []).map((mark) => MARKS[mark])];
    element.setAttribute("aria-label", said.filter(Boolean).join(", "));
    element.title = [card.caption, card.text].filter(Boolean).join(" ");
    if (card.text) element.append(make("span", "text", card.text));
    if (card.icon) element.append(icon(card.icon));
    if (card.caption) element.append(make("span", "caption", card.caption));
    if (card.badge) element.append(make("span", "badge", card.badge));
    return element;
  }

  function drawBoard(zone) {
    const board = make("div", "board");
    board.style.setProperty("--columns", zone.columns.length);
    zone.rows.forEach((row, y) => {
      board.append(make("span", "axis", row));
      zone.columns.forEach((_, x) => board.append(drawCard(zone.cards[y * zone.columns.length + x])));
    });
    board.append(make("span", "axis"), ...zone.columns.map((column) => make("span", "axis", column)));
    return board;
  }

  function drawZone(zone) {
    const look = zone.look || "row",
      cards = zone.cards || [];
    const count = look === "pile" ? ` (${cards.length})` : "";
    const box =
      look === "board"
        ? drawBoard(zone)
        : make("div", `cards ${look}`, ...(look === "pile" ? cards.slice(0, 1) : cards).map(drawCard));
    box.setAttribute("role", "list");
    box.setAttribute("aria-label", zone.label);
    return make(
      "div",
      `zone zone-${look}`,
      make("h4", "", zone.label + count),
      box,
      zone.note ? make("p", "note", zone.note) : null,
    );
  }

  function drawSeat(seat, index, scene) {
    const toggle = make("button", "toggle", shown[index] ? "Hide hand" : "Show hand");
    toggle.type = "button";
    toggle.setAttribute("aria-pressed", String(!shown[index]));
    toggle.dataset.seat = index;
    toggle.setAttribute("aria-label", `${toggle.textContent} of ${names[index]}`);
    toggle.addEventListener("click", () => reveal(index));
    const status =
      at === last
        ? make("span", `place place-${ranks[index]}`, PLACES[ranks[index]] || `${ranks[index] + 1}th`)
        : (scene.turn || []).includes(index)
          ? make("span", "turn", "to move")
          : null;
    const score = at === last ? String(scores[index]) : seat.score;
    const head = make(
      "header",
      "",
      make(
        "div",
        "who",
        make("h3", "", make("bdi", "", names[index])),
        status,
        seat.role ? make("span", "role", seat.role) : null,
      ),
      toggle,
      score ? make("span", "score", score) : null,
    );
    const facts = (seat.facts || []).flatMap(([name, value]) => [
      make("dt", "", name),
      make("dd", "", shown[index] ? value : "hidden"),
    ]);
    const box = make(
      "article",
      "seat",
      head,
      make("div", "zones", ...(seat.zones || []).map(drawZone)),
      facts.length ? make("dl", "", ...facts) : null,
    );
    box.style.setProperty("--seat", `var(--seat-${index})`);
    box.setAttribute("aria-label", names[index]);
    if ((scene.turn || []).includes(index) && at !== last) box.classList.add("to-move");
    return box;
  }

  const told = (frame) => (seenBy.value === "-1" ? frame.story : frame.seen?.[Number(seenBy.value)]) || [];

  function draw() {
    const frame = frames[at],
      scene = frame.scene;
    const focused = document.activeElement?.dataset?.seat;
    const seats = scene.seats.map((seat, index) => drawSeat(seat, index, scene));
    const table = make("div", "table", ...(scene.table || []).map(drawZone));
    felt.replaceChildren(...(scene.table?.length ? [table] : []), make("div", `seats seats-${seats.length}`, ...seats));
    if (focused !== undefined) felt.querySelector(`[data-seat="${focused}"]`)?.focus();
    query(".now h2").textContent = at === last ? playing.result : scene.title;
    query(".now").classList.toggle("won", at === last);
    query(".now div").replaceChildren(...told(frame).map((line) => make("p", "", line)));
    curve?.show(at);
    slider.value = at;
    slider.setAttribute("aria-valuetext", scene.title);
    output.textContent = `${at} / ${last}`;
    for (const item of log.children) item.toggleAttribute("aria-current", Number(item.dataset.frame) === at);
    const current = log.querySelector("[aria-current]");
    if (current) log.scrollTop = current.offsetTop - log.offsetTop - log.clientHeight / 3;
    try {
      history.replaceState(null, "", `#${at}`);
    } catch {
      /* some browsers allow it only so often */
    }
  }

  function go(to) {
    const step = Math.max(0, Math.min(last, to));
    if (step !== at) {
      at = step;
      draw();
    }
    if (at === last) pause();
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    tellPlaying();
  }

  function play() {
    if (at === last) go(0);
    clearInterval(timer);
    timer = setInterval(() => go(at + 1), Number(pace.value));
    tellPlaying();
  }

  function tellPlaying() {
    playButton.replaceChildren(icon(timer ? "pause" : "play"));
    playButton.setAttribute("aria-label", timer ? "Pause" : "Play");
  }

  function reveal(seat) {
    shown[seat] = !shown[seat];
    draw();
  }

  function look() {
    // show everything, or only what one seat knows: its own hand and its part of the story
    const seat = Number(seenBy.value);
    names.forEach((_, index) => {
      shown[index] = seat < 0 || index === seat;
    });
    tellStory();
    draw();
  }

  function tellStory() {
    log.replaceChildren();
    frames.forEach((frame, index) => {
      const lines = told(frame);
      if (!lines.length) return;
      const button = make("button", "", ...lines.map((line) => make("span", "", line)));
      button.type = "button";
      button.addEventListener("click", () => {
        pause();
        go(index);
      });
      const item = make("li", "", button);
      item.dataset.frame = index;
      log.append(item);
    });
  }

  const moves = {
    first: () => {
      pause();
      go(0);
    },
    back: () => {
      pause();
      go(at - 1);
    },
    next: () => {
      pause();
      go(at + 1);
    },
    last: () => {
      pause();
      go(last);
    },
    play: () => (timer ? pause() : play()),
  };
  const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", " ": "play" };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select")) return;
    const seat = Number(event.key) - 1;
    if (seat >= 0 && seat < names.length) reveal(seat);
    else if (!keys[event.key] || (event.key === " " && event.target.matches("button, a"))) return;
    else moves[keys[event.key]]();
    event.preventDefault();
  });
  for (const button of document.querySelectorAll("[data-go]"))
    button.addEventListener("click", moves[button.dataset.go]);
  slider.max = last;
  slider.addEventListener("input", () => {
    pause();
    go(Number(slider.value));
  });
  pace.addEventListener("change", () => {
    if (timer) play();
  });
  seenBy.addEventListener("change", look);
  tellStory();
  const curve = scoreCurve(query(".curve"), playing, (index) => {
    pause();
    go(index);
  });
  addEventListener("hashchange", () => go(Number(location.hash.slice(1)) || 0));
  at = Math.max(0, Math.min(last, Number(location.hash.slice(1)) || 0));
  draw();
})();
