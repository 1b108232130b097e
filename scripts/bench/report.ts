import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import path from "node:path";
import { createSystemClock } from "../../src/node/clock.js";
import type { Spent } from "./load.js";

/** The result of a part of the benchmark: a Markdown table for people, an object for programs. */
export interface Report {
  text: string;
  result: object;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Writes the results as JSON and returns the file's name. */
export async function saveResult(folder: string, result: object, mode: string): Promise<string> {
  const at = new Date(createSystemClock().nowMillis()).toISOString();
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, `${at.replace(/[:.]/g, "-")}-${mode}.json`);
  await writeFile(file, `${JSON.stringify({ at, mode, machine: machineText(), ...result }, null, 2)}\n`);
  return file;
}

/** The day, the machine, the version and how busy the machine is. */
export function machineText(): string {
  const memory = Math.round(totalmem() / 2 ** 30);
  const load = loadavg()[0]?.toFixed(1);
  const day = new Date(createSystemClock().nowMillis()).toISOString().slice(0, 10);
  return `${day}, ${availableParallelism()} cores (${cpus()[0]?.model ?? "unknown"}), ${memory} GiB, Node.js ${process.version}, load average ${load}`;
}

export function rate(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString("en")}/s`;
}

export function part(of: number, name: string): string {
  return `${of.toFixed(2)} of ${name}`;
}

export function millis(value: number): string {
  return `${value.toFixed(1)} ms`;
}

export function micros(value: number): string {
  return `${Math.round(value)} µs`;
}

/** Processor time per message, by process. */
export function processors({ server, database, driver }: Spent): string {
  return `server ${micros(server)}, PostgreSQL ${micros(database)}, driver ${micros(driver)}`;
}

export function percent(part: number): string {
  return `${Math.round(100 * part)} %`;
}
