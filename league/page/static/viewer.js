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
    seenBy = query(".seen select"),
    spoilers = query(".spoilers input");
  const log = query(".log ol"),
    playButton = query("[data-go=play]");
  const shown = names.map(() => true);
  const watching = location.hash === "#watch", // without controls, from the beginning, as a lecture hall shows it
    WATCHED = 45000,
    isAsked = location.hash === "#turn";
  let at = 0,
    timer = null;

  const drawer = sceneDrawer(names, felt, {
    href: (seat) => (playing.bots ? `${playing.bots}${encodeURIComponent(names[seat])}.html` : null),
  });
  const { icon } = drawer;
  drawer.show(shown);
  for (const { scene } of frames) drawer.learn(scene);

  const told = (frame) => (seenBy.value === "-1" ? frame.story : frame.seen?.[Number(seenBy.value)]) || [];

  function draw() {
    const frame = frames[at],
      scene = frame.scene;
    drawer.draw(scene, { ended: at === last ? { ranks, scores } : null, reveal });
    query(".now h2").textContent = at === last ? playing.result : scene.title;
    query(".now").classList.toggle("won", at === last);
    query(".now div").replaceChildren(...told(frame).map((line) => make("p", "", line)));
    curve?.show(at);
    chances?.show(at);
    slider.value = at;
    slider.setAttribute("aria-valuetext", scene.title);
    output.textContent = `${at} / ${last}`;
    for (const item of log.children) {
      item.toggleAttribute("aria-current", Number(item.dataset.frame) === at);
      item.hidden = spoilers.checked && Number(item.dataset.frame) > at;
    }
    document.body.style.setProperty("--played", `${(100 * at) / (last || 1)}%`);
    const current = log.querySelector("[aria-current]");
    if (current) log.scrollTop = current.offsetTop - log.offsetTop - log.clientHeight / 3;
    if (watching) return;
    try {
      history.replaceState(null, "", stepLink(at));
    } catch {
      /* some browsers allow it only so often */
    }
  }

  // #step=7 is the first scene of step 7; a further scene of it is #step=7.1
  const firstOf = (step) =>
    Math.max(
      0,
      frames.findIndex((frame) => frame.step >= step),
    );
  function stepLink(index) {
    const further = index - firstOf(frames[index].step);
    return `#step=${frames[index].step}${further ? `.${further}` : ""}`;
  }

  function linked() {
    const [, step, further] = /^#step=(\d+)(?:\.(\d+))?$/.exec(location.hash) ?? [];
    return step === undefined ? 0 : Math.min(last, firstOf(Number(step)) + Number(further ?? 0));
  }

  function go(to) {
    const step = Math.max(0, Math.min(last, to));
    if (step !== at) {
      at = step;
      draw();
    }
    if (at === last) {
      pause();
      tellHall({ hall: "ended" });
    }
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    tellPlaying();
  }

  function play() {
    if (at === last) go(0);
    clearInterval(timer);
    timer = setInterval(
      () => go(at + 1),
      watching ? Math.max(500, Math.min(1500, WATCHED / last)) : Number(pace.value),
    );
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
      button.addEventListener("click", () => visit(index));
      const item = make("li", "", button);
      item.dataset.frame = index;
      log.append(item);
    });
  }

  function visit(index) {
    pause();
    go(index);
  }

  const moves = {
    first: () => visit(0),
    back: () => visit(at - 1),
    next: () => visit(at + 1),
    last: () => visit(last),
    play: () => (timer ? pause() : play()),
  };
  const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", " ": "play" };

  const tellHall = (word) => {
    if (watching && parent !== window) parent.postMessage(word, "*");
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select")) return;
    if (watching && parent !== window) {
      tellHall({ hall: "key", key: event.key });
      return;
    }
    const seat = Number(event.key) - 1;
    if (seat >= 0 && seat < names.length) reveal(seat);
    else if (!keys[event.key] || (event.key === " " && event.target.matches("button, a"))) return;
    else moves[keys[event.key]]();
    event.preventDefault();
  });
  for (const button of document.querySelectorAll("[data-go]"))
    button.addEventListener("click", moves[button.dataset.go]);
  slider.max = last;
  slider.addEventListener("input", () => visit(Number(slider.value)));
  pace.addEventListener("change", () => {
    if (timer) play();
  });
  seenBy.addEventListener("change", look);
  function hideTheEnd() {
    // what is not played yet is in no story, on no curve and in no notice
    document.body.classList.toggle("no-spoilers", spoilers.checked);
    kept((store) => store.setItem("league-spoilers", spoilers.checked ? "hidden" : "shown"));
    draw();
  }
  spoilers.checked = watching || kept((store) => store.getItem("league-spoilers")) === "hidden";
  document.body.classList.toggle("no-spoilers", spoilers.checked);
  spoilers.addEventListener("change", hideTheEnd);
  tellStory();
  const curve = scoreCurve(query(".curve"), playing, visit);
  const chances = chanceCurve(query(".chances"), playing, (step) => visit(firstOf(step)));
  const fit = () => drawer.fit(query(".ask").offsetHeight);
  addEventListener("hashchange", () => go(linked()));
  at = linked();
  function watch() {
    document.documentElement.classList.add("watching");
    play();
    addEventListener("message", (event) => {
      if (event.source !== parent) return;
      if (event.data === "play" && at < last) play();
      if (event.data === "pause") pause();
    });
    tellHall({ hall: "ready" });
  }
  draw();
  if (watching) watch();
  if (isAsked) chances?.ask();
  fit();
  addEventListener("resize", fit);
})();
