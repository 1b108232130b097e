import type { StreamSettings } from "./config.js";

/** The size of the window of a client that asks for `wanted`. */
export function windowSize(wanted: number, { streamWindowLimit }: Pick<StreamSettings, "streamWindowLimit">): number {
  return Math.min(wanted, streamWindowLimit);
}

interface FlowWindowRules {
  /** Maximum number of outstanding messages: pushed but not acknowledged. */
  readonly size: number;
  /** Without any acknowledgement for this long, delivery pauses. */
  readonly ackTimeoutMillis: number;
}

interface Pushed {
  readonly messageId: string;
  readonly position: number;
  /** Its acknowledgement has been read and is on its way to the database. */
  claimed: boolean;
}

/**
 * The flow-control window of one stream (specification, "Flow control"): the messages that have been pushed but not
 * acknowledged, oldest first. It is pure: callers pass the time, in milliseconds.
 *
 * A message enters when it is pushed. An acknowledgement claims the oldest unclaimed message with its id, which makes
 * room at once; once the removal is committed the message leaves, and if the removal failed it is unclaimed again and
 * takes its room back. The window is full at its size. It is paused when something is outstanding and the last sign of
 * life (the push into an empty window, or any acknowledgement, even of an unknown id) is as old as the timeout.
 */
export class FlowWindow {
  private readonly ackTimeoutMillis: number;
  /** In the order of positions, which is the order of pushes. */
  private readonly pushedMessages = new Map<number, Pushed>();
  private readonly byId = new Map<string, Pushed[]>();
  private outstanding = 0;
  private quietSince = 0;
  size: number;

  constructor({ size, ackTimeoutMillis }: FlowWindowRules) {
    this.size = size;
    this.ackTimeoutMillis = ackTimeoutMillis;
  }

  /** The number of messages that were pushed and have not left the queue. */
  get held(): number {
    return this.pushedMessages.size;
  }

  /** Whether the next message may be pushed. */
  mayPush(now: number): boolean {
    return this.outstanding < this.size && !this.paused(now);
  }

  /** Whether delivery waits because nothing has been acknowledged for too long. */
  paused(now: number): boolean {
    return this.outstanding > 0 && now - this.quietSince >= this.ackTimeoutMillis;
  }

  /** The position of the oldest message that has not left the queue. */
  oldest(): number | undefined {
    for (const position of this.pushedMessages.keys()) return position;
    return undefined;
  }

  pushed({ messageId, position }: { messageId: string; position: number }, now: number): void {
    if (this.outstanding === 0) this.quietSince = now;
    const entry = { messageId, position, claimed: false };
    this.pushedMessages.set(position, entry);
    const sameId = this.byId.get(messageId);
    if (sameId === undefined) this.byId.set(messageId, [entry]);
    else sameId.push(entry);
    this.outstanding++;
  }

  /** An acknowledgement has arrived, of any id: the client is alive. */
  heard(now: number): void {
    this.quietSince = now;
  }

  /** The position of the oldest message with this id whose acknowledgement is not yet in progress. */
  claim(messageId: string): number | undefined {
    const found = this.byId.get(messageId)?.find((entry) => !entry.claimed);
    if (found === undefined) return undefined;
    found.claimed = true;
    this.outstanding--;
    return found.position;
  }

  /** The message at this position has left the queue. */
  release(position: number): void {
    const entry = this.pushedMessages.get(position);
    if (entry !== undefined) this.drop(entry);
  }

  /** The acknowledgement of the message at this position failed: it may be claimed again. */
  unclaim(position: number): void {
    const entry = this.pushedMessages.get(position);
    if (entry?.claimed !== true) return;
    entry.claimed = false;
    this.outstanding++;
  }

  /**
   * Drops messages that are no longer queued, because they expired or were acknowledged over HTTP.
   * @param queued positions that are still in the queue
   * @param upTo how far `queued` is complete
   */
  keepOnly(queued: ReadonlySet<number>, upTo: number): void {
    for (const entry of [...this.pushedMessages.values()]) {
      if (entry.position <= upTo && !queued.has(entry.position)) this.drop(entry);
    }
  }

  private drop(entry: Pushed): void {
    this.pushedMessages.delete(entry.position);
    const others = (this.byId.get(entry.messageId) ?? []).filter((other) => other !== entry);
    if (others.length === 0) this.byId.delete(entry.messageId);
    else this.byId.set(entry.messageId, others);
    if (!entry.claimed) this.outstanding--;
  }
}
