/**
 * The messages that a device's queue must hold and must not hold any more, according to the relay's answers so far.
 * Moments are numbered in the order in which the client learned of them.
 */
export class Journal {
  /** Requested to be sent, with any result. */
  readonly offered = new Set<string>();
  /** Answered with 202. */
  readonly promised = new Set<string>();
  /** By id, the moment at which the client heard that the message is gone. */
  readonly gone = new Map<string, number>();
  /** An acknowledgement is under way, or its answer was lost. */
  readonly doubtful = new Set<string>();
  readonly faults: string[] = [];
  private moment = 0;

  /** The present moment; each call is a later one. */
  now(): number {
    return ++this.moment;
  }

  /** The ids of messages that may still be in the queue. */
  left(): string[] {
    return [...this.promised].filter((id) => !this.gone.has(id));
  }

  /** A confirmation for one id. */
  confirmed(id: string, acknowledged: boolean): void {
    if (!acknowledged) return;
    if (!this.offered.has(id)) this.fault(`${id} was acknowledged and never sent`);
    if (this.gone.has(id)) this.fault(`${id} was acknowledged twice`);
    this.gone.set(id, this.now());
  }

  /** A confirmation for many ids, which only says how many were removed. */
  batchConfirmed(ids: readonly string[], { removed, failed }: { removed: number; failed: number }): void {
    if (removed + failed !== ids.length)
      this.fault(`${removed} and ${failed} are not the ${ids.length} that were sent`);
    const able = [...new Set(ids)].filter((id) => this.offered.has(id) && !this.gone.has(id));
    if (removed > able.length) this.fault(`${removed} were removed of ${able.length} that could be`);
    for (const id of able) {
      if (removed === able.length) this.gone.set(id, this.now());
      else if (removed > 0) this.doubtful.add(id);
    }
  }

  /** A message has come by a stream or poll that the client began at a moment. */
  delivered(id: string, beganAt: number): void {
    if (!this.offered.has(id)) this.fault(`${id} was delivered and never sent`);
    const goneAt = this.gone.get(id);
    if (goneAt !== undefined && goneAt < beganAt) this.fault(`${id} came back after it had been acknowledged`);
  }

  /** The ids of messages that must be in the queue. */
  owed(): string[] {
    return this.left().filter((id) => !this.doubtful.has(id));
  }

  /** Checks the messages that the device finds in the end. */
  found(ids: readonly string[], where: string): void {
    const all = new Set(ids);
    for (const id of this.owed()) if (!all.has(id)) this.fault(`${id} is lost: not in the ${where}`);
    for (const id of all) {
      if (this.gone.has(id)) this.fault(`${id} was acknowledged and is in the ${where}`);
    }
    if (all.size !== ids.length) this.fault(`the ${where} holds something twice`);
  }

  fault(text: string): void {
    this.faults.push(text);
  }
}
