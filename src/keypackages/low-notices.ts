import type { Notifications } from "../database/pool/notifications.js";
import type { KeyPackageSettings } from "./config.js";

/** Notifies all nodes that a device may have few packages left. The node that holds the stream notifies the device. */
export interface LowNotices {
  start(): void;
  stop(): void;
  /** Reports the new number of a device's packages; null if it was not counted. */
  changed(deviceId: string, available: number | null): void;
  /** Calls `listener` when a device may have few packages left. */
  onLow(listener: (deviceId: string) => void): void;
}

const channel = "key_packages";

/**
 * Notices are sent after the commit. A lost notice costs the device one status frame: it gets the number again when it next
 * opens its stream. A notification that stands for lost ones ("") is therefore ignored.
 */
export function createLowNotices(deps: {
  notifications: Pick<Notifications, "notify" | "listen">;
  config: Pick<KeyPackageSettings, "keyPackagesLowMark">;
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
