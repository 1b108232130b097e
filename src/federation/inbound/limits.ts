import type { Database } from "../../database/db.js";
import { type LimitRequest, limitRequest } from "../../limits/limit-request.js";
import type { RateLimiter } from "../../limits/rate-limiter.js";
import { type Domain, hostOf } from "../../protocol/address.js";
import type { LimitObserver } from "../../protocol/rate-limit.js";
import type { FederationSettings } from "../model/config.js";
import type { AdmittedOrigin } from "../model/types.js";
import { registrableOf } from "../peers/hosts.js";
import type { ServerStatus } from "../peers/server-status.js";

// All relays of a registrable domain share the limits of this relay, because a further name costs nothing. If one of them has
// the status `limited`, it has a quarter of them.

const limitedDivisor = 4;

/** What the limits of a relay are counted for, here and in other modules that answer relays. */
export function sharedLimitsOf(origin: Domain, status: ServerStatus): AdmittedOrigin {
  return { registrable: registrableOf(hostOf(origin)), divisor: status === "active" ? 1 : limitedDivisor };
}

export const deliveryCounters = ["messages", "transactions", "bytes"] as const;

/** The maximum that a peer may deliver in a minute. Bytes are those of ciphertexts; a shared one counts once per message. */
export type RateLimits = Readonly<Record<(typeof deliveryCounters)[number], number>>;

export type DeliveryLimitSettings = Pick<
  FederationSettings,
  "federationMessagesPerMinute" | "federationTransactionsPerMinute" | "federationBytesPerMinute"
>;

/** What the relays of a registrable domain may deliver in a minute, in the order of `deliveryCounters`. */
export function deliveryLimits(
  { registrable, divisor }: AdmittedOrigin,
  config: DeliveryLimitSettings,
): LimitRequest[] {
  return deliveryCounters.map((name) => limitRequest(`federation_${name}`, { ids: [registrable], divisor }, config));
}

/** How many online-only messages they may pass on in a minute. */
export function onlineLimit(
  { registrable, divisor }: AdmittedOrigin,
  messages: number,
  config: Pick<FederationSettings, "federationOnlineMessagesPerMinute">,
): LimitRequest {
  return limitRequest("federation_online_messages", { ids: [registrable], divisor, cost: messages }, config);
}

/** How many spam reports they may pass on in an hour. */
export function reportLimit({ registrable, divisor }: AdmittedOrigin, config: FederationSettings): LimitRequest {
  return limitRequest("federation_reports", { ids: [registrable], divisor }, config);
}

/** The source of a request. */
export interface Client {
  ip: string;
  observer?: LimitObserver;
}

/** Limits requests before authentication, by the network address and the origin that they name. Throws RATE_LIMIT_EXCEEDED. */
export type CallerLimits = ReturnType<typeof createCallerLimits>;

export function createCallerLimits(deps: {
  db: Database;
  rateLimiter: Pick<RateLimiter, "count">;
  config: FederationSettings;
}) {
  const { db, rateLimiter, config } = deps;
  const count = (
    name: "federation_challenges" | "federation_authentications",
    origin: Domain,
    { ip, observer }: Client,
  ): Promise<void> => {
    const requests = [
      limitRequest(name, { ip, ids: [origin] }, config),
      limitRequest(`${name}_of_network`, { ip }, config),
    ];
    return rateLimiter.count(db, requests, observer);
  };
  return {
    countChallenge: (origin: Domain, client: Client): Promise<void> => count("federation_challenges", origin, client),
    countAuthentication: (origin: Domain, client: Client): Promise<void> =>
      count("federation_authentications", origin, client),
  };
}
