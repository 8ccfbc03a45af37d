"use strict";
// The lecture hall: slides in large type that go on by themselves, opened by #show, or #show/SLIDE for one of them.
// Games play in frames, by the page of each game, whose result stays hidden until it happens.
(() => {
  const { make, name } = league;
  const hall = document.getElementById("hall"),
    stage = hall.querySelector(".stage"),
    told = hall.querySelector(".told"),
    chooser = hall.querySelector("select"),
    playButton = hall.querySelector("[data-hall=play]"),
    own = document.title;
  const BOARD_SECONDS = 15,
    REVEAL_SECONDS = 6,
    END_SECONDS = 8,
    PATIENCE_SECONDS = 6,
    TOP = 8,
    NAMES = 12,
    CHIPS = 8,
    GAMES = 2;
  const ROUNDS = { 1: "Final", 2: "Semi-finals", 4: "Quarter-finals", 8: "Round of 16" };
  let slides = [],
    current = 0,
    step = 0,
    timer = null,
    paused = false,
    frame = null,
    full = false,
    leaving = false;

  // The slides: each has an address of its own, a title, and a function that draws it at a step.

  function headline(key) {
    // as the page has it: who is the best, with which chance
    const link = [...document.querySelectorAll(".firsts .contest")].find((one) => one.hash === `#${key}`);
    const names = link?.parentElement.querySelector(".names").cloneNode(true);
    names?.querySelector("small")?.remove();
    return names?.textContent.replace(/\s+/g, " ").replace(/ ,/g, ",").trim() ?? "";
  }
  function boardSlide(board) {
    const rows = board.rows.filter((row) => row.games).slice(0, TOP),
      best = headline(board.key);
    const line = (row) =>
      make(
        "tr",
        {},
        make("td", {}, league.range(row.place)),
        make("th", { scope: "row" }, make("bdi", {}, name(row.bot))),
        make("td", { class: "reach" }, ...league.intervalOf(row, board)),
        make("td", { class: "n" }, row.rating.toFixed(league.digits(board))),
        make("td", { class: "n" }, row.best === null ? "–" : league.chance(row.best)),
      );
    const heads = [
      ["Place", ""],
      ["Bot", ""],
      ["Interval", "reach"],
      ["Rating", "n"],
      ["Best", "n"],
    ];
    const draw = () => [
      best ? make("p", { class: "best" }, make("small", {}, "The best, with its chance: "), best) : null,
      make(
        "table",
        {},
        make("caption", { class: "visually-hidden" }, `The first ${rows.length}, ${board.title}`),
        make(
          "thead",
          {},
          make("tr", {}, ...heads.map(([text, kind]) => make("th", { scope: "col", class: kind }, text))),
        ),
        make("tbody", {}, ...rows.map(line)),
      ),
    ];
    return { id: board.key, title: board.title, about: `${league.count(board.games)} games`, draw };
  }

  function milestonesSlide() {
    const marks = Object.entries(league.milestones).flatMap(([bot, all]) => all.map((mark) => [Number(bot), ...mark]));
    const titles = [...new Set(marks.map(([, title]) => title))];
    if (!titles.length) return [];
    const reached = (title) => marks.filter(([, of, state]) => of === title && state === "reached").map(([bot]) => bot);
    const item = (title) => {
      const bots = reached(title),
        more = bots.length > NAMES ? ` and ${bots.length - NAMES} more` : "";
      const names = bots.length ? bots.slice(0, NAMES).map(name).join(", ") + more : "nobody yet";
      return make("li", {}, make("b", {}, `${title}: ${bots.length}`), make("span", {}, names));
    };
    const draw = () => [make("ul", { class: "reached" }, ...titles.map(item))];
    return [{ id: "milestones", title: "Milestones", about: "Reached: ahead of the bot that is the milestone", draw }];
  }

  const versus = (bots) => bots.map(name).join(bots.length === 2 ? " against " : ", ");
  function gameSlide(id, title, bots, href) {
    const draw = () => {
      frame = make("iframe", { src: `${href}#watch`, title: `${title}: ${versus(bots)}` });
      return [frame];
    };
    return { id, title: versus(bots), about: title, draw, game: true };
  }
  function gameSlides(board) {
    // close games and upsets, of the best bots first; why a game was chosen would tell how it ends
    const of = league.samples.filter((sample) => sample.contest === board.key && !sample.differs);
    const chosen = ["closest game", "upset"].flatMap((why) =>
      of.filter((sample) => sample.reasons.some(([, reason]) => reason === why)).slice(0, 1),
    );
    return [...new Set([...chosen, ...of])]
      .slice(0, GAMES)
      .map((sample, number) =>
        gameSlide(`${board.key}-game-${number + 1}`, `${board.title}: a game to watch`, sample.bots, sample.href),
      );
  }

  const addressOf = (key, [lineup, deal, rotation]) =>
    lineup.length ? `${key}:${lineup.map(name).join("+")}:${deal}.${rotation}` : "";
  function bracketSlides(board) {
    const bracket = league.brackets.find((one) => one.contest === board.key);
    if (!bracket) return [];
    const key = board.key,
      all = bracket.rounds.flat().length,
      [bots, , , , , , games] = bracket.rounds.at(-1)[0],
      href = games.length ? league.parts.gameHref(addressOf(key, games.at(-1))) : null;
    const slide = (id, first, last) => ({
      id: `${key}-${id}`,
      title: `${board.title}: the best ${bracket.seeds.length}`,
      about: `Told from games that were already played: the first ${league.bracket_deals} deals of each pair, in every seating. It decides nothing; the standings do.`,
      steps: last - first,
      draw: (revealed) => [bracketOf(bracket, first + revealed)],
      tell: (revealed) => storyOf(bracket, first + revealed),
    });
    if (!href || all === 1) return [slide("bracket", 0, all)];
    const final = gameSlide(`${key}-final`, `${board.title}: the last game of the final`, bots, href);
    return [slide("bracket", 0, all - 1), final, slide("champion", all - 1, all)];
  }

  const half = (number) => `${Math.floor(number) || (number % 1 ? "" : "0")}${number % 1 ? "½" : ""}`;
  function bracketOf(bracket, revealed) {
    let number = 0;
    const player = (pairing, side, known, over) => {
      const [bots, winner, how, score] = pairing,
        bot = bots[side],
        seed = bracket.seeds.indexOf(bot) + 1;
      const words = known ? [make("small", {}, `${seed}.`), " ", make("bdi", {}, name(bot))] : ["?"];
      const line = make("p", { class: over && winner === side ? "through" : over ? "out" : "" }, ...words);
      if (over && how !== "unmet") line.append(" ", make("b", {}, half(score[side])));
      return line;
    };
    const rounds = bracket.rounds.map((pairings, round) => {
      const before = number - (bracket.rounds[round - 1]?.length ?? 0);
      const boxes = pairings.map((pairing, index) => {
        number += 1;
        const over = number <= revealed;
        // winners keep their places: those of the upper pairing before come first
        const from = [before + 2 * index + 1, before + 2 * index + 2],
          feeders = round ? bracket.rounds[round - 1].slice(2 * index, 2 * index + 2) : [];
        const [bots, winner, , , , chance] = pairing;
        const upper = round ? (feeders[0][0][feeders[0][1]] === bots[0] ? 0 : 1) : 0;
        const known = (side) => !round || revealed >= from[side === upper ? 0 : 1];
        const upset =
          over && winner === 1
            ? make(
                "p",
                { class: "upset" },
                `Upset${chance === null ? "" : `: ${league.chance(chance)} for ${name(bots[0])}`}`,
              )
            : null;
        return make(
          "li",
          { class: number === revealed ? "now" : "" },
          player(pairing, upper, known(upper), over),
          player(pairing, 1 - upper, known(1 - upper), over),
          upset,
        );
      });
      return make("li", {}, make("h3", {}, ROUNDS[pairings.length]), make("ol", {}, ...boxes));
    });
    if (revealed === number) {
      const [bots, winner] = bracket.rounds.at(-1)[0];
      rounds.push(make("li", { class: "champion" }, make("h3", {}, "Winner"), make("p", {}, name(bots[winner]))));
    }
    return make("ol", { class: `bracket of-${bracket.seeds.length}` }, ...rounds);
  }
  function storyOf(bracket, revealed) {
    const pairing = bracket.rounds.flat()[revealed - 1];
    if (!pairing) return [make("p", {}, "Who goes on?")];
    const [bots, winner, how, score, deals, chance, games] = pairing,
      [first, second] = bots.map(name),
      wins = name(bots[winner]),
      result = `${half(score[winner])} to ${half(score[1 - winner])}`,
      extra = deals - league.bracket_deals;
    const after = extra > 0 ? `, after ${extra} more ${extra === 1 ? "deal" : "deals"}` : "";
    const said = {
      games: `${wins} goes on, ${result} in ${games.length} games${after}.`,
      points: `${wins} goes on, ${result} in points over ${games.length} games${after}.`,
      level: `Level after ${games.length} games: ${wins} goes on, being placed better.`,
      unmet: `${first} and ${second} never met at a table: ${wins} goes on, being placed better.`,
    }[how];
    const truth =
      chance === null
        ? "The league has too few games of them to tell who is better."
        : `By all games of the league, ${first} is better than ${second} with ${league.chance(chance)}.`;
    const buttons = games.slice(-CHIPS).map((game) => {
      const [lineup, deal, rotation, points] = game,
        others = lineup.filter((bot) => !bots.includes(bot)).map(name),
        table = others.length ? ` with ${others.join(" and ")}` : "",
        words = `${league.parts.gameWords(deal, rotation)}${table}, ${points.join(" : ")}`,
        address = addressOf(bracket.contest, game),
        href = address && league.parts.gameHref(address);
      if (!href) return make("span", { title: address }, words);
      const button = make("button", { type: "button", title: `Watch ${address}` }, words);
      button.addEventListener("click", () => watch(bots, href, deal, rotation));
      return button;
    });
    return [
      make("p", {}, winner === 1 ? make("b", {}, "An upset. ") : null, `${said} ${truth}`),
      make("p", { class: "games" }, games.length > CHIPS ? `The last ${CHIPS} games:` : null, ...buttons),
    ];
  }
  function watch(bots, href, deal, rotation) {
    // a game of a pairing, as a slide of its own after the bracket
    const slide = { ...gameSlide("", league.parts.gameWords(deal, rotation), bots, href), once: true };
    slides.splice(current + 1, 0, slide);
    go(current + 1);
  }

  function makeSlides() {
    const contests = league.boards.filter((board) => board.key !== "overall");
    const overall = league.boards.filter((board) => board.key === "overall" && board.rows.length);
    slides = [
      ...overall.map(boardSlide),
      ...milestonesSlide(),
      ...contests.flatMap((board) => [boardSlide(board), ...gameSlides(board), ...bracketSlides(board)]),
    ];
    chooser.replaceChildren(...slides.map((slide, number) => new Option(`${number + 1}. ${wordsOf(slide)}`, slide.id)));
  }
  const wordsOf = (slide) => (slide.game ? `${slide.about} (${slide.title})` : slide.title);

  // Going on

  function draw() {
    const slide = slides[current];
    frame = null;
    hall.querySelector("h2").textContent = slide.title;
    hall.querySelector(".about").textContent = slide.about;
    stage.replaceChildren(...slide.draw(step).filter(Boolean));
    stage.className = `stage ${slide.game ? "game" : ""}`;
    told.replaceChildren(...(slide.tell?.(step) ?? []));
    told.hidden = !slide.tell;
    document.title = `${wordsOf(slide)} · ${own}`;
    if (!slide.once) {
      chooser.value = slide.id;
      history.replaceState(history.state, "", `#show/${encodeURIComponent(slide.id)}`);
    }
    wait();
  }
  function wait(seconds) {
    clearTimeout(timer);
    const slide = slides[current];
    if (paused) return;
    if (seconds === undefined && slide.game) {
      const game = frame; // one that does not answer has no page here, or may not be watched
      timer = setTimeout(() => game === frame && missing(), 1000 * PATIENCE_SECONDS);
      return;
    }
    const usual = slide.steps === undefined ? BOARD_SECONDS : step < slide.steps ? REVEAL_SECONDS : BOARD_SECONDS;
    timer = setTimeout(forward, 1000 * (seconds ?? usual));
  }
  function missing() {
    stage.replaceChildren(make("p", { class: "none" }, "This game cannot be watched here."));
    frame = null;
    wait(END_SECONDS);
  }
  function go(to) {
    const left = slides[current];
    current = (to + slides.length) % slides.length;
    if (left?.once) {
      const slide = slides[current];
      slides = slides.filter((one) => !one.once);
      current = Math.max(0, slides.indexOf(slide));
    }
    step = 0;
    draw();
  }
  function forward() {
    if (step < (slides[current].steps ?? 0)) {
      step += 1;
      draw();
    } else go(current + 1);
  }
  function back() {
    if (!step) {
      go(current - 1);
      return;
    }
    step -= 1;
    draw();
  }
  function pause(now) {
    paused = now;
    playButton.textContent = paused ? "Play" : "Pause";
    told.setAttribute("aria-live", paused ? "polite" : "off");
    frame?.contentWindow?.postMessage(paused ? "pause" : "play", "*");
    if (paused) clearTimeout(timer);
    else if (frame) wait();
    else wait(2);
  }

  addEventListener("message", (event) => {
    if (!frame || event.source !== frame.contentWindow) return;
    const { hall: word, key } = event.data ?? {};
    if (word === "ready") {
      clearTimeout(timer);
      event.source.postMessage(paused ? "pause" : "play", "*");
    } else if (word === "ended") wait(END_SECONDS);
    else if (word === "key") press(key);
  });

  // In and out

  const inHall = () => /^#show(\/|$)/.test(location.hash);
  const others = () => [...document.body.children].filter((one) => one !== hall && one.tagName !== "SCRIPT");
  function enter() {
    if (!hall.hidden) return;
    if (!slides.length) makeSlides();
    if (!slides.length) return;
    const asked = decodeURIComponent(location.hash.slice("#show/".length));
    current = Math.max(
      0,
      slides.findIndex((slide) => slide.id === asked),
    );
    step = 0;
    hall.hidden = false;
    for (const other of others()) other.inert = true;
    document.body.classList.add("in-hall");
    paused = matchMedia("(prefers-reduced-motion: reduce)").matches;
    pause(paused);
    draw();
    if (document.readyState === "complete") hall.focus();
    else addEventListener("load", () => hall.focus());
  }
  function close() {
    if (hall.hidden) return;
    clearTimeout(timer);
    frame = null;
    stage.replaceChildren();
    hall.hidden = true;
    for (const other of others()) other.inert = false;
    document.body.classList.remove("in-hall");
    document.title = own;
    if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
  }
  const focusButton = () => document.querySelector("[data-hall=open]").focus();
  function leave() {
    const came = history.state?.hall;
    close();
    leaving = came;
    if (came) history.back();
    else {
      history.replaceState(null, "", league.addressOf({}));
      focusButton();
    }
  }
  function toggleFull() {
    if (document.fullscreenElement) document.exitFullscreen();
    else hall.requestFullscreen?.().catch(() => {}); // not allowed here: the window is as good
  }

  const acts = {
    open() {
      history.pushState({ hall: true }, "", "#show");
      enter();
      toggleFull();
    },
    back,
    next: forward,
    play: () => pause(!paused),
    full() {
      full = false;
      toggleFull();
    },
    leave,
  };
  const keys = {
    ArrowLeft: back,
    PageUp: back,
    ArrowRight: forward,
    PageDown: forward,
    Home: () => go(0),
    End: () => go(slides.length - 1),
    " ": acts.play,
    Escape: leave,
  };
  function press(key) {
    keys[key]?.();
  }
  document.addEventListener("keydown", (event) => {
    if (hall.hidden || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    if (event.key !== "Escape" && (event.target === chooser || (event.key === " " && event.target.matches("button"))))
      return;
    press(event.key);
    event.preventDefault();
  });
  document.addEventListener("click", (event) => {
    acts[event.target.closest("[data-hall]")?.dataset.hall]?.();
  });
  chooser.addEventListener("change", () => go(slides.findIndex((slide) => slide.id === chooser.value)));
  document.addEventListener("fullscreenchange", () => {
    // Esc ends the full screen before any script hears of it, and it leaves the hall too
    const left = full && !document.fullscreenElement && !hall.hidden;
    full = Boolean(document.fullscreenElement);
    if (left) leave();
  });
  function come() {
    if (inHall()) enter();
    else close();
  }
  addEventListener("popstate", () => {
    come();
    if (leaving) focusButton(); // only now: going back takes the focus away
    leaving = false;
  });
  addEventListener("hashchange", come);
  document.addEventListener("league-renewed", () => {
    if (hall.hidden) {
      slides = [];
      return;
    }
    for (const other of others()) other.inert = true;
    const { id, game } = slides[current];
    makeSlides();
    current = Math.max(
      0,
      slides.findIndex((slide) => slide.id === id),
    );
    if (!game) draw();
  });
  document.addEventListener("DOMContentLoaded", come);
})();
