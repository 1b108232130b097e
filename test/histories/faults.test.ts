import { afterAll, beforeAll, expect, test } from "vitest";
import { isMissing } from "../support/programs.js";
import { judge } from "./checker.js";
import { type Cluster, startCluster } from "./cluster.js";
import type { BlobOperation } from "./history.js";
import { runSteps } from "./run.js";
import { drawSchedule } from "./schedule.js";

// `npm run lab -- histories` takes more steps, of any number. These take about 40 seconds, half of which start the relays.
const seed = Number(process.env["HISTORIES_SEED"] ?? 5);
const count = 12;

const isLeftOut = isMissing("go") || isMissing("pg_basebackup");
let cluster: Cluster;

beforeAll(async () => {
  if (!isLeftOut) cluster = await startCluster();
});
afterAll(() => cluster?.stop(), 120_000);

const isServed = ({ kind, outcome }: BlobOperation) => kind === "read" && outcome === "ok";

test.skipIf(isLeftOut)("two relays under faults do nothing that is not promised", async () => {
  const report = (line: string) => console.log(line);
  report(`seed ${seed}`);
  const { history, stuck } = await runSteps(cluster, { seed, steps: drawSchedule(seed, count), report });
  const known = history.queues.map(({ operations }) => operations.filter(({ outcome }) => outcome === "ok").length);
  expect(Math.min(...known)).toBeGreaterThan(10);
  const served = (history.blobs ?? []).filter(({ operations }) => operations.some(isServed));
  expect(new Set(served.map(({ relay }) => relay)).size).toBe(2);
  expect({ stuck, problems: (await judge([history]))[0] }).toEqual({ stuck: [], problems: [] });
});
