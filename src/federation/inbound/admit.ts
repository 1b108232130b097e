import type { Clock } from "../../platform/cluster/clock.js";
import type { Config } from "../../platform/config/config.js";
import type { Db, Pipeline } from "../../platform/database/connection.js";
import { type Domain, hostOf } from "../../protocol/address.js";
import { RelayError } from "../../protocol/errors.js";
import type { SettingsService } from "../../settings/service.js";
import { namesCovering, readPeerDomain, registrableOf } from "../peers/hosts.js";
import { isAdmitted, type ServerStatus, type ServerStatusCache } from "../policy/server-status.js";
import { enterDelivery, readTransaction, readWindow, releaseTransaction, type WantedTransaction } from "./store.js";

/** The most a peer may deliver in a minute. */
export interface RateLimits {
  messages: number;
  transactions: number;
}

/** Decides which servers may call this one, and how much they may deliver. */
export interface Admission {
  /**
   * Admits the server of this name by its current status in the database. Throws FEDERATION_DISABLED, INVALID_ADDRESS and
   * SERVER_BLOCKED.
   */
  admit(text: string): Promise<{ origin: Domain; status: ServerStatus }>;
  /**
   * Checks what a delivery is refused for whatever it contains: the server's status, and limits that are used up. The
   * repetition of a known transaction is not limited. Throws SERVER_BLOCKED and RATE_LIMIT_EXCEEDED.
   */
  checkBeforeBody(db: Db, delivery: { origin: Domain; transactionId: string | undefined }): Promise<void>;
  limitsOf(status: ServerStatus): RateLimits;
  /** Parses the name of a server. Throws FEDERATION_DISABLED and INVALID_ADDRESS. */
  nameOf(text: string): Domain;
  /**
   * Admits a delivery: checks the status as `admit` does, claims the transaction, and counts it and its messages against
   * the limits, which the servers of a registrable domain share. `claimed` is false if the transaction is known. Throws
   * SERVER_BLOCKED, and RATE_LIMIT_EXCEEDED, which releases the claim.
   */
  enter(
    at: { db: Db; pipelined: Db | Pipeline },
    delivery: { origin: Domain; messages: number; wanted: WantedTransaction },
  ): Promise<{ status: ServerStatus; claimed: boolean }>;
}

const windowSeconds = 60;

export function createAdmission(deps: {
  clock: Clock;
  domain: string;
  settings: Pick<SettingsService, "current">;
  statuses: Pick<ServerStatusCache, "ask" | "decide">;
  config: Pick<
    Config,
    "federationAllowPrivate" | "federationMessagesPerMinute" | "federationTransactionsPerMinute" | "limitedDivisor"
  >;
}): Admission {
  const { clock, settings, statuses, config } = deps;
  const rules = { ownDomain: deps.domain, privateAllowed: config.federationAllowPrivate };
  const limitsOf = (status: ServerStatus): RateLimits => {
    const divisor = status === "active" ? 1 : config.limitedDivisor;
    return {
      messages: Math.floor(config.federationMessagesPerMinute / divisor),
      transactions: Math.floor(config.federationTransactionsPerMinute / divisor),
    };
  };

  const nameOf = (text: string): Domain => {
    if (!settings.current().federation.enabled) throw disabled();
    return readPeerDomain(text, rules);
  };

  return {
    async admit(text) {
      const origin = nameOf(text);
      const status = await statuses.ask(origin);
      if (!isAdmitted(status)) throw blocked(status);
      return { origin, status };
    },
    limitsOf,
    nameOf,
    async checkBeforeBody(db, { origin, transactionId }) {
      const status = await statuses.ask(origin);
      if (!isAdmitted(status)) throw blocked(status);
      if (transactionId !== undefined && (await readTransaction(db, { origin, transactionId })) !== undefined) return;
      const window = await readWindow(db, registrableOf(hostOf(origin)));
      const [limits, now] = [limitsOf(status), clock.nowSeconds()];
      const resetAt = (window?.startedAt ?? 0) + windowSeconds;
      if (window === undefined || resetAt <= now) return;
      const isUsedUp = window.messages >= limits.messages || window.transactions >= limits.transactions;
      if (isUsedUp) throw exceeded(limits.messages, { now, resetAt });
    },
    async enter({ db, pipelined }, { origin, messages, wanted }) {
      const host = hostOf(origin);
      const [names, registrable] = [namesCovering(host), registrableOf(host)];
      const allowed = { active: limitsOf("active"), limited: limitsOf("limited") };
      const allowlistMode = settings.current().federation.allowlist_mode;
      const window = { registrable, windowSeconds, messages, allowed };
      const { claimed, granted, ...state } = await enterDelivery(pipelined, {
        host,
        names,
        allowlistMode,
        wanted,
        ...window,
      });
      const status = statuses.decide(state);
      const fits = isAdmitted(status) && granted;
      if (claimed && !fits) await releaseTransaction(db, wanted);
      if (!isAdmitted(status)) throw blocked(status);
      if (!claimed || granted) return { status, claimed };
      const now = clock.nowSeconds();
      const startedAt = (await readWindow(db, registrable))?.startedAt ?? now;
      throw exceeded(limitsOf(status).messages, { now, resetAt: startedAt + windowSeconds });
    },
  };
}

function disabled(): RelayError {
  return new RelayError("FEDERATION_DISABLED", "this server does not take part in federation");
}

function blocked(status: ServerStatus): RelayError {
  const why = status === "unlisted" ? "your server is not on the allowlist" : "your server is blocked";
  return new RelayError("SERVER_BLOCKED", why);
}

function exceeded(limit: number, { now, resetAt }: { now: number; resetAt: number }): RelayError {
  return new RelayError("RATE_LIMIT_EXCEEDED", "too many messages or transactions within a minute", {
    extras: { limit, reset_at: resetAt, retry_after: Math.max(1, resetAt - now) },
  });
}
