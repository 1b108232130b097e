// Notices that somebody types. They are no MLS messages: most members are not online to get them, and each lost one would leave a key in the
// states of all members. The user's key signs them instead, inside of the envelope.

import { encodeSvcMessage, readSvcMessage, signCiphertext } from "../../client/index.js";
import { concatBytes, decodeBase64, encodeBase64, encodeHex, utf8 } from "../../protocol/encodings.js";
import { isSignedBy, type Member } from "../mls/members.js";

/** Where a notice is valid. */
interface Place {
  group: string;
  epoch: number;
}

/** Older ones are not shown: a relay could keep them. */
const freshMillis = 60_000;

export function signTyping(
  { isTyping, device, sentAtMillis }: { isTyping: boolean; device: string; sentAtMillis: number },
  { place, userSecret }: { place: Place; userSecret: Uint8Array },
): Uint8Array {
  const body = encodeSvcMessage({
    type: "typing",
    is_typing: isTyping,
    message_id: String(sentAtMillis),
    sent_at_millis: sentAtMillis,
  });
  const signature = encodeHex(signCiphertext(userSecret, signedText(body, { device, place })));
  return utf8(JSON.stringify({ device, body: encodeBase64(body), signature }));
}

/** Undefined if it is malformed, too old, or signed by nobody of these members. */
export function readTyping(
  bytes: Uint8Array,
  { place, members, nowMillis }: { place: Place; members: readonly Member[]; nowMillis: number },
): { member: Member; isTyping: boolean } | undefined {
  try {
    const { device, body: text, signature } = JSON.parse(new TextDecoder().decode(bytes));
    const body = decodeBase64(text) as Uint8Array;
    const member = members.find((one) => one.device === device && one.isSigned);
    if (member === undefined || !isSignedBy(member.user, { text: signedText(body, { device, place }), signature }))
      return undefined;
    const message = readSvcMessage(body);
    const isFresh = Math.abs(nowMillis - message.sent_at_millis) < freshMillis;
    return message.type === "typing" && isFresh ? { member, isTyping: message.is_typing } : undefined;
  } catch {
    return undefined;
  }
}

function signedText(body: Uint8Array, { device, place }: { device: string; place: Place }): Uint8Array {
  return concatBytes(utf8(`mls-relay typing\n${place.group}\n${place.epoch}\n${device}\n`), body);
}
