import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "../../src/database/pool/pool.js";
import { call } from "../support/api.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { newBlob, openAddress, openingBody, pollBlob, putBlob } from "../support/provisioning.js";
import { startRelay, type TestRelay } from "../support/relay.js";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
let relay: TestRelay;
let device: TestDevice;
beforeAll(async () => {
  relay = await startRelay({ provisioningPerIpHour: 100_000 });
  device = await newDevice(relay);
});
afterAll(() => relay.stop());

describe("opening an address", () => {
  it("returns an address at this server, a poll token and an expiry", async () => {
    const now = relay.clock.nowSeconds();
    const opened = await openAddress(relay, 120);
    expect(opened.id).toMatch(uuid);
    expect(opened.address).toBe(`${opened.id}@relay.test`);
    expect(opened.pollToken).toMatch(/^[0-9a-f]{64}$/);
    expect(opened.expiresAt - now - 120).toBeLessThanOrEqual(2);
  });

  it("is refused with a lifetime out of bounds, a bad key or a wrong timestamp", async () => {
    const now = relay.clock.nowSeconds();
    const bad = [
      // First, while that is still in the future by more than a request may be.
      { timestamp: now + 65 },
      { ttl_seconds: 29 },
      { ttl_seconds: 301 },
      { ttl_seconds: "300" },
      { ephemeral_public_key: "00".repeat(32) },
      { ephemeral_public_key: `ee${"ff".repeat(30)}7f` },
      { ephemeral_public_key: "ab" },
      { timestamp: now - 305 },
      { colour: "red" },
    ];
    for (const changes of bad) {
      const { status, body } = await call(relay, "createProvisioning", { body: openingBody(relay, changes) });
      expect([changes, status, body.error]).toEqual([changes, 400, "INVALID_REQUEST"]);
      if ("timestamp" in changes) expect(body["server_timestamp"]).toBeTypeOf("number");
    }
  });

  it("stores only a hash of the poll token", async () => {
    const opened = await openAddress(relay);
    const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
    const row = await db.one<{ kept: string; hash: Buffer }>(
      "select a::text as kept, poll_token_hash as hash from provisioning_addresses as a where id = :id::uuid",
      { id: opened.id },
    );
    await db.close();
    expect(row?.kept).not.toContain(opened.pollToken);
    expect(row?.hash).toEqual(createHash("sha256").update(Buffer.from(opened.pollToken, "hex")).digest());
  });
});

