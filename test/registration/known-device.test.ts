import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sign } from "../../src/protocol/signature.js";
import type { AnyRow } from "../support/any-row.js";
import { type StrictRelay, startRelay } from "./relay.js";
import {
  announce,
  claimsOf,
  type Keys,
  newKeys,
  newPrefix,
  newProof,
  prefixBody,
  register,
  registered,
  registrationBody,
  send,
} from "./wire.js";

const generous = { announcementsPerHour: 1000, newAddressesPerDay: 1000 };

async function announced(relay: StrictRelay, prefixes: string[]): Promise<Keys> {
  const keys = newKeys();
  const answer = await announce(relay, keys, prefixes, { vdf_proof: await newProof(relay, keys) });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return keys;
}

describe("a known device", () => {
  let relay: StrictRelay;
  beforeAll(async () => {
    relay = await startRelay(generous);
  });
  afterAll(() => relay.stop());

  it("needs no proof and gets another address", async () => {
    const { keys, answer } = await registered(relay);
    const again = await register(relay, keys);
    expect(again.status).toBe(200);
    expect(again.body.delivery_address.prefix).not.toBe(answer.body.delivery_address.prefix);
    const rows = await relay.db.rows<AnyRow>("select device_id from addresses where device_id = :deviceId", {
      deviceId: keys.deviceId,
    });
    expect(rows).toHaveLength(2);
  });

  it("is found in the prefix flow by its key's hex and by its id", async () => {
    const { keys } = await registered(relay);
    for (const device_id of [keys.publicKey, keys.deviceId, keys.publicKey.toUpperCase()]) {
      const answer = await announce(relay, keys, [newPrefix()], { device_id });
      expect(answer.status).toBe(200);
      expect(answer.body.device_id).toBe(device_id.toLowerCase());
      expect(claimsOf(answer.body.access_token).sub).toBe(keys.deviceId);
    }
  });

  it("is checked with its own key only", async () => {
    const { keys } = await registered(relay);
    const thief = { ...newKeys(), deviceId: keys.deviceId, publicKey: keys.publicKey };
    for (const answer of [await register(relay, thief), await announce(relay, thief, [newPrefix()])]) {
      expect(answer.status).toBe(403);
      expect(answer.body).toMatchObject({ error: "INVALID_SIGNATURE", code: 4001 });
    }
  });

  it("may not send another key than its own", async () => {
    const { keys } = await registered(relay);
    const answer = await announce(relay, keys, [newPrefix()], { public_key: newKeys().publicKey });
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe(4000);
  });

  it("sends its prefixes as hex or as UUID, and gets the addresses in the same spelling, in lower case", async () => {
    const uuid = randomUUID();
    const hex = newPrefix();
    const keys = await announced(relay, [uuid.toUpperCase(), hex.toUpperCase()]);
    const other = await announce(relay, keys, [uuid.replaceAll("-", ""), hex]);
    const domain = relay.config.domain;
    expect(other.body.announced_addresses).toEqual([`${uuid.replaceAll("-", "")}@${domain}`, `${hex}@${domain}`]);
    const rows = await relay.db.rows<AnyRow>("select 1 from addresses where device_id = :deviceId", {
      deviceId: keys.deviceId,
    });
    expect(rows).toHaveLength(2);
  });

  it.each([
    ["no prefix", [], 4000],
    ["a prefix that is too short", ["abcd"], 4005],
    ["a prefix that is no hexadecimal", ["z".repeat(32)], 4005],
    ["a prefix of the wrong type", [1], 4000],
    ["one prefix twice", ["ab".repeat(16), "AB".repeat(16)], 4000],
    ["more prefixes than any device may have", Array.from({ length: 101 }, newPrefix), 4000],
  ])("is refused with %s", async (_what, prefixes, code) => {
    const answer = await announce(relay, newKeys(), prefixes as string[]);
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe(code);
  });

  it("signs at most 300 seconds ago and 60 seconds ahead", async () => {
    const { keys } = await registered(relay);
    for (const offset of [-310, 90]) {
      const timestamp = relay.clock.nowSeconds() + offset;
      for (const answer of [
        await register(relay, keys, { timestamp }),
        await announce(relay, keys, [newPrefix()], { timestamp }),
      ]) {
        expect(answer.status).toBe(400);
        expect(answer.body.code).toBe(4000);
        expect(Math.abs(answer.body.server_timestamp - relay.clock.nowSeconds())).toBeLessThanOrEqual(30);
      }
    }
    for (const offset of [-270, 50]) {
      const timestamp = relay.clock.nowSeconds() + offset;
      expect((await register(relay, keys, { timestamp })).status).toBe(200);
    }
  });

  it("may bind its signature to this server, and only to this one", async () => {
    const { keys } = await registered(relay);
    const audience = relay.config.domain;
    expect((await register(relay, keys, { audience })).status).toBe(200);
    expect((await register(relay, keys, { audience: audience.toUpperCase() })).status).toBe(200);
    expect((await announce(relay, keys, [newPrefix()], { audience })).status).toBe(200);
    const elsewhere = await register(relay, keys, { audience: "other.example" });
    expect(elsewhere.status).toBe(400);
    expect(elsewhere.body.code).toBe(4000);
  });

  it("cannot have its signature moved to another audience, flow, prefix or time", async () => {
    const { keys } = await registered(relay);
    const prefix = newPrefix();
    const body = prefixBody(relay, keys, [prefix]);
    const changes = [
      { audience: relay.config.domain },
      { timestamp: (body["timestamp"] as number) - 1 },
      { delivery_address_prefixes: [newPrefix()] },
      { delivery_address_prefixes: [prefix.toUpperCase()] },
      { device_id: keys.deviceId },
    ];
    for (const change of changes) {
      const answer = await send(relay, "/api/v1/device/announce", { body: { ...body, ...change } });
      if (JSON.stringify({ ...body, ...change }) !== JSON.stringify(body)) expect(answer.body.code).toBe(4001);
    }
    const registration = registrationBody(relay, keys);
    const moved = { ...registration, signature: body["signature"] };
    expect((await send(relay, "/api/v1/announce", { body: moved })).body.code).toBe(4001);
  });

  it("cannot use a key of small order", async () => {
    const weak = { ...newKeys(), publicKey: `01${"00".repeat(31)}` };
    const answer = await send(relay, "/api/v1/device/announce", {
      body: { ...prefixBody(relay, weak, [newPrefix()]), vdf_proof: await newProof(relay, weak) },
    });
    expect(answer.status).toBe(403);
    expect(answer.body.code).toBe(4001);
  });

  it("renews an address, also one that has expired", async () => {
    const prefix = newPrefix();
    const keys = await announced(relay, [prefix]);
    const expiry = async (): Promise<number> =>
      (
        await relay.db.one<AnyRow>("select expires_at from addresses where device_id = :deviceId", {
          deviceId: keys.deviceId,
        })
      )?.expires_at;
    const first = await expiry();
    expect(Math.abs(first - relay.clock.nowSeconds() - 86_400)).toBeLessThanOrEqual(30);
    relay.clock.advance(90_000);
    expect((await announce(relay, keys, [prefix])).status).toBe(200);
    expect((await expiry()) - first).toBeGreaterThanOrEqual(90_000);
  });

  it("keeps an expired address from every other device", async () => {
    const prefix = newPrefix();
    await announced(relay, [prefix]);
    relay.clock.advance(200_000);
    const { keys } = await registered(relay);
    const answer = await announce(relay, keys, [prefix]);
    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({ error: "ADDRESS_TAKEN", code: 4022 });
  });

  it("takes all prefixes of a request or none", async () => {
    const taken = newPrefix();
    await announced(relay, [taken]);
    const { keys } = await registered(relay);
    const wanted = [newPrefix(), taken, newPrefix()];
    expect((await announce(relay, keys, wanted)).body.code).toBe(4022);
    const rows = await relay.db.rows<AnyRow>("select 1 from addresses where device_id = :deviceId", {
      deviceId: keys.deviceId,
    });
    expect(rows).toHaveLength(1);
  });

  it("does not share a prefix when two devices announce it at once", async () => {
    const pairs = await Promise.all(Array.from({ length: 4 }, () => registered(relay)));
    const wanted = Array.from({ length: 3 }, newPrefix);
    const answers = await Promise.all(
      pairs.map(({ keys }, i) => announce(relay, keys, i % 2 === 0 ? wanted : [...wanted].reverse())),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.body.code === 4022)).toHaveLength(3);
  });

  it("keeps its storage preferences until it sends others", async () => {
    const { keys } = await registered(relay);
    const read = async () =>
      await relay.db.one<AnyRow>(
        "select max_retention_days, offline_message_limit, hide_presence from devices where device_id = :deviceId",
        { deviceId: keys.deviceId },
      );
    const storage_preferences = { max_retention_days: 7, offline_message_limit: 20, hide_presence: true };
    await announce(relay, keys, [newPrefix()], { storage_preferences });
    expect(await read()).toEqual(storage_preferences);
    await announce(relay, keys, [newPrefix()]);
    expect(await read()).toEqual(storage_preferences);
    await announce(relay, keys, [newPrefix()], { storage_preferences: { offline_message_limit: 30 } });
    expect(await read()).toEqual({ max_retention_days: null, offline_message_limit: 30, hide_presence: false });
    for (const bad of [{ max_retention_days: 0 }, { offline_message_limit: -1 }, { hide_presence: "yes" }, { x: 1 }]) {
      expect((await announce(relay, keys, [newPrefix()], { storage_preferences: bad })).body.code).toBe(4000);
    }
  });

  it("has its activity recorded", async () => {
    const { keys } = await registered(relay);
    relay.clock.advance(7200);
    await register(relay, keys);
    const rows = await relay.db.rows<AnyRow>(
      "select registered_at, last_active from devices where device_id = :deviceId",
      { deviceId: keys.deviceId },
    );
    expect(rows[0].last_active - rows[0].registered_at).toBeGreaterThanOrEqual(7200);
  });

  it("ends its other sessions on request", async () => {
    const { keys, answer } = await registered(relay);
    const old = answer.body.access_token;
    expect((await send(relay, "/v1/auth/refresh", { token: old, method: "POST" })).status).toBe(200);
    const kept = await register(relay, keys);
    expect((await send(relay, "/v1/auth/refresh", { token: old, method: "POST" })).status).toBe(200);
    const only = await register(relay, keys, { revoke_others: true });
    for (const token of [old, kept.body.access_token]) {
      const refused = await send(relay, "/v1/auth/refresh", { token, method: "POST" });
      expect(refused.status).toBe(401);
      expect(refused.body).toMatchObject({ error: "INVALID_TOKEN", code: 4008 });
    }
    expect((await send(relay, "/v1/auth/refresh", { token: only.body.access_token, method: "POST" })).status).toBe(200);
  });

  it("signs with text as it was sent, whatever the spelling", async () => {
    const { keys } = await registered(relay);
    const body = registrationBody(relay, { ...keys, deviceId: keys.deviceId.toUpperCase() });
    const lowered = { ...body, device_id: keys.deviceId };
    expect((await send(relay, "/api/v1/announce", { body: lowered })).body.code).toBe(4001);
    const text = `${keys.deviceId}:${body["timestamp"]}`;
    const signed = { ...lowered, signature: sign(keys.secret, text) };
    expect((await send(relay, "/api/v1/announce", { body: signed })).status).toBe(200);
  });
});

