import { routes } from "../../../generated/routes.js";
import type { Database } from "../../database/db.js";
import type { RateLimiter } from "../../limits/rate-limiter.js";
import type { Clock } from "../../node/clock.js";
import { createLruCache } from "../../platform/lru-cache.js";
import { type Domain, hostOf } from "../../protocol/address.js";
import { daySeconds } from "../../protocol/units.js";
import type { CallCounts } from "./call-counts.js";
import type { DiscoveryClient } from "./discovery.js";
import { errorNameOf } from "./error-name.js";
import { registrableOf } from "./hosts.js";
import type { FederationHttp, HttpAnswer, HttpRequest } from "./http-client.js";
import type { Identity } from "./identity.js";
import { createNonceRequests, type RequestNonce } from "./nonce.js";
import { refusesToken } from "./refused-token.js";
import { createSessionAttempts } from "./session-attempts.js";
import { noteBadCertificate, notePeer } from "./store.js";
import { type PeerAnswer, type PeerCalls, type PeerDocument, PeerError } from "./types.js";

/** Remaining lifetime at which our token at a peer is renewed. */
const federationTokenRenewSeconds = 300;

interface PeerSessionsDeps {
  db: Database;
  clock: Clock;
  http: FederationHttp;
  discovery: DiscoveryClient;
  counts: Pick<CallCounts, "counted">;
  identity: () => Identity | null;
  /** This server's domain. */
  domain: string;
  rateLimiter: Pick<RateLimiter, "take">;
  config: Parameters<typeof createSessionAttempts>[0]["config"];
}

interface Session {
  token: string;
  /** In Unix seconds, by our clock. */
  renewAt: number;
  /** The maximum number of messages that we may deliver in a minute; null if the peer does not say. */
  messagesPerMinute: number | null;
}

const rememberedSessions = 10_000;
const longestSessionSeconds = daySeconds;

/**
 * Our sessions with peers. A peer is found by discovery. A session begins with a challenge that is answered with our
 * certificate's key, and it is renewed some minutes before it expires. Every node has its own sessions.
 */
export function createPeerSessions(deps: PeerSessionsDeps): PeerCalls {
  const { clock, discovery } = deps;
  const sessions = createLruCache<Domain, Promise<Session>>(rememberedSessions);
  const attempts = createSessionAttempts(deps);

  const requestNonce = createNonceRequests({ ...deps, ask: (peer, asked) => ask(deps, peer, asked) });

  const begin = (peer: PeerDocument): Promise<Session> => {
    const beginning = attempts.attempt(peer, () => authenticate(deps, peer, requestNonce));
    sessions.set(peer.server, beginning);
    beginning.catch(() => sessions.get(peer.server) === beginning && sessions.delete(peer.server));
    return beginning;
  };
  const sessionAt = async (peer: PeerDocument): Promise<Session> => {
    const known = await sessions.get(peer.server);
    return known !== undefined && clock.nowSeconds() < known.renewAt ? known : begin(peer);
  };

  // Deliveries have a separate backoff, shared by all nodes. Cached failures would add to it.
  const find = (domain: Domain): Promise<PeerDocument> => discovery.discover(domain, { afterFailure: "ask" });
  const forgetIfMoved = (domain: Domain, error: unknown): never => {
    if (mayHaveMoved(error)) discovery.forget(domain);
    throw error;
  };

  return {
    isReady: () => deps.identity() !== null,
    provesDomain: () => deps.identity()?.isValidAt(clock.nowMillis()) ?? false,
    discover: (domain) => discovery.discover(domain),
    async reach(domain) {
      const peer = await find(domain);
      await sessionAt(peer).catch((error: unknown) => forgetIfMoved(domain, error));
    },
    async offers(domain) {
      const { offers, ...peer } = await find(domain);
      const session = await sessionAt({ ...peer, offers }).catch((error: unknown) => forgetIfMoved(domain, error));
      const { transactionMessages: max } = offers;
      if (max === null || session.messagesPerMinute === null) return offers;
      return { ...offers, transactionMessages: Math.max(1, Math.min(max, session.messagesPerMinute)) };
    },
    async deliver(domain, transactionId, { bytes, attached }) {
      const peer = await find(domain);
      try {
        const session = await sessionAt(peer);
        const { path, attachedBytes } = routes.deliverTransaction;
        const url = `${peer.federationUrl}${path.replace(":transaction_id", transactionId)}`;
        const type = attached ? { "content-type": attachedBytes } : {};
        const headers = { authorization: `Bearer ${session.token}`, "x-origin-server": deps.domain, ...type };
        const answer = await send(deps, peer, { method: "PUT", url, headers, body: bytes });
        if (refusesToken(answer)) sessions.delete(domain);
        if (signsOfAnotherVersion.has(answer.status)) discovery.forget(domain);
        return answer;
      } catch (error) {
        return forgetIfMoved(domain, error);
      }
    },
    async ask(domain, { operation, body, answerBytes, progressed }) {
      const peer = await find(domain);
      const bytes = Buffer.from(JSON.stringify({ origin_server: deps.domain, ...body }));
      const url = `${peer.federationUrl}${routes[operation].path}`;
      const askOnce = async (): Promise<PeerAnswer> => {
        if (!sessions.has(domain)) attempts.refuseAfterFailure(peer);
        const { token } = await sessionAt(peer);
        const headers = { authorization: `Bearer ${token}`, "x-origin-server": deps.domain };
        const answer = await send(deps, peer, {
          ...{ method: "POST", url, headers, body: bytes, answerBytes },
          ...(progressed !== undefined && { progressed }),
        });
        if (refusesToken(answer)) sessions.delete(domain);
        return answer;
      };
      try {
        const answer = await askOnce();
        return refusesToken(answer) ? await askOnce() : answer;
      } catch (error) {
        return forgetIfMoved(domain, error);
      }
    },
  };
}

