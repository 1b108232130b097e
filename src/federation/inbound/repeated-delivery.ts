import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../database/db.js";
import type { SentMessage } from "../../messages/model/types.js";
import type { Clock } from "../../node/clock.js";
import type { Nodes } from "../../node/nodes.js";
import { mapInSlices } from "../../platform/concurrency/map-in-slices.js";
import type { Random } from "../../platform/random.js";
import { replaceUnstorable } from "../../protocol/encodings.js";
import { RelayError } from "../../protocol/errors.js";
import type { FederationSettings } from "../model/config.js";
import {
  type ClaimedTransaction,
  readTransaction,
  releaseTransaction,
  type StoredTransaction,
  takeOverTransaction,
  type WantedTransaction,
} from "./store.js";

// A transaction is processed by the call that claims its row. A second copy, on any node, waits for the answer of the
// first and returns the same. If processing fails, the claim is released. A claim can outlive its call nonetheless: the node
// dies, or cannot reach the database to release it. A copy takes it over at once if it knows that nobody processes it, and
// otherwise when it has waited for long. Messages that were queued by then, or still are, are recognised one by one, so none is
// delivered twice.

/** A transaction as received. `digest` identifies its body. */
interface Arrival<A> {
  origin: string;
  transactionId: string;
  digest: Buffer;
  /** Whether an answer to a different body under the same id names every message of this one. */
  covers(answer: A): boolean;
}

/** How to claim and process a transaction. */
interface Processing<A> {
  /** Claims the transaction. False if it is known. */
  claim(wanted: WantedTransaction): Promise<boolean>;
  /** Computes the answer and stores it with the claim. */
  process(claimed: ClaimedTransaction): Promise<A>;
}

export interface Transactions<A> {
  /**
   * The answer of a transaction, either the stored one or a new one. Throws CONFLICT for a known id with a message that the
   * stored answer does not name, OVERLOADED if one copy after another fails, and the errors of `processing`.
   */
  once(arrival: Arrival<A>, processing: Processing<A>): Promise<A>;
}

const pollMillis = 100;

export function createTransactions<A>(deps: {
  db: Database;
  clock: Clock;
  random: Pick<Random, "uuid">;
  nodes: Pick<Nodes, "nodeId" | "isGone">;
  config: Pick<FederationSettings, "federationTransactionCacheSeconds" | "federationTransactionWaitSeconds">;
}): Transactions<A> {
  const { db, clock, nodes, config } = deps;
  /** The claims of the calls that this node has under way. */
  const underWay = new Set<string>();

  /** The stored answer, or undefined once this call has claimed the transaction. */
  const findOrClaim = async (arrival: Arrival<A>, claim: string, processing: Processing<A>): Promise<A | undefined> => {
    const mine = { ...keyOf(arrival), digest: arrival.digest, claim, node: nodes.nodeId };
    const first: { claim?: string } = {};
    const end = performance.now() + config.federationTransactionWaitSeconds * 1000;
    for (;;) {
      const now = clock.nowSeconds();
      const expiresAt = now + config.federationTransactionCacheSeconds;
      const isLast = performance.now() >= end;
      if (await processing.claim({ ...mine, now, expiresAt })) return undefined;
      const found = await readTransaction<A>(db, keyOf(arrival));
      if (found !== undefined && found.answer !== null) {
        // Otherwise the sender would believe that a message was accepted although this server never saw it.
        if (!found.digest.equals(arrival.digest) && !arrival.covers(found.answer)) throw conflict();
        return found.answer;
      }
      // The statement that claimed it was repeated.
      if (found?.claim === claim) return undefined;
      if (found !== undefined) {
        first.claim ??= found.claim;
        const isAbandoned = (isLast && first.claim === found.claim) || (await isUnderWayNowhere(found));
        if (isAbandoned && (await takeOverTransaction(db, { ...mine, before: found.claim }))) return undefined;
      }
      if (isLast) throw new RelayError("OVERLOADED", "the transaction is still being processed");
      await sleep(pollMillis);
    }
  };
  const isUnderWayNowhere = async ({ claim, node }: StoredTransaction<A>): Promise<boolean> =>
    node === nodes.nodeId ? !underWay.has(claim) : nodes.isGone(node);

  return {
    async once(arrival, processing) {
      const claim = deps.random.uuid();
      const key = { ...keyOf(arrival), claim };
      underWay.add(claim);
      try {
        return (await findOrClaim(arrival, claim, processing)) ?? (await processing.process(key));
      } catch (error) {
        // Also if claiming has failed: the answer may be all that was lost.
        await releaseTransaction(db, key).catch(() => undefined);
        throw error;
      } finally {
        underWay.delete(claim);
      }
    },
  };
}

