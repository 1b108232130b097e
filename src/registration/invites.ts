import { createHash } from "node:crypto";
import { type PublicJwk, publicKeyFromRaw } from "../auth/ed25519-keys.js";
import { decodeJws, verifyJws } from "../auth/jws.js";
import type { Claims, Tokens } from "../auth/tokens.js";
import type { Database, Db } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import type { Random } from "../platform/random.js";
import { parseDomain } from "../protocol/address.js";
import { invalidMember, RelayError } from "../protocol/errors.js";
import { looksLikeHandle, newInviteHandle, parseInviteHandle } from "../protocol/invite-handle.js";
import type { RegistrationSettings } from "./config.js";
import {
  countInvites,
  countInviteUse,
  findInviteByHandle,
  insertInvite,
  lockInvite,
  readInvites,
  readRevokedAt,
  updateRevoked,
} from "./store.js";
import type { RegistrationGrant } from "./types.js";

/** The parameters of a new invite. */
export interface InviteRequest {
  maxUses: number;
  lifetimeSeconds: number;
  /** When it ends at the latest, in Unix seconds: the time that its creator named, to the second. */
  notAfter?: number | undefined;
  /** Canonical device id of the administrator. */
  createdBy: string;
  /** The domain where it can be redeemed; by default this server's. */
  audience?: string;
}

export interface CreatedInvite {
  code: string;
  /** Identifies the code at this server, and is short enough to be typed; null for an invite to another server. */
  handle: string | null;
  jti: string;
  maxUses: number;
  /** The domain where it can be redeemed. */
  domain: string;
  expiresAt: number;
  createdAt: number;
}

/** An invite as administrators see it. Its code and handle are not stored. */
export interface ListedInvite extends Omit<CreatedInvite, "code" | "handle"> {
  createdBy: string;
  revokedAt: number | null;
  /** The number of devices that registered here with it. */
  uses: number;
}

/** Invites: signed tokens that let devices register. Uses are counted per issuer and id (`jti`). */
export type Invites = ReturnType<typeof createInvites>;

/** Returns the keys that a server on the federation allowlist publishes, and no keys for any other server. */
export type AllowlistedKeys = (domain: string) => Promise<readonly PublicJwk[]>;

interface CheckedInvite {
  issuer: string;
  jti: string;
  maxUses: number;
  expiresAt: number;
}

/** How long an invite is valid, as its creator asks for it or as usual; undefined for a longer one, or none. */
export function inviteLifetime(
  askedSeconds: number | undefined,
  config: Pick<RegistrationSettings, "inviteMaxLifetimeSeconds" | "inviteUsualLifetimeSeconds">,
): number | undefined {
  const seconds = askedSeconds ?? config.inviteUsualLifetimeSeconds;
  return seconds > 0 && seconds <= config.inviteMaxLifetimeSeconds ? seconds : undefined;
}

/** Maximum number of characters of an invite's id, which is part of an index. */
const maxIdLength = 128;
const inviteType = "svc-invite+jwt";
const handleBytes = 19;

