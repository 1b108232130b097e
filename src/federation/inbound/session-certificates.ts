import { createHash } from "node:crypto";
import type { Knex } from "knex";
import { LRUCache } from "lru-cache";
import { invalidToken } from "../../platform/auth/tokens.js";
import type { Clock } from "../../platform/cluster/clock.js";
import type { Awaitable } from "../../platform/concurrency/awaitable.js";
import { type Domain, hostOf } from "../../protocol/address.js";
import type { SettingsService } from "../../settings/service.js";
import type { AcceptedCertificate, CertificateChecks } from "../peers/certificate-checks.js";
import type { Trust } from "../peers/trust-store.js";
import { insertSessionChain, readSessionChain } from "./store.js";

/**
 * A peer's token is worth no more than the certificate it was given for. What that was is kept while the token lives, and
 * decided again, on every node by its own files, when authorities, revocation lists or the policy change, and when
 * something runs out.
 */
export interface SessionCertificates {
  /** Keeps what is needed to decide again. Answers the claims to put into the token. */
  keep(accepted: AcceptedCertificate, expiresAt: number): Promise<Readonly<Record<string, unknown>>>;
  /** Throws INVALID_TOKEN where the token would not be given any more. At once where nothing has changed. */
  check(token: { domain: Domain; claims: Readonly<Record<string, unknown>> }): Awaitable<void>;
}

/** In the claim instead of a certificate's id: given while authorities were not asked for. */
const unvalidated = "unvalidated";
const mostDecisions = 10_000;
const refusalHoldsMillis = 1_000;

interface Decision {
  /** What it was decided by: files that change make another one. */
  trust: Trust;
  goodUntil: number;
  problem: Promise<string | undefined> | string | undefined;
}

export function createSessionCertificates(deps: {
  db: Knex;
  clock: Clock;
  settings: Pick<SettingsService, "current">;
  trust: () => Trust;
  certificateChecks: CertificateChecks;
}): SessionCertificates {
  const { db, clock, settings } = deps;
  const decisions = new LRUCache<string, Decision>({ max: mostDecisions });

  const decide = async (id: string, host: string, decision: Decision): Promise<string | undefined> => {
    const chain = await readSessionChain(db, id);
    if (chain === undefined) return "it is not known any more";
    const wanted = { host, trust: decision.trust, nowMillis: clock.nowMillis() };
    const checked = await deps.certificateChecks.check(chain, wanted);
    decision.goodUntil =
      typeof checked === "string" ? clock.nowMillis() + refusalHoldsMillis : (checked.path?.goodUntil ?? 0);
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
      // Tokens of releases that did not say so yet end by themselves within their hour.
      if (!settings.current().federation.certificate_validation || typeof certificate !== "string") return;
      if (certificate === unvalidated) throw voided("authorities were not asked for when it was given");
      const problem = problemOf(certificate, hostOf(domain));
      return problem instanceof Promise ? problem.then(refuse) : refuse(problem);
    },
  };
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw voided(problem);
}

function voided(problem: string): Error {
  return invalidToken(`the certificate that the token was given for is not accepted any more: ${problem}`);
}
