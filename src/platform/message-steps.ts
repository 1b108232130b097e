import { channel } from "node:diagnostics_channel";

/** The steps of a message on its way through a node, in order. */
export const messageSteps = ["parsed", "flushing", "decided", "committed", "notified", "pushed"] as const;
export type MessageStep = (typeof messageSteps)[number];

/** Published once for each message and step. */
interface PassedStep {
  readonly messageId: string;
  readonly step: MessageStep;
  /** Milliseconds of the machine's monotonic clock, which all processes share. */
  readonly at: number;
}

/** `scripts/bench/measured.js` subscribes to this channel. */
const passed = channel("mls-relay.message-steps");

/**
 * Publishes that messages have passed a step. Costs next to nothing while nobody listens, which is always except in
 * measurements.
 */
export function passStep<T>(step: MessageStep, messages: readonly T[], idOf: (message: T) => string): void {
  if (!passed.hasSubscribers) return;
  const at = monotonicMillis();
  for (const message of messages) passed.publish({ messageId: idOf(message), step, at } satisfies PassedStep);
}

export function monotonicMillis(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}
