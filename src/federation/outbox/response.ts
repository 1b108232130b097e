import { type ErrorId, errorCatalogue } from "../../protocol/errors.js";
import { readRetryAfter } from "../../protocol/retry-after.js";
import { errorNameOf } from "../peers/error-name.js";
import { refusesToken } from "../peers/refused-token.js";
import { type PeerAnswer, PeerError } from "../peers/types.js";
import { comparable, type Receipt, type Rejection, readReceipt } from "./receipt.js";
import {
  countAnswer,
  enoughAnswers,
  type RepeatedAnswer,
  type RepeatedAnswers,
  type StoredTransaction,
} from "./stored-transaction.js";

// The meaning of a peer's answer to a transaction. Only a rejection that names a message ends it: at once if time cannot
// change the error, or after the same rejection three times if the error is unknown. A refusal of the transaction as a whole
// and an answer that cannot be understood end none: the messages are sent again, in another form or later.

/** A message of the transaction, as it is needed to match the answer. `address` is the recipient's address as sent. */
export interface SentItem {
  position: number;
  messageId: string;
  recipient: string;
  address: string;
}

/** A message that the peer has rejected for good. */
interface RejectedItem extends SentItem {
  /** The name of the error, or what the peer did in place of naming one. */
  error: string;
}

/** A message to send again apart from others, because the answer did not settle it. */
export interface OpenItem extends SentItem, RepeatedAnswer {}

export type ResponseOutcome = Answered | NotAnswered;

type OutcomeByStatus = Exclude<ResponseOutcome, { kind: "unauthorized" }>;

/** The peer has processed the transaction. Every message is in exactly one list. */
export interface Answered {
  kind: "answered";
  accepted: SentItem[];
  rejected: RejectedItem[];
  /** To be sent again later, in another transaction. */
  deferred: SentItem[];
  /** Sent under a message id that the answer both accepts and rejects. To be sent again one by one. */
  unclear: SentItem[];
  /** Rejected for an unknown reason, or not named. To be sent again apart from others. */
  open: OpenItem[];
  /** Whether the peer is overloaded, which concerns every message for it. */
  overloaded: boolean;
  /** The status of an answer that counts as a receipt although it has none. */
  withoutReceipt?: number;
}

export type NotAnswered =
  /** The peer did not accept the token. If a new one changes nothing, the answer counts by its status. */
  | { kind: "unauthorized"; otherwise: OutcomeByStatus | null }
  /** The peer has seen the transaction id with another body. */
  | { kind: "conflict" }
  /** The transaction was refused as a whole because of its content. */
  | { kind: "refused"; problem: string }
  /** The peer has answered with success, and it cannot be told what became of the messages: it may have stored them. */
  | { kind: "unreadable"; problem: string }
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
const unprocessableContent = 422;
/** Answers about the content of a request, which another form or fewer messages may change. */
const contentRefusals: ReadonlySet<number> = new Set([
  errorCatalogue.INVALID_REQUEST.status,
  errorCatalogue.MESSAGE_TOO_LARGE.status,
  errorCatalogue.UNSUPPORTED_MEDIA_TYPE.status,
  unprocessableContent,
]);
const notNamed = "not named";

/** A transaction that was sent. `nowMillis` is needed for a Retry-After with a date. */
interface Sent {
  transaction: Pick<StoredTransaction, "id" | "delayed">;
  items: readonly SentItem[];
  nowMillis: number;
}

/** Parses the answer to a transaction. */
export function parseResponse(answer: PeerAnswer, sent: Sent): ResponseOutcome {
  if (answer.status === errorCatalogue.INVALID_TOKEN.status) return { kind: "unauthorized", otherwise: null };
  const outcome = parseByStatus(answer, sent);
  return refusesToken(answer) ? { kind: "unauthorized", otherwise: outcome } : outcome;
}

function parseByStatus(answer: PeerAnswer, sent: Sent): OutcomeByStatus {
  const { status } = answer;
  if (status === errorCatalogue.CONFLICT.status) return { kind: "conflict" };
  if (contentRefusals.has(status)) return { kind: "refused", problem: refusalText(answer) };
  if (!isSuccess(status)) {
    const overLimit = status === errorCatalogue.RATE_LIMIT_EXCEEDED.status;
    const retryAfterSeconds = readRetryAfter(answer.headers["retry-after"], sent.nowMillis);
    return { kind: "failed", problem: `status ${status}`, retryAfterSeconds, overLimit };
  }
  const receipt = readReceipt(answer.body, { id: sent.transaction.id, count: sent.items.length });
  switch (receipt.kind) {
    case "listed":
      return sortItems(sent, receipt);
    case "rejected":
      return { kind: "refused", problem: refusalText(answer) };
    case "unreadable":
      return { kind: "unreadable", problem: `unreadable receipt ${status}` };
    case "empty":
      return withoutReceipt(sent, status);
  }
}

