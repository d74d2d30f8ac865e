// For the tests of how files hang together.

/** A path of a diagram of arrows (of each name, those it points to) that comes back to where it starts, or null. */
export function circleIn(arrows) {
  const done = new Set();
  function visit(name, path) {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    if (done.has(name)) return null;
    for (const next of arrows.get(name) ?? []) {
      const found = visit(next, [...path, name]);
      if (found) return found;
    }
    done.add(name);
    return null;
  }
  for (const name of arrows.keys()) {
    const found = visit(name, []);
    if (found) return found.join(" -> ");
  }
  return null;
}
