import { texts } from "./texts.js";

const numbers = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const times = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const byteUnits = ["B", "KiB", "MiB", "GiB", "TiB"];

export function formatNumber(value: number | null | undefined): string {
  return value === null || value === undefined ? texts.none : numbers.format(value);
}

export function formatTime(seconds: number | null | undefined): string {
  return seconds === null || seconds === undefined ? texts.none : times.format(1000 * seconds);
}

export function formatBytes(bytes: number): string {
  const power = Math.min(byteUnits.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  return `${numbers.format(bytes / 1024 ** power)} ${byteUnits[power]}`;
}

/** A time span in its two largest units. */
export function formatSpan(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3_600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [Math.floor(seconds) % 60, "s"],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return "0 s";
  const shown = parts.slice(first, first + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(" ");
}

/** A duration in milliseconds, in the unit that people would use. */
export function formatMillis(millis: number | null): string {
  if (millis === null) return texts.none;
  if (millis < 1000) return `${millis < 10 ? formatNumber(millis) : Math.round(millis)} ms`;
  return millis < 60_000 ? `${formatNumber(Number((millis / 1000).toFixed(1)))} s` : formatSpan(millis / 1000);
}

/** `messages_sent` as words. */
export function formatName(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function formatValue(value: unknown): string {
  if (value === null || value === undefined || value === "") return texts.none;
  if (typeof value === "boolean") return value ? texts.yes : texts.no;
  if (typeof value === "number") return formatNumber(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}

const settingUnits: readonly [RegExp, (value: number) => string][] = [
  [/(^|_)(bytes|size)(_|$)/, formatBytes],
  [/_seconds$/, formatSpan],
  [/_hours$/, (hours) => formatSpan(3_600 * hours)],
];

/** A setting's number in the unit that people would use, if the setting's name tells the unit. */
export function formatSize(name: string, value: unknown): string | undefined {
  if (typeof value !== "number" || Number.isNaN(value)) return undefined;
  return settingUnits.find(([part]) => part.test(name))?.[1](value);
}

/** A setting's exact value, followed by its size in the unit that people would use. */
export function formatSetting(name: string, value: unknown): string {
  const size = formatSize(name, value);
  return size === undefined ? formatValue(value) : `${formatValue(value)} (${size})`;
}

const units: readonly [RegExp, (value: number) => string][] = [
  [/_bytes$/, formatBytes],
  [/_seconds$/, formatSpan],
  [/_ms$/, formatMillis],
  [/_(at|until|since)$/, formatTime],
];

/**
 * A name and its value, with the unit moved from the end of the name to the value: `size_bytes` becomes `Size`, `12
 * MiB`.
 */
export function formatMeasure(name: string, value: unknown): [string, string] {
  const [ending, format] = units.find(([one]) => one.test(name)) ?? [];
  if (ending === undefined || format === undefined || typeof value !== "number")
    return [formatName(name), formatValue(value)];
  return [formatName(name.replace(ending, "")), format(value)];
}
