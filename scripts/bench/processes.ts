import { readdir, readFile } from "node:fs/promises";
import { kibibyte } from "../../src/protocol/units.js";

// Linux reports in /proc what processes use (proc_pid_stat(5), proc_pid_smaps(5)); other systems have no such files.

/** Linux counts processor time in units of 10 ms. */
export const microsPerTick = 10_000;

interface Stat {
  pid: number;
  parent: number;
  ticks: number;
  ticksOfEnded: number;
}

/**
 * Processor time of a process and its children, including those that have ended, in microseconds; 0 if it cannot be
 * read.
 */
export async function cpuMicrosOfFamily(pid: number): Promise<number> {
  let ticks = 0;
  for (const stat of await readStats()) {
    if (stat.pid === pid) ticks += stat.ticks + stat.ticksOfEnded;
    else if (stat.parent === pid) ticks += stat.ticks;
  }
  return ticks * microsPerTick;
}

/**
 * Memory of processes and all their descendants, in bytes: the proportional set size, which counts memory shared by
 * several processes (programs, PostgreSQL's buffers) once in total. NaN if it cannot be read.
 */
export async function memoryOfFamilies(roots: readonly number[]): Promise<number> {
  const stats = await readStats();
  const family = new Set(roots);
  // Iterating over a set includes what is added meanwhile.
  for (const one of family) for (const { pid, parent } of stats) if (parent === one) family.add(pid);
  const sizes = await Promise.all([...family].map(proportionalBytes));
  return sizes.length === 0 ? Number.NaN : sizes.reduce((sum, size) => sum + size, 0);
}

async function readStats(): Promise<Stat[]> {
  const names = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  return Promise.all(names.map(readStat));
}

async function readStat(name: string): Promise<Stat> {
  const text = await readFile(`/proc/${name}/stat`, "latin1").catch(() => "");
  // The second field is a name in brackets, which may contain spaces.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const at = (field: number): number => Number(fields[field] ?? 0);
  return { pid: Number(name), parent: at(1), ticks: at(11) + at(12), ticksOfEnded: at(13) + at(14) };
}

async function proportionalBytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, "latin1").catch(() => "");
  return Number(/^Pss: +(\d+) kB$/m.exec(text)?.[1]) * kibibyte;
}
