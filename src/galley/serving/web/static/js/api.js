// The server's HTTP interface, one function per endpoint. Addresses are relative, so that a path prefix works.

import { events } from "./sse.js";
import { askForKey, authorization } from "./key.js";

/** What the server, or the way to it, refused. `status` is 0 where there was no answer. */
export class ApiError extends Error {
  constructor(message, status, retryAfter = null) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

const UNREACHABLE = "The server cannot be reached. Is it still running?";
const jobPath = (id, rest = "") => `v1/jobs/${encodeURIComponent(id)}${rest}`;

function errorFrom(status, text, retryAfter) {
  let message = `The server answered ${status}.`;
  try {
    const body = JSON.parse(text);
    message = body.error?.message ?? (typeof body.detail === "string" ? body.detail : message);
  } catch {
    // Not JSON: a proxy in between, say.
  }
  return new ApiError(message, status, Number(retryAfter) || null);
}

async function request(path, options = {}) {
  for (let attempt = 0; ; attempt += 1) {
    let response;
    try {
      response = await fetch(path, { ...options, headers: { ...options.headers, ...authorization() } });
    } catch (error) {
      throw error.name === "AbortError" ? error : new ApiError(UNREACHABLE, 0);
    }
    if (response.ok) return response;
    const error = errorFrom(response.status, await response.text(), response.headers.get("Retry-After"));
    if (response.status !== 401 || attempt > 2 || !(await askForKey(error.message))) throw error;
  }
}

/** Uploads one file as a job; `onProgress` gets the share sent, 0 to 1. XMLHttpRequest is what reports it. */
export async function submit(file, options, { onProgress, signal }) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await send(file, options, onProgress, signal);
    } catch (error) {
      if (error.status !== 401 || attempt > 2 || !(await askForKey(error.message))) throw error;
    }
  }
}

function send(file, options, onProgress, signal) {
  const form = new FormData();
  form.set("wait", "false");
  for (const [name, value] of Object.entries(options)) form.set(name, value);
  form.set("file", file, file.name);
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    call.open("POST", "v1/parse");
    for (const [name, value] of Object.entries(authorization())) call.setRequestHeader(name, value);
    call.upload.addEventListener("progress", (event) => event.lengthComputable && onProgress(event.loaded / event.total));
    call.addEventListener("load", () => {
      if (call.status >= 200 && call.status < 300) resolve(JSON.parse(call.responseText));
      else reject(errorFrom(call.status, call.responseText, call.getResponseHeader("Retry-After")));
    });
    call.addEventListener("error", () => reject(new ApiError(UNREACHABLE, 0)));
    call.addEventListener("abort", () => reject(new DOMException("cancelled", "AbortError")));
    signal.addEventListener("abort", () => call.abort(), { once: true });
    call.send(form);
  });
}

/** The job's state. */
export const job = async (id, signal) => (await request(jobPath(id), { signal })).json();

/** The job's events from the start, or from after event `last`: `progress`, `page`, `end`. */
export async function* jobEvents(id, last, signal) {
  const headers = { Accept: "text/event-stream", ...(last === null ? {} : { "Last-Event-ID": last }) };
  yield* events(await request(jobPath(id, "/events"), { signal, headers }));
}

/** Stops the job. */
export const cancel = (id) => request(jobPath(id), { method: "DELETE" });

/** The formats a document can be saved in: name, title and suffix of each. */
export const formats = async () => (await (await request("v1/formats")).json()).formats;

/** The whole document as a Blob; `format` is the name of one of `formats`. */
export const result = async (id, format) =>
  (await request(jobPath(id, `/result?format=${encodeURIComponent(format)}`))).blob();

const ofPage = (what, read) => async (id, page, signal) => {
  const response = await request(jobPath(id, `/pages/${page}/${what}`), { signal });
  return response[read]();
};

/** A page's image as a Blob, its Markdown as text, and how its tokens were committed. */
export const pageImage = ofPage("image", "blob");
export const pageMarkdown = ofPage("markdown", "text");
export const pageProof = ofPage("proof", "json");
