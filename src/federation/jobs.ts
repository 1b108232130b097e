import type { Database } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import type { NodeSettings } from "../node/config.js";
import type { Schedule } from "../node/schedule.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import type { Origins } from "./inbound/origins.js";
import { deleteExpiredChains, deleteExpiredNonces, deleteExpiredTransactions } from "./inbound/store.js";
import type { FederationSettings } from "./model/config.js";
import type { CallCounts } from "./peers/call-counts.js";
import { dayOf, deleteForgottenPeers, deleteOldCounts } from "./peers/store.js";
import type { PeerLists } from "./policy/peer-lists.js";
import type { Reputations } from "./policy/reputation-updates.js";

/** Time without contact after which a peer is forgotten. */
const federationPeerRetentionSeconds = 30 * daySeconds;

/** The scheduled work of federation, except the outbox's. */
type FederationUpkeep = ReturnType<typeof createFederationUpkeep>;

export function createFederationUpkeep(deps: {
  db: Database;
  clock: Clock;
  counts: Pick<CallCounts, "flush">;
  reputations: Pick<Reputations, "endBlocks" | "updateAll">;
  lists: PeerLists;
  origins: Pick<Origins, "removeExpired">;
  config: Pick<FederationSettings, "scoreWindowSeconds"> & Pick<NodeSettings, "expiryStepRows">;
}) {
  const { db, clock, counts, reputations, lists, origins, config } = deps;
  return {
    /** Writes this node's counts of calls to peers. */
    flushCounts: (): Promise<void> => counts.flush(),
    /** Removes blocks that have ended. */
    endBlocks: (): Promise<void> => reputations.endBlocks(),
    /** Recomputes the score of every peer with traffic. */
    updateReputations: (): Promise<void> => reputations.updateAll(),
    /** Fetches the block lists that peers publish. */
    fetchLists: (): Promise<void> => lists.fetchAll(),
    /** Removes expired nonces, transactions, certificate chains, counters and origins. */
    async removeExpired(): Promise<void> {
      const now = clock.nowSeconds();
      await deleteExpiredNonces(db, now);
      await deleteExpiredChains(db, now);
      await deleteExpiredTransactions(db, now);
      const since = now - config.scoreWindowSeconds;
      await deleteOldCounts(db, { beforeDay: dayOf(since), spamBefore: since });
      await origins.removeExpired(db);
    },
    /** Removes peers without recent contact. */
    async forgetPeers(): Promise<void> {
      const before = clock.nowSeconds() - federationPeerRetentionSeconds;
      const limit = config.expiryStepRows;
      for (let forgotten = limit; forgotten === limit; ) {
        forgotten = await deleteForgottenPeers(db, { before, limit });
      }
    },
  };
}

const flushEverySeconds = 10;
const endBlocksEverySeconds = 30;
const updateReputationsEverySeconds = hourSeconds;
const cleanUpEverySeconds = 600;
const forgetPeersEverySeconds = hourSeconds;

export function scheduleFederationJobs(
  schedule: Pick<Schedule, "every" | "cleanUpEvery" | "everyOnEachNode">,
  upkeep: FederationUpkeep,
  config: Pick<FederationSettings, "blocklistFetchSeconds">,
): void {
  schedule.everyOnEachNode("federation.flush-counts", flushEverySeconds, () => upkeep.flushCounts());
  schedule.cleanUpEvery("federation.end-blocks", endBlocksEverySeconds, () => upkeep.endBlocks());
  schedule.every("federation.judge", updateReputationsEverySeconds, () => upkeep.updateReputations());
  schedule.every("federation.fetch-lists", config.blocklistFetchSeconds, () => upkeep.fetchLists());
  schedule.cleanUpEvery("federation.clean-up", cleanUpEverySeconds, () => upkeep.removeExpired());
  schedule.cleanUpEvery("federation.forget-peers", forgetPeersEverySeconds, () => upkeep.forgetPeers());
}
