import { createHash, randomBytes, randomUUID } from "node:crypto";
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import type { AnyRow } from "../support/any-row.js";
import { call } from "../support/api.js";
import { newDevice, type TestDevice } from "../support/device.js";
import { expectDuring, timed } from "../support/during.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import {
  download,
  errorOf,
  exhausted,
  notFound,
  revoke,
  tryUpload,
  unauthorized,
  upload,
  uploadBody,
  variants,
} from "./fixture.js";

let relay: TestRelay;
let db: Database;
let device: TestDevice;
let other: TestDevice;

beforeAll(async () => {
  const seeds = {
    SEED_RATE_LIMITING_INFOPACKAGE_UPLOADS_PER_HOUR: "10000",
    SEED_RATE_LIMITING_INFOPACKAGE_UPLOADS_PER_DAY: "10000",
  };
  relay = await startRelay({ seeds, infoPackageBytes: 4096 });
  db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  [device, other] = [await newDevice(relay), await newDevice(relay)];
});
afterAll(async () => {
  await db.close();
  await relay.stop();
});

const owner = (variant: string, revocationToken: string | undefined) =>
  variant === "revocable" ? { revocationToken } : { token: device.token };

describe.each(variants)("an info package (%s)", (variant) => {
  it("is returned as it was uploaded, any number of times", async () => {
    const now = relay.clock.nowSeconds();
    const kept = await upload(relay, device, variant);
    expect(kept.expiresAt - now).toBeGreaterThanOrEqual(3600);
    expect(kept.expiresAt - now).toBeLessThan(3630);
    expect(kept.maxUses).toBeNull();
    for (let i = 0; i < 3; i++) {
      const { status, headers, body } = await download(relay, variant, kept.segment);
      expect(status).toBe(200);
      expect(headers.get("cache-control")).toBe("no-store");
      if (kept.ciphertext !== undefined) expect(body.ciphertext).toBe(kept.ciphertext);
      expect(body["created_at"]).toBe(kept.expiresAt - 3600);
      if (variant === "sealed") expect(body["remaining_uses"]).toBeNull();
    }
  });

  it("is also found by its segment in upper case", async () => {
    const { segment } = await upload(relay, device, variant);
    expect((await download(relay, variant, segment.toUpperCase())).status).toBe(200);
  });

  it("cannot be read, or revoked, by the paths of the other kinds", async () => {
    const { segment, revocationToken } = await upload(relay, device, variant);
    for (const wrong of variants.filter((one) => one !== variant)) {
      expect(errorOf(await download(relay, wrong, segment))).toEqual(notFound);
      const by = { token: device.token, revocationToken: revocationToken ?? "ab".repeat(32) };
      expect(errorOf(await revoke(relay, { variant: wrong, segment }, by))).toEqual(notFound);
    }
    expect((await download(relay, variant, segment)).status).toBe(200);
  });

  it("with N uses is returned N times, then answers 410 until it would have expired, then 404", async () => {
    const kept = await upload(relay, device, variant, { maxUses: 3, ttl: 600 });
    expect(kept.maxUses).toBe(3);
    const left: unknown[] = [];
    for (let i = 0; i < 3; i++) left.push((await download(relay, variant, kept.segment)).body["remaining_uses"]);
    if (variant === "sealed") expect(left).toEqual([2, 1, 0]);
    expect(errorOf(await download(relay, variant, kept.segment))).toEqual(exhausted);
    relay.clock.advance(540);
    expect(errorOf(await download(relay, variant, kept.segment))).toEqual(exhausted);
    expect(errorOf(await revoke(relay, kept, owner(variant, kept.revocationToken)))).toEqual(notFound);
    expect(errorOf(await download(relay, variant, kept.segment))).toEqual(exhausted);
    relay.clock.advance(61);
    expect(errorOf(await download(relay, variant, kept.segment))).toEqual(notFound);
  });

  it("is returned again to the same download, however often and at once, and takes one use for it", async () => {
    const { segment } = await upload(relay, device, variant, { maxUses: 2 });
    const newId = () => randomBytes(16).toString("hex");
    const [first, second] = [newId(), newId()];
    const again = (id: string) => Promise.all(Array.from({ length: 5 }, () => download(relay, variant, segment, id)));
    for (const answers of [await again(first), await again(second), await again(first.toUpperCase())])
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    for (const id of [undefined, newId()])
      expect(errorOf(await download(relay, variant, segment, id))).toEqual(exhausted);
    const kept = await upload(relay, device, variant, { maxUses: 2 });
    expect((await download(relay, variant, kept.segment, first)).status).toBe(200);
    expect((await download(relay, variant, kept.segment)).status).toBe(200);
    expect((await download(relay, variant, kept.segment, first)).status).toBe(200);
    expect(errorOf(await download(relay, variant, kept.segment))).toEqual(exhausted);
    expect(errorOf(await revoke(relay, kept, owner(variant, kept.revocationToken)))).toEqual(notFound);
    const malformed = await download(relay, variant, kept.segment, "ab");
    expect([malformed.status, malformed.body["error"]]).toEqual([400, "INVALID_REQUEST"]);
  });

  it("is kept for an hour for the download that took its last use", async () => {
    const { segment } = await upload(relay, device, variant, { maxUses: 1, ttl: 86_400 });
    const id = randomBytes(16).toString("hex");
    expect((await download(relay, variant, segment, id)).status).toBe(200);
    relay.clock.advance(3_590);
    expect((await download(relay, variant, segment, id)).status).toBe(200);
    relay.clock.advance(3_600);
    expect(errorOf(await download(relay, variant, segment, id))).toEqual(exhausted);
    await device.announce();
    const left = () => db.rows<AnyRow>("select ciphertext from info_packages where segment = :segment", { segment });
    await expect.poll(left).toEqual([{ ciphertext: null }]);
    const downloads = () => db.rows("select 1 from info_package_downloads where segment = :segment", { segment });
    await expect.poll(downloads).toEqual([]);
  });

  it("of unlimited uses keeps no trace of downloads", async () => {
    const { segment } = await upload(relay, device, variant);
    expect((await download(relay, variant, segment, "ab".repeat(16))).status).toBe(200);
    expect(await db.rows("select 1 from info_package_downloads where segment = :segment", { segment })).toEqual([]);
  });

  it("keeps no ciphertext once its last use is consumed", async () => {
    const { segment } = await upload(relay, device, variant, { maxUses: 1 });
    expect((await download(relay, variant, segment)).status).toBe(200);
    const rows = await db.rows<AnyRow>(
      "select ciphertext, uses_remaining from info_packages where segment = :segment",
      { segment },
    );
    expect(rows).toEqual([{ ciphertext: null, uses_remaining: 0 }]);
  });

  it("allows exactly N of many concurrent downloads", async () => {
    const content = { text: randomBytes(1500).toString("hex") };
    const ciphertext = randomBytes(4000).toString("base64");
    const kept = await upload(relay, device, variant, { maxUses: 7, content, ciphertext });
    const answers = await Promise.all(Array.from({ length: 60 }, () => download(relay, variant, kept.segment)));
    const given = answers.filter(({ status }) => status === 200);
    expect(given).toHaveLength(7);
    expect(new Set(given.map(({ body }) => body.ciphertext)).size).toBe(1);
    if (kept.ciphertext !== undefined) expect(given[0]?.body.ciphertext).toBe(kept.ciphertext);
    if (variant === "sealed") {
      expect(given.map(({ body }) => body["remaining_uses"]).sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    }
    for (const refused of answers.filter(({ status }) => status !== 200)) expect(errorOf(refused)).toEqual(exhausted);
  });

  it("is gone when it expires, and its row is deleted on the next request", async () => {
    const { segment } = await upload(relay, device, variant, { ttl: 60 });
    relay.clock.advance(30);
    expect((await download(relay, variant, segment)).status).toBe(200);
    relay.clock.advance(30);
    expect(errorOf(await download(relay, variant, segment))).toEqual(notFound);
    const rows = await db.rows<AnyRow>("select 1 from info_packages where segment = :segment", { segment });
    expect(rows).toEqual([]);
  });

  it("is gone after it was revoked, and cannot be revoked twice", async () => {
    const kept = await upload(relay, device, variant, { maxUses: 2 });
    await download(relay, variant, kept.segment);
    const by = owner(variant, kept.revocationToken);
    const revoking = await timed(relay.clock, () => revoke(relay, kept, by));
    const answer = revoking.result;
    expect([answer.status, answer.body.revoked]).toEqual([200, true]);
    // What the specification names for the variant with a token, beside the members that all three have.
    if (variant === "revocable") expect(answer.body).toHaveProperty("success", true);
    expectDuring(answer.body.revoked_at, revoking);
    expect(errorOf(await download(relay, variant, kept.segment))).toEqual(notFound);
    expect(errorOf(await revoke(relay, kept, by))).toEqual(notFound);
  });

  it("cannot be revoked by anybody else", async () => {
    const kept = await upload(relay, device, variant);
    const stranger = { token: other.token, revocationToken: randomBytes(32).toString("hex") };
    expect(errorOf(await revoke(relay, kept, stranger))).toEqual(unauthorized);
    expect((await download(relay, variant, kept.segment)).status).toBe(200);
  });

  it("is not found by an unknown or malformed segment", async () => {
    const segment = variant === "sealed" ? randomUUID() : randomBytes(16).toString("hex");
    expect(errorOf(await download(relay, variant, segment))).toEqual(notFound);
    expect(errorOf(await download(relay, variant, "nonsense"))).toEqual(notFound);
    const by = owner(variant, "ab".repeat(32));
    expect(errorOf(await revoke(relay, { variant, segment }, by))).toEqual(notFound);
    expect(errorOf(await revoke(relay, { variant, segment: "nonsense" }, by))).toEqual(notFound);
  });

  const bounds: [string, object, unknown[]][] = [
    ["a lifetime under a minute", { ttl_seconds: 59 }, [400, "INVALID_CONFIG", 4013]],
    ["a lifetime over 30 days", { ttl_seconds: 2_592_001 }, [400, "INVALID_CONFIG", 4013]],
    ["no use at all", { max_uses: 0 }, [400, "INVALID_CONFIG", 4013]],
    ["over 1000 uses", { max_uses: 1001 }, [400, "INVALID_CONFIG", 4013]],
    ["a lifetime that is no number", { ttl_seconds: "60" }, [400, "INVALID_CONFIG", 4013]],
    ["a fraction of a use", { max_uses: 1.5 }, [400, "INVALID_CONFIG", 4013]],
    ["no lifetime", { ttl_seconds: undefined }, [400, "INVALID_REQUEST", 4000]],
    ["a member that the contract does not name", { uses: 3 }, [400, "INVALID_REQUEST", 4000]],
  ];
  it.each(bounds)("with %s is refused and not stored", async (_, changes, answer) => {
    const count = async () => Number((await db.one<AnyRow>("select count(*) as n from info_packages"))?.n);
    const before = await count();
    const body = { ...uploadBody(variant), ...changes };
    const operation = { sealed: "uploadInfoPackage", revocable: "createRevocableInfoPackage" } as const;
    const name = variant === "plain" ? "uploadPlainInfoPackage" : operation[variant];
    const refused = await call(relay, name, { token: device.token, body });
    expect(errorOf(refused)).toEqual(answer);
    expect(await count()).toBe(before);
  });

  it("is refused with an error that names the violated bound once", async () => {
    const answer = await tryUpload(relay, device, variant, { ttl: 59, maxUses: 2 });
    expect(answer.body["details"]).toEqual([{ path: "body/ttl_seconds", message: expect.any(String) }]);
  });

  it("may live from a minute to 30 days, with one use to a thousand", async () => {
    for (const draft of [{ ttl: 60, maxUses: 1 }, { ttl: 2_592_000, maxUses: 1000 }, { maxUses: null }]) {
      expect((await tryUpload(relay, device, variant, draft)).status).toBe(200);
    }
  });
});

describe("an upload", () => {
  it.each(["sealed", "plain"] as const)("(%s) without a token is refused with 401", async (variant) => {
    const answer = await tryUpload(relay, { token: "a.b.c" }, variant);
    expect(errorOf(answer)).toEqual([401, "INVALID_TOKEN", 4008]);
  });

  it.each(["sealed", "revocable"] as const)("(%s) of text that is no base64 is refused", async (variant) => {
    for (const ciphertext of ["", "AAAAA", "AAB=", "-_-_", "AA==AAAA"]) {
      expect(errorOf(await tryUpload(relay, device, variant, { ciphertext }))).toEqual([400, "INVALID_REQUEST", 4000]);
    }
  });

  it("may have as many bytes of ciphertext as the server allows, and no more", async () => {
    for (const variant of ["sealed", "revocable"] as const) {
      const ofBytes = (length: number) => ({ ciphertext: randomBytes(length).toString("base64") });
      expect((await tryUpload(relay, device, variant, ofBytes(4096))).status).toBe(200);
      expect(errorOf(await tryUpload(relay, device, variant, ofBytes(4097)))).toEqual([413, "MESSAGE_TOO_LARGE", 4015]);
    }
    // {"t":""} and the 28 bytes of nonce and tag around it.
    const ofText = (length: number) => ({ content: { t: "x".repeat(length) } });
    expect((await tryUpload(relay, device, "plain", ofText(4096 - 28 - 8))).status).toBe(200);
    const larger = await tryUpload(relay, device, "plain", ofText(4096 - 28 - 7));
    expect(errorOf(larger)).toEqual([413, "MESSAGE_TOO_LARGE", 4015]);
  });
});

describe("a package with a revocation token", () => {
  it("has a URL of this server's own and a token of 32 bytes", async () => {
    const { body } = await call(relay, "createRevocableInfoPackage", { body: uploadBody("revocable") });
    expect(body.url).toMatch(/^http:\/\/relay\.test\/api\/v1\/infopackages\/[0-9a-f]{32}$/);
    expect(body.revocation_token).toMatch(/^[0-9a-f]{64}$/);
  });

  it("stores nothing about the uploader, and not the token itself", async () => {
    const { segment, revocationToken = "" } = await upload(relay, device, "revocable");
    const rows = await db.rows<AnyRow>("select * from info_packages where segment = :segment", { segment });
    expect(rows[0].uploader).toBeNull();
    expect(rows[0].revocation_hash).not.toEqual(Buffer.from(revocationToken, "hex"));
    const text = JSON.stringify(rows, (_, value) =>
      value?.type === "Buffer" ? Buffer.from(value).toString("hex") : value,
    );
    expect(text).not.toContain(revocationToken);
    expect(text).not.toContain(device.deviceId);
  });

  it("is not revoked by a malformed token, and a revocation without a token is INVALID_REQUEST", async () => {
    const kept = await upload(relay, device, "revocable");
    for (const revocationToken of ["x", "ab".repeat(31), "ab".repeat(33), kept.revocationToken?.slice(2)]) {
      expect(errorOf(await revoke(relay, kept, { revocationToken }))).toEqual(unauthorized);
    }
    const params = { segment: kept.segment };
    const without = await call(relay, "revokeRevocableInfoPackage", { params });
    expect(errorOf(without)).toEqual([400, "INVALID_REQUEST", 4000]);
    const answer = await revoke(relay, kept, { revocationToken: kept.revocationToken?.toUpperCase() });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ success: true, revoked: true });
  });
});

