import { getDomain } from "tldts";
import type { Database } from "../../database/db.js";
import { type LimitRequest, limitRequest } from "../../limits/limit-request.js";
import type { RateLimiter } from "../../limits/rate-limiter.js";
import type { Clock } from "../../node/clock.js";
import { createLruCache } from "../../platform/lru-cache.js";
import { hostOf } from "../../protocol/address.js";
import type { FederationSettings } from "../model/config.js";
import { registrableOf } from "./hosts.js";
import { type PeerDocument, PeerError } from "./types.js";

/** Time for which a failed session refuses further questions to the peer. */
const failedSessionCacheSeconds = 60;

/** Decides whether a session may be begun. */
interface SessionAttempts {
  /** Throws the failure of the last session with this peer if it is recent. For callers without a backoff. */
  refuseAfterFailure(peer: PeerDocument): void;
  /** Begins a session, and remembers how it ended. Throws PeerError if too many were begun at the peer's host. */
  attempt<T>(peer: PeerDocument, begin: () => Promise<T>): Promise<T>;
}

const remembered = 10_000;

/**
 * Strangers decide which peers this relay looks up, and any domain can say that its federation interface is at another
 * relay's host. A session that fails there uses up the nonces that this relay needs for its own messages. So sessions of a
 * domain at a host of another owner are limited, on all nodes together, until one of them has succeeded.
 */
export function createSessionAttempts(deps: {
  db: Database;
  clock: Clock;
  rateLimiter: Pick<RateLimiter, "take">;
  config: FederationSettings;
}): SessionAttempts {
  const { db, clock, rateLimiter, config } = deps;
  const failures = createLruCache<string, { error: PeerError; until: number }>(remembered);
  const proven = createLruCache<string, true>(remembered);

  const limitsOf = ({ server, federationUrl }: PeerDocument): LimitRequest[] => {
    const [called, owner] = [registrableOf(new URL(federationUrl).hostname), registrableOf(hostOf(server))];
    return [
      limitRequest("shared_host_attempts_of_domain", { ids: [called, owner] }, config),
      limitRequest("shared_host_attempts", { ids: [called] }, config),
    ];
  };

  return {
    refuseAfterFailure(peer) {
      const failure = failures.get(keyOf(peer));
      if (failure !== undefined && clock.nowSeconds() < failure.until) throw failure.error;
    },
    async attempt(peer, begin) {
      const key = keyOf(peer);
      if (!isAtOwnHost(peer) && !proven.has(key)) {
        const { refused } = await rateLimiter.take(db, limitsOf(peer));
        if (refused !== undefined) throw new PeerError("refused", `${peer.server}: ${refused.message}`);
      }
      try {
        const session = await begin();
        proven.set(key, true);
        failures.delete(key);
        return session;
      } catch (error) {
        if (error instanceof PeerError && isLasting(error)) {
          failures.set(key, { error, until: clock.nowSeconds() + failedSessionCacheSeconds });
        }
        throw error;
      }
    },
  };
}

const tooMany = 429;

/** Whether the next attempt would probably end alike. A peer that is restarting or busy may be ready in a second. */
function isLasting({ problem, status = 0 }: PeerError): boolean {
  return problem === "answer" || (problem === "refused" && status >= 400 && status < 500 && status !== tooMany);
}

function keyOf({ server, federationUrl }: PeerDocument): string {
  return `${server} ${federationUrl}`;
}

/** Whether the host that is called belongs to the owner of the domain, who could call it anyway. */
function isAtOwnHost({ server, federationUrl }: PeerDocument): boolean {
  const { host, hostname } = new URL(federationUrl);
  if (host === server) return true;
  return getDomain(hostname) !== null && registrableOf(hostname) === registrableOf(hostOf(server));
}
