import type { AuthSettings } from "../../auth/config.js";
import type { Tokens } from "../../auth/tokens.js";
import type { Certificate } from "../../certificates/certificate.js";
import type { AcceptedCertificate, CertificateChecks } from "../../certificates/certificate-checks.js";
import { noPathFound } from "../../certificates/certificate-path.js";
import { readCertificateText } from "../../certificates/certificate-text.js";
import { derElements } from "../../certificates/der.js";
import type { Trust } from "../../certificates/trust-store.js";
import type { Database } from "../../database/db.js";
import type { Clock } from "../../node/clock.js";
import { type Domain, hostOf } from "../../protocol/address.js";
import { RelayError } from "../../protocol/errors.js";
import type { SettingsService } from "../../settings/service.js";
import { type ChallengeAnswer, expectedResponse, peekAnswer, readAnswer } from "../peers/challenge-response.js";
import { registrableOf } from "../peers/hosts.js";
import type { ShownIntermediates } from "../peers/shown-intermediates.js";
import { notePeer } from "../peers/store.js";
import type { Admission } from "./admit.js";
import type { CallerLimits, Client, RateLimits } from "./limits.js";
import type { Nonces } from "./nonces.js";
import type { SessionCertificates } from "./session-certificates.js";

/** A peer's request for a session, as received. */
interface Proof {
  originServer: string;
  /** The certificate chain as text, in any of the usual forms. */
  serverCertificate: string;
  /** The compact JWS over the nonce. */
  challengeResponse: string;
}

/** Peers prove their domains by certificates. Errors as in the contract. */
interface Authentication {
  challenge(originServer: string, client: Client): Promise<{ nonce: string; expiresAt: number }>;
  authenticate(proof: Proof, client: Client): Promise<{ token: string; expiresAt: number; rateLimits: RateLimits }>;
}

interface AuthenticationDeps {
  db: Database;
  clock: Clock;
  /** This server's domain. */
  domain: string;
  tokens: Pick<Tokens, "issue">;
  settings: Pick<SettingsService, "current">;
  admission: Pick<Admission, "admit" | "limitsOf" | "nameOf">;
  callerLimits: CallerLimits;
  nonces: Nonces;
  certificateChecks: CertificateChecks;
  intermediatesOf: ShownIntermediates;
  sessionCertificates: Pick<SessionCertificates, "keep">;
  trust: () => Trust;
  /** Called once a peer has authenticated. */
  peerCalled(domain: Domain): void;
  config: Pick<AuthSettings, "federationTokenSeconds">;
}

/**
 * The checks run in this order, the cheapest first, because anyone can call: the nonce was issued here (a keyed hash;
 * nothing is stored), the network address is within its limit, the server is admitted, the certificate is for its
 * domain, the certificate's key signed the answer, the certificate is from a trusted authority. The nonce is used up
 * last, so that a failed attempt by someone else cannot spoil it.
 */
export function createAuthentication(deps: AuthenticationDeps): Authentication {
  const { db, clock, admission, callerLimits, nonces } = deps;

  return {
    async challenge(originServer, client) {
      await callerLimits.countChallenge(admission.nameOf(originServer), client);
      const { origin } = await admission.admit(originServer);
      return nonces.issue(origin);
    },
    async authenticate(proof, client) {
      const claimed = admission.nameOf(proof.originServer);
      const nonce = await checkNonce(deps, claimed, proof);
      await callerLimits.countAuthentication(claimed, client);
      const { origin, status } = await admission.admit(proof.originServer);
      const accepted = await checkCertificate(deps, origin, proof);
      if (!(await nonces.use(db, nonce))) throw refused("the nonce has been used");
      const session = await beginSession(deps, origin, accepted);
      const host = hostOf(origin);
      const names = { host, domain: origin, registrable: registrableOf(host) };
      await notePeer(db, { ...names, now: clock.nowSeconds(), certificateValid: true });
      deps.peerCalled(origin);
      return { ...session, rateLimits: admission.limitsOf(origin, status) };
    },
  };
}

/** The nonce of the challenge response, which must name this server and the origin. Throws INVALID_CERTIFICATE. */
async function checkNonce(deps: AuthenticationDeps, origin: Domain, proof: Proof): Promise<string> {
  const answer = peekAnswer(proof.challengeResponse);
  if (answer === undefined) throw refused(`challenge_response is malformed: ${expectedResponse}`);
  if (answer.originServer.toLowerCase() !== origin) throw refused("challenge_response names another origin_server");
  if (answer.audience !== deps.domain) throw refused("challenge_response is for another server");
  if (!(await deps.nonces.isValid(answer.nonce, origin)))
    throw refused("the nonce has expired or was not issued to you");
  return answer.nonce.toLowerCase();
}

/** The certificate of the origin, whose key must have signed the answer. Throws INVALID_CERTIFICATE. */
async function checkCertificate(deps: AuthenticationDeps, origin: Domain, proof: Proof): Promise<AcceptedCertificate> {
  const chain = readCertificateText(proof.serverCertificate);
  if (chain === undefined) throw refused("server_certificate is neither base64 of DER or PEM, nor PEM");
  const trust = deps.settings.current().federation.certificate_validation ? deps.trust() : null;
  const wanted = { host: hostOf(origin), trust, nowMillis: deps.clock.nowMillis() };
  const check = (bytes: Buffer) => deps.certificateChecks.check(bytes, wanted, (leaf) => problemOfAnswer(leaf, proof));
  let checked = await check(chain);
  if (checked === noPathFound && derElements(chain, 1) !== undefined) {
    // The specification calls this member a certificate, not a chain. TLS shows the rest of the chain.
    const shown = await deps.intermediatesOf(origin);
    if (shown.length > 0) checked = await check(Buffer.concat([chain, ...shown]));
  }
  if (typeof checked === "string") throw refused(checked);
  return checked;
}

async function problemOfAnswer({ publicKey }: Certificate, { challengeResponse }: Proof): Promise<string | undefined> {
  const signed: ChallengeAnswer | undefined = await readAnswer(challengeResponse, publicKey);
  return signed === undefined
    ? `challenge_response is not signed by the certificate's key: ${expectedResponse}`
    : undefined;
}

/** A token is valid for the configured lifetime, but not longer than the certificate it was issued for. */
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