export function createInvites(deps: {
  db: Database;
  clock: Clock;
  random: Random;
  tokens: Pick<Tokens, "issue" | "verify">;
  domain: string;
  allowlistedKeys: AllowlistedKeys;
}) {
  const { clock, random, tokens, domain, allowlistedKeys } = deps;

  /** The handle is as good as the code, so the database stores only its hash. */
  const readByHandle = async (text: string, now: number): Promise<CheckedInvite | undefined> => {
    const handle = parseInviteHandle(text);
    if (handle === undefined) throw invalidMember("invite_code", "is a handle with a typing error");
    const found = await findInviteByHandle(deps.db, { handleHash: hashOf(handle), now });
    return found && { issuer: domain, jti: found.jti, maxUses: found.maxUses, expiresAt: found.expiresAt };
  };

  return {
    async create(db: Db, request: InviteRequest): Promise<CreatedInvite> {
      const { token, claims } = await tokens.issue("invite", {
        sub: request.createdBy,
        lifetimeSeconds: request.lifetimeSeconds,
        ...(request.notAfter !== undefined && { notAfter: request.notAfter }),
        audience: request.audience ?? domain,
        extra: { max_uses: request.maxUses },
      });
      const invite = {
        jti: claims.tokenId,
        maxUses: request.maxUses,
        expiresAt: claims.expiresAt,
        createdAt: claims.issuedAt,
        domain: claims.audience,
      };
      const handle = invite.domain === domain ? newInviteHandle(random.bytes(handleBytes)) : null;
      const handleHash = handle === null ? null : hashOf(handle);
      await insertInvite(db, { ...invite, handleHash, createdBy: request.createdBy });
      return { code: token, handle, ...invite };
    },
    /** Lists invites that have not expired, the newest first, and how many there are. */
    async list(db: Db, page: { limit: number; offset: number }): Promise<{ invites: ListedInvite[]; total: number }> {
      const now = clock.nowSeconds();
      const invites = await readInvites(db, { issuer: domain, now, ...page });
      return { invites, total: await countInvites(db, now) };
    },
    /** Revokes an invite. `now` is false if it was revoked before. Undefined if it has expired or does not exist. */
    async revoke(db: Db, jti: string): Promise<{ revokedAt: number; now: boolean } | undefined> {
      const now = clock.nowSeconds();
      if (await updateRevoked(db, jti, now)) return { revokedAt: now, now: true };
      const revokedAt = await readRevokedAt(db, jti, now);
      return typeof revokedAt === "number" ? { revokedAt, now: false } : undefined;
    },
    /**
     * Grants registration for an invite of this server, by its code or handle, or, if peers are trusted, of a peer. Throws
     * REGISTRATION_CLOSED, or INVALID_REQUEST for a handle with a typing error.
     */
    async admit(code: string, { trustPeers, now }: { trustPeers: boolean; now: number }): Promise<RegistrationGrant> {
      const own = looksLikeHandle(code) ? await readByHandle(code, now) : await readOwnInvite(tokens, code);
      const invite = own ?? (trustPeers ? await readPeerInvite({ code, domain, allowlistedKeys, now }) : undefined);
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

/** Reads an invite that this server signed; undefined for anything else, including malformed and expired invites. */
async function readOwnInvite(tokens: Pick<Tokens, "verify">, code: string): Promise<CheckedInvite | undefined> {
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

/** Reads an invite for this domain that a server on the allowlist signed; undefined for anything else. */
async function readPeerInvite(options: {
  code: string;
  domain: string;
  allowlistedKeys: AllowlistedKeys;
  now: number;
}): Promise<CheckedInvite | undefined> {
  const jws = decodeJws(options.code);
  if (jws === undefined || jws.header.typ !== inviteType) return undefined;
  const { iss, aud, jti, exp, max_uses } = jws.payload;
  if (!isDomain(iss) || iss === options.domain || aud !== options.domain || !isShortText(jti)) return undefined;
  if (!Number.isSafeInteger(exp) || (exp as number) <= options.now || !isCount(max_uses)) return undefined;
  const key = (await options.allowlistedKeys(iss)).find((published) => published.kid === jws.header.kid);
  if (key === undefined || !(await verifyJws(jws, publicKeyFromRaw(Buffer.from(key.x, "base64url"))))) return undefined;
  return { issuer: iss, jti, maxUses: max_uses, expiresAt: exp as number };
}

/** An invite of this server must be in the table, which a restored backup may lack, and must not be revoked. */
async function refuseRevoked(db: Db, jti: string): Promise<void> {
  const invite = await lockInvite(db, jti);
  if (invite === undefined || invite.revokedAt !== null) throw notTrusted();
}

/** Requires the canonical form, so that an issuer cannot be counted under several names. */
function isDomain(value: unknown): value is string {
  return typeof value === "string" && parseDomain(value, { privateAllowed: true }) === value;
}

function isShortText(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= maxIdLength;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= maxUsesCounted;
}

/** The largest value of the counter's column. */
const maxUsesCounted = 2_147_483_647;

function hashOf(handle: string): Uint8Array {
  return createHash("sha256").update(handle).digest();
}

function notTrusted(): RelayError {
  return new RelayError("REGISTRATION_CLOSED", "the invite is not accepted here");
}
