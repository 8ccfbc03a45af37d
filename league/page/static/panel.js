"use strict";
// The panel of one bot: opened by a link to #bot=NUMBER, so that the browser's back button closes it.
(() => {
  const { page } = league;
  const panel = document.getElementById("panel");
  const name = (bot) => page.bots[bot].name;
  const percent = (part) => `${(100 * part).toFixed(1)} %`;
  const fixed = (number, digits) => number.toLocaleString("en",  // halves go where those of the table went
    { minimumFractionDigits: digits, maximumFractionDigits: digits, roundingMode: "halfEven", useGrouping: false });
  const count = (number) => number.toLocaleString("en");

  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "style") element.style.cssText = value;
      else element.setAttribute(key, value);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
  }

  function table(caption, headers, rows) {
    const head = make("tr", {}, ...headers.map((header, at) => make("th", { scope: "col", class: at ? "n" : "" }, header)));
    const body = rows.map(([first, ...cells]) => make("tr", {}, make("th", { scope: "row" }, first), ...cells.map((cell) => make("td", { class: "n" }, cell))));
    return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      make("table", {}, make("caption", { class: "visually-hidden" }, caption), make("thead", {}, head), make("tbody", {}, ...body)));
  }

  const section = (title, ...children) => make("section", {}, make("h3", {}, title), ...children);
  const command = (address) => make("p", { class: "command" }, make("code", {}, `league replay ${page.folder} ${address} --html`));
  const link = (bot) => make("a", { href: `#bot=${bot}` }, make("bdi", {}, name(bot)));

  function results(bot) {
    const rows = page.boards.flatMap((board) => board.rows.filter((row) => row.bot === bot).map(({ place, line }) =>
      [board.title, (place || "–").replace("-", "–"), `${fixed(line.rating, 2)} (${fixed(line.low, 1)} to ${fixed(line.high, 1)})`, count(line.games), line.mean_score === null ? "–" : fixed(line.mean_score, 3)]));
    return section("Places", table("Places", ["Contest", "Place", "Rating", "Games", "Score"], rows));
  }

  function opponents(bot) {
    const board = page.boards.find((one) => one.key === document.querySelector(".board:not(.hidden)")?.dataset.board) ?? page.boards[0];
    const met = board.meetings.filter(([a, b]) => a === bot || b === bot).map(([a, b, games, score, low, high, expected]) =>
      a === bot ? [b, games, score, low, high, expected] : [a, games, 1 - score, 1 - high, 1 - low, 1 - expected]);
    met.sort((one, other) => other[2] - one[2]);
    if (!met.length) return null;
    const rows = met.map(([other, games, score, low, high, expected]) =>
      [link(other), count(games), percent(score), `${percent(low)} to ${percent(high)}`, percent(expected)]);
    return section(`Against each opponent: ${board.title}`, table("Against each opponent", ["Opponent", "Games", "Score", "Interval", "Expected"], rows));
  }

  function seats(bot) {
    const rows = page.boards.flatMap((board) => board.own_seats.filter(([own]) => own === bot).map(([, seat, games, score]) =>
      [`${board.title}, seat ${seat}`, count(games), fixed(score, 3)]));
    return rows.length ? section("By seat", table("By seat", ["Seat", "Games", "Score"], rows)) : null;
  }

  function histograms(bot) {
    const boxes = page.boards.flatMap((board) => board.spreads.filter(([own]) => own === bot).map(([, , , , , , mean, histogram]) => {
      const [low, high] = [histogram[0][0], histogram[histogram.length - 1][0]];
      const games = new Map(histogram), most = Math.max(...games.values());
      const bars = Array.from({ length: high - low + 1 }, (_, at) => make("i", { style: `height:${100 * (games.get(low + at) ?? 0) / most}%`, title: `${low + at} points: ${count(games.get(low + at) ?? 0)} games` }));
      return make("div", {}, make("p", {}, `${board.title}, ${fixed(mean, 2)} on average`),
        make("div", { class: "bars", role: "img", "aria-label": `Points from ${low} to ${high}` }, ...bars),
        make("div", { class: "ends" }, make("span", {}, String(low)), make("span", {}, String(high))));
    }));
    return boxes.length ? section("Points", make("div", { class: "histograms" }, ...boxes)) : null;
  }

  function faults(bot) {
    const own = page.faults.filter((fault) => fault.bot === bot);
    if (!own.length) return section("Faults", make("p", { class: "none" }, "None."));
    return section("Faults", ...own.map((fault) => make("details", {},
      make("summary", {}, make("span", { class: "fault" }, `${count(fault.count)} ${fault.kind}`), ` in ${fault.contest}: ${fault.cause}`),
      fault.tail ? make("pre", {}, fault.tail) : null, command(fault.address))));
  }

  function samples(bot) {
    const items = page.samples.filter((sample) => sample.bots.includes(bot)).map((sample) =>
      make("li", {}, make("a", { href: sample.href }, `${sample.contest}: ${sample.bots.map(name).join(", ")}`), make("span", {}, sample.result),
        sample.differs ? make("em", {}, "not the game that was counted") : null));
    const list = items.length ? make("div", { class: "watch", style: "margin:0" }, make("ul", {}, ...items)) : null;
    const commands = page.boards.flatMap((board) => board.watch.filter(([own]) => own === bot).map(([, address]) => command(address)));
    return list || commands.length ? section("Games to watch", list, ...commands) : null;
  }

  function open() {
    const bot = Number(/^#bot=(\d+)$/.exec(location.hash)?.[1] ?? NaN);
    if (!page.bots[bot]) { if (panel.open) panel.close(); return; }
    document.getElementById("panel-name").textContent = name(bot);
    const doc = page.bots[bot].doc ? make("p", { class: "doc" }, page.bots[bot].doc) : null;
    const parts = [doc, results(bot), opponents(bot), seats(bot), histograms(bot), samples(bot), faults(bot)];
    panel.querySelector(".body").replaceChildren(...parts.filter((part) => part !== null));
    if (!panel.open) panel.showModal();
    panel.scrollTop = 0;
  }

  panel.addEventListener("close", () => {
    if (location.hash.startsWith("#bot=")) history.pushState(null, "", location.pathname + location.search);
  });
  panel.addEventListener("click", (event) => { if (event.target === panel || event.target.closest("[data-close]")) panel.close(); });
  addEventListener("hashchange", open);
  addEventListener("popstate", open);
  open();
})();
