// Which messages can be reported. The id of a message may commit to a handle (as in message franking), a secret inside of the encrypted content: its
// recipients show content only with the handle, and a report needs it. What a device sends without its user's doing commits to a handle that nobody knows.
//
// Such an id is a UUIDv7 of a whole minute. Its last 62 bits are a hash of minute and handle, and the 12 bits before the variant a hash of minute and
// those 62 bits, which tells these ids from others.

import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes, decodeBase64, decodeHex, utf8 } from "./encodings.js";
import { type MessageId, millisOfMessageId, newMessageId, parseMessageId } from "./identifiers.js";

export const reportHandleBytes = 16;

const minuteMillis = 60_000;
const handleLabel = utf8("mls-relay report handle 1");
const idLabel = utf8("mls-relay reportable id 1");
/** Of a UUID: the time, version and mark, variant and commitment. */
const [timeBytes, commitmentAt] = [6, 8];

/** A message id that commits to a handle. The time counts to the minute. */
export function newReportableId(nowMillis: number, handle: Uint8Array): MessageId {
  const minute = minuteMillis * Math.floor(nowMillis / minuteMillis);
  const time = bytesOf(newMessageId(minute, new Uint8Array(10))).subarray(0, timeBytes);
  const commitment = sha256(concatBytes(handleLabel, time, handle)).subarray(0, 8);
  return newMessageId(minute, concatBytes(markOf(time, commitment), commitment));
}

/** A message id that commits to no handle. */
export function newPlainId(nowMillis: number, randomBytes: (length: number) => Uint8Array): MessageId {
  for (;;) {
    const id = newMessageId(nowMillis, randomBytes(10));
    if (!commits(id)) return id;
  }
}

/** A handle in a report; another form is no handle. */
export function readHandle(text: string | undefined): Uint8Array | undefined {
  const handle = text === undefined ? undefined : decodeBase64(text);
  return handle?.length === reportHandleBytes ? handle : undefined;
}

/** Whether a message of this id can be reported, by a recipient who knows this handle, or none. `id` is a message id in any spelling. */
export function canBeReported(id: string, handle?: Uint8Array): boolean {
  const known = parseMessageId(id);
  if (known === undefined || !commits(known)) return true;
  const isHandle = handle?.length === reportHandleBytes;
  return isHandle && newReportableId(millisOfMessageId(known), handle) === known;
}

function commits(id: MessageId): boolean {
  if (millisOfMessageId(id) % minuteMillis !== 0) return false;
  const bytes = bytesOf(id);
  const mark = markOf(bytes.subarray(0, timeBytes), bytes.subarray(commitmentAt));
  return newMessageId(0, concatBytes(mark, new Uint8Array(8))).slice(15, 18) === id.slice(15, 18);
}

/** The 12 bits are the last of these 16. */
function markOf(time: Uint8Array, commitment: Uint8Array): Uint8Array {
  const settled = Uint8Array.from(commitment);
  settled[0] = (settled[0] as number) & 0x3f;
  return sha256(concatBytes(idLabel, time, settled)).subarray(0, 2);
}

function bytesOf(id: MessageId): Uint8Array {
  return decodeHex(id.replaceAll("-", ""), 16) as Uint8Array;
}
