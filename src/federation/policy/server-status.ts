import type { Knex } from "knex";
import type { Clock } from "../../platform/cluster/clock.js";
import type { Config } from "../../platform/config/config.js";
import type { Logger } from "../../platform/logger.js";
import { createRefreshingCache } from "../../platform/refreshing-cache.js";
import { type Domain, hostOf } from "../../protocol/address.js";
import type { SettingsService } from "../../settings/service.js";
import { namesCovering } from "../peers/hosts.js";
import { type HostState, readHostState } from "./read-model.js";
import { readPolicy, readPolicyVersion } from "./store.js";

/**
 * What holds for a server at this moment: its federation status, or `unlisted` where the allowlist is in force and it is
 * not on it. Blocks and allowlist go by the host without its port, and a block covers subdomains.
 */
export type ServerStatus = "active" | "limited" | "blocked" | "unlisted";

/** Asked at every message and delivery; answered from a copy of at most a second. */
export interface ServerStatuses {
  of(domain: Domain): ServerStatus;
  /** Whether messages may be exchanged with it. */
  admits(domain: Domain): boolean;
}

/** The copy behind it, and the database for those who must not rely on a copy. */
export interface ServerStatusCache extends ServerStatuses {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Reads the copy now, on this node. */
  refresh(): Promise<void>;
  /** What the database says at this moment. */
  ask(domain: Domain): Promise<ServerStatus>;
  /** What follows from what the database says. */
  decide(state: HostState): ServerStatus;
  isAllowlisted(host: string): boolean;
}

export function createServerStatuses(deps: {
  db: Knex;
  clock: Clock;
  logger: Logger;
  settings: Pick<SettingsService, "current">;
  config: Pick<Config, "settingsRefreshMillis">;
}): ServerStatusCache {
  const { db, clock, settings } = deps;
  let version = -1;
  let blocks = new Map<string, number | null>();
  let allowlist = new Set<string>();
  let limited = new Set<string>();

  const read = async (): Promise<void> => {
    if ((await readPolicyVersion(db)).version === version) return;
    const stored = await readPolicy(db);
    version = stored.version;
    blocks = new Map(stored.blocks.map(({ domain, expiresAt }) => [domain, expiresAt]));
    allowlist = new Set(stored.allowlist);
    limited = new Set(stored.limited);
  };
  const copy = createRefreshingCache({
    name: "federation policy",
    everyMillis: deps.config.settingsRefreshMillis,
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
    start: () => copy.start(),
    stop: () => copy.stop(),
    refresh: () => copy.refresh(),
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

/** Whether messages may be exchanged with a server of this standing. */
export function isAdmitted(status: ServerStatus): boolean {
  return status === "active" || status === "limited";
}
