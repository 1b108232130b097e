import { invalidToken } from "../../auth/tokens.js";
import type { Db, Executor } from "../../database/db.js";
import { limitError } from "../../limits/limit-request.js";
import type { RateLimiter } from "../../limits/rate-limiter.js";
import type { Clock } from "../../node/clock.js";
import { comparedDomain, type Domain, hostOf } from "../../protocol/address.js";
import { invalidMember, RelayError } from "../../protocol/errors.js";
import type { LimitObserver } from "../../protocol/rate-limit.js";
import { minuteSeconds } from "../../protocol/units.js";
import type { SettingsService } from "../../settings/service.js";
import type { FederationSettings } from "../model/config.js";
import type { AdmittedOrigin } from "../model/types.js";
import { namesCovering } from "../peers/blocked-subdomains.js";
import { readPeerDomain } from "../peers/hosts.js";
import { isAdmitted, type ServerStatus, type ServerStatusCache } from "../peers/server-status.js";
import {
  type DeliveryLimitSettings,
  deliveryCounters,
  deliveryLimits,
  type RateLimits,
  sharedLimitsOf,
} from "./limits.js";
import { enterDelivery, readTransaction, releaseTransaction, type WantedTransaction } from "./store.js";

/** Decides which servers may call this one, and how much they may deliver. */
export interface Admission {
  /**
   * Admits the server of this name by its current status in the database. Throws FEDERATION_DISABLED, INVALID_ADDRESS and
   * SERVER_BLOCKED.
   */
  admit(text: string): Promise<{ origin: Domain; status: ServerStatus }>;
  /**
   * Checks the reasons for which a delivery is refused whatever it contains: the server's status and exhausted limits.
   * The repetition of a known transaction is not limited. Throws SERVER_BLOCKED and RATE_LIMIT_EXCEEDED.
   */
  checkBeforeBody(db: Db, delivery: { origin: Domain; transactionId: string | undefined }): Promise<void>;
  /**
   * Admits a request that is no delivery. `caller` is the domain of its token; both names must be the same. Throws INVALID_REQUEST,
   * INVALID_TOKEN, and what `admit` throws.
   */
  admitRequest(request: { caller: string; originHeader: string; originServer: string }): Promise<AdmittedOrigin>;
  /** Admits the owner of a token. Throws what `admit` throws. */
  admitCaller(domain: string): Promise<AdmittedOrigin>;
  limitsOf(origin: Domain, status: ServerStatus): RateLimits;
  /** Parses the name of a server. Throws FEDERATION_DISABLED and INVALID_ADDRESS. */
  nameOf(text: string): Domain;
  /**
   * Admits a delivery: checks the status as `admit` does, claims the transaction, and counts it, its messages and their bytes
   * against the limits, which the servers of a registrable domain share. `claimed` is false if the transaction is known. Throws
   * SERVER_BLOCKED, and RATE_LIMIT_EXCEEDED, which releases the claim.
   */
  enter(
    at: { db: Db; pipelined: Executor },
    delivery: {
      origin: Domain;
      messages: number;
      bytes: number;
      wanted: WantedTransaction;
      observer?: LimitObserver | undefined;
    },
  ): Promise<{ status: ServerStatus; claimed: boolean }>;
}

export function createAdmission(deps: {
  rateLimiter: Pick<RateLimiter, "keyOf" | "conclude" | "read">;
  clock: Clock;
  domain: string;
  settings: Pick<SettingsService, "current">;
  statuses: Pick<ServerStatusCache, "ask" | "decide">;
  config: DeliveryLimitSettings & Pick<FederationSettings, "federationAllowPrivate">;
}): Admission {
  const { rateLimiter, clock, settings, statuses, config } = deps;
  const rules = { ownDomain: deps.domain, privateAllowed: config.federationAllowPrivate };
  const limitsOf = (origin: Domain, status: ServerStatus): RateLimits => {
    const [messages = 0, transactions = 0, bytes = 0] = deliveryLimits(sharedLimitsOf(origin, status), config).map(
      ({ limit }) => limit,
    );
    return { messages, transactions, bytes };
  };

  const nameOf = (text: string): Domain => {
    if (!settings.current().federation.enabled) throw disabled();
    return readPeerDomain(text, rules);
  };

  const admit: Admission["admit"] = async (text) => {
    const origin = nameOf(text);
    const status = await statuses.ask(origin);
    if (!isAdmitted(status)) throw blocked(status);
    return { origin, status };
  };
  const admitCaller: Admission["admitCaller"] = async (domain) => {
    const { origin, status } = await admit(domain);
    return sharedLimitsOf(origin, status);
  };

  return {
    admit,
    admitCaller,
    async admitRequest(request) {
      checkOrigin(request);
      return admitCaller(request.originServer);
    },
    limitsOf,
    nameOf,
    async checkBeforeBody(db, { origin, transactionId }) {
      const status = await statuses.ask(origin);
      if (!isAdmitted(status)) throw blocked(status);
      if (transactionId !== undefined && (await readTransaction(db, { origin, transactionId })) !== undefined) return;
      const requests = deliveryLimits(sharedLimitsOf(origin, status), config);
      const states = await rateLimiter.read(db, requests);
      const spent = requests.findIndex((_, index) => states[index]?.remaining === 0);
      const [request, state] = [requests[spent], states[spent]];
      if (request && state) throw limitError({ ...request, resetAt: state.resetAt }, clock.nowSeconds());
    },
    async enter({ db, pipelined }, { origin, messages, bytes, wanted, observer }) {
      const host = hostOf(origin);
      const { registrable } = sharedLimitsOf(origin, "active");
      const keys = await Promise.all(
        deliveryCounters.map((name) => rateLimiter.keyOf(`federation_${name}`, [registrable])),
      );
      const { claimed, counted, ...state } = await enterDelivery(pipelined, {
        host,
        names: namesCovering(host),
        wanted,
        allowlistMode: settings.current().federation.allowlist_mode,
        keys: keys as [Buffer, Buffer, Buffer],
        windowSeconds: minuteSeconds,
        messages,
        bytes,
        allowed: { active: limitsOf(origin, "active"), limited: limitsOf(origin, "limited") },
      });
      const status = statuses.decide(state);
      const requests = deliveryLimits(sharedLimitsOf(origin, status), config);
      const windows = counted?.map((window, index) => [{ ...window, key: keys[index] as Buffer }]);
      const answer = windows && (await rateLimiter.conclude(db, { requests, windows }, observer));
      const fits = isAdmitted(status) && answer !== undefined && answer.refused === undefined;
      if (claimed && !fits) await releaseTransaction(db, wanted);
      if (!isAdmitted(status)) throw blocked(status);
      if (answer?.refused !== undefined) throw limitError(answer.refused, answer.now);
      return { status, claimed };
    },
  };
}

/** Throws INVALID_REQUEST if a request names two origins, and INVALID_TOKEN if its token is another server's. */
export function checkOrigin(request: { caller: string; originHeader: string; originServer: string }): void {
  const named = comparedDomain(request.originServer);
  if (comparedDomain(request.originHeader) !== named) {
    throw invalidMember("x-origin-server", "must equal origin_server", { part: "header" });
  }
  if (request.caller !== named) throw invalidToken("the token is another server's");
}

function disabled(): RelayError {
  return new RelayError("FEDERATION_DISABLED", "this server does not take part in federation");
}

function blocked(status: ServerStatus): RelayError {
  const why = status === "unlisted" ? "your server is not on the allowlist" : "your server is blocked";
  return new RelayError("SERVER_BLOCKED", why);
}
