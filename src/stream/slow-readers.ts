// Which clients read their stream too slowly. They are disconnected, and poll or come back.

import type { PaceRules } from "../platform/net/pace.js";
import { mebibyte } from "../protocol/units.js";
import type { StreamDeps } from "./types.js";

/** The next message is sent only while fewer bytes than this are buffered. */
const streamBufferBytes = mebibyte;

/** A client must take what is sent at this pace. */
export function paceOfReaders(config: StreamDeps["config"]): PaceRules & { bufferLimitBytes: number } {
  return {
    bufferLimitBytes: streamBufferBytes,
    silenceSeconds: config.streamDrainTimeoutSeconds,
    leastBytesPerSecond: config.slowestBytesPerSecond,
  };
}

/** Whether a client that acknowledges nothing has so many messages in its queue that it should poll. */
export async function leavesTooManyQueued(
  deviceId: string,
  { messages, config }: Pick<StreamDeps, "messages" | "config">,
): Promise<boolean> {
  return (await messages.countQueued(deviceId)) > config.maxMessageBacklog;
}