const notFound = 404;
/** The peer's version may differ from that of the cached document: it does not know the path, body or media type. */
const signsOfAnotherVersion: ReadonlySet<number> = new Set([400, notFound, 413, 415, 422]);

/** Whether the peer may have moved from the URL in its document; if so, the next attempt fetches the document again. */
function mayHaveMoved(error: unknown): boolean {
  return error instanceof PeerError && (error.problem !== "refused" || error.status === notFound);
}

async function authenticate(deps: PeerSessionsDeps, peer: PeerDocument, requestNonce: RequestNonce): Promise<Session> {
  const identity = deps.identity();
  if (identity === null) throw new PeerError("refused", "this server has no certificate for federation");
  const nonce = await requestNonce(peer);
  const { token, expiresAt, messagesPerMinute } = await requestToken(deps, peer, {
    origin_server: deps.domain,
    server_certificate: identity.certificate,
    challenge_response: await identity.answer({ nonce, audience: peer.server }),
  });
  const now = deps.clock.nowSeconds();
  await notePeer(deps.db, { ...namesOf(peer.server), now, certificateValid: true });
  const renewAt = Math.min(expiresAt, now + longestSessionSeconds) - federationTokenRenewSeconds;
  return { token, renewAt, messagesPerMinute };
}

function namesOf(domain: Domain) {
  const host = hostOf(domain);
  return { host, domain, registrable: registrableOf(host) };
}

async function requestToken(deps: PeerSessionsDeps, peer: PeerDocument, body: object) {
  const url = `${peer.federationUrl}${routes.authenticateServer.path}`;
  const answer = await ask(deps, peer, { method: "POST", url, body: Buffer.from(JSON.stringify(body)) });
  const { federation_token: token, expires_at: expiresAt, rate_limits: limits } = answer;
  if (typeof token !== "string" || !isToken(token) || typeof expiresAt !== "number") {
    throw new PeerError("answer", `${peer.server} sent no token`);
  }
  const { messages_per_minute: messages } = (limits ?? {}) as { messages_per_minute?: unknown };
  return { token, expiresAt, messagesPerMinute: typeof messages === "number" ? messages : null };
}

/** Whether the token may be sent in a header (RFC 6750, section 2.1). */
function isToken(text: string): boolean {
  return /^[A-Za-z0-9\-._~+/]{1,8192}=*$/.test(text);
}

/** The members of a successful answer; empty if the answer is not an object. */
async function ask(
  deps: PeerSessionsDeps,
  peer: PeerDocument,
  asked: Omit<HttpRequest, "peer">,
): Promise<Record<string, unknown>> {
  const { status, body } = await send(deps, peer, asked);
  const said = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  if (status >= 200 && status < 300) return said;
  throw new PeerError("refused", `${peer.server} answered ${status}`, { status, error: errorNameOf(said) });
}

/** Sends and counts a request. An answer of 500 or more counts as failed. */
async function send(deps: PeerSessionsDeps, peer: PeerDocument, asked: Omit<HttpRequest, "peer">): Promise<PeerAnswer> {
  let answer: HttpAnswer | undefined;
  try {
    await deps.counts.counted(peer.server, async () => {
      answer = await deps.http.send({ ...asked, peer: peer.server });
      if (answer.status >= 500) throw new ServerFault();
    });
  } catch (error) {
    await noteCertificate(deps, peer.server, error);
    if (!(error instanceof ServerFault)) throw error;
  }
  if (answer === undefined) throw new PeerError("answer", `${peer.server} did not answer`);
  const { status, headers, repeated } = answer;
  return { status, headers, body: parseBody(answer.body), repeated };
}

class ServerFault extends Error {}

async function noteCertificate({ db }: PeerSessionsDeps, domain: Domain, error: unknown): Promise<void> {
  if (error instanceof PeerError && error.problem === "certificate") await noteBadCertificate(db, hostOf(domain));
}

function parseBody(body: Buffer): unknown {
  if (body.length === 0) return null;
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
