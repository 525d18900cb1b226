// LaTeX, shown by KaTeX, which is loaded when the first formula is met.

let katex = null;

function loadKatex() {
  katex ??= import("../vendor/katex/katex.min.js").then(() => globalThis.katex);
  return katex;
}

// As Pandoc has it: no space inside the signs and no digit after the second, so that prices stay prices.
const INLINE = /\\\((.+?)\\\)|(?<![\\$])\$(?=[^\s$])((?:[^$\\\n]|\\.)*?[^\s\\$])\$(?![\d$])/g;

/** Shows `latex` in `element`; where KaTeX cannot, the source stays and `element` gets the class `raw`. */
export async function showLatex(element, latex, display) {
  element.textContent = latex;
  const { render } = await loadKatex();
  try {
    render(latex, element, { displayMode: display, throwOnError: true, trust: false, maxSize: 20, maxExpand: 500, strict: "ignore" });
  } catch {
    element.textContent = latex;
    element.classList.add("raw");
    element.title = "Not shown as a formula: this LaTeX cannot be set.";
  }
}

/** Text with `$…$` and `\(…\)` in it as nodes. */
export function withInlineMath(text) {
  const nodes = [];
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    const latex = match[1] ?? match[2];
    const span = document.createElement("span");
    span.className = "inline-math";
    showLatex(span, latex, false);
    nodes.push(text.slice(at, match.index), span);
    at = match.index + match[0].length;
  }
  nodes.push(text.slice(at));
  return nodes.filter((node) => node !== "");
}
