// How files come in: chosen, dropped anywhere on the page, or pasted; and the options they are sent with.

import { byId } from "./dom.js";
import { showError } from "./toast.js";

/** Calls `onFiles(files, options)` for every batch of files. */
export function prepareIntake(onFiles) {
  const form = byId("intake");
  const input = byId("file-input");
  const take = (files) => files.length && onFiles(files, readOptions(form));

  form.addEventListener("submit", (event) => event.preventDefault());
  byId("choose").addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    take([...input.files]);
    input.value = ""; // so that the same file can be chosen again
  });
  prepareDrop(take);
  document.addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (!files.length) return;
    event.preventDefault();
    take(files.map(named));
  });
}

/** Form fields for the server; what is left at its default is not sent. */
function readOptions(form) {
  const data = new FormData(form);
  const options = {};
  const pages = data.get("pages").trim();
  if (pages) options.pages = pages;
  if (data.get("strategy")) options.strategy = data.get("strategy");
  if (data.get("ocr") !== "auto") options.ocr = data.get("ocr");
  if (data.get("password")) options.password = data.get("password");
  const keep = data.getAll("keep");
  if (keep.length) options.keep = ["footnotes", ...keep].join(",");
  return options;
}

function prepareDrop(take) {
  const overlay = byId("dropping");
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
  let depth = 0; // dragenter and dragleave come for every element that is crossed
  const show = (by) => {
    depth = Math.max(0, depth + by);
    overlay.hidden = depth === 0;
  };
  addEventListener("dragenter", (event) => hasFiles(event) && show(1));
  addEventListener("dragleave", (event) => hasFiles(event) && show(-1));
  addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    show(-depth);
    const folders = [...event.dataTransfer.items].filter((item) => item.webkitGetAsEntry?.()?.isDirectory).length;
    if (folders) showError("A folder cannot be dropped: open it and drop its files.");
    else take([...event.dataTransfer.files]);
  });
}

let pasted = 0;

/** Browsers call every pasted picture image.png. */
function named(file) {
  if (file.name !== "image.png") return file;
  pasted += 1;
  return new File([file], `pasted-${pasted}.png`, { type: file.type });
}
