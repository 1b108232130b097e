import { createHash } from "node:crypto";
import { invalidToken } from "../../auth/tokens.js";
import type { AcceptedCertificate, CertificateChecks } from "../../certificates/certificate-checks.js";
import type { Trust } from "../../certificates/trust-store.js";
import type { Database } from "../../database/db.js";
import type { Clock } from "../../node/clock.js";
import type { Awaitable } from "../../platform/concurrency/awaitable.js";
import { createLruCache } from "../../platform/lru-cache.js";
import { type Domain, hostOf } from "../../protocol/address.js";
import type { SettingsService } from "../../settings/service.js";
import { insertSessionChain, readSessionChain } from "./store.js";

/**
 * A peer's token is valid only as long as the certificate it was issued for is accepted. The certificate's chain is stored
 * while the token lives. Every node checks it again, against its own files, when authorities, revocation lists or the
 * policy change, and when a certificate or list expires.
 */
export interface SessionCertificates {
  /** Stores the chain for later checks. Returns the claims to put into the token. */
  keep(accepted: AcceptedCertificate, expiresAt: number): Promise<Readonly<Record<string, unknown>>>;
  /** Throws INVALID_TOKEN if the certificate is no longer accepted. Synchronous if nothing has changed. */
  check(token: { domain: Domain; claims: Readonly<Record<string, unknown>> }): Awaitable<void>;
}

/** The claim, instead of a certificate's id, of tokens issued while certificate validation was off. */
const unvalidated = "unvalidated";
const maxDecisions = 10_000;
const refusalCacheMillis = 1_000;

interface Decision {
  /** The files on which the decision was based. Changed files make a new object. */
  trust: Trust;
  goodUntil: number;
  problem: Promise<string | undefined> | string | undefined;
}

export function createSessionCertificates(deps: {
  db: Database;
  clock: Clock;
  settings: Pick<SettingsService, "current">;
  trust: () => Trust;
  certificateChecks: CertificateChecks;
}): SessionCertificates {
  const { db, clock, settings } = deps;
  const decisions = createLruCache<string, Decision>(maxDecisions);

  const decide = async (id: string, host: string, decision: Decision): Promise<string | undefined> => {
    const chain = await readSessionChain(db, id);
    if (chain === undefined) return "it is no longer stored";
    const wanted = { host, trust: decision.trust, nowMillis: clock.nowMillis() };
    const checked = await deps.certificateChecks.check(chain, wanted);
    decision.goodUntil =
      typeof checked === "string" ? clock.nowMillis() + refusalCacheMillis : (checked.path?.goodUntil ?? 0);
    return typeof checked === "string" ? checked : undefined;
  };
  const problemOf = (id: string, host: string): Decision["problem"] => {
    const key = `${id} ${host}`;
    const known = decisions.get(key);
    if (known?.trust === deps.trust() && clock.nowMillis() < known.goodUntil) return known.problem;
    const decision: Decision = { trust: deps.trust(), goodUntil: Number.POSITIVE_INFINITY, problem: undefined };
    const deciding = decide(id, host, decision);
    decision.problem = deciding;
    decisions.set(key, decision);
    deciding.then(
      (problem) => (decision.problem = problem),
      () => decisions.get(key) === decision && decisions.delete(key),
    );
    return deciding;
  };

  return {
    async keep({ path }, expiresAt) {
      if (path === null) return { certificate: unvalidated };
      const chain = Buffer.concat(path.certificates.slice(0, -1).map(({ raw }) => raw));
      const id = createHash("sha256").update(chain).digest("hex");
      await insertSessionChain(db, { id, chain, expiresAt });
      return { certificate: id };
    },
    check({ domain, claims: { certificate } }) {
      if (!settings.current().federation.certificate_validation) return;
      if (typeof certificate !== "string" || certificate === unvalidated) {
        throw voided("it was accepted while certificate validation was off");
      }
      const problem = problemOf(certificate, hostOf(domain));
      return problem instanceof Promise ? problem.then(refuse) : refuse(problem);
    },
  };
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw voided(problem);
}

function voided(problem: string): Error {
  return invalidToken(`the certificate that the token was issued for is no longer accepted: ${problem}`);
}
