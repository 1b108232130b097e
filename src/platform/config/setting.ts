import { daySeconds, hourSeconds, minuteSeconds } from "../../protocol/units.js";

/**
 * One line of the configuration table: how a variable's text becomes a value, its default, and how the help describes
 * it.
 */
export interface Setting<T> {
  readonly description: string;
  readonly form: string;
  readonly fallback: T;
  /** The default in the help, if it is not a plain value. */
  readonly shownFallback: string;
  /** Reads the variable's text; throws an Error that says what was expected. The error never repeats the text. */
  readonly parse: (text: string) => T;
}

type ValueOf<S> = S extends Setting<infer T> ? T : never;

/** The values that a table of settings gives. */
export type ValuesOf<Table> = { readonly [K in keyof Table]: ValueOf<Table[K]> };

interface NumberBounds {
  default: number;
  min: number;
  max: number;
}

/** A number that nobody sets but tests and tools, so it has no bounds. One that the contract bounds is an `integer`. */
export function constant(description: string, value: number): Setting<number> {
  const parse = (text: string): number => {
    if (!/^-?\d{1,16}(\.\d{1,9})?$/.test(text)) throw new Error("must be a number");
    return Number(text);
  };
  return { description, form: "number", fallback: value, shownFallback: String(value), parse };
}

/** A whole number within bounds, in decimal digits. */
export function integer(description: string, bounds: NumberBounds): Setting<number> {
  return numeric(description, bounds, { form: "integer", article: "an", pattern: /^-?\d{1,16}$/ });
}

const secondsByUnit: Readonly<Record<string, number>> = { s: 1, m: minuteSeconds, h: hourSeconds, d: daySeconds };

/** A length of time with its unit, like `90m` or `1d`, in seconds. */
export function duration(description: string, fallback: string, bounds: { min: number; max: number }): Setting<number> {
  const parse = (value: string): number => {
    const [, digits = "", unit = ""] = /^(\d{1,9})([smhd])$/.exec(value) ?? [];
    const seconds = Number(digits) * (secondsByUnit[unit] ?? Number.NaN);
    if (!(seconds >= bounds.min && seconds <= bounds.max)) {
      throw new Error(`must be a time like 90m, 6h or 1d, of ${range(bounds)} seconds`);
    }
    return seconds;
  };
  const form = "time, like 90m, 6h or 1d";
  return { description, form, fallback: parse(fallback), shownFallback: fallback, parse };
}

/** A number within bounds, with an optional decimal fraction. */
export function decimal(description: string, bounds: NumberBounds): Setting<number> {
  return numeric(description, bounds, { form: "number", article: "a", pattern: /^-?\d{1,16}(\.\d{1,9})?$/ });
}

/** An integer that may be left out: null turns off what it configures. */
export function optionalInteger(description: string, bounds: { min: number; max: number }): Setting<number | null> {
  const base = integer(description, { default: bounds.min, ...bounds });
  return { ...base, fallback: null, shownFallback: "off" };
}

/** A Boolean: true, false, 1, 0, yes, no, on or off. */
export function flag(description: string, fallback: boolean): Setting<boolean> {
  return { description, form: "true or false", fallback, shownFallback: String(fallback), parse: parseFlag };
}

/** One of a closed list of words. */
export function choice<const T extends string>(description: string, words: readonly T[], fallback: T): Setting<T> {
  const parse = (text: string): T => {
    const word = words.find((candidate) => candidate === text);
    if (word === undefined) throw new Error(`must be one of ${words.join(", ")}`);
    return word;
  };
  return { description, form: words.join(" | "), fallback, shownFallback: fallback, parse };
}

/** Free text with a default. */
export function text(description: string, fallback: string): Setting<string> {
  return { description, form: "text", fallback, shownFallback: fallback, parse: (value) => value };
}

/**
 * Free text that may be left out. `form` tells the help what is expected, `check` throws if the text has another form.
 */
export function optionalText(
  description: string,
  form: string,
  check: (value: string) => void = () => {},
): Setting<string | null> {
  const parse = (value: string): string => {
    check(value);
    return value;
  };
  return { description, form, fallback: null, shownFallback: "none", parse };
}

/** A comma-separated list; blanks around the items are dropped, `check` throws for an invalid item. */
export function list(description: string, form: string, check: (item: string) => void): Setting<readonly string[]> {
  const parse = (value: string): readonly string[] => {
    const items = splitList(value);
    for (const item of items) check(item);
    return items;
  };
  return { description, form, fallback: [], shownFallback: "empty", parse };
}

/** A comma-separated list of whole numbers within bounds. */
export function integers(
  description: string,
  fallback: readonly number[],
  bounds: { min: number; max: number },
): Setting<readonly number[]> {
  const item = integer(description, { default: bounds.min, ...bounds });
  const parse = (value: string): readonly number[] => splitList(value).map((part) => item.parse(part));
  return { description, form: `list of integers ${range(bounds)}`, fallback, shownFallback: fallback.join(","), parse };
}

function splitList(value: string): string[] {
  return value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function numeric(
  description: string,
  bounds: NumberBounds,
  notation: { form: string; article: string; pattern: RegExp },
): Setting<number> {
  const parse = (value: string): number => {
    const number = notation.pattern.test(value) ? Number(value) : Number.NaN;
    if (!(number >= bounds.min && number <= bounds.max))
      throw new Error(`must be ${notation.article} ${notation.form} within ${range(bounds)}`);
    return number;
  };
  const form = `${notation.form} ${range(bounds)}`;
  return { description, form, fallback: bounds.default, shownFallback: String(bounds.default), parse };
}

function range(bounds: { min: number; max: number }): string {
  return `${bounds.min}..${bounds.max}`;
}

function parseFlag(value: string): boolean {
  const word = value.toLowerCase();
  if (["true", "1", "yes", "on"].includes(word)) return true;
  if (["false", "0", "no", "off"].includes(word)) return false;
  throw new Error("must be true or false");
}
