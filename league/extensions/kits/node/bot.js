// ABOUT

const { play } = require("./kit.js");

class CLASS {
  constructor(table) {
    // A match begins: you have table.game, players, seat, options, and random() for numbers from 0 to 1.
    this.random = table.random;
  }

  choose(view) {
    // Your turn: return one of view.legal. Everything you know is in the view, described above.
    return view.legal[Math.floor(this.random() * view.legal.length)];
  }
}

play(CLASS);
