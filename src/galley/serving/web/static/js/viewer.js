// The head of the document and what it steers: state, progress, cancel, views, page numbers, blocks to check.

import { byId, count, h, isNarrow } from "./dom.js";
import { needsCheck } from "./labels.js";
import { linkRegions } from "./link.js";
import { Pages } from "./pages.js";
import { legend } from "./proofview.js";
import { prepareTabs } from "./tabs.js";
import { announce, showError } from "./toast.js";
import { longState, shareDone, shortState } from "./words.js";

export class Viewer {
  job = null;
  #pages = new Pages(byId("pages"), "text");
  #abort = new AbortController();
  #current = 1;
  #checked = null;
  #toCheck = [];
  #lastPage = 0;
  #scheduled = false;
  #lastSaid = 0;

  constructor() {
    this.choose = prepareTabs((view) => this.#pages.setView(view));
    this.clearLink = linkRegions(byId("pages"), this.choose).clear;
    byId("legend").append(...legend());
    byId("cancel").addEventListener("click", () => this.#cancel());
    byId("check").addEventListener("click", () => this.#nextToCheck());
    this.#prepareGoTo();
  }

  /** Shows a job from its first page; null shows nothing. */
  show(job) {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.job = job;
    this.#checked = null;
    this.#toCheck = [];
    this.#lastPage = 0;
    this.#lastSaid = 0;
    for (const page of job?.pages.values() ?? []) this.#note(page);
    this.#setCurrent(1);
    this.#pages.show(job);
    if (!job) return;
    const { signal } = this.#abort;
    job.addEventListener("change", () => this.#schedule(), { signal });
    job.addEventListener("page", (event) => this.#onPage(event.detail), { signal });
    job.addEventListener("end", () => this.#onEnd(), { signal });
    this.#setCurrent([...job.pages.keys()].sort((a, b) => a - b)[0] ?? 1);
    this.#update();
  }

  #onPage(page) {
    this.#pages.add(page);
    this.#note(page);
    if (this.job.pages.size === 1) this.#setCurrent(page.number);
    this.#schedule();
  }

  #onEnd() {
    this.#update();
    announce(`${this.job.name}: ${shortState(this.job)}`);
  }

  /** Events can come by the hundred a second; the head is drawn once a frame. */
  #schedule() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    requestAnimationFrame(() => {
      this.#scheduled = false;
      if (this.job) this.#update();
    });
  }

  #update() {
    const { job } = this;
    byId("doc-name").textContent = job.name;
    byId("doc-name").title = job.name;
    const { state, figures } = longState(job);
    byId("doc-state").replaceChildren(state, h("span", { class: "figure" }, figures));
    byId("cancel").hidden = job.isFinal;
    byId("download").disabled = !job.isFinal || job.pages.size === 0;
    const progress = byId("doc-progress");
    const share = shareDone(job);
    progress.classList.toggle("over", job.isFinal);
    if (share === null) progress.removeAttribute("value");
    else progress.value = share;
    byId("page-count").textContent = `of ${this.#lastPage.toLocaleString("en")}`;
    byId("goto").hidden = job.pages.size < 2;
    this.#showChecks();
    this.#pages.setTail(...tail(job));
    this.#saySometimes(share);
  }

  /** Screen readers hear of every quarter, not of every page. */
  #saySometimes(share) {
    if (this.job.state !== "running" || share === null) return;
    const quarter = Math.floor(4 * share);
    if (quarter > this.#lastSaid) announce(`${this.job.name}: ${shortState(this.job)}`);
    this.#lastSaid = Math.max(quarter, this.#lastSaid);
  }

  async #cancel() {
    try {
      await this.job.cancel();
    } catch (error) {
      showError(error.message, this.job.name);
    }
  }

  #note(page) {
    this.#lastPage = Math.max(this.#lastPage, page.number);
    page.blocks.forEach((block, index) => needsCheck(block) && this.#toCheck.push({ page: page.number, index }));
  }

  #showChecks() {
    byId("check").hidden = this.#toCheck.length === 0;
    byId("check").textContent = `${this.#toCheck.length.toLocaleString("en")} to check`;
  }

  /** Goes to the next marked block after the one visited last, from the top again after the last. */
  #nextToCheck() {
    const marked = this.#toCheck.sort((a, b) => a.page - b.page || a.index - b.index);
    const last = this.#checked;
    const isAfter = ({ page, index }) => !last || page > last.page || (page === last.page && index > last.index);
    const next = marked.find(isAfter) ?? marked[0];
    this.#checked = next;
    if (isNarrow() && document.body.dataset.view === "image") this.choose("text");
    this.#pages.reveal(next.page, next.index);
    announce(`${marked.indexOf(next) + 1} of ${marked.length} to check`);
  }

  #prepareGoTo() {
    const input = byId("page-input");
    const move = (by) => this.#pages.goTo(this.#pages.neighbour(this.#current, by));
    byId("previous").addEventListener("click", () => move(-1));
    byId("next").addEventListener("click", () => move(1));
    byId("goto").addEventListener("submit", (event) => {
      event.preventDefault();
      const number = Number.parseInt(input.value, 10);
      if (number > 0) this.#pages.goTo(number);
      else this.#setCurrent(this.#current);
    });
    this.#pages.addEventListener("current", (event) => this.#setCurrent(event.detail));
  }

  #setCurrent(number) {
    this.#current = number;
    if (document.activeElement !== byId("page-input")) byId("page-input").value = number;
  }
}

/** Below the last page: what is still to come, and what could not be read. */
function tail(job) {
  const failures = job.failures.map(({ page, message }) =>
    h("p", { class: "failure" }, page ? h("strong", {}, `Page ${page}: `) : null, message),
  );
  if (job.isFinal) {
    const nothing = job.pages.size || failures.length ? [] : [h("p", { class: "nothing" }, "No page was read.")];
    return [...failures, ...nothing];
  }
  const left = job.pagesTotal ? job.pagesTotal - job.pagesDone : null;
  const words = left ? `${count(left, "page")} to come` : shortState(job);
  return [...failures, h("div", { class: "pending", "aria-hidden": "true" }, h("div", { class: "ghost sheet-ghost" }), h("div", { class: "ghost text-ghost" }, h("p", {}, words)))];
}
