import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDatabase } from "../../src/database/pool/pool.js";
import { sign } from "../../src/protocol/signature.js";
import { type AdminKeys, adminKeys, logIn, loginBody } from "../support/admin.js";
import { call } from "../support/api.js";
import { announcement } from "../support/device.js";
import { expectDuring, timed } from "../support/during.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { tableOf } from "../support/table.js";

let relay: TestRelay;
let other: TestRelay;
let keys: AdminKeys;
const moderator = adminKeys("verify_devices", "view_metrics");
const viewer = adminKeys("view_metrics", "view_audit");

beforeAll(async () => {
  keys = adminKeys("all");
  relay = await startRelay({ adminList: [keys, moderator, viewer].map(({ seed }) => seed).join(",") });
  other = await startRelay(relay.config, { clock: relay.clock });
});
afterAll(async () => {
  await other.stop();
  await relay.stop();
});

const login = async (extra: Readonly<Record<string, unknown>> = {}, by: AdminKeys = keys) =>
  call(relay, "loginAdmin", { body: await loginBody(relay, by, extra) });
const works = async (token: string, at: TestRelay = relay) => (await call(at, "getConfig", { token })).status;
const until = async (condition: () => Promise<boolean>, millis: number) => {
  const deadline = performance.now() + millis;
  while (!(await condition())) {
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
};

describe("logging in", () => {
  test("a signed challenge returns a token for an hour, with permissions and level", async () => {
    const now = relay.clock.nowSeconds();
    const { status, body } = await login();
    expect([status, body.permissions, body.admin_level]).toEqual([200, ["all"], "admin"]);
    expect(body.expires_at - now).toBeGreaterThanOrEqual(3600);
    expect(body.expires_at - relay.clock.nowSeconds()).toBeLessThanOrEqual(3600);
    expect(await works(body.admin_token)).toBe(200);
    expect((await login({}, moderator)).body.admin_level).toBe("moderator");
    expect((await login({}, viewer)).body.admin_level).toBe("viewer");
  });

  test("the public key names the admin too, and the audience may be left out", async () => {
    const { body } = await call(relay, "getAdminChallenge");
    const request = { device_id: keys.publicKey, challenge: body.challenge, timestamp: relay.clock.nowSeconds() };
    const challenge_signature = sign(keys.secretKey, body.challenge);
    expect((await call(relay, "loginAdmin", { body: { ...request, challenge_signature } })).status).toBe(200);
  });

  test("a challenge has 64 hex characters, lives five minutes, and is good on another node", async () => {
    const asking = await timed(relay.clock, () => call(other, "getAdminChallenge"));
    const { body } = asking.result;
    expect(body.challenge).toMatch(/^[0-9a-f]{64}$/);
    expectDuring(body.expires_at, asking, 300);
    const challenge_signature = sign(keys.secretKey, `${body.challenge}\nrelay.test`);
    expect((await login({ challenge: body.challenge, challenge_signature })).status).toBe(200);
  });

  test("a stranger and a wrong signature have the same answer, so nobody learns who is an administrator", async () => {
    const challenge_signature = "00".repeat(64);
    const refusals = [
      await login({}, adminKeys("all")),
      await login({ challenge_signature }, adminKeys("all")),
      await login({ challenge_signature, timestamp: 1 }),
      await login({ audience: undefined }),
    ];
    for (const { status, body, headers } of refusals) {
      expect([status, body.error, body.code]).toEqual([401, "INVALID_ADMIN", 4010]);
      expect(body).toEqual({ ...refusals[0]?.body, request_id: body["request_id"] });
      expect(headers.get("www-authenticate")).toMatch(/^Bearer/);
    }
  });

  test("a made-up or expired challenge is refused before the signature, a stranger's as well", async () => {
    const challenge = "00".repeat(32);
    for (const by of [keys, adminKeys("all")]) {
      const made = await login({ challenge, challenge_signature: "00".repeat(64) }, by);
      expect([made.status, made.body.error, made.body.code]).toEqual([410, "CHALLENGE_EXPIRED", 4011]);
    }
    const body = await loginBody(relay, keys, { challenge_signature: "00".repeat(64) });
    relay.clock.advance(301);
    expect((await call(relay, "loginAdmin", { body })).status).toBe(410);
  });

  // The limit is 60 seconds ahead. The clock goes on while the request is under way, hence the margin.
  test.each([-301, 90])("a timestamp %d seconds off is refused, with the server's time", async (offset) => {
    const refusing = await timed(relay.clock, () => login({ timestamp: relay.clock.nowSeconds() + offset }));
    const { status, body } = refusing.result;
    expect([status, body.error]).toEqual([400, "INVALID_REQUEST"]);
    expectDuring(body["server_timestamp"], refusing);
  });

  test("another server's audience is refused", async () => {
    const { status, body } = await login({ audience: "elsewhere.test" });
    expect([status, body.error]).toEqual([400, "INVALID_REQUEST"]);
  });

  test("a challenge is good once, even when it is used on two nodes at the same time", async () => {
    const body = await loginBody(relay, keys);
    const answers = await Promise.all([relay, other, relay, other].map((at) => call(at, "loginAdmin", { body })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410]);
    expect((await call(relay, "loginAdmin", { body })).body.error).toBe("CHALLENGE_EXPIRED");
  });

  test("a failed login does not use the challenge up", async () => {
    const body = await loginBody(relay, keys);
    const challenge_signature = "00".repeat(64);
    expect((await call(relay, "loginAdmin", { body: { ...body, challenge_signature } })).status).toBe(401);
    expect((await call(relay, "loginAdmin", { body })).status).toBe(200);
  });
});

describe("a session", () => {
  test("ends with the token after an hour", async () => {
    const { token } = await logIn(relay, keys);
    relay.clock.advance(3601);
    expect(await works(token)).toBe(401);
  });

  test("is refreshed hour by hour, up to twelve hours after the login", async () => {
    let { token } = await logIn(relay, keys);
    const begun = relay.clock.nowSeconds();
    for (let hour = 1; hour < 13; hour++) {
      relay.clock.advance(3540);
      const { status, body } = await call(relay, "refreshAdminToken", { token });
      expect(status).toBe(200);
      expect(body.expires_at).toBeLessThanOrEqual(begun + 12 * 3600);
      token = body.admin_token;
    }
    relay.clock.advance(720);
    expect((await call(relay, "refreshAdminToken", { token })).body.error).toBe("INVALID_TOKEN");
  });

  test("ended by a logout is void at once here and within a second on other nodes, with its refreshed tokens", async () => {
    const { token } = await logIn(relay, keys);
    const refreshed = (await call(relay, "refreshAdminToken", { token })).body.admin_token;
    const another = (await logIn(relay, keys)).token;
    expect(await works(refreshed, other)).toBe(200);
    const { status, body } = await call(relay, "logoutAdmin", { token });
    expect([status, body.message]).toEqual([200, "logged out"]);
    expect([await works(token), await works(refreshed)]).toEqual([401, 401]);
    expect(await until(async () => (await works(refreshed, other)) === 401, 90_000)).toBe(true);
    expect(await works(another)).toBe(200);
  });

  test("is separate from the session of the device with the same key", async () => {
    const announced = await call(relay, "announceWithProof", { body: announcement(relay, keys) });
    const deviceToken = announced.body.access_token;
    const { token } = await logIn(relay, keys);
    expect([await works(deviceToken), await works(token)]).toEqual([401, 200]);
    expect((await call(relay, "pollMessages", { token })).status).toBe(401);
    expect((await call(relay, "pollMessages", { token: deviceToken })).status).toBe(200);
  });

  test("is recorded with its network address and user agent", async () => {
    const headers = { "user-agent": "console/1 (test)" };
    const body = await loginBody(relay, keys);
    const { admin_token: token } = (await call(relay, "loginAdmin", { body, headers })).body;
    await call(relay, "logoutAdmin", { token, headers });
    const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
    const entries = await tableOf(db, "audit_entries").whereNotNull("ip_address").orderBy("id", "desc").limit(2);
    await db.close();
    expect(entries.map(({ action }) => action)).toEqual(["admin_logout", "admin_login"]);
    for (const entry of entries) {
      expect(entry).toMatchObject({ admin: keys.deviceId, ip_address: "127.0.0.1", user_agent: "console/1 (test)" });
    }
  });

  test("is recorded with the first 64 bits of an IPv6 address", async () => {
    const proxied = await startRelay({ adminList: keys.seed, trustedProxies: ["127.0.0.1"] });
    try {
      const headers = { "x-forwarded-for": "2001:db8:1:2:3:4:5:6" };
      const { body } = await call(proxied, "loginAdmin", { body: await loginBody(proxied, keys), headers });
      const { entries } = (await call(proxied, "listAuditEntries", { token: body.admin_token })).body;
      const [login] = entries.filter(({ action }) => action === "admin_login");
      expect(login?.ip_address).toBe("2001:db8:1:2::/64");
    } finally {
      await proxied.stop();
    }
  });
});
