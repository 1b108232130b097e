import type { AuditService } from "../audit/service.js";
import { verifySignature } from "../auth/signature-check.js";
import type { Claims, IssuedToken } from "../auth/tokens.js";
import type { Database, Transaction } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import { RelayError } from "../protocol/errors.js";
import { checkAudience, signedTextDetail } from "../protocol/signed-request.js";
import { adminChallengeText } from "../protocol/signed-text.js";
import { checkTimestamp, type TimestampWindow } from "../protocol/timestamp-window.js";
import { auditedBy, type Caller } from "./actor.js";
import { type AdminLevel, adminLevel } from "./admin-level.js";
import type { AdminList } from "./admin-list.js";
import type { AdminChallenges, OpenChallenge } from "./challenges.js";
import type { ConsoleLinks } from "./links.js";
import type { Permission } from "./permissions.js";
import { insertSession, type LoginMethod } from "./session-store.js";
import { type Admin, insertUsedChallenge, isChallengeUsed } from "./store.js";

interface LoginRequest {
  deviceId: string;
  challenge: string;
  signature: string;
  timestamp: number;
  audience?: string | undefined;
  ip: string;
  userAgent: string | null;
}

/** A token of a session. `expiresAt` is in Unix seconds. */
export interface SessionToken {
  token: string;
  expiresAt: number;
}

interface AdminLogin extends SessionToken {
  permissions: readonly Permission[];
  level: AdminLevel;
}

export interface LoginDeps {
  db: Database;
  clock: Clock;
  domain: string;
  audit: Pick<AuditService, "record">;
  list: Pick<AdminList, "find" | "findAfresh">;
  challenges: AdminChallenges;
  links: Pick<ConsoleLinks, "redeem">;
  /** Issues the first token of a session. */
  issueFirst(admin: Admin): Promise<IssuedToken>;
  config: TimestampWindow;
}

/**
 * A login is checked in the order of the contract: challenge, administrator with signature, timestamp. Anybody may try, so
 * neither the answer nor its time tells whether a device is on the list. The transaction that records the login uses up the
 * challenge, so two logins with one challenge cannot both succeed, and only its signer can use it up.
 */
export function createLogin(deps: LoginDeps) {
  const { db, clock, domain, list, challenges, links, issueFirst, config } = deps;
  return {
    challenge: (): Promise<{ challenge: string; expiresAt: number }> => challenges.issue(),
    /** Opens a session. Throws CHALLENGE_EXPIRED, INVALID_ADMIN, or INVALID_REQUEST for audience or timestamp. */
    async login(request: LoginRequest): Promise<AdminLogin> {
      const now = clock.nowSeconds();
      checkAudience(request.audience, domain);
      const open = await checkChallenge(deps, request);
      const admin = checkSignature(await list.findAfresh(request.deviceId), request);
      checkTimestamp(request.timestamp, now, config);
      const issued = await issueFirst(admin);
      await db.transaction(async (trx) => {
        if (!(await insertUsedChallenge(trx, open))) throw challengeUsed();
        await recordLogin(deps, trx, { admin, claims: issued.claims, method: "key", from: request });
      });
      return loginOf(admin, issued);
    },
    /** Opens a session with the code of a link. Throws CHALLENGE_EXPIRED, or INVALID_ADMIN if its holder is not on the list. */
    async loginWithLink(code: string, from: Caller): Promise<AdminLogin & { deviceId: string }> {
      // The transaction commits in either case, so the code is used up even if its holder is no longer on the list.
      const login = await db.transaction(async (trx) => {
        const admin = await list.find(await links.redeem(trx, code));
        if (admin === undefined) return undefined;
        const issued = await issueFirst(admin);
        await recordLogin(deps, trx, { admin, claims: issued.claims, method: "link", from });
        return { ...loginOf(admin, issued), deviceId: admin.deviceId };
      });
      if (login === undefined) throw notListed();
      return login;
    },
  };
}

async function checkChallenge(
  { db, challenges }: Pick<LoginDeps, "db" | "challenges">,
  { challenge }: LoginRequest,
): Promise<OpenChallenge> {
  const open = await challenges.open(challenge);
  if (open === undefined) throw new RelayError("CHALLENGE_EXPIRED", "the challenge has expired or is unknown");
  if (await isChallengeUsed(db, open.challenge)) throw challengeUsed();
  return open;
}

/** The base point of the curve: an acceptable key, by which the signature of an unknown device is checked in the usual time. */
const nobodysKey = Buffer.from(`58${"66".repeat(31)}`, "hex");

function checkSignature(admin: Admin | undefined, request: LoginRequest): Admin {
  const key = admin?.publicKey ?? nobodysKey;
  const isSigned = verifySignature(key, adminChallengeText(request), request.signature);
  if (admin !== undefined && isSigned) return admin;
  throw new RelayError("INVALID_ADMIN", "the device is not on the admin list, or its key has not signed this", {
    extras: { details: [signedTextDetail("adminChallenge", "challenge_signature")] },
  });
}

/** Records that a session began, in the audit log and in the list of sessions. */
async function recordLogin(
  { audit }: Pick<LoginDeps, "audit">,
  trx: Transaction,
  login: { admin: Admin; claims: Claims; method: LoginMethod; from: Caller },
): Promise<void> {
  const { admin, claims, method, from } = login;
  const { deviceId, permissions } = admin;
  const by = auditedBy({ deviceId, ip: from.ip, userAgent: from.userAgent });
  const { sessionId, authTime: beganAt, issuedAt: renewedAt, expiresAt } = claims;
  const { ipAddress, userAgent } = by;
  await insertSession(trx, { sessionId, deviceId, method, beganAt, renewedAt, expiresAt, ipAddress, userAgent });
  const details = { permissions: [...permissions], ...(method === "link" && { method }) };
  await audit.record(trx, { ...by, action: "admin_login", target: deviceId, details });
}

function loginOf({ permissions }: Admin, { token, claims }: IssuedToken): AdminLogin {
  return { token, expiresAt: claims.expiresAt, permissions, level: adminLevel(permissions) };
}

function challengeUsed(): RelayError {
  return new RelayError("CHALLENGE_EXPIRED", "challenge already used");
}

function notListed(): RelayError {
  return new RelayError("INVALID_ADMIN", "the device is not on the admin list");
}
