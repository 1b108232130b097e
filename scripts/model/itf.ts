import type { ItfState } from "./simulator.js";

// The states of runs of `spec/model/queue.qnt`, in values of this language. Sets are arrays, maps are records.

export interface Work {
  kind: "none" | "send" | "ack";
  phase: "none" | "asked" | "written" | "committed";
  message: string;
}

export interface QueueState {
  database: { rows: { message: string; position: number }[]; lastPosition: number };
  nodes: { up: string[]; doing: Record<string, Work>; stream: { node: string; after: number } };
  devices: { accepted: string[]; received: string[]; confirmed: string[] };
}

/** A step: the action with what it was chosen for, and the state that it leads to. */
export interface QueueStep {
  action: string;
  node: string;
  message: string;
  before: QueueState;
  after: QueueState;
}

export function readQueueRun(states: readonly ItfState[]): QueueStep[] {
  const read = states.map((state) => readValue(state)) as (QueueState & Record<string, unknown>)[];
  return read.slice(1).flatMap((after, i) => {
    const before = read[i];
    if (before === undefined) return [];
    const picks = after["mbt::nondetPicks"] as Record<string, { value: string }>;
    const action = String(after["mbt::actionTaken"]);
    return [{ action, node: picks["node"]?.value ?? "", message: picks["message"]?.value ?? "", before, after }];
  });
}

function readValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readValue);
  if (typeof value !== "object" || value === null) return value;
  const { "#bigint": integer, "#set": set, "#map": map, "#tup": tuple } = value as Record<string, unknown>;
  if (integer !== undefined) return Number(integer);
  if (set !== undefined) return readValue(set);
  if (tuple !== undefined) return readValue(tuple);
  if (map !== undefined) {
    return Object.fromEntries((map as [string, unknown][]).map(([key, one]) => [key, readValue(one)]));
  }
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, readValue(one)]));
}
