import { type ErrorId, errorCatalogue } from "../../protocol/errors.js";
import type { PeerAnswer } from "../peers/types.js";

// The meaning of a peer's answer to a transaction. For a single message, a refusal that time cannot change is final, and
// any other is worth another attempt. For the transaction as a whole, one that the peer cannot read or finds too large is
// halved until the message at fault stands alone; anything else is tried again later under the same id.

/** A message of the transaction, as it is needed to match the answer. `address` is the recipient's address as sent. */
export interface SentItem {
  position: number;
  messageId: string;
  recipient: string;
  address: string;
}

export type ResponseOutcome = Answered | NotAnswered;

/** The peer has processed the transaction. Every message is in exactly one list. */
export interface Answered {
  kind: "answered";
  accepted: SentItem[];
  /** Refused for good. */
  refused: SentItem[];
  /** To be sent again later, in another transaction. */
  deferred: SentItem[];
  /** Sent under a message id that the answer both accepts and refuses. To be sent again one by one. */
  unclear: SentItem[];
  /** Whether the peer is overloaded, which concerns every message for it. */
  overloaded: boolean;
}

export type NotAnswered =
  | { kind: "unauthorized" }
  /** The peer has seen the transaction id with another body. */
  | { kind: "conflict" }
  /** The transaction was refused as a whole because of its content. */
  | { kind: "unacceptable" }
  | FailedAttempt;

/** There was no usable answer. */
export interface FailedAttempt {
  kind: "failed";
  problem: string;
  retryAfterSeconds: number | null;
  /** Whether the transaction is more than the peer's rate limits leave. */
  overLimit: boolean;
}

const finalErrors: ReadonlySet<string> = new Set<ErrorId>(["ADDRESS_NOT_FOUND", "MESSAGE_TOO_LARGE"]);
const finalPrefix = "INVALID_";
const overloadErrors: ReadonlySet<string> = new Set<ErrorId>([
  "RATE_LIMIT_EXCEEDED",
  "OVERLOADED",
  "DATABASE_UNAVAILABLE",
]);
const acceptedStatuses = { from: 200, below: 300 };

/**
 * Parses the answer to the transaction `id` with `items`. `attached` says whether its ciphertexts stood behind the JSON,
 * `nowMillis` is needed for a Retry-After with a date.
 */
export function parseResponse(
  answer: PeerAnswer,
  sent: { id: string; items: readonly SentItem[]; attached: boolean; nowMillis: number },
): ResponseOutcome {
  const { status } = answer;
  if (status === errorCatalogue.INVALID_TOKEN.status) return { kind: "unauthorized" };
  if (status === errorCatalogue.CONFLICT.status) return { kind: "conflict" };
  if (status === errorCatalogue.MESSAGE_TOO_LARGE.status) return { kind: "unacceptable" };
  if (status === errorCatalogue.INVALID_REQUEST.status && isRelayError(answer.body)) return { kind: "unacceptable" };
  if (status === errorCatalogue.UNSUPPORTED_MEDIA_TYPE.status && sent.attached) return { kind: "unacceptable" };
  const retryAfterSeconds = readRetryAfter(answer.headers["retry-after"], sent.nowMillis);
  if (status < acceptedStatuses.from || status >= acceptedStatuses.below) {
    const overLimit = status === errorCatalogue.RATE_LIMIT_EXCEEDED.status;
    return { kind: "failed", problem: `status ${status}`, retryAfterSeconds, overLimit };
  }
  const receipt = readReceipt(answer.body, sent.id);
  if (receipt === undefined) return { kind: "failed", problem: "unusable answer", retryAfterSeconds, overLimit: false };
  return sortItems(sent.items, receipt);
}

/** Whether a message that the peer refused with this error must not be sent again. */
function isFinal(error: string): boolean {
  return finalErrors.has(error) || error.startsWith(finalPrefix);
}

