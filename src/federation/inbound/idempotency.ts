import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../database/db.js";
import type { Clock } from "../../node/clock.js";
import type { Nodes } from "../../node/nodes.js";
import type { Random } from "../../platform/random.js";
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
// first and returns the same. If the claiming node dies, a copy takes the claim over. If processing fails, the claim is
// released. Messages that were queued by then are recognised one by one, so none is delivered twice.

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
   * stored answer does not name, OVERLOADED if the first copy takes too long, and the errors of `processing`.
   */
  once(arrival: Arrival<A>, processing: Processing<A>): Promise<A>;
}

const pollMillis = 100;
const maxWaitMillis = 20_000;

export function createTransactions<A>(deps: {
  db: Database;
  clock: Clock;
  random: Pick<Random, "uuid">;
  nodes: Pick<Nodes, "nodeId" | "isAlive">;
  config: Pick<FederationSettings, "federationTransactionCacheSeconds">;
}): Transactions<A> {
  const { db, clock, nodes, config } = deps;

  /** The stored answer, or undefined once this call has claimed the transaction. */
  const findOrClaim = async (arrival: Arrival<A>, claim: string, processing: Processing<A>): Promise<A | undefined> => {
    const mine = { ...keyOf(arrival), digest: arrival.digest, claim, node: nodes.nodeId };
    for (let waited = 0; waited <= maxWaitMillis; waited += pollMillis) {
      const now = clock.nowSeconds();
      const expiresAt = now + config.federationTransactionCacheSeconds;
      if (await processing.claim({ ...mine, now, expiresAt })) return undefined;
      const found = await readTransaction<A>(db, keyOf(arrival));
      if (found !== undefined && found.answer !== null) {
        // Otherwise the sender would believe that a message was accepted although this server never saw it.
        if (!found.digest.equals(arrival.digest) && !arrival.covers(found.answer)) throw conflict();
        return found.answer;
      }
      if (found !== undefined && (await isTakenOver(mine, found))) return undefined;
      await sleep(pollMillis);
    }
    throw new RelayError("OVERLOADED", "the transaction is still being processed");
  };
  const isTakenOver = async (
    mine: ClaimedTransaction & { digest: Buffer; node: string },
    { claim: before, node }: StoredTransaction<A>,
  ): Promise<boolean> => !nodes.isAlive(node) && takeOverTransaction(db, { ...mine, before });

  return {
    async once(arrival, processing) {
      const claim = deps.random.uuid();
      const known = await findOrClaim(arrival, claim, processing);
      if (known !== undefined) return known;
      const key = { ...keyOf(arrival), claim };
      try {
        return await processing.process(key);
      } catch (error) {
        await releaseTransaction(db, key).catch(() => undefined);
        throw error;
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
