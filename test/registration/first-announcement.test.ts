import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AnyRow } from "../support/any-row.js";
import { holdTransaction } from "../support/held-transaction.js";
import { limitsOf } from "../support/rate-limit-headers.js";
import { until } from "../support/until.js";
import { type StrictRelay, startRelay } from "./relay.js";
import {
  announce,
  challengeFor,
  claimsOf,
  newIp,
  newKeys,
  newPrefix,
  newProof,
  prefixBody,
  prove,
  randomHex,
  register,
  registered,
  registrationBody,
  send,
} from "./wire.js";

/** Fewer than the relay has connections to its database. */
const atOnce = 4;
let relay: StrictRelay;
beforeAll(async () => {
  relay = await startRelay();
});
afterAll(() => relay.stop());

describe("a first announcement with a delay proof", () => {
  it("registers the device and gives it a random address and a token", async () => {
    const { keys, answer } = await registered(relay);
    const now = relay.clock.nowSeconds();
    const { body } = answer;
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(body.status).toBe("success");
    expect(body.device_id).toBe(keys.deviceId);
    expect(body.delivery_address.prefix).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(body.delivery_address.full_address).toBe(`${body.delivery_address.prefix}@${relay.config.domain}`);
    expect(Math.abs(body.delivery_address.created_at - now)).toBeLessThanOrEqual(30);
    expect(Math.abs(body.expires_at - now - 86_400)).toBeLessThanOrEqual(30);
    expect(claimsOf(body.access_token)).toMatchObject({
      iss: relay.config.domain,
      aud: "device",
      sub: keys.deviceId,
      exp: body.expires_at,
    });
  });

  it("accepts a proof with checkpoints, and hexadecimal in upper case", async () => {
    const keys = newKeys();
    const { body } = await challengeFor(relay, keys);
    const proof = await prove(body, keys, true);
    const upper = { ...proof, input: proof.input.toUpperCase(), output: proof.output.toUpperCase() };
    const request = registrationBody(relay, keys, { vdf_proof: upper });
    const answer = await send(relay, "/api/v1/announce", {
      body: { ...request, public_key: keys.publicKey.toUpperCase() },
    });
    expect(answer.status).toBe(200);
  });

  it("answers an upper-case device id in lower case", async () => {
    const keys = newKeys();
    const shouting = { ...keys, deviceId: keys.deviceId.toUpperCase() };
    const answer = await register(relay, shouting, { vdf_proof: await newProof(relay, keys) });
    expect(answer.status).toBe(200);
    expect(answer.body.device_id).toBe(keys.deviceId);
  });

  it("is refused if the device id is not the hash of the key", async () => {
    const keys = newKeys();
    for (const deviceId of [newKeys().deviceId, keys.publicKey]) {
      const answer = await register(relay, { ...keys, deviceId });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ code: 4000, message: expect.stringContaining("Blake3(public_key)") });
    }
  });

  it("is refused without a proof", async () => {
    const answer = await register(relay, newKeys());
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ error: "INVALID_PROOF", code: 4019, message: "VDF proof required" });
  });

  it("is refused with a challenge that was never issued", async () => {
    const keys = newKeys();
    const proof = await prove({ challenge: randomHex(32), iterations: 100 }, keys);
    const answer = await register(relay, keys, { vdf_proof: proof });
    expect(answer.status).toBe(410);
    expect(answer.body).toMatchObject({ error: "CHALLENGE_EXPIRED", code: 4011 });
  });

  it("is refused with a challenge of another device", async () => {
    const keys = newKeys();
    const { body } = await challengeFor(relay, newKeys());
    const answer = await register(relay, keys, { vdf_proof: await prove(body, keys) });
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ code: 4019, message: "challenge issued to a different device" });
  });

  it("is refused with a challenge that has expired", async () => {
    const keys = newKeys();
    const proof = await newProof(relay, keys);
    relay.clock.advance(301);
    const answer = await register(relay, keys, { vdf_proof: proof });
    expect(answer.status).toBe(410);
    expect(answer.body.code).toBe(4011);
  });

  it("is refused with an input or a number of iterations other than the challenge's", async () => {
    const keys = newKeys();
    const proof = await newProof(relay, keys);
    const input = proof.input.slice(0, 64) + newKeys().publicKey;
    const otherInput = await register(relay, keys, { vdf_proof: { ...proof, input } });
    expect(otherInput.body).toMatchObject({ code: 4019, message: "VDF input mismatch" });
    const otherIterations = await register(relay, keys, { vdf_proof: { ...proof, iterations: 99 } });
    expect(otherIterations.body).toMatchObject({ code: 4019, message: "VDF iterations mismatch" });
    expect((await register(relay, keys, { vdf_proof: proof })).status).toBe(200);
  });

  it("cannot use a challenge twice", async () => {
    const keys = newKeys();
    const proof = await newProof(relay, keys);
    const signed = registrationBody(relay, keys, { vdf_proof: proof });
    expect((await send(relay, "/api/v1/announce", { body: { ...signed, signature: "0".repeat(128) } })).body.code).toBe(
      4001,
    );
    const again = await send(relay, "/api/v1/announce", { body: signed });
    expect(again.status).toBe(410);
    expect(again.body).toMatchObject({ code: 4011, message: "challenge already used" });
  });

  it.each([
    ["a proof with an odd input", { input: "ab" }],
    ["a proof without an output", { output: undefined }],
    ["a proof with no iterations", { iterations: 0 }],
    ["a proof with too few checkpoints", { checkpoints: ["0".repeat(64)] }],
    ["a proof with an unknown member", { nonce: 1 }],
  ])("refuses %s as malformed", async (_what, change) => {
    const keys = newKeys();
    const proof = { input: "0".repeat(128), iterations: 100, output: "0".repeat(64), ...change };
    const answer = await register(relay, keys, { vdf_proof: proof });
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe(4000);
  });
});

