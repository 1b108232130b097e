import type { Database, Executor } from "../../database/db.js";
import type { Clock } from "../../node/clock.js";
import {
  type ByteReservation,
  type ByteSemaphore,
  withImmediateReservation,
} from "../../platform/concurrency/byte-semaphore.js";
import type { Random } from "../../platform/random.js";
import type { Domain } from "../../protocol/address.js";
import type { DeliveryBody } from "../peers/types.js";
import type { OutboxSettings } from "./config.js";
import { writeDeliveryBody } from "./delivery-body.js";
import type { Lease } from "./lease-store.js";
import type { SentItem } from "./response.js";
import type { StoredTransaction } from "./stored-transaction.js";
import {
  beginNext,
  beginTransaction,
  type Choice,
  countWaiting,
  type DepartingMessage,
  measureWaiting,
  readWaiting,
} from "./transaction-store.js";

// How a transaction gets ready to be sent: its messages are chosen and stored under a new id, or it is stored already. Then they
// are read and encoded, for which there must be memory.

/** A prepared transaction with fewer messages is not divided into two: the second request costs more than it gains. */
const minDividedMessages = 200;
/** Messages that were read longer ago are checked again before they are sent: they may have expired or been purged. */
const freshMillis = 100;
/** Bytes of messages to read before their size is known, or before it is certain that they are sent next. */
const maxBytesAhead = 1_048_576;

export interface OutgoingDeps {
  db: Database;
  /** For the statements of each transaction. */
  pipelined: Executor;
  clock: Clock;
  random: Pick<Random, "uuid">;
  /** The memory of all messages that are being sent. */
  memory: ByteSemaphore;
  /** This server's domain. */
  domain: Domain;
  config: Pick<OutboxSettings, "outboxTransactionBytes">;
  /** True once the node has released the lease without waiting for the delivery, whose result is then ignored. */
  abandoned(): boolean;
}

/** A transaction as it is sent. It holds its memory reservation until it is answered or dropped. */
export interface OutgoingTransaction {
  transaction: StoredTransaction;
  items: SentItem[];
  body: DeliveryBody;
  reservation: ByteReservation;
  /** When all of its messages were there, in Unix milliseconds. */
  readAtMillis: number;
  /** Whether its body has anything that the specification does not name. */
  extended: boolean;
}

/** Which messages a new transaction may take, and how it is sent. */
export type Selection = Omit<Choice, "transactionId" | "room" | "bytes" | "shares" | "attached">;

interface NewTransaction {
  transaction: StoredTransaction;
  /** Whether there are further messages. */
  more: boolean;
  /** Whether it has the maximum of messages or bytes. */
  full: boolean;
  /** Undefined if messages of it are gone by now, or the delivery was abandoned. */
  outgoing: OutgoingTransaction | undefined;
}

/**
 * Stores a new transaction and encodes it. If memory allows, the statement that stores it reads its messages, which saves a round
 * trip. Undefined if there is none.
 */
export async function storeTransaction(selection: Selection, deps: OutgoingDeps): Promise<NewTransaction | undefined> {
  const { memory, pipelined, random } = deps;
  const stored = await withImmediateReservation(memory, maxBytesAhead, async (reservation) => {
    const transactionId = random.uuid();
    const room = reservation?.bytes() ?? 0;
    const chosen = await beginTransaction(pipelined, { ...boundsOf(selection, deps), transactionId, room });
    if (chosen === undefined) return { result: undefined, kept: 0 };
    const { messages, bytes, more, full, ...transaction } = chosen;
    const isRead = messages !== undefined && reservation !== undefined;
    const outgoing = isRead ? encode(selection, { transaction, messages, reservation }, deps) : undefined;
    return { result: { transaction, bytes, more, full, outgoing }, kept: isRead ? bytes : 0 };
  });
  if (stored === undefined) return undefined;
  const { bytes, ...rest } = stored;
  return { ...rest, outgoing: rest.outgoing ?? (await readMessages(selection, { ...rest, bytes }, deps)) };
}

/**
 * Stores and encodes a full transaction while others are in flight. A large one becomes two with different recipients: the peer then
 * reads one while it stores the other. None if there are too few messages or too little memory: they are chosen later.
 */
