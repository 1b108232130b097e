import { hash } from "node:crypto";
import { setImmediate as nextRound } from "node:timers/promises";
import type { Knex } from "knex";
import {
  type Envelope,
  isRefused,
  type MailboxService,
  type MessageRules,
  type Outcome,
  parseMessage,
  type SentMessage,
  type TransactionalSideEffect,
} from "../../messages/mailbox.js";
import { invalidToken } from "../../platform/auth/tokens.js";
import type { Clock } from "../../platform/cluster/clock.js";
import type { Config } from "../../platform/config/config.js";
import type { Db, Pipeline } from "../../platform/database/connection.js";
import { comparedDomain, type Domain, hostOf } from "../../protocol/address.js";
import { carriable } from "../../protocol/encodings.js";
import { errorBody, invalidMember, RelayError } from "../../protocol/errors.js";
import { parseMessageId } from "../../protocol/identifiers.js";
import type { SettingsService } from "../../settings/service.js";
import { dayOf, type Judging } from "../policy/reputation.js";
import type { ServerStatus } from "../policy/server-status.js";
import type { Admission } from "./admit.js";
import { type DeliveryRecord, recordDelivery, recordDeliveryInTransaction } from "./delivery-store.js";
import type { Transactions } from "./idempotency.js";
import type { ClaimedTransaction } from "./idempotency-store.js";
import type { Origins } from "./origins.js";

/** A message of another server, each member of its type. */
export interface FederatedMessage extends SentMessage {
  dedupTag: string | undefined;
}

/** A delivery as it came. `caller` is whose token it is. */
export interface Delivery {
  caller: string;
  originHeader: string;
  originServer: string;
  transactionId: string;
  pathTransactionId: string;
  messages: readonly FederatedMessage[];
}

/** The answer in the form in which it is kept for repetitions. */
export interface DeliveryAnswer {
  accepted: string[];
  rejected: { messageId: string; recipientAddress: string; error: string; code: number; message: string }[];
  timestamp: number;
}

/** Takes deliveries of peers in. Errors as in the contract. */
export interface Delivering {
  deliver(delivery: Delivery): Promise<DeliveryAnswer>;
}

export interface DeliveringDeps {
  db: Knex;
  /** For what each delivery asks. */
  pipelined: Db | Pipeline;
  clock: Clock;
  domain: string;
  settings: Pick<SettingsService, "current">;
  admission: Pick<Admission, "nameOf" | "enter">;
  transactions: Transactions<DeliveryAnswer>;
  mailbox: Pick<MailboxService, "accept" | "keyOf">;
  origins: Pick<Origins, "keysOf">;
  judging: Pick<Judging, "judge">;
  peerCalled(domain: Domain): void;
  config: Pick<Config, "federationAllowPrivate">;
}

interface Judged {
  message: FederatedMessage;
  envelope: Envelope | undefined;
  /** Under which its origin is kept. */
  originKey: string | undefined;
  error: RelayError | undefined;
  /** Whether it came before. */
  repeated: boolean;
}

/** What says nothing about the peer: who is known here, how full a queue is, how the server is. */
const notItsFault: ReadonlySet<string> = new Set(["ADDRESS_NOT_FOUND", "QUEUE_FULL", "INTERNAL"]);
const serverFaults: ReadonlySet<string> = new Set(["DATABASE_UNAVAILABLE", "OVERLOADED"]);

export function createDelivering(deps: DeliveringDeps): Delivering {
  const { admission, transactions } = deps;

  return {
    async deliver(delivery) {
      checkNames(delivery);
      const origin = admission.nameOf(delivery.originServer);
      const transactionId = delivery.transactionId.toLowerCase();
      const { messages } = delivery;
      let status: ServerStatus = "active";
      let reading: Promise<Read> | undefined;
      const read = (): Promise<Read> => {
        reading ??= readMessages(deps, origin, messages);
        return reading;
      };
      const answer = await transactions.once(
        { origin, transactionId, digest: digestOf(messages) },
        {
          async claim(wanted) {
            const entering = admission.enter(deps, { origin, messages: messages.length, wanted });
            // Where that fails it is told to whoever processes them, which gives the claim back.
            const [entered] = await Promise.all([entering, read().catch(() => undefined)]);
            status = entered.status;
            return entered.claimed;
          },
          async process(transaction) {
            return queue(deps, { ...(await read()), origin, status, transaction });
          },
        },
      );
      deps.peerCalled(origin);
      return answer;
    },
  };
}

/** Throws INVALID_REQUEST where the request contradicts itself, INVALID_TOKEN where its token is another server's. */
function checkNames({ caller, originHeader, originServer, transactionId, pathTransactionId }: Delivery): void {
  const named = comparedDomain(originServer);
  if (comparedDomain(originHeader) !== named) {
    throw invalidMember("x-origin-server", "must equal origin_server", { part: "header" });
  }
  if (transactionId.toLowerCase() !== pathTransactionId.toLowerCase()) {
    throw invalidMember("transaction_id", "must equal the path's transaction_id");
  }
  if (caller !== named) throw invalidToken("the token is another server's");
}

/** What is known of messages before anybody is asked. */
interface Read {
  judged: Judged[];
  /** The day until which their origins are kept. */
  expiresOn: number;
}

