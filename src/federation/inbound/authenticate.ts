import type { Knex } from "knex";
import type { Tokens } from "../../platform/auth/tokens.js";
import type { Clock } from "../../platform/cluster/clock.js";
import type { Config } from "../../platform/config/config.js";
import type { RateLimiter } from "../../platform/rate-limit/rate-limiter.js";
import { type Domain, hostOf } from "../../protocol/address.js";
import { decodeBase64 } from "../../protocol/encodings.js";
import { RelayError } from "../../protocol/errors.js";
import type { LimitObserver } from "../../protocol/rate-limit.js";
import { minuteSeconds } from "../../protocol/units.js";
import type { SettingsService } from "../../settings/service.js";
import type { Certificate } from "../peers/certificate.js";
import type { AcceptedCertificate, CertificateChecks } from "../peers/certificate-checks.js";
import { type ChallengeAnswer, peekAnswer, readAnswer } from "../peers/challenge-response.js";
import { registrableOf } from "../peers/hosts.js";
import { notePeer } from "../peers/store.js";
import type { Trust } from "../peers/trust-store.js";
import type { Admission, RateLimits } from "./admit.js";
import type { Nonces } from "./nonces.js";
import type { SessionCertificates } from "./session-certificates.js";

/** A peer's request for a session, as received. */
export interface Proof {
  originServer: string;
  /** The certificate chain in DER, in base64. */
  serverCertificate: string;
  /** The compact JWS over the nonce. */
  challengeResponse: string;
}

/** The source of a request. */
export interface Client {
  ip: string;
  observer?: LimitObserver;
}

/** Peers prove their domains by certificates. Errors as in the contract. */
export interface Authentication {
  challenge(originServer: string, client: Client): Promise<{ nonce: string; expiresAt: number }>;
  authenticate(proof: Proof, client: Client): Promise<{ token: string; expiresAt: number; rateLimits: RateLimits }>;
}

export interface AuthenticationDeps {
  db: Knex;
  clock: Clock;
  /** This server's domain. */
  domain: string;
  tokens: Pick<Tokens, "issue">;
  settings: Pick<SettingsService, "current">;
  admission: Pick<Admission, "admit" | "limitsOf" | "nameOf">;
  callerLimits: CallerLimits;
  nonces: Nonces;
  certificateChecks: CertificateChecks;
  sessionCertificates: Pick<SessionCertificates, "keep">;
  trust: () => Trust;
  /** Called once a peer has authenticated. */
  peerCalled(domain: Domain): void;
  config: Pick<Config, "federationTokenSeconds">;
}

/**
 * The checks run in this order, the cheapest first, since anyone can call: the nonce was issued here (a keyed hash, nothing
 * is stored), the network address is within its limit, the server is admitted, the certificate is for its domain, the
 * certificate's key signed the answer, the certificate is from a trusted authority. The nonce is used up last, so that a
 * failed attempt by someone else cannot spoil it.
 */
export function createAuthentication(deps: AuthenticationDeps): Authentication {
  const { db, clock, admission, callerLimits, nonces } = deps;

  return {
    async challenge(originServer, client) {
      admission.nameOf(originServer);
      await callerLimits.countChallenge(client);
      const { origin } = await admission.admit(originServer);
      return nonces.issue(origin);
    },
    async authenticate(proof, client) {
      const nonce = await checkNonce(deps, admission.nameOf(proof.originServer), proof);
      await callerLimits.countAuthentication(client);
      const { origin, status } = await admission.admit(proof.originServer);
      const accepted = await checkCertificate(deps, origin, proof);
      if (!(await nonces.use(db, nonce))) throw refused("the nonce has been used");
      const session = await beginSession(deps, origin, accepted);
      const host = hostOf(origin);
      const names = { host, domain: origin, registrable: registrableOf(host) };
      await notePeer(db, { ...names, now: clock.nowSeconds(), certificateValid: true });
      deps.peerCalled(origin);
      return { ...session, rateLimits: admission.limitsOf(status) };
    },
  };
}

