import type { SvcMessage } from "../../client/index.js";
import { encodeHex } from "../../protocol/encodings.js";
import type { DeviceCore } from "./device-core.js";

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** The body of a message, without its id and time. */
export type Said = DistributiveOmit<SvcMessage, "message_id" | "sent_at_millis">;

const idBytes = 16;

/** A message of now, with an id that the application may choose. */
export function newBody<T extends Said>(
  { randomBytes, nowMillis }: Pick<DeviceCore, "randomBytes" | "nowMillis">,
  said: T,
  id = encodeHex(randomBytes(idBytes)),
): T & Pick<SvcMessage, "message_id" | "sent_at_millis"> {
  return { ...said, message_id: id, sent_at_millis: Math.floor(nowMillis()) };
}
