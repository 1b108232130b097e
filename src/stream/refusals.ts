import type { LRUCache } from "lru-cache";
import { createLruCache } from "../platform/lru-cache.js";
import type { StreamSettings } from "./config.js";

type RefusalRules = Pick<StreamSettings, "streamRefusalsAtOnce" | "streamRefusalSeconds" | "streamRefusalsWhileSlow">;

const rememberedDevices = 20_000;

/** The refusals of the devices that have or had a stream on this node. A device that reconnects keeps its count. */
export class RefusalsOfDevices {
  private readonly rules: RefusalRules;
  private readonly remembered: LRUCache<string, Refusals> = createLruCache(rememberedDevices);

  constructor(rules: RefusalRules) {
    this.rules = rules;
  }

  of(deviceId: string): Refusals {
    const known = this.remembered.get(deviceId);
    if (known !== undefined) return known;
    return new Refusals(this.rules, (made) => this.remembered.set(deviceId, made));
  }
}

/**
 * The refusals in a row of one device's frames. Each counts until `streamRefusalSeconds` have passed for it, or until a
 * message is accepted. While the maximum number of refusals count, the device's stream is slow: its next frame is
 * handled when one of them no longer counts. A client that waits as long as it is told never reaches this state. Times
 * are milliseconds.
 */
export class Refusals {
  private readonly rules: RefusalRules;
  private readonly remember: (refusals: Refusals) => void;
  private counting = 0;
  private countedAt = 0;
  private isSlow = false;
  private whileSlow = 0;

  constructor(rules: RefusalRules, remember: (refusals: Refusals) => void) {
    this.rules = rules;
    this.remember = remember;
  }

  /** How many more frames may be refused now. */
  room(now: number): number {
    if (this.counting > 0) this.expire(now);
    return this.rules.streamRefusalsAtOnce - this.counting;
  }

  /** Whether the stream has been slow for so many refusals that it must end. */
  get isOver(): boolean {
    return this.whileSlow >= this.rules.streamRefusalsWhileSlow;
  }

  refused(now: number): void {
    if (this.counting === 0) this.remember(this);
    this.expire(now);
    if (this.isSlow) this.whileSlow += 1;
    this.counting += 1;
    this.isSlow ||= this.room(now) < 1;
  }

  accepted(): void {
    this.counting = 0;
    this.isSlow = false;
    this.whileSlow = 0;
  }

  /** Seconds until no refusal counts. */
  secondsLeft(now: number): number {
    this.expire(now);
    return Math.ceil(this.counting * this.rules.streamRefusalSeconds);
  }

  private expire(now: number): void {
    const seconds = Math.max(0, now - this.countedAt) / 1000;
    this.countedAt = now;
    this.counting = Math.max(0, this.counting - seconds / this.rules.streamRefusalSeconds);
    if (this.counting === 0) this.accepted();
  }
}