/** The outcome of a delivery that the peer did not answer. Throws any other error. */
export function parseFailure(cause: unknown): NotAnswered {
  const problem = problemOf(cause);
  // The peer has accepted something, and its receipt was too large to read.
  if (cause instanceof PeerError && isSuccess(cause.status ?? 0)) return { kind: "unreadable", problem };
  return { kind: "failed", problem, retryAfterSeconds: null, overLimit: false };
}

/** The problem of a peer that could not be called. Throws any other error. */
export function problemOf(cause: unknown): string {
  if (!(cause instanceof PeerError)) throw cause;
  const { problem, status, error } = cause;
  return [problem, status, error].filter((part) => part !== undefined).join(" ");
}

function isSuccess(status: number): boolean {
  return status >= acceptedStatuses.from && status < acceptedStatuses.below;
}

/** `refused 400 UNKNOWN_MEMBER` */
function refusalText({ status, body }: PeerAnswer): string {
  return ["refused", status, errorNameOf(body)].filter((part) => part !== undefined).join(" ");
}

/**
 * A success without a receipt may come from a proxy, so it counts once it was repeated for the same transaction, which the peer
 * need not process again.
 */
function withoutReceipt({ transaction, items }: Sent, status: number): OutcomeByStatus {
  const problem = `no receipt ${status}`;
  const before = transaction.delayed?.answers;
  const isEnough = items.every(({ position }) => countAnswer(before, position, problem).times >= enoughAnswers);
  if (!isEnough) return { kind: "unreadable", problem };
  return { ...nothingAnswered(), accepted: [...items], withoutReceipt: status };
}

function nothingAnswered(): Answered {
  return { kind: "answered", accepted: [], rejected: [], deferred: [], unclear: [], open: [], overloaded: false };
}

/** What the receipt says about a message. */
type MessageResult = "accepted" | "unclear" | "not named" | { error: string | undefined };

/**
 * Messages to several recipients may share an id. The result of each is known if the peer names the recipients it rejects,
 * or if it treats all messages with the id alike. Otherwise it is unclear which of them was rejected.
 */
function sortItems({ transaction, items }: Sent, receipt: Extract<Receipt, { kind: "listed" }>): Answered {
  const { accepted, rejected } = receipt;
  const outcome = nothingAnswered();
  outcome.overloaded = rejected.some(({ error }) => error !== undefined && overloadErrors.has(error));
  const rejections = groupBy(rejected, ({ messageId }) => messageId);
  const sharing = groupBy(items, ({ messageId }) => comparable(messageId));
  for (const item of items) {
    const id = comparable(item.messageId);
    const about = { rejections: rejections.get(id) ?? [], sharing: sharing.get(id) ?? [item] };
    const result = resultOf(item, { ...about, accepted: accepted === "others" ? accepted : accepted.has(id) });
    place(outcome, { item, result, before: transaction.delayed?.answers });
  }
  return outcome;
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

function resultOf(
  item: SentItem,
  about: { rejections: readonly Rejection[]; sharing: readonly SentItem[]; accepted: boolean | "others" },
): MessageResult {
  const { rejections, sharing, accepted } = about;
  const [first] = rejections;
  if (first === undefined) return accepted === false ? notNamed : "accepted";
  const addresses = sharing.map(({ address }) => comparable(address));
  if (rejections.every(({ address }) => address !== undefined && addresses.includes(address))) {
    const own = rejections.find(({ address }) => address === comparable(item.address));
    if (own !== undefined) return own;
    return accepted === false ? notNamed : "accepted";
  }
  if (sharing.length === 1) return accepted === true ? notNamed : first;
  const alike = rejections.length >= sharing.length && rejections.every(({ error }) => error === first.error);
  return alike && accepted !== true ? first : "unclear";
}

/** Puts a message into the list that its result leads to. `before` is what was answered to it earlier. */
function place(
  outcome: Answered,
  { item, result, before }: { item: SentItem; result: MessageResult; before: RepeatedAnswers | undefined },
): void {
  if (result === "accepted") return void outcome.accepted.push(item);
  if (result === "unclear") return void outcome.unclear.push(item);
  const error = result === notNamed ? undefined : result.error;
  if (error !== undefined && isFinal(error)) return void outcome.rejected.push({ ...item, error });
  // A message that is sent apart from others must not overtake one that waits for the same recipient.
  const isBehind = outcome.deferred.some(({ recipient }) => recipient === item.recipient);
  if (isBehind || (error !== undefined && Object.hasOwn(errorCatalogue, error))) {
    return void outcome.deferred.push(item);
  }
  const answer = result === notNamed ? notNamed : ["rejected", error].filter(Boolean).join(" ");
  const counted = countAnswer(before, item.position, answer);
  if (result !== notNamed && counted.times >= enoughAnswers) outcome.rejected.push({ ...item, error: answer });
  else outcome.open.push({ ...item, ...counted });
}

/** Whether a message that the peer rejected with this error must not be sent again. */
function isFinal(error: string): boolean {
  return finalErrors.has(error) || error.startsWith(finalPrefix);
}
