// What recovery shares with the rest of the library, passed to it as in devices/linking-parts.ts.

import { deviceKeysOf, hkdfSha256Expand, hkdfSha256Extract } from "../../client/index.js";
import { concatBytes, decodeHex, encodeHex, equalBytes, utf8 } from "../../protocol/encodings.js";
import { decodeRecord, encodeRecord } from "../encoding/records.js";
import { recoveryOf } from "../mls/recovered-devices.js";
import { callLater } from "../sending/refusals.js";
import { forgetGroup } from "../store/forgetting.js";
import { importMessages } from "../store/messages.js";
import {
  deniedPrefix,
  endPrefix,
  indexPrefix,
  inGroup,
  keyOf,
  localPrefix,
  lostPrefix,
  messagePrefix,
  restOf,
  userKeysPrefix,
  verifiedPrefix,
} from "../store/record-keys.js";

export const recoveryParts = {
  deviceKeysOf,
  hkdfSha256Expand,
  hkdfSha256Extract,
  // The package has the types of this folder and of the client alone.
  concatBytes: concatBytes as (...parts: Uint8Array[]) => Uint8Array<ArrayBuffer>,
  decodeHex: decodeHex as (text: string, length?: number) => Uint8Array | undefined,
  encodeHex: encodeHex as (bytes: Uint8Array) => string,
  equalBytes: equalBytes as (one: Uint8Array, other: Uint8Array) => boolean,
  utf8: utf8 as (text: string) => Uint8Array<ArrayBuffer>,
  decodeRecord,
  encodeRecord,
  recoveryOf,
  callLater,
  forgetGroup,
  importMessages,
  inGroup,
  keyOf,
  restOf,
  lostPrefix,
  localPrefix,
  messagePrefix,
  /** What a user sets for themself. */
  copied: [verifiedPrefix, userKeysPrefix, deniedPrefix, localPrefix] as readonly string[],
  /** What `importMessages` stores. */
  imported: [messagePrefix, indexPrefix, endPrefix] as readonly string[],
};

export type RecoveryParts = typeof recoveryParts;
