import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AnyRow } from "../support/any-row.js";
import { type StrictRelay, startRelay } from "./relay.js";
import { challengeFor, newIp, newKeys, send } from "./wire.js";

const baseDifficulty = { SEED_REGISTRATION_PROOF_OF_WORK_DIFFICULTY: "5000000" };
const path = "/api/v1/announce/challenge";

describe("a registration challenge", () => {
  let relay: StrictRelay;
  beforeAll(async () => {
    relay = await startRelay({ seeds: baseDifficulty });
  });
  afterAll(() => relay.stop());

  it("is 32 random bytes with the base number of iterations, and expires after five minutes", async () => {
    const keys = newKeys();
    const now = relay.clock.nowSeconds();
    const first = await challengeFor(relay, keys);
    const second = await challengeFor(relay, keys);
    expect(first.status).toBe(200);
    expect(first.headers.get("cache-control")).toBe("no-store");
    expect(first.body.challenge).toMatch(/^[0-9a-f]{64}$/);
    expect(first.body.challenge).not.toBe(second.body.challenge);
    expect(first.body.iterations).toBe(5_000_000);
    expect(first.body.expires_at - now).toBeGreaterThanOrEqual(300);
    expect(first.body.expires_at - now).toBeLessThanOrEqual(330);
  });

  it("is served by GET with the key in the query as well", async () => {
    const answer = await send(relay, `${path}?public_key=${newKeys().publicKey.toUpperCase()}`);
    expect(answer.status).toBe(200);
    expect(answer.body.challenge).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    ["no key", {}],
    ["a key that is too short", { public_key: "ab" }],
    ["a key that is no hexadecimal", { public_key: "z".repeat(64) }],
    ["a key of the wrong type", { public_key: 7 }],
    ["a member that the contract does not name", { public_key: "a".repeat(64), device_id: "x" }],
  ])("is refused for %s", async (_what, body) => {
    const answer = await send(relay, path, { body });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: "INVALID_REQUEST", code: 4000 });
  });

  it("is refused by GET without a key or with a malformed one", async () => {
    for (const query of ["", "?public_key=ab", "?public_key=&x=1"]) {
      expect((await send(relay, `${path}${query}`)).body.code).toBe(4000);
    }
  });

  it("is issued ten times an hour to one network address, POST and GET together", async () => {
    const ip = newIp();
    for (let i = 0; i < 5; i++) expect((await challengeFor(relay, newKeys(), ip)).status).toBe(200);
    for (let i = 0; i < 5; i++) {
      expect((await send(relay, `${path}?public_key=${newKeys().publicKey}`, { ip })).status).toBe(200);
    }
    const refused = await challengeFor(relay, newKeys(), ip);
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ error: "RATE_LIMIT_EXCEEDED", code: 4004, limit: 10 });
    expect(refused.body.retry_after).toBeGreaterThan(3500);
    expect(refused.headers.get("retry-after")).toBe(String(refused.body.retry_after));
    expect((await challengeFor(relay, newKeys(), newIp())).status).toBe(200);
    relay.clock.advance(3601);
    expect((await challengeFor(relay, newKeys(), ip)).status).toBe(200);
  });

  it("is counted exactly when many are requested at once", async () => {
    const ip = newIp();
    const answers = await Promise.all(Array.from({ length: 25 }, () => challengeFor(relay, newKeys(), ip)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(10);
    expect(answers.filter((answer) => answer.body.code === 4004)).toHaveLength(15);
  });

  it("counts an IPv6 network of 64 bits as one address", async () => {
    for (let i = 0; i < 10; i++) expect((await challengeFor(relay, newKeys(), `2001:db8:1:2::${i}`)).status).toBe(200);
    expect((await challengeFor(relay, newKeys(), "2001:db8:1:2:ffff::1")).status).toBe(429);
    expect((await challengeFor(relay, newKeys(), "2001:db8:1:3::1")).status).toBe(200);
  });

  it("keeps no network address in the database", async () => {
    const ip = "203.0.113.77";
    await challengeFor(relay, newKeys(), ip);
    const rows = await relay.db.rows<AnyRow>("select t::text from rate_limits as t");
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain("203.0.113");
  });
});

describe("the difficulty of a challenge", () => {
  let relay: StrictRelay;
  beforeAll(async () => {
    relay = await startRelay({ seeds: baseDifficulty });
  });
  afterAll(() => relay.stop());

  async function registrations(total: number): Promise<void> {
    await relay.db.run("delete from devices");
    await relay.db.run(
      `insert into devices (device_id, public_key, registered_at, last_active)
       select 'device-' || n, '\\x00', ${relay.clock.nowSeconds()}, 0 from generate_series(1, ${total}) as n`,
    );
  }

  it.each([
    [1000, 5_000_000],
    [1001, 20_000_000],
    [1500, 20_000_000],
    [1501, 40_000_000],
    [2000, 40_000_000],
    [2001, 80_000_000],
  ])("after %i registrations in the last hour is %i iterations", async (total, iterations) => {
    await registrations(total);
    expect((await challengeFor(relay, newKeys())).body.iterations).toBe(iterations);
  });

  it("is the base again when the registrations are more than an hour old", async () => {
    await registrations(2001);
    relay.clock.advance(3601);
    expect((await challengeFor(relay, newKeys())).body.iterations).toBe(5_000_000);
  });

  it("never exceeds 80,000,000 iterations", async () => {
    const steep = await startRelay({ seeds: { SEED_REGISTRATION_PROOF_OF_WORK_DIFFICULTY: "30000000" } });
    try {
      await steep.db.run(
        `insert into devices (device_id, public_key, registered_at, last_active)
         select 'device-' || n, '\\x00', ${steep.clock.nowSeconds()}, 0 from generate_series(1, 1001) as n`,
      );
      expect((await challengeFor(steep, newKeys())).body.iterations).toBe(80_000_000);
    } finally {
      await steep.stop();
    }
  });
});

it("a challenge is refused while registration is off", async () => {
  const relay = await startRelay({ seeds: { SEED_REGISTRATION_ENABLED: "false" } });
  try {
    const answer = await challengeFor(relay, newKeys());
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ error: "REGISTRATION_CLOSED", code: 4023 });
  } finally {
    await relay.stop();
  }
});
