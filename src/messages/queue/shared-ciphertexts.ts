import type { Executor } from "../../database/db.js";
import { byStatement } from "../../database/pipeline/joined-bytes.js";
import { kibibyte, mebibyte } from "../../protocol/units.js";
import { columnsOf, messagesInOrder, type NewMessage } from "./store.js";

// A message to many is stored as a row for each recipient, and so are messages of another server that share a
// ciphertext. A long ciphertext is sent to the database once, and the statement writes it into the rows.

/** Messages with the same ciphertext. */
export interface SharedCiphertext {
  ciphertext: Buffer;
  messages: NewMessage[];
}

/**
 * A row of a COPY with a shorter ciphertext costs less than one of an INSERT, because PostgreSQL logs inserted rows one
 * by one.
 */
const worthSharingBytes = 2 * kibibyte;
/** A separate statement costs about as much as sending this many bytes. */
const worthStatementBytes = 32 * kibibyte;
/** Ciphertexts sent at the same time: each statement holds a copy until it is sent. */
const roundBytes = mebibyte;

/** Messages to be stored one by one, and messages whose shared ciphertext is to be sent once. */
export function bySharing(messages: readonly NewMessage[]): { single: NewMessage[]; shared: SharedCiphertext[] } {
  const sharing = new Map<Buffer, NewMessage[]>();
  for (const message of messages) {
    const others = sharing.get(message.ciphertext);
    if (others === undefined) sharing.set(message.ciphertext, [message]);
    else others.push(message);
  }
  if (sharing.size === messages.length) return { single: [...messages], shared: [] };
  const shared: SharedCiphertext[] = [];
  for (const [ciphertext, those] of sharing) {
    if (isWorthSharing(ciphertext, those.length)) shared.push({ ciphertext, messages: those });
  }
  const apart = new Set(shared.map(({ ciphertext }) => ciphertext));
  return { single: messages.filter(({ ciphertext }) => !apart.has(ciphertext)), shared };
}

function isWorthSharing({ length }: Buffer, uses: number): boolean {
  return length >= worthSharingBytes && (uses - 1) * length >= worthStatementBytes;
}

/** What to send at once, split so that no statement stores too much. */
export function roundsOf(shared: readonly SharedCiphertext[]): SharedCiphertext[][] {
  const insertions = shared.flatMap(({ ciphertext, messages }) =>
    byStatement(messages).map((part) => ({ ciphertext, messages: part })),
  );
  return byStatement(insertions, roundBytes);
}

/** Inserts messages that share a ciphertext. */
export async function insertShared(trx: Executor, { ciphertext, messages }: SharedCiphertext): Promise<void> {
  await trx.run(
    `insert into ${messagesInOrder}
     select d.device_id, d.position, d.message_id, :ciphertext::bytea, d.sender_signature, d.sent_at, d.received_at,
            d.expires_at, d.system_event::jsonb
     from unnest(
            :deviceIds::text[], :positions::bigint[], :messageIds::uuid[], :senderSignatures::text[], :sentAt::bigint[],
            :receivedAt::bigint[], :expiresAt::bigint[], :systemEvents::text[]
          ) as d (device_id, position, message_id, sender_signature, sent_at, received_at, expires_at, system_event)`,
    { ciphertext, ...columnsOf(messages) },
  );
}
