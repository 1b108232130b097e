import { chmod, constants, copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startServed } from "../served.js";
import { relayArgs, relaySettings } from "./environment.js";
import { createLoadClients } from "./load-clients.js";
import { memoryOfFamilies } from "./processes.js";
import { type Report, table } from "./report.js";
import { openStreams } from "./streams.js";

const settleMillis = 3_000;
const presets = [[], ["--preset", "small"]];

/** Measures relays with the PostgreSQL that they bring from outside: the default, and the preset `small`. */
export async function measureMemory({ streams }: { streams: number }, say: (line: string) => void): Promise<Report> {
  const memory: { preset: string; fresh: number; perStream: number }[] = [];
  for (const options of presets) {
    const preset = options[1] ?? "default";
    say(`memory of a relay, ${preset}`);
    memory.push({ preset, ...(await measureRelay(options, streams)) });
  }
  const rows = memory.map(({ preset, fresh, perStream }) => [
    ...[preset, `${(fresh / 2 ** 20).toFixed(0)} MiB`, `${(perStream / 1000).toFixed(1)} kB, of ${streams}`],
  ]);
  const title = "Proportional set size of all processes, the relay's and its PostgreSQL's, as Linux counts it.";
  return {
    text: `${title}\n\n${table(["relay", "a second after its start", "an idle stream"], rows)}`,
    result: { memory, streams },
  };
}

/**
 * Starts `mls-relay serve` with these options under a copy of the Node.js executable, because this process shares its
 * executable, and half of the shared memory would count as the benchmark's.
 */
async function measureRelay(options: readonly string[], count: number): Promise<{ fresh: number; perStream: number }> {
  const folder = await mkdtemp(path.join(tmpdir(), "mls-relay-bench-"));
  await chmod(folder, 0o711);
  const { DATABASE_URL: _, PRESET: __, ...inherited } = process.env;
  const node = path.join(folder, "node");
  await copyFile(process.execPath, node, constants.COPYFILE_FICLONE);
  const env = { ...inherited, ...relaySettings, DATA_DIR: folder };
  const { port, child, stop } = await startServed([...relayArgs, ...options], { env, node });
  try {
    const file = path.join(folder, "postgres", "data", "postmaster.pid");
    const postmaster = Number.parseInt(await readFile(file, "utf8"), 10);
    const memory = () => memoryOfFamilies([child.pid ?? 0, postmaster]);
    await sleep(1_000);
    const fresh = await memory();
    const devices = await createLoadClients(port, count);
    await sleep(settleMillis);
    const before = await memory();
    const streams = await openStreams({ port }, devices);
    await sleep(settleMillis);
    const after = await memory();
    for (const stream of streams) stream.close();
    return { fresh, perStream: (after - before) / count };
  } finally {
    await stop();
    await rm(folder, { recursive: true, force: true });
  }
}
