// The proof view of a page: its text marked by how each token was committed, its rounds, its figures.

import { count, h } from "./dom.js";
import { pageProof } from "./api.js";
import { blockContent } from "./blocks.js";
import { committed, countWays, runs, WAY_MEANINGS, WAY_NAMES, WAYS } from "./proofdata.js";
import { blockShell } from "./textview.js";
import { timeline } from "./timeline.js";

/** How a figure is written: 9.7, or a dash where it is not known. */
const figure = (value, unit = "") => (value === null || value === undefined ? "–" : `${value.toFixed(value < 10 ? 2 : 1)}${unit}`);

/** The page's proof; throws what the server refuses. */
export async function proofView(job, page, signal) {
  const proof = await pageProof(job.id, page.number, signal);
  const byBlock = new Map(proof.blocks.map((entry) => [entry.block, entry]));
  const blocks = page.blocks.map((block, index) =>
    blockShell(marked(block, byBlock.get(index)), index, page.blocks.length, proofText(block, byBlock.get(index), page)),
  );
  if (!proof.blocks.some((entry) => committed(entry).length)) {
    return [h("p", { class: "nothing" }, "No model read this page, so there is nothing to prove: this is the draft."), ...blocks];
  }
  const spans = blocks.flatMap((block) => [...block.querySelectorAll(".run")]);
  const showRound = (last) => {
    for (const span of spans) span.classList.toggle("ahead", Number(span.dataset.round) > last);
  };
  return [h("div", { class: "proof-head" }, figures(proof.stats), shares(proof), timeline(proof, showRound)), ...blocks];
}

function marked(block, entry) {
  if (!entry?.low_confidence || block.flags.includes("low-confidence")) return block;
  return { ...block, flags: ["low-confidence", ...block.flags] };
}

/** The tokens of a block; its content where no model wrote it. */
function proofText(block, entry, page) {
  const tokens = committed(entry);
  if (!tokens.length) return h("div", { class: "no-tokens" }, blockContent(block, page));
  const spans = runs(tokens).map(({ how, round, text, tokens }) =>
    h("span", { class: `run ${how}`, title: `Round ${round}: ${count(tokens, "token")}, ${WAY_NAMES[how].toLowerCase()}`, data: { round: String(round) } }, text),
  );
  return h("p", { class: "proof-text", dir: "auto" }, spans);
}

function figures(stats) {
  const items = [
    [figure(stats.tpf), "tokens per forward", "TPF: committed tokens per forward of the model, the reading of the prompt left out"],
    [figure(stats.speedup, "×"), "speed-up against AR", "against autoregressive decoding, which commits one token in a forward"],
    [figure(stats.aal), "average accepted length", "AAL: tokens committed per verifying forward"],
    [`${stats.tokens.toLocaleString("en")} / ${stats.forwards.toLocaleString("en")}`, "tokens / forwards", "on this page: tokens with those that end a block, and forwards counted block by block, though a round is one for all blocks that are decoded together"],
  ];
  const item = ([value, name, title]) => h("div", { title }, h("dt", {}, name), h("dd", {}, value));
  return h("dl", { class: "figures" }, items.map(item));
}

/** A strip of how much came in each way, with the numbers in words below. */
function shares(proof) {
  const counts = countWays(proof);
  const total = Math.max(1, counts.free + counts.own + counts.single);
  const used = WAYS.filter((way) => counts[way]);
  return h(
    "div",
    { class: "shares" },
    h("div", { class: "share-strip", "aria-hidden": "true" }, used.map((way) => h("i", { class: way, style: { "flex-grow": String(counts[way]) } }))),
    h("p", {}, used.map((way) => `${WAY_NAMES[way]} ${Math.round((100 * counts[way]) / total)} %`).join(" · ")),
  );
}

/** What the marks mean, for the head of the document. */
export function legend() {
  return WAYS.map((way) => h("span", { class: "legend-item", title: WAY_MEANINGS[way] }, h("span", { class: `run ${way}` }, WAY_NAMES[way]), h("small", {}, WAY_MEANINGS[way])));
}
