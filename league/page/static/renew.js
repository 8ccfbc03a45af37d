"use strict";
// Renews the page while its league is being played. What is shown is in the address; where the reader was is kept here.
(() => {
  const STALE_MINUTES = 5;
  const keep = (key, value) => {
    try {
      sessionStorage.setItem(key, value);
    } catch {
      /* storage is not allowed */
    }
  };
  const take = (key) => {
    try {
      const value = sessionStorage.getItem(key);
      sessionStorage.removeItem(key);
      return value;
    } catch {
      return null;
    }
  };
  const number = (value) => value.toLocaleString("en");
  const spell = (seconds) =>
    seconds < 90
      ? `${Math.round(seconds)} s`
      : seconds < 5400
        ? `${Math.round(seconds / 60)} min`
        : `${(seconds / 3600).toFixed(1)} h`;
  const box = document.getElementById("progress"),
    state = box.querySelector(".state"),
    panel = document.getElementById("panel");
  const boxes = () => [...document.querySelectorAll(".scroll")];

  function reload() {
    keep(
      "league-place",
      JSON.stringify({
        y: scrollY,
        panel: panel.scrollTop,
        boxes: boxes().map((one) => [one.scrollLeft, one.scrollTop]),
      }),
    );
    history.scrollRestoration = "manual";
    location.reload();
  }
  function back() {
    // to where the reader was
    const was = JSON.parse(take("league-place") ?? "null");
    if (!was) return;
    scrollTo(0, was.y);
    panel.scrollTop = was.panel;
    boxes().forEach((one, at) => {
      if (was.boxes[at]) [one.scrollLeft, one.scrollTop] = was.boxes[at];
    });
  }

  function fromFile() {
    if (!league.written) return;
    if (Date.now() / 1000 - league.written < STALE_MINUTES * 60) {
      setTimeout(reload, league.refresh * 1000);
      return;
    }
    const when = new Date(league.written * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    state.textContent = `${state.textContent.replace("Being played", "Unfinished").replace(/ This page renews itself\.$/, "")} It was being played when this page was written, ${when}, and has not renewed it since.`;
  }

  function fromServer() {
    let page = null,
      before = null;
    new EventSource("events").onmessage = (event) => {
      const now = performance.now(),
        news = JSON.parse(event.data);
      if (page !== null && news.page !== page) reload();
      page = news.page;
      const bar = box.querySelector("progress"),
        done = news.played >= news.total;
      box.hidden = done && !news.running;
      bar.max = news.total;
      bar.value = news.played;
      before ??= { now, played: news.played };
      const rate = Math.round(((news.played - before.played) / (now - before.now)) * 1000) || 0;
      const speed = rate > 0 ? `, ${number(rate)} a second` : "",
        left = news.seconds_left === null ? "" : `, ${spell(news.seconds_left)} left`;
      state.textContent = `${news.running ? "Being played" : "Unfinished"}: ${number(news.played)} of ${number(news.total)} games${news.running ? speed + left : ""}.`;
    };
  }

  document.addEventListener("DOMContentLoaded", () => {
    back();
    history.scrollRestoration = "auto";
    if (document.documentElement.hasAttribute("data-served")) fromServer();
    else fromFile();
  });
})();
