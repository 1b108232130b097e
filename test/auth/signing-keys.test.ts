import { afterAll, beforeAll, expect, test } from "vitest";
import { generateSigningKey } from "../../src/auth/ed25519-keys.js";
import { createSigningKeys, type SigningKeys } from "../../src/auth/signing-keys.js";
import type { AnyRow } from "../support/any-row.js";
import { notingStatements } from "../support/noting-statements.js";
import { createTrustFixture, type TrustFixture } from "../support/trust.js";

let fixture: TrustFixture;
let one: SigningKeys;
let two: SigningKeys;

beforeAll(async () => {
  fixture = await createTrustFixture();
  one = createSigningKeys(fixture);
  two = createSigningKeys(fixture);
  await Promise.all([one.start(), two.start()]);
});
afterAll(async () => {
  await Promise.all([one.stop(), two.stop()]);
  await fixture.database.drop();
});

test("two nodes that start at once share one first key", async () => {
  expect(await one.list()).toHaveLength(1);
  expect((await two.signer()).kid).toBe((await one.signer()).kid);
});

test("no key's id begins with a hyphen, since a command would take it for an option", () => {
  const ids = Array.from({ length: 1000 }, () => generateSigningKey().kid);
  expect(ids.filter((id) => !/^\w[\w-]{42}$/.test(id))).toEqual([]);
});

test("the published keys are JSON Web Keys without their private half", async () => {
  const [jwk] = await one.published();
  expect(jwk).toEqual({
    kty: "OKP",
    crv: "Ed25519",
    alg: "EdDSA",
    use: "sig",
    kid: (await one.signer()).kid,
    x: expect.stringMatching(/^[\w-]{43}$/),
  });
});

test("after a rotation the new key signs, on the other node within a second, and the old one still verifies", async () => {
  const before = (await one.signer()).kid;
  const after = await one.rotate();
  expect(after).not.toBe(before);
  expect(await two.verifier(after)).toBeDefined();
  expect((await two.signer()).kid).toBe(after);
  expect(await two.verifier(before)).toBeDefined();
  expect((await one.published()).map((jwk) => jwk.kid).sort()).toEqual([before, after].sort());
});

test("a rotated-out key verifies until the last token that it can have signed has expired, then it is removed", async () => {
  const before = (await one.signer()).kid;
  await one.rotate();
  fixture.clock.advance(fixture.config.retiredKeySeconds - 60);
  expect(await one.verifier(before)).toBeDefined();
  fixture.clock.advance(120);
  expect(await one.verifier(before)).toBeUndefined();
  await one.removeExpired();
  expect((await one.list()).map((key) => key.kid)).not.toContain(before);
  expect((await one.list()).filter((key) => key.state === "signing")).toHaveLength(1);
});

test("a revoked key no longer verifies anything; if it was signing, a new one replaces it", async () => {
  const { kid } = await one.signer();
  expect(await one.revoke(kid)).toBe(true);
  expect(await one.revoke(kid)).toBe(false);
  expect(await one.verifier(kid)).toBeUndefined();
  expect((await one.signer()).kid).not.toBe(kid);
  expect((await one.published()).map((jwk) => jwk.kid)).not.toContain(kid);
  await expect.poll(() => two.verifier(kid)).toBeUndefined();
});

test("an unknown key id reloads the keys, but a flood of them does not", async () => {
  const statements: string[] = [];
  const three = createSigningKeys({ ...fixture, db: notingStatements(fixture.db, (sql) => statements.push(sql)) });
  await three.start();
  fixture.clock.advance(60);
  await three.verifier("unknown");
  statements.length = 0;
  for (let i = 0; i < 200; i++) expect(await three.verifier(`unknown ${i}`)).toBeUndefined();
  await three.stop();
  expect(statements.length).toBeLessThan(10);
});

test("private keys lie encrypted in the database", async () => {
  const { privateKey } = await one.signer();
  const raw = privateKey.export({ format: "der", type: "pkcs8" }).subarray(16);
  const rows = await fixture.db.rows<AnyRow>("select sealed_private from signing_keys");
  for (const row of rows) expect(row.sealed_private.includes(raw)).toBe(false);
});
