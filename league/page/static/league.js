"use strict";
// The data of the page, decoded, and small tools that all parts of the script use.
const league = JSON.parse(document.getElementById("data").textContent);
(() => {
  const unpack = (text) => new Uint16Array(Uint8Array.from(atob(text), (char) => char.charCodeAt(0)).buffer);
  const names = league.bots.map(([name]) => name);
  const baselines = new Set(league.baselines);
  const numbers = new Map(names.map((name, bot) => [name, bot]));

  function decode(board) {
    board.rows = board.rows.map((values, order) => ({
      order,
      ...Object.fromEntries(league.row.map((name, at) => [name, values[at]])),
    }));
    board.before = new Map(
      (league.before?.boards[board.key] ?? []).map(([bot, place, rating]) => [bot, { place, rating }]),
    );
    board.orders = new Map(board.rows.map((row) => [row.bot, row.order]));
    if (board.meetings) {
      board.meetings.games = unpack(board.meetings.games);
      board.meetings.values = board.meetings.values.map(unpack);
    }
  }
  league.boards.forEach(decode);

  Object.assign(league, {
    names,
    name: (bot) => names[bot],
    isBaseline: (bot) => baselines.has(bot),
    numberOf: (name) => numbers.get(name) ?? null,
    served: document.documentElement.hasAttribute("data-served") && league.private,
    boardOf: (key) => league.boards.find((board) => board.key === key),
    title: (key) => league.boardOf(key)?.title ?? key,
    count: (number) => number.toLocaleString("en"),
    chance: (part) => (part > 0.99 ? "> 99 %" : `${Math.round(100 * part)} %`),
    percent: (part) => `${(100 * part).toFixed(1)} %`,
    digits: (board) => (board.counts === "points" ? 3 : 2),
    lead: (board, score) => {
      const points = (2 * score - 1) * board.span;
      return `${points < 0 ? "-" : "+"}${Math.abs(points).toFixed(2)}`;
    },
    scored: (board, score) => (board.span ? `${league.lead(board, score)} points` : league.percent(score)),
    range: (place) => (place || "–").replace("-", "–"),

    meeting(board, a, b) {
      // how bot a did against bot b; null if they never met, or it is not on the page
      const met = board.meetings,
        i = board.orders.get(a),
        j = board.orders.get(b);
      if (!met || i === undefined || j === undefined || i === j || Math.max(i, j) >= met.bots) return null;
      const [first, second] = i < j ? [i, j] : [j, i];
      const at = first * met.bots - (first * (first + 1)) / 2 + (second - first - 1),
        games = met.games[at] * met.scale;
      if (!games) return null;
      const [score, low, high, expected] = met.values.map((column) => column[at] / 1000);
      return i < j
        ? { games, score, low, high, expected }
        : { games, score: 1 - score, low: 1 - high, high: 1 - low, expected: 1 - expected };
    },

    renew(data) {
      // take the data of a newer page; false if it is about other bots or contests
      const same = (ours, theirs) => JSON.stringify(ours) === JSON.stringify(theirs);
      const keys = (boards) => boards.map((board) => board.key);
      if (!same(league.bots, data.bots) || !same(keys(league.boards), keys(data.boards))) return false;
      Object.assign(league, data);
      league.boards.forEach(decode);
      return true;
    },

    make(tag, attributes = {}, ...children) {
      const element = document.createElement(tag);
      for (const [key, value] of Object.entries(attributes)) {
        if (key === "style") element.style.cssText = value;
        else element.setAttribute(key, value);
      }
      element.append(...children.filter((child) => child !== null && child !== undefined));
      return element;
    },
  });
})();
