// The Text view of a page: its blocks in reading order, each linked to its region.

import { h } from "./dom.js";
import { blockContent } from "./blocks.js";
import { describe, flagWords, labelKind, labelName, needsCheck } from "./labels.js";

/** Marks that say what a reader should know of a block. */
export function flagMarks(block) {
  return block.flags.map((flag) => {
    const [name, meaning] = flagWords(flag);
    const sure = flag === "low-confidence" && block.confidence !== null && block.confidence !== undefined;
    const share = sure ? ` ${Math.round(100 * block.confidence)} %` : "";
    return h("span", { class: `flag ${flag}`, title: meaning }, name + share);
  });
}

/** A block with its head (label, marks), around `content`. */
export function blockShell(block, index, total, content) {
  const marks = flagMarks(block);
  if (block.continues) marks.push(h("span", { class: "flag", title: "Goes on from an earlier column or page." }, "continued"));
  const head = h(
    "button",
    { type: "button", class: "block-head", tabindex: "-1", "aria-hidden": "true", data: { jump: "region" } },
    h("span", { class: "block-label" }, labelName(block.label)),
    marks,
  );
  return h(
    "div",
    {
      class: `block kind-${labelKind(block.label)}${needsCheck(block) ? " to-check" : ""}`,
      role: "group",
      tabindex: "-1",
      "aria-label": describe(block, index, total),
      data: { block: String(index) },
    },
    head,
    content,
  );
}

/** All blocks of a page. */
export function textView(page) {
  if (!page.blocks.length) return [h("p", { class: "nothing" }, "Nothing was found on this page.")];
  return page.blocks.map((block, index) =>
    blockShell(block, index, page.blocks.length, blockContent(block, page)),
  );
}
