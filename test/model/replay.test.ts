import { afterAll, beforeAll, expect, test } from "vitest";
import { type ReplayNodes, startReplayNodes } from "../../scripts/model/replay-nodes.js";
import { drawRuns, replayRun, replayShares } from "../../scripts/model/replays.js";
import type { ItfState } from "../../scripts/model/simulator.js";
import { shareOf } from "../support/shares.js";

// A third of the replays, another one each day (test/support/shares.ts).
// `npm run lab -- model --replay 5000` repeats more.
const seed = 4_000;
const shares = 3;
const chosenShares = shareOf([...Array(shares).keys()], shares);

let nodes: ReplayNodes;

beforeAll(async () => {
  nodes = await startReplayNodes();
});
afterAll(() => nodes?.stop());

test.each([
  "queue",
  "slots",
  "federation",
] as const)("relays whose nodes and PostgreSQL are killed do what the model of %s does, step by step", async (model) => {
  const runs = Math.ceil(replayShares[model] / shares);
  for (const share of chosenShares)
    for (const states of await drawRuns(model, { runs, seed: seed + share })) await replayRun(model, states, nodes);
});

test("nodes and PostgreSQL were killed", () => {
  expect(nodes.kills.nodes).toBeGreaterThan(0);
  expect(nodes.kills.database).toBeGreaterThan(0);
});

test("a model that forgets a message differs from the relay", async () => {
  const commits = (state: ItfState) => state["mbt::actionTaken"] === "commit";
  const run = (await drawRuns("queue", { runs: 5, seed })).find((states) => states.some(commits)) ?? [];
  const wrong = run.slice(0, run.findIndex(commits) + 1).map((state) => {
    if (!commits(state)) return state;
    return { ...state, database: { ...(state["database"] as object), rows: [] } };
  });
  await expect(replayRun("queue", wrong, nodes)).rejects.toThrow("differs from the model");
});