describe("a package that the server encrypts", () => {
  const content = { group_id: "4f9d", group_name: "Mountain hut", members: [1, null, { deep: "ü" }] };

  it("is decrypted with the key that the upload returned, as nonce, ciphertext and tag", async () => {
    const { segment, key = "" } = await upload(relay, device, "plain", { content });
    const { body } = await download(relay, "plain", segment);
    const bytes = new Uint8Array(Buffer.from(body.ciphertext, "base64"));
    const opened = chacha20poly1305(Buffer.from(key, "hex"), bytes.subarray(0, 12)).decrypt(bytes.subarray(12));
    expect(JSON.parse(Buffer.from(opened).toString("utf8"))).toEqual(content);
    expect(body["package_type"]).toBe("identity");
  });

  it("has another key and another nonce each time", async () => {
    const [a, b] = [await upload(relay, device, "plain"), await upload(relay, device, "plain")];
    expect(a.key).not.toBe(b.key);
    const nonces = await Promise.all([a, b].map(async ({ segment }) => (await download(relay, "plain", segment)).body));
    expect(nonces[0]?.ciphertext.slice(0, 16)).not.toBe(nonces[1]?.ciphertext.slice(0, 16));
  });

  it("comes with the text of a QR code", async () => {
    const { body } = await call(relay, "uploadPlainInfoPackage", {
      token: device.token,
      body: { ...uploadBody("plain", { content }), package_type: "group_invite" },
    });
    expect(body.url).toMatch(/^http:\/\/relay\.test\/v1\/info-packages\/[0-9a-f]{32}$/);
    expect(JSON.parse(body.qr_data)).toEqual({
      infopackage_url: body.url,
      infopackage_key: body.decryption_key,
      package_type: "group_invite",
      display_name: "Mountain hut",
      group_id: "4f9d",
    });
  });

  const names: [string, object, string][] = [
    ["its own display_name first", { display_name: "Ada", group_name: "Hut" }, "Ada"],
    [
      "the default persona's display_name",
      { default_persona: "p", personas: { p: { display_name: "Ada L." } } },
      "Ada L.",
    ],
    [
      "the default persona's name",
      { default_persona: "p", personas: { p: { name: "Ada" }, q: { name: "Bo" } } },
      "Ada",
    ],
    ["nothing where the persona is another's", { default_persona: "toString", personas: {} }, ""],
    ["nothing where there is no name", { display_name: 7 }, ""],
    ["a hundred characters at most", { display_name: "𝔸".repeat(101) }, "𝔸".repeat(100)],
  ];
  it.each(names)("is named in the QR code by %s", async (_, named, name) => {
    const body = uploadBody("plain", { content: named });
    const answer = await call(relay, "uploadPlainInfoPackage", { token: device.token, body });
    expect(JSON.parse(answer.body.qr_data).display_name).toBe(name);
  });

  it("leaves neither its key nor its plaintext in the database", async () => {
    const secret = randomBytes(20).toString("hex");
    const { key = "" } = await upload(relay, device, "plain", { content: { secret } });
    const tables = await db.rows<AnyRow>(
      "select table_name as name from information_schema.tables where table_schema = 'public'",
    );
    const digest = createHash("sha256").update(Buffer.from(key, "hex")).digest("hex");
    for (const { name } of tables) {
      const rows = await db.rows<AnyRow>(`select t::text as row from "${name}" as t`);
      const text = rows.map(({ row }: { row: string }) => row).join("\n");
      for (const trace of [key, digest, secret, Buffer.from(secret).toString("hex")]) expect(text).not.toContain(trace);
    }
  });
});