describe("a wrong proof", () => {
  it("bans the network address for a day, from challenges and first announcements only", async () => {
    const ip = newIp();
    const known = await registered(relay);
    const keys = newKeys();
    const { body } = await challengeFor(relay, keys, ip);
    const proof = await prove(body, keys);
    const wrong = { ...proof, output: randomHex(32) };
    const refused = await register(relay, keys, { vdf_proof: wrong }, { ip });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ error: "INVALID_PROOF", code: 4019, message: "invalid VDF proof" });

    const banned = await register(relay, keys, { vdf_proof: proof }, { ip });
    expect(banned.status).toBe(403);
    expect(banned.body).toMatchObject({ error: "IP_BANNED", code: 4020 });
    expect(Math.abs(banned.body.reset_at - relay.clock.nowSeconds() - 86_400)).toBeLessThanOrEqual(30);
    expect((await challengeFor(relay, newKeys(), ip)).body.code).toBe(4020);
    expect((await register(relay, known.keys, {}, { ip })).status).toBe(200);

    relay.clock.advance(86_401);
    expect((await challengeFor(relay, newKeys(), ip)).status).toBe(200);
  });

  it("leaves the challenge unused, and bans nobody else", async () => {
    const keys = newKeys();
    const { body } = await challengeFor(relay, keys);
    const proof = await prove(body, keys);
    expect((await register(relay, keys, { vdf_proof: { ...proof, output: randomHex(32) } })).body.code).toBe(4019);
    expect((await register(relay, keys, { vdf_proof: proof })).status).toBe(200);
  });

  it("is found by a wrong checkpoint too", async () => {
    const keys = newKeys();
    const { body } = await challengeFor(relay, keys);
    const proof = await prove(body, keys, true);
    const checkpoints = [...(proof.checkpoints ?? [])];
    checkpoints[40] = randomHex(32);
    const answer = await register(relay, keys, { vdf_proof: { ...proof, checkpoints } });
    expect(answer.body).toMatchObject({ code: 4019, message: "invalid VDF proof" });
  });
});

/** A proof for a challenge that nobody issued. */
function unknownProof() {
  return { vdf_proof: { input: randomHex(64), iterations: 1, output: randomHex(32) } };
}

describe("the order of the checks", () => {
  it("counts three first announcements an hour per network address, before looking at the proof", async () => {
    const ip = newIp();
    for (let i = 0; i < 3; i++) {
      expect((await register(relay, newKeys(), unknownProof(), { ip })).body.code).toBe(4011);
    }
    const keys = newKeys();
    const proof = await newProof(relay, keys);
    const refused = await register(relay, keys, { vdf_proof: { ...proof, output: randomHex(32) } }, { ip });
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ error: "RATE_LIMIT_EXCEEDED", code: 4004, limit: 3 });
    expect(refused.headers.get("retry-after")).toBe(String(refused.body.retry_after));
    expect((await challengeFor(relay, newKeys(), ip)).status).toBe(200);
  });

  it("counts ten first announcements a day per network address", async () => {
    const ip = newIp();
    for (let i = 0; i < 10; i++) {
      if (i > 0 && i % 3 === 0) relay.clock.advance(3601);
      expect((await register(relay, newKeys(), unknownProof(), { ip })).body.code).toBe(4011);
    }
    relay.clock.advance(3601);
    const refused = await register(relay, newKeys(), unknownProof(), { ip });
    expect(refused.status).toBe(429);
    expect(refused.body.limit).toBe(10);
    expect(refused.body.retry_after).toBeGreaterThan(70_000);
  });

  it("does not count malformed requests, known devices, or devices without a proof per network address", async () => {
    const ip = newIp();
    for (let i = 0; i < 5; i++) {
      expect((await register(relay, newKeys(), {}, { ip })).body.message).toBe("VDF proof required");
    }
    const { keys } = await registered(relay);
    for (let i = 0; i < 5; i++) {
      expect((await register(relay, { ...newKeys(), deviceId: randomHex(32) }, {}, { ip })).body.code).toBe(4000);
    }
    expect((await register(relay, keys, {}, { ip })).status).toBe(200);
    expect((await register(relay, newKeys(), unknownProof(), { ip })).body.code).toBe(4011);
  });

  it("checks the proof before the signature, and the signature before the timestamp", async () => {
    const keys = newKeys();
    const proof = await newProof(relay, keys);
    const body = registrationBody(relay, keys, { timestamp: 1000 });
    const bad = { ...body, signature: "0".repeat(128) };
    expect((await send(relay, "/api/v1/announce", { body: bad })).body.code).toBe(4019);
    const unsigned = { ...bad, vdf_proof: proof };
    expect((await send(relay, "/api/v1/announce", { body: unsigned })).body.code).toBe(4001);
    const late = { ...body, vdf_proof: await newProof(relay, keys) };
    expect((await send(relay, "/api/v1/announce", { body: late })).body.code).toBe(4000);
  });
});

