// What linking shares with the rest of the library. It is passed to it: if it was imported, bundlers would divide the library into more files, which are
// larger together once they are compressed.

import {
  AnswerError,
  answerLinking,
  beginLinking,
  ConnectionError,
  openEnvelope,
  readLinkingQr,
  sealMessages,
  sendSealed,
  sha256,
} from "../../client/index.js";
import { encodeHex } from "../../protocol/encodings.js";
import { decodeRecord, encodeRecord } from "../encoding/records.js";
import { doorKeysOf } from "../membership/request-keys.js";

export const linkingParts = {
  AnswerError,
  answerLinking,
  beginLinking,
  ConnectionError,
  openEnvelope,
  readLinkingQr,
  sealMessages,
  sendSealed,
  sha256,
  // The package has the types of this folder and of the client alone.
  encodeHex: encodeHex as (bytes: Uint8Array) => string,
  decodeRecord,
  encodeRecord,
  doorKeysOf,
};

export type LinkingParts = typeof linkingParts;
