// One uploaded file: its state as the server tells it, and its pages as they come.

import * as api from "./api.js";

const FINAL = new Set(["done", "failed", "cancelled"]);
const RETRY_MS = [500, 1000, 2000, 5000, 10000];
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Emits `change` when its state changes, `page` (with `detail` the page) for every page, `end` once, and `trouble`
 * (with `detail` an Error) when it failed. `state` is one of waiting, uploading, queued, running, done, failed,
 * cancelled; the first two are before the server knows of it.
 */
export class Job extends EventTarget {
  #abort = new AbortController();
  #lastEvent = null;

  constructor(name, size = 0) {
    super();
    this.name = name;
    this.size = size;
    this.id = null;
    this.state = "waiting";
    this.sent = 0;
    this.pagesDone = 0;
    this.pagesTotal = null;
    this.stats = {};
    this.failures = [];
    this.pages = new Map();
    this.lost = false;
  }

  get isFinal() {
    return FINAL.has(this.state);
  }

  /** Uploads the file. Waits and tries again when the server is full. */
  async submit(file, options) {
    const { signal } = this.#abort;
    const onProgress = (sent) => this.#set({ sent });
    while (!signal.aborted) {
      this.#set({ state: "uploading", sent: 0 });
      try {
        const answer = await api.submit(file, options, { onProgress, signal });
        this.#set({ id: answer.id, state: answer.state ?? "queued" });
        return;
      } catch (error) {
        if (error.status !== 429) throw error;
        this.#set({ state: "waiting" });
        await pause(1000 * (error.retryAfter ?? 2));
      }
    }
    throw new DOMException("cancelled", "AbortError");
  }

  /** Follows the job until it ends, over lost connections. */
  async watch() {
    const { signal } = this.#abort;
    for (let failures = 0; !this.isFinal && !signal.aborted; ) {
      try {
        await this.#follow(signal);
        if (!this.isFinal) this.#take(await api.job(this.id, signal));
        this.#set({ lost: false });
        failures = 0;
        if (!this.isFinal) await pause(RETRY_MS[0]);
      } catch (error) {
        if (signal.aborted) return;
        if (error.status >= 400 && error.status < 500) return this.fail(error);
        this.#set({ lost: true });
        await pause(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]);
        failures += 1;
      }
    }
    if (signal.aborted) return;
    await this.#fillIn();
    if (this.state === "failed") {
      const error = new Error(this.failures[0]?.message ?? "The document could not be read.");
      this.dispatchEvent(new CustomEvent("trouble", { detail: error }));
    }
    this.dispatchEvent(new CustomEvent("end"));
  }

  async #follow(signal) {
    for await (const { event, data, id } of api.jobEvents(this.id, this.#lastEvent, signal)) {
      this.#lastEvent = id;
      if (event === "page") this.#addPage(data.page);
      else this.#take(data);
      if (event === "end") return;
    }
  }

  /** Pages whose events were missed, as after a reload, are in the result. */
  async #fillIn() {
    const unread = new Set(this.failures.map((failure) => failure.page).filter(Number.isInteger)).size;
    if (this.pages.size + unread >= this.pagesDone || this.state === "failed") return;
    try {
      const text = await (await api.result(this.id, "json")).text();
      for (const page of JSON.parse(text).pages) this.#addPage(page);
    } catch (error) {
      this.dispatchEvent(new CustomEvent("trouble", { detail: error }));
    }
  }

  #addPage(page) {
    if (!page || this.pages.has(page.number)) return; // null: the server no longer has it
    for (const block of page.blocks) delete block.lines; // not shown, and most of the size of a long document
    this.pages.set(page.number, page);
    this.dispatchEvent(new CustomEvent("page", { detail: page }));
  }

  #take(told) {
    this.#set({
      state: told.state ?? this.state,
      pagesDone: told.pages_done ?? this.pagesDone,
      pagesTotal: told.pages_total ?? this.pagesTotal,
      failures: told.failures ?? this.failures,
      stats: { ...this.stats, ...told.stats },
    });
  }

  #set(values) {
    const changed = Object.entries(values).some(([name, value]) => this[name] !== value);
    Object.assign(this, values);
    if (changed) this.dispatchEvent(new CustomEvent("change"));
  }

  /** Takes up a job the server knows already. */
  async resume(id) {
    this.id = id;
    const told = await api.job(id, this.#abort.signal);
    this.name = told.name ?? this.name;
    // The state is left to the events, which also bring the pages.
    this.#set({ state: "queued", pagesTotal: told.pages_total ?? null });
    await this.watch();
  }

  /** Ends in failure with this error. */
  fail(error) {
    this.#set({ state: "failed", lost: false, failures: [{ page: null, message: error.message }] });
    this.dispatchEvent(new CustomEvent("trouble", { detail: error }));
    this.dispatchEvent(new CustomEvent("end"));
  }

  /** Asks the server to stop; before it knows of the job, just stops. */
  async cancel() {
    if (this.id !== null) {
      await api.cancel(this.id);
      return;
    }
    this.#abort.abort();
    this.#set({ state: "cancelled" });
    this.dispatchEvent(new CustomEvent("end"));
  }

  /** Stops listening. */
  forget() {
    this.#abort.abort();
  }
}
