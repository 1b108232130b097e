import type { Clock } from "../platform/clock.js";
import type { Config } from "../platform/config.js";
import type { Db } from "../platform/database/connection.js";
import { type Domain, hostOf } from "../protocol/address.js";
import { RelayError } from "../protocol/errors.js";
import type { SettingsService } from "../settings/service.js";
import { readPeerDomain, registrableOf } from "./hosts.js";
import { isAdmitted, type Standing, type StandingsCopy } from "./standing.js";
import { takeFromWindow } from "./window-store.js";

/** What a peer may deliver in a minute. */
export interface RateLimits {
  messages: number;
  transactions: number;
}

/** Who may call this server, and how much. */
export interface Admission {
  /**
   * A server that says who it is. Throws FEDERATION_DISABLED, INVALID_ADDRESS, and SERVER_BLOCKED as the database has it
   * at this moment.
   */
  admit(text: string): Promise<{ origin: Domain; standing: Standing }>;
  limitsOf(standing: Standing): RateLimits;
  /** Counts a transaction and its messages, shared by the servers of a registrable domain. Throws RATE_LIMIT_EXCEEDED. */
  take(db: Db, taken: { origin: Domain; standing: Standing; messages: number }): Promise<void>;
}

const windowSeconds = 60;

export function createAdmission(needs: {
  clock: Clock;
  domain: string;
  settings: Pick<SettingsService, "current">;
  standings: Pick<StandingsCopy, "ask">;
  limits: Pick<
    Config,
    "federationAllowPrivate" | "federationMessagesPerMinute" | "federationTransactionsPerMinute" | "limitedDivisor"
  >;
}): Admission {
  const { clock, settings, standings, limits } = needs;
  const rules = { ownDomain: needs.domain, privateAllowed: limits.federationAllowPrivate };
  const limitsOf = (standing: Standing): RateLimits => {
    const divisor = standing === "active" ? 1 : limits.limitedDivisor;
    return {
      messages: Math.floor(limits.federationMessagesPerMinute / divisor),
      transactions: Math.floor(limits.federationTransactionsPerMinute / divisor),
    };
  };

  return {
    async admit(text) {
      if (!settings.current().federation.enabled) throw disabled();
      const origin = readPeerDomain(text, rules);
      const standing = await standings.ask(origin);
      if (!isAdmitted(standing)) throw blocked(standing);
      return { origin, standing };
    },
    limitsOf,
    async take(db, { origin, standing, messages }) {
      const now = clock.nowSeconds();
      const registrable = registrableOf(hostOf(origin));
      const allowed = limitsOf(standing);
      const window = { registrable, now, windowSeconds, messages };
      const { granted, startedAt } = await takeFromWindow(db, { ...window, allowed });
      if (!granted) throw exceeded(allowed.messages, { now, resetAt: startedAt + windowSeconds });
    },
  };
}

function disabled(): RelayError {
  return new RelayError("FEDERATION_DISABLED", "this server exchanges no messages with other servers");
}

function blocked(standing: Standing): RelayError {
  const why = standing === "unlisted" ? "this server has an allowlist, and you are not on it" : "you are blocked here";
  return new RelayError("SERVER_BLOCKED", why);
}

function exceeded(limit: number, { now, resetAt }: { now: number; resetAt: number }): RelayError {
  return new RelayError("RATE_LIMIT_EXCEEDED", "the limit of messages or transactions a minute is used up", {
    extras: { limit, reset_at: resetAt, retry_after: Math.max(1, resetAt - now) },
  });
}
