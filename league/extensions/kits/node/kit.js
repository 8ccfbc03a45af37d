// Talks to the league: reads a line, asks the bots, writes a line. See docs/languages.md of League.
"use strict";

const readline = require("node:readline");

/** Random numbers from 0 to 1 that are the same when a game is played again (the generator sfc32). */
function seeded(seed) {
  let [a, b, c, counter] = [0, seed | 0, Math.floor(seed / 4294967296) | 0, 1];
  const next = () => {
    const sum = (((a + b) | 0) + counter++) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 4294967296;
  };
  for (let round = 0; round < 12; round++) next();
  return next;
}

/** Play with a class that has choose(view), and if it likes start(table) and finish(outcome, view). */
function play(Bot) {
  console.log = console.error; // what the class prints must not get between the answers
  const bots = new Map();
  const broken = new Map();
  let table = {};

  const withRandom = (bot, call) => {
    Math.random = bot.table.random;
    return call(bot);
  };
  const explained = (problem) => {
    console.error(problem?.stack ?? problem);
    const place = /([^/(\s]+\.[cm]?js:\d+):\d+/.exec(problem?.stack ?? "");
    return `${problem}${place ? ` (${place[1]})` : ""}`.slice(0, 200);
  };
  const started = ({ slot, seat, seed, fresh }) => {
    broken.delete(slot);
    try {
      if (fresh) {
        const own = { ...table, seat, random: seeded(seed) };
        Math.random = own.random;
        const bot = new Bot(own);
        bot.table = own;
        bots.set(slot, bot);
      }
      const bot = bots.get(slot);
      bot.table.seat = seat;
      withRandom(bot, () => bot.start?.(bot.table));
    } catch (problem) {
      broken.set(slot, explained(problem));
    }
  };
  const chosen = ({ slot, view }) => {
    if (broken.has(slot)) return { error: broken.get(slot) };
    try {
      return withRandom(bots.get(slot), (bot) => bot.choose(view));
    } catch (problem) {
      return { error: explained(problem) };
    }
  };
  const finished = ({ slot, ranks, scores, view }) => {
    try {
      withRandom(bots.get(slot), (bot) => bot.finish?.({ ranks, scores }, view));
    } catch (problem) {
      explained(problem);
    }
  };

  readline.createInterface({ input: process.stdin }).on("line", (line) => {
    const message = JSON.parse(line);
    let answer = { protocol: 1, final_view: Boolean(Bot.prototype.finish) };
    if (message.hello) {
      const { game, players, options } = message.hello;
      table = { game, players, options };
    } else {
      message.finish.forEach(finished);
      message.start.forEach(started);
      answer = message.choose.map(chosen);
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  });
}

module.exports = { play };
