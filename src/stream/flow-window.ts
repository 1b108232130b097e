export interface FlowWindowRules {
  /** Most messages that may be outstanding, which is pushed and not acknowledged. */
  readonly size: number;
  /** Without any acknowledgement for this long, delivery pauses. */
  readonly ackTimeoutMillis: number;
}

interface Outstanding {
  readonly messageId: string;
  readonly position: number;
  /** An acknowledgement of it is on its way to the database. */
  claimed: boolean;
}

/**
 * The flow-control window of one stream (specification, "Flow control"): the messages that have been pushed and not yet
 * been acknowledged, oldest first. It is pure: callers pass the time, in milliseconds.
 *
 * A message enters when it is pushed. An acknowledgement claims the oldest unclaimed message with its id; once the
 * removal is committed the message leaves, and if the removal failed it is unclaimed again. The window is full at its
 * size. It is paused when something is outstanding and the last sign of life (the push into an empty window, or any
 * acknowledgement, also of an id it does not hold) is as old as the timeout.
 */
export class FlowWindow {
  private readonly rules: FlowWindowRules;
  private outstanding: Outstanding[] = [];
  private quietSince = 0;

  constructor(rules: FlowWindowRules) {
    this.rules = rules;
  }

  /** The number of outstanding messages. */
  get size(): number {
    return this.outstanding.length;
  }

  /** Whether the next message may be pushed. */
  mayPush(now: number): boolean {
    return this.size < this.rules.size && !this.paused(now);
  }

  /** Whether delivery waits because nothing has been acknowledged for too long. */
  paused(now: number): boolean {
    return this.size > 0 && now - this.quietSince >= this.rules.ackTimeoutMillis;
  }

  /** The position of the oldest outstanding message. */
  oldest(): number | undefined {
    return this.outstanding[0]?.position;
  }

  pushed(message: { messageId: string; position: number }, now: number): void {
    if (this.size === 0) this.quietSince = now;
    this.outstanding.push({ messageId: message.messageId, position: message.position, claimed: false });
  }

  /** An acknowledgement has arrived, of any id: the client is alive. */
  heard(now: number): void {
    this.quietSince = now;
  }

  /** The position of the oldest message with this id whose acknowledgement is not under way yet. */
  claim(messageId: string): number | undefined {
    const found = this.outstanding.find((entry) => !entry.claimed && entry.messageId === messageId);
    if (found === undefined) return undefined;
    found.claimed = true;
    return found.position;
  }

  /** The message at this position has left the queue. */
  release(position: number): void {
    this.outstanding = this.outstanding.filter((entry) => entry.position !== position);
  }

  /** The acknowledgement of the message at this position failed: it may be claimed again. */
  unclaim(position: number): void {
    const entry = this.outstanding.find((candidate) => candidate.position === position);
    if (entry !== undefined) entry.claimed = false;
  }

  /**
   * Drops messages that are no longer queued, because they expired or were acknowledged over HTTP.
   * @param queued positions that are still in the queue
   * @param upTo how far `queued` is complete
   */
  keepOnly(queued: ReadonlySet<number>, upTo: number): void {
    this.outstanding = this.outstanding.filter((entry) => entry.position > upTo || queued.has(entry.position));
  }
}
