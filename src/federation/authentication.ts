import type { Knex } from "knex";
import type { Clock } from "../platform/clock.js";
import type { Config } from "../platform/config.js";
import type { Tokens } from "../platform/tokens.js";
import { type Domain, hostOf } from "../protocol/address.js";
import { decodeBase64 } from "../protocol/encodings.js";
import { RelayError } from "../protocol/errors.js";
import type { SettingsService } from "../settings/service.js";
import type { Admission, RateLimits } from "./admission.js";
import { type ChainLimits, problemOfChain, readChain } from "./certificate-chain.js";
import { readAnswer } from "./challenge-answer.js";
import { registrableOf } from "./hosts.js";
import type { Nonces } from "./nonces.js";
import { notePeer } from "./peer-store.js";
import type { Trust } from "./trust-store.js";

/** What a peer sends to begin a session, as it came. */
export interface Proof {
  originServer: string;
  /** The certificate chain in DER, in base64. */
  serverCertificate: string;
  /** The compact JWS over the nonce. */
  challengeResponse: string;
}

/** Peers prove their domains by its certificate. Errors as in the contract. */
export interface Authentication {
  challenge(originServer: string): Promise<{ nonce: string; expiresAt: number }>;
  authenticate(proof: Proof): Promise<{ token: string; expiresAt: number; rateLimits: RateLimits }>;
}

export interface AuthenticationNeeds {
  db: Knex;
  clock: Clock;
  /** This server's name. */
  domain: string;
  tokens: Pick<Tokens, "issue">;
  settings: Pick<SettingsService, "current">;
  admission: Pick<Admission, "admit" | "limitsOf">;
  nonces: Nonces;
  trust: () => Trust;
  /** Told of a peer that has shown that it is there. */
  peerCalled(domain: Domain): void;
  limits: ChainLimits & Pick<Config, "federationTokenSeconds">;
}

/**
 * The questions in order: may the server call at all, is the certificate for it, did the certificate's key sign the
 * answer (only now, because the certificate's check bounds the key), is the nonce one of ours. The nonce is used up last,
 * so that nobody's failed attempt can spoil it.
 */
export function createAuthentication(needs: AuthenticationNeeds): Authentication {
  const { db, clock, tokens, admission, nonces, limits } = needs;

  return {
    async challenge(originServer) {
      const { origin } = await admission.admit(originServer);
      return nonces.issue(origin);
    },
    async authenticate(proof) {
      const { origin, standing } = await admission.admit(proof.originServer);
      const nonce = await checkProof(needs, origin, proof);
      if (!(await nonces.use(db, nonce))) throw refused("the nonce has been used");
      const { token, claims } = await tokens.issue("federation", {
        sub: origin,
        lifetimeSeconds: limits.federationTokenSeconds,
      });
      const host = hostOf(origin);
      const names = { host, domain: origin, registrable: registrableOf(host) };
      await notePeer(db, { ...names, now: clock.nowSeconds(), certificateValid: true });
      needs.peerCalled(origin);
      return { token, expiresAt: claims.expiresAt, rateLimits: admission.limitsOf(standing) };
    },
  };
}

/** The nonce that the certificate's key signed for this server. Throws INVALID_CERTIFICATE. */
async function checkProof(needs: AuthenticationNeeds, origin: Domain, proof: Proof): Promise<string> {
  const bytes = decodeBase64(proof.serverCertificate);
  const chain = bytes === undefined ? "server_certificate is no base64" : readChain(bytes, needs.limits);
  if (typeof chain === "string") throw refused(chain);
  const problem = problemOfChain(chain, hostOf(origin), {
    trust: needs.settings.current().federation.certificate_validation ? needs.trust() : null,
    nowMillis: needs.clock.nowMillis(),
    limits: needs.limits,
  });
  if (problem !== undefined) throw refused(problem);
  const answer = await readAnswer(proof.challengeResponse, chain.leaf.publicKey);
  if (answer === undefined) throw refused("challenge_response is not signed by the certificate's key");
  if (answer.originServer.toLowerCase() !== origin) throw refused("challenge_response names another origin_server");
  if (answer.audience !== needs.domain) throw refused("challenge_response is for another server");
  if (!(await needs.nonces.isValid(answer.nonce, origin))) throw refused("the nonce is expired, or not one for you");
  return answer.nonce.toLowerCase();
}

function refused(reason: string): RelayError {
  return new RelayError("INVALID_CERTIFICATE", reason);
}
