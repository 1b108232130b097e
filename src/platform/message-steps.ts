import { channel } from "node:diagnostics_channel";

/**
 * The steps of a message on its way through a node, in order. `connected`: its flush has a connection; `counted`: the
 * first round trip has been answered.
 */
export const messageSteps = [
  ...(["parsed", "flushing", "connected", "counted", "decided", "committed", "notified", "pushed"] as const),
] as const;
/** The steps of its acknowledgement. */
export const acknowledgementSteps = [
  ...(["ack_read", "ack_flushing", "ack_connected", "ack_deleted", "ack_committed", "ack_answered"] as const),
] as const;
type Step = (typeof messageSteps | typeof acknowledgementSteps)[number];

/** Published once for each message and step. */
interface PassedStep {
  readonly messageId: string;
  readonly step: Step;
  /** Milliseconds of the machine's monotonic clock, which all processes share. */
  readonly at: number;
}

/** `scripts/bench/measured.js` subscribes to this channel. */
const passed = channel("mls-relay.message-steps");

/**
 * Publishes that messages have passed a step. Costs next to nothing while nobody listens, which is always except in
 * measurements.
 */
export function passStep<T>(step: Step, messages: readonly T[], idOf: (message: T) => string): void {
  if (!passed.hasSubscribers) return;
  const at = monotonicMillis();
  for (const message of messages) passed.publish({ messageId: idOf(message), step, at } satisfies PassedStep);
}

export function monotonicMillis(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}

/** Why jobs of a batcher wait: for its pace, for another flush to end, or for the turn of the event loop to end. */
export type FlushWait = "pace" | "other flush" | "turn";

/** Published whenever the reason may have changed; undefined if nothing waits. */
interface ChangedWait {
  readonly batcher: string;
  readonly wait: FlushWait | undefined;
  readonly at: number;
}

const changed = channel("mls-relay.flush-waits");

/** Publishes for what the jobs of a batcher wait from now on, if anybody listens. */
export function passWait(batcher: string, wait: () => FlushWait | undefined): void {
  if (changed.hasSubscribers) changed.publish({ batcher, wait: wait(), at: monotonicMillis() } satisfies ChangedWait);
}
