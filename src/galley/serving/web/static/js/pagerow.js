// One page: its image with the regions on the left, its text on the right. Its contents exist only near the screen.

import { byId, h } from "./dom.js";
import { pageImage } from "./api.js";
import { describe, labelKind, labelName, needsCheck } from "./labels.js";
import { markdownView } from "./markdownview.js";
import { proofView } from "./proofview.js";
import { textView } from "./textview.js";

export class PageRow {
  #job;
  #view;
  #abort = null;
  #imageUrl = null;
  #turn = 0;

  constructor(job, page, view) {
    this.#job = job;
    this.#view = view;
    this.page = page;
    this.frame = h("div", { class: "frame", style: { "aspect-ratio": `${page.width || 1} / ${page.height || 1}` } });
    this.frame.style.setProperty("--aspect", String((page.width || 1) / (page.height || 1)));
    this.reading = h("div", { class: "reading" });
    this.element = h(
      "section",
      { class: "page", data: { page: String(page.number) }, "aria-label": `Page ${page.number}` },
      h("div", { class: "sheet" }, this.frame, h("p", { class: "folio" }, String(page.number))),
      this.reading,
    );
  }

  get isMounted() {
    return this.#abort !== null;
  }

  mount() {
    if (this.isMounted) return;
    this.#abort = new AbortController();
    this.#showImage(this.#abort.signal);
    this.#showView();
  }

  /** Takes the contents away and keeps the height, so that nothing below moves. */
  unmount() {
    if (!this.isMounted) return;
    this.element.style.minHeight = `${this.element.offsetHeight}px`;
    this.#abort.abort();
    this.#abort = null;
    this.frame.replaceChildren();
    this.reading.replaceChildren();
    if (this.#imageUrl) URL.revokeObjectURL(this.#imageUrl);
    this.#imageUrl = null;
  }

  setView(view) {
    this.#view = view;
    this.element.style.minHeight = "";
    if (this.isMounted) this.#showView();
  }

  async #showImage(signal) {
    const image = h("img", { alt: `Image of page ${this.page.number}`, draggable: "false" });
    const enlarge = h("button", { type: "button", class: "enlarge", on: { click: () => this.#enlarge() } }, "Enlarge");
    this.frame.replaceChildren(image, this.#regions(), enlarge);
    try {
      const blob = await pageImage(this.#job.id, this.page.number, signal);
      if (signal.aborted) return;
      this.#imageUrl = URL.createObjectURL(blob);
      image.src = this.#imageUrl;
      this.#fillCuts();
    } catch (error) {
      if (signal.aborted) return;
      image.remove();
      this.frame.append(h("p", { class: "nothing" }, `No image: ${error.message}`));
    }
  }

  #regions() {
    const { blocks, width, height } = this.page;
    const total = blocks.length;
    const regions = blocks.map((block, index) => region(block, index, total, width || 1, height || 1));
    // Small regions lie above the large ones around them, so that each can be pointed at.
    const byArea = [...regions.keys()].sort((a, b) => area(blocks[b].bbox) - area(blocks[a].bbox));
    byArea.forEach((index, rank) => regions[index].style.setProperty("z-index", String(rank + 1)));
    if (regions[0]) regions[0].tabIndex = 0;
    return h("div", { class: "regions", role: "group", "aria-label": `Regions of page ${this.page.number}` }, regions);
  }

  async #showView() {
    const turn = (this.#turn += 1);
    const { signal } = this.#abort;
    const children = await this.#contents(signal);
    if (turn !== this.#turn || signal.aborted) return;
    const warnings = (this.page.warnings ?? []).map((text) => h("p", { class: "page-warning" }, text));
    this.reading.replaceChildren(...warnings, ...children.filter(Boolean));
    const first = this.reading.querySelector("[data-block]");
    if (first) first.tabIndex = 0;
    this.element.style.minHeight = "";
    this.#fillCuts();
    this.element.dispatchEvent(new CustomEvent("shown", { bubbles: true }));
  }

  async #contents(signal) {
    try {
      if (this.#view === "markdown") return await markdownView(this.#job, this.page, signal);
      if (this.#view === "proof") return await proofView(this.#job, this.page, signal);
    } catch (error) {
      return [h("p", { class: "nothing" }, error.message)];
    }
    return textView(this.page);
  }

  /** Figures in the text are cut from the page image. */
  #fillCuts() {
    if (!this.#imageUrl) return;
    for (const image of this.reading.querySelectorAll("img.cut")) image.src = this.#imageUrl;
  }

  #enlarge() {
    if (!this.#imageUrl) return;
    const dialog = byId("image-dialog");
    dialog.querySelector(".image-scroll").replaceChildren(
      h("img", { src: this.#imageUrl, alt: `Image of page ${this.page.number}, full size` }),
    );
    dialog.showModal();
  }
}

const area = ({ x0, y0, x1, y1 }) => (x1 - x0) * (y1 - y0);

function region(block, index, total, width, height) {
  const { x0, y0, x1, y1 } = block.bbox;
  return h(
    "button",
    {
      type: "button",
      class: `region kind-${labelKind(block.label)}${needsCheck(block) ? " to-check" : ""}`,
      tabindex: "-1",
      "aria-label": `Region: ${describe(block, index, total)}`,
      data: { block: String(index), jump: "block" },
      style: {
        left: `${(100 * x0) / width}%`,
        top: `${(100 * y0) / height}%`,
        width: `${(100 * (x1 - x0)) / width}%`,
        height: `${(100 * (y1 - y0)) / height}%`,
      },
    },
    h("span", { class: "region-tag", "aria-hidden": "true" }, `${index + 1} ${labelName(block.label)}`),
  );
}
