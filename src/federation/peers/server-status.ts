import type { Database } from "../../database/db.js";
import type { Clock } from "../../node/clock.js";
import { createRefreshingCache } from "../../node/refreshing-cache.js";
import type { SharedPoll } from "../../node/shared-poll.js";
import type { Logger } from "../../platform/logger.js";
import { type Domain, hostOf } from "../../protocol/address.js";
import type { SettingsService } from "../../settings/service.js";
import { namesCovering } from "./blocked-subdomains.js";
import { policyVersion, readPolicy } from "./policy-store.js";
import { type HostState, readHostState } from "./read-model.js";

/**
 * The current status of a server: its federation status, or `unlisted` if allowlist mode is on and the server is not on the
 * list. Blocks and the allowlist apply to the host without its port, and a block covers the names below it.
 */
export type ServerStatus = "active" | "limited" | "blocked" | "unlisted";

/** Used for every message and delivery, and answered from a cache that is refreshed every second. */
export interface ServerStatuses {
  of(domain: Domain): ServerStatus;
  /** Whether messages may be exchanged with the server. */
  admits(domain: Domain): boolean;
}

/** The cache, and the database for callers that must not rely on a cache. */
export interface ServerStatusCache extends ServerStatuses {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Refreshes the cache of this node now. */
  refresh(): Promise<void>;
  /** The status by the database, past the cache. */
  ask(domain: Domain): Promise<ServerStatus>;
  /** The status that follows from a state in the database. */
  decide(state: HostState): ServerStatus;
  isAllowlisted(host: string): boolean;
}

export function createServerStatuses(deps: {
  db: Database;
  clock: Clock;
  logger: Logger;
  settings: Pick<SettingsService, "current">;
  poll: Pick<SharedPoll, "follow" | "ask" | "onFailover">;
}): ServerStatusCache {
  const { db, clock, settings } = deps;
  let blocks = new Map<string, number | null>();
  let allowlist = new Set<string>();
  let limited = new Set<string>();

  const read = async (): Promise<void> => {
    const stored = await readPolicy(db);
    blocks = new Map(stored.blocks.map(({ domain, expiresAt }) => [domain, expiresAt]));
    allowlist = new Set(stored.allowlist);
    limited = new Set(stored.limited);
  };
  const cache = createRefreshingCache({
    name: "federation policy",
    version: { sql: policyVersion },
    poll: deps.poll,
    logger: deps.logger,
    read,
  });
  const isBlocked = (name: string): boolean => {
    const expiresAt = blocks.get(name);
    return expiresAt === null || (expiresAt !== undefined && expiresAt > clock.nowSeconds());
  };
  const decide = (state: HostState): ServerStatus => {
    if (state.blocked) return "blocked";
    if (settings.current().federation.allowlist_mode && !state.listed) return "unlisted";
    return state.limited ? "limited" : "active";
  };
  const of = (domain: Domain): ServerStatus => {
    const host = hostOf(domain);
    const blocked = namesCovering(host).some(isBlocked);
    return decide({ blocked, limited: limited.has(host), listed: allowlist.has(host) });
  };

  return {
    start: () => cache.start(),
    stop: () => cache.stop(),
    refresh: () => cache.refresh(),
    of,
    decide,
    admits: (domain) => isAdmitted(of(domain)),
    async ask(domain) {
      const host = hostOf(domain);
      return decide(await readHostState(db, { host, names: namesCovering(host), now: clock.nowSeconds() }));
    },
    isAllowlisted: (host) => allowlist.has(host),
  };
}

/** Whether messages may be exchanged with a server of this status. */
export function isAdmitted(status: ServerStatus): boolean {
  return status === "active" || status === "limited";
}
