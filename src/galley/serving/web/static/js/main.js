// Puts the page together.

import { byId, isNarrow } from "./dom.js";
import { prepareDownload } from "./download.js";
import { prepareFileList } from "./filelist.js";
import { prepareIntake } from "./intake.js";
import { Jobs } from "./jobs.js";
import { prepareKeyDialog } from "./key.js";
import { dismissToast, showError } from "./toast.js";
import { Viewer } from "./viewer.js";

const jobs = new Jobs();
const viewer = new Viewer();
const markCurrent = prepareFileList(jobs, choose);

function choose(job) {
  if (job !== viewer.job) viewer.show(job);
  markCurrent(job);
  document.body.toggleAttribute("data-empty", job === null);
  document.title = job ? `${job.name} – Galley` : "Galley";
  showFiles(false);
}

/** In one column the list of files lies over the document. */
function showFiles(open) {
  document.body.toggleAttribute("data-files-open", open);
  byId("files-button").setAttribute("aria-expanded", String(open));
}

jobs.addEventListener("added", ({ detail: { job } }) => {
  if (!viewer.job || viewer.job.isFinal) choose(job);
});
jobs.addEventListener("removed", ({ detail: { job } }) => {
  if (job === viewer.job) choose(jobs.list.at(-1) ?? null);
});
jobs.addEventListener("trouble", ({ detail: { job, error } }) => showError(error.message, job.name));

prepareIntake((files, options) => {
  jobs.add(files, options);
  choose(jobs.list.at(-files.length));
});
prepareDownload(() => viewer.job);
prepareKeyDialog();
byId("image-dialog").addEventListener("close", () => byId("image-dialog").querySelector(".image-scroll").replaceChildren());

byId("files-button").addEventListener("click", () => {
  const open = !document.body.hasAttribute("data-files-open");
  showFiles(open);
  if (open) byId("choose").focus();
});
addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || document.querySelector("dialog[open], [popover]:popover-open")) return;
  if (isNarrow() && document.body.hasAttribute("data-files-open")) {
    showFiles(false);
    byId("files-button").focus();
  } else if (!dismissToast()) {
    viewer.clearLink();
  }
});

jobs.restore();
