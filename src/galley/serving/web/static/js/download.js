// Saving results as files.

import { byId, h } from "./dom.js";
import { result } from "./api.js";
import { showError } from "./toast.js";

const EXTENSIONS = { markdown: "md", html: "html", json: "json", text: "txt" };

/** Wires the download menu; `current()` gives the job to save. */
export function prepareDownload(current) {
  const menu = byId("download-menu");
  const button = byId("download");
  menu.addEventListener("toggle", (event) => {
    if (event.newState !== "open") return;
    const place = button.getBoundingClientRect();
    menu.style.top = `${place.bottom + 4}px`;
    menu.style.right = `${document.documentElement.clientWidth - place.right}px`;
    menu.querySelector("button").focus();
  });
  menu.addEventListener("keydown", (event) => moveInMenu(menu, event));
  menu.addEventListener("click", (event) => {
    const format = event.target.closest("[data-format]")?.dataset.format;
    if (!format) return;
    menu.hidePopover();
    button.focus();
    save(current(), format);
  });
}

function moveInMenu(menu, event) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  const buttons = [...menu.querySelectorAll("button")];
  buttons.at((buttons.indexOf(document.activeElement) + by) % buttons.length).focus();
}

async function save(job, format) {
  try {
    const blob = await result(job.id, format);
    const url = URL.createObjectURL(blob);
    const stem = job.name.replace(/\.[^.]+$/, "") || "document";
    h("a", { href: url, download: `${stem}.${EXTENSIONS[format]}` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000); // the browser may still be reading it
  } catch (error) {
    showError(error.message, `${job.name} could not be saved`);
  }
}
