import { channel } from "node:diagnostics_channel";

/**
 * A step of a message on its way through a node, in order, then those of its acknowledgement. `connected`: its flush has a
 * connection; `counted`: the first round trip has been answered.
 */
type Step =
  | ("parsed" | "flushing" | "connected" | "counted" | "decided" | "committed" | "notified" | "pushed")
  | ("ack_read" | "ack_flushing" | "ack_connected" | "ack_deleted" | "ack_committed" | "ack_answered");

/** Published once for each message and step. */
interface PassedStep {
  readonly messageId: string;
  readonly step: Step;
  /** Milliseconds of the machine's monotonic clock, which all processes share. */
  readonly at: number;
  /** At `connected`: the process of PostgreSQL that stores the message. */
  readonly backend: number | undefined;
}

/** `scripts/bench/measured.js` subscribes to this channel. */
const passed = channel("mls-relay.message-steps");

/**
 * Publishes that messages have passed a step. Costs next to nothing while nobody listens, which is always except in
 * measurements.
 */
export function passStep<T>(
  step: Step | Pick<PassedStep, "step" | "backend">,
  messages: readonly T[],
  idOf: (message: T) => string,
): void {
  if (!passed.hasSubscribers) return;
  const what = typeof step === "string" ? { step, backend: undefined } : step;
  const at = monotonicMillis();
  for (const message of messages) passed.publish({ messageId: idOf(message), ...what, at } satisfies PassedStep);
}

export function monotonicMillis(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}
