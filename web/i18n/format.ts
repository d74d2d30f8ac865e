// Numbers for the eye: six decimals, honest at both ends. Never read back: input is parsed from what was typed.

const numberFormat = (options: Intl.NumberFormatOptions) =>
  new Intl.NumberFormat("en", { useGrouping: false, ...options });
const six = numberFormat({ minimumFractionDigits: 6, maximumFractionDigits: 6 });
const short = numberFormat({ maximumFractionDigits: 6 });
const scientific = numberFormat({ notation: "scientific", maximumSignificantDigits: 7 });

/** A probability. Exact 0 and 1 print so; a positive value never shows as 0, one below 1 never as 1. */
export function probability(p: number): string {
  if (p === 0 || p === 1) return String(p);
  const text = six.format(p);
  if (text === "0.000000") return "< 0.000001";
  return text === "1.000000" && p < 1 ? "> 0.999999" : text;
}

/** A half-open interval of u. */
export function interval(lo: number, hi: number): string {
  return `[${probability(lo)}, ${probability(hi)})`;
}

/** Any double: up to six decimals, or powers of ten where those would hide it. */
export function decimal(x: number): string {
  if (Number.isFinite(x) && x !== 0 && (Math.abs(x) < 1e-6 || Math.abs(x) >= 1e9))
    return minus(scientific.format(x).replace("E", "e"));
  return x === -Infinity ? "−∞" : minus(short.format(x === 0 ? 0 : x));
}

/** A typed number as it was typed, with a true minus sign. */
export function minus(text: string): string {
  return text.replaceAll("-", "−");
}
