"use strict";
// A game against bots: choose who plays, then choose cards of the table, or moves by their words. The server has the game.
(() => {
  const data = JSON.parse(document.getElementById("playing").textContent),
    byId = (id) => document.getElementById(id),
    felt = document.querySelector(".felt"),
    menu = document.querySelector(".menu"),
    now = document.querySelector(".now"),
    problem = byId("problem"),
    PAUSE = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 500,
    MANY = 20;
  let table = null,
    drawer = null,
    position = null,
    picked = [];

  const say = (text) => {
    problem.hidden = !text;
    problem.textContent = text;
  };
  async function ask(path, body) {
    const how = body ? { method: "POST", body: JSON.stringify(body) } : {};
    let answer;
    try {
      answer = await fetch(path, how);
    } catch {
      throw new Error("The server does not answer: it was stopped.");
    }
    if (!answer.ok) throw new Error((await answer.text()).trim());
    return answer.json();
  }
  const guarded =
    (work) =>
    async (...values) => {
      say("");
      try {
        await work(...values);
      } catch (error) {
        say(error.message);
      }
    };

  function options(select, values) {
    select.replaceChildren(...values.map(([value, text]) => new Option(text, value)));
  }
  const contest = () => data.contests.find((one) => one.key === byId("contest").value) ?? data.contests[0];
  function setUp() {
    const { players, bots } = contest();
    options(
      byId("seat"),
      Array.from({ length: players }, (_, seat) => [seat + 1, `seat ${seat + 1}`]),
    );
    byId("opponents").replaceChildren(
      ...Array.from({ length: players - 1 }, (_, at) => {
        const select = make("select");
        options(
          select,
          bots.map((bot) => [bot, bot]),
        );
        const wanted = data.preset?.bots[at] ?? (at === 0 ? data.asked.bot : "");
        if (bots.includes(wanted)) select.value = wanted;
        return make("label", "", players > 2 ? `Opponent ${at + 1} ` : "Opponent ", select);
      }),
    );
    if (data.preset) byId("seat").value = String(data.preset.seat);
  }

  async function begin() {
    const bots = [...byId("opponents").querySelectorAll("select")].map((select) => select.value);
    sit(await ask("tables", { contest: contest().key, bots, seat: Number(byId("seat").value) }));
    await follow(await ask(`tables/${table.key}?after=0`));
  }
  async function goOn(key) {
    // a table that the address names: the page was loaded again
    try {
      sit(await ask(`tables/${encodeURIComponent(key)}/seats`));
    } catch (error) {
      history.replaceState(null, "", location.pathname + location.search);
      throw error;
    }
    await follow(await ask(`tables/${table.key}?after=0`));
  }

  function sit(opened) {
    table = opened;
    history.replaceState(null, "", `#${opened.key}`);
    drawer = sceneDrawer(opened.names, felt);
    drawer.show(opened.names.map((_, seat) => seat === opened.seat));
    document.querySelector(".setup").hidden = true;
    byId("stage").hidden = false;
    for (const id of ["watch", "again"]) byId(id).hidden = true;
    byId("leave").hidden = false;
    document.querySelector("h1").textContent = opened.title;
    position = null;
  }

  async function follow(next) {
    // show what happened, then wait until it is our turn
    while (!next.over && (next.version === 0 || next.version === position?.version))
      next = await ask(`tables/${table.key}?after=${next.version}`);
    position = next;
    picked = [];
    menu.replaceChildren();
    for (const [at, scene] of next.scenes.entries()) {
      drawer.learn(scene);
      now.querySelector("h2").textContent = scene.title;
      if (at < next.scenes.length - 1) {
        drawer.draw(scene);
        drawer.fit();
        if (PAUSE) await new Promise((done) => setTimeout(done, PAUSE));
      }
    }
    tell(next.told);
    show();
    drawer.fit();
    if (next.over) end();
    else if (!document.activeElement || document.activeElement === document.body) firstChoice()?.focus();
  }
  const firstChoice = () => document.querySelector(".felt .choice, .menu button");

  function tell(lines) {
    now.querySelector("div").replaceChildren(...lines.map((line) => make("p", "", line)));
  }

  const same = (a, b) => a.every((part, at) => part === b[at]);
  function show() {
    const scene = position.scenes.at(-1);
    if (!scene) return;
    const choices = {},
      left = position.choices.filter((one) => picked.every((pick, at) => one.picks?.[at] && same(pick, one.picks[at])));
    const put = ([seat, zone, card], choice) => {
      choices[seat] ??= {};
      choices[seat][zone] ??= {};
      choices[seat][zone][card] ??= choice;
    };
    for (const pick of picked)
      put(pick, { words: "Take this choice back", pressed: true, choose: () => pickUp(picked.slice(0, -1)) });
    for (const one of position.choices.filter((other) => other.picks)) {
      const first = one.picks[0],
        next = left.includes(one) ? one.picks[picked.length] : null;
      if (next)
        put(next, {
          words: one.picks.length > picked.length + 1 ? one.words.replace(/ at \S+$/, "") : one.words,
          choose: () => (one.picks.length > picked.length + 1 ? pickUp([...picked, next]) : play(one.move)),
        });
      if (picked.length && !same(first, picked[0]))
        put(first, { words: one.words.replace(/ at \S+$/, ""), choose: () => pickUp([first]) });
    }
    drawer.draw(scene, { choices });
    const unpicked = position.choices.filter((one) => !one.picks);
    offer(unpicked);
  }
  function pickUp(cards) {
    picked = cards;
    show();
    firstChoice()?.focus();
  }
  function offer(moves) {
    // by their words; of many moves, first how they begin
    const groups = Map.groupBy ? Map.groupBy(moves, (one) => one.words.replace(/ \S+$/, "")) : new Map([["", moves]]);
    const button = (text, choose) => {
      const element = make("button", "", text);
      element.type = "button";
      element.addEventListener("click", choose);
      return element;
    };
    if (moves.length > MANY && groups.size > 1 && groups.size <= moves.length / 2)
      menu.replaceChildren(
        ...[...groups].map(([start, some]) =>
          button(`${start} …`, () => {
            menu.replaceChildren(
              button("Back", () => offer(moves)),
              ...some.map((one) => button(one.words, () => play(one.move))),
            );
            menu.querySelector("button + button").focus();
          }),
        ),
      );
    else menu.replaceChildren(...moves.map((one) => button(one.words, () => play(one.move))));
  }

  const play = guarded(async (move) => {
    const at = position;
    position = { ...at, choices: [] };
    show();
    await follow(await ask(`tables/${table.key}/move`, { version: at.version, move }));
  });

  function end() {
    if (position.problem) say(position.problem);
    else {
      byId("watch").href = `tables/${table.key}/game`;
      byId("watch").hidden = false;
      now.querySelector("h2").textContent = "The game is over.";
    }
    byId("leave").hidden = true;
    byId("again").hidden = false;
    (position.problem ? byId("again") : byId("watch")).focus();
  }

  byId("begin").addEventListener("click", guarded(begin));
  byId("again").addEventListener("click", guarded(begin));
  byId("leave").addEventListener(
    "click",
    guarded(async () => {
      await ask(`tables/${table.key}/leave`, {});
      await follow(await ask(`tables/${table.key}?after=${position.version}`));
    }),
  );
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && picked.length) pickUp(picked.slice(0, -1));
  });
  addEventListener("resize", () => drawer?.fit());
  options(
    byId("contest"),
    data.contests.map((one) => [one.key, one.title]),
  );
  const asked =
    data.contests.find((one) => one.key === data.asked.contest) ??
    data.contests.find((one) => one.bots.includes(data.asked.bot));
  if (asked) byId("contest").value = asked.key;
  byId("contest").addEventListener("change", setUp);
  setUp();
  if (location.hash.length > 1) guarded(goOn)(location.hash.slice(1));
})();