describe("two requests at once", () => {
  it("cannot both pass with one proof", async () => {
    const keys = newKeys();
    const proof = { vdf_proof: await newProof(relay, keys) };
    const holder = await holdTransaction(relay.db);
    await holder.run("select 1 from registration_challenges for update");
    const waiting = Promise.all(Array.from({ length: atOnce }, () => register(relay, keys, proof)));
    const blocked = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await until(async () => (await relay.db.rows<AnyRow>(blocked)).length === atOnce, "all have found the proof right");
    await holder.commit();
    const answers = await waiting;
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.body.code === 4011)).toHaveLength(atOnce - 1);
  });

  it("register one device once, even with two proofs", async () => {
    const keys = newKeys();
    const proofs = [await newProof(relay, keys), await newProof(relay, keys)];
    const answers = await Promise.all(proofs.map((proof) => register(relay, keys, { vdf_proof: proof })));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
    const [one = 0, other = 0] = answers.map((answer) => limitsOf(answer)["announcements"]?.remaining);
    expect(Math.abs(one - other)).toBe(1);
    const rows = await relay.db.rows<AnyRow>("select 1 from devices where device_id = :deviceId", {
      deviceId: keys.deviceId,
    });
    expect(rows).toHaveLength(1);
  });
});

describe("a first announcement with prefixes of the device's choosing", () => {
  it("registers a device that spells its id as its public key", async () => {
    const keys = newKeys();
    const prefix = newPrefix();
    const answer = await announce(relay, keys, [prefix], { vdf_proof: await newProof(relay, keys) });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      status: "success",
      device_id: keys.publicKey,
      announced_addresses: [`${prefix}@${relay.config.domain}`],
      server_capabilities: { max_message_size: 10_485_760, federation_enabled: false, supported_mls_versions: ["1.0"] },
    });
    expect(claimsOf(answer.body.access_token).sub).toBe(keys.deviceId);
  });

  it("registers a device that spells its id as the hash and sends its key", async () => {
    const keys = newKeys();
    const extra = { device_id: keys.deviceId, public_key: keys.publicKey, vdf_proof: await newProof(relay, keys) };
    const answer = await announce(relay, keys, [newPrefix()], extra);
    expect(answer.status).toBe(200);
    expect(answer.body.device_id).toBe(keys.deviceId);
  });

  it("is refused if the id is neither the key nor its hash", async () => {
    const keys = newKeys();
    const extra = { device_id: newKeys().deviceId, public_key: keys.publicKey };
    const answer = await announce(relay, keys, [newPrefix()], extra);
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe(4000);
  });

  it("needs a proof and counts per network address like the other flow", async () => {
    const ip = newIp();
    for (let i = 0; i < 3; i++) {
      const bare = prefixBody(relay, newKeys(), [newPrefix()]);
      expect((await send(relay, "/api/v1/device/announce", { body: bare, ip })).body.code).toBe(4019);
      const body = { ...prefixBody(relay, newKeys(), [newPrefix()]), ...unknownProof() };
      expect((await send(relay, "/api/v1/device/announce", { body, ip })).body.code).toBe(4011);
    }
    expect((await register(relay, newKeys(), unknownProof(), { ip })).body.code).toBe(4004);
  });

  it("that fails on a taken prefix keeps its proof", async () => {
    const taken = newPrefix();
    const holder = newKeys();
    expect((await announce(relay, holder, [taken], { vdf_proof: await newProof(relay, holder) })).status).toBe(200);
    const keys = newKeys();
    const proof = await newProof(relay, keys);
    const refused = await announce(relay, keys, [newPrefix(), taken], { vdf_proof: proof });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ error: "ADDRESS_TAKEN", code: 4022 });
    const rows = await relay.db.rows<AnyRow>("select 1 from devices where device_id = :deviceId", {
      deviceId: keys.deviceId,
    });
    expect(rows).toHaveLength(0);
    expect((await announce(relay, keys, [newPrefix()], { vdf_proof: proof })).status).toBe(200);
  });
});
