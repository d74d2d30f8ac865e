// What the page must show, from the definition in plain double arithmetic: good for six decimals, and
// independent of the core.

/** Probabilities before and after top-k (strict), as the page writes them. */
export function expected(logits, tau, k) {
  const max = Math.max(...logits),
    weights = logits.map(z => Math.exp((z - max) / tau));
  const share = (all, keep) =>
    all.map((w, id) => (keep(id) ? w / all.reduce((sum, other, i) => sum + (keep(i) ? other : 0), 0) : 0));
  const order = logits.map((_, id) => id).sort((a, b) => logits[b] - logits[a] || a - b);
  const kept = order.slice(0, k).sort((a, b) => a - b);
  const p = share(weights, () => true),
    q = share(weights, id => kept.includes(id));
  return { kept, before: p.map(text), after: q.map(text), mass: text(kept.reduce((sum, id) => sum + p[id], 0)) };
}

/** Six decimals; exact 0 and 1 as they are. */
export function text(value) {
  return value === 0 || value === 1 ? String(value) : value.toFixed(6);
}
