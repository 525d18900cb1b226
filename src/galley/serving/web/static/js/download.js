// Saving results as files.

import { byId, h } from "./dom.js";
import { formats, result } from "./api.js";
import { showError } from "./toast.js";

/** Wires the download menu; `current()` gives the job to save. */
export function prepareDownload(current) {
  const menu = byId("download-menu");
  const button = byId("download");
  menu.addEventListener("toggle", async (event) => {
    if (event.newState !== "open") return;
    const place = button.getBoundingClientRect();
    menu.style.top = `${place.bottom + 4}px`;
    menu.style.right = `${document.documentElement.clientWidth - place.right}px`;
    if (await fill(menu)) menu.querySelector("button").focus();
  });
  menu.addEventListener("keydown", (event) => moveInMenu(menu, event));
  menu.addEventListener("click", (event) => {
    const chosen = event.target.closest("[data-format]");
    if (!chosen) return;
    menu.hidePopover();
    button.focus();
    save(current(), chosen.dataset.format, chosen.dataset.suffix);
  });
}

/** Puts the formats that the server has into the menu; false where they are not to be had. */
async function fill(menu) {
  if (menu.querySelector("button")) return true;
  try {
    const entries = (await formats()).map(({ name, title, suffix }) =>
      h("button", { type: "button", data: { format: name, suffix } }, `${title} `, h("small", {}, suffix)),
    );
    menu.replaceChildren(...entries);
    return true;
  } catch (error) {
    menu.hidePopover();
    showError(error.message, "The formats could not be had");
    return false;
  }
}

function moveInMenu(menu, event) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  const buttons = [...menu.querySelectorAll("button")];
  buttons.at((buttons.indexOf(document.activeElement) + by) % buttons.length).focus();
}

async function save(job, format, suffix) {
  try {
    const blob = await result(job.id, format);
    const url = URL.createObjectURL(blob);
    const stem = job.name.replace(/\.[^.]+$/, "") || "document";
    h("a", { href: url, download: stem + suffix }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000); // the browser may still be reading it
  } catch (error) {
    showError(error.message, `${job.name} could not be saved`);
  }
}
