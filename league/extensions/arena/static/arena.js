"use strict";
(() => {
  // A personal link has the code behind "#": it fills the field, and leaves the address.
  const code = document.querySelector("[data-code]");
  if (code && location.hash.length > 1) {
    code.value = decodeURIComponent(location.hash.slice(1));
    history.replaceState(null, "", location.pathname);
  }
  // Whoever is shown can be ticked at once.
  document.addEventListener("change", ({ target }) => {
    if (!target.matches("[data-all]")) return;
    for (const box of document.querySelectorAll("tr:not([hidden]) > td > [name=who]")) box.checked = target.checked;
  });
  // A deadline is chosen in the reader's own zone, and sent as what it is everywhere.
  const moment = document.querySelector("[data-moment]");
  if (moment) {
    const at = new Date(moment.value),
      chooser = document.createElement("input"),
      local = (date) => new Date(date - 60000 * date.getTimezoneOffset()).toISOString().slice(0, 16);
    Object.assign(chooser, { type: "datetime-local", id: moment.id });
    if (!Number.isNaN(at.getTime())) chooser.value = local(at);
    const keep = () => {
      moment.value = chooser.value ? new Date(chooser.value).toISOString() : "none";
    };
    chooser.addEventListener("input", keep);
    Object.assign(moment, { type: "hidden", id: "" }).after(chooser);
    moment.parentElement.querySelector(".hint").textContent = "In your own time; empty: none";
    keep();
  }
})();
