import { generateKeyPairSync, sign } from "node:crypto";
import { decodeJwt, decodeProtectedHeader, importJWK, jwtVerify, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSigningKeys, type SigningKeys } from "../../src/auth/signing-keys.js";
import { type Claims, createTokens, type TokenKind, type Tokens } from "../../src/auth/tokens.js";
import { expectDuring, timed } from "../support/during.js";
import { createTrustFixture, type TrustFixture } from "../support/trust.js";

const domain = "relay.example";
const refused = { id: "INVALID_TOKEN", status: 401 };
let fixture: TrustFixture;
let signingKeys: SigningKeys;
let tokens: Tokens;

beforeAll(async () => {
  fixture = await createTrustFixture();
  signingKeys = createSigningKeys(fixture);
  await signingKeys.start();
  tokens = createTokens({ ...fixture, signingKeys, domain });
});
afterAll(async () => {
  await signingKeys.stop();
  await fixture.database.drop();
});

const issueDevice = async (): Promise<string> =>
  (await tokens.issue("device", { sub: "d1", lifetimeSeconds: 3600 })).token;

/** What is at hand is answered, and refused, without a promise. */
const verify = async (kind: TokenKind, token: string): Promise<Claims> => tokens.verify(kind, token);

/** A token whose header and payload are chosen by the test, signed by the server's own key. */
async function forge(header: object, payload: object): Promise<string> {
  const { privateKey } = await signingKeys.signer();
  const text = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString("base64url")}`;
}

describe("issuing", () => {
  test("a token has the claims of the contract, and other libraries accept it", async () => {
    const issuing = await timed(fixture.clock, () =>
      tokens.issue("device", { sub: "d1", lifetimeSeconds: 3600, extra: { level: 3 } }),
    );
    const { token, claims } = issuing.result;
    const { kid } = await signingKeys.signer();
    expect(decodeProtectedHeader(token)).toEqual({ alg: "EdDSA", typ: "svc-device+jwt", kid });
    expect(decodeJwt(token)).toMatchObject({
      iss: domain,
      aud: "device",
      sub: "d1",
      sid: claims.sessionId,
      jti: claims.tokenId,
      level: 3,
    });
    expectDuring(claims.issuedAt, issuing);
    expect(claims).toMatchObject({ authTime: claims.issuedAt, expiresAt: claims.issuedAt + 3600 });
    const [jwk] = await signingKeys.published();
    await jwtVerify(token, await importJWK({ ...jwk }), { issuer: domain, audience: "device", typ: "svc-device+jwt" });
  });

  test("a refreshed token keeps session and time of authentication, and has an id of its own", async () => {
    const first = (await tokens.issue("device", { sub: "d1", lifetimeSeconds: 60 })).claims;
    const { sessionId: sid, authTime } = first;
    const second = (await tokens.issue("device", { sub: "d1", lifetimeSeconds: 60, sid, authTime })).claims;
    expect(second).toMatchObject({ sessionId: sid, authTime });
    expect(second.tokenId).not.toBe(first.tokenId);
  });

  test("no token outlives the key that signed it", async () => {
    const lifetimeSeconds = fixture.config.retiredKeySeconds + 1;
    await expect(tokens.issue("invite", { sub: "x", lifetimeSeconds })).rejects.toThrow(RangeError);
    await expect(tokens.issue("device", { sub: "x", lifetimeSeconds: 0 })).rejects.toThrow(RangeError);
  });
});

describe("verifying", () => {
  test("returns the issued claims, the first time and from the cache", async () => {
    const issued = await tokens.issue("device", { sub: "d1", lifetimeSeconds: 3600, extra: { level: 3 } });
    expect(await verify("device", issued.token)).toEqual(issued.claims);
    expect(await verify("device", issued.token)).toEqual(issued.claims);
  });

  test("a token of one kind is not accepted as another", async () => {
    const kinds: TokenKind[] = ["device", "admin", "federation", "invite"];
    for (const made of kinds) {
      const { token } = await tokens.issue(made, { sub: "x", lifetimeSeconds: 60 });
      for (const asked of kinds) {
        const answer = verify(asked, token);
        if (made === asked) await expect(answer).resolves.toMatchObject({ kind: made });
        else await expect(answer).rejects.toMatchObject(refused);
      }
    }
  });

  test("an expired token is refused, even if the cache has just accepted it", async () => {
    const { token } = await tokens.issue("device", { sub: "d1", lifetimeSeconds: 100 });
    await verify("device", token);
    fixture.clock.advance(98);
    await verify("device", token);
    fixture.clock.advance(3);
    await expect(verify("device", token)).rejects.toMatchObject(refused);
  });

  test("a token of a revoked key is refused, even if the cache has just accepted it", async () => {
    const token = await issueDevice();
    await verify("device", token);
    await signingKeys.revoke((await signingKeys.signer()).kid);
    await expect(verify("device", token)).rejects.toMatchObject(refused);
  });

  test("a token of a rotated-out key is accepted until it expires", async () => {
    const token = await issueDevice();
    await signingKeys.rotate();
    await expect(verify("device", token)).resolves.toMatchObject({ subject: "d1" });
  });

  test("a refusal names the scheme to authenticate with and shows nothing of the token", async () => {
    const error = await verify("device", "a.b.c").catch((reason: unknown) => reason);
    expect(error).toMatchObject({ ...refused, headers: { "WWW-Authenticate": expect.stringMatching(/^Bearer/) } });
  });
});

describe("forgeries", () => {
  test("anything but a token of this server is refused", async () => {
    const token = await issueDevice();
    const [head = "", body = "", tail = ""] = token.split(".");
    const { kid } = await signingKeys.signer();
    const header = { alg: "EdDSA", typ: "svc-device+jwt", kid };
    const payload = decodeJwt(token);
    const stranger = generateKeyPairSync("ed25519").privateKey;
    const otherBody = Buffer.from(JSON.stringify({ ...payload, sub: "d2" })).toString("base64url");
    const forgeries = {
      empty: "",
      "two parts": `${head}.${body}`,
      "four parts": `${token}.${tail}`,
      padded: `${head}.${body}.${tail}==`,
      "another subject": `${head}.${otherBody}.${tail}`,
      "no signature": `${head}.${body}.`,
      "zero signature": `${head}.${body}.${Buffer.alloc(64).toString("base64url")}`,
      "alg none": `${Buffer.from(JSON.stringify({ ...header, alg: "none" })).toString("base64url")}.${body}.${tail}`,
      "a symmetric algorithm": await new SignJWT(payload)
        .setProtectedHeader({ ...header, alg: "HS256" })
        .sign(Buffer.from((await signingKeys.published())[0]?.x ?? "", "base64url")),
      "another key": await new SignJWT(payload).setProtectedHeader(header).sign(stranger),
      "alg in other letters": await forge({ ...header, alg: "eddsa" }, payload),
      "an unknown key id": await forge({ ...header, kid: "unknown" }, payload),
      "an unknown typ": await forge({ ...header, typ: "JWT" }, payload),
      "a critical extension": await forge({ ...header, crit: ["exp"] }, payload),
      "a key in the header": await forge({ ...header, jwk: (await signingKeys.published())[0] }, payload),
      "another issuer": await forge(header, { ...payload, iss: "other.example" }),
      "another audience": await forge(header, { ...payload, aud: "admin" }),
      "an audience list": await forge(header, { ...payload, aud: ["device"] }),
      "no expiry": await forge(header, { ...payload, exp: undefined }),
      "an expiry as text": await forge(header, { ...payload, exp: "9999999999" }),
      "no session": await forge(header, { ...payload, sid: undefined }),
      "a list as payload": await forge(header, [payload]),
      "too long": await forge(header, { ...payload, padding: "x".repeat(10_000) }),
    };
    for (const [name, forgery] of Object.entries(forgeries)) {
      await expect(verify("device", forgery), name).rejects.toMatchObject(refused);
    }
    await expect(verify("device", await forge(header, payload))).resolves.toMatchObject({ subject: "d1" });
  });
});
