import { type PublicJwk, publicKeyFromRaw } from "../platform/auth/ed25519-keys.js";
import { decodeJws, verifyJws } from "../platform/auth/jws.js";
import type { Claims, Tokens } from "../platform/auth/tokens.js";
import type { Clock } from "../platform/cluster/clock.js";
import type { Db } from "../platform/database/connection.js";
import { parseDomain } from "../protocol/address.js";
import { RelayError } from "../protocol/errors.js";
import {
  countInvites,
  countInviteUse,
  insertInvite,
  lockInvite,
  readInvites,
  readRevokedAt,
  updateRevoked,
} from "./store.js";
import type { Admission } from "./types.js";

/** What an administrator asks of a new invite. */
export interface InviteRequest {
  maxUses: number;
  lifetimeSeconds: number;
  /** Canonical device id of the administrator. */
  createdBy: string;
  /** The domain where it can be redeemed, this server's without it. */
  audience?: string;
}

export interface CreatedInvite {
  code: string;
  jti: string;
  maxUses: number;
  /** Where it can be used. */
  domain: string;
  expiresAt: number;
  createdAt: number;
}

/** An invite as administrators see it. Its code is not kept. */
export interface ListedInvite extends Omit<CreatedInvite, "code"> {
  createdBy: string;
  revokedAt: number | null;
  /** Devices that have registered with it here. */
  uses: number;
}

/** Invites: signed tokens that let a device in, counted per issuer and id (`jti`). */
export interface Invites {
  create(db: Db, request: InviteRequest): Promise<CreatedInvite>;
  /** Invites that have not expired, the youngest first, and how many there are. */
  list(db: Db, page: { limit: number; offset: number }): Promise<{ invites: ListedInvite[]; total: number }>;
  /** Revokes an invite, once; undefined if there is none of that id that has not expired. */
  revoke(db: Db, jti: string): Promise<{ revokedAt: number; now: boolean } | undefined>;
  /** Admits for an invite of this server or, where peers are trusted, of one of them. Throws REGISTRATION_CLOSED. */
  admit(code: string, options: { trustPeers: boolean; now: number }): Promise<Admission>;
}

/** The keys that a server on the federation allowlist publishes; none for every other server. */
export type AllowlistedKeys = (domain: string) => Promise<readonly PublicJwk[]>;

interface CheckedInvite {
  issuer: string;
  jti: string;
  maxUses: number;
  expiresAt: number;
}

/** Characters of an invite's id: it is part of an index. */
const longestId = 128;
const inviteType = "svc-invite+jwt";

export function createInvites(deps: {
  clock: Clock;
  tokens: Pick<Tokens, "issue" | "verify">;
  domain: string;
  allowlistedKeys: AllowlistedKeys;
}): Invites {
  const { clock, tokens, domain, allowlistedKeys } = deps;

  return {
    async create(db, request) {
      const { token, claims } = await tokens.issue("invite", {
        sub: request.createdBy,
        lifetimeSeconds: request.lifetimeSeconds,
        audience: request.audience ?? domain,
        extra: { max_uses: request.maxUses },
      });
      const invite = {
        jti: claims.tokenId,
        maxUses: request.maxUses,
        expiresAt: claims.expiresAt,
        createdAt: clock.nowSeconds(),
        domain: claims.audience,
      };
      await insertInvite(db, { ...invite, createdBy: request.createdBy });
      return { code: token, ...invite };
    },
    async list(db, page) {
      const now = clock.nowSeconds();
      const invites = await readInvites(db, { issuer: domain, now, ...page });
      return { invites, total: await countInvites(db, now) };
    },
    async revoke(db, jti) {
      const now = clock.nowSeconds();
      if (await updateRevoked(db, jti, now)) return { revokedAt: now, now: true };
      const revokedAt = await readRevokedAt(db, jti, now);
      return typeof revokedAt === "number" ? { revokedAt, now: false } : undefined;
    },
    async admit(code, { trustPeers, now }) {
      const own = await readOwn(tokens, code);
      const invite = own ?? (trustPeers ? await readPeers({ code, domain, allowlistedKeys, now }) : undefined);
      if (invite === undefined) throw notTrusted();
      return {
        lostByBadSignature: false,
        async use(db) {
          if (own !== undefined) await refuseRevoked(db, own.jti);
          if (!(await countInviteUse(db, invite))) throw new RelayError("REGISTRATION_CLOSED", "the invite is used up");
        },
      };
    },
  };
}

/** An invite signed here; undefined for anything else, malformed and expired ones included. */
async function readOwn(tokens: Pick<Tokens, "verify">, code: string): Promise<CheckedInvite | undefined> {
  try {
    return readClaims(await tokens.verify("invite", code));
  } catch (error) {
    if (error instanceof RelayError && error.id === "INVALID_TOKEN") return undefined;
    throw error;
  }
}

function readClaims(claims: Claims): CheckedInvite | undefined {
  const maxUses = claims.extra["max_uses"];
  if (!isCount(maxUses)) return undefined;
  return { issuer: claims.issuer, jti: claims.tokenId, maxUses, expiresAt: claims.expiresAt };
}

/** An invite signed by a server on the allowlist, for this domain; undefined for anything else. */
async function readPeers(given: {
  code: string;
  domain: string;
  allowlistedKeys: AllowlistedKeys;
  now: number;
}): Promise<CheckedInvite | undefined> {
  const jws = decodeJws(given.code);
  if (jws === undefined || jws.header.typ !== inviteType) return undefined;
  const { iss, aud, jti, exp, max_uses } = jws.payload;
  if (!isDomain(iss) || iss === given.domain || aud !== given.domain || !isShortText(jti)) return undefined;
  if (!Number.isSafeInteger(exp) || (exp as number) <= given.now || !isCount(max_uses)) return undefined;
  const key = (await given.allowlistedKeys(iss)).find((published) => published.kid === jws.header.kid);
  if (key === undefined || !(await verifyJws(jws, publicKeyFromRaw(Buffer.from(key.x, "base64url"))))) return undefined;
  return { issuer: iss, jti, maxUses: max_uses, expiresAt: exp as number };
}

/** An invite made here must still be in the table, which a restored backup may have emptied, and not be revoked. */
async function refuseRevoked(db: Db, jti: string): Promise<void> {
  const invite = await lockInvite(db, jti);
  if (invite === undefined || invite.revokedAt !== null) throw notTrusted();
}

/** A domain in canonical form, so that one issuer cannot be counted under several names. */
function isDomain(value: unknown): value is string {
  return typeof value === "string" && parseDomain(value, { privateAllowed: true }) === value;
}

function isShortText(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= longestId;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= maxUsesCounted;
}

/** What the counter's column can hold. */
const maxUsesCounted = 2_147_483_647;

function notTrusted(): RelayError {
  return new RelayError("REGISTRATION_CLOSED", "the invite is not accepted here");
}
