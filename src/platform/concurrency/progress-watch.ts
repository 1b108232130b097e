/**
 * Notices that something under way makes no progress: nothing has ended for `boundMillis`.
 *
 * One timer serves all that is under way. A timer for each keeps its garbage alive: V8 takes the garbage of each for something
 * that the one before still uses, so that it survives until the whole heap is collected.
 */
export class ProgressWatch {
  private readonly boundMillis: number;
  private readonly stuck: () => void;
  private underWay = 0;
  /** When something ended, or the first of what is under way began. */
  private progressAt = 0;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  /** `stuck` is called once for each time without progress. */
  constructor(boundMillis: number, stuck: () => void) {
    this.boundMillis = boundMillis;
    this.stuck = stuck;
  }

  began(): void {
    this.underWay += 1;
    if (this.underWay === 1) this.progressAt = performance.now();
    this.watch();
  }

  /** It has succeeded or failed. */
  ended(): void {
    this.underWay -= 1;
    this.progressAt = performance.now();
    if (this.underWay > 0) this.watch();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private watch(): void {
    if (this.timer === undefined && !this.stopped) this.checkIn(this.boundMillis);
  }

  private checkIn(millis: number): void {
    this.timer = setTimeout(() => this.check(), millis).unref();
  }

  private check(): void {
    this.timer = undefined;
    if (this.underWay === 0) return;
    const millisLeft = this.progressAt + this.boundMillis - performance.now();
    if (millisLeft > 0) this.checkIn(millisLeft);
    else this.stuck();
  }
}
