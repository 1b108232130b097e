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
// released. If the database is away by then, or the answer to the claim was lost, the node releases it later, and a copy that
// reaches the node takes it over. Messages that were queued by then are recognised one by one, so none is delivered twice.

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
  /** Releases the claims of calls that failed while the database could not be reached. */
  releaseFailed(): Promise<void>;
}

const pollMillis = 100;
const maxWaitMillis = 20_000;
/** Claims that are to be released later. Those beyond it wait for a copy, or for their expiry. */
const maxUnreleased = 10_000;

export function createTransactions<A>(deps: {
  db: Database;
  clock: Clock;
  random: Pick<Random, "uuid">;
  nodes: Pick<Nodes, "nodeId" | "isAlive">;
  config: Pick<FederationSettings, "federationTransactionCacheSeconds" | "federationTransactionWaitSeconds">;
}): Transactions<A> {
  const { db, clock, nodes, config } = deps;
  /** The claims of the calls that this node is processing. */
  const underWay = new Set<string>();
  const unreleased = new Map<string, ClaimedTransaction>();

  const releaseLater = (key: ClaimedTransaction): void => {
    if (unreleased.size < maxUnreleased) unreleased.set(key.claim, key);
  };
  const release = async (key: ClaimedTransaction): Promise<void> => {
    try {
      await releaseTransaction(db, key);
      unreleased.delete(key.claim);
    } catch {
      releaseLater(key);
    }
  };

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
      if (found !== undefined && (await isTakenOver(mine, found))) return undefined;
      await sleep(pollMillis);
    }
  };
  const isTakenOver = async (
    mine: ClaimedTransaction & { digest: Buffer; node: string },
    { claim: before, node }: StoredTransaction<A>,
  ): Promise<boolean> => {
    const isProcessed = node === nodes.nodeId ? underWay.has(before) : nodes.isAlive(node);
    return !isProcessed && takeOverTransaction(db, { ...mine, before });
  };

  return {
    async once(arrival, processing) {
      const claim = deps.random.uuid();
      const key = { ...keyOf(arrival), claim };
      let isClaimed = false;
      underWay.add(claim);
      try {
        const known = await findOrClaim(arrival, claim, processing);
        if (known !== undefined) return known;
        isClaimed = true;
        return await processing.process(key);
      } catch (error) {
        if (isClaimed) await release(key);
        else if (mayHaveClaimed(error)) releaseLater(key);
        throw error;
      } finally {
        underWay.delete(claim);
      }
    },
    async releaseFailed() {
      for (const key of [...unreleased.values()]) await release(key);
    },
  };
}

/** Whether the claim may be stored although this came in place of an answer: a refusal says that it is not. */
function mayHaveClaimed(error: unknown): boolean {
  return !(error instanceof RelayError) || error.id === "DATABASE_UNAVAILABLE";
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
