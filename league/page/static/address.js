"use strict";
// What is shown, as the address of the page says it: #CONTEST/BOT/OTHER?sort=COLUMN&q=WORDS&all=1. By names, so that
// addresses last. Every change goes through `league.go`, which adds to the browser's history and fires the event "league-state".
(() => {
  const first = league.boards[0]?.key ?? "";
  const decode = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };

  function parse(hash) {
    const [, path, query] = /^#?([^?]*)\??(.*)$/s.exec(hash);
    const [key, bot, other] = path.split("/").map(decode);
    const asked = new URLSearchParams(query);
    if (key && !league.boardOf(key)) return null; // a part of the page, not an address of ours
    return {
      board: key || first,
      bot: bot ? league.numberOf(bot) : null,
      other: other ? league.numberOf(other) : null,
      sort: asked.get("sort") ?? "",
      q: asked.get("q") ?? "",
      all: asked.has("all"),
    };
  }

  function write(state) {
    const query = new URLSearchParams();
    if (state.sort) query.set("sort", state.sort);
    if (state.q) query.set("q", state.q);
    if (state.all) query.set("all", "1");
    const path = [state.board, ...[state.bot, state.other].filter((bot) => bot !== null).map(league.name)]
      .map(encodeURIComponent)
      .join("/");
    return `#${path}${query.size ? `?${query}` : ""}`;
  }

  function tell(now) {
    const before = league.state;
    league.state = now;
    document.dispatchEvent(new CustomEvent("league-state", { detail: { before, now } }));
  }

  league.state = parse(location.hash) ?? parse("");
  league.addressOf = (changes) => write({ ...league.state, bot: null, other: null, ...changes });
  league.go = (changes, { replace = false } = {}) => {
    const now = { ...league.state, ...changes },
      hash = write(now);
    if (hash === write(league.state)) return;
    history[replace ? "replaceState" : "pushState"](null, "", hash);
    tell(now);
  };
  league.link = (board, bot, other = null) => {
    const names = other === null ? league.name(bot) : league.name(other);
    return league.make("a", { href: league.addressOf({ board, bot, other }) }, league.make("bdi", {}, names));
  };

  function come() {
    // by the back button, or by an address that was typed
    const now = parse(location.hash);
    if (now && write(now) !== write(league.state)) tell(now);
  }
  addEventListener("popstate", come);
  addEventListener("hashchange", come);
  document.addEventListener("click", (event) => {
    // links keep the order and the filter
    const link = event.target.closest('a[href^="#"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const asked = parse(link.hash);
    if (!asked || link.hash === "#") return;
    event.preventDefault();
    league.go({ board: asked.board, bot: asked.bot, other: asked.other });
  });
})();
