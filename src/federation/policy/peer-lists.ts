import { routes } from "../../../generated/routes.js";
import type { Database } from "../../database/db.js";
import type { Clock } from "../../node/clock.js";
import type { Logger } from "../../platform/logger.js";
import { comparedDomain, type Domain, hostOf, parseDomain } from "../../protocol/address.js";
import { mebibyte } from "../../protocol/units.js";
import type { FederationSettings } from "../model/config.js";
import type { FederationHttp } from "../peers/http-client.js";
import type { PeerKeys } from "../peers/keys.js";
import { deleteOldLists, replaceListings } from "../peers/policy-store.js";
import { isAdmitted, type ServerStatusCache } from "../peers/server-status.js";
import { readListPeers } from "../peers/store.js";
import { PeerError } from "../peers/types.js";
import { isSignedList } from "./published-list.js";
import type { Reputations } from "./reputation-updates.js";

/** The block lists that peers publish. */
export type PeerLists = ReturnType<typeof createPeerLists>;

const atOnce = 4;
const listBytes = 4 * mebibyte;
const maxListed = 10_000;
/** A list is removed after this many failed rounds. */
const roundsKept = 4;

export function createPeerLists(deps: {
  db: Database;
  clock: Clock;
  http: FederationHttp;
  keys: PeerKeys;
  statuses: Pick<ServerStatusCache, "of">;
  reputations: Pick<Reputations, "updateAll">;
  logger: Logger;
  config: Pick<FederationSettings, "blocklistPeerMinAgeSeconds" | "blocklistPeerMinMessages" | "blocklistFetchSeconds">;
}) {
  const { db, clock, config, logger } = deps;

  const fetchOne = async (publisher: { host: string; domain: Domain }): Promise<void> => {
    try {
      const domains = await readList(deps, publisher.domain);
      await db.transaction((trx) =>
        replaceListings(trx, { publisher: publisher.host, domains, now: clock.nowSeconds() }),
      );
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      logger.info({ problem: error.problem }, "the block list of a peer could not be fetched");
    }
  };

  return {
    /** Fetches the list of every peer whose list counts, then updates all reputations. */
    async fetchAll(): Promise<void> {
      const now = clock.nowSeconds();
      const knownBefore = now - config.blocklistPeerMinAgeSeconds;
      const peers = await readListPeers(db, { knownBefore, minDelivered: config.blocklistPeerMinMessages });
      const asked = peers
        .map(({ host, domain }) => ({ host, domain: domain as Domain }))
        .filter(({ domain }) => isAdmitted(deps.statuses.of(domain)));
      for (let i = 0; i < asked.length; i += atOnce) await Promise.all(asked.slice(i, i + atOnce).map(fetchOne));
      await deleteOldLists(db, now - roundsKept * config.blocklistFetchSeconds);
      await deps.reputations.updateAll();
    },
  };
}

/** The hosts on a peer's list. Empty if it publishes none. Throws PeerError. */
async function readList({ http, keys }: { http: FederationHttp; keys: PeerKeys }, domain: Domain): Promise<string[]> {
  const url = `https://${domain}${routes.getBlocklist.path}`;
  const answer = await http.send({ url, peer: domain, method: "GET", answerBytes: listBytes });
  if (answer.status === 404) return [];
  const document = answer.status === 200 ? parseObject(answer.body) : {};
  const { server, blocked_servers: blocked } = document;
  const isTheirs = typeof server === "string" && comparedDomain(server) === domain;
  if (!isTheirs || !Array.isArray(blocked) || !isSignedList(document, await keys.of(domain))) {
    throw new PeerError("answer", `the block list of ${domain} is malformed or not signed by it`);
  }
  return blocked.slice(0, maxListed).flatMap(readHost);
}

function parseObject(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function readHost(entry: unknown): string[] {
  const { domain } = (entry ?? {}) as { domain?: unknown };
  const parsed = typeof domain === "string" ? parseDomain(domain) : undefined;
  return parsed === undefined ? [] : [hostOf(parsed)];
}
