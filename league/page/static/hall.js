"use strict";
// The lecture hall: the boards and games of the page in large type, one after the other, opened by #show.
(() => {
  const hall = document.getElementById("hall"),
    BOARD_SECONDS = 15,
    END_SECONDS = 8,
    GAME_SECONDS = 75,
    GAMES = 2;
  if (!hall) return;
  const stage = hall.querySelector(".stage"),
    told = hall.querySelector("output"),
    playButton = hall.querySelector("[data-hall=play]");
  let current = 0,
    timer = null,
    paused = false,
    frame = null;

  // Of each board its table, then some of its games.
  const slides = () =>
    [...document.querySelectorAll(".board")].flatMap((board) => [
      board,
      ...[...document.querySelectorAll(`.watch li[data-contest="${CSS.escape(board.id)}"] a`)].slice(0, GAMES),
    ]);
  function draw() {
    const all = slides();
    current = (current + all.length) % all.length;
    const slide = all[current];
    clearTimeout(timer);
    frame = null;
    if (slide.tagName === "A") {
      frame = document.createElement("iframe");
      frame.src = `${slide.getAttribute("href")}#watch`;
      frame.title = slide.textContent;
      const title = document.createElement("h2");
      title.textContent = slide.textContent;
      stage.replaceChildren(title, frame);
    } else {
      const first = document.querySelector(`.firsts a.contest[href="#${CSS.escape(slide.id)}"]`)?.parentElement;
      const parts = [slide.querySelector("h2"), ...(first?.children ?? []), slide.querySelector(".ranking")];
      stage.replaceChildren(...parts.filter(Boolean).map((part) => part.cloneNode(true)));
      for (const one of stage.querySelectorAll("[id]")) one.removeAttribute("id");
    }
    told.textContent = `${current + 1} of ${all.length}`;
    wait(frame ? GAME_SECONDS : BOARD_SECONDS); // a game says earlier that it has ended
  }
  function wait(seconds) {
    clearTimeout(timer);
    if (!paused) timer = setTimeout(() => go(1), 1000 * seconds);
  }
  function go(by) {
    current += by;
    draw();
  }
  function pause(now) {
    paused = now;
    playButton.textContent = paused ? "Play" : "Pause";
    clearTimeout(timer);
    frame?.contentWindow?.postMessage(paused ? "pause" : "play", "*");
    if (!paused && !frame) wait(2);
  }
  addEventListener("message", (event) => {
    if (!frame || event.source !== frame.contentWindow) return;
    const { hall: word, key } = event.data ?? {};
    if (word === "ready" && paused) event.source.postMessage("pause", "*");
    else if (word === "ended") wait(END_SECONDS);
    else if (word === "key") keys[key]?.();
  });

  const others = () => [...document.body.children].filter((one) => one !== hall && one.tagName !== "SCRIPT");
  function come() {
    const isOpen = location.hash === "#show" && slides().length > 0;
    if (isOpen === !hall.hidden) return;
    hall.hidden = !isOpen;
    document.body.classList.toggle("in-hall", isOpen);
    for (const other of others()) other.inert = isOpen;
    clearTimeout(timer);
    frame = null;
    stage.replaceChildren();
    if (!isOpen) {
      if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
      document.querySelector("[data-hall=open]").focus();
      return;
    }
    current = 0;
    pause(matchMedia("(prefers-reduced-motion: reduce)").matches);
    draw();
    hall.focus();
  }
  const leave = () => {
    history.replaceState(null, "", location.pathname);
    come();
    dispatchEvent(new Event("popstate"));
  };
  const acts = { back: () => go(-1), next: () => go(1), play: () => pause(!paused), leave };
  const keys = { ArrowLeft: acts.back, PageUp: acts.back, ArrowRight: acts.next, PageDown: acts.next, " ": acts.play };
  keys.Escape = leave;
  document.addEventListener("keydown", (event) => {
    if (hall.hidden || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    if (event.key === " " && event.target.matches("button")) return;
    keys[event.key]();
    event.preventDefault();
  });
  document.addEventListener("click", (event) => {
    const act = event.target.closest("[data-hall]")?.dataset.hall;
    if (act === "open") document.documentElement.requestFullscreen?.().catch(() => {}); // the window is as good
    acts[act]?.();
  });
  for (const event of ["hashchange", "popstate"]) addEventListener(event, come);
  document.addEventListener("league-renewed", () => {
    if (hall.hidden) return;
    for (const other of others()) other.inert = true;
    if (!frame) draw();
  });
  come();
})();
