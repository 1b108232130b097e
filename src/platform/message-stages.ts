import { channel } from "node:diagnostics_channel";

/** What a message passes on its way through a node, in this order. */
export const messageStages = ["parsed", "flushing", "decided", "committed", "notified", "pushed"] as const;
export type MessageStage = (typeof messageStages)[number];

/** Published once for each message and stage. */
export interface PassedStage {
  readonly messageId: string;
  readonly stage: MessageStage;
  /** Milliseconds of the machine's monotonic clock, which all processes share. */
  readonly at: number;
}

const passed = channel("mls-relay.message-stages");

/** Says that messages have passed a stage. Costs next to nothing while nobody listens, as in all but measurements. */
export function passStage<T>(stage: MessageStage, messages: readonly T[], idOf: (message: T) => string): void {
  if (!passed.hasSubscribers) return;
  const at = monotonicMillis();
  for (const message of messages) passed.publish({ messageId: idOf(message), stage, at } satisfies PassedStage);
}

/** Listens to all messages of this process, until it ends. */
export function listenToStages(listener: (passed: PassedStage) => void): void {
  passed.subscribe((message) => listener(message as PassedStage));
}

export function monotonicMillis(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}
