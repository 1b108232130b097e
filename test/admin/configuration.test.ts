import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDatabase } from "../../src/database/pool/pool.js";
import { logIn, startAdministered, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { expectDuring, timed } from "../support/during.js";
import { limitsOf } from "../support/rate-limit-headers.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { tableOf } from "../support/table.js";

let relay: TestRelay;
let other: TestRelay;
let admin: TestAdmin;

beforeAll(async () => {
  ({ relay, admin } = await startAdministered({ adminConfigUpdatesPerHour: 1000 }));
  other = await startRelay(relay.config, { clock: relay.clock });
});
afterAll(async () => {
  await other.stop();
  await relay.stop();
});

const read = async (at: TestRelay = relay) => (await call(at, "getConfig", { token: admin.token })).body;
const change = (body: unknown, at: TestRelay = relay) => call(at, "updateConfig", { token: admin.token, body });
const lastEntry = async () => {
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  const [entry] = await tableOf(db, "audit_entries").orderBy("id", "desc").limit(1);
  await db.close();
  return entry;
};

describe("a change of the configuration", () => {
  test("changes only the keys that are sent, and returns their names", async () => {
    const before = await read();
    const { status, body } = await change({
      progressive_trust: { new_tier_limit: 20 },
      storage: { message_queue_limit: 2000 },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      updated_by: admin.deviceId,
      updated_fields: ["progressive_trust.new_tier_limit", "storage.message_queue_limit"],
      requires_restart: false,
    });
    expect(body.config_updated_at).toBeLessThanOrEqual(relay.clock.nowSeconds());
    expect(body.config_updated_at).toBeGreaterThan(relay.clock.nowSeconds() - 300);
    expect(await read()).toEqual({
      ...before,
      progressive_trust: { ...before.progressive_trust, new_tier_limit: 20 },
      storage: { ...before.storage, message_queue_limit: 2000 },
    });
  });

  test("holds on another node within a second, and after a restart", async () => {
    await change({ server: { server_name: "Changed" } });
    const named = async () => (await read(other)).server.server_name;
    await expect.poll(named, { interval: 20 }).toBe("Changed");
    await other.stop();
    other = await startRelay(relay.config, { clock: relay.clock });
    expect(await named()).toBe("Changed");
  });

  test("is recorded with the values before and after it", async () => {
    await change({ rate_limiting: { burst_allowance: 3 } });
    await call(relay, "updateConfig", {
      token: admin.token,
      body: { rate_limiting: { burst_allowance: 4 } },
      headers: { "user-agent": "console/1 (test)" },
    });
    expect(await lastEntry()).toMatchObject({
      action: "config_updated",
      admin: admin.deviceId,
      target: "configuration",
      details: { changes: { "rate_limiting.burst_allowance": { old: 3, new: 4 } } },
      ip_address: "127.0.0.1",
      user_agent: "console/1 (test)",
    });
  });

  test("made concurrently with others, on two nodes, is applied like each of them", async () => {
    const limits = ["new_tier_limit", "established_tier_limit", "trusted_tier_limit", "spam_report_block_threshold"];
    const answers = await Promise.all(
      limits.map((key, index) =>
        change({ progressive_trust: { [key]: 100 + index } }, index % 2 === 0 ? relay : other),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await expect
      .poll(async () => (await read()).progressive_trust)
      .toMatchObject(Object.fromEntries(limits.map((key, index) => [key, 100 + index])));
  });

  test("with nothing in it changes nothing", async () => {
    const before = await read();
    expect((await change({})).body.updated_fields).toEqual([]);
    expect((await change({ storage: {} })).body.updated_fields).toEqual([]);
    expect(await read()).toEqual(before);
  });
});

describe("a wrong change", () => {
  test.each([
    ["an unknown group", { nonsense: { enabled: true } }, "nonsense"],
    ["an unknown key", { server: { server_nickname: "x" } }, "server_nickname"],
    ["a key of another group", { server: { mode: "open" } }, "mode"],
    ["a value below its range", { progressive_trust: { new_tier_limit: 0 } }, "new_tier_limit"],
    ["a value above its range", { progressive_trust: { new_tier_limit: 1001 } }, "new_tier_limit"],
    ["a ratio above one", { federation: { auto_block_threshold: 1.5 } }, "auto_block_threshold"],
    ["a word that is no choice", { registration: { mode: "closed" } }, "mode"],
    ["another protocol version", { server: { protocol_version: "1.1" } }, "protocol_version"],
    ["an empty text", { server: { server_name: "" } }, "server_name"],
    ["control characters", { server: { server_name: "a\u0007b" } }, "server_name"],
    ["a text for a number", { progressive_trust: { new_tier_limit: "10" } }, "new_tier_limit"],
    ["a fraction for an integer", { progressive_trust: { new_tier_limit: 10.5 } }, "new_tier_limit"],
    ["a number for a truth value", { federation: { enabled: 1 } }, "enabled"],
    ["a list for a group", { federation: [] }, "federation"],
  ])("with %s is INVALID_CONFIG, names the key, and changes nothing", async (_, patch, key) => {
    const before = await read();
    const { status, body } = await change({ storage: { message_queue_limit: 77 }, ...patch });
    expect([status, body.error, body.code]).toEqual([400, "INVALID_CONFIG", 4013]);
    expect(body.message).toContain(key);
    expect(JSON.stringify(body["details"])).toContain(key);
    expect(await read()).toEqual(before);
  });

  test("with several wrong keys names all of them", async () => {
    const before = await read();
    const { status, body } = await change({
      registration: { nope: 1, nada: 2, mode: "open" },
      progressive_trust: { new_tier_limit: 0 },
      storage: { message_queue_limit: 77 },
      unheard_of: {},
    });
    expect([status, body.error, body.code]).toEqual([400, "INVALID_CONFIG", 4013]);
    const wrong = ["registration/nope", "registration/nada", "progressive_trust/new_tier_limit", "unheard_of"];
    const paths = (body["details"] as { path: string }[]).map(({ path }) => path);
    expect(paths.sort()).toEqual(wrong.map((path) => `body/${path}`).sort());
    for (const path of wrong) expect(body.message).toContain(path);
    expect(await read()).toEqual(before);
  });

  test("with a text for the tree is INVALID_REQUEST and changes nothing", async () => {
    const before = await read();
    const answer = await change("storage");
    expect([answer.status, answer.body.error, answer.body.code]).toEqual([400, "INVALID_REQUEST", 4000]);
    expect(await read()).toEqual(before);
  });

  test("with null for a value leaves it as it is", async () => {
    const before = await read();
    const { body } = await change({ registration: { mode: null }, storage: null });
    expect(body.updated_fields).toEqual([]);
    expect(await read()).toEqual(before);
  });
});

test("an administrator makes at most a hundred changes an hour, over all nodes", async () => {
  const limited = await startAdministered({ adminConfigUpdatesPerHour: 3 });
  const second = await startRelay(limited.relay.config, { clock: limited.relay.clock });
  const body = { storage: { message_queue_limit: 500 } };
  const update = (at: TestRelay) => call(at, "updateConfig", { token: limited.admin.token, body });
  try {
    const updating = await timed(limited.relay.clock, () =>
      Promise.all([update(second), update(limited.relay), update(second), update(limited.relay)]),
    );
    const answers = updating.result;
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429]);
    const refused = await update(limited.relay);
    expect(refused.body).toMatchObject({ error: "RATE_LIMIT_EXCEEDED", code: 4004, limit: 3 });
    expect(limitsOf(refused)).toMatchObject({ admin_config_updates: { limit: 3, remaining: 0, windowSeconds: 3600 } });
    expectDuring(refused.body["reset_at"], updating, 3600);
    expect(Number(refused.headers.get("retry-after"))).toBe(refused.body["retry_after"]);
    limited.relay.clock.advance(3000);
    expect((await update(limited.relay)).status).toBe(429);
    limited.relay.clock.advance(602);
    const { token } = await logIn(limited.relay, limited.admin);
    expect((await call(second, "updateConfig", { token, body })).status).toBe(200);
  } finally {
    await second.stop();
    await limited.relay.stop();
  }
});
