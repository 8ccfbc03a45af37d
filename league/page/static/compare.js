"use strict";
// What the panel says about two bots: the answer of `league compare`, a picture, and games. Contests can be chosen.
(() => {
  const { make, scored, name } = league;
  const { table, section, gamesList, allGames } = league.parts;
  const titleOf = (key) => (key === "overall" ? "Overall" : league.title(key));

  function together(a, b, leads) {
    // the mean of the chosen contests, in words; as if these were independent
    const units = new Set(leads.map((lead) => lead.counts === "points"));
    if (!leads.length) return "Choose at least one contest.";
    if (units.size > 1) return "Points and ratings cannot be added: choose contests that count alike.";
    const digits = leads[0].counts === "points" ? 3 : 2,
      mean = leads.reduce((sum, lead) => sum + lead.value, 0) / leads.length,
      half = Math.sqrt(leads.reduce((sum, lead) => sum + ((lead.high - lead.low) / 2) ** 2, 0)) / leads.length;
    const [ahead, behind] = mean < 0 ? [b, a] : [a, b],
      near = Math.abs(mean) - half,
      settled = near > 0;
    const size = `${Math.abs(mean).toFixed(digits)} (${near.toFixed(digits)} … ${(Math.abs(mean) + half).toFixed(digits)})`;
    const where = leads.length === 1 ? `At ${leads[0].title}` : `Over the ${leads.length} chosen contests`;
    return settled
      ? `${where}, ${name(ahead)} is better than ${name(behind)}, by ${size}.`
      : `${where} it is not settled: ${name(ahead)} is ahead by ${size}.`;
  }

  function answer(compared) {
    // the output of `league compare`
    const { a, b } = compared;
    const leads = compared.differences.map(([contest, value, low, high, counts]) => ({
      contest,
      title: titleOf(contest),
      value,
      low,
      high,
      counts,
    }));
    const verdict = make("p", { class: "verdict", role: "status" }, compared.verdict);
    const shown = make("div", { class: "compared" });
    const boxes = leads.map((lead) => make("input", { type: "checkbox", value: lead.contest, checked: "" }));
    const chosen = () => new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    const rows = ([head, ...lines], keys) => [
      head,
      lines
        .filter(([contest]) => keys.has(contest) || (contest === "overall" && keys.size === leads.length))
        .map(([contest, ...cells]) => [titleOf(contest), ...cells]),
    ];
    function draw() {
      const keys = chosen(),
        kept = leads.filter((lead) => keys.has(lead.contest));
      verdict.textContent = keys.size === leads.length ? compared.verdict : together(a, b, kept);
      const digits = kept.some((lead) => lead.counts === "points") ? 3 : 2;
      shown.replaceChildren(
        ...[
          kept.length
            ? section(
                `${name(a)} minus ${name(b)}`,
                league.picture.leads(kept, digits),
                table("Ratings", ...rows(compared.ratings, keys)),
              )
            : null,
          compared.meetings.length && kept.length
            ? section(`${name(a)} against ${name(b)}`, table("Meetings", ...rows(compared.meetings, keys)))
            : null,
        ].filter(Boolean),
      );
    }
    draw();
    for (const box of boxes) box.addEventListener("change", draw);
    const choice = make(
      "fieldset",
      { class: "contests" },
      make("legend", {}, "Contests"),
      ...leads.map((lead, number) => make("label", {}, boxes[number], ` ${lead.title}`)),
    );
    return [
      verdict,
      leads.length > 1 ? choice : null,
      shown,
      ...compared.notices.map((notice) => make("p", { class: "notice" }, notice)),
    ];
  }

  function atLeast(a, b) {
    // what the page knows of any two
    const rows = league.boards
      .map((board) => [board, league.meeting(board, a, b)])
      .filter(([, met]) => met)
      .map(([board, met]) => [
        board.title,
        ...league.picture.met(board, met, `${scored(board, met.score)}, expected ${scored(board, met.expected)}`),
      ]);
    return [
      rows.length
        ? section(`${name(a)} against ${name(b)}`, table("Meetings", ["Contest", ...league.picture.METS], rows))
        : make("p", {}, "They never met, or this page does not have their results."),
      league.served || !league.folder
        ? null
        : make(
            "p",
            { class: "none" },
            "For the full comparison, run ",
            make("code", {}, `league compare ${league.folder} ${name(a)} ${name(b)}`),
            ".",
          ),
    ];
  }

  league.aboutTwo = (a, b) => {
    const known = league.comparisons.find((one) => (one.a === a && one.b === b) || (one.a === b && one.b === a));
    const box = make("div", { class: "compared" }, ...(known ? answer(known) : atLeast(a, b)).filter(Boolean));
    if (!known && league.served) {
      fetch(`compare/${encodeURIComponent(name(a))}/${encodeURIComponent(name(b))}`)
        .then((reply) => (reply.ok ? reply.json() : Promise.reject(reply)))
        .then(
          (compared) => box.replaceChildren(...answer(compared).filter(Boolean)),
          () => {},
        );
    }
    const samples = league.samples.filter((sample) => sample.bots.includes(a) && sample.bots.includes(b));
    return [
      make("p", { class: "links" }, league.link(league.state.board, a), league.link(league.state.board, b)),
      box,
      section(
        "Games",
        gamesList(samples, [a, b]),
        allGames({ contest: league.state.board, bot: name(a), against: name(b) }),
      ),
    ];
  };
})();
