import phrases from "./phrases.json" with { type: "json" };

/** The browser's language, if there are phrases in it. */
export const language = navigator.language.startsWith("de") ? "de" : "en";

export const t: typeof phrases.en = phrases[language];

/** Right-to-left letters would move the words around them. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const isolated = (value: string): string => (rightToLeft.test(value) ? `\u2068${value}\u2069` : value);

/** A phrase whose names in braces are replaced by values. */
export function fill(phrase: string, values: Readonly<Record<string, string | number>>): string {
  return phrase.replace(/\{(\w+)\}/g, (_, name) => isolated(String(values[name])));
}

const units = [
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const;
/** A time span in the largest unit of which it is a whole number. */
export function spanOf(seconds: number): string {
  const [unit, length] = units.find(([, one]) => seconds % one === 0) ?? ["second", 1];
  const style = { style: "unit", unit, unitDisplay: "long" } as const;
  return new Intl.NumberFormat(undefined, style).format(seconds / length);
}

const byteUnits = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

export function sizeOf(bytes: number): string {
  const power = Math.min(byteUnits.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const style = { style: "unit", unit: byteUnits[power] ?? "byte", maximumSignificantDigits: 3 } as const;
  return new Intl.NumberFormat(language, style).format(bytes / 1000 ** power);
}
