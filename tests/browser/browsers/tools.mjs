// What the page side is written with: cases, comparisons, and the element under test by its parts.

const cases = [];

/** Whether this page runs every case. What the place of a page has no say in, `once`, runs in one place of each browser. */
const FULL = /^\?(digests|all)$/.test(location.search);

/** One case of the suite; it fails if `work` throws. */
export const test = (name, work, { once = false } = {}) => {
  if (FULL || !once) cases.push([name, work]);
};

/** Runs all cases, one after the other: how many there were, and what failed. */
export async function runAll() {
  const failures = [];
  for (const [name, work] of cases) {
    try {
      await work();
    } catch (error) {
      failures.push(`${name}: ${error.message}`);
    }
    for (const element of document.querySelectorAll("main > *")) element.remove();
  }
  return { cases: cases.length, failures };
}

/** Both say the same as JSON. */
export function same(actual, expected, what = "it") {
  const [found, wanted] = [actual, expected].map(value => JSON.stringify(value));
  if (found !== wanted) throw new Error(`${what} is ${found}, want ${wanted}`);
}

export function ok(condition, what) {
  if (!condition) throw new Error(what);
}

/** Every thirtieth: what the elements show of vectors that the core is tested with in full. */
export const someOf = all => all.filter((_, index) => index % 30 === 0);

export const frame = () => new Promise(requestAnimationFrame);
export const turn = () => new Promise(resolve => setTimeout(resolve));

/** An element with these attributes in the page, and its parts. */
export function mount(tag, attributes = {}) {
  const host = document.createElement(tag);
  for (const [name, value] of Object.entries({ lang: "en", ...attributes })) host.setAttribute(name, value);
  document.querySelector("main").append(host);
  return parts(host);
}

export function parts(host) {
  const root = host.shadowRoot;
  const one = selector => root.querySelector(selector),
    all = selector => [...root.querySelectorAll(selector)];
  const me = {
    host,
    root,
    one,
    all,
    text: selector => tidy(one(selector).textContent),
    texts: selector => all(selector).map(item => tidy(item.textContent)),
    /** Types into a control; with `commit` it is left, too. */
    type(selector, text, commit = true) {
      const control = typeof selector === "string" ? one(selector) : selector;
      control.value = text;
      control.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
      if (commit) control.dispatchEvent(new Event("change", { bubbles: true }));
    },
    button: name => all("button").find(button => tidy(button.textContent) === name),
    press: name => me.button(name).click(),
    /** Number of the step on view, counted from 0. */
    current: () =>
      all(".steps li").findIndex(item => item.ariaCurrent === "step" || item.getAttribute("aria-current") === "step"),
  };
  return me;
}

export const tidy = text => text.replace(/\s+/g, " ").trim();

/** Lightness of what is drawn behind and in front, 0 to 255. */
export function shades(root) {
  const { backgroundColor, color } = getComputedStyle(root.querySelector(".lab"));
  return [backgroundColor, color].map(text =>
    Math.max(
      ...text
        .match(/[\d.]+/g)
        .slice(0, 3)
        .map(Number),
    ),
  );
}

/** Controls and labels that lie on each other, at the element's width. */
export function overlaps({ all }) {
  const found = [],
    parts = all("button, input, select, label").filter(
      part => part.checkVisibility() && !part.closest(".plot, .slider"),
    );
  const boxes = new Map(parts.map(part => [part, part.getBoundingClientRect()]));
  for (const [one, a] of boxes)
    for (const [other, b] of boxes) {
      const both = [
        Math.min(a.right, b.right) - Math.max(a.left, b.left),
        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top),
      ];
      const before = one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING;
      if (before && !one.contains(other) && both.every(length => length > 0.5))
        found.push([one, other].map(part => tidy(part.textContent) || part.id || part.type).join(" on "));
    }
  return found;
}

/** What is cut off, or hangs out of the element, at its width. */
export function misfits({ host, all }) {
  const { left, right } = host.getBoundingClientRect();
  const scrolls = part => part.closest(".scroller, .slider, .u-row, .vh, math") !== null;
  return all(".lab *").flatMap(part => {
    const box = part.getBoundingClientRect();
    if (!box.width || scrolls(part) || part.closest(".point")) return [];
    const name = `${part.localName}.${part.getAttribute("class")} "${tidy(part.textContent).slice(0, 20)}"`;
    if (box.right > right + 0.5 || box.left < left - 0.5)
      return [`${name} hangs out: ${box.left - left} to ${box.right - left}`];
    const cut =
      getComputedStyle(part).overflowX !== "visible" &&
      part.localName !== "input" &&
      part.clientWidth &&
      part.scrollWidth > part.clientWidth + 1;
    return cut ? [`${name} is cut off: ${part.scrollWidth} in ${part.clientWidth}`] : [];
  });
}
