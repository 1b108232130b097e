/**
 * Notices that operations make no progress: none has ended for `boundMillis`.
 *
 * One timer serves all operations. A timer per operation would keep garbage alive: V8 assumes that each timer's garbage
 * is still used by the timer before it, so it survives until the whole heap is collected.
 */
export class ProgressWatch {
  private readonly boundMillis: number;
  private readonly stuck: () => void;
  private underWay = 0;
  /** When an operation last ended, or when the first of the current ones began. */
  private progressAt = 0;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  /** `stuck` is called once for each period without progress. */
  constructor(boundMillis: number, stuck: () => void) {
    this.boundMillis = boundMillis;
    this.stuck = stuck;
  }

  began(): void {
    this.underWay += 1;
    if (this.underWay === 1) this.progressAt = performance.now();
    this.watch();
  }

  /** The operation has succeeded or failed. */
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