describe("the blob", () => {
  it("is delivered again to the same download, to no other, until the address expires", async () => {
    const opened = await openAddress(relay, 60);
    const [first, other] = ["ab".repeat(16), "cd".repeat(16)];
    const poll = (id?: string) =>
      call(relay, "pollProvisioningBlob", {
        params: { id: opened.id },
        headers: { "X-Poll-Token": opened.pollToken, ...(id !== undefined && { "X-Download-Id": id }) },
      });
    expect((await poll(first)).status).toBe(202);
    expect((await poll(other)).status).toBe(202);
    const ciphertext = newBlob();
    demand(await putBlob(relay, device.token, opened.id, ciphertext));
    for (let i = 0; i < 3; i++) expect((await poll(first)).body).toEqual({ status: "delivered", ciphertext });
    for (const id of [undefined, other]) expect((await poll(id)).status).toBe(404);
    expect((await putBlob(relay, device.token, opened.id, newBlob())).body.error).toBe("CONFLICT");
    relay.clock.advance(61);
    expect((await poll(first)).status).toBe(404);
  });

  it("is pending until it is stored, is delivered once, and is then gone", async () => {
    const opened = await openAddress(relay);
    const pending = await pollBlob(relay, opened);
    expect(pending.status).toBe(202);
    expect(pending.body).toEqual({ status: "pending", expires_at: opened.expiresAt });
    const ciphertext = newBlob();
    const left = demand(await putBlob(relay, device.token, opened.id, ciphertext));
    expect([left.status, left.body]).toEqual([200, { status: "stored", expires_at: opened.expiresAt }]);
    const taken = await pollBlob(relay, opened);
    expect([taken.status, taken.body]).toEqual([200, { status: "delivered", ciphertext }]);
    expect(taken.headers.get("cache-control")).toBe("no-store");
    const gone = await pollBlob(relay, opened);
    expect([gone.status, gone.body.error]).toEqual([404, "NOT_FOUND"]);
    const late = await putBlob(relay, device.token, opened.id, ciphertext);
    expect([late.status, late.body.error]).toEqual([404, "NOT_FOUND"]);
  });

  it("can be stored once: a second one is CONFLICT and does not replace the first", async () => {
    const opened = await openAddress(relay);
    const [first, other] = [newBlob(), newBlob()];
    demand(await putBlob(relay, device.token, opened.id, first));
    const again = await putBlob(relay, device.token, opened.id, other);
    expect([again.status, again.body.error, again.body.code]).toEqual([409, "CONFLICT", 4028]);
    expect(demand(await pollBlob(relay, opened)).body).toEqual({ status: "delivered", ciphertext: first });
  });

  it("is stored by one of several concurrent requests, and taken by one of several polls", async () => {
    const opened = await openAddress(relay);
    const blobs = Array.from({ length: 8 }, () => newBlob());
    const puts = await Promise.all(blobs.map((blob) => putBlob(relay, device.token, opened.id, blob)));
    expect(puts.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    const polls = await Promise.all(blobs.map(() => pollBlob(relay, opened)));
    const taken = polls.filter(({ status }) => status === 200);
    expect(taken.length).toBeLessThanOrEqual(1);
    const last = taken[0] ?? demand(await pollBlob(relay, opened));
    expect(last.body).toEqual({
      status: "delivered",
      ciphertext: blobs[puts.findIndex(({ status }) => status === 200)],
    });
    expect((await pollBlob(relay, opened)).status).toBe(404);
  });

  it("is delivered only to the holder of the poll token", async () => {
    const opened = await openAddress(relay);
    const other = await openAddress(relay);
    demand(await putBlob(relay, device.token, opened.id, newBlob()));
    const wrong = await pollBlob(relay, { id: opened.id, pollToken: other.pollToken });
    expect([wrong.status, wrong.body.error]).toEqual([403, "UNAUTHORIZED"]);
    const malformed = await pollBlob(relay, { id: opened.id, pollToken: "me" });
    expect([malformed.status, malformed.body.error]).toEqual([400, "INVALID_REQUEST"]);
    const missing = await call(relay, "pollProvisioningBlob", { params: { id: opened.id } });
    expect([missing.status, missing.body.error]).toEqual([400, "INVALID_REQUEST"]);
    expect((await pollBlob(relay, { ...opened, pollToken: opened.pollToken.toUpperCase() })).status).toBe(200);
  });

  it("is stored by registered devices only", async () => {
    const opened = await openAddress(relay);
    const bare = await call(relay, "putProvisioningBlob", { params: { id: opened.id }, body: { ciphertext: "AAAA" } });
    expect([bare.status, bare.body.error]).toEqual([401, "INVALID_TOKEN"]);
    expect((await pollBlob(relay, opened)).status).toBe(202);
  });

  it("has at most 256 KiB, in canonical base64", async () => {
    const opened = await openAddress(relay);
    const large = await putBlob(relay, device.token, opened.id, newBlob(256 * 1024 + 1));
    expect([large.status, large.body.error]).toEqual([413, "MESSAGE_TOO_LARGE"]);
    for (const ciphertext of ["", "AAA", "AAB=", "AA-_", "AAAA\n"]) {
      const { status, body } = await putBlob(relay, device.token, opened.id, ciphertext);
      expect([ciphertext, status, body.error]).toEqual([ciphertext, 400, "INVALID_REQUEST"]);
    }
    expect((await pollBlob(relay, opened)).status).toBe(202);
    const max = newBlob(256 * 1024);
    demand(await putBlob(relay, device.token, opened.id, max));
    expect(demand(await pollBlob(relay, opened)).body).toEqual({ status: "delivered", ciphertext: max });
  });

  it("is deleted with its address when that expires", async () => {
    const opened = await openAddress(relay, 120);
    const filled = await openAddress(relay, 120);
    demand(await putBlob(relay, device.token, filled.id, newBlob()));
    relay.clock.advance(60);
    expect((await pollBlob(relay, opened)).status).toBe(202);
    relay.clock.advance(65);
    for (const at of [opened, filled]) {
      expect((await pollBlob(relay, at)).body.error).toBe("NOT_FOUND");
      expect((await putBlob(relay, device.token, at.id, newBlob())).body.error).toBe("NOT_FOUND");
    }
  });

  it("is put, by POST too, and fetched at the whole address of this server, and at no other server's", async () => {
    const opened = await openAddress(relay);
    const foreign = `${opened.id}@elsewhere.test`;
    expect((await putBlob(relay, device.token, foreign, newBlob())).body.error).toBe("NOT_FOUND");
    expect((await pollBlob(relay, { ...opened, id: foreign })).body.error).toBe("NOT_FOUND");
    const sending = { token: device.token, params: { id: opened.address }, body: { ciphertext: newBlob() } };
    demand(await call(relay, "postProvisioningBlob", sending));
    expect((await putBlob(relay, device.token, opened.address, newBlob())).status).toBe(409);
    expect((await pollBlob(relay, { ...opened, id: opened.address.toUpperCase() })).status).toBe(200);
  });

  it("is not found at an unknown address, and refused at a malformed one", async () => {
    const id = "7d444840-9dc0-41d1-b245-5ffdce74fad2";
    const pollToken = "ab".repeat(32);
    expect((await pollBlob(relay, { id, pollToken })).body.error).toBe("NOT_FOUND");
    expect((await putBlob(relay, device.token, id, "AAAA")).body.error).toBe("NOT_FOUND");
    const malformed = await pollBlob(relay, { id: id.replace("-41d1-", "-11d1-"), pollToken });
    expect([malformed.status, malformed.body.error]).toEqual([400, "INVALID_REQUEST"]);
    const upper = await openAddress(relay);
    expect((await pollBlob(relay, { ...upper, id: upper.id.toUpperCase() })).status).toBe(202);
  });
});

describe("a short code", () => {
  const qr = '{"any":"text"}';
  const create = (id: string, pollToken: string, text = qr) =>
    call(relay, "createLinkingCode", { params: { id }, headers: { "X-Poll-Token": pollToken }, body: { qr: text } });
  const find = (code: string, token = device.token) => call(relay, "getLinkingCode", { token, params: { code } });

  it("is drawn by the server, leads registered devices to the QR code, and stays the same", async () => {
    const { id, pollToken, expiresAt } = await openAddress(relay);
    const { body } = demand(await create(id, pollToken));
    expect(body).toEqual({ linking_code: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{8}$/), expires_at: expiresAt });
    expect(demand(await create(id, pollToken, "another text")).body).toEqual(body);
    expect(demand(await find(body.linking_code)).body).toEqual({ qr });
    const { id: other, pollToken: otherToken } = await openAddress(relay);
    expect(demand(await create(other, otherToken)).body.linking_code).not.toBe(body.linking_code);
  });

  it("is given to the holder of the poll token alone, and found by registered devices alone", async () => {
    const { id, pollToken } = await openAddress(relay);
    expect((await create(id, "00".repeat(32))).body.error).toBe("UNAUTHORIZED");
    expect((await create("7d444840-9dc0-41d1-b245-5ffdce74fad2", pollToken)).body.error).toBe("NOT_FOUND");
    expect((await create(id, pollToken, "x".repeat(1025))).body.error).toBe("INVALID_REQUEST");
    const { linking_code: code } = demand(await create(id, pollToken)).body;
    expect((await find(code, "none")).status).toBe(401);
    for (const malformed of [code.toLowerCase(), code.slice(1), `${code}0`, code.replace(/^./, "U")])
      expect((await find(malformed)).body.error).toBe("INVALID_REQUEST");
  });

  it("leads to nothing once a blob was left, or the address has expired", async () => {
    const [filled, expiring] = [await openAddress(relay), await openAddress(relay, 30)];
    const codes: string[] = [];
    for (const { id, pollToken } of [filled, expiring])
      codes.push(demand(await create(id, pollToken)).body.linking_code);
    demand(await putBlob(relay, device.token, filled.id, newBlob()));
    relay.clock.advance(31);
    for (const code of codes) expect((await find(code)).body.error).toBe("NOT_FOUND");
  });

  it("is guessed 30 times an hour by one device, right and wrong ones alike", async () => {
    const guesser = await newDevice(relay);
    const { id, pollToken } = await openAddress(relay);
    const { linking_code: code } = demand(await create(id, pollToken)).body;
    const wrong = code.startsWith("0") ? "1".repeat(8) : "0".repeat(8);
    for (let count = 0; count < 30; count++)
      expect((await find(count % 2 === 0 ? code : wrong, guesser.token)).status).toBe(count % 2 === 0 ? 200 : 404);
    const { status, body } = await find(code, guesser.token);
    expect([status, body.error, body["limit"]]).toEqual([429, "RATE_LIMIT_EXCEEDED", 30]);
    expect((await find(code)).status).toBe(200);
  });
});
