"use strict";
// Parts of a panel that one bot and two bots have in common: tables, sections, and games to watch.
(() => {
  const { make, name } = league;
  const SEATINGS = ["first", "second", "third", "fourth", "fifth", "sixth"];

  function table(caption, headers, rows) {
    // on a phone each row becomes a card, in which cells have the names of their columns
    const head = headers.map((header, at) => make("th", { scope: "col", class: at ? "n" : "" }, header));
    const lines = rows.map(([first, ...cells]) =>
      make(
        "tr",
        {},
        make("th", { scope: "row" }, first),
        ...cells.map((cell, at) =>
          make("td", { class: "n", "data-label": headers[at + 1] }, cell === "" ? null : cell),
        ),
      ),
    );
    return make(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      make(
        "table",
        {},
        make("caption", { class: "visually-hidden" }, caption),
        make("thead", {}, make("tr", {}, ...head)),
        make("tbody", {}, ...lines),
      ),
    );
  }
  const section = (title, ...children) => make("section", {}, make("h3", {}, title), ...children);

  // A game is shown by its page beside this one, or by the server.
  const sampleAt = new Map(league.samples.map((sample) => [sample.address, sample]));
  const gameHref = (address) =>
    sampleAt.get(address)?.href ?? (league.served && address ? `play/${encodeURIComponent(address)}` : null);
  const gameWords = (deal, rotation) => `deal ${deal + 1}, ${SEATINGS[rotation] ?? `${rotation + 1}th`} seating`;
  function gameAt(address) {
    const href = gameHref(address);
    if (!href) return make("code", {}, address);
    const [deal, rotation] = address.split(":").at(-1).split(".").map(Number);
    return make("a", { href, title: address }, gameWords(deal, rotation));
  }

  function reasons(sample, bots) {
    // why a game was chosen, for these bots; "worst loss" includes "worst loss against bob"
    return bots
      .flatMap((bot) => {
        const own = sample.reasons.filter(([of]) => of === bot).map(([, reason]) => reason);
        const short = own.filter((reason) => !own.some((other) => reason.startsWith(`${other} against `))).join(", ");
        return short ? [bots.length > 1 ? `${name(bot)}: ${short}` : short] : [];
      })
      .join("; ");
  }
  function gamesList(samples, bots) {
    if (!samples.length) return null;
    const cards = samples.map((sample) => {
      const why = reasons(sample, bots);
      return make(
        "li",
        {},
        why ? make("b", {}, why) : null,
        make("a", { href: sample.href }, `${league.title(sample.contest)}: ${sample.bots.map(name).join(", ")}`),
        make("span", {}, sample.result),
        sample.differs ? make("em", {}, "not the game that was counted") : null,
      );
    });
    return make("div", { class: "watch" }, make("ul", {}, ...cards));
  }

  const gamesOf = (query) => `games?${new URLSearchParams(query)}`;
  function allGames(query) {
    // lists of all games, for those who read this page from the server
    if (!league.served)
      return make(
        "p",
        { class: "none" },
        "A selection.",
        ...(league.folder ? [" ", make("code", {}, `league serve ${league.folder}`), " shows every game here."] : []),
      );
    const kinds = {
      "Lost games": "lost",
      "Won games": "won",
      "Drawn games": "drawn",
      "Closest games": "closest",
      "Games with faults": "fault",
    };
    return make(
      "p",
      { class: "links" },
      ...Object.entries(kinds).map(([text, kind]) => make("a", { href: gamesOf({ ...query, kind }) }, text)),
    );
  }

  league.parts = { table, section, gameAt, gameHref, gameWords, gamesList, gamesOf, allGames };
  for (const spot of document.querySelectorAll("[data-address]")) spot.replaceChildren(gameAt(spot.dataset.address));
})();
