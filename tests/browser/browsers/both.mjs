// The page side: what must hold of either element: keys stay inside, language, theme, widths, strange pages.
import { en, zh } from "../../messages.mjs";
import { plain } from "../../../web/i18n/rich.ts";
import { frame, misfits, mount, ok, overlaps, same, shades, test } from "./tools.mjs";

const TAGS = { "smp-sampling": m => plain(m.title), "smp-stopping": m => plain(m.stopping.title) };
const KEYS = [
  "a",
  "s",
  "n",
  "/",
  "?",
  "1",
  " ",
  "Enter",
  "Home",
  "End",
  "PageDown",
  "ArrowLeft",
  "ArrowRight",
  "ArrowUp",
  "ArrowDown",
];

for (const [tag, title] of Object.entries(TAGS)) {
  test(`${tag}: keys stay inside, those of the browser leave`, () => {
    const { all } = mount(tag),
      heard = [];
    const hear = event => heard.push(event.key);
    addEventListener("keydown", hear);
    const controls = all("button, input, select, textarea, summary, [tabindex]");
    ok(controls.length > 10, `${controls.length} controls`);
    const send = (control, init) =>
      control.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, composed: true, cancelable: true, ...init }));
    for (const control of controls) for (const key of KEYS) send(control, { key });
    same(heard, [], "what the page hears");
    for (const init of [{ key: "Tab" }, { key: "Escape" }, { key: "k", ctrlKey: true }, { key: "k", metaKey: true }])
      send(controls[0], init);
    same(heard, ["Tab", "Escape", "k", "k"], "what the page hears");
    removeEventListener("keydown", hear);
  });

  test(`${tag}: language of the element, of an ancestor, of the page; it follows changes`, async () => {
    const { host, text } = mount(tag, { lang: "zh" });
    same(text("h2"), title(zh));
    host.setAttribute("lang", "en-GB");
    same(text("h2"), title(en));
    document.documentElement.lang = "zh-CN";
    host.removeAttribute("lang");
    same(text("h2"), title(zh));
    document.documentElement.lang = "fr";
    await frame();
    same(text("h2"), title(en));
    document.documentElement.lang = "en";
  });

  test(`${tag}: theme by attribute, by color-scheme, by the text's colour`, async () => {
    const { host, root } = mount(tag),
      page = document.documentElement;
    const dark = async (wanted, what) => {
      await frame();
      await frame();
      const [ground, ink] = shades(root);
      ok(Math.abs(ground - ink) > 150 && ground < ink === wanted, `${what}: ground ${ground}, ink ${ink}`);
    };
    await dark(false, "a page without color-scheme");
    page.style.colorScheme = "dark";
    await dark(true, "color-scheme dark");
    page.style.colorScheme = "";
    document.body.style.color = "rgb(238, 238, 238)";
    await dark(true, "light text");
    host.setAttribute("theme", "light");
    await dark(false, "theme light");
    document.body.style.color = "";
    host.setAttribute("theme", "dark");
    await dark(true, "theme dark");
  });

  for (const m of [zh, en])
    test(
      `${tag}, ${m.lang}: nothing is cut off, hangs out or lies on another from 320 to 1200 px`,
      async () => {
        const me = mount(tag, { lang: m.lang });
        for (const width of [320, 559, 560, 760, 960, 1080, 1200]) {
          me.host.style.width = `${width}px`;
          await frame();
          await frame();
          same([misfits(me), overlaps(me)], [[], []], `at ${width} px`);
        }
      },
      { once: true },
    );

  test(`${tag}: one instance of the module for many elements, and each its own state`, () => {
    const many = Array.from({ length: 5 }, () => mount(tag));
    const box = tag === "smp-sampling" ? "#u" : "#limit",
      before = many[1].one(box).value;
    many[0].type(box, "0.25");
    same(
      many.slice(1).map(({ one }) => one(box).value),
      Array(4).fill(before),
    );
  });

  test(`${tag}: the fallback is hidden, untouched, and other content stays in view`, () => {
    const host = document.createElement(tag),
      fallback = document.createElement("p");
    fallback.slot = "fallback";
    fallback.textContent = "worked table";
    host.append(fallback);
    document.querySelector("main").append(host);
    same([fallback.getClientRects().length, host.innerHTML], [0, '<p slot="fallback">worked table</p>']);
  });
}
