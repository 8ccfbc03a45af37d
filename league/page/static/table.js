"use strict";
// Tabs, and the tables that are in the page: sorted, filtered, with more columns. Without this script all is shown.
(() => {
  const boards = () => [...document.querySelectorAll(".board")],
    filter = document.getElementById("filter"),
    more = document.getElementById("more"),
    words = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  let sorted = null, // the title of a column, and whether it is upside down
    last = null,
    whole = false;
  if (!filter) return;

  const asked = () => decodeURIComponent(location.hash.slice(1));
  const current = () => {
    const shown = [asked(), last].map((id) => boards().find((board) => board.id === id)).find(Boolean) ?? boards()[0];
    last = shown?.id;
    return shown;
  };
  function show() {
    const board = current();
    for (const one of boards()) one.hidden = one !== board;
    for (const tab of document.querySelectorAll(".tools .tabs a"))
      tab.toggleAttribute("aria-current", tab.hash === `#${board?.id}`);
    if (board) draw(board);
  }

  function value(row, at) {
    const cell = row.cells[at];
    if (cell.tagName === "TH") return cell.querySelector("bdi").textContent;
    const text = cell.textContent.replaceAll(",", ""),
      [a = -Infinity, b, c] = (text.match(/[-+]?\d+(\.\d+)?/g) ?? []).map(Number);
    if (text.includes("…")) return b - a; // an interval: how wide
    return text.includes("·") ? (a + b / 2) / (a + b + c) : a; // won, drawn and lost: the part that was won
  }
  const compare = (a, b) => (typeof a === "string" ? words.compare(a, b) : a < b ? -1 : a > b ? 1 : 0);

  function draw(board) {
    const table = board.querySelector(".ranking"),
      heads = [...table.tHead.rows[0].cells],
      rows = [...table.tBodies[0].rows],
      wanted = filter.value.trim().toLowerCase();
    for (const head of heads) {
      if (!head.firstElementChild) {
        const button = document.createElement("button");
        button.type = "button";
        button.append(head.textContent);
        head.replaceChildren(button);
      }
    }
    rows.forEach((row, at) => {
      row.order ??= at;
      row.hidden = !row.querySelector("th").textContent.toLowerCase().includes(wanted);
    });
    const at = sorted ? heads.findIndex((head) => head.textContent === sorted.title) : 0,
      rising = at < 0 || "rising" in heads[at].dataset,
      down = Boolean(sorted?.down) === rising; // whether large comes first
    const key = (row) => (at <= 0 ? row.order : value(row, at));
    rows.sort((a, b) => (down ? -1 : 1) * compare(key(a), key(b)) || a.order - b.order);
    heads.forEach((head, number) => {
      if (number === Math.max(at, 0)) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    table.tBodies[0].append(...rows);
    table.classList.toggle("sorted", Boolean(sorted) || wanted !== "");
    board.classList.toggle("all", more.getAttribute("aria-pressed") === "true");
    board.classList.toggle("whole", whole || wanted !== "");
    const left = rows.filter((row) => !row.hidden).length;
    document.getElementById("found").textContent = wanted ? `${left} of ${rows.length} bots` : "";
  }

  filter.addEventListener("input", show);
  document.addEventListener("click", (event) => {
    const at = (selector) => event.target.closest(selector);
    const head = at(".ranking thead th"),
      tab = at(".tools .tabs a, .firsts a.contest"),
      cell = at(".meetings tbody td[class]");
    if (head) {
      const title = head.textContent;
      sorted = sorted?.title === title ? { title, down: !sorted.down } : { title, down: false };
      if (head.cellIndex === 0 && !sorted.down) sorted = null;
    } else if (at("#more")) more.setAttribute("aria-pressed", String(more.getAttribute("aria-pressed") !== "true"));
    else if (at(".rest button")) whole = true;
    else if (tab && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault(); // the browser would scroll to the board
      history.pushState(null, "", tab.hash);
    } else if (cell) {
      const names = [cell.parentElement.cells[0], cell.closest("table").tHead.rows[0].cells[cell.cellIndex]].map(
        (one) => encodeURIComponent(one.textContent),
      );
      const isServed = "served" in document.documentElement.dataset;
      location.href = isServed ? `compare/${names.join("/")}` : `bots/${names[0]}.html#${current().id}`;
      return;
    } else return;
    show();
  });
  for (const event of ["popstate", "hashchange"]) addEventListener(event, show);
  document.addEventListener("league-renewed", show);
  show();
})();
