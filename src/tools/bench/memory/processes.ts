import { readdir, readFile } from "node:fs/promises";
import { kibibyte } from "../../../protocol/units.js";

/**
 * Memory of processes and all that descend from them, in bytes, as Linux counts it for each in /proc/PID/smaps_rollup: the
 * proportional set size, in which what several processes share (programs, PostgreSQL's buffers) counts once in total. Null
 * where the system does not say.
 */
export async function memoryOfFamilies(roots: readonly number[]): Promise<number | null> {
  const names = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const parents = new Map(await Promise.all(names.map(async (name) => [Number(name), await parentOf(name)] as const)));
  const family = new Set(roots);
  // A set is iterated up to what is added meanwhile.
  for (const one of family) for (const [pid, parent] of parents) if (parent === one) family.add(pid);
  const sizes = await Promise.all([...family].map(proportionalBytes));
  const known = sizes.filter((size) => size !== null);
  return known.length === 0 ? null : known.reduce((sum, size) => sum + size, 0);
}

async function parentOf(name: string): Promise<number> {
  const text = await readFile(`/proc/${name}/stat`, "latin1").catch(() => "");
  return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
}

async function proportionalBytes(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, "latin1").catch(() => "");
  const [, kilobytes] = /^Pss: +(\d+) kB$/m.exec(text) ?? [];
  return kilobytes === undefined ? null : Number(kilobytes) * kibibyte;
}
