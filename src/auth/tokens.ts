import type { Clock } from "../node/clock.js";
import { type Awaitable, chain } from "../platform/concurrency/awaitable.js";
import { createLruCache } from "../platform/lru-cache.js";
import type { Random } from "../platform/random.js";
import { RelayError } from "../protocol/errors.js";
import type { AuthSettings } from "./config.js";
import { type DecodedJws, decodeJws, type JwsHeader, signJws, verifyJws } from "./jws.js";
import type { SigningKeys } from "./signing-keys.js";

/** The purpose of a token. Each kind has its own `typ`, so that no token is accepted as another kind. */
export type TokenKind = "device" | "admin" | "federation" | "invite";

/** The claims of a verified token. Times are Unix seconds. */
export interface Claims {
  kind: TokenKind;
  keyId: string;
  issuer: string;
  audience: string;
  subject: string;
  sessionId: string;
  tokenId: string;
  issuedAt: number;
  /** When the holder authenticated; a refresh keeps it. */
  authTime: number;
  expiresAt: number;
  /** Claims beyond the registered ones, as the issuer gave them. */
  extra: Readonly<Record<string, unknown>>;
}

interface TokenRequest {
  sub: string;
  lifetimeSeconds: number;
  /** The end of its session: the token never expires later. */
  notAfter?: number;
  /** The session to continue; without it a new one begins. */
  sid?: string;
  /** Defaults to now. */
  authTime?: number;
  /** Defaults to the kind's own audience. Invites name the domain that redeems them. */
  audience?: string;
  extra?: Readonly<Record<string, unknown>>;
}

export interface IssuedToken {
  token: string;
  claims: Claims;
}

export type Tokens = ReturnType<typeof createTokens>;

const types: Readonly<Record<TokenKind, string>> = {
  device: "svc-device+jwt",
  admin: "svc-admin+jwt",
  federation: "svc-federation+jwt",
  invite: "svc-invite+jwt",
};

const registered = new Set(["iss", "aud", "sub", "sid", "jti", "iat", "exp", "auth_time"]);

/**
 * Tokens are compact JWS by the server's own Ed25519 key (spec/decisions, "Tokens and keys"). Verified signatures are
 * cached, because checking one costs a hundred microseconds; expiry and the state of the key are checked every time.
 */
export function createTokens(deps: {
  signingKeys: Pick<SigningKeys, "signer" | "verifier">;
  clock: Clock;
  random: Random;
  domain: string;
  config: Pick<AuthSettings, "tokenCacheEntries" | "retiredKeySeconds">;
}) {
  const { signingKeys, clock, random, domain, config } = deps;
  const believed = createLruCache<string, Claims>(config.tokenCacheEntries);

  const believe = (token: string): Awaitable<Claims> => {
    const claims = believed.get(token);
    if (claims === undefined) return checkOnce(token);
    return chain(signingKeys.verifier(claims.keyId), (key) => {
      if (key !== undefined) return claims;
      believed.delete(token);
      throw invalidToken("the token's key is not in use");
    });
  };
  const checkOnce = async (token: string): Promise<Claims> => {
    const claims = await checkSignature(signingKeys, token);
    believed.set(token, claims);
    return claims;
  };

  return {
    /** Signs a token. Throws a RangeError for a lifetime that is longer than retired keys are kept. */
    async issue(kind: TokenKind, request: TokenRequest): Promise<IssuedToken> {
      if (!(request.lifetimeSeconds > 0 && request.lifetimeSeconds <= config.retiredKeySeconds)) {
        throw new RangeError("a token must expire before the key that signed it is forgotten");
      }
      const { kid, privateKey } = await signingKeys.signer();
      const claims = claimsFor(kind, request, { kid, domain, now: clock.nowSeconds(), random });
      const token = await signJws({ alg: "EdDSA", typ: types[kind], kid }, payloadOf(claims), privateKey);
      return { token, claims };
    },
    /**
     * Checks form, kind, key, signature, issuer, audience and times; throws INVALID_TOKEN. Whether the session is
     * still valid is not checked here (see sessions.ts).
     */
    verify: (kind: TokenKind, token: string): Awaitable<Claims> =>
      chain(believe(token), (claims) => accept(claims, { kind, domain, now: clock.nowSeconds() })),
  };
}

/** INVALID_TOKEN with the challenge that RFC 6750 asks for. The reason is shown to the caller. */
export function invalidToken(reason: string): RelayError {
  return new RelayError("INVALID_TOKEN", reason, { headers: { "WWW-Authenticate": 'Bearer error="invalid_token"' } });
}

async function checkSignature(signingKeys: Pick<SigningKeys, "verifier">, token: string): Promise<Claims> {
  const jws = decodeJws(token);
  const kind = jws && kindOf(jws.header);
  const claims = jws && kind && readClaims(kind, jws);
  if (jws === undefined || claims === undefined) throw invalidToken("the token is malformed");
  const key = await signingKeys.verifier(jws.header.kid);
  if (key === undefined) throw invalidToken("the token's key is not in use");
  if (!(await verifyJws(jws, key))) throw invalidToken("the token's signature is wrong");
  return claims;
}

function accept(claims: Claims, expected: { kind: TokenKind; domain: string; now: number }): Claims {
  if (claims.kind !== expected.kind) throw invalidToken("the token is of another kind");
  if (claims.issuer !== expected.domain) throw invalidToken("the token is from another server");
  const audience = expected.kind === "invite" ? expected.domain : expected.kind;
  if (claims.audience !== audience) throw invalidToken("the token is for another audience");
  if (expected.now >= claims.expiresAt) throw invalidToken("the token has expired");
  return claims;
}

function claimsFor(
  kind: TokenKind,
  request: TokenRequest,
  made: { kid: string; domain: string; now: number; random: Random },
): Claims {
  return {
    kind,
    keyId: made.kid,
    issuer: made.domain,
    audience: request.audience ?? (kind === "invite" ? made.domain : kind),
    subject: request.sub,
    sessionId: request.sid ?? made.random.uuid(),
    tokenId: made.random.uuid(),
    issuedAt: made.now,
    authTime: request.authTime ?? made.now,
    expiresAt: Math.min(made.now + request.lifetimeSeconds, request.notAfter ?? Number.POSITIVE_INFINITY),
    extra: request.extra ?? {},
  };
}

function payloadOf(claims: Claims): Record<string, unknown> {
  return {
    ...claims.extra,
    iss: claims.issuer,
    aud: claims.audience,
    sub: claims.subject,
    sid: claims.sessionId,
    jti: claims.tokenId,
    iat: claims.issuedAt,
    auth_time: claims.authTime,
    exp: claims.expiresAt,
  };
}

function kindOf(header: JwsHeader): TokenKind | undefined {
  return (Object.keys(types) as TokenKind[]).find((kind) => types[kind] === header.typ);
}

function readClaims(kind: TokenKind, jws: DecodedJws): Claims | undefined {
  const { iss, aud, sub, sid, jti, iat, exp, auth_time } = jws.payload;
  const texts = [iss, aud, sub, sid, jti];
  const times = [iat, exp, auth_time];
  if (!texts.every((value) => typeof value === "string") || !times.every(Number.isSafeInteger)) return undefined;
  return {
    kind,
    keyId: jws.header.kid,
    issuer: iss as string,
    audience: aud as string,
    subject: sub as string,
    sessionId: sid as string,
    tokenId: jti as string,
    issuedAt: iat as number,
    authTime: auth_time as number,
    expiresAt: exp as number,
    extra: Object.fromEntries(Object.entries(jws.payload).filter(([name]) => !registered.has(name))),
  };
}
