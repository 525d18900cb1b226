// Tables: from the grid of cells, or from HTML that a model wrote, of which only cells, spans and text are taken.

import { h } from "./dom.js";
import { withInlineMath } from "./mathtext.js";

const inert = globalThis.trustedTypes?.createPolicy("galley", { createHTML: (html) => html }) ?? {
  createHTML: (html) => html,
};
const MAX_SPAN = 1000;

const span = (n) => (n > 1 ? String(Math.min(n, MAX_SPAN)) : null);

function cellElement({ header, rowspan, colspan, text }) {
  const lines = text.split("\n").flatMap((line, i) => (i ? [h("br"), ...withInlineMath(line)] : withInlineMath(line)));
  return h(header ? "th" : "td", { rowspan: span(rowspan), colspan: span(colspan) }, lines);
}

function tableElement(rows) {
  return h("table", {}, h("tbody", {}, rows.map((row) => h("tr", {}, row.map(cellElement)))));
}

/** The grid's rows, with an empty cell in every place no cell covers. */
function gridRows({ rows, cols, cells }) {
  const covered = new Set();
  const byRow = Array.from({ length: rows }, () => []);
  for (const cell of cells) {
    byRow[cell.row]?.push(cell);
    for (let r = cell.row; r < cell.row + cell.rowspan; r += 1)
      for (let c = cell.col; c < cell.col + cell.colspan; c += 1) covered.add(r * cols + c);
  }
  for (let r = 0; r < rows; r += 1)
    for (let c = 0; c < cols; c += 1)
      if (!covered.has(r * cols + c)) byRow[r].push({ col: c, rowspan: 1, colspan: 1, text: "", header: false });
  return byRow.map((row) => row.sort((a, b) => a.col - b.col));
}

/** A `Table` of the document model as a <table>. */
export const fromGrid = (table) => tableElement(gridRows(table));

const TAG = /<(\/?[a-z]\w*)\b((?:[^>"']|"[^"]*"|'[^']*')*)>/gi;
const SPAN = /\b(?:row|col)span\s*=\s*["']?\d+["']?/gi;

/** Tags with no attributes but spans: others would only make the browser report what it has refused. */
const bare = (html) => html.replace(TAG, (_, name, rest) => `<${[name, ...(rest.match(SPAN) ?? [])].join(" ")}>`);

/**
 * HTML with a table in it as a <table>, or null. The HTML is parsed in a document of its own, where nothing runs and
 * nothing is loaded, and a new table is built from what it says.
 */
export function fromHtml(html) {
  const parsed = new DOMParser().parseFromString(inert.createHTML(bare(html)), "text/html").querySelector("table");
  if (!parsed) return null;
  for (const line of parsed.querySelectorAll("br")) line.replaceWith("\n");
  const cell = (td) => ({ header: td.localName === "th", rowspan: td.rowSpan, colspan: td.colSpan, text: td.textContent });
  return tableElement([...parsed.rows].map((row) => [...row.cells].map(cell)));
}
