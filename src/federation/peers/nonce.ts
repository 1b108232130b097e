import { routes } from "../../../generated/routes.js";
import type { Clock } from "../../node/clock.js";
import { createLruCache } from "../../platform/lru-cache.js";
import type { Domain } from "../../protocol/address.js";
import { daySeconds } from "../../protocol/units.js";
import type { HttpRequest } from "./http-client.js";
import { type PeerDocument, PeerError } from "./types.js";

/** Gets a nonce from a peer. Throws PeerError. */
export type RequestNonce = (peer: PeerDocument) => Promise<string>;

/** The members of a successful answer. Throws PeerError for any other answer. */
type Ask = (peer: PeerDocument, asked: Omit<HttpRequest, "peer">) => Promise<Record<string, unknown>>;

/** An endpoint where a peer may issue its nonce. */
type Reading = (peer: PeerDocument) => Omit<HttpRequest, "peer">;

/** The endpoint of a peer that does not know ours; null if the peer knows none of them. */
interface Found {
  reading: Reading | null;
  until: number;
}

const rememberedPeers = 10_000;
const longestNonce = 1024;
/** The peer does not know the operation, whatever the request contains. */
const unknownOperation: ReadonlySet<number | undefined> = new Set([404, 405, 501]);

/**
 * The specification does not say how a nonce reaches the server that signs it. We ask by POST, and peers like us
 * answer. The other readings are tried, once a day, only if a peer does not know that operation (spec/decisions/0179).
 */
export function createNonceRequests(deps: { domain: string; clock: Clock; ask: Ask }): RequestNonce {
  const { clock, ask } = deps;
  const found = createLruCache<Domain, Found>(rememberedPeers);
  const { path } = routes.createFederationChallenge;
  const byPost: Reading = ({ federationUrl }) => ({
    method: "POST",
    url: `${federationUrl}${path}`,
    body: Buffer.from(JSON.stringify({ origin_server: deps.domain })),
  });
  const byGet: Reading = ({ federationUrl }) => ({
    method: "GET",
    url: `${federationUrl}${path}?${new URLSearchParams({ origin_server: deps.domain })}`,
  });
  const inDocument: Reading = ({ server }) => ({ method: "GET", url: `https://${server}${routes.getDiscovery.path}` });

  const request = async (peer: PeerDocument, reading: Reading): Promise<string> => {
    const nonce = nonceOf(await ask(peer, reading(peer)));
    if (nonce === undefined) throw new PeerError("answer", `${peer.server} sent no challenge`);
    return nonce;
  };
  const tryOthers = async (peer: PeerDocument): Promise<string | undefined> => {
    const until = clock.nowSeconds() + daySeconds;
    found.set(peer.server, { reading: null, until });
    for (const reading of [byGet, inDocument]) {
      const nonce = await request(peer, reading).catch(() => undefined);
      if (nonce === undefined) continue;
      found.set(peer.server, { reading, until });
      return nonce;
    }
    return undefined;
  };

  return async (peer) => {
    const remembered = found.get(peer.server);
    const known = remembered !== undefined && clock.nowSeconds() < remembered.until ? remembered : undefined;
    if (known?.reading != null) {
      return request(peer, known.reading).catch((error: unknown) => {
        found.delete(peer.server);
        throw error;
      });
    }
    try {
      return await request(peer, byPost);
    } catch (error) {
      const isUnknown = error instanceof PeerError && unknownOperation.has(error.status);
      const nonce = isUnknown && known === undefined ? await tryOthers(peer) : undefined;
      if (nonce === undefined) throw error;
      return nonce;
    }
  };
}

function nonceOf({ nonce, challenge }: Record<string, unknown>): string | undefined {
  const text = nonce ?? challenge;
  return typeof text === "string" && text !== "" && text.length <= longestNonce ? text : undefined;
}
