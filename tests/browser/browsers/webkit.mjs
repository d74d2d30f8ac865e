// WebKitGTK: its MiniBrowser on a display of Xvfb, by plain WebDriver over fetch.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";

const BROWSER = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";
/** Keys that WebDriver writes as one character of Unicode's private area. */
const KEYS = {
  Tab: "\ue004",
  Escape: "\ue00c",
  End: "\ue010",
  Home: "\ue011",
  ArrowLeft: "\ue012",
  ArrowRight: "\ue014",
};

/** The browser; without `simd` it compiles no vector instructions. */
export async function start({ simd = true } = {}) {
  const screen = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", "1280x1100x24", "-nolisten", "tcp"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const [display] = await Promise.race([once(screen.stdio[3], "data"), failure(screen)]);
  const port = await freePort();
  const env = { ...process.env, DISPLAY: `:${String(display).trim()}`, ...(simd ? {} : { JSC_useWasmSIMD: "0" }) };
  const driver = spawn("WebKitWebDriver", [`--port=${port}`], { stdio: "ignore", env });
  const close = () => (driver.kill(), screen.kill());
  try {
    return await Promise.race([session(`http://127.0.0.1:${port}/session`, close), failure(driver)]);
  } catch (error) {
    close();
    throw error;
  }
}

async function session(base, close) {
  const options = { binary: BROWSER, args: ["--automation"] };
  const { sessionId, capabilities } = await call(
    "POST",
    base,
    { capabilities: { alwaysMatch: { "webkitgtk:browserOptions": options } } },
    100,
  );
  const send = (method, path, body) => call(method, `${base}/${sessionId}${path}`, body);
  await send("POST", "/timeouts", { script: 300_000 });
  await send("POST", "/window/rect", { width: 1200, height: 1000 });

  async function open(url) {
    await send("POST", "/url", { url });
    return {
      heard: [], // the driver tells nothing of the console: the page itself listens
      async evaluate(work, argument = null) {
        const script = `const done = arguments[1]; Promise.resolve(arguments[0]).then(${work}).then(value => done({ value }), error => done({ error: String(error) }))`;
        const { value, error } = await send("POST", "/execute/async", { script, args: [argument] });
        if (error) throw new Error(error);
        return value;
      },
      async press(key) {
        const value = KEYS[key] ?? key;
        await send("POST", "/actions", {
          actions: [
            {
              type: "key",
              id: "keys",
              actions: [
                { type: "keyDown", value },
                { type: "keyUp", value },
              ],
            },
          ],
        });
      },
      async drag(from, to) {
        const move = ([x, y]) => ({ type: "pointerMove", x: Math.round(x), y: Math.round(y) });
        const steps = [move(from), { type: "pointerDown", button: 0 }, move(to), { type: "pointerUp", button: 0 }];
        const perform = () => send("POST", "/actions", { actions: [{ type: "pointer", id: "mouse", actions: steps }] });
        // now and then the driver gives up without a reason: once more, from a mouse that holds nothing
        await perform().catch(async error => {
          if (!/unknown error/.test(error.message)) throw error;
          await send("DELETE", "/actions");
          await perform();
        });
      },
      screenshot: async path => writeFile(path, await send("GET", "/screenshot"), "base64"),
      close: () => send("POST", "/url", { url: "about:blank" }),
    };
  }

  return {
    name: "WebKit",
    version: capabilities.browserVersion,
    open,
    async close() {
      await send("DELETE", "");
      close();
    },
  };
}

/** One command of WebDriver; `tries` while the driver is not yet listening. */
async function call(method, url, body, tries = 0) {
  try {
    const response = await fetch(url, { method, body: body && JSON.stringify(body) });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`WebKitWebDriver: ${value.error}: ${value.message}`);
    return value;
  } catch (error) {
    if (!tries || error.cause?.code !== "ECONNREFUSED") throw error;
    await new Promise(done => setTimeout(done, 100));
    return call(method, url, body, tries - 1);
  }
}

/** Rejects if the program cannot be started; else it waits for ever. */
const failure = program => new Promise((_, reject) => program.once("error", reject));

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}