/** A 400 that was not written by a relay, for example a proxy's, says nothing about the messages. */
function isRelayError(body: unknown): boolean {
  return isRecord(body) && isText(body["error"]) && typeof body["code"] === "number";
}

interface Rejection {
  messageId: string;
  /** Which of the messages with this id was refused, if the peer says so. */
  address: string | undefined;
  error: string;
}

interface Receipt {
  accepted: ReadonlySet<string>;
  rejected: readonly Rejection[];
}

function readReceipt(body: unknown, id: string): Receipt | undefined {
  if (!isRecord(body)) return undefined;
  const { transaction_id, accepted_messages, rejected_messages } = body;
  if (typeof transaction_id !== "string" || transaction_id.toLowerCase() !== id) return undefined;
  if (!Array.isArray(accepted_messages) || !Array.isArray(rejected_messages)) return undefined;
  const accepted = new Set(accepted_messages.filter(isText).map((text) => text.toLowerCase()));
  return { accepted, rejected: rejected_messages.map(readRejection).filter((one) => one !== undefined) };
}

function readRejection(item: unknown): Rejection | undefined {
  if (!isRecord(item) || !isText(item["message_id"]) || !isText(item["error"])) return undefined;
  const { message_id: messageId, recipient_address: address, error } = item;
  return { messageId: messageId.toLowerCase(), address: isText(address) ? address : undefined, error };
}

/**
 * Messages to several recipients may share an id. The result of each is known if the peer names the recipients it refuses,
 * or if it treats all messages with the id alike. Otherwise it is unclear which of them was refused.
 */
function sortItems(items: readonly SentItem[], receipt: Receipt): Answered {
  const outcome: Answered = {
    kind: "answered",
    accepted: [],
    refused: [],
    deferred: [],
    unclear: [],
    overloaded: receipt.rejected.some(({ error }) => overloadErrors.has(error)),
  };
  for (const [messageId, sharing] of byMessageId(items)) {
    const rejections = receipt.rejected.filter((one) => one.messageId === messageId);
    const accepted = receipt.accepted.has(messageId);
    if (rejections.length > 0 && rejections.every(({ address }) => address !== undefined)) {
      const errors = new Map(rejections.map(({ address, error }) => [address, error]));
      for (const item of sharing) listForOne(outcome, { error: errors.get(item.address), accepted }).push(item);
    } else {
      const errors = rejections.map(({ error }) => error);
      listForAll(outcome, { sharing: sharing.length, errors, accepted }).push(...sharing);
    }
  }
  return outcome;
}

function listForOne(
  outcome: Answered,
  { error, accepted }: { error: string | undefined; accepted: boolean },
): SentItem[] {
  if (error === undefined) return accepted ? outcome.accepted : outcome.deferred;
  return isFinal(error) ? outcome.refused : outcome.deferred;
}

function byMessageId(items: readonly SentItem[]): Map<string, SentItem[]> {
  const groups = new Map<string, SentItem[]>();
  for (const item of items) {
    const group = groups.get(item.messageId);
    if (group === undefined) groups.set(item.messageId, [item]);
    else group.push(item);
  }
  return groups;
}

function listForAll(
  outcome: Answered,
  { sharing, errors, accepted }: { sharing: number; errors: readonly string[]; accepted: boolean },
): SentItem[] {
  if (errors.length === 0) return accepted ? outcome.accepted : outcome.deferred;
  const allRefused = !accepted && (sharing === 1 || errors.length >= sharing);
  if (allRefused && errors.every(isFinal)) return outcome.refused;
  if (allRefused && !errors.some(isFinal)) return outcome.deferred;
  return sharing === 1 ? outcome.deferred : outcome.unclear;
}

/** Seconds until the time in a Retry-After header, which is a number or a date. Null if it is neither. */
function readRetryAfter(text: string | undefined, nowMillis: number): number | null {
  if (text === undefined) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - nowMillis) / 1000));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
