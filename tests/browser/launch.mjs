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

export const launch = (...flags) =>
  chromium.launch({ executablePath: "/usr/bin/chromium", args: [...FLAGS, ...flags] });
