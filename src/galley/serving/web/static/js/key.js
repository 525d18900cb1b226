// The API key: kept in this tab only, asked for when the server wants one.

import { byId } from "./dom.js";

const STORE = "galley-api-key";
let key = stored();
let asking = null;

function stored() {
  try {
    return sessionStorage.getItem(STORE) ?? "";
  } catch {
    return ""; // storage is off: kept in memory
  }
}

function keep(value) {
  key = value;
  try {
    if (value) sessionStorage.setItem(STORE, value);
    else sessionStorage.removeItem(STORE);
  } catch {
    // Storage is off: kept in memory.
  }
}

/** Headers that carry the key, if there is one. */
export const authorization = () => (key ? { Authorization: `Bearer ${key}` } : {});

/** Opens the dialog; resolves to true when a key was given. Several callers share one dialog. */
export function askForKey(note) {
  asking ??= ask(note).finally(() => {
    asking = null;
  });
  return asking;
}

function ask(note) {
  const dialog = byId("key-dialog");
  const input = byId("key-input");
  if (note) byId("key-note").textContent = note;
  input.value = key;
  dialog.returnValue = "cancel";
  dialog.showModal();
  input.select();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(answer(dialog.returnValue, input.value.trim())), { once: true });
  });
}

function answer(choice, value) {
  if (choice === "save") keep(value);
  if (choice === "forget") keep("");
  return choice === "save" && Boolean(value);
}

/** Pressing Enter in the input has to mean "Use key", not the first button of the form. */
export function prepareKeyDialog() {
  byId("key-button").addEventListener("click", () => askForKey());
  byId("key-input").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    byId("key-dialog").close("save");
  });
}
