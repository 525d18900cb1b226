// What is said of a job's state, in the list, the head of the document and to screen readers.

import { count } from "./dom.js";

/** A few words for the list of files. */
export function shortState(job) {
  if (job.lost) return "connection lost, trying again";
  const read = count(job.pages.size, "page");
  switch (job.state) {
    case "waiting":
      return "waiting";
    case "uploading":
      return job.sent < 1 ? `uploading, ${Math.round(100 * job.sent)} %` : "uploaded";
    case "queued":
      return "in the queue";
    case "running":
      return job.pagesTotal ? `reading, ${job.pagesDone} of ${count(job.pagesTotal, "page")}` : "reading";
    case "done":
      return job.failures.length ? `${read} read, ${count(job.failures.length, "failure")}` : `${read} read`;
    case "failed":
      return "failed";
    default:
      return `cancelled, ${read} read`;
  }
}

/** The state, what the reader wants to know first, and the figures of the model, where one reads. */
export function longState(job) {
  const { pages_per_second: speed, tpf, speedup } = job.stats;
  const short = shortState(job);
  const state = short[0].toUpperCase() + short.slice(1);
  const rate = speed ? ` · ${speed.toFixed(speed < 10 ? 1 : 0)} pages/s` : "";
  const figures = [
    tpf ? ` · ${tpf.toFixed(1)} tokens per forward` : "",
    speedup ? ` · ${speedup.toFixed(1)}× faster than one at a time` : "",
  ];
  return { state: state + rate, figures: figures.join("") };
}

/** The share of the job that is done, 0 to 1; null where that is not known yet. */
export function shareDone(job) {
  if (job.state === "uploading") return job.sent < 1 ? job.sent : null;
  if (job.state === "running") return job.pagesTotal ? job.pagesDone / job.pagesTotal : null;
  return job.isFinal ? 1 : null;
}
