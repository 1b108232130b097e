import { afterAll, beforeAll, expect, test } from "vitest";
import { type QueueStep, readQueueRun } from "../../scripts/model/itf.js";
import { replayRun } from "../../scripts/model/replay.js";
import { type ReplayNodes, startReplayNodes } from "../../scripts/model/replay-nodes.js";
import { compileModel, readModel, stepsPerRun } from "../../scripts/model/simulator.js";
import { newDevice, type TestDevice } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";

// `npm run model -- --replay 5000` repeats more. These runs kill a node in every phase of a request.
const seed = 4_000;
const runs = 100;
const patience = 900_000;

let nodes: ReplayNodes;
let sender: TestDevice;
let chosen: QueueStep[][];

beforeAll(async () => {
  const compiled = await compileModel("queue", await readModel("queue"));
  const options = { runs, steps: stepsPerRun.queue, seed, step: "drivenStep" };
  chosen = compiled.traces(options).map(readQueueRun);
  nodes = await startReplayNodes();
  sender = await newDevice(nodes.target("a") as TestRelay);
});
afterAll(() => nodes?.stop());

test(
  "a relay whose nodes and PostgreSQL are killed does what the model of the queue does, step by step",
  async () => {
    for (const steps of chosen) await replayRun(steps, nodes, sender);
    expect(nodes.kills.nodes).toBeGreaterThan(0);
    expect(nodes.kills.database).toBeGreaterThan(0);
  },
  patience,
);

test("a model that forgets a message differs from the relay", async () => {
  const commits = (step: QueueStep) => step.action === "commit";
  const steps = chosen.find((run) => run.some(commits)) ?? [];
  const wrong = steps.slice(0, steps.findIndex(commits) + 1).map((step) => {
    if (!commits(step)) return step;
    return { ...step, after: { ...step.after, database: { ...step.after.database, rows: [] } } };
  });
  await expect(replayRun(wrong, nodes, sender)).rejects.toThrow("differs from the model");
});