export function prepareTransactions(selection: Selection, deps: OutgoingDeps): Promise<OutgoingTransaction[]> {
  const { memory, pipelined, random } = deps;
  const count = selection.limit < minDividedMessages ? 1 : 2;
  return withImmediateReservation(memory, maxBytesAhead, async (reservation) => {
    if (reservation === undefined) return { result: [], kept: 0 };
    const { bytes, ...bounds } = boundsOf(selection, deps);
    const begun = await beginNext(pipelined, {
      ...bounds,
      transactionIds: Array.from({ length: count }, () => random.uuid()),
      bytes: Math.min(bytes, reservation.bytes()),
      room: reservation.bytes(),
    });
    const result = begun.map(({ messages, bytes: size, ...transaction }) =>
      encode(selection, { transaction, messages, reservation: reservation.split(size) }, deps),
    );
    return { result, kept: 0 };
  });
}

/**
 * Reads and encodes a stored transaction. Undefined if it cannot be sent any more: messages of it are gone, or shared a ciphertext
 * when it was stored and are too large without. Also undefined if the delivery was abandoned.
 */
export async function readTransaction(
  lease: Lease,
  transaction: StoredTransaction,
  deps: OutgoingDeps,
): Promise<OutgoingTransaction | undefined> {
  const { positions, form } = transaction;
  const { count, bytes } = await measureWaiting(deps.db, { ...waitingAt(lease, positions, deps), ...form });
  const fits = positions.length === 1 || bytes <= deps.config.outboxTransactionBytes;
  return count === positions.length && fits ? readMessages(lease, { transaction, bytes }, deps) : undefined;
}

/** Whether all messages of a transaction that was read a while ago are still there. */
export async function isStillThere(
  lease: Lease,
  { transaction, readAtMillis }: OutgoingTransaction,
  deps: OutgoingDeps,
): Promise<boolean> {
  if (deps.clock.nowMillis() - readAtMillis < freshMillis) return true;
  const { positions } = transaction;
  return (await countWaiting(deps.pipelined, waitingAt(lease, positions, deps))) === positions.length;
}

/** Reads and encodes a stored transaction once there is memory for it. Undefined if messages of it are gone by then. */
async function readMessages(
  lease: Lease,
  { transaction, bytes }: { transaction: StoredTransaction; bytes: number },
  deps: OutgoingDeps,
): Promise<OutgoingTransaction | undefined> {
  const { positions, form } = transaction;
  const reservation = await deps.memory.room(bytes);
  let outgoing: OutgoingTransaction | undefined;
  try {
    if (deps.abandoned()) return undefined;
    const messages = await readWaiting(deps.db, { ...waitingAt(lease, positions, deps), ...form });
    if (messages.length === positions.length) outgoing = encode(lease, { transaction, messages, reservation }, deps);
    return outgoing;
  } finally {
    if (outgoing === undefined) reservation.free();
  }
}

function encode(
  { domain: destination }: Lease,
  read: Pick<OutgoingTransaction, "transaction" | "reservation"> & { messages: readonly DepartingMessage[] },
  { domain: origin, clock }: OutgoingDeps,
): OutgoingTransaction {
  const { transaction, messages, reservation } = read;
  const items = messages.map((row) => ({
    position: row.position,
    messageId: row.message_id,
    recipient: row.recipient,
    address: `${row.recipient}@${destination}`,
  }));
  const { attached, tags, events, lifetimes } = transaction.form;
  const isExtended = (one: DepartingMessage): boolean =>
    !one.carried || (events && one.system_event !== null) || (lifetimes && one.expires_at !== null);
  const extended = attached || tags || messages.some(isExtended);
  const body = writeDeliveryBody({ origin, destination }, { transaction, messages });
  return { transaction, items, body, reservation, readAtMillis: clock.nowMillis(), extended };
}

function boundsOf(selection: Selection, { config }: OutgoingDeps) {
  const { shares, attached } = selection.form;
  return { ...selection, bytes: config.outboxTransactionBytes, shares, attached };
}

function waitingAt(lease: Lease, positions: readonly number[], { clock }: OutgoingDeps) {
  return { ...lease, positions, now: clock.nowSeconds() };
}
