import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import type { Clock } from "../../platform/cluster/clock.js";
import type { Nodes } from "../../platform/cluster/nodes.js";
import type { Config } from "../../platform/config/config.js";
import type { Random } from "../../platform/random.js";
import { RelayError } from "../../protocol/errors.js";
import {
  type ClaimedTransaction,
  readTransaction,
  releaseTransaction,
  type StoredTransaction,
  takeOverTransaction,
  type WantedTransaction,
} from "./store.js";

// A transaction is processed by whoever claims its row. A second copy, on whichever node, waits for the answer of the
// first and gives the same. Where the claiming node dies, a copy takes the claim over; where processing fails, the claim
// is given up. Messages that were queued before that are recognised one by one, so nothing comes twice.

/** A transaction as it arrives. `digest` tells bodies apart. */
export interface Arrival {
  origin: string;
  transactionId: string;
  digest: Buffer;
}

/** What is done with a transaction. */
export interface Work<A> {
  /** Claims it; false where it is known. */
  claim(wanted: WantedTransaction): Promise<boolean>;
  /** Makes the answer, and stores it with the claim. */
  process(claimed: ClaimedTransaction): Promise<A>;
}

export interface Transactions<A> {
  /**
   * The answer of a transaction: the one there is, or the one that is made now. Throws CONFLICT for a known id with
   * another body, OVERLOADED where the first copy takes too long, and what the deeds throw.
   */
  once(arrival: Arrival, commands: Work<A>): Promise<A>;
}

const pollMillis = 100;
const patienceMillis = 20_000;

export function createTransactions<A>(deps: {
  db: Knex;
  clock: Clock;
  random: Pick<Random, "uuid">;
  nodes: Pick<Nodes, "nodeId" | "isAlive">;
  config: Pick<Config, "federationTransactionCacheSeconds">;
}): Transactions<A> {
  const { db, clock, nodes, config } = deps;

  /** An answer that there is, or undefined once the transaction is ours. */
  const findOrClaim = async (arrival: Arrival, claim: string, commands: Work<A>): Promise<A | undefined> => {
    const mine = { ...keyOf(arrival), claim, node: nodes.nodeId };
    for (let waited = 0; waited <= patienceMillis; waited += pollMillis) {
      const now = clock.nowSeconds();
      const expiresAt = now + config.federationTransactionCacheSeconds;
      if (await commands.claim({ ...mine, digest: arrival.digest, now, expiresAt })) return undefined;
      const found = await readTransaction<A>(db, keyOf(arrival));
      if (found?.digest.equals(arrival.digest) === false) throw conflict();
      if (found !== undefined && found.answer !== null) return found.answer;
      if (found !== undefined && (await isTakenOver(mine, found))) return undefined;
      await sleep(pollMillis);
    }
    throw new RelayError("OVERLOADED", "the transaction is still being processed");
  };
  const isTakenOver = async (
    mine: { origin: string; transactionId: string; claim: string; node: string },
    { claim: before, node }: StoredTransaction<A>,
  ): Promise<boolean> => !nodes.isAlive(node) && takeOverTransaction(db, { ...mine, before });

  return {
    async once(arrival, commands) {
      const claim = deps.random.uuid();
      const known = await findOrClaim(arrival, claim, commands);
      if (known !== undefined) return known;
      const key = { ...keyOf(arrival), claim };
      try {
        return await commands.process(key);
      } catch (error) {
        await releaseTransaction(db, key).catch(() => undefined);
        throw error;
      }
    },
  };
}

function keyOf({ origin, transactionId }: Arrival) {
  return { origin, transactionId };
}

function conflict(): RelayError {
  return new RelayError("CONFLICT", "this transaction_id came before with another body");
}
