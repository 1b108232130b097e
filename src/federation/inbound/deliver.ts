import { setImmediate as nextRound } from "node:timers/promises";
import type { Database, Executor } from "../../database/db.js";
import {
  type Envelope,
  isRefused,
  type MessageRules,
  type Outcome,
  refusalError,
  type TransactionalSideEffect,
} from "../../messages/model/types.js";
import { type MessagesService, parseMessage } from "../../messages/service.js";
import type { Clock } from "../../node/clock.js";
import { mapInSlices } from "../../platform/concurrency/map-in-slices.js";
import { type Domain, hostOf } from "../../protocol/address.js";
import { decodedLength as decodedBase64Length, replaceUnstorable } from "../../protocol/encodings.js";
import { errorBody, invalidMember, RelayError } from "../../protocol/errors.js";
import type { LimitObserver } from "../../protocol/rate-limit.js";
import type { SettingsService } from "../../settings/service.js";
import type { FederationSettings } from "../model/config.js";
import type { ServerStatus } from "../peers/server-status.js";
import { dayOf } from "../peers/store.js";
import type { Reputations } from "../policy/reputation-updates.js";
import { type Admission, checkOrigin } from "./admit.js";
import type { Origins } from "./origins.js";
import {
  bytesOf,
  comparedId,
  coverageBy,
  type DeliveryAnswer,
  digestOf,
  type FederatedMessage,
  type Transactions,
} from "./repeated-delivery.js";
import type { ClaimedTransaction } from "./store.js";
import { type DeliveryRecord, recordDelivery, recordDeliveryInTransaction } from "./store.js";

/** A delivery as received. `caller` is the domain that its token was issued to. */
interface Delivery {
  caller: string;
  originHeader: string;
  originServer: string;
  transactionId: string;
  pathTransactionId: string;
  messages: readonly FederatedMessage[];
  observer?: LimitObserver;
}

/** Accepts deliveries of peers. Errors as in the contract. */
interface InboundDelivery {
  /** Throws the error with which any delivery of this caller would be refused. Called before a long body is read. */
  checkBeforeBody(caller: { domain: string; pathTransactionId: string | undefined }): Promise<void>;
  /**
   * Throws MESSAGE_TOO_LARGE if the messages take too many bytes together, and otherwise the errors that the contract
   * lists.
   */
  deliver(delivery: Delivery): Promise<DeliveryAnswer>;
}

interface InboundDeliveryDeps {
  db: Database;
  /** For the statements of each delivery. */
  pipelined: Executor;
  clock: Clock;
  domain: string;
  settings: Pick<SettingsService, "current">;
  admission: Pick<Admission, "nameOf" | "enter" | "checkBeforeBody">;
  transactions: Transactions<DeliveryAnswer>;
  messages: Pick<MessagesService, "accept" | "dedupKeyOf">;
  origins: Pick<Origins, "keysOf">;
  reputations: Pick<Reputations, "update">;
  peerCalled(domain: Domain): void;
  config: Pick<FederationSettings, "federationAllowPrivate" | "federationDeliveryBytes">;
}

/** A message of the delivery with its result. */
interface Item {
  message: FederatedMessage;
  envelope: Envelope | undefined;
  /** The key under which its origin is stored. */
  originKey: string | undefined;
  error: RelayError | undefined;
  /** Whether it has been received before. */
  repeated: boolean;
}

