// How much of what is queued for this device it has received.

import type { DeviceCore } from "./device-core.js";

/** A device that is online announces its address more often. */
const behindSeconds = 86_400;

export class CatchUp {
  readonly #core: DeviceCore;
  #isDrained = false;
  #isBehind: boolean;

  constructor(core: DeviceCore) {
    this.#core = core;
    this.#isBehind = this.#wasOff();
  }

  /** Whether everything that was queued when this device connected has been received. */
  get isDrained(): boolean {
    return this.#isDrained;
  }

  /** Whether this device has been offline for so long that its groups may have left their epochs long ago. */
  get isBehind(): boolean {
    return this.#isBehind || this.#wasOff();
  }

  interrupted(): void {
    this.#isBehind ||= this.#wasOff();
    this.#isDrained = false;
  }

  drained(): void {
    this.#isDrained = true;
    this.#isBehind = false;
  }

  #wasOff(): boolean {
    const { device, nowMillis } = this.#core;
    const { announcedAt = Number.POSITIVE_INFINITY } = device.session() ?? {};
    return announcedAt < nowMillis() / 1000 - behindSeconds;
  }
}
