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
    if (key === "show") return null; // the lecture hall
    const asked = new URLSearchParams(query);
    const isUnknown = key && !league.boardOf(key);
    if (isUnknown && document.getElementById(key)) return null; // a part of the page, not an address
    const unknown = [
      ...(isUnknown ? [`There is no contest called “${key}” in this league.`] : []),
      ...[bot, other]
        .filter((text) => text && league.numberOf(text) === null)
        .map((text) => `There is no bot called “${text}” in this league.`),
    ];
    return {
      unknown: unknown.join(" "),
      board: isUnknown ? first : key || first,
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
    const now = { ...league.state, unknown: "", ...changes },
      hash = write(now);
    if (hash === write(league.state)) return;
    // how many steps of the history the open panel has taken
    const depth =
      now.bot === null ? 0 : (league.state.bot === null ? 0 : (history.state?.depth ?? 0)) + Number(!replace);
    history[replace ? "replaceState" : "pushState"]({ depth }, "", hash);
    tell(now);
  };
  league.leave = () => {
    // closing a panel is going back to where it was opened, so that Back and Esc agree
    if (league.state.bot === null) return;
    if (history.state?.depth) history.go(-history.state.depth);
    else league.go({ bot: null, other: null }, { replace: true });
  };
  league.link = (board, bot, other = null) => {
    const names = other === null ? league.name(bot) : league.name(other);
    return league.make("a", { href: league.addressOf({ board, bot, other }) }, league.make("bdi", {}, names));
  };

  function come() {
    // by the back button, or by an address that was typed
    const now = parse(location.hash);
    if (now && (write(now) !== write(league.state) || now.unknown !== league.state.unknown)) tell(now);
  }
  const said = document.getElementById("unknown"),
    own = document.title;
  function show() {
    const { board, bot, other, unknown } = league.state;
    said.hidden = !unknown;
    said.textContent = unknown;
    const open = [bot, other].filter((one) => one !== null).map(league.name);
    const where = league.boards.length > 1 ? [league.title(board)] : [];
    document.title = [open.join(" and "), ...where, own].filter(Boolean).join(" · ");
  }
  document.addEventListener("league-state", show);
  show();
  addEventListener("popstate", come);
  addEventListener("hashchange", come);
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const done = (text) => {
      button.textContent = text;
      setTimeout(() => {
        button.textContent = "Copy link";
      }, 2000);
    };
    const copied = navigator.clipboard?.writeText(location.href) ?? Promise.reject();
    copied.then(
      () => done("Copied"),
      () => done("Not allowed here"),
    );
  });
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
