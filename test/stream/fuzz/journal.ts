/**
 * What a device's queue must hold and may no longer hold, by what the relay has said so far. Moments are numbered in the
 * order in which the client learned of them.
 */
export class Journal {
  /** Asked to be sent, whatever came of it. */
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

  /** The ids that a client may acknowledge to some effect. */
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

  /** A confirmation for many ids, of which only the number is told that were removed. */
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

  /** A message has been pushed or polled by what the client began at a moment. */
  delivered(id: string, beganAt: number): void {
    if (!this.offered.has(id)) this.fault(`${id} was handed out and never sent`);
    const goneAt = this.gone.get(id);
    if (goneAt !== undefined && goneAt < beganAt) this.fault(`${id} came back after it had been acknowledged`);
  }

  /** What must be in the queue. */
  owed(): string[] {
    return this.left().filter((id) => !this.doubtful.has(id));
  }

  /** What the device finds in the end. */
  found(ids: readonly string[], door: string): void {
    const all = new Set(ids);
    for (const id of this.owed()) if (!all.has(id)) this.fault(`${id} is lost: not in the ${door}`);
    for (const id of all) {
      if (this.gone.has(id)) this.fault(`${id} was acknowledged and is in the ${door}`);
    }
    if (all.size !== ids.length) this.fault(`the ${door} holds something twice`);
  }

  fault(what: string): void {
    this.faults.push(what);
  }
}
