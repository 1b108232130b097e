import type { StreamSink } from "../model/types.js";
import { shortId } from "./notify.js";

/** A stream that is open on this node. */
export interface LocalStream {
  deviceId: string;
  streamId: string;
  sink: StreamSink;
  /** The latest head of the queue of which the stream has been notified. */
  head: number;
  /** The delivery cursor. */
  delivered: number;
}

/** This node's streams, one per device, found by device, by stream and by the short id in notifications. */
export type Registry = ReturnType<typeof createRegistry>;

export function createRegistry() {
  const byDevice = new Map<string, LocalStream>();
  const byStream = new Map<string, LocalStream>();
  const byShort = new Map<string, Set<LocalStream>>();

  const drop = (stream: LocalStream): void => {
    byStream.delete(stream.streamId);
    const short = shortId(stream.deviceId);
    const same = byShort.get(short);
    same?.delete(stream);
    if (same?.size === 0) byShort.delete(short);
  };

  return {
    get: (deviceId: string): LocalStream | undefined => byDevice.get(deviceId),
    byStream: (streamId: string): LocalStream | undefined => byStream.get(streamId),
    byShortId: (short: string): Iterable<LocalStream> => byShort.get(short) ?? [],
    all: (): LocalStream[] => [...byDevice.values()],
    /** Makes this the stream of its device; returns the previous one. */
    put(stream: LocalStream): LocalStream | undefined {
      const before = byDevice.get(stream.deviceId);
      if (before !== undefined) drop(before);
      byDevice.set(stream.deviceId, stream);
      byStream.set(stream.streamId, stream);
      const short = shortId(stream.deviceId);
      byShort.set(short, (byShort.get(short) ?? new Set()).add(stream));
      return before;
    },
    /** False if the device has another stream by now. */
    remove(deviceId: string, streamId: string): boolean {
      const stream = byDevice.get(deviceId);
      if (stream?.streamId !== streamId) return false;
      byDevice.delete(deviceId);
      drop(stream);
      return true;
    },
  };
}
