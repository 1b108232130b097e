import type { Notifications } from "../../database/pool/notifications.js";
import type { NodeLinks } from "../../node/node-links.js";
import type { Arrival, OnlineArrival } from "../model/types.js";
import { decode, encode, pack, type RemoteArrival, type RemoteOnline } from "./packet.js";

// Notifications between nodes. If a link to the other node is open, the node gets the committed messages. Otherwise it
// is notified over the database and reads them. There, "w" wakes streams; "r" says that a device's stream was replaced
// by another node's. Devices are named by the first 16 digits of their ids: if two ids share them, a stream is woken
// unnecessarily.

interface Listener {
  /** Another node has committed messages for a stream of this one. */
  arrived(arrival: RemoteArrival): void;
  /** Another node has an online-only message for a stream of this one. */
  online(arrival: RemoteOnline): void;
  /** The queues of devices whose ids begin like this have grown. */
  wake(shortIds: readonly string[]): void;
  replaced(streamId: string): void;
  /** Notifications may have been lost. */
  missed(): void;
}

const collectMillis = 10;
const shortLength = 16;
const idsPerNotification = 400;

/** The beginning of a device id, which identifies the device in notifications. */
export function shortId(deviceId: string): string {
  return deviceId.slice(0, shortLength);
}

/** Sends and receives notifications. They are sent outside every transaction that stores messages. */
export function createWakeUps(deps: {
  notifications: Pick<Notifications, "notify" | "listen">;
  links: Pick<NodeLinks, "send" | "sendOnce" | "listen">;
  nodeId: string;
  listener: Listener;
}) {
  const { notifications, links, nodeId, listener } = deps;
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

  const receivePacket = (bytes: Buffer): void => {
    const packet = decode(bytes);
    if (packet === undefined) {
      listener.missed();
      return;
    }
    for (const arrival of packet.arrivals) listener.arrived(arrival);
    for (const arrival of packet.online) listener.online(arrival);
    if (packet.wake.length > 0) listener.wake(packet.wake.map(shortId));
    for (const streamId of packet.replaced) listener.replaced(streamId);
  };
  const lost = (node: string): void => notifications.notify(channelOf(node), "");
  const wake = (node: string, deviceId: string): void => {
    const ids = collected.get(node) ?? new Set();
    collected.set(node, ids.add(shortId(deviceId)));
    timer ??= setTimeout(send, collectMillis);
  };

  return {
    start(): void {
      unlisten = notifications.listen(channelOf(nodeId), receive);
      links.listen({ received: receivePacket, lost, missed: listener.missed });
    },
    stop(): void {
      unlisten();
      clearTimeout(timer);
      send();
    },
    /**
     * Sends messages to the nodes that have the streams, or wakes those nodes. Wake-ups are collected for some
     * milliseconds.
     */
    handOver(arrivals: readonly Arrival[]): void {
      for (const [node, ofNode] of byNode(arrivals)) {
        const isSent = pack(ofNode).map((packet) => links.send(node, packet));
        if (isSent.includes(false)) for (const { deviceId } of ofNode) wake(node, deviceId);
      }
    },
    /** Sends online-only messages to the nodes that have the streams. Without a link to a node they are lost. */
    handOverOnline(arrivals: readonly OnlineArrival[]): void {
      for (const arrival of arrivals) links.sendOnce(arrival.node, encode({ online: [arrival] }));
    },
    /** Notifies another node that its stream of a device has been replaced. */
    replace(node: string, streamId: string): void {
      const isSent = links.send(node, encode({ replaced: [streamId] }));
      if (!isSent) notifications.notify(channelOf(node), `r:${streamId}`);
    },
  };
}

function channelOf(nodeId: string): string {
  return `node_${nodeId}`;
}

function byNode(arrivals: readonly Arrival[]): Map<string, Arrival[]> {
  const groups = new Map<string, Arrival[]>();
  for (const arrival of arrivals) {
    const group = groups.get(arrival.node);
    if (group === undefined) groups.set(arrival.node, [arrival]);
    else group.push(arrival);
  }
  return groups;
}
