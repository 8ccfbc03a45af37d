"use strict";
// Renews the page in place: a server is asked every 3 s, while anybody looks, whether a part of it has changed.
// `data-renew` says what is asked for: the page itself, or a small part of it that says when the page has changed.
(() => {
  const SECONDS = 3,
    STALE_SECONDS = 300;
  const asked = document.body.dataset.renew,
    root = document.documentElement,
    lost = document.getElementById("lost"),
    tags = new Map();
  let page = document.body.dataset.page ?? null, // which one this is, if it says so
    heard = new Date();

  async function get(address) {
    const known = tags.has(address) ? { "If-None-Match": tags.get(address) } : {},
      answer = await fetch(address, { headers: { Accept: "text/html", ...known } });
    if (answer.status === 304) return null;
    if (!answer.ok) throw new Error(String(answer.status));
    tags.set(address, answer.headers.get("ETag"));
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  }

  const partsOf = (where) => [...where.querySelectorAll("[data-part]")];
  function replace(fresh) {
    const old = new Map(partsOf(document).map((part) => [part.dataset.part, part]));
    for (const part of partsOf(fresh)) {
      const ours = old.get(part.dataset.part);
      if (!ours) {
        location.reload(); // there are other contests than before
        return;
      }
      if (ours.source === part.outerHTML || ours.contains(document.activeElement?.closest("input, textarea, select")))
        continue;
      const open = [...ours.querySelectorAll("details")].map((one) => one.open),
        focused = document.activeElement?.getAttribute?.("href"),
        had = ours.contains(document.activeElement),
        scrolled = [...ours.querySelectorAll(".scroll")].map((box) => [box.scrollLeft, box.scrollTop]);
      const now = document.adoptNode(part);
      now.source = part.outerHTML;
      ours.replaceWith(now);
      now.querySelectorAll("details").forEach((one, at) => {
        one.open = open[at] ?? one.open;
      });
      now.querySelectorAll(".scroll").forEach((box, at) => {
        if (scrolled[at]) [box.scrollLeft, box.scrollTop] = scrolled[at];
      });
      if (had && focused) now.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    }
    document.dispatchEvent(new Event("league-renewed"));
  }

  async function renew() {
    try {
      const fresh = await get(asked || location.pathname + location.search);
      const time = fresh?.querySelector("[data-page]")?.dataset.page;
      if (fresh) replace(fresh);
      if (page !== null && time && time !== page) {
        const whole = await get(location.pathname);
        if (whole) {
          whole.querySelector("[data-part=progress]")?.remove(); // ours is newer
          replace(whole);
        }
      }
      page = time ?? page;
      heard = new Date();
      lost.hidden = true;
    } catch {
      lost.hidden = false;
      lost.textContent = `Connection lost. Retrying… What is shown is from ${heard.toTimeString().slice(0, 8)}.`;
    }
    wait();
  }
  const wait = () => setTimeout(() => (document.hidden ? wait() : renew()), 1000 * SECONDS);

  function fromFile() {
    const { written, refresh } = document.body.dataset;
    if (!written) return;
    if (Date.now() / 1000 - written < STALE_SECONDS) {
      const isBusy = () => document.activeElement?.matches("input") || document.fullscreenElement;
      const later = () => setTimeout(() => (isBusy() ? later() : location.reload()), 1000 * refresh);
      later();
      return;
    }
    const state = document.querySelector("#progress .state"),
      when = new Date(1000 * written).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
    state.textContent = `${state.textContent.replace("Being played", "Unfinished")} It was being played when this page was written, ${when}, and has not renewed it since.`;
  }
  if (asked === undefined) return;
  if ("served" in root.dataset) wait();
  else fromFile();
})();
