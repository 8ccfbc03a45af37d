"use strict";
// The charts are in the page. Of a large board the script shows those bots that are asked for; a mark leads to its bot.
(() => {
  document.addEventListener("league-board", (event) => {
    const board = league.boardOf(event.detail),
      shown = new Set(league.subset(board).map((row) => row.bot));
    const box = document.querySelector(`[data-board="${CSS.escape(board.key)}"] .charts`);
    for (const mark of box?.querySelectorAll("[data-chart] [data-bot]") ?? [])
      mark.toggleAttribute("hidden", !shown.has(Number(mark.dataset.bot)));
  });
  document.addEventListener("click", (event) => {
    const mark = event.target.closest("[data-chart] [data-bot]");
    if (mark) league.go({ bot: Number(mark.dataset.bot), other: null });
  });
})();
