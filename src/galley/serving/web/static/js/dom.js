// Small helpers for building the page. Text only ever enters as text nodes, never as markup.

/** The element with this id. */
export const byId = (id) => document.getElementById(id);

/**
 * Makes an element. `props`: `class`, `data` (dataset), `style` (CSS properties), `on` (listeners); a function or a
 * boolean is set as a property, anything else as an attribute. null and undefined are left out.
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined) continue;
    if (name === "class") element.className = value;
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "style") for (const [key, to] of Object.entries(value)) element.style.setProperty(key, to);
    else if (name === "on") for (const [type, run] of Object.entries(value)) element.addEventListener(type, run);
    else if (typeof value === "boolean") element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** True where the page is laid out in one column with tabs. */
export const isNarrow = () => matchMedia("(max-width: 820px)").matches;

/** "1 page", "2 pages". */
export const count = (n, one, many = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
