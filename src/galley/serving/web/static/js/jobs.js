// All files of this session, uploaded one after another; the server's ids survive a reload of the tab.

import { Job } from "./job.js";

const STORE = "galley-jobs";

/** Emits `added`, `removed` and `trouble`, each with `detail` `{job}`, and for the last also `error`. */
export class Jobs extends EventTarget {
  list = [];
  #uploads = Promise.resolve();

  /** Queues files with these options; they are uploaded one at a time. */
  add(files, options) {
    for (const file of files) {
      const job = this.#enter(new Job(file.name, file.size));
      this.#uploads = this.#uploads.then(() => this.#upload(job, file, options));
    }
  }

  async #upload(job, file, options) {
    if (job.isFinal) return;
    try {
      await job.submit(file, options);
    } catch (error) {
      if (error.name !== "AbortError") job.fail(error);
      return;
    }
    this.#save();
    job.watch();
  }

  /** Takes up the jobs of an earlier load of this tab, those the server still has. */
  restore() {
    for (const { id, name } of this.#saved()) {
      const job = this.#enter(new Job(name));
      job.resume(id).catch((error) => (error.status === 404 ? this.remove(job) : job.fail(error)));
    }
  }

  /** Takes a job out of the list. */
  remove(job) {
    job.forget();
    this.list = this.list.filter((other) => other !== job);
    this.#save();
    this.#emit("removed", { job });
  }

  #enter(job) {
    this.list.push(job);
    job.addEventListener("trouble", (event) => this.#emit("trouble", { job, error: event.detail }));
    this.#emit("added", { job });
    return job;
  }

  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  #saved() {
    try {
      return JSON.parse(sessionStorage.getItem(STORE) ?? "[]");
    } catch {
      return [];
    }
  }

  #save() {
    const known = this.list.filter((job) => job.id !== null).map(({ id, name }) => ({ id, name }));
    try {
      sessionStorage.setItem(STORE, JSON.stringify(known));
    } catch {
      // Storage is off: the list lasts as long as the page.
    }
  }
}
