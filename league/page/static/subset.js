"use strict";
// Which bots of a large board are drawn by name: the best, those that are searched for, and the chosen one with its neighbours.
(() => {
  const { many: MANY, best: BEST } = league,
    FOUND = 10,
    AROUND = 4;
  league.subset = (board) => {
    const rows = board.rows.filter((row) => row.games);
    if (rows.length <= MANY) return rows;
    const { bot, other, q } = league.state,
      wanted = q.trim().toLowerCase(),
      keep = new Set();
    for (let at = 0; at < BEST; at++) keep.add(at);
    const around = (at) => {
      for (let to = at - AROUND; to <= at + AROUND; to++) if (rows[to]) keep.add(to);
    };
    rows.forEach((row, at) => {
      if (row.bot === bot || row.bot === other) around(at);
    });
    if (wanted) {
      const found = rows
        .flatMap((row, at) => (league.bots[row.bot].join("\n").toLowerCase().includes(wanted) ? [at] : []))
        .slice(0, FOUND);
      found.forEach(found.length > 2 ? (at) => keep.add(at) : around);
    }
    return [...keep].sort((a, b) => a - b).map((at) => rows[at]);
  };
  let told = "",
    timer = null;
  function tell() {
    // "league-board": what is drawn by name has changed
    const board = league.boardOf(league.state.board);
    const now = board ? [board.key, ...league.subset(board).map((row) => row.bot)].join(" ") : "";
    if (now === told) return;
    told = now;
    document.dispatchEvent(new CustomEvent("league-board", { detail: board.key }));
  }
  document.addEventListener("league-state", ({ detail: { before, now } }) => {
    clearTimeout(timer);
    if (before.board !== now.board) tell();
    else timer = setTimeout(tell, 200);
  });
  document.addEventListener("DOMContentLoaded", tell);

  document.addEventListener("league-board", (event) => {
    const board = league.boardOf(event.detail),
      shown = league.subset(board).length,
      all = board.rows.filter((row) => row.games).length;
    const note = document.querySelector(`[data-board="${CSS.escape(board.key)}"] .subset`);
    note.hidden = shown === all;
    note.textContent = `Below are ${shown} of ${all} bots: the first ${BEST}, those that the filter finds, and the bot you opened, with its neighbours.`;
  });
})();
