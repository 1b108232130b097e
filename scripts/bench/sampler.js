// A thread that looks at PostgreSQL's processes, and at how long threads waited for a processor, every two milliseconds.
import { readFileSync } from "node:fs";
import { setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import pg from "pg";

const lookMillis = 2;

const { url, seconds, threads } = workerData;
// Of this thread alone (setpriority(2)); an ordinary account may not.
try {
  setPriority(-10);
} catch {}

const client = new pg.Client(url);
await client.connect();
const ask = {
  name: "look",
  rowMode: "array",
  text: `select pid, backend_type, state, wait_event_type, wait_event from pg_stat_activity
    where pid <> pg_backend_pid()`,
};
const samples = [];
const now = () => Number(process.hrtime.bigint()) / 1_000_000;
for (const end = now() + seconds * 1000; now() < end; await sleep(lookMillis)) {
  const { rows } = await client.query(ask);
  const delays = Object.fromEntries([...threads, ...rows.map(([pid]) => pid)].map((pid) => [pid, delayOf(pid)]));
  samples.push({ at: now(), rows, delays });
}
await client.end();
parentPort?.postMessage(samples);

/** Milliseconds that the first thread of a process was ready to run and had no processor. */
function delayOf(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "latin1").split(" ")[1]) / 1_000_000;
  } catch {
    return Number.NaN;
  }
}
