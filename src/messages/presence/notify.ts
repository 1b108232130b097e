import type { Notifications } from "../../platform/database/notifications.js";

// Notifications between nodes. "w" wakes streams; "r" says that a device's stream was replaced by another node's. Devices
// are named by the first 16 digits of their ids: where two ids share these, a stream is woken for nothing.

export interface WakeUps {
  start(): void;
  stop(): void;
  /** Notifies another node that a device's queue has grown. Wake-ups are collected for some milliseconds. */
  wake(nodeId: string, deviceId: string): void;
  /** Notifies another node that its stream of a device is replaced. */
  replace(nodeId: string, streamId: string): void;
}

interface Listener {
  /** The queues of devices whose ids begin like this have grown. */
  wake(shortIds: readonly string[]): void;
  replaced(streamId: string): void;
  /** Notifications may have been lost. */
  missed(): void;
}

const collectMillis = 10;
const shortLength = 16;
const idsPerNotification = 400;

/** The beginning of a device id, which stands for it in notifications. */
export function shortId(deviceId: string): string {
  return deviceId.slice(0, shortLength);
}

/** Sends and receives notifications. They are sent outside every transaction that stores messages. */
export function createWakeUps(deps: {
  notifications: Pick<Notifications, "notify" | "listen">;
  nodeId: string;
  listener: Listener;
}): WakeUps {
  const { notifications, nodeId, listener } = deps;
  const collected = new Map<string, Set<string>>();
  let timer: NodeJS.Timeout | undefined;
  let unlisten = (): void => undefined;

  const send = (): void => {
    timer = undefined;
    for (const [node, ids] of collected) {
      const list = [...ids];
      for (let at = 0; at < list.length; at += idsPerNotification) {
        notifications.notify(channelOf(node), `w:${list.slice(at, at + idsPerNotification).join(",")}`);
      }
    }
    collected.clear();
  };
  const receive = (payload: string): void => {
    if (payload.startsWith("w:")) listener.wake(payload.slice(2).split(","));
    else if (payload.startsWith("r:")) listener.replaced(payload.slice(2));
    else listener.missed();
  };

  return {
    start() {
      unlisten = notifications.listen(channelOf(nodeId), receive);
    },
    stop() {
      unlisten();
      clearTimeout(timer);
      send();
    },
    wake(node, deviceId) {
      const ids = collected.get(node) ?? new Set();
      collected.set(node, ids.add(shortId(deviceId)));
      timer ??= setTimeout(send, collectMillis);
    },
    replace(node, streamId) {
      notifications.notify(channelOf(node), `r:${streamId}`);
    },
  };
}

function channelOf(nodeId: string): string {
  return `node_${nodeId}`;
}
