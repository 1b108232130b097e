// Notices for members who are online: a member is typing, or has read something. They are no MLS messages: most members are not online to get them, and each
// lost one would leave a key in the states of all members. The user's key signs them instead, inside of the envelope.

import { encodeSvcMessage, readSvcMessage, type SvcMessage, signCiphertext } from "../../client/index.js";
import { concatBytes, decodeBase64, encodeBase64, encodeHex, utf8 } from "../../protocol/encodings.js";
import { isSignedBy, type Member } from "../mls/members.js";

/** Where a notice is valid. */
interface Place {
  group: string;
  epoch: number;
}

export type Notice = Extract<SvcMessage, { type: "typing" | "receipt" }>;

/** Older ones are not shown: a relay could keep them. */
const freshMillis = 60_000;

export function signNotice(
  notice: Notice,
  { place, device, userSecret }: { place: Place; device: string; userSecret: Uint8Array },
): Uint8Array {
  const body = encodeSvcMessage(notice);
  const signature = encodeHex(signCiphertext(userSecret, signedText(body, { device, place })));
  return utf8(JSON.stringify({ device, body: encodeBase64(body), signature }));
}

/** Undefined if it is malformed, too old, not to be shown, or signed by nobody of these members. */
export function readNotice(
  bytes: Uint8Array,
  {
    place,
    members,
    nowMillis,
    isShown,
    keyFor,
  }: {
    place: Place;
    members: readonly Member[];
    nowMillis: number;
    /** Asked before the signature is checked, which takes much longer. */
    isShown: (member: Member, notice: Notice) => boolean;
    /** The key of the user that has signed the member's leaf. */
    keyFor: (member: Member) => string;
  },
): { member: Member; notice: Notice } | undefined {
  try {
    const { device, body: text, signature } = JSON.parse(new TextDecoder().decode(bytes));
    const body = decodeBase64(text) as Uint8Array;
    const member = members.find((one) => one.device === device && one.isSigned);
    const notice = readSvcMessage(body);
    if (member === undefined || (notice.type !== "typing" && notice.type !== "receipt")) return undefined;
    if (Math.abs(nowMillis - notice.sent_at_millis) >= freshMillis || !isShown(member, notice)) return undefined;
    return isSignedBy(keyFor(member), { text: signedText(body, { device, place }), signature })
      ? { member, notice }
      : undefined;
  } catch {
    return undefined;
  }
}

function signedText(body: Uint8Array, { device, place }: { device: string; place: Place }): Uint8Array {
  return concatBytes(utf8(`mls-relay typing\n${place.group}\n${place.epoch}\n${device}\n`), body);
}
