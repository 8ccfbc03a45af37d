"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const remember = (theme) => {
    try {
      localStorage.setItem("league-theme", theme);
    } catch {
      /* storage is not allowed */
    }
  };
  try {
    root.dataset.theme = localStorage.getItem("league-theme") || "auto";
  } catch {
    root.dataset.theme = "auto";
  }
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const shown = () => (root.dataset.theme === "auto" ? (dark.matches ? "dark" : "light") : root.dataset.theme);
  const tell = () => {
    for (const button of document.querySelectorAll("[data-theme-button]")) {
      button.textContent = shown() === "dark" ? "Light" : "Dark";
      button.setAttribute("aria-label", `${button.textContent} colours`);
    }
    document.dispatchEvent(new Event("league-theme"));
  };
  document.addEventListener("DOMContentLoaded", () => {
    tell();
    for (const button of document.querySelectorAll("[data-theme-button]")) {
      button.addEventListener("click", () => {
        root.dataset.theme = shown() === "dark" ? "light" : "dark";
        remember(root.dataset.theme);
        tell();
      });
    }
  });
  dark.addEventListener("change", tell);
})();
