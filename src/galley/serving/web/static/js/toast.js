// Messages at the edge of the page. Errors stay until dismissed; notes go away by themselves.

import { byId, h } from "./dom.js";

const NOTE_MS = 6000;

/** Shows an error; `title` says what it is about, where the message does not. */
export const showError = (message, title = "") => show("error", message, title);

/** Shows a note for a few seconds. */
export function showNote(message) {
  const toast = show("note", message, "");
  setTimeout(() => toast.remove(), NOTE_MS);
}

function show(kind, message, title) {
  const toast = h(
    "div",
    { class: `toast ${kind}`, role: kind === "error" ? "alert" : "status" },
    h("div", {}, title && !message.includes(title) ? h("strong", {}, title) : null, h("p", {}, message)),
    h("button", { type: "button", class: "quiet", "aria-label": "Dismiss", on: { click: () => toast.remove() } }, "×"),
  );
  byId("toasts").append(toast);
  return toast;
}

/** Takes the newest message away; false when there is none. */
export function dismissToast() {
  const toast = byId("toasts").lastElementChild;
  toast?.remove();
  return Boolean(toast);
}

/** Says something to screen readers only. */
export function announce(message) {
  byId("status").textContent = message;
}
