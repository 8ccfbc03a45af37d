"use strict";
// Tabs, sorting, filtering, and renewing the page while the league is being played.
const league = JSON.parse(document.getElementById("data").textContent);
(() => {
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const boards = [...document.querySelectorAll(".board")];
  const filter = document.getElementById("filter");
  const keep = (key, value) => { try { sessionStorage.setItem(key, value); } catch { /* not kept, then */ } };
  const kept = (key) => { try { return sessionStorage.getItem(key); } catch { return null; } };

  function show(key) {
    for (const tab of tabs) {
      const chosen = tab.id === `tab-${key}`;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
    }
    for (const board of boards) {
      board.removeAttribute("data-later");
      board.classList.toggle("hidden", board.dataset.board !== key);
    }
    keep("league-tab", key);
    document.dispatchEvent(new CustomEvent("league-board", { detail: key }));
  }

  tabs.forEach((tab, at) => {
    tab.addEventListener("click", () => show(tab.id.slice("tab-".length)));
    tab.addEventListener("keydown", (event) => {
      const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      const next = tabs[(to + tabs.length) % tabs.length];
      next.focus();
      next.click();
    });
  });

  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.v ?? cell.textContent.trim();
  };
  const words = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  function sort(table, header) {
    const headers = [...header.parentElement.cells], column = headers.indexOf(header);
    const rows = [...table.tBodies[0].rows];
    const numbers = rows.every((row) => value(row, column) !== "" && !Number.isNaN(Number(value(row, column))));
    // The first click on a column of numbers shows the largest first, but for places.
    const before = header.getAttribute("aria-sort");
    const direction = before ? (before === "ascending" ? "descending" : "ascending") : numbers && column > 0 ? "descending" : "ascending";
    for (const other of headers) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", direction);
    const sign = direction === "ascending" ? 1 : -1;
    const compare = numbers ? (a, b) => Number(a) - Number(b) : words.compare;
    rows.sort((a, b) => sign * compare(value(a, column), value(b, column)));
    table.tBodies[0].append(...rows);
    table.classList.toggle("sorted", column > 0);
  }
  for (const table of document.querySelectorAll("table.ranking")) {
    for (const header of table.tHead.rows[0].cells) header.firstElementChild.addEventListener("click", () => sort(table, header));
  }

  function find() {
    const wanted = filter.value.trim().toLowerCase();
    const matches = league.page.bots.map((bot) => `${bot.name}\n${bot.doc}`.toLowerCase().includes(wanted));
    for (const table of document.querySelectorAll("table.ranking")) {
      const rows = [...table.tBodies[0].rows];
      for (const row of rows) row.hidden = !matches[Number(row.dataset.bot)];
      table.nextElementSibling.hidden = !wanted || rows.some((row) => !row.hidden);
    }
    const found = matches.filter(Boolean).length;
    document.getElementById("found").textContent = wanted ? `${found} of ${matches.length} bots` : "";
    keep("league-filter", filter.value);
  }
  filter.addEventListener("input", find);

  function renew() {
    if (location.protocol === "file:") {
      if (league.refresh) setTimeout(() => location.reload(), league.refresh * 1000);
      return;
    }
    let page = null, before = null;
    const number = (value) => value.toLocaleString("en");
    const spell = (seconds) => seconds < 90 ? `${Math.round(seconds)} s` : seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
    new EventSource("events").onmessage = (event) => {
      const now = performance.now(), news = JSON.parse(event.data);
      if (page !== null && news.page !== page) location.reload();
      page = news.page;
      const box = document.getElementById("progress"), bar = box.querySelector("progress");
      box.hidden = !news.running;
      bar.max = news.total;
      bar.value = news.played;
      before ??= { now, played: news.played };
      const rate = Math.round((news.played - before.played) / (now - before.now) * 1000) || 0;
      const speed = rate > 0 ? `, ${number(rate)} a second` : "", left = news.seconds_left === null ? "" : `, ${spell(news.seconds_left)} left`;
      box.querySelector("p").textContent = `Being played: ${number(news.played)} of ${number(news.total)} games${speed}${left}.`;
    };
  }

  document.addEventListener("DOMContentLoaded", () => {
    filter.value = kept("league-filter") || "";
    if (filter.value) find();
    const first = boards[0]?.dataset.board, before = kept("league-tab");
    if (first) show(boards.some((board) => board.dataset.board === before) ? before : first);
    renew();
  });
})();
