"use strict";
// Tables that are in the page: `data-sorts` gives one a name, and its heads sort it; an input with the same name in
// `data-filter` leaves the rows whose head has a text. Tabs show one board of several. Without this script all is shown.
(() => {
  const words = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" }),
    sorts = new Map(), // name of a table to the title of a column, and whether it is upside down
    tables = () => document.querySelectorAll("[data-sorts]"),
    boards = () => [...document.querySelectorAll(".board")],
    more = document.getElementById("more");
  let last = null,
    whole = false;

  function value(cell) {
    const text = cell.querySelector("time")?.dateTime ?? cell.textContent;
    if (cell.matches("th, .t, :first-child")) return text;
    return Number(/[-+]?\d+(\.\d+)?/.exec(text.replaceAll(",", ""))?.[0] ?? -Infinity);
  }
  const compare = (a, b) => (typeof a === "string" ? words.compare(a, b) : a < b ? -1 : a > b ? 1 : 0);

  function draw(table) {
    const heads = [...table.tHead.rows[0].cells],
      rows = [...table.tBodies[0].rows],
      name = table.dataset.sorts,
      sorted = sorts.get(name),
      wanted = document.querySelector(`[data-filter="${name}"]`)?.value.trim().toLowerCase() ?? "";
    for (const head of heads) {
      if (head.firstElementChild || !head.textContent) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.append(head.textContent);
      head.replaceChildren(button);
    }
    rows.forEach((row, at) => {
      row.order ??= at;
      row.hidden = !row.textContent.toLowerCase().includes(wanted);
    });
    const at = sorted ? heads.findIndex((head) => head.textContent === sorted.title) : -1,
      rises = at <= 0 || heads[at].matches(".t"),
      down = Boolean(sorted?.down) === rises; // whether large comes first
    const key = (row) => (at < 0 ? row.order : value(row.cells[at]));
    rows.sort((a, b) => (at >= 0 && down ? -1 : 1) * compare(key(a), key(b)) || a.order - b.order);
    heads.forEach((head, number) => {
      if (number === at) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    table.tBodies[0].append(...rows);
    table.classList.toggle("sorted", at >= 0 || wanted !== "");
    table.classList.toggle("all", more?.getAttribute("aria-pressed") === "true");
    table.classList.toggle("whole", whole || wanted !== "");
    const found = document.querySelector(`[data-found="${name}"]`);
    if (found) found.textContent = wanted ? `${rows.filter((row) => !row.hidden).length} of ${rows.length}` : "";
  }

  function show() {
    const asked = decodeURIComponent(location.hash.slice(1)),
      shown = [asked, last].map((id) => boards().find((board) => board.id === id)).find(Boolean) ?? boards()[0];
    last = shown?.id;
    for (const one of boards()) one.hidden = one !== shown;
    for (const tab of document.querySelectorAll(".tools .tabs a"))
      tab.toggleAttribute("aria-current", tab.hash === `#${last}`);
    for (const table of tables()) if (!table.closest("[hidden]")) draw(table);
  }

  document.addEventListener("input", (event) => {
    if (event.target.matches("[data-filter]")) show();
  });
  document.addEventListener("click", (event) => {
    const at = (selector) => event.target.closest(selector);
    const head = at("[data-sorts] thead th"),
      tab = at(".tools .tabs a, a.contest"),
      cell = at(".meetings tbody td[class]");
    if (head) {
      const name = head.closest("table").dataset.sorts,
        title = head.textContent,
        before = sorts.get(name);
      if (before?.title === title && before.down) sorts.delete(name);
      else sorts.set(name, { title, down: before?.title === title });
    } else if (at("#more")) more.setAttribute("aria-pressed", String(more.getAttribute("aria-pressed") !== "true"));
    else if (at(".rest button")) whole = true;
    else if (tab && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault(); // the browser would scroll to the board
      history.pushState(null, "", tab.hash);
    } else if (cell) {
      const pair = [cell.parentElement.cells[0], cell.closest("table").tHead.rows[0].cells[cell.cellIndex]],
        [one, other] = pair.map((head) => encodeURIComponent(head.textContent));
      const isServed = "served" in document.documentElement.dataset;
      location.href = isServed ? `compare/${one}/${other}` : `bots/${one}.html#${last}`;
      return;
    } else return;
    show();
  });
  for (const event of ["popstate", "hashchange"]) addEventListener(event, show);
  document.addEventListener("league-renewed", show);
  show();
})();
