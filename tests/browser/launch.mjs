// Chromium as the tests and the bench start it: without a window, and without anything that it would ask for by itself.
import { chromium } from "playwright-core";

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const start = (name, flags) => chromium.launch({ executablePath: `/usr/bin/${name}`, args: [...FLAGS, ...flags] });

export const launch = (...flags) => start("chromium", flags);

/** The same engine without the browser around it, whose every window takes most of a second. */
export const launchShell = (...flags) => start("chromium-headless-shell", flags);
