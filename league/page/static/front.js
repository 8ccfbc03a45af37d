"use strict";
// Renews the front page in place: often while a league is being played, seldom otherwise. Says so if the server is gone.
(() => {
  const LIVE_SECONDS = 2,
    QUIET_SECONDS = 15;
  const main = document.querySelector("main"),
    lost = document.getElementById("lost");

  async function renew() {
    try {
      const answer = await fetch(location.pathname);
      if (!answer.ok) throw new Error(String(answer.status));
      const now = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
      if (now && now.innerHTML !== main.innerHTML) {
        const focused = document.activeElement?.getAttribute("href");
        main.replaceChildren(...now.childNodes);
        if (focused) main.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
      }
      lost.hidden = true;
    } catch {
      lost.hidden = false;
      lost.textContent = "The server does not answer: it was stopped. What is shown may be out of date.";
    }
    wait();
  }
  function wait() {
    const seconds = document.querySelector(".running") || !lost.hidden ? LIVE_SECONDS : QUIET_SECONDS;
    setTimeout(() => (document.hidden ? wait() : renew()), 1000 * seconds);
  }
  if (location.protocol !== "file:") wait();
})();
