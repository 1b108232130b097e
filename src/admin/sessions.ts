import type { Principals } from "../../generated/handlers.js";
import type { AuditService } from "../audit/service.js";
import type { AuthSettings } from "../auth/config.js";
import type { Sessions } from "../auth/sessions.js";
import { verifySignature } from "../auth/signature-check.js";
import { type Claims, type IssuedToken, invalidToken, type Tokens } from "../auth/tokens.js";
import { type Database, inTransaction, type Transaction } from "../database/connection.js";
import type { Clock } from "../node/clock.js";
import { RelayError } from "../protocol/errors.js";
import { checkAudience, checkTimestamp, invalidSignature, type TimestampWindow } from "../protocol/signed-request.js";
import { adminChallengeText } from "../protocol/signed-text.js";
import { auditedBy, type Caller } from "./actor.js";
import type { AdminList } from "./admin-list.js";
import type { AdminChallenges, OpenChallenge } from "./challenges.js";
import type { ConsoleLinks } from "./links.js";
import { type AdminLevel, adminLevel, type Permission } from "./permissions.js";
import { createSessionList, type SessionList } from "./session-list.js";
import { deleteSession, insertSession, type LoginMethod, updateSessionExpiry } from "./session-store.js";
import type { Admin } from "./store.js";
import { insertUsedChallenge, isChallengeUsed } from "./store.js";

type AdminPrincipal = Principals["admin"];

interface LoginRequest {
  deviceId: string;
  challenge: string;
  signature: string;
  timestamp: number;
  audience?: string | undefined;
  ip: string;
  userAgent: string | null;
}

interface AdminSession {
  token: string;
  expiresAt: number;
}

interface AdminLogin extends AdminSession {
  permissions: readonly Permission[];
  level: AdminLevel;
}

/** The sessions of administrators (specification, "Authentication"). */
export interface AdminSessions extends SessionList {
  challenge(): Promise<{ challenge: string; expiresAt: number }>;
  /** Opens a session. Throws INVALID_ADMIN, CHALLENGE_EXPIRED, INVALID_SIGNATURE, or INVALID_REQUEST for audience or timestamp. */
  login(request: LoginRequest): Promise<AdminLogin>;
  /** Opens a session with the code of a link. Throws CHALLENGE_EXPIRED, or INVALID_ADMIN if its holder is not on the list. */
  loginWithLink(code: string, from: Caller): Promise<AdminLogin & { deviceId: string }>;
  /** Issues a new token of the same session. Throws INVALID_TOKEN if the session is too old. */
  refresh(principal: AdminPrincipal): Promise<AdminSession>;
  /** Voids every token of the session, within a second on every node. */
  logout(principal: AdminPrincipal, from: Caller): Promise<void>;
  /** The holder of an admin token, with the current permissions. Throws INVALID_TOKEN. */
  authenticate(token: string): Promise<AdminPrincipal>;
}

export interface AdminSessionsDeps {
  db: Database;
  clock: Clock;
  domain: string;
  tokens: Tokens;
  sessions: Pick<Sessions, "stands" | "revoke">;
  audit: Pick<AuditService, "record">;
  list: Pick<AdminList, "find">;
  challenges: AdminChallenges;
  links: Pick<ConsoleLinks, "redeem">;
  config: TimestampWindow & Pick<AuthSettings, "adminTokenSeconds" | "adminSessionSeconds">;
}

/**
 * A login is checked in the order of the contract: list, challenge, signature, timestamp. The transaction that records the
 * login uses the challenge up. So two logins with one challenge cannot both succeed, and only its signer can use it up.
 */