/** Parses the messages and makes their hashes, while the database is asked whether they may come in. */
async function readMessages(
  deps: DeliveringDeps,
  origin: Domain,
  messages: readonly FederatedMessage[],
): Promise<Read> {
  // What is asked goes out at the end of this round.
  await nextRound();
  const rules: MessageRules = {
    domain: deps.domain,
    privateDomainsAllowed: deps.config.federationAllowPrivate,
    maxMessageSize: deps.settings.current().server.max_message_size,
  };
  const judged = messages.map((message) => parse(message, rules));
  const passed = judged.filter(hasEnvelope);
  const { keys, expiresOn } = await deps.origins.keysOf(passed.map(({ envelope }) => addressed(envelope)));
  passed.forEach((one, i) => {
    one.envelope.key = deps.mailbox.keyOf({ kind: "peer", domain: origin }, one.envelope);
    one.originKey = keys[i];
  });
  return { judged, expiresOn };
}

function hasEnvelope(one: Judged): one is Judged & { envelope: Envelope } {
  return one.envelope !== undefined;
}

/** A transaction in hand. */
interface Work extends Read {
  origin: Domain;
  status: ServerStatus;
  transaction: ClaimedTransaction;
}

/**
 * Hands what is well formed to the queues, puts the outcomes together in order, and has the answer kept and the delivery
 * counted: by the commit that queues the messages, as far as the queues allow of that, else after it.
 */
async function queue(deps: DeliveringDeps, work: Work): Promise<DeliveryAnswer> {
  const passed = work.judged.filter(hasEnvelope);
  const timestamp = deps.clock.nowSeconds();
  const record = (outcomes: readonly Outcome[]): DeliveryRecord<DeliveryAnswer> => {
    note(passed, outcomes);
    return recordOf(work, { ...answerOf(work.judged), timestamp });
  };
  const sideEffect: TransactionalSideEffect = {
    order: hostOf(work.origin),
    write: (trx, outcomes) => recordDeliveryInTransaction(trx, record(outcomes)),
    committed: false,
  };
  const envelopes = passed.map(({ envelope }) => envelope);
  const outcomes = await deps.mailbox.accept({ kind: "peer", domain: work.origin }, envelopes, sideEffect);
  const done = record(outcomes);
  if (!sideEffect.committed) await recordDelivery(deps.pipelined, done);
  if (done.rejected > 0 || work.status === "limited") await deps.judging.judge(deps.db, done.host);
  return done.answer;
}

function note(passed: readonly Judged[], outcomes: readonly Outcome[]): void {
  passed.forEach((one, i) => {
    const outcome = outcomes[i];
    one.error = errorOf(outcome);
    one.repeated = outcome !== undefined && !isRefused(outcome) && outcome.status === "duplicate";
  });
}

function parse(message: FederatedMessage, rules: MessageRules): Judged {
  try {
    const { domain, ...envelope } = parseMessage(message, rules);
    const tag = message.dedupTag === undefined ? {} : { dedupTag: message.dedupTag };
    if (domain !== undefined) throw new RelayError("ADDRESS_NOT_FOUND", "the recipient's address is on another server");
    return { message, envelope: { ...envelope, ...tag }, originKey: undefined, error: undefined, repeated: false };
  } catch (error) {
    if (error instanceof RelayError)
      return { message, envelope: undefined, originKey: undefined, error, repeated: false };
    throw error;
  }
}

/** A failure of this server fails the whole transaction: the peer sends it again, and what was queued is recognised. */
function errorOf(outcome: Outcome | undefined): RelayError | undefined {
  if (outcome === undefined) throw new RelayError("OVERLOADED", "the messages were not taken in");
  if (!isRefused(outcome)) return undefined;
  if (serverFaults.has(outcome.error)) throw new RelayError(outcome.error, outcome.message);
  return new RelayError(outcome.error, outcome.message);
}

function answerOf(judged: readonly Judged[]): Omit<DeliveryAnswer, "timestamp"> {
  const spelled = ({ message, envelope }: Judged) =>
    envelope?.messageId ?? parseMessageId(message.messageId) ?? carriable(message.messageId);
  return {
    accepted: judged.filter(({ error }) => error === undefined).map(spelled),
    rejected: judged.flatMap((one) => {
      if (one.error === undefined) return [];
      const { error, code, message } = errorBody(one.error);
      const recipientAddress = carriable(one.message.recipientAddress);
      return [{ messageId: spelled(one), recipientAddress, error, code, message }];
    }),
  };
}

/** What is kept of a delivery: its answer, where its messages came from, and how many they were. */
function recordOf(
  { origin, transaction, judged, expiresOn }: Work,
  answer: DeliveryAnswer,
): DeliveryRecord<DeliveryAnswer> {
  const now = answer.timestamp;
  const queued = judged.filter(({ error }) => error === undefined);
  const keys = queued.flatMap(({ originKey }) => (originKey === undefined ? [] : [originKey]));
  const rejected = judged.filter(({ error }) => error !== undefined && !notItsFault.has(error.id)).length;
  const delivered = queued.filter(({ repeated }) => !repeated).length;
  const counted = { host: hostOf(origin), day: dayOf(now), delivered, rejected, now };
  return { transaction, answer, origins: { keys, expiresOn }, ...counted };
}

function addressed({ messageId, recipient }: Envelope) {
  return { messageId, prefix: recipient };
}

/**
 * What tells two bodies of one transaction apart: every member of every message, each preceded by its length. BLAKE2b takes
 * the least time of the hashes that serve here, on processors without instructions for another.
 */
function digestOf(messages: readonly FederatedMessage[]): Buffer {
  const parts = messages.map((message) => {
    const { messageId, recipientAddress, mlsCiphertext, senderSignature, timestamp, systemEvent, dedupTag } = message;
    const texts = [messageId, recipientAddress, senderSignature, String(timestamp), dedupTag ?? ""];
    return JSON.stringify([...texts, systemEvent, mlsCiphertext.length]) + mlsCiphertext;
  });
  return hash("blake2b512", parts.join(""), "buffer");
}
