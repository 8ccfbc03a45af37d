// Bids the card nearest to the prize. One line comes in, one line goes out.
const lines = require("readline").createInterface({ input: process.stdin });

const choose = ({ view }) =>
  view.legal.reduce((best, card) => (Math.abs(card - view.prize) < Math.abs(best - view.prize) ? card : best));

lines.on("line", (line) => {
  const message = JSON.parse(line);
  const answer = message.hello ? { protocol: 1 } : message.choose.map(choose);
  process.stdout.write(JSON.stringify(answer) + "\n");
});
