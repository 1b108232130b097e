import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import path from "node:path";
import { createSystemClock } from "../../platform/cluster/clock.js";
import type { LoadResult } from "./load.js";
import type { BenchResult, NatsResult, PushTimes, SendsResult } from "./measure.js";

/** The result as a Markdown table, ready to be pasted. */
export function describeResult(result: BenchResult, mode: string): string {
  const { unlimited, push, wholeWay, whileProving, idleStream, hashing } = result;
  const { drain } = unlimited;
  return [
    `${machineText()}; ${mode}, ciphertexts of ${result.ciphertextBytes} bytes, fsync on.`,
    "",
    describeSends(result),
    row("polls", rate(drain.polledPerSecond), "pages of 100"),
    row("acknowledgements", rate(drain.acknowledgedPerSecond), "lists of 100"),
    pushRow("of the peak of sends", push),
    row("messages sent, pushed and acknowledged", rate(wholeWay.perSecond), ""),
    pushRow("of that", wholeWay.push),
    row("send, p99", millis(whileProving.idleP99), `while proofs are checked: ${millis(whileProving.provingP99)}`),
    row(
      "idle stream, in the heap of the relay after a collection",
      kilobytes(idleStream.heap),
      `resident memory of that process: ${kilobytes(idleStream.rss)}`,
    ),
    row("proof of delay, a step", nanos(hashing.ours), `four at once: ${nanos(hashing.oursSideBySide)}`),
    row(
      "the same by others",
      `noble ${nanos(hashing.noble)}, node:crypto ${nanos(hashing.nodeCrypto)}`,
      opensslText(hashing.openssl),
    ),
  ].join("\n");
}

/** The table of sends alone. */
export function describeSends({ floors, nats, unlimited, limited, parts }: SendsResult): string {
  const driver = (load: LoadResult): string => `${load.driverMicrosPerMessage.toFixed(0)} µs`;
  return [
    "| measure | value | beside |",
    "|---|---|---|",
    row("PostgreSQL directly, 1,000 rows an insert", rate(floors.postgres.perSecond), "the floor of batches"),
    row("bare HTTP server, single", rate(floors.httpSingle.perSecond), "the floor of single sends"),
    row("bare HTTP server, batches of 100", rate(floors.httpBatch.perSecond), ""),
    ...natsRows(nats),
    row("single sends", rate(unlimited.single.perSecond), part(parts.single, "bare")),
    row("batch sends", rate(unlimited.batch.perSecond), part(parts.batch, "PostgreSQL")),
    row("batch sends", "", part(parts.batchOfBare, "bare, batches")),
    row("single sends, limits on", rate(limited.single.perSecond), part(parts.limitedSingle, "bare")),
    row("batch sends, limits on", rate(limited.batch.perSecond), part(parts.limitedBatch, "PostgreSQL")),
    row(
      "processor time a single message: server + PostgreSQL",
      micros(unlimited.single),
      bareMicros(floors.httpSingle),
    ),
    row("the same of batches", micros(unlimited.batch), bareMicros(floors.httpBatch)),
    row("the same of the driver, single", driver(unlimited.single), `batches: ${driver(unlimited.batch)}`),
  ].join("\n");
}

function natsRows(nats: NatsResult | undefined): string[] {
  if (nats === undefined) return [row("NATS JetStream", "not installed", "")];
  const { description, single, batch, parts } = nats;
  return [
    row(description, rate(single.perSecond), `the relay's single sends: ${parts.single.toFixed(2)} of it`),
    row(
      "the same, 100 publications at a time",
      rate(batch.perSecond),
      `the relay's batches: ${parts.batch.toFixed(2)} of it, ${parts.batchOfSingle.toFixed(2)} of single ones`,
    ),
    row("its processor time a message", micros(single), `100 at a time: ${micros(batch)}`),
  ];
}

function pushRow(of: string, { rate: perSecond, p50, p95, p99 }: PushTimes): string {
  const name = `send to push at half ${of}, ${rate(perSecond)}`;
  return row(name, `p50 ${millis(p50)}, p95 ${millis(p95)}`, `p99 ${millis(p99)}`);
}

/** Writes the result beside those of earlier runs; returns the file's path. */
export async function saveResult(folder: string, result: object, mode: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const at = new Date(createSystemClock().nowMillis()).toISOString();
  const file = path.join(folder, `${at.replaceAll(/[:.]/g, "-")}-${mode}.json`);
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

function row(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function part(of: number, name: string): string {
  return `${of.toFixed(2)} of ${name}`;
}

function rate(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString("en")}/s`;
}

function micros(load: LoadResult): string {
  const { cpuMicrosPerMessage: server, databaseMicrosPerMessage: database } = load;
  return database === 0 ? `${Math.round(server)} µs` : `${Math.round(server)} + ${Math.round(database)} µs`;
}

function bareMicros(load: LoadResult): string {
  return `bare: ${micros(load)}`;
}

function millis(value: number): string {
  return `${value.toFixed(1)} ms`;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

function nanos(value: number): string {
  return `${Math.round(value)} ns`;
}

function opensslText(value: number | null): string {
  return value === null ? "openssl: not here" : `openssl speed ${nanos(value)}`;
}
