// Rounds as a timeline: a bar for the tokens of each round, and a slider that shows the text as it stood after one.

import { count, h } from "./dom.js";
import { binRounds, countRounds, WAY_NAMES, WAYS } from "./proofdata.js";

const MOST_BARS = 160;
const PLAY_MS = 5000;

const sum = (round) => WAYS.reduce((total, way) => total + round[way], 0);

/** The timeline of a page's proof; `onRound` is told the last round to show. */
export function timeline(proof, onRound) {
  const { first, rounds } = countRounds(proof);
  const { size, bins } = binRounds(rounds, MOST_BARS);
  const highest = Math.max(1, ...bins.map(sum));
  const last = first + rounds.length - 1;
  const bars = bins.map((bin, i) => bar(bin, highest, label(first + i * size, Math.min(last, first + (i + 1) * size - 1))));
  const slider = h("input", { type: "range", min: first, max: last, value: last, "aria-label": "Show the text after round" });
  const shown = h("output", { class: "round-shown" });
  const totals = rounds.map(sum);
  const total = totals.reduce((a, b) => a + b, 0);

  const show = (round) => {
    slider.value = round;
    const tokens = totals.slice(0, round - first + 1).reduce((a, b) => a + b, 0);
    const words = `after round ${round} of ${last}: ${count(tokens, "token")}`;
    slider.setAttribute("aria-valuetext", words);
    shown.textContent = round === last ? `${count(rounds.length, "round")}, ${count(total, "token")}` : words;
    bars.forEach((element, i) => element.classList.toggle("ahead", first + i * size > round));
    onRound(round);
  };
  const player = makePlayer(first, last, show);
  slider.addEventListener("input", () => {
    player.stop();
    show(Number(slider.value));
  });
  const chart = h("div", { class: "bars", "aria-hidden": "true" }, bars);
  chart.addEventListener("click", (event) => {
    const index = bars.indexOf(event.target.closest(".round-bar"));
    if (index >= 0) show(Math.min(last, first + (index + 1) * size - 1));
  });
  show(last);
  return h("div", { class: "timeline" }, player.button, h("div", { class: "timeline-chart" }, chart, slider), shown);
}

const label = (from, to) => (from === to ? `Round ${from}` : `Rounds ${from} to ${to}`);

function bar(bin, highest, name) {
  const ways = WAYS.filter((way) => bin[way]);
  const parts = ways.map((way) => h("i", { class: way, style: { height: `${(100 * bin[way]) / highest}%` } }));
  const words = ways.map((way) => `${WAY_NAMES[way].toLowerCase()} ${bin[way]}`).join(", ");
  return h("span", { class: "round-bar", title: `${name}: ${words || "nothing kept"}` }, parts.reverse());
}

/** A button that lets the rounds run from the first to the last. */
function makePlayer(first, last, show) {
  let frame = 0;
  const button = h("button", { type: "button", class: "play", on: { click: () => (frame ? stop() : start()) } }, "Replay");
  function stop() {
    cancelAnimationFrame(frame);
    frame = 0;
    button.textContent = "Replay";
  }
  function start() {
    button.textContent = "Stop";
    const began = performance.now();
    const length = Math.min(PLAY_MS, 150 * (last - first + 1));
    const step = (now) => {
      if (!button.isConnected) return stop();
      const share = Math.min(1, (now - began) / length);
      show(first + Math.round(share * (last - first)));
      if (share < 1) frame = requestAnimationFrame(step);
      else stop();
    };
    frame = requestAnimationFrame(step);
  }
  return { button, stop };
}
