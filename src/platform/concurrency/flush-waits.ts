import { channel } from "node:diagnostics_channel";

/** Why jobs of a batcher wait: for its pace, for another flush to end, or for the turn of the event loop to end. */
export type FlushWait = "pace" | "other flush" | "turn";

/** Published whenever the reason may have changed; undefined if nothing waits. */
interface ChangedWait {
  readonly batcher: string;
  readonly wait: FlushWait | undefined;
  /** Milliseconds of the machine's monotonic clock, as in the steps of messages. */
  readonly at: number;
}

/** `scripts/bench/measured.js` subscribes to this channel. */
const changed = channel("mls-relay.flush-waits");

/** Publishes for what the jobs of a batcher wait from now on, if anybody listens. */
export function passWait(batcher: string, wait: () => FlushWait | undefined): void {
  if (changed.hasSubscribers)
    changed.publish({ batcher, wait: wait(), at: Number(process.hrtime.bigint()) / 1_000_000 } satisfies ChangedWait);
}
