// The tabs over the pages. In one column the page image is a tab of its own.

import { byId, isNarrow } from "./dom.js";

/**
 * Wires the tabs; `onView(name)` is called when another is chosen. Returns a function that chooses one, which is
 * false where it was chosen already.
 */
export function prepareTabs(onView) {
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const visible = () => tabs.filter((tab) => tab.offsetParent !== null);
  let current = null;

  function choose(view) {
    if (view === current) return false;
    current = view;
    for (const tab of tabs) {
      const isCurrent = tab.dataset.view === view;
      tab.setAttribute("aria-selected", String(isCurrent));
      tab.tabIndex = isCurrent ? 0 : -1;
    }
    document.body.dataset.view = view;
    byId("pages").setAttribute("aria-labelledby", `tab-${view}`);
    byId("legend").hidden = view !== "proof";
    onView(view);
    return true;
  }

  for (const tab of tabs) {
    tab.addEventListener("click", () => choose(tab.dataset.view));
    tab.addEventListener("keydown", (event) => {
      const shown = visible();
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const to = event.key === "Home" ? shown[0] : event.key === "End" ? shown.at(-1) : by && shown.at((shown.indexOf(tab) + by) % shown.length);
      if (!to) return;
      event.preventDefault();
      choose(to.dataset.view);
      to.focus();
    });
  }
  matchMedia("(max-width: 820px)").addEventListener("change", () => current === "image" && !isNarrow() && choose("text"));
  choose("text");
  return choose;
}