export function createAdminSessions(deps: AdminSessionsDeps): AdminSessions {
  const { clock, tokens, sessions, audit, list, challenges, config } = deps;
  const issueFirst = ({ deviceId: sub }: Admin): Promise<IssuedToken> => {
    const lifetimeSeconds = Math.min(config.adminTokenSeconds, config.adminSessionSeconds);
    return tokens.issue("admin", { sub, lifetimeSeconds });
  };

  return {
    ...createSessionList(deps),
    challenge: () => challenges.issue(),
    async login(request) {
      const now = clock.nowSeconds();
      checkAudience(request.audience, deps.domain);
      const admin = await list.find(request.deviceId);
      if (admin === undefined) throw new RelayError("INVALID_ADMIN", "the device is not on the admin list");
      const open = await checkChallenge(deps, request);
      checkSignature(admin, request);
      checkTimestamp(request.timestamp, now, config);
      const issued = await issueFirst(admin);
      await inTransaction(deps.db, async (trx) => {
        if (!(await insertUsedChallenge(trx, open))) throw challengeUsed();
        await recordLogin(deps, trx, { admin, claims: issued.claims, method: "key", from: request });
      });
      return loginOf(admin, issued);
    },
    loginWithLink: createLinkLogin(deps, issueFirst),
    async refresh({ deviceId, sessionId, authTime }) {
      const notAfter = authTime + config.adminSessionSeconds;
      if (notAfter <= clock.nowSeconds()) throw invalidToken("the session is too old to be refreshed; log in again");
      const { token, claims } = await tokens.issue("admin", {
        sub: deviceId,
        sid: sessionId,
        authTime,
        lifetimeSeconds: config.adminTokenSeconds,
        notAfter,
      });
      const { expiresAt } = claims;
      await updateSessionExpiry(deps.db, { sessionId, renewedAt: clock.nowSeconds(), expiresAt });
      return { token, expiresAt };
    },
    async logout({ deviceId, sessionId }, from) {
      const entry = {
        ...auditedBy({ deviceId, ...from }),
        action: "admin_logout" as const,
        target: deviceId,
        details: {},
      };
      await sessions.revoke(sessionId, async (trx) => {
        await deleteSession(trx, { sessionId, deviceId });
        await audit.record(trx, entry);
      });
    },
    async authenticate(token) {
      const claims = await tokens.verify("admin", token);
      if (!(await sessions.stands(claims))) throw invalidToken("the session was ended");
      const admin = await list.find(claims.subject);
      // An administrator who was removed and added again has to log in again.
      if (admin === undefined || claims.authTime < admin.addedAt)
        throw invalidToken("the device is no longer an administrator");
      const { subject: deviceId, sessionId, authTime, expiresAt } = claims;
      return { deviceId, sessionId, authTime, expiresAt, permissions: admin.permissions };
    },
  };
}

type IssueFirst = (admin: Admin) => Promise<IssuedToken>;

/** The code is used up even where its holder is no longer on the list. */
function createLinkLogin(deps: AdminSessionsDeps, issueFirst: IssueFirst): AdminSessions["loginWithLink"] {
  return async (code, from) => {
    const login = await inTransaction(deps.db, async (trx) => {
      const admin = await deps.list.find(await deps.links.redeem(trx, code));
      if (admin === undefined) return undefined;
      const issued = await issueFirst(admin);
      await recordLogin(deps, trx, { admin, claims: issued.claims, method: "link", from });
      return { ...loginOf(admin, issued), deviceId: admin.deviceId };
    });
    if (login === undefined) throw new RelayError("INVALID_ADMIN", "the device is not on the admin list");
    return login;
  };
}

async function checkChallenge(
  { db, challenges }: Pick<AdminSessionsDeps, "db" | "challenges">,
  { challenge }: LoginRequest,
): Promise<OpenChallenge> {
  const open = await challenges.open(challenge);
  if (open === undefined) throw new RelayError("CHALLENGE_EXPIRED", "the challenge has expired or is unknown");
  if (await isChallengeUsed(db, open.challenge)) throw challengeUsed();
  return open;
}

function checkSignature({ publicKey }: Admin, request: LoginRequest): void {
  if (verifySignature(publicKey, adminChallengeText(request), request.signature)) return;
  throw invalidSignature("adminChallenge", "challenge_signature");
}

/** Records that a session began, in the audit log and in the list of sessions. */
async function recordLogin(
  { audit }: Pick<AdminSessionsDeps, "audit">,
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
