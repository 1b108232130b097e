import { routes } from "../../../generated/routes.js";
import type { Clock } from "../../node/clock.js";
import { createLruCache } from "../../platform/lru-cache.js";
import { type Domain, parseDomain } from "../../protocol/address.js";
import { kibibyte } from "../../protocol/units.js";
import type { FederationSettings } from "../model/config.js";
import type { CallCounts } from "./call-counts.js";
import type { FederationHttp, HttpAnswer } from "./http-client.js";
import { checkedUrl, type PortLimits } from "./ports.js";
import { type PeerDocument, PeerError, type PeerOffers } from "./types.js";

export type DiscoveryClient = ReturnType<typeof createDiscoveryClient>;

interface Remembered {
  until: number;
  failed: boolean;
  found: Promise<PeerDocument>;
}

const rememberedPeers = 10_000;
const documentBytes = 64 * kibibyte;

/** Fetches https://<domain>/.well-known/svc. Concurrent callers share one request. */
export function createDiscoveryClient(deps: {
  http: FederationHttp;
  counts: Pick<CallCounts, "counted">;
  clock: Clock;
  config: PortLimits &
    Pick<FederationSettings, "discoveryMinCacheSeconds" | "discoveryMaxCacheSeconds" | "discoveryFailureCacheSeconds">;
}) {
  const { http, clock, config } = deps;
  const remembered = createLruCache<Domain, Remembered>(rememberedPeers);

  const ask = async (domain: Domain, entry: Remembered): Promise<PeerDocument> => {
    try {
      const url = `https://${domain}${routes.getDiscovery.path}`;
      const asking = () => http.send({ url, peer: domain, method: "GET", answerBytes: documentBytes });
      const answer = await deps.counts.counted(domain, asking);
      const document = readDocument(domain, answer, config);
      entry.until = clock.nowSeconds() + cacheSeconds(answer.headers, config);
      return document;
    } catch (error) {
      entry.until = clock.nowSeconds() + config.discoveryFailureCacheSeconds;
      entry.failed = true;
      throw error;
    }
  };

  return {
    /**
     * The peer's document, cached while it is fresh. Failures are also cached for a while, unless `afterFailure` is
     * "ask", which is for callers that have a backoff. Throws PeerError.
     */
    discover(domain: Domain, options?: { afterFailure: "ask" }): Promise<PeerDocument> {
      const known = remembered.get(domain);
      const passesOver = options?.afterFailure === "ask" && known?.failed === true;
      if (known !== undefined && !passesOver && clock.nowSeconds() < known.until) return known.found;
      const entry = { until: Number.POSITIVE_INFINITY, failed: false } as Remembered;
      entry.found = ask(domain, entry);
      remembered.set(domain, entry);
      return entry.found;
    },
    /** Removes a peer from the cache. */
    forget: (domain: Domain): void => void remembered.delete(domain),
  };
}

/**
 * Reads the members that are used. A newer peer may send others. The specification names almost none, so each has a
 * default; TLS has already proved the name.
 */
function readDocument(domain: Domain, answer: HttpAnswer, config: PortLimits): PeerDocument {
  if (answer.status !== 200) throw unusable(domain, `was answered with ${answer.status}`);
  const document = parseObject(answer.body);
  if (document === undefined) throw unusable(domain, "is no JSON object");
  const { server, versions, links } = document;
  const federationUrl = document["federation_url"] ?? `https://${domain}`;
  if (!isNamed(server ?? domain, domain)) throw unusable(domain, "names another server");
  if (typeof federationUrl !== "string") throw unusable(domain, "has a federation_url that is no text");
  if (!speaksOurVersion(versions)) throw unusable(domain, "names no supported version of federation");
  const { jwks } = (links ?? {}) as { jwks?: unknown };
  return {
    server: domain,
    federationUrl: baseOf(checkedUrl(federationUrl, config)),
    jwksUrl:
      typeof jwks === "string" ? checkedUrl(jwks, config).href : `https://${domain}${routes.getSigningKeys.path}`,
    federationEnabled: document["federation_enabled"] !== false,
    offers: readOffers(document["capabilities"]),
  };
}

function readOffers(capabilities: unknown): PeerOffers {
  const offered = (capabilities ?? {}) as Record<string, unknown>;
  const max = offered["max_transaction_messages"];
  return {
    sharesCiphertexts: offered["shared_ciphertexts"] === true,
    attachesCiphertexts: offered["attached_ciphertexts"] === true,
    takesDedupTags: offered["dedup_tags"] === true,
    takesSystemEvents: offered["system_events"] === true,
    takesLifetimes: offered["federated_lifetimes"] === true,
    takesReports: offered["federated_reports"] === true,
    answersSlots: offered["federated_slots"] === true,
    givesKeyPackages: offered["federated_key_packages"] === true,
    transactionMessages: typeof max === "number" && Number.isSafeInteger(max) && max > 0 ? max : null,
  };
}

function parseObject(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The name only has to equal the one that was looked up, so it may be a private name. */
function isNamed(server: unknown, domain: Domain): boolean {
  return typeof server === "string" && parseDomain(server, { ownDomain: domain, privateAllowed: true }) === domain;
}

function speaksOurVersion(versions: unknown): boolean {
  if (versions == null) return true;
  const { federation } = versions as { federation?: unknown };
  return federation == null || (Array.isArray(federation) && federation.includes("v1"));
}

function baseOf(url: URL): string {
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

function unusable(domain: Domain, problem: string): PeerError {
  return new PeerError("discovery", `the discovery document of ${domain} ${problem}`);
}

type Bounds = Pick<FederationSettings, "discoveryMinCacheSeconds" | "discoveryMaxCacheSeconds">;

/**
 * How many seconds an answer may be cached, by its headers (RFC 9111, section 4.2.1) and within the configured bounds. If
 * the headers forbid caching, the lower bound applies, so that a peer cannot cause a request for every message.
 */
export function cacheSeconds(headers: Readonly<Record<string, string>>, bounds: Bounds): number {
  const stated = statedSeconds(headers);
  return Math.min(bounds.discoveryMaxCacheSeconds, Math.max(bounds.discoveryMinCacheSeconds, stated));
}

function statedSeconds(headers: Readonly<Record<string, string>>): number {
  const control = headers["cache-control"]?.toLowerCase() ?? "";
  if (/(?:^|[\s,])no-(?:store|cache)(?:$|[\s,=])/.test(control)) return 0;
  const maxAge = /(?:^|[\s,])(?:s-maxage|max-age)="?(\d{1,10})/.exec(control)?.[1];
  const age = /^\d{1,10}$/.test(headers["age"] ?? "") ? Number(headers["age"]) : 0;
  if (maxAge !== undefined) return Number(maxAge) - age;
  const seconds = (Date.parse(headers["expires"] ?? "") - Date.parse(headers["date"] ?? "")) / 1000;
  return Number.isFinite(seconds) ? Math.floor(seconds) - age : 0;
}
