import { type Db, type Pipeline, rows } from "../../platform/database/connection.js";
import { byStatement } from "../../platform/database/joined-bytes.js";
import { kibibyte, mebibyte } from "../../protocol/units.js";
import { messagesInOrder, type NewMessage } from "./store.js";

// A message to many is stored as a row for each recipient. Where its ciphertext is long, it is sent to the database once,
// and the statement writes it into the rows.

/** Messages that differ in their queues and times only. */
export interface SharedMessage {
  ciphertext: Buffer;
  copies: NewMessage[];
}

/** A row of a COPY with a shorter ciphertext costs less than one of an INSERT, which PostgreSQL logs one by one. */
const worthSharingBytes = 2 * kibibyte;
/** A statement of its own costs about as much as sending so many bytes. */
const worthStatementBytes = 32 * kibibyte;
/** Ciphertexts that are sent at the same time: each statement holds a copy of its own until it is sent. */
const roundBytes = mebibyte;

/** Messages to be stored one by one, and those for which a ciphertext is to be sent once. */
export function bySharing(messages: readonly NewMessage[]): { single: NewMessage[]; shared: SharedMessage[] } {
  const uses = new Map<Buffer, number>();
  for (const { ciphertext } of messages) uses.set(ciphertext, (uses.get(ciphertext) ?? 0) + 1);
  if (uses.size === messages.length) return { single: [...messages], shared: [] };
  const single: NewMessage[] = [];
  const shared = new Map<Buffer, SharedMessage>();
  for (const message of messages) {
    const { ciphertext } = message;
    const known = shared.get(ciphertext);
    if (known !== undefined && areCopies(known.copies[0], message)) known.copies.push(message);
    else if (known !== undefined || !isWorthSharing(ciphertext, uses.get(ciphertext))) single.push(message);
    else shared.set(ciphertext, { ciphertext, copies: [message] });
  }
  return { single, shared: [...shared.values()] };
}

function isWorthSharing({ length }: Buffer, uses = 1): boolean {
  return length >= worthSharingBytes && (uses - 1) * length >= worthStatementBytes;
}

/** Another server may send different messages with one ciphertext. */
function areCopies(one: NewMessage | undefined, other: NewMessage): boolean {
  return (
    one?.messageId === other.messageId &&
    one.senderSignature === other.senderSignature &&
    one.sentAt === other.sentAt &&
    one.systemEvent === other.systemEvent
  );
}

/** What is to be sent at once, split so that no statement stores too much. */
export function roundsOf(shared: readonly SharedMessage[]): SharedMessage[][] {
  const parts = shared.flatMap(({ ciphertext, copies }) =>
    byStatement(copies).map((part) => ({ ciphertext, copies: part })),
  );
  return byStatement(parts, roundBytes);
}

/** Inserts a message into the queues of its recipients. */
export async function insertShared(trx: Db | Pipeline, { ciphertext, copies }: SharedMessage): Promise<void> {
  const [first] = copies;
  if (first === undefined) return;
  const { messageId, senderSignature, sentAt, systemEvent } = first;
  await rows(
    trx,
    `insert into ${messagesInOrder}
     select d.device_id, d.position, :messageId::uuid, :ciphertext::bytea, :senderSignature::text, :sentAt::bigint,
            d.received_at, d.expires_at, :systemEvent::jsonb
     from unnest(:deviceIds::text[], :positions::bigint[], :receivedAt::bigint[], :expiresAt::bigint[])
       as d (device_id, position, received_at, expires_at)`,
    {
      ...{ messageId, ciphertext, senderSignature, sentAt, systemEvent },
      deviceIds: copies.map(({ deviceId }) => deviceId),
      positions: copies.map(({ position }) => position),
      receivedAt: copies.map(({ receivedAt }) => receivedAt),
      expiresAt: copies.map(({ expiresAt }) => expiresAt),
    },
  );
}
