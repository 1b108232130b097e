import type { Schedule } from "../platform/cluster/schedule.js";
import type { Config } from "../platform/config/config.js";
import { hourSeconds } from "../protocol/units.js";

/** What comes round again besides the outbox's jobs. */
export interface FederationUpkeep {
  /** Writes what this node counted. */
  flushCounts(): Promise<void>;
  /** Ends blocks whose time is over. */
  endBlocks(): Promise<void>;
  judgeAll(): Promise<void>;
  fetchLists(): Promise<void>;
  /** Forgets nonces, transactions, counters and origins that are of no use any more. */
  removeExpired(): Promise<void>;
  /** Forgets peers that there was no contact with for long. */
  forgetPeers(): Promise<void>;
}

const flushEverySeconds = 10;
const endBlocksEverySeconds = 30;
const judgeEverySeconds = hourSeconds;
const cleanUpEverySeconds = 600;
const forgetPeersEverySeconds = hourSeconds;

export function scheduleFederationJobs(
  schedule: Pick<Schedule, "every" | "cleanUpEvery" | "everyOnEachNode">,
  upkeep: FederationUpkeep,
  config: Pick<Config, "blocklistFetchSeconds">,
): void {
  schedule.everyOnEachNode("federation.flush-counts", flushEverySeconds, () => upkeep.flushCounts());
  schedule.cleanUpEvery("federation.end-blocks", endBlocksEverySeconds, () => upkeep.endBlocks());
  schedule.every("federation.judge", judgeEverySeconds, () => upkeep.judgeAll());
  schedule.every("federation.fetch-lists", config.blocklistFetchSeconds, () => upkeep.fetchLists());
  schedule.cleanUpEvery("federation.clean-up", cleanUpEverySeconds, () => upkeep.removeExpired());
  schedule.cleanUpEvery("federation.forget-peers", forgetPeersEverySeconds, () => upkeep.forgetPeers());
}
