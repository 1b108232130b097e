import type { Notifications } from "../database/pool/notifications.js";
import type { KeyPackageSettings } from "./config.js";

/** Notifies all nodes that a device may have few packages left. The node that holds the stream notifies the device. */
export type LowNotices = ReturnType<typeof createLowNotices>;

const channel = "key_packages";

/**
 * Notices are sent after the commit. A lost notice costs the device one status frame: it gets the number again when it next
 * opens its stream. A notification that stands for lost ones ("") is therefore ignored.
 */
export function createLowNotices(deps: {
  notifications: Pick<Notifications, "notify" | "listen">;
  config: Pick<KeyPackageSettings, "keyPackagesLowMark">;
}) {
  const { notifications, config } = deps;
  const listeners: ((deviceId: string) => void)[] = [];
  let unlisten = (): void => undefined;

  return {
    start(): void {
      unlisten = notifications.listen(channel, (deviceId) => {
        if (deviceId !== "") for (const listener of listeners) listener(deviceId);
      });
    },
    stop: (): void => unlisten(),
    /** Reports the new number of a device's packages; null if it was not counted. */
    changed(deviceId: string, available: number | null): void {
      if (available === null || available < config.keyPackagesLowMark) notifications.notify(channel, deviceId);
    },
    /** Calls `listener` when a device may have few packages left. */
    onLow: (listener: (deviceId: string) => void): void => void listeners.push(listener),
  };
}
