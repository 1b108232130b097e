// The recovery key, which people write down: ten groups of five digits with 13 bits each, 130 in all. The remainder of a group by 11 is its place, so
// each group that was mistyped, or stands in the place of another one, is found before anything is tried with it.

import { deviceKeysOf, hkdfSha256Expand, hkdfSha256Extract } from "../../client/index.js";
import { encodeHex, utf8 } from "../../protocol/encodings.js";
import type { Recovery } from "../store/records.js";
import { RecoveryError } from "./recovery-error.js";

const count = 10;
const digits = 5;
const modulus = 11;
const secretBytes = 32;

export function newRecoveryKey(randomBytes: (length: number) => Uint8Array): string {
  const random = new DataView(Uint8Array.from(randomBytes(2 * count)).buffer);
  const groups = Array.from({ length: count }, (_, place) => (random.getUint16(2 * place) % 8_192) * modulus + place);
  return groups.map((group) => String(group).padStart(digits, "0")).join(" ");
}

/** Reads a recovery key. Throws RecoveryError. */
export function readRecoveryKey(text: string): Recovery & { signatureSecret: Uint8Array } {
  const typed = text.normalize("NFKC").replace(/\D/g, "");
  const isRight = (place: number) => {
    const group = typed.slice(digits * place, digits * (place + 1));
    return group.length === digits && Number(group) % modulus === place && Number(group) < 8_192 * modulus;
  };
  const wrong = Array.from({ length: count }, (_, place) => place).filter((place) => !isRight(place));
  if (typed.length > count * digits) wrong.push(count);
  if (wrong.length > 0)
    throw new RecoveryError(
      "key",
      wrong.map((place) => place + 1),
    );
  const secret = hkdfSha256Extract(utf8("mls-relay recovery 1"), utf8(typed));
  const [signatureSecret, fileKey] = ["signature", "file"].map((label) =>
    hkdfSha256Expand(secret, utf8(`mls-relay recovery ${label}`), secretBytes),
  ) as [Uint8Array, Uint8Array];
  return {
    publicKey: encodeHex(deviceKeysOf(signatureSecret).publicKey),
    fileKey: encodeHex(fileKey),
    signatureSecret,
  };
}
