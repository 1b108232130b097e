import { kibibyte } from "../../protocol/units.js";
import type { Arrival, CommittedMessages, OnlineArrival, QueuedMessage } from "../model/types.js";

// What a node sends another after a commit: messages with their bytes, for streams open there; devices whose streams
// should read their queues; replaced streams; and online-only messages. Format: one byte for the version, four for the length of the JSON,
// the JSON, then the concatenated ciphertexts.

interface Packet {
  arrivals: readonly RemoteArrival[];
  online: readonly RemoteOnline[];
  /** Devices whose queues got messages that are too large to be sent between nodes. */
  wake: readonly string[];
  /** Ids of streams. */
  replaced: readonly string[];
}

export type RemoteArrival = CommittedMessages & Pick<Arrival, "deviceId">;
export type RemoteOnline = Omit<OnlineArrival, "node">;

type PlainMessage = Omit<QueuedMessage, "ciphertext"> & { bytes: number };
type PlainArrival = Omit<RemoteArrival, "messages"> & { messages: PlainMessage[] };
interface Plain extends Omit<Packet, "arrivals" | "online"> {
  arrivals: PlainArrival[];
  /** Missing in packets of earlier versions. */
  online?: { deviceId: string; message: PlainMessage }[];
}

const version = 1;
const headBytes = 5;
/** Messages of one queue and one flush are sent up to this size; beyond it the other node reads them. */
const arrivalLimitBytes = 64 * kibibyte;
/** The size that a bus accepts in one message. */
const packetLimitBytes = 256 * kibibyte;

/** Puts committed messages into as few packets as their size allows. */
export function pack(arrivals: readonly RemoteArrival[]): Buffer[] {
  const packets: Buffer[] = [];
  let taken: RemoteArrival[] = [];
  let bytes = 0;
  const wake: string[] = [];
  for (const arrival of arrivals) {
    const size = sizeOf(arrival);
    if (size > arrivalLimitBytes) {
      wake.push(arrival.deviceId);
      continue;
    }
    if (bytes + size > packetLimitBytes) {
      packets.push(encode({ arrivals: taken }));
      [taken, bytes] = [[], 0];
    }
    taken.push(arrival);
    bytes += size;
  }
  if (taken.length > 0 || wake.length > 0) packets.push(encode({ arrivals: taken, wake }));
  return packets;
}

export function encode({ arrivals = [], online = [], wake = [], replaced = [] }: Partial<Packet>): Buffer {
  const ciphertexts: Buffer[] = [];
  const plainOf = ({ ciphertext, ...message }: QueuedMessage): PlainMessage => {
    ciphertexts.push(ciphertext);
    return { ...message, bytes: ciphertext.length };
  };
  const plain: Plain = {
    arrivals: arrivals.map(({ deviceId, from, head, messages }) => ({
      deviceId,
      from,
      head,
      messages: messages.map(plainOf),
    })),
    online: online.map(({ deviceId, message }) => ({ deviceId, message: plainOf(message) })),
    wake,
    replaced,
  };
  const json = Buffer.from(JSON.stringify(plain));
  const start = Buffer.allocUnsafe(headBytes);
  start.writeUInt8(version);
  start.writeUInt32BE(json.length, 1);
  return Buffer.concat([start, json, ...ciphertexts]);
}

/** Undefined for a packet of another version. Throws for a damaged packet. */
export function decode(packet: Buffer): Packet | undefined {
  if (packet.readUInt8() !== version) return undefined;
  let at = headBytes + packet.readUInt32BE(1);
  const { arrivals, online = [], wake, replaced } = JSON.parse(packet.toString("utf8", headBytes, at)) as Plain;
  const read = ({ bytes, ...message }: PlainMessage): QueuedMessage => {
    if (at + bytes > packet.length) throw new RangeError("a packet is shorter than it says");
    // Copied, because a message may be held for long and the packet holds many.
    const ciphertext = Buffer.from(packet.subarray(at, at + bytes));
    at += bytes;
    return { ...message, ciphertext };
  };
  return {
    arrivals: arrivals.map((one) => ({ ...one, messages: one.messages.map(read) })),
    online: online.map(({ deviceId, message }) => ({ deviceId, message: read(message) })),
    wake,
    replaced,
  };
}

function sizeOf({ messages }: CommittedMessages): number {
  return messages.reduce((sum, { ciphertext }) => sum + ciphertext.length, 0);
}
