// The Markdown view of a page: the source as the server writes it, with a button that copies it.

import { h } from "./dom.js";
import { pageMarkdown } from "./api.js";
import { showNote } from "./toast.js";

/** The page's Markdown source; throws what the server refuses. */
export async function markdownView(job, page, signal) {
  const text = await pageMarkdown(job.id, page.number, signal);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    showNote(`The Markdown of page ${page.number} is copied.`);
  };
  return [
    navigator.clipboard ? h("button", { type: "button", class: "copy", on: { click: copy } }, "Copy") : null,
    h("pre", { class: "source", dir: "auto" }, h("code", {}, text)),
  ];
}
