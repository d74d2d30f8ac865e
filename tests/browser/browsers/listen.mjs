// The first script of every page of the suite: notes whatever is said or goes wrong, and waits for the suite's report,
// which a frame sends to the page around it.
globalThis.heard = [];

const text = value => (value instanceof Error ? `${value.name}: ${value.message}` : String(value));
for (const level of ["debug", "log", "info", "warn", "error", "assert"]) {
  const said = console[level];
  console[level] = (...values) => {
    heard.push(`${level}: ${values.map(text).join(" ")}`);
    said.apply(console, values);
  };
}
addEventListener(
  "error",
  event => heard.push(`error: ${event.message || `${event.target.localName} is not loaded`}`),
  true,
);
addEventListener("unhandledrejection", event => heard.push(`rejected: ${text(event.reason)}`));
document.addEventListener("securitypolicyviolation", event =>
  heard.push(`policy: ${event.violatedDirective} ${event.blockedURI}`),
);

globalThis.report = new Promise(resolve => addEventListener("message", ({ data }) => data.cases && resolve(data)));
