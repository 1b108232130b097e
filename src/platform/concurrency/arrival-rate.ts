/** The rate at which something comes, averaged over the recent past. Times are in milliseconds of one clock. */
export class ArrivalRate {
  private perMilli = 0;
  private came = 0;
  private averagedAt: number;

  constructor(now: number) {
    this.averagedAt = now;
  }

  count(arrivals: number): void {
    this.came += arrivals;
  }

  /** Takes what has come since the last call into the average. What came longer ago than `millis` loses its weight. */
  average(now: number, millis: number): void {
    const elapsed = now - this.averagedAt;
    if (elapsed <= 0) return;
    this.perMilli += (elapsed / (elapsed + millis)) * (this.came / elapsed - this.perMilli);
    this.came = 0;
    this.averagedAt = now;
  }

  /** How many come in so long a time. */
  expectedIn(millis: number): number {
    return this.perMilli * millis;
  }
}