function keyOf({ origin, transactionId }: Pick<Arrival<never>, "origin" | "transactionId">) {
  return { origin, transactionId };
}

function conflict(): RelayError {
  return new RelayError(
    "CONFLICT",
    "this transaction_id was used before without one of these messages; send them under a new transaction_id",
  );
}

// How a repeated delivery is recognised.

/** A message from another server, whose members have the right types. */
export interface FederatedMessage extends SentMessage {
  /** The first required member that is missing, if any. */
  lacking: string | undefined;
  /** If the message shares the ciphertext of another message: that message's index in the delivery. */
  ciphertextFrom: number | undefined;
  dedupTag: string | undefined;
}

/** The answer, in the form that is stored for repetitions. */
export interface DeliveryAnswer {
  accepted: string[];
  rejected: { messageId: string; recipientAddress: string; error: string; code: number; message: string }[];
  timestamp: number;
}

/** Normalizes an id: case and hyphens do not matter. */
export function comparedId(id: string): string {
  return id.toLowerCase().replaceAll("-", "");
}

/** Whether an answer names every message, so that it also answers a repetition with these messages. */
export function coverageBy(messages: readonly FederatedMessage[]) {
  return ({ accepted, rejected }: DeliveryAnswer): boolean => {
    const left = new Map<string, number>();
    for (const id of [...accepted, ...rejected.map(({ messageId }) => messageId)]) {
      left.set(comparedId(id), (left.get(comparedId(id)) ?? 0) + 1);
    }
    return messages.every(({ messageId }) => {
      const id = comparedId(replaceUnstorable(messageId));
      left.set(id, (left.get(id) ?? 0) - 1);
      return (left.get(id) ?? 0) >= 0;
    });
  };
}

/**
 * A digest of every member of every message, to recognise a different body under the same transaction id. JSON delimits
 * the members, and the ciphertext is preceded by its length. A shared ciphertext is named by the index of its message,
 * so each ciphertext is hashed once. A ciphertext that came as bytes is hashed as bytes: the same message in base64
 * counts as different. BLAKE2b is the fastest suitable hash on processors without hash instructions.
 */
export async function digestOf(messages: readonly FederatedMessage[]): Promise<Buffer> {
  const hash = createHash("blake2b512");
  await mapInSlices(messages, bytesOf, (message) => {
    const { mlsCiphertext } = message;
    if (message.ciphertextFrom !== undefined) hash.update(digestedText(message, { from: message.ciphertextFrom }));
    else if (typeof mlsCiphertext === "string") {
      hash.update(digestedText(message, mlsCiphertext.length) + mlsCiphertext);
    } else hash.update(digestedText(message, { bytes: mlsCiphertext.length })).update(mlsCiphertext);
  });
  return hash.digest();
}

function digestedText(message: FederatedMessage, ciphertext: number | { from: number } | { bytes: number }): string {
  const { messageId, recipientAddress, senderSignature, timestamp, systemEvent, lifetimeSeconds, dedupTag } = message;
  const texts = [messageId, recipientAddress, senderSignature, String(timestamp), dedupTag ?? ""];
  return JSON.stringify([...texts, systemEvent, lifetimeSeconds, ciphertext]);
}

export function bytesOf({ mlsCiphertext }: FederatedMessage): number {
  return mlsCiphertext.length;
}
