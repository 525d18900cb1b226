// The link between a block and its region: pointing at or focusing one lights both; a click or Enter goes across.

import { isNarrow } from "./dom.js";

const FORWARD = new Set(["ArrowDown", "ArrowRight"]);
const BACK = new Set(["ArrowUp", "ArrowLeft"]);

/**
 * Wires `container`, which holds pages. `showView(name)` switches the tab, where only one is shown at a time, and
 * says whether that builds the pages anew.
 */
export function linkRegions(container, showView) {
  let lit = null; // a place, not an element: views are built anew

  const mark = (on) => {
    const pair = lit?.page.querySelectorAll(`[data-block="${lit.index}"]`) ?? [];
    for (const element of pair) element.classList.toggle("lit", on);
  };
  const light = (target) => {
    const next = placeOf(target);
    if (next?.page === lit?.page && next?.index === lit?.index) return;
    mark(false);
    lit = next;
    mark(true);
  };
  const focused = () => (container.contains(document.activeElement) ? document.activeElement : null);

  container.addEventListener("pointerover", (event) => light(event.target));
  container.addEventListener("pointerleave", () => light(focused()));
  container.addEventListener("focusin", (event) => {
    light(event.target);
    rove(event.target);
  });
  container.addEventListener("focusout", (event) => event.relatedTarget || light(null));
  container.addEventListener("shown", () => mark(true));

  container.addEventListener("click", (event) => {
    const from = event.target.closest("[data-block]");
    if (!from || event.target.closest("a, input, .timeline, .copy") || !getSelection().isCollapsed) return;
    const isRegion = from.classList.contains("region");
    // In one column the text is for reading: only its head leads to the region.
    if (!isRegion && isNarrow() && !event.target.closest("[data-jump]")) return;
    cross(from, false);
  });

  container.addEventListener("keydown", (event) => {
    const from = event.target;
    if (!from.matches("[data-block]")) return;
    if (event.key === "Enter" || event.key === " ") cross(from, true);
    else if (FORWARD.has(event.key)) step(from, 1);
    else if (BACK.has(event.key)) step(from, -1);
    else if (event.key === "Home") siblings(from)[0].focus();
    else if (event.key === "End") siblings(from).at(-1).focus();
    else return;
    event.preventDefault();
  });

  /** Goes from a region to its block, or back. */
  function cross(from, withFocus) {
    const isRegion = from.classList.contains("region");
    const page = from.closest(".page");
    const isRebuilt = isNarrow() && showView(isRegion ? "text" : "image");
    const arrive = () => {
      const to = counterpart(page, from.dataset.block, isRegion);
      if (!to) return;
      to.scrollIntoView({ block: isNarrow() ? "center" : "nearest", behavior: smooth() });
      light(to);
      flash(to);
      // In one column the place that was left is hidden, and takes the focus with it.
      if (withFocus || isNarrow()) to.focus({ preventScroll: true });
    };
    if (!isRebuilt && counterpart(page, from.dataset.block, isRegion)) arrive();
    else page.addEventListener("shown", arrive, { once: true });
  }

  /** Clears the highlight; false when there was none. */
  function clear() {
    const had = lit !== null;
    const active = focused();
    if (active?.matches("[data-block]")) active.blur();
    light(null);
    return had;
  }
  return { clear };
}

/** The page and the number of the block or region that `element` is in, null where it is in none. */
function placeOf(element) {
  const own = element?.closest?.("[data-block]");
  return own ? { page: own.closest(".page"), index: own.dataset.block } : null;
}

const counterpart = (page, index, isRegion) =>
  page.querySelector(`${isRegion ? ".reading" : ".regions"} [data-block="${index}"]`);

const siblings = (element) => [...element.parentElement.querySelectorAll(":scope > [data-block]")];

/** One of a group is reached with Tab: the one focused last. */
function rove(target) {
  if (!target.matches?.("[data-block]")) return;
  for (const other of siblings(target)) other.tabIndex = other === target ? 0 : -1;
}

/** Focus to the next or previous of the group, going on over page ends. */
function step(from, by) {
  const group = siblings(from);
  const to = group[group.indexOf(from) + by] ?? acrossPages(from, by);
  to?.focus();
}

function acrossPages(from, by) {
  const page = from.closest(".page");
  const next = by > 0 ? page.nextElementSibling : page.previousElementSibling;
  const kind = from.classList.contains("region") ? ".region" : ".block";
  return [...(next?.querySelectorAll(kind) ?? [])].at(by > 0 ? 0 : -1);
}

const smooth = () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth");

function flash(element) {
  element.classList.remove("arrived");
  void element.offsetWidth; // starts the animation again
  element.classList.add("arrived");
}
