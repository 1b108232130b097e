import type { Database, Db, Pipeline } from "../../database/connection.js";
import type { Clock } from "../../node/clock.js";
import { joinAttached } from "../../platform/attached-bytes.js";
import {
  type ByteReservation,
  type ByteSemaphore,
  withImmediateReservation,
} from "../../platform/concurrency/byte-semaphore.js";
import type { Domain } from "../../protocol/address.js";
import type { DeliveryBody } from "../peers/types.js";
import type { DeliveryForm } from "./delivery-form.js";
import type { StoredTransaction } from "./lease-store.js";
import type { SentItem } from "./response.js";
import { type Begun, type Chosen, type DepartingMessage, readWaiting } from "./transaction-store.js";

/** A transaction as it is sent. It holds its memory reservation until it is answered or abandoned. */
export interface OutgoingTransaction {
  transaction: StoredTransaction;
  items: SentItem[];
  body: DeliveryBody;
  room: ByteReservation;
  /** When all of its messages were there, in Unix milliseconds. */
  readAtMillis: number;
  /** Whether its body has anything that the specification does not name. */
  extended: boolean;
}

/** A transaction that was chosen. It has a reservation if its messages were read as well. */
export interface Picked extends Omit<Chosen, "more" | "full"> {
  room?: ByteReservation;
}

interface TransactionDeps {
  db: Database;
  pipelined: Db | Pipeline;
  clock: Clock;
  inFlight: ByteSemaphore;
  /** This server's domain. */
  domain: Domain;
  /** True once the node has abandoned the lease run. */
  abandoned(): boolean;
}

/** Most bytes of messages to read before their size is known, or before it is certain that they are sent next. */
export const mostBytesAhead = 1_048_576;

/** Encodes a chosen transaction once there is memory for it. Undefined if some of its rows are gone by then. */
export async function fill(
  to: Domain,
  picked: Picked,
  deps: TransactionDeps,
): Promise<OutgoingTransaction | undefined> {
  const { id, at, positions, form, delayed, bytes } = picked;
  const transaction = { id, at, positions, form, delayed };
  const { messages: read, room: taken } = picked;
  if (read !== undefined && taken !== undefined) return pack(to, { transaction, messages: read, room: taken }, deps);
  const room = await deps.inFlight.room(bytes);
  let outgoing: OutgoingTransaction | undefined;
  try {
    if (deps.abandoned()) return undefined;
    const messages = await readWaiting(deps.db, { domain: to, ...form, positions, now: deps.clock.nowSeconds() });
    if (messages.length === positions.length) outgoing = pack(to, { transaction, messages, room }, deps);
    return outgoing;
  } finally {
    if (outgoing === undefined) room.free();
  }
}

/** Encodes the transactions that `begin` stores while others are in flight. */
export function packNext(
  to: Domain,
  begin: (room: ByteReservation) => Promise<Begun[]>,
  deps: TransactionDeps,
): Promise<OutgoingTransaction[]> {
  return withImmediateReservation(deps.inFlight, mostBytesAhead, async (room) => {
    if (room === undefined) return { result: [], kept: 0 };
    const result = (await begin(room)).map(({ messages, bytes, ...transaction }) =>
      pack(to, { transaction, messages, room: room.split(bytes) }, deps),
    );
    return { result, kept: 0 };
  });
}

function pack(
  destination: Domain,
  contents: { transaction: StoredTransaction; messages: readonly DepartingMessage[]; room: ByteReservation },
  { domain: from, clock }: Pick<TransactionDeps, "domain" | "clock">,
): OutgoingTransaction {
  const { transaction, messages, room } = contents;
  const readAtMillis = clock.nowMillis();
  const items = messages.map((row) => ({
    position: row.position,
    messageId: row.message_id,
    recipient: row.recipient,
    address: `${row.recipient}@${destination}`,
  }));
  const { attached, tags, events } = transaction.form;
  const extended = attached || tags || messages.some((one) => !one.carried || (events && one.system_event !== null));
  return { transaction, items, body: writeBody(from, destination, contents), room, readAtMillis, extended };
}

/**
 * The body of a delivery. The same rows in the same transaction give the same bytes on every node and in every attempt,
 * since the peer compares bodies to recognise a repetition.
 */
function writeBody(
  origin: Domain,
  domain: Domain,
  { transaction, messages }: { transaction: StoredTransaction; messages: readonly DepartingMessage[] },
): DeliveryBody {
  const { form } = transaction;
  const { attached } = form;
  const head = JSON.stringify({ origin_server: origin, transaction_id: transaction.id, timestamp: transaction.at });
  let carrier = 0;
  const texts = messages.map((message, i) => {
    const start = opening(message, { domain, form });
    if (!message.carried) return `${start},"ciphertext_from":${carrier}}`;
    carrier = i;
    if (attached) return `${start},"ciphertext_bytes":${message.size}}`;
    return `${start},"mls_ciphertext":"${inOneLine(message.ciphertext ?? "")}"}`;
  });
  const json = `${head.slice(0, -1)},"messages":[${texts.join(",")}]}`;
  if (!attached) return { bytes: Buffer.from(json), attached };
  return { bytes: joinAttached(json, messages[0]?.ciphertexts ?? Buffer.alloc(0)), attached };
}

/** PostgreSQL writes base64 in lines (RFC 2045, section 6.8). */
function inOneLine(base64: string): string {
  return base64.replaceAll("\n", "");
}

/** The message as JSON, up to its ciphertext. */
function opening(message: DepartingMessage, { domain, form }: { domain: Domain; form: DeliveryForm }): string {
  const { system_event: event } = message;
  const members = {
    message_id: message.message_id,
    recipient_address: `${message.recipient}@${domain}`,
    sender_signature: message.sender_signature,
    timestamp: message.sent_at,
    ...(form.events && event && { system_event: { event: event.event, extension_type: event.extensionType } }),
    ...(form.tags && { dedup_tag: message.dedup_tag }),
  };
  return JSON.stringify(members).slice(0, -1);
}