/** Errors that do not lower the peer's reputation, since it cannot know the recipients, queues and state of this server. */
const notPeerFaults: ReadonlySet<string> = new Set(["ADDRESS_NOT_FOUND", "QUEUE_FULL", "INTERNAL"]);
const uuidForm = /^[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i;
const serverFaults: ReadonlySet<string> = new Set(["DATABASE_UNAVAILABLE", "OVERLOADED"]);

export function createInboundDelivery(deps: InboundDeliveryDeps): InboundDelivery {
  const { admission, transactions } = deps;

  return {
    async checkBeforeBody({ domain, pathTransactionId = "" }) {
      const transactionId = uuidForm.test(pathTransactionId) ? pathTransactionId : undefined;
      await admission.checkBeforeBody(deps.db, { origin: admission.nameOf(domain), transactionId });
    },
    async deliver(delivery) {
      checkNames(delivery);
      const origin = admission.nameOf(delivery.originServer);
      const transactionId = comparedId(delivery.transactionId);
      const { messages, observer } = delivery;
      const bytes = checkBytes(messages, deps.config);
      let status: ServerStatus = "active";
      let parsing: Promise<ParsedDelivery> | undefined;
      const parsed = (): Promise<ParsedDelivery> => {
        parsing ??= parseMessages(deps, origin, messages);
        return parsing;
      };
      const answer = await transactions.once(
        { origin, transactionId, digest: await digestOf(messages), covers: coverageBy(messages) },
        {
          async claim(wanted) {
            const entering = admission.enter(deps, { origin, messages: messages.length, bytes, wanted, observer });
            // If parsing fails, `process` fails too, and the claim is released.
            const [entered] = await Promise.all([entering, parsed().catch(() => undefined)]);
            status = entered.status;
            return entered.claimed;
          },
          async process(transaction) {
            return queue(deps, { ...(await parsed()), origin, status, transaction });
          },
        },
      );
      deps.peerCalled(origin);
      return answer;
    },
  };
}

/** Throws INVALID_REQUEST if the request contradicts itself, and INVALID_TOKEN if its token is another server's. */
function checkNames(delivery: Delivery): void {
  checkOrigin(delivery);
  if (comparedId(delivery.transactionId) !== comparedId(delivery.pathTransactionId)) {
    throw invalidMember("transaction_id", "must equal the path's transaction_id");
  }
}

/**
 * The bytes that the messages take in the database. Throws MESSAGE_TOO_LARGE if the peer should send them in several
 * transactions.
 */
function checkBytes(
  messages: readonly FederatedMessage[],
  { federationDeliveryBytes: max }: Pick<FederationSettings, "federationDeliveryBytes">,
): number {
  const bytes = messages.reduce((sum, { mlsCiphertext: sent }) => sum + decodedLength(sent), 0);
  if (bytes <= max || messages.length === 1) return bytes;
  throw new RelayError(
    "MESSAGE_TOO_LARGE",
    `a transaction takes at most ${max} bytes of ciphertext, counted for each message; send fewer messages`,
  );
}

function decodedLength(sent: string | Buffer): number {
  return typeof sent === "string" ? Math.max(0, decodedBase64Length(sent)) : sent.length;
}

/** The messages of a delivery, before anything is stored. */
interface ParsedDelivery {
  items: Item[];
  /** The last day on which their origins are stored. */
  expiresOn: number;
}

/** Parses and hashes the messages while the database is asked whether the delivery is admitted. */
async function parseMessages(
  deps: InboundDeliveryDeps,
  origin: Domain,
  messages: readonly FederatedMessage[],
): Promise<ParsedDelivery> {
  // The statement of `enter` is sent at the end of this iteration of the event loop.
  await nextRound();
  const rules: MessageRules = {
    domain: deps.domain,
    privateDomainsAllowed: deps.config.federationAllowPrivate,
    maxMessageSize: deps.settings.current().server.max_message_size,
    ...(messages.some(({ ciphertextFrom }) => ciphertextFrom !== undefined) && { decoded: new Map() }),
  };
  const items = await mapInSlices(messages, bytesOf, (message) => parse(message, rules));
  const passed = items.filter(hasEnvelope);
  const { keys, expiresOn } = await deps.origins.keysOf(passed.map(({ envelope }) => addressed(envelope)));
  passed.forEach((item, i) => {
    item.envelope.dedupKey = deps.messages.dedupKeyOf({ kind: "peer", domain: origin }, item.envelope);
    item.originKey = keys[i];
  });
  return { items, expiresOn };
}

function hasEnvelope(item: Item): item is Item & { envelope: Envelope } {
  return item.envelope !== undefined;
}

/** A claimed transaction with its messages. */
interface ClaimedDelivery extends ParsedDelivery {
  origin: Domain;
  status: ServerStatus;
  transaction: ClaimedTransaction;
}

/**
 * Queues the well-formed messages, collects the outcomes in order, stores the answer and counts the delivery. If the
 * ingest supports it, the commit that queues the messages does all of this; otherwise a later statement does.
 */
async function queue(deps: InboundDeliveryDeps, delivery: ClaimedDelivery): Promise<DeliveryAnswer> {
  const passed = delivery.items.filter(hasEnvelope);
  const timestamp = deps.clock.nowSeconds();
  const record = (outcomes: readonly Outcome[]): DeliveryRecord<DeliveryAnswer> => {
    setOutcomes(passed, outcomes);
    return recordOf(delivery, { ...answerOf(delivery.items), timestamp });
  };
  const sideEffect: TransactionalSideEffect = {
    order: hostOf(delivery.origin),
    write: (trx, outcomes) => recordDeliveryInTransaction(trx, record(outcomes)),
    committed: false,
  };
  const envelopes = passed.map(({ envelope }) => envelope);
  const outcomes = await deps.messages.accept({ kind: "peer", domain: delivery.origin }, envelopes, sideEffect);
  const done = record(outcomes);
  if (!sideEffect.committed) await recordDelivery(deps.pipelined, done);
  if (done.rejected > 0 || delivery.status === "limited") await deps.reputations.update(deps.db, done.host);
  return done.answer;
}

function setOutcomes(passed: readonly Item[], outcomes: readonly Outcome[]): void {
  passed.forEach((item, i) => {
    const outcome = outcomes[i];
    item.error = errorOf(outcome);
    item.repeated = outcome !== undefined && !isRefused(outcome) && outcome.status === "duplicate";
  });
}

function parse(message: FederatedMessage, rules: MessageRules): Item {
  try {
    if (message.lacking !== undefined) throw invalidMember(message.lacking, "is missing, or of another type");
    const envelope = parseMessage(message, rules);
    if (envelope.lifetimeSeconds === 0)
      throw invalidMember("expires_in_seconds", "must not be 0: online-only messages are pushed, not delivered");
    if (envelope.domain !== undefined)
      throw new RelayError("ADDRESS_NOT_FOUND", "the recipient's address is on another server");
    envelope.dedupTag = message.dedupTag;
    return { message, envelope, originKey: undefined, error: undefined, repeated: false };
  } catch (error) {
    if (error instanceof RelayError)
      return { message, envelope: undefined, originKey: undefined, error, repeated: false };
    throw error;
  }
}

/** A failure of this server fails the whole transaction. The peer sends it again, and queued messages are recognised. */
function errorOf(outcome: Outcome | undefined): RelayError | undefined {
  if (outcome === undefined) throw new RelayError("OVERLOADED", "the messages were not queued");
  if (!isRefused(outcome)) return undefined;
  const error = refusalError(outcome);
  if (serverFaults.has(outcome.error)) throw error;
  return error;
}

function answerOf(items: readonly Item[]): Omit<DeliveryAnswer, "timestamp"> {
  const idOf = ({ message, envelope }: Item) =>
    envelope === undefined ? replaceUnstorable(message.messageId) : message.messageId;
  return {
    accepted: items.filter(({ error }) => error === undefined).map(idOf),
    rejected: items.flatMap((item) => {
      if (item.error === undefined) return [];
      const { error, code, message } = errorBody(item.error);
      const recipientAddress = replaceUnstorable(item.message.recipientAddress);
      return [{ messageId: idOf(item), recipientAddress, error, code, message }];
    }),
  };
}

/** The record of a delivery: its answer, the origin of its messages, and the counts for the peer's reputation. */
function recordOf(
  { origin, transaction, items, expiresOn }: ClaimedDelivery,
  answer: DeliveryAnswer,
): DeliveryRecord<DeliveryAnswer> {
  const now = answer.timestamp;
  const queued = items.filter(({ error }) => error === undefined);
  const keys = queued.flatMap(({ originKey }) => (originKey === undefined ? [] : [originKey]));
  const rejected = items.filter(({ error }) => error !== undefined && !notPeerFaults.has(error.id)).length;
  const delivered = queued.filter(({ repeated }) => !repeated).length;
  return {
    transaction,
    answer,
    origins: { keys, expiresOn },
    host: hostOf(origin),
    day: dayOf(now),
    delivered,
    rejected,
    now,
  };
}

function addressed({ messageId, recipient }: Envelope) {
  return { messageId, prefix: recipient };
}
