import { routes } from "../../../generated/routes.js";
import { maxIntermediates } from "../../certificates/certificate-checks.js";
import type { Clock } from "../../node/clock.js";
import { createLruCache } from "../../platform/lru-cache.js";
import type { Domain } from "../../protocol/address.js";
import type { FederationSettings } from "../model/config.js";
import type { FederationHttp } from "./http-client.js";

/** The intermediates, in DER, that the server of a domain shows in TLS. Empty if it cannot be reached. Never throws. */
export type ShownIntermediates = (domain: Domain) => Promise<readonly Buffer[]>;

const rememberedDomains = 1_000;
/** Strangers can cause these calls. */
const maxCallsAtOnce = 20;

/** Calls the server at the URL of its discovery document, and caches what it showed for as long as a document. */
export function createShownIntermediates(deps: {
  http: FederationHttp;
  clock: Clock;
  config: FederationSettings;
}): ShownIntermediates {
  const { http, clock, config } = deps;
  const remembered = createLruCache<Domain, { until: number; shown: Promise<readonly Buffer[]> }>(rememberedDomains);
  let calls = 0;

  const ask = async (domain: Domain): Promise<readonly Buffer[] | undefined> => {
    calls += 1;
    try {
      const url = `https://${domain}${routes.getDiscovery.path}`;
      const answer = await http.send({ url, peer: domain, method: "GET", withCertificates: true });
      return answer.certificates.slice(1, 1 + maxIntermediates);
    } catch {
      return undefined;
    } finally {
      calls -= 1;
    }
  };

  return (domain) => {
    const known = remembered.get(domain);
    if (known !== undefined && clock.nowSeconds() < known.until) return known.shown;
    if (calls >= maxCallsAtOnce) return Promise.resolve([]);
    const entry = { until: Number.POSITIVE_INFINITY, shown: Promise.resolve<readonly Buffer[]>([]) };
    entry.shown = ask(domain).then((shown) => {
      const seconds = shown === undefined ? config.discoveryFailureCacheSeconds : config.discoveryMinCacheSeconds;
      entry.until = clock.nowSeconds() + seconds;
      return shown ?? [];
    });
    remembered.set(domain, entry);
    return entry.shown;
  };
}
