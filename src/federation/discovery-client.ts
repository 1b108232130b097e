import { LRUCache } from "lru-cache";
import { routes } from "../../generated/routes.js";
import type { Clock } from "../platform/clock.js";
import type { Config } from "../platform/config.js";
import { type Domain, parseDomain } from "../protocol/address.js";
import { cacheSeconds } from "./cache-lifetime.js";
import type { CallCounts } from "./call-counts.js";
import { checkedUrl, type FederationHttp, type HttpAnswer, type PortLimits } from "./outgoing-http.js";
import { type PeerDocument, PeerError } from "./peer-calls.js";

export interface DiscoveryClient {
  /**
   * The peer's document, from memory while it is fresh; a failure is remembered for a while too. `afterFailure` is for
   * callers with a backoff of their own: they ask again all the same. Throws PeerError.
   */
  discover(domain: Domain, options?: { afterFailure: "ask" }): Promise<PeerDocument>;
  /** Forgets what is remembered of a peer. */
  forget(domain: Domain): void;
}

export interface DiscoveryClientNeeds {
  http: FederationHttp;
  counts: Pick<CallCounts, "counted">;
  clock: Clock;
  limits: PortLimits &
    Pick<Config, "discoveryMinCacheSeconds" | "discoveryMaxCacheSeconds" | "discoveryFailureCacheSeconds">;
}

interface Remembered {
  until: number;
  failed: boolean;
  found: Promise<PeerDocument>;
}

const rememberedPeers = 10_000;
const documentBytes = 65_536;

/** Asks https://<domain>/.well-known/svc. Callers at the same time share one request. */
export function createDiscoveryClient(needs: DiscoveryClientNeeds): DiscoveryClient {
  const { http, clock, limits } = needs;
  const remembered = new LRUCache<Domain, Remembered>({ max: rememberedPeers });

  const ask = async (domain: Domain, entry: Remembered): Promise<PeerDocument> => {
    try {
      const url = `https://${domain}${routes.getDiscovery.path}`;
      const asking = () => http.send({ url, peer: domain, method: "GET", answerBytes: documentBytes });
      const answer = await needs.counts.counted(domain, asking);
      const document = readDocument(domain, answer, limits);
      entry.until = clock.nowSeconds() + cacheSeconds(answer.headers, limits);
      return document;
    } catch (error) {
      entry.until = clock.nowSeconds() + limits.discoveryFailureCacheSeconds;
      entry.failed = true;
      throw error;
    }
  };

  return {
    discover(domain, options) {
      const known = remembered.get(domain);
      const passesOver = options?.afterFailure === "ask" && known?.failed === true;
      if (known !== undefined && !passesOver && clock.nowSeconds() < known.until) return known.found;
      const entry = { until: Number.POSITIVE_INFINITY, failed: false } as Remembered;
      entry.found = ask(domain, entry);
      remembered.set(domain, entry);
      return entry.found;
    },
    forget: (domain) => void remembered.delete(domain),
  };
}

/** What is used of the document; a newer peer may say more in it. */
function readDocument(domain: Domain, answer: HttpAnswer, limits: PortLimits): PeerDocument {
  if (answer.status !== 200) throw unusable(domain, `was answered with ${answer.status}`);
  const document = parseObject(answer.body);
  const { server, federation_url: federationUrl, versions, links } = document;
  // The name was spelled by us, so it is taken at its word whatever it looks like.
  const named =
    typeof server === "string" ? parseDomain(server, { ownDomain: domain, privateAllowed: true }) : undefined;
  if (named !== domain) throw unusable(domain, "names another server");
  if (typeof federationUrl !== "string") throw unusable(domain, "names no federation_url");
  if (!speaksOurVersion(versions)) throw unusable(domain, "names no version of federation that is spoken here");
  const { jwks } = (links ?? {}) as { jwks?: unknown };
  return {
    server: domain,
    federationUrl: baseOf(checkedUrl(federationUrl, limits)),
    jwksUrl:
      typeof jwks === "string" ? checkedUrl(jwks, limits).href : `https://${domain}${routes.getSigningKeys.path}`,
    federationEnabled: document["federation_enabled"] !== false,
  };
}

function parseObject(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function speaksOurVersion(versions: unknown): boolean {
  const { federation } = (versions ?? {}) as { federation?: unknown };
  return Array.isArray(federation) && federation.includes("v1");
}

function baseOf(url: URL): string {
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

function unusable(domain: Domain, problem: string): PeerError {
  return new PeerError("discovery", `the discovery document of ${domain} ${problem}`);
}
