import type { Config } from "../platform/config/config.js";
import type { Notifications } from "../platform/database/notifications.js";

/** Tells all nodes that a device may have few packages left, so that the one with its stream tells the device. */
export interface LowNotices {
  start(): void;
  stop(): void;
  /** The number of a device's packages has changed to this, or to one that was not counted (null). */
  changed(deviceId: string, available: number | null): void;
  onLow(listener: (deviceId: string) => void): void;
}

const channel = "key_packages";

/**
 * Hints go out after the commit. A hint that is lost costs the device one status frame; it sees the number again when it
 * next opens its stream. So a hint that stands for lost ones ("") is passed over.
 */
export function createLowNotices(deps: {
  notifications: Pick<Notifications, "notify" | "listen">;
  config: Pick<Config, "keyPackagesLowMark">;
}): LowNotices {
  const { notifications, config } = deps;
  const listeners: ((deviceId: string) => void)[] = [];
  let unlisten = (): void => undefined;

  return {
    start() {
      unlisten = notifications.listen(channel, (deviceId) => {
        if (deviceId !== "") for (const listener of listeners) listener(deviceId);
      });
    },
    stop: () => unlisten(),
    changed(deviceId, available) {
      if (available === null || available < config.keyPackagesLowMark) notifications.notify(channel, deviceId);
    },
    onLow: (listener) => void listeners.push(listener),
  };
}
