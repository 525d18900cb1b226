// A block of the document model as elements. Block contents are plain text, so no Markdown is interpreted here.

import { h } from "./dom.js";
import { showLatex, withInlineMath } from "./mathtext.js";
import { fromGrid, fromHtml } from "./table.js";

const PARAGRAPH = {
  caption: "caption",
  footnote: "footnote",
  reference: "reference",
  aside: "aside",
  header: "furniture",
  footer: "furniture",
  page_number: "furniture",
};

/** The part of a page's width that text usually takes: figures are shown to the scale of the text. */
const TEXT_SHARE = 0.75;

/** The block's content; `page` gives the size figures are cut by. */
export function blockContent(block, page) {
  if (block.table) return scrolled(fromGrid(block.table));
  const make = MAKERS[block.label] ?? paragraph;
  return make(block, page);
}

const MAKERS = {
  title: (block) => h("h2", { class: "as-title", dir: "auto" }, withInlineMath(oneLine(block.content))),
  heading: (block) => h(`h${Math.min(6, Math.max(3, (block.level ?? 2) + 1))}`, { dir: "auto" }, withInlineMath(oneLine(block.content))),
  list_item: listItem,
  code: (block) => h("pre", {}, h("code", {}, block.content)),
  table: (block) => scrolled(fromHtmlOrText(block)),
  formula,
  figure,
};

const oneLine = (text) => text.split(/\s+/).join(" ").trim();

function paragraph(block) {
  return h("p", { class: PARAGRAPH[block.label] ?? "", dir: "auto" }, withInlineMath(block.content.trim()));
}

function listItem(block) {
  const marker = block.extra?.marker;
  const own = Boolean(marker) && block.content.startsWith(marker);
  const indent = `${1.5 * (Math.max(1, block.level ?? 1) - 1)}em`;
  const text = withInlineMath(block.content.trim());
  return h("ul", { class: own ? "own-marker" : "", dir: "auto", style: { "margin-inline-start": indent } }, h("li", {}, text));
}

function formula(block) {
  if (block.flags.includes("unverified")) return h("p", { class: "unverified", dir: "auto" }, block.content);
  const number = block.extra?.number;
  const tag = number && !block.content.includes("\\tag") ? ` \\tag{${number}}` : "";
  const element = h("div", { class: "formula" });
  showLatex(element, block.content.trim() + tag, true);
  return element;
}

/** The figure cut out of the page image, which the page gives the `<img>` when it has loaded. */
function figure(block, page) {
  const { x0, y0, x1, y1 } = block.bbox;
  const [width, height] = [Math.max(1, x1 - x0), Math.max(1, y1 - y0)];
  const image = h("img", {
    class: "cut",
    alt: block.content || "Figure",
    style: {
      width: `${(100 * page.width) / width}%`,
      left: `${(-100 * x0) / width}%`,
      top: `${(-100 * y0) / height}%`,
    },
  });
  const share = Math.min(100, (100 * width) / Math.max(1, page.width) / TEXT_SHARE);
  const frame = h("div", { class: "cut-frame", style: { "aspect-ratio": `${width} / ${height}`, width: `${share}%` } }, image);
  return h("figure", {}, frame, block.content ? h("figcaption", { dir: "auto" }, block.content) : null);
}

function fromHtmlOrText(block) {
  return (/<table/i.test(block.content) && fromHtml(block.content)) || h("p", { class: "table-text" }, block.content);
}

const scrolled = (element) => h("div", { class: "scrolled" }, element);