describe("the limits of a device", () => {
  let relay: StrictRelay;
  beforeAll(async () => {
    relay = await startRelay();
  });
  afterAll(() => relay.stop());

  it("are three announcements an hour, over both flows", async () => {
    const { keys } = await registered(relay);
    expect((await announce(relay, keys, [newPrefix()])).status).toBe(200);
    expect((await register(relay, keys)).status).toBe(200);
    const refused = await announce(relay, keys, [newPrefix()]);
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ error: "RATE_LIMIT_EXCEEDED", code: 4004, limit: 3 });
    expect(refused.body.reset_at - relay.clock.nowSeconds()).toBeGreaterThan(3500);
    expect(refused.headers.get("retry-after")).toBe(String(refused.body.retry_after));
    relay.clock.advance(3601);
    expect((await announce(relay, keys, [newPrefix()])).status).toBe(200);
  });

  it("count no announcement whose signature is wrong", async () => {
    const { keys } = await registered(relay);
    const thief = { ...newKeys(), deviceId: keys.deviceId, publicKey: keys.publicKey };
    for (let i = 0; i < 5; i++) expect((await register(relay, thief)).body.code).toBe(4001);
    expect((await register(relay, keys)).status).toBe(200);
    expect((await register(relay, keys)).status).toBe(200);
  });

  it("are five new addresses a day, over both flows, while renewals are free", async () => {
    const prefixes = [newPrefix(), newPrefix(), newPrefix()];
    const keys = await announced(relay, prefixes);
    expect((await announce(relay, keys, [newPrefix(), newPrefix()])).status).toBe(200);
    const refused = await register(relay, keys);
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ code: 4004, limit: 5 });
    expect(refused.body.retry_after).toBeGreaterThan(80_000);
    expect((await announce(relay, keys, prefixes)).status).toBe(200);
    relay.clock.advance(86_401);
    expect((await register(relay, keys)).status).toBe(200);
  });

  it("are ten active addresses in the prefix flow; expired ones do not count", async () => {
    const open = await startRelay(generous);
    try {
      const prefixes = Array.from({ length: 10 }, newPrefix);
      const keys = await announced(open, prefixes);
      const refused = await announce(open, keys, [newPrefix()]);
      expect(refused.status).toBe(409);
      expect(refused.body).toMatchObject({ error: "ADDRESS_LIMIT", code: 4021 });
      expect((await announce(open, keys, prefixes)).status).toBe(200);
      expect((await announce(open, newKeys(), Array.from({ length: 11 }, newPrefix))).body.code).toBe(4019);
      expect((await register(open, keys)).status).toBe(200);
      open.clock.advance(86_401);
      expect((await announce(open, keys, Array.from({ length: 10 }, newPrefix))).status).toBe(200);
    } finally {
      await open.stop();
    }
  });

  it("let a device with more than ten addresses renew them, but not add more", async () => {
    const open = await startRelay(generous);
    try {
      const prefixes = Array.from({ length: 10 }, newPrefix);
      const keys = await announced(open, prefixes);
      const lapsed = newPrefix();
      const older = await announced(open, [lapsed]);
      open.clock.advance(86_401);
      expect((await announce(open, keys, prefixes)).status).toBe(200);
      for (let i = 0; i < 3; i++) expect((await register(open, keys)).status).toBe(200);
      for (const held of [prefixes, prefixes.slice(3), prefixes.slice(9)]) {
        expect((await announce(open, keys, held)).status).toBe(200);
      }
      expect((await announce(open, keys, [...prefixes.slice(1), newPrefix()])).body.code).toBe(4021);
      // An address that has expired would be one more that is active.
      const many = Array.from({ length: 10 }, newPrefix);
      expect((await announce(open, older, many)).status).toBe(200);
      expect((await announce(open, older, [lapsed])).body.code).toBe(4021);
      expect((await announce(open, older, many)).status).toBe(200);
    } finally {
      await open.stop();
    }
  });

  it("are a hundred active addresses in the registration flow", async () => {
    const open = await startRelay(generous);
    try {
      const { keys } = await registered(open);
      const now = open.clock.nowSeconds();
      await open.db.run(
        `insert into addresses (prefix, device_id, spelling, server_url, created_at, announced_at, expires_at)
         select gen_random_uuid(), :deviceId, 'uuid', '', :now, :now, :value from generate_series(1, 98)`,
        { deviceId: keys.deviceId, now, value: now + 1000 },
      );
      expect((await register(open, keys)).status).toBe(200);
      expect((await register(open, keys)).body.code).toBe(4021);
    } finally {
      await open.stop();
    }
  });

  it("are counted exactly when many announcements arrive at once", async () => {
    const { keys } = await registered(relay);
    const answers = await Promise.all(Array.from({ length: 10 }, () => announce(relay, keys, [newPrefix()])));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(2);
    expect(answers.filter((answer) => answer.body.code === 4004)).toHaveLength(8);
    const rows = await relay.db.rows<AnyRow>("select 1 from addresses where device_id = :deviceId", {
      deviceId: keys.deviceId,
    });
    expect(rows).toHaveLength(3);
  });

  it("are checked in the order active, new, announcements", async () => {
    const { keys } = await registered(relay);
    await announce(relay, keys, [newPrefix()]);
    await announce(relay, keys, [newPrefix()]);
    const tooMany = (count: number) => announce(relay, keys, Array.from({ length: count }, newPrefix));
    expect((await tooMany(8)).body.code).toBe(4021);
    expect((await tooMany(7)).body).toMatchObject({ code: 4004, limit: 5 });
    expect((await tooMany(2)).body).toMatchObject({ code: 4004, limit: 3 });
  });
});
