"use strict";
// A game against bots: choose who plays, then choose cards of the table, or moves by their words. The server has the game.
(() => {
  const byId = (id) => document.getElementById(id),
    felt = document.querySelector(".felt"),
    moves = document.querySelector(".moves"),
    tip = document.querySelector(".tip"),
    [heading, story] = document.querySelector(".now").children,
    problem = byId("problem"),
    calm = matchMedia("(prefers-reduced-motion: reduce)").matches,
    PAUSE = 700,
    RETRY = 3000,
    KEPT = `league-table ${location.pathname}`;
  let table = null,
    drawer = null,
    position = null,
    picked = [];

  const say = (text) => {
    problem.hidden = !text;
    problem.textContent = text;
  };
  const rest = (time) => new Promise((done) => setTimeout(done, time));
  class Lost extends Error {}
  async function ask(path, body) {
    const how = body ? { method: "POST", body: JSON.stringify(body) } : {};
    const answer = await fetch(path, how).catch(() => {
      throw new Lost("Connection lost. Retrying…");
    });
    if (!answer.ok) throw new Error((await answer.text()).trim());
    return answer.json();
  }
  const guarded =
    (work) =>
    async (...values) => {
      say("");
      await work(...values).catch((error) => say(error.message));
    };
  const contest = byId("contest"),
    setUps = [...document.querySelectorAll("[data-contest]")],
    setUp = () => setUps.find((one) => one.dataset.contest === contest.value);
  function choose() {
    for (const one of setUps) one.hidden = one !== setUp();
  }

  async function begin() {
    const [seat, ...bots] = [...setUp().querySelectorAll("select")].map((select) => select.value);
    sit(await ask("tables", { contest: contest.value, bots, seat: Number(seat) }));
  }
  async function goOn(key) {
    try {
      sit(await ask(`tables/${encodeURIComponent(key)}/seats`));
    } catch (error) {
      stand();
      throw error;
    }
  }
  function stand() {
    table = null;
    kept((store) => store.removeItem(KEPT));
    history.replaceState(null, "", location.pathname + location.search);
    seat(false);
  }
  function seat(isSeated) {
    document.querySelector(".setup").hidden = isSeated;
    byId("stage").hidden = !isSeated;
    for (const one of document.querySelectorAll("[data-seated], #leave")) one.hidden = !isSeated;
    byId("after").hidden = true;
    byId("resume").hidden = true;
  }

  function sit(opened) {
    table = opened;
    kept((store) => store.setItem(KEPT, opened.key));
    history.replaceState(null, "", `#${opened.key}`);
    drawer = sceneDrawer(opened.names, felt, { own: opened.seat });
    drawer.show(opened.names.map((_, at) => at === opened.seat));
    document.querySelector("h1").textContent = opened.title;
    const [, title, rules] = byId("rules").children;
    title.textContent = opened.title;
    rules.innerHTML = opened.rules; // made by the server, which escapes
    seat(true);
    guarded(follow)(opened);
  }

  async function follow(opened) {
    // the page asks on while its person thinks: that keeps the table
    let seen = 0;
    while (table === opened) {
      try {
        const next = await ask(`tables/${opened.key}?after=${seen}`);
        say("");
        if (table !== opened) return;
        if (next.version !== seen) await happen(next);
        seen = next.version;
        if (next.over) return;
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
        say(error.message);
        await rest(RETRY);
      }
    }
  }

  async function happen(next) {
    position = next;
    picked = [];
    for (const scene of next.scenes) drawer.learn(scene);
    for (const scene of next.scenes.slice(0, -1)) {
      if (calm) break;
      heading.textContent = scene.title;
      drawer.draw(scene);
      drawer.fit();
      await rest(PAUSE);
    }
    story.replaceChildren(...next.told.map((line) => make("p", line.startsWith("Last ") ? "last" : "", line)));
    show();
    drawer.fit();
    if (next.over) end();
    else if (!document.activeElement || document.activeElement === document.body) firstChoice()?.focus();
  }
  const firstChoice = () => document.querySelector(".felt .choice, .moves button");

  const same = (a, b) => a.every((part, at) => part === b[at]);
  function show() {
    const scene = position.scenes.at(-1);
    if (!scene) return;
    const choices = {},
      fits = (one, cards) => cards.every((pick, at) => one.picks?.[at] && same(pick, one.picks[at])),
      chosen = position.choices.find((one) => one.picks?.length === picked.length && fits(one, picked)),
      before = chosen ? picked.slice(0, -1) : picked;
    const put = ([seat, zone, card], choice) => {
      choices[seat] ??= {};
      choices[seat][zone] ??= {};
      choices[seat][zone][card] ??= choice;
    };
    if (chosen) put(picked.at(-1), { words: chosen.words, pressed: true, choose: () => play(chosen.move) });
    for (const pick of picked)
      put(pick, { words: "Take this choice back", pressed: true, choose: () => pickUp(before.slice(0, -1)) });
    for (const one of position.choices.filter((other) => other.picks)) {
      const first = one.picks[0],
        next = fits(one, before) ? one.picks[before.length] : null,
        isLast = one.picks.length === before.length + 1,
        begins = one.words.replace(/ at \S+$/, "");
      if (next)
        put(next, {
          words: isLast ? one.words : begins,
          // a mouse shows what a card does before it is clicked; a finger has to ask first
          choose: (event) =>
            isLast && event.pointerType !== "touch" ? play(one.move) : pickUp([...before, next], isLast),
        });
      if (before.length && !same(first, before[0])) put(first, { words: begins, choose: () => pickUp([first]) });
    }
    const ended = position.banner ? position : null;
    drawer.draw(scene, { choices, ended });
    moves.replaceChildren(...position.choices.filter((one) => !one.picks).map(offer));
    const what = picked.length ? "place" : position.choices[0]?.picks ? "card" : "move";
    heading.textContent = position.choices.length
      ? chosen
        ? "Tap it again to play it"
        : `Your turn: choose a ${what}`
      : "The others choose…";
  }
  function pickUp(cards, whole) {
    picked = cards;
    show();
    if (!whole) firstChoice()?.focus();
  }
  function offer(one) {
    const button = make("button", "", one.words);
    button.type = "button";
    button.addEventListener("click", () => play(one.move));
    return button;
  }

  const play = guarded(async (move) => {
    const at = position;
    position = { ...at, choices: [] };
    tip.textContent = "";
    show();
    await ask(`tables/${table.key}/move`, { version: at.version, move });
  });

  function end() {
    kept((store) => store.removeItem(KEPT));
    say(position.problem);
    heading.textContent = position.banner || "The game is over.";
    document.querySelector(".now").classList.toggle("won", Boolean(position.banner));
    byId("watch").href = `tables/${table.key}/game#turn`;
    byId("watch").hidden = !position.banner;
    byId("leave").hidden = true;
    byId("after").hidden = false;
    byId(position.banner ? "watch" : "again").focus();
  }

  const change = () => {
    const [seat] = setUp().querySelectorAll("select");
    seat.selectedIndex = (seat.selectedIndex + 1) % seat.length;
    return begin();
  };
  const leave = () => ask(`tables/${table.key}/leave`, {});
  const resume = () => goOn(kept((store) => store.getItem(KEPT)));
  for (const [id, act] of Object.entries({ begin, again: begin, change, leave, resume, other: async () => stand() }))
    byId(id).addEventListener("click", guarded(act));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && picked.length) pickUp(picked.slice(0, -1));
  });
  for (const event of ["pointerover", "focusin", "click"])
    felt.addEventListener(
      event,
      ({ target }) => {
        tip.textContent = target.closest(".card")?.dataset.about ?? tip.textContent;
      },
      true, // before the card is played, which clears it
    );
  addEventListener("resize", () => drawer?.fit());
  contest.addEventListener("change", choose);
  choose();
  byId("resume").hidden = !kept((store) => store.getItem(KEPT));
  if (location.hash.length > 1) guarded(goOn)(location.hash.slice(1));
})();
