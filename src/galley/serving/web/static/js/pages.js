// The pages of one document, in order of their numbers; those far from the screen are empty.

import { h } from "./dom.js";
import { PageRow } from "./pagerow.js";

/** Emits `current` (with `detail` the page number) when another page comes to the top. */
export class Pages extends EventTarget {
  #container;
  #view;
  #job = null;
  #rows = [];
  #byElement = new Map();
  #tail = h("div", { class: "tail" });

  constructor(container, view) {
    super();
    this.#container = container;
    this.#view = view;
    const near = { root: container, rootMargin: "120% 0px" };
    this.near = new IntersectionObserver((entries) => this.#mountNear(entries), near);
    this.top = new IntersectionObserver((entries) => this.#noteTop(entries), { root: container, rootMargin: "-25% 0px -75% 0px" });
  }

  /** Shows a job's pages; null shows nothing. */
  show(job) {
    for (const row of this.#rows) this.#drop(row);
    this.#rows = [];
    this.#job = job;
    this.#container.replaceChildren(this.#tail);
    this.#container.scrollTop = 0;
    for (const page of job?.pages.values() ?? []) this.add(page);
  }

  #drop(row) {
    this.near.unobserve(row.element);
    this.top.unobserve(row.element);
    row.unmount();
    this.#byElement.delete(row.element);
  }

  /** Adds a page at its place. */
  add(page) {
    const row = new PageRow(this.#job, page, this.#view);
    let at = this.#rows.length;
    while (at > 0 && this.#rows[at - 1].page.number > page.number) at -= 1;
    this.#rows.splice(at, 0, row);
    this.#byElement.set(row.element, row);
    this.#container.insertBefore(row.element, this.#rows[at + 1]?.element ?? this.#tail);
    this.near.observe(row.element);
    this.top.observe(row.element);
  }

  /** What stands below the last page. */
  setTail(...children) {
    this.#tail.replaceChildren(...children);
  }

  setView(view) {
    if (view === this.#view) return;
    const anchor = this.#rowAtTop();
    this.#view = view;
    for (const row of this.#rows) row.setView(view);
    anchor?.element.scrollIntoView({ block: "start" });
  }

  #rowAtTop() {
    const top = this.#container.getBoundingClientRect().top;
    return this.#container.scrollTop > 0
      ? this.#rows.find((row) => row.element.getBoundingClientRect().bottom > top + 1)
      : undefined;
  }

  /** Scrolls to the page with this number, or the first after it. */
  goTo(number) {
    const row = this.#rows.find((other) => other.page.number >= number) ?? this.#rows.at(-1);
    if (!row) return;
    row.mount();
    row.element.scrollIntoView({ block: "start" });
  }

  /** The number of the page `by` pages from `number`. */
  neighbour(number, by) {
    const index = this.#rows.findIndex((row) => row.page.number >= number);
    const at = Math.min(this.#rows.length - 1, Math.max(0, index + by));
    return this.#rows[at]?.page.number;
  }

  /** Scrolls to a block and focuses it. */
  reveal(number, block) {
    const row = this.#rows.find((other) => other.page.number === number);
    if (!row) return;
    const arrive = () => {
      const element = row.reading.querySelector(`[data-block="${block}"]`);
      element?.scrollIntoView({ block: "center" });
      element?.focus({ preventScroll: true });
    };
    const wasMounted = row.isMounted;
    if (!wasMounted) row.element.addEventListener("shown", arrive, { once: true });
    this.goTo(number);
    if (wasMounted) arrive();
  }

  #mountNear(entries) {
    for (const { target, isIntersecting } of entries) {
      const row = this.#byElement.get(target);
      if (isIntersecting) row?.mount();
      else if (!target.contains(document.activeElement)) row?.unmount();
    }
  }

  #noteTop(entries) {
    const row = entries.findLast((entry) => entry.isIntersecting)?.target;
    if (row) this.dispatchEvent(new CustomEvent("current", { detail: Number(row.dataset.page) }));
  }
}
