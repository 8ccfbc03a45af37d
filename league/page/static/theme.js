"use strict";
// What a browser keeps for a page; nothing where it keeps nothing.
function kept(work) {
  try {
    return work(localStorage);
  } catch {
    return null; // storage is not allowed
  }
}

// Colours and times are the reader's: those of the system until others are chosen, and those of the own zone.
(() => {
  const root = document.documentElement,
    dark = matchMedia("(prefers-color-scheme: dark)"),
    relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" }),
    UNITS = Object.entries({ year: 31557600, month: 2629800, day: 86400, hour: 3600, minute: 60, second: 1 });
  root.classList.add("js");
  root.dataset.theme = kept((store) => store.getItem("league-theme")) || "auto";
  const other = () => {
    const isDark = root.dataset.theme === "auto" ? dark.matches : root.dataset.theme === "dark";
    return isDark ? "light" : "dark";
  };
  function tell() {
    for (const button of document.querySelectorAll("[data-theme-button]")) {
      button.textContent = other() === "light" ? "Light" : "Dark";
      button.setAttribute("aria-label", `${button.textContent} colours`);
    }
    for (const time of document.querySelectorAll("time[datetime]")) {
      const at = new Date(time.dateTime),
        away = (at - Date.now()) / 1000,
        [unit, size] = UNITS.find(([, size]) => Math.abs(away) >= size) ?? UNITS.at(-1),
        exact = at.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
      time.textContent = "ago" in time.dataset ? `${exact}, ${relative.format(Math.round(away / size), unit)}` : exact;
    }
  }
  for (const event of ["DOMContentLoaded", "league-renewed"]) document.addEventListener(event, tell);
  setInterval(tell, 30000);
  dark.addEventListener("change", tell);
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-theme-button]")) return;
    root.dataset.theme = other();
    kept((store) => store.setItem("league-theme", root.dataset.theme));
    tell();
  });
})();
