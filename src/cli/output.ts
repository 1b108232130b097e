import { InvalidArgumentError } from "commander";
import { print } from "../platform/print.js";

/** `--json`, for every command that shows something. */
export const jsonOption = ["--json", "print JSON"] as const;
export const limitOption = ["--limit <number>", "most to show", parseLimit, 50] as const;

export interface ShowOptions {
  json?: boolean;
}

/** Members are spelled as in the API: `device_id`. A type with another spelling does not compile. */
type Spelled<T> = unknown extends T
  ? T
  : T extends string
    ? T
    : T extends readonly (infer One)[]
      ? readonly Spelled<One>[]
      : { readonly [Name in keyof T]: SpelledMember<T, Name> };

type SpelledMember<T, Name extends keyof T> = string extends Name
  ? T[Name]
  : Name extends Lowercase<Name & string>
    ? Spelled<T[Name]>
    : never;

/** Prints the value as JSON, or else as lines. */
export function show<T>(value: T & Spelled<T>, options: ShowOptions, lines: () => readonly string[]): void {
  print(options.json ? JSON.stringify(value, null, 2) : lines().join("\n"));
}

/** Columns of text, each as wide as its widest cell. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>((max, row) => row.map((cell, i) => Math.max(cell.length, max[i] ?? 0)), []);
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

export function timeOf(seconds: number | null): string {
  return seconds === null ? "-" : new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
}

const maxShown = 100_000;

function parseLimit(text: string): number {
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > maxShown) throw new InvalidArgumentError(`It must be a number from 1 to ${maxShown}.`);
  return limit;
}