/** The nonce of the challenge response, which must name this server and the origin. Throws INVALID_CERTIFICATE. */
async function checkNonce(deps: AuthenticationDeps, origin: Domain, proof: Proof): Promise<string> {
  const answer = peekAnswer(proof.challengeResponse);
  if (answer === undefined) throw refused("challenge_response is malformed");
  if (answer.originServer.toLowerCase() !== origin) throw refused("challenge_response names another origin_server");
  if (answer.audience !== deps.domain) throw refused("challenge_response is for another server");
  if (!(await deps.nonces.isValid(answer.nonce, origin)))
    throw refused("the nonce has expired or was not issued to you");
  return answer.nonce.toLowerCase();
}

/** The certificate of the origin, whose key must have signed the answer. Throws INVALID_CERTIFICATE. */
async function checkCertificate(deps: AuthenticationDeps, origin: Domain, proof: Proof): Promise<AcceptedCertificate> {
  const chain = decodeBase64(proof.serverCertificate);
  if (chain === undefined) throw refused("server_certificate is not base64");
  const trust = deps.settings.current().federation.certificate_validation ? deps.trust() : null;
  const wanted = { host: hostOf(origin), trust, nowMillis: deps.clock.nowMillis() };
  const checked = await deps.certificateChecks.check(chain, wanted, (leaf) => problemOfAnswer(leaf, proof));
  if (typeof checked === "string") throw refused(checked);
  return checked;
}

async function problemOfAnswer({ publicKey }: Certificate, { challengeResponse }: Proof): Promise<string | undefined> {
  const signed: ChallengeAnswer | undefined = await readAnswer(challengeResponse, publicKey);
  return signed === undefined ? "challenge_response is not signed by the certificate's key" : undefined;
}

/** A token lasts for the configured lifetime, but not longer than the certificate it was issued for. */
async function beginSession(
  { clock, tokens, sessionCertificates, config }: AuthenticationDeps,
  origin: Domain,
  accepted: AcceptedCertificate,
): Promise<{ token: string; expiresAt: number }> {
  const leftSeconds = Math.max(1, Math.floor(accepted.leaf.notAfter / 1000) - clock.nowSeconds());
  const lifetimeSeconds = Math.min(config.federationTokenSeconds, leftSeconds);
  const extra = await sessionCertificates.keep(accepted, clock.nowSeconds() + lifetimeSeconds);
  const { token, claims } = await tokens.issue("federation", { sub: origin, lifetimeSeconds, extra });
  return { token, expiresAt: claims.expiresAt };
}

function refused(reason: string): RelayError {
  return new RelayError("INVALID_CERTIFICATE", reason);
}

/** Limits the requests of a network address before authentication. Throws RATE_LIMIT_EXCEEDED. */
export interface CallerLimits {
  countChallenge(client: Client): Promise<void>;
  countAuthentication(client: Client): Promise<void>;
}

const message = "too many attempts to authenticate from this network address";

export function createCallerLimits(deps: {
  db: Knex;
  rateLimiter: Pick<RateLimiter, "count">;
  config: Pick<Config, "federationChallengesPerIpMinute" | "federationAuthenticationsPerIpMinute">;
}): CallerLimits {
  const { db, rateLimiter, config } = deps;
  const count = async ({ ip, observer }: Client, rule: { name: string; limit: number }): Promise<void> => {
    const request = { ...rule, subject: { ip }, windowSeconds: minuteSeconds, message };
    await rateLimiter.count(db, [request], observer);
  };
  const challenges = { name: "federation_challenges", limit: config.federationChallengesPerIpMinute };
  const authentications = { name: "federation_authentications", limit: config.federationAuthenticationsPerIpMinute };
  return {
    countChallenge: (client) => count(client, challenges),
    countAuthentication: (client) => count(client, authentications),
  };
}
