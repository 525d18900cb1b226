// The document model's words in the reader's.

const LABELS = {
  title: "Title",
  heading: "Heading",
  text: "Text",
  list_item: "List item",
  code: "Code",
  caption: "Caption",
  table: "Table",
  formula: "Formula",
  figure: "Figure",
  reference: "Reference",
  header: "Page header",
  footer: "Page footer",
  page_number: "Page number",
  footnote: "Footnote",
  aside: "Margin note",
};

/** Kinds of label that share a colour. */
const KINDS = {
  title: "head",
  heading: "head",
  table: "table",
  formula: "formula",
  figure: "figure",
  caption: "figure",
  header: "furniture",
  footer: "furniture",
  page_number: "furniture",
};

const FLAGS = {
  "low-confidence": ["low confidence", "The reader was unsure here: compare it with the page."],
  unsupported: ["unsupported", "No draft bears this text out."],
  loop: ["loop", "The model repeated itself and was stopped."],
  failed: ["failed", "This block could not be read as asked."],
  "draft-kept": ["draft kept", "The quick draft is shown; the model did not confirm it."],
  unverified: ["unverified", "A plain reading; no model has verified it as LaTeX."],
};

export const labelName = (label) => LABELS[label] ?? label;
export const labelKind = (label) => KINDS[label] ?? "text";

/** A flag's short name and what it means. */
export const flagWords = (flag) => FLAGS[flag] ?? [flag, ""];

/** Flags that ask the reader to compare the block with the page. `unverified` is how plain readings are, always. */
export const needsCheck = (block) => block.flags.some((flag) => flag !== "unverified");

/** What a screen reader says of a block. */
export function describe(block, index, total) {
  const flags = block.flags.map((flag) => flagWords(flag)[0]);
  return [`${labelName(block.label)}, ${index + 1} of ${total}`, ...flags].join(", ");
}
