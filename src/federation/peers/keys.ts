import type { PublicJwk } from "../../auth/ed25519-keys.js";
import type { Clock } from "../../node/clock.js";
import { createLruCache } from "../../platform/lru-cache.js";
import type { Domain } from "../../protocol/address.js";
import { kibibyte } from "../../protocol/units.js";
import type { FederationSettings } from "../model/config.js";
import type { DiscoveryClient } from "./discovery.js";
import { cacheSeconds } from "./discovery.js";
import type { FederationHttp } from "./http-client.js";
import { PeerError } from "./types.js";

/** The signing keys that peers publish. */
export type PeerKeys = ReturnType<typeof createPeerKeys>;

const rememberedPeers = 1_000;
const maxKeys = 100;
const documentBytes = 256 * kibibyte;

/** Fetches the keys from the URL in the discovery document. Failures are cached by discovery only. */
export function createPeerKeys(deps: {
  http: FederationHttp;
  discovery: Pick<DiscoveryClient, "discover">;
  clock: Clock;
  config: Pick<FederationSettings, "discoveryMinCacheSeconds" | "discoveryMaxCacheSeconds">;
}) {
  const { http, discovery, clock, config } = deps;
  const remembered = createLruCache<Domain, { until: number; keys: readonly PublicJwk[] }>(rememberedPeers);

  return {
    /** The peer's Ed25519 keys, cached while they are fresh. Throws PeerError. */
    async of(domain: Domain): Promise<readonly PublicJwk[]> {
      const known = remembered.get(domain);
      if (known !== undefined && clock.nowSeconds() < known.until) return known.keys;
      const { jwksUrl } = await discovery.discover(domain);
      const answer = await http.send({ url: jwksUrl, peer: domain, method: "GET", answerBytes: documentBytes });
      if (answer.status !== 200)
        throw new PeerError("answer", `${domain} answered the request for its keys with ${answer.status}`);
      const keys = readKeys(answer.body);
      remembered.set(domain, { until: clock.nowSeconds() + cacheSeconds(answer.headers, config), keys });
      return keys;
    },
  };
}

function readKeys(body: Buffer): PublicJwk[] {
  let keys: unknown;
  try {
    keys = (JSON.parse(body.toString("utf8")) as { keys?: unknown } | null)?.keys;
  } catch {
    keys = undefined;
  }
  if (!Array.isArray(keys)) throw new PeerError("answer", "the key set is malformed");
  return keys.slice(0, maxKeys).flatMap(readKey);
}

function readKey(value: unknown): PublicJwk[] {
  const { kty, crv, x, kid } = (value ?? {}) as Record<string, unknown>;
  if (kty !== "OKP" || crv !== "Ed25519" || typeof x !== "string" || typeof kid !== "string") return [];
  return [{ kty, crv, x, kid, alg: "EdDSA", use: "sig" }];
}
