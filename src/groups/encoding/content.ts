// What members of a group send each other, inside of envelopes.

import {
  encodeSvcMessage,
  encodeSystemOperation,
  readSvcMessage,
  readSystemOperation,
  type SlotReceipt,
  type SvcMessage,
  type SystemOperation,
} from "../../client/index.js";
import { concatBytes, decodeBase64, encodeBase64, utf8 } from "../../protocol/encodings.js";

/** An MLS message, with the handle that a report of it needs, news of a commit, what is only for those who are online, or what members say of a disputed commit. */
type Content =
  | { kind: "mls"; message: Uint8Array; handle?: Uint8Array }
  | { kind: "commit"; news: CommitNews }
  | { kind: "passing"; message: Uint8Array }
  | { kind: "dispute"; message: Uint8Array };

/** The commit that has won the slot of an epoch. A large one is left out: members read it from the slot. */
export interface CommitNews {
  content?: Uint8Array;
  receipt: SlotReceipt;
  attempt: number;
}

const mlsTag = 0;
const commitTag = 1;
const passingTag = 2;
const disputeTag = 3;
const reportableTag = 4;
/** After tag and handle. */
const messageAt = 1 + 16;
/** Larger commits are read from their slots, because each copy of the news would carry them. */
const maxNewsBytes = 8 * 1024;

export function encodeContent(content: Content): Uint8Array {
  if (content.kind === "mls") {
    const { handle, message } = content;
    return handle
      ? concatBytes(Uint8Array.of(reportableTag), handle, message)
      : concatBytes(Uint8Array.of(mlsTag), message);
  }
  if (content.kind === "passing") return concatBytes(Uint8Array.of(passingTag), content.message);
  if (content.kind === "dispute") return concatBytes(Uint8Array.of(disputeTag), content.message);
  const { content: commit, receipt, attempt } = content.news;
  const carried = commit !== undefined && commit.length <= maxNewsBytes && { content: encodeBase64(commit) };
  return concatBytes(Uint8Array.of(commitTag), utf8(JSON.stringify({ ...carried, receipt, attempt })));
}

/** Undefined for what no version of this package has written. */
export function readContent(bytes: Uint8Array): Content | undefined {
  if (bytes[0] === reportableTag)
    return { kind: "mls", handle: bytes.slice(1, messageAt), message: bytes.slice(messageAt) };
  if (bytes[0] === mlsTag) return { kind: "mls", message: bytes.slice(1) };
  if (bytes[0] === passingTag) return { kind: "passing", message: bytes.slice(1) };
  if (bytes[0] === disputeTag) return { kind: "dispute", message: bytes.slice(1) };
  if (bytes[0] !== commitTag) return undefined;
  try {
    const { content, receipt, attempt } = JSON.parse(new TextDecoder().decode(bytes.subarray(1)));
    const commit = typeof content === "string" ? decodeBase64(content) : undefined;
    if (typeof receipt !== "object" || !Number.isSafeInteger(attempt) || attempt < 0) return undefined;
    return { kind: "commit", news: { ...(commit && { content: Uint8Array.from(commit) }), receipt, attempt } };
  } catch {
    return undefined;
  }
}

/** The content of an MLS message. */
export type Body = SvcMessage | SystemOperation;

export function encodeBody(body: Body): Uint8Array {
  return "operation" in body ? encodeSystemOperation(body) : encodeSvcMessage(body);
}

/** Undefined for what this version does not know. */
export function readBody(bytes: Uint8Array): Body | undefined {
  for (const read of [readSvcMessage, readSystemOperation]) {
    try {
      return read(bytes);
    } catch {
      // It may be of the other kind.
    }
  }
  return undefined;
}
