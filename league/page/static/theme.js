"use strict";
// Colours: those of the system until the reader has chosen others.
(() => {
  const root = document.documentElement,
    dark = matchMedia("(prefers-color-scheme: dark)");
  root.classList.add("js");
  const remembered = (work) => {
    try {
      return work(localStorage);
    } catch {
      return null; // storage is not allowed
    }
  };
  root.dataset.theme = remembered((kept) => kept.getItem("league-theme")) || "auto";
  const other = () => {
    const isDark = root.dataset.theme === "auto" ? dark.matches : root.dataset.theme === "dark";
    return isDark ? "light" : "dark";
  };
  const tell = () => {
    for (const button of document.querySelectorAll("[data-theme-button]")) {
      button.textContent = other() === "light" ? "Light" : "Dark";
      button.setAttribute("aria-label", `${button.textContent} colours`);
    }
  };
  document.addEventListener("DOMContentLoaded", tell);
  document.addEventListener("league-renewed", tell);
  dark.addEventListener("change", tell);
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-theme-button]")) return;
    root.dataset.theme = other();
    remembered((kept) => kept.setItem("league-theme", root.dataset.theme));
    tell();
  });
})();
