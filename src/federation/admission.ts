import type { Clock } from "../platform/clock.js";
import type { Config } from "../platform/config.js";
import type { Db, Pipeline } from "../platform/database/connection.js";
import { type Domain, hostOf } from "../protocol/address.js";
import { RelayError } from "../protocol/errors.js";
import type { SettingsService } from "../settings/service.js";
import { enterDelivery } from "./entry-store.js";
import { namesCovering, readPeerDomain, registrableOf } from "./hosts.js";
import { isAdmitted, type Standing, type StandingsCopy } from "./standing.js";
import { releaseTransaction, type WantedTransaction } from "./transaction-store.js";
import { readWindowStart } from "./window-store.js";

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
  /** The server that a text names. Throws FEDERATION_DISABLED and INVALID_ADDRESS. */
  nameOf(text: string): Domain;
  /**
   * Lets a delivery in: throws SERVER_BLOCKED as `admit` does, claims the transaction, answers whether it was to be had,
   * and counts it and its messages, shared by the servers of a registrable domain. Throws RATE_LIMIT_EXCEEDED, without
   * the claim, where they are too many.
   */
  enter(
    at: { db: Db; lanes: Db | Pipeline },
    delivery: { origin: Domain; messages: number; wanted: WantedTransaction },
  ): Promise<{ standing: Standing; claimed: boolean }>;
}

const windowSeconds = 60;

export function createAdmission(needs: {
  clock: Clock;
  domain: string;
  settings: Pick<SettingsService, "current">;
  standings: Pick<StandingsCopy, "ask" | "decide">;
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

  const nameOf = (text: string): Domain => {
    if (!settings.current().federation.enabled) throw disabled();
    return readPeerDomain(text, rules);
  };

  return {
    async admit(text) {
      const origin = nameOf(text);
      const standing = await standings.ask(origin);
      if (!isAdmitted(standing)) throw blocked(standing);
      return { origin, standing };
    },
    limitsOf,
    nameOf,
    async enter({ db, lanes }, { origin, messages, wanted }) {
      const host = hostOf(origin);
      const [names, registrable] = [namesCovering(host), registrableOf(host)];
      const allowed = { active: limitsOf("active"), limited: limitsOf("limited") };
      const allowlistMode = settings.current().federation.allowlist_mode;
      const window = { registrable, windowSeconds, messages, allowed };
      const { claimed, granted, ...state } = await enterDelivery(lanes, {
        host,
        names,
        allowlistMode,
        wanted,
        ...window,
      });
      const standing = standings.decide(state);
      const fits = isAdmitted(standing) && granted;
      if (claimed && !fits) await releaseTransaction(db, wanted);
      if (!isAdmitted(standing)) throw blocked(standing);
      if (!claimed || granted) return { standing, claimed };
      const now = clock.nowSeconds();
      const startedAt = (await readWindowStart(db, registrable)) ?? now;
      throw exceeded(limitsOf(standing).messages, { now, resetAt: startedAt + windowSeconds });
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
