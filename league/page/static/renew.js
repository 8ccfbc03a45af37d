"use strict";
// Renews the page while its league is being played. From a server, new results replace what is shown in place; one tab
// listens for all tabs of a league, as browsers allow few connections. From a file, the page is loaded again.
(() => {
  const STALE_MINUTES = 5,
    QUIET_SECONDS = 15,
    LOST_SECONDS = 3;
  const KEPT = "[data-table], [data-matrix], .tools, #progress, #panel, #hall, #lost, .subset, script";
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
  const spell = (seconds) =>
    seconds < 90
      ? `${Math.round(seconds)} s`
      : seconds < 5400
        ? `${Math.round(seconds / 60)} min`
        : `${(seconds / 3600).toFixed(1)} h`;
  const { count } = league;
  const box = document.getElementById("progress"),
    state = box.querySelector(".state"),
    panel = document.getElementById("panel");
  const boxes = () => [...document.querySelectorAll(".scroll")];
  const place = () => ({ panel: panel.scrollTop, boxes: boxes().map((box) => [box.scrollLeft, box.scrollTop]) });
  function returnTo(was) {
    panel.scrollTop = was.panel;
    boxes().forEach((box, number) => {
      if (was.boxes[number]) [box.scrollLeft, box.scrollTop] = was.boxes[number];
    });
  }

  function reload() {
    keep("league-place", JSON.stringify({ y: scrollY, ...place() }));
    history.scrollRestoration = "manual";
    location.reload();
  }
  function back() {
    // to where the reader was
    const was = JSON.parse(take("league-place") ?? "null");
    if (!was) return;
    scrollTo(0, was.y);
    returnTo(was);
  }

  function fromFile() {
    if (!league.written) return;
    if (Date.now() / 1000 - league.written < STALE_MINUTES * 60) {
      const later = () =>
        setTimeout(
          () => (document.activeElement?.matches("input") || document.fullscreenElement ? later() : reload()),
          league.refresh * 1000,
        );
      later(); // nobody is interrupted who types, or shows it to many
      return;
    }
    const when = new Date(league.written * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    state.textContent = `${state.textContent.replace("Being played", "Unfinished").replace(/ This page renews itself\.$/, "")} It was being played when this page was written, ${when}, and has not renewed it since.`;
  }

  function replaced(old, fresh) {
    // whether the parts of the page that are not drawn by scripts could be replaced
    if (old.matches(KEPT)) return true;
    if (!old.querySelector(KEPT) && !fresh.querySelector(KEPT)) {
      if (old.outerHTML !== fresh.outerHTML) {
        const open = new Set([...old.querySelectorAll("details[open] > summary")].map((one) => one.textContent));
        for (const one of fresh.querySelectorAll("summary")) one.parentElement.open = open.has(one.textContent);
        old.replaceWith(fresh);
      }
      return true;
    }
    const ours = [...old.children],
      theirs = [...fresh.children];
    if (ours.length !== theirs.length || ours.some((one, at) => one.tagName !== theirs[at].tagName)) return false;
    return ours.every((one, at) => one.id === theirs[at].id) && ours.every((one, at) => replaced(one, theirs[at]));
  }

  async function renewInPlace() {
    const answer = await fetch(location.pathname);
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html"),
      data = JSON.parse(fresh.getElementById("data")?.textContent ?? "null");
    if (!data || !league.renew(data) || !replaced(document.body, document.adoptNode(fresh.body))) {
      reload(); // there are other bots or contests than before
      return;
    }
    const now = league.state,
      was = place(),
      tell = (before) => document.dispatchEvent(new CustomEvent("league-state", { detail: { before, now } }));
    tell({ ...now, q: null, ...(panel.contains(document.activeElement) ? {} : { bot: null }) });
    document.dispatchEvent(new CustomEvent("league-board", { detail: now.board }));
    document.dispatchEvent(new Event("league-renewed"));
    returnTo(was);
  }

  function fromServer() {
    const lost = document.getElementById("lost"),
      name = `league-news ${location.pathname.replace(/[^/]*$/, "")}`,
      channel = new BroadcastChannel(name);
    let page = null,
      listening = false,
      heard = null;

    function show(news) {
      lost.hidden = true;
      heard = Date.now();
      if (page !== null && news.page !== page) renewInPlace().catch(() => {});
      page = news.page;
      const bar = box.querySelector("progress");
      box.hidden = news.played >= news.total && !news.running;
      bar.max = news.total;
      bar.value = news.played;
      const round = news.rounds > 1 ? `after round ${count(news.round)} of ${count(news.rounds)}, ` : "",
        speed = news.per_second ? `, ${count(Math.max(1, Math.round(news.per_second)))} a second` : "",
        left = news.per_second ? `, ${spell((news.total - news.played) / news.per_second)} left` : "";
      state.textContent = `${news.running ? "Being played" : "Unfinished"}: ${round}${count(news.played)} of ${count(news.total)} games${speed}${left}.`;
      const parts = news.contests.map(([, title, played, total]) =>
        league.make(
          "span",
          {},
          `${title}: ${played === 0 ? "not begun" : played === total ? "complete" : `${count(played)} of ${count(total)}`}`,
        ),
      );
      if (parts.length > 1) {
        if (!box.querySelector(".parts")) box.append(league.make("p", { class: "parts" }));
        box.querySelector(".parts").replaceChildren(...parts);
      }
      if (news.running) listen();
    }
    function miss() {
      const when = heard === null ? "" : ` What is shown is from ${new Date(heard).toLocaleTimeString()}.`;
      lost.textContent = `The server does not answer: it was stopped.${when} This page goes on when it is started again.`;
      lost.hidden = false;
    }
    const told = (message) => (message === null ? miss() : show(message));
    const tell = (message) => {
      told(message);
      channel.postMessage(message);
    };
    channel.onmessage = (event) => told(event.data);

    function listen() {
      // the tab that has the lock listens for all; when it is closed, another one does
      if (listening) return;
      listening = true;
      navigator.locks
        .request(name, () => new Promise(stream))
        .then(() => {
          listening = false;
        });
    }
    function stream(end) {
      const source = new EventSource("events");
      source.onmessage = (event) => {
        const news = JSON.parse(event.data);
        if (!news.running) {
          source.close();
          end();
        }
        tell(news);
      };
      source.onerror = () => {
        source.close();
        end();
        ask();
      };
    }

    async function ask() {
      try {
        const answer = await fetch("progress.json");
        if (!answer.ok) throw new Error(String(answer.status));
        show(await answer.json());
      } catch {
        tell(null);
      }
    }
    (function again() {
      const seconds = lost.hidden ? QUIET_SECONDS : LOST_SECONDS;
      setTimeout(async () => {
        if (!document.hidden && !(listening && lost.hidden)) await ask();
        again();
      }, 1000 * seconds);
    })();
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && !listening) ask();
    });
    ask();
  }

  document.addEventListener("DOMContentLoaded", () => {
    back();
    history.scrollRestoration = "auto";
    if (document.documentElement.hasAttribute("data-served")) fromServer();
    else fromFile();
  });
})();
