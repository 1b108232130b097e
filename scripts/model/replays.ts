import { readRun } from "./itf.js";
import { replayFederationRun } from "./replay-federation.js";
import type { ReplayNodes } from "./replay-nodes.js";
import { replayQueueRun } from "./replay-queue.js";
import { replaySlotsRun } from "./replay-slots.js";
import { compileModel, type ItfState, type Model, type RelayModel, readModel, stepsPerReplay } from "./simulator.js";

/** How many of a hundred replays are of each model. A restoration takes seconds, so there are few of slots. */
export const replayShares: Readonly<Record<RelayModel, number>> = { queue: 88, slots: 6, federation: 6 };

/** Runs of a model that a relay, or the library, can repeat. Runs of the same seed are the same. */
export async function drawRuns(model: Model, options: { runs: number; seed: number }): Promise<ItfState[][]> {
  const compiled = await compileModel(model, await readModel(model), { checksTypes: false });
  return compiled.traces({ ...options, steps: stepsPerReplay[model], step: "drivenStep" });
}

/** Repeats a run with the relay and throws the first difference. Returns the number of steps that were repeated. */
export async function replayRun(model: RelayModel, states: readonly ItfState[], nodes: ReplayNodes): Promise<number> {
  switch (model) {
    case "queue":
      await replayQueueRun(readRun(states), nodes);
      return states.length - 1;
    case "slots":
      await replaySlotsRun(readRun(states), nodes);
      return states.length - 1;
    case "federation":
      return replayFederationRun(readRun(states), nodes);
  }
}
