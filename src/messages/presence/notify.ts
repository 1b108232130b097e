import type { Notifications } from "../../platform/database/notifications.js";

// Hints between nodes. A hint names devices by the first 16 digits of their ids: wrong by chance, it wakes a stream for
// nothing. "w" wakes streams, "r" tells that a device's stream was replaced by another node's.

export interface WakeUps {
  start(): void;
  stop(): void;
  /** Tells another node that a device's queue has grown. Gathered for some milliseconds. */
  wake(nodeId: string, deviceId: string): void;
  /** Tells another node that its stream of a device is replaced. */
  replace(nodeId: string, streamId: string): void;
}

interface Listener {
  /** Devices whose ids begin so. */
  wake(shortIds: readonly string[]): void;
  replaced(streamId: string): void;
  /** Hints may have been lost. */
  missed(): void;
}

const gatherMillis = 10;
const shortLength = 16;
const idsPerHint = 400;

/** The beginning of a device id, which stands for it in hints. */
export function shortId(deviceId: string): string {
  return deviceId.slice(0, shortLength);
}

/** Sends and receives the hints of this node. They leave outside every transaction that stores something. */
export function createWakeUps(deps: {
  notifications: Pick<Notifications, "notify" | "listen">;
  nodeId: string;
  listener: Listener;
}): WakeUps {
  const { notifications, nodeId, listener } = deps;
  const gathered = new Map<string, Set<string>>();
  let timer: NodeJS.Timeout | undefined;
  let unlisten = (): void => undefined;

  const send = (): void => {
    timer = undefined;
    for (const [node, ids] of gathered) {
      const list = [...ids];
      for (let at = 0; at < list.length; at += idsPerHint) {
        notifications.notify(channelOf(node), `w:${list.slice(at, at + idsPerHint).join(",")}`);
      }
    }
    gathered.clear();
  };
  const hear = (payload: string): void => {
    if (payload.startsWith("w:")) listener.wake(payload.slice(2).split(","));
    else if (payload.startsWith("r:")) listener.replaced(payload.slice(2));
    else listener.missed();
  };

  return {
    start() {
      unlisten = notifications.listen(channelOf(nodeId), hear);
    },
    stop() {
      unlisten();
      clearTimeout(timer);
      send();
    },
    wake(node, deviceId) {
      const ids = gathered.get(node) ?? new Set();
      gathered.set(node, ids.add(shortId(deviceId)));
      timer ??= setTimeout(send, gatherMillis);
    },
    replace(node, streamId) {
      notifications.notify(channelOf(node), `r:${streamId}`);
    },
  };
}

function channelOf(nodeId: string): string {
  return `node_${nodeId}`;
}
