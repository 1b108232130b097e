import type { Db } from "../../database/db.js";
import { byStatement } from "../../database/pipeline/joined-bytes.js";
import { type OpenPipeline, together } from "../../database/pipeline/pipelines.js";
import { mebibyte } from "../../protocol/units.js";
import { bySharing, insertShared, roundsOf, type SharedCiphertext } from "../queue/shared-ciphertexts.js";
import { copyMessages, insertMessages, type NewMessage } from "../queue/store.js";
import type { DecidedSideEffect } from "./calls.js";
import { countReceived } from "./federation-counts.js";
import type { CountedFlush, DecidedFlush, StoredFlush } from "./flush.js";
import { type Decided, isQueued } from "./model/stages.js";
import { takeBackRefused } from "./refused-messages.js";
import { expiryOf } from "./retention.js";

// The stage Decided -> Stored: takes back what was counted for refused messages, and stores the accepted ones.

/** Maximum bytes of ciphertext that are sent to the database at once; a longer ciphertext goes alone. */
const copyBytes = 16 * mebibyte;

/** Stores with the commit in one round trip; long messages and messages to many other servers take more. */
export async function storeFresh(
  pipeline: OpenPipeline,
  { counted, decided, forwarded }: DecidedFlush,
  sideEffects: readonly DecidedSideEffect[],
): Promise<StoredFlush> {
  const { statements } = forwarded;
  const { single, shared } = bySharing(newMessages(decided, counted));
  const rounds = roundsOf(shared);
  const insertRound = (round: readonly SharedCiphertext[]) => together(round.map((one) => insertShared(pipeline, one)));
  for (const round of rounds.slice(0, -1)) await insertRound(round);
  const copies = byStatement(single, copyBytes);
  for (const part of copies.slice(0, -1)) await copyMessages(pipeline, part);
  for (const store of statements.slice(0, -1)) await store();
  await together([
    takeBackRefused(pipeline, decided, counted),
    ...copies.slice(-1).map((part) => copyMessages(pipeline, part)),
    ...rounds.slice(-1).map(insertRound),
    ...statements.slice(-1).map((store) => store()),
    countReceived(pipeline, decided, counted.context.now),
    ...sideEffects.map(({ sideEffect, outcomes }) => sideEffect.write(pipeline, outcomes)),
    pipeline.commit(),
  ]);
  for (const { sideEffect } of sideEffects) sideEffect.committed = true;
  forwarded.committed();
  return storedFlush(counted, decided);
}

/** Stores statement by statement. Side effects are left to the callers. */
export async function storeAny(trx: Db, { counted, decided, forwarded }: DecidedFlush): Promise<StoredFlush> {
  for (const store of forwarded.statements) await store();
  trx.afterCommit(() => forwarded.committed());
  await takeBackRefused(trx, decided, counted);
  for (const part of byStatement(newMessages(decided, counted))) await insertMessages(trx, part);
  await countReceived(trx, decided, counted.context.now);
  return storedFlush(counted, decided);
}

function storedFlush({ context, additions, queues }: CountedFlush, decided: readonly Decided[]): StoredFlush {
  return { context, decided, additions, queues };
}

function newMessages(decided: readonly Decided[], counted: CountedFlush): NewMessage[] {
  return decided.filter(isQueued).map((one) => newMessage(one, counted));
}

function newMessage({ message, position }: Decided, { context, queues }: CountedFlush): NewMessage {
  const { envelope, recipient } = message;
  const deviceId = recipient?.device_id ?? "";
  return {
    deviceId,
    position,
    messageId: envelope.messageId,
    ciphertext: envelope.ciphertext,
    senderSignature: envelope.senderSignature,
    sentAt: envelope.timestamp,
    receivedAt: queues.get(deviceId)?.last_received_at ?? context.now,
    expiresAt: expiryOf(message, context),
    systemEvent: envelope.systemEvent === null ? null : JSON.stringify(envelope.systemEvent),
  };
}
