import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { askOnce } from "./ask-once.js";
import type { Relays, Victim } from "./relays.js";
import { type Bound, bounds, type Series, type Unit } from "./series.js";

/** The series of a run. */
export interface Samples {
  all(): readonly Series[];
  /** Adds a value for the current time. */
  note(name: string, value: number, kind: { unit: Unit; bound: Bound; quantile?: number }): void;
}

export function createSamples(): Samples {
  const byName = new Map<string, Series>();
  return {
    all: () => [...byName.values()],
    note(name, value, { unit, bound, quantile = 0.5 }) {
      const series = byName.get(name) ?? { name, unit, bound, quantile, values: [] };
      byName.set(name, series);
      series.values.push({ atMillis: performance.now(), value });
    },
  };
}

/** Takes a sample of every process and database at this interval in seconds, until the signal comes. */
export async function keepSampling(
  relays: Relays,
  samples: Samples,
  how: { everySeconds: number; signal: AbortSignal },
): Promise<void> {
  while (!how.signal.aborted) {
    await sampleOnce(relays, samples);
    await sleep(how.everySeconds * 1000, undefined, { signal: how.signal }).catch(() => undefined);
  }
}

async function sampleOnce({ first, second, postgres }: Relays, samples: Samples): Promise<void> {
  for (const node of [...first.nodes, ...second.nodes]) await sampleProcess(node, samples);
  const server = postgres.pid();
  if (server !== undefined) {
    const memory = await Promise.all([server, ...(await childrenOf(server))].map(memoryOf));
    const sum = memory.reduce<number>((bytes, one) => bytes + (one ?? 0), 0);
    if (sum > 0) samples.note("memory of PostgreSQL", sum, { unit: "bytes", bound: bounds.memory });
  }
  for (const [name, { databaseUrl }] of Object.entries({ first, second })) {
    // While the server is being killed there is nothing to read.
    await sampleDatabase(`the ${name} relay`, databaseUrl, samples).catch(() => undefined);
  }
}

async function sampleProcess({ name, pid }: Victim, samples: Samples): Promise<void> {
  const number = pid();
  if (number === undefined) return;
  const memory = await memoryOf(number);
  const files = await readdir(`/proc/${number}/fd`).catch(() => undefined);
  // A process that was killed in the meantime has neither.
  if (memory === undefined || files === undefined || files.length === 0) return;
  samples.note(`memory of node ${name}`, memory, { unit: "bytes", bound: bounds.memory });
  samples.note(`open files and sockets of node ${name}`, files.length, { unit: "files", bound: bounds.files });
}

async function sampleDatabase(whose: string, url: string, samples: Samples): Promise<void> {
  const [row] = await askOnce<{ connections: number; dead: number; bytes: number }>(
    url,
    `select (select count(*) from pg_stat_activity where datname = current_database())::float as connections,
            (select sum(n_dead_tup) from pg_stat_user_tables)::float as dead,
            (pg_total_relation_size('messages') + pg_total_relation_size('queues')
             + pg_total_relation_size('outbox'))::float as bytes`,
  );
  if (row === undefined) return;
  const { connections, dead, bytes } = row;
  samples.note(`connections to the database of ${whose}`, connections, {
    ...{ unit: "connections", bound: bounds.connections },
  });
  samples.note(`dead rows of ${whose}`, dead, { unit: "rows", bound: bounds.deadRows });
  samples.note(`size of the queues' tables of ${whose}`, bytes, { unit: "bytes", bound: bounds.tables });
}

/** Memory of a process in bytes, with a proportional part of each shared page; undefined if it cannot be read. */
async function memoryOf(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => "");
  const kilobytes = /^Pss: +(\d+) kB/m.exec(text)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return text.split(" ").filter(Boolean).map(Number);
}
