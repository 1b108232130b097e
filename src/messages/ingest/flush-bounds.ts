import type { Placement } from "../../database/placement.js";
import type { Nodes } from "../../node/nodes.js";
import type { BatchBounds, Pace, Weight } from "../../platform/concurrency/batcher.js";
import { watchEventLoop } from "../../platform/concurrency/event-loop.js";
import type { Envelope, Sender } from "../model/types.js";
import type { IngestSettings } from "./config.js";

/** Minimum time between the starts of two flushes of messages while the node is busy; times the number of nodes, up to 12. */
const intakePaceMillis = 3;

// How messages gather in batches: what a flush takes, what may wait, and for how long.

/** Flush at once when this many messages wait; with fewer, messages wait to share a flush if the node is busy. */
const paceFullCount = 32;
/** With many nodes the pace stops here, so that a message never waits longer than this. */
const maxPaceMillis = 12;

interface BoundsDeps {
  config: BatchConfig;
  placement: Pick<Placement, "flushPace">;
  nodes: Pick<Nodes, "count">;
}

export type BatchConfig = Pick<
  IngestSettings,
  | "intakeBufferMessages"
  | "intakeBufferBytes"
  | "intakeFlushMessages"
  | "intakeFlushBytes"
  | "intakeConcurrentFlushes"
  | "intakeSlowFlushes"
  | "intakeStuckMillis"
>;

/**
 * A node with time to spare flushes as often as it can. Busy nodes that share a database each make fewer and larger flushes:
 * together about as many as one node would.
 */
export function boundsOf({ config, placement, nodes }: BoundsDeps): BatchBounds {
  const isBusy = watchEventLoop();
  const paceOf = (count: number): Pace => ({
    millis: Math.max(intakePaceMillis, Math.min(maxPaceMillis, count * intakePaceMillis)),
    fullCount: paceFullCount,
  });
  return {
    flushCount: config.intakeFlushMessages,
    flushBytes: config.intakeFlushBytes,
    waitingCount: config.intakeBufferMessages,
    waitingBytes: config.intakeBufferBytes,
    concurrent: config.intakeConcurrentFlushes,
    slow: config.intakeSlowFlushes,
    stuckMillis: config.intakeStuckMillis,
    get pace() {
      return placement.flushPace ?? (isBusy() ? paceOf(nodes.count()) : undefined);
    },
    takesAll: placement.flushPace !== undefined,
  };
}

/** A delivery has already gathered its messages, and others wait for its answer at the other server. */
export function urgencyOf({ kind }: Sender): "urgent" | undefined {
  return kind === "peer" ? "urgent" : undefined;
}

/** A ciphertext shared by several envelopes is held once but written for each. */
export function weightOf(envelopes: readonly Envelope[]): Required<Weight> {
  const ciphertexts = envelopes.map(({ ciphertext }) => ciphertext);
  return { count: envelopes.length, bytes: sumOfBytes(new Set(ciphertexts)), writtenBytes: sumOfBytes(ciphertexts) };
}

function sumOfBytes(ciphertexts: Iterable<Buffer>): number {
  let bytes = 0;
  for (const { length } of ciphertexts) bytes += length;
  return bytes;
}
