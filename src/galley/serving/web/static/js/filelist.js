// The list of this session's files.

import { byId, h } from "./dom.js";
import { shareDone, shortState } from "./words.js";
import { showError } from "./toast.js";

/** Keeps the list in step with `jobs`; `onChoose(job)` is called when one is picked. Returns what marks the current. */
export function prepareFileList(jobs, onChoose) {
  const list = byId("files");
  const items = new Map();

  jobs.addEventListener("added", ({ detail: { job } }) => {
    const item = new FileItem(job, () => onChoose(job), () => jobs.remove(job));
    items.set(job, item);
    list.append(item.element);
  });
  jobs.addEventListener("removed", ({ detail: { job } }) => {
    items.get(job)?.element.remove();
    items.delete(job);
  });
  return (current) => {
    for (const [job, item] of items) item.setCurrent(job === current);
  };
}

class FileItem {
  constructor(job, choose, remove) {
    this.job = job;
    this.state = h("small", { class: "file-state" });
    this.progress = h("progress", { class: "file-progress", max: "1", "aria-label": `Progress of ${job.name}` });
    this.name = h("span", { class: "file-name" }, job.name);
    this.button = h("button", { type: "button", class: "file", on: { click: choose } }, this.name, this.state);
    this.stop = h("button", { type: "button", class: "quiet", on: { click: () => this.#stop(remove) } }, "×");
    this.element = h("li", {}, this.button, this.stop, this.progress);
    job.addEventListener("change", () => this.#update());
    job.addEventListener("end", () => this.#update());
    this.#update();
  }

  setCurrent(isCurrent) {
    if (isCurrent) this.button.setAttribute("aria-current", "true");
    else this.button.removeAttribute("aria-current");
  }

  async #stop(remove) {
    if (this.job.isFinal) return remove();
    try {
      await this.job.cancel();
    } catch (error) {
      showError(error.message, this.job.name);
    }
  }

  #update() {
    const { job } = this;
    this.name.textContent = job.name;
    this.name.title = job.name;
    this.state.textContent = shortState(job);
    this.element.dataset.state = job.failures.length && job.state === "done" ? "partly" : job.state;
    const share = shareDone(job);
    if (share === null) this.progress.removeAttribute("value");
    else this.progress.value = share;
    this.progress.hidden = job.isFinal || job.state === "waiting";
    this.stop.setAttribute("aria-label", job.isFinal ? `Remove ${job.name} from the list` : `Cancel ${job.name}`);
  }
}
