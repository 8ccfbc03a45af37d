"use strict";
function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

// Draws scenes of one game. Every zone that the game ever has keeps its place, as large as it gets, so that nothing
// moves from step to step; the cards are as large as lets all of it fit into the window.
function sceneDrawer(names, felt, { href = () => null, own = -1 } = {}) {
  const SVG = "http://www.w3.org/2000/svg",
    LARGEST = 3,
    SMALLEST = 0.4,
    STEP = 0.02;
  const MARKS = { won: "won", lost: "lost", held: "on hold", gone: "out", new: "just played", chosen: "chosen" };
  const PLACES = ["1st", "2nd", "3rd"];
  const plans = { table: [], seats: names.map(() => []) };
  let shown = names.map(() => true);

  function icon(name) {
    const svg = document.createElementNS(SVG, "svg"),
      use = document.createElementNS(SVG, "use");
    use.setAttribute("href", `#i-${name}`);
    svg.setAttribute("aria-hidden", "true");
    svg.append(use);
    return svg;
  }

  function plan(zones, planned) {
    // add zones to those that are planned, each after the one before it, as large as it ever gets
    let after = -1;
    for (const zone of zones) {
      let at = planned.findIndex((one) => one.label === zone.label);
      if (at < 0) {
        at = after + 1;
        planned.splice(at, 0, { label: zone.label, look: zone.look || "row", most: 0, note: false });
      }
      planned[at].most = Math.max(planned[at].most, (zone.cards || []).length);
      planned[at].note ||= Boolean(zone.note);
      after = Math.max(after, at);
    }
  }
  const learn = (scene) => {
    plan(scene.table || [], plans.table);
    scene.seats.forEach((seat, index) => {
      plan(seat.zones || [], plans.seats[index]);
    });
  };

  const visible = (card) => !card.known || card.known.some((seat) => shown[seat]);

  function drawCard(card, choice) {
    const element = make(choice ? "button" : "div", "card");
    if (choice) {
      element.type = "button";
      element.classList.add("choice");
      if (choice.pressed !== undefined) element.setAttribute("aria-pressed", String(choice.pressed));
      element.addEventListener("click", choice.choose);
    }
    const said = (words) => {
      element.setAttribute("aria-label", choice ? choice.words : words);
      if (!choice) element.setAttribute("role", "img");
    };
    if (card === null) {
      element.classList.add("empty");
      said("empty");
      return element;
    }
    const seat = visible(card) ? (card.seat ?? -1) : (card.known[0] ?? card.seat ?? -1); // a back must not tell the face
    if (seat >= 0) element.style.setProperty("--seat", `var(--seat-${seat})`);
    else if (visible(card) && card.hue >= 0)
      element.style.setProperty("--seat", `light-dark(hsl(${card.hue} 55% 33%), hsl(${card.hue} 60% 70%))`);
    if (!visible(card)) {
      element.classList.add("face-down");
      said("face down");
      return element;
    }
    for (const mark of card.marks || []) element.classList.add(`is-${mark}`);
    said(
      [card.caption, card.text, card.badge, ...(card.marks || []).map((mark) => MARKS[mark])]
        .filter(Boolean)
        .join(", "),
    );
    element.title = [[card.caption, card.text].filter(Boolean).join(" "), card.about].filter(Boolean).join(": ");
    if (card.about) element.dataset.about = element.title;
    element.style.setProperty("--letters", (card.caption ?? "").length || 1);
    element.style.setProperty("--digits", (card.text ?? "").length || 1);
    if (card.text) element.append(make("span", card.text.length > 4 ? "text long" : "text", card.text));
    if (card.icon) element.append(icon(card.icon));
    if (card.caption) element.append(" ", make("span", "caption", card.caption));
    if (card.badge) element.append(" ", make("span", "badge", card.badge));
    if (choice) nameWithText(element, choice.words);
    return element;
  }

  function nameWithText(button, words) {
    // who speaks to the computer says what stands on the card
    const text = [...button.children].map((part) => part.textContent).filter(Boolean);
    const missing = text.filter((part) => !words.toLowerCase().includes(part.toLowerCase()));
    button.setAttribute("aria-label", text.length > 1 || missing.length ? `${words} (${text.join(" ")})` : words);
  }

  const listed = (element) => {
    const item = make("div", "item", element);
    item.setAttribute("role", "listitem");
    return item;
  };
  const ghost = () => {
    const item = make("div", "item", make("div", "card ghost"));
    item.setAttribute("aria-hidden", "true");
    return item;
  };

  function drawBoard(zone, choices) {
    const board = make("div", "board");
    board.style.setProperty("--columns", zone.columns.length);
    zone.rows.forEach((row, y) => {
      board.append(make("span", "axis", row));
      zone.columns.forEach((_, x) => {
        const at = y * zone.columns.length + x;
        board.append(listed(drawCard(zone.cards[at], choices?.[at])));
      });
    });
    board.append(make("span", "axis"), ...zone.columns.map((column) => make("span", "axis", column)));
    for (const axis of board.querySelectorAll(".axis")) axis.setAttribute("aria-hidden", "true");
    return board;
  }

  function drawZone(planned, zone, choices) {
    const look = zone?.look || planned.look,
      cards = zone?.cards || [];
    const count = look === "pile" ? ` (${cards.length})` : "";
    const padding =
      look === "pile" ? (cards.length ? 0 : 1) : look === "board" || own >= 0 ? 0 : planned.most - cards.length;
    const box =
      zone && look === "board"
        ? drawBoard(zone, choices)
        : make(
            "div",
            `cards ${look}`,
            ...(look === "pile" ? cards.slice(0, 1) : cards).map((card, at) => listed(drawCard(card, choices?.[at]))),
            ...Array.from({ length: Math.max(0, padding) }, ghost),
          );
    if (cards.length) {
      box.setAttribute("role", "list");
      box.setAttribute("aria-label", planned.label);
    }
    const drawn = make(
      "div",
      `zone zone-${look}`,
      make("p", "label", planned.label + count),
      box,
      planned.note ? make("p", "note", zone?.note || "\u00a0") : null,
    );
    drawn.classList.toggle("nothing", !cards.length);
    planned.hand ||= Boolean(choices) && look !== "board";
    drawn.classList.toggle("hand", Boolean(planned.hand));
    return drawn;
  }

  const drawZones = (planned, zones, choices) =>
    planned.map((one) => {
      const at = zones.findIndex((zone) => zone.label === one.label);
      return drawZone(one, zones[at], choices?.[at]);
    });

  function drawSeat(seat, index, scene, { ended, reveal, choices }) {
    const toggle = reveal ? make("button", "toggle", shown[index] ? "Hide hand" : "Show hand") : null;
    if (toggle) {
      toggle.type = "button";
      toggle.setAttribute("aria-pressed", String(!shown[index]));
      toggle.dataset.seat = index;
      toggle.setAttribute("aria-label", `${toggle.textContent} of ${names[index]}`);
      toggle.addEventListener("click", () => reveal(index));
    }
    const turn = (scene.turn || []).includes(index) && !ended,
      rank = ended?.ranks[index];
    const status = ended
      ? make("span", `place place-${rank}`, PLACES[rank] || `${rank + 1}th`)
      : turn
        ? make("span", "turn", "to move")
        : null;
    const score = ended ? String(ended.scores[index]) : seat.score;
    const name = make("bdi", "", names[index]),
      to = href(index);
    if (to) {
      const link = make("a", "", names[index]);
      link.href = to;
      name.replaceChildren(link);
    }
    const head = make(
      "header",
      "",
      make("div", "who", make("h3", "", name), status, seat.role ? make("span", "role", seat.role) : null),
      toggle,
      score ? make("span", "score", score) : null,
    );
    const box = make(
      "article",
      "seat",
      head,
      make("div", "zones", ...drawZones(plans.seats[index], seat.zones || [], choices?.[index])),
    );
    box.style.setProperty("--seat", `var(--seat-${index})`);
    box.setAttribute("aria-label", names[index]);
    box.classList.toggle("to-move", turn);
    box.classList.toggle("own", index === own);
    return box;
  }

  function drawPlayer(seat, index, { ended }) {
    const score = make("b", "", ended ? String(ended.scores[index]) : seat.score),
      player = make("span", "player", make("bdi", "", names[index]), score);
    player.style.setProperty("--seat", `var(--seat-${index})`);
    return player;
  }

  function draw(scene, how = {}) {
    const focused = document.activeElement?.dataset?.seat;
    const seats = scene.seats.map((seat, index) => drawSeat(seat, index, scene, how));
    const table = make("div", "table", ...drawZones(plans.table, scene.table || [], how.choices?.[-1]));
    felt.replaceChildren(...(plans.table.length ? [table] : []), make("div", `seats seats-${seats.length}`, ...seats));
    const players = scene.seats.map((seat, index) => drawPlayer(seat, index, how));
    document.querySelector(".versus").replaceChildren(...players);
    if (focused !== undefined) felt.querySelector(`[data-seat="${focused}"]`)?.focus();
  }

  function fit(below = 0) {
    // the largest cards with which the table, and so many pixels below it, end above the lower edge of the window
    const top = felt.getBoundingClientRect().top + scrollY,
      room = innerHeight - top - below - 8;
    let [fits, tooLarge] = [SMALLEST, LARGEST];
    const tryOut = (scale) => {
      felt.style.setProperty("--fit", scale.toFixed(2));
      return felt.scrollHeight <= room && felt.scrollWidth <= felt.clientWidth + 1;
    };
    while (tooLarge - fits > STEP) {
      const middle = (fits + tooLarge) / 2;
      if (tryOut(middle)) fits = middle;
      else tooLarge = middle;
    }
    tryOut(fits);
    felt.classList.toggle("tiny", fits < 0.75);
  }

  return {
    icon,
    learn,
    draw,
    fit,
    show(seats) {
      shown = seats;
    },
  };
}
