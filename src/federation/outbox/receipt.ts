import { errorNameOf } from "../peers/error-name.js";

// The receipt of a peer, read tolerantly: the specification names its members and leaves their forms open. Ids may be written
// with or without hyphens, and a list may hold ids or objects, be an object by id, a number, or missing.

/** A message that the receipt names as rejected. */
export interface Rejection {
  /** The message's id as `comparable` returns it. */
  messageId: string;
  /** Which of the messages with this id was rejected, if the peer says so. */
  address: string | undefined;
  /** The name of the error, if there is a usable one. */
  error: string | undefined;
}

export type Receipt =
  | {
      kind: "listed";
      /** Ids as `comparable` returns them; or everything that is not rejected. */
      accepted: ReadonlySet<string> | "others";
      rejected: readonly Rejection[];
    }
  /** Everything was rejected, and no message was named. */
  | { kind: "rejected" }
  /** It says nothing about the messages. */
  | { kind: "empty" }
  /** It says something that cannot be related to the transaction. */
  | { kind: "unreadable" };

/** Reads the body that answers the transaction `id` of `count` messages. */
export function readReceipt(body: unknown, { id, count }: { id: string; count: number }): Receipt {
  if (body === null) return { kind: "empty" };
  if (!isRecord(body)) return { kind: "unreadable" };
  const { transaction_id, status, accepted_messages, rejected_messages } = body;
  if (transaction_id != null && comparable(transaction_id) !== comparable(id)) return { kind: "unreadable" };
  const rejected = readRejections(rejected_messages);
  switch (isText(status) ? status.toLowerCase() : status) {
    case "accepted":
      return { kind: "listed", accepted: "others", rejected: rejected.filter(({ error }) => error !== undefined) };
    case "rejected":
      if (rejected.length === 0) return { kind: "rejected" };
      return { kind: "listed", accepted: readIds(accepted_messages) ?? new Set(), rejected };
    case undefined:
    case null:
      if (accepted_messages === undefined && rejected_messages === undefined) {
        // An error is no success, whatever the status says.
        return body["error"] == null && body["code"] == null ? { kind: "empty" } : { kind: "unreadable" };
      }
  }
  const accepted = readIds(accepted_messages);
  if (accepted !== undefined) return { kind: "listed", accepted, rejected };
  if (rejected.length === 0) return { kind: "unreadable" };
  const isComplete = typeof accepted_messages !== "number" || accepted_messages === count - rejected.length;
  return { kind: "listed", accepted: isComplete ? "others" : new Set(), rejected };
}

/** An id or address in the form in which it is compared, without regard to its case and hyphens. */
export function comparable(text: unknown): string {
  return isText(text) ? text.toLowerCase().replaceAll("-", "") : "";
}

/** Undefined if the value is neither a list nor an object by id. */
function readIds(value: unknown): ReadonlySet<string> | undefined {
  if (Array.isArray(value)) return new Set(value.map((one) => comparable(idOf(one))));
  if (!isRecord(value)) return undefined;
  const taken = Object.entries(value).filter(([, is]) => is !== false && is !== null);
  return new Set(taken.map(([id]) => comparable(id)));
}

function readRejections(value: unknown): Rejection[] {
  if (Array.isArray(value)) {
    return value.flatMap((one) => (isText(idOf(one)) ? [rejection(idOf(one), isRecord(one) ? one : {})] : []));
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).map(([id, why]) => rejection(id, isRecord(why) ? why : { error: why }));
}

function rejection(id: unknown, about: Record<string, unknown>): Rejection {
  const { recipient_address: address } = about;
  return {
    messageId: comparable(id),
    address: isText(address) ? comparable(address) : undefined,
    error: errorNameOf(about),
  };
}

function idOf(item: unknown): unknown {
  return isRecord(item) ? (item["message_id"] ?? item["id"]) : item;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
