import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { authenticate } from "../federation/origin-fixture.js";
import { type AdminKeys, adminKeys, logIn, startAdministered, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { demand, newDevice } from "../support/device.js";
import { createPeerFixture, type PeerFixture } from "../support/peers.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { tableOf } from "../support/table.js";

const otherKeys: AdminKeys = adminKeys("block_federation", "manage_config");
const changesPerHour = 30;
let peers: PeerFixture;
let relay: TestRelay;
let second: TestRelay;
let db: Database;
let admin: TestAdmin;

beforeAll(async () => {
  peers = await createPeerFixture();
  const member = await peers.membership(9);
  const overrides = { ...member, adminList: otherKeys.seed, adminConfigUpdatesPerHour: changesPerHour };
  ({ relay, admin } = await startAdministered(overrides, ["block_federation", "view_audit", "manage_config"]));
  second = await startRelay(relay.config, { clock: relay.clock });
  db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
});
afterAll(async () => {
  await db.close();
  await second.stop();
  await relay.stop();
  await peers.stop();
});

const origin = async (domain: string) => ({ domain, credential: await peers.authority.issue({ hosts: [domain] }) });
const block = (body: object, node = relay) => call(node, "blockServer", { token: admin.token, body });
const blocked = (server_domain: string, more: object = {}) =>
  block({ server_domain, reason: "It sends spam", ...more }).then(demand);
const unblock = (server_domain: string) =>
  call(relay, "unblockServer", { token: admin.token, params: { server_domain } });
const list = async (query: Record<string, number> = {}) =>
  demand(await call(relay, "listBlockedServers", { token: admin.token, query: { limit: 1000, ...query } })).body;
const namesOf = async (query?: Record<string, number>) =>
  (await list(query)).blocked_servers.map(({ domain }) => domain);
const reputation = (server_domain: string) =>
  call(relay, "getServerReputation", { token: admin.token, params: { server_domain } });
const readPolicy = async () => demand(await call(relay, "getFederationPolicy", { token: admin.token })).body;
const setPolicy = (body: object) => call(relay, "setFederationPolicy", { token: admin.token, body });
const entries = async (query: Record<string, string>) =>
  demand(await call(relay, "listAuditEntries", { token: admin.token, query })).body.entries;

/** What a server is told that asks to be let in: by the challenge already, if it is refused. */
async function calling(domain: string, node = relay): Promise<string> {
  const { status, body } = await call(node, "createFederationChallenge", { body: { origin_server: domain } });
  return status === 200 ? "200" : `${status} ${body.error}`;
}

describe("blocking a server", () => {
  test("returns the block, records it, and excludes the server on every node at once", async () => {
    expect((await authenticate(relay, await origin("spam.example"))).status).toBe(200);
    const expires_at = relay.clock.nowSeconds() + 600;
    const about = { reason: "Sends spam", expires_at, reason_category: "spam", severity: "high" };
    const { body } = demand(await block({ server_domain: "Spam.Example:8443", ...about }));
    expect(body).toEqual({
      ...about,
      server_domain: "spam.example",
      blocked_at: expect.any(Number),
      blocked_by: admin.deviceId,
    });
    expect(Math.abs(body.blocked_at - relay.clock.nowSeconds())).toBeLessThan(30);
    for (const node of [relay, second]) {
      expect(await calling("spam.example", node)).toBe("403 SERVER_BLOCKED");
      expect(await calling("below.spam.example", node)).toBe("403 SERVER_BLOCKED");
      expect(await calling("notspam.example", node)).toBe("200");
    }
    const device = await newDevice(relay);
    expect((await device.send(`${randomUUID()}@spam.example`)).body.error).toBe("FEDERATION_FAILED");
    const [entry, ...more] = await entries({ action: "federation_blocked", target: "spam.example" });
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ admin: admin.deviceId, details: about, ip_address: "127.0.0.1" });
    expect((await list()).blocked_servers.find(({ domain }) => domain === "spam.example")).toEqual({
      ...about,
      domain: "spam.example",
      blocked_at: body.blocked_at,
      blocked_by: admin.deviceId,
    });

    relay.clock.advance(601);
    expect(await namesOf()).not.toContain("spam.example");
    expect(await calling("spam.example")).toBe("200");
    expect((await unblock("spam.example")).body.error).toBe("NOT_FOUND");
  });

  test("is permanent and without a category by default, and replaces an earlier block", async () => {
    expect((await blocked("again.example")).body).toMatchObject({
      ...{ expires_at: null, reason_category: "other", severity: "medium" },
    });
    await blocked("again.example", { reason: "It sends malware", severity: "critical" });
    const found = (await list()).blocked_servers.filter(({ domain }) => domain === "again.example");
    expect(found).toEqual([expect.objectContaining({ reason: "It sends malware", severity: "critical" })]);
    expect(await entries({ action: "federation_blocked", target: "again.example" })).toHaveLength(2);
  });

  const wrong: [string, object, [number, string, number]][] = [
    ["a name that begins with a hyphen", { server_domain: "-spam.example" }, [400, "INVALID_ADDRESS", 4005]],
    ["a name with a space", { server_domain: "spam example" }, [400, "INVALID_ADDRESS", 4005]],
    ["an address", { server_domain: "192.0.2.7" }, [400, "INVALID_ADDRESS", 4005]],
    ["an underscore", { server_domain: "sp_am.example" }, [400, "INVALID_ADDRESS", 4005]],
    ["a name that is not ASCII", { server_domain: "späm.example" }, [400, "INVALID_ADDRESS", 4005]],
    ["no name", { server_domain: undefined }, [400, "INVALID_REQUEST", 4000]],
    ["no reason", { reason: undefined }, [400, "INVALID_REQUEST", 4000]],
    ["an end that has passed", { expires_at: 1 }, [400, "INVALID_REQUEST", 4000]],
    ["an unknown category", { reason_category: "rude" }, [400, "INVALID_REQUEST", 4000]],
    ["an unknown severity", { severity: "worst" }, [400, "INVALID_REQUEST", 4000]],
    ["an unknown member", { until: 5 }, [400, "INVALID_REQUEST", 4000]],
  ];
  test.each(wrong)("with %s is refused, and changes nothing", async (_, change, answer) => {
    const before = [await list(), await entries({ action: "federation_blocked" })];
    const { status, body } = await block({ server_domain: "wrong.example", reason: "Because", ...change });
    expect([status, body.error, body.code]).toEqual(answer);
    expect([await list(), await entries({ action: "federation_blocked" })]).toEqual(before);
  });
});

describe("ending a block", () => {
  test("readmits the server, once, and records it", async () => {
    await blocked("sorry.example");
    expect(await calling("sorry.example")).toBe("403 SERVER_BLOCKED");
    const { body } = demand(await unblock("SORRY.example"));
    expect(body).toEqual({
      server_domain: "sorry.example",
      unblocked_at: expect.any(Number),
      unblocked_by: admin.deviceId,
    });
    for (const node of [relay, second]) expect(await calling("sorry.example", node)).toBe("200");
    const again = await unblock("sorry.example");
    expect([again.status, again.body.error, again.body.code]).toEqual([404, "NOT_FOUND", 4016]);
    const noted = await entries({ action: "federation_unblocked", target: "sorry.example" });
    expect(noted).toEqual([expect.objectContaining({ admin: admin.deviceId, details: {} })]);
  });

  test("is refused for a subdomain of a blocked server and for a malformed name", async () => {
    await blocked("above.example");
    expect((await unblock("below.above.example")).body.error).toBe("NOT_FOUND");
    expect(await calling("below.above.example")).toBe("403 SERVER_BLOCKED");
    const wrong = await unblock("no_server");
    expect([wrong.status, wrong.body.error]).toEqual([400, "INVALID_ADDRESS"]);
  });
});

describe("the list of blocks", () => {
  test("is paged, the latest first, with the total number", async () => {
    const names = ["one", "two", "three", "four", "five"].map((name) => `${name}.pages.example`);
    for (const name of names) {
      relay.clock.advance(2);
      await blocked(name);
    }
    const latest = names.toReversed();
    expect((await namesOf()).slice(0, 5)).toEqual(latest);
    const total = (await list()).total_blocked;
    expect(total).toBe((await namesOf()).length);
    const pages = [await list({ limit: 2 }), await list({ limit: 2, offset: 2 }), await list({ limit: 1, offset: 4 })];
    expect(pages.flatMap(({ blocked_servers }) => blocked_servers.map(({ domain }) => domain))).toEqual(latest);
    expect(pages.map(({ total_blocked }) => total_blocked)).toEqual([total, total, total]);
    expect(await list({ offset: total })).toEqual({ blocked_servers: [], total_blocked: total });
  });

  test("has all of them unless a limit is asked for", async () => {
    const names = Array.from({ length: 101 }, (_, i) => `many${i}.example`);
    const blockedAt = relay.clock.nowSeconds();
    const rows = names.map((domain) => ({
      domain,
      blocked_at: blockedAt,
      reason: "",
      reason_category: "spam",
      severity: "low",
    }));
    await tableOf(db, "federation_blocks").insert(rows);
    const { body } = demand(await call(relay, "listBlockedServers", { token: admin.token }));
    expect(body.blocked_servers).toHaveLength(body.total_blocked);
    expect(body.blocked_servers.map(({ domain }) => domain)).toEqual(expect.arrayContaining(names));
    await tableOf(db, "federation_blocks").whereIn("domain", names).delete();
  });

  test.each([{ limit: 0 }, { limit: 10_001 }, { offset: -1 }, { page: 2 }])("is refused for %o", async (query) => {
    const { status, body } = await call(relay, "listBlockedServers", { token: admin.token, query });
    expect([status, body.error]).toEqual([400, "INVALID_REQUEST"]);
  });
});

describe("the reputation of a server", () => {
  test("is returned for a server that has called, in any spelling, with its block", async () => {
    demand(await authenticate(relay, await origin("known.example")));
    expect(demand(await reputation("Known.Example:8443")).body).toMatchObject({
      ...{ server_domain: "known.example", reputation_score: 1, federation_status: "active" },
      metrics: { messages_delivered: 0, certificate_valid: true },
    });
    await blocked("known.example");
    expect(demand(await reputation("known.example")).body.federation_status).toBe("blocked");
  });

  test("is not found for a server without contact, even a blocked one, and refused for a malformed name", async () => {
    await blocked("stranger.example");
    const unknown = await reputation("stranger.example");
    expect([unknown.status, unknown.body.error, unknown.body.code]).toEqual([404, "SERVER_UNREACHABLE", 4007]);
    const wrong = await reputation("192.0.2.7");
    expect([wrong.status, wrong.body.error]).toEqual([400, "INVALID_ADDRESS"]);
  });
});

describe("the policy", () => {
  const usual = {
    allowlist_mode: false,
    allowlist: [] as string[],
    auto_block_threshold: 0.3,
    require_certificate_validation: true,
    publish_blocklist: false,
  };

  test("is set as a whole, is the same as the configuration's group, and works on every node", async () => {
    expect(await readPolicy()).toEqual(usual);
    const wish = {
      ...{ allowlist_mode: true, allowlist: ["Friend.example:8443", "ally.example", "friend.example"] },
      ...{ auto_block_threshold: 0.5, require_certificate_validation: false, publish_blocklist: true },
    };
    const set = { ...wish, allowlist: ["ally.example", "friend.example"] };
    const { body } = demand(await setPolicy(wish));
    expect(body).toMatchObject({ updated_by: admin.deviceId, policy_updated_at: expect.any(Number) });
    expect({ ...body.current_policy, allowlist: body.current_policy.allowlist.toSorted() }).toEqual(set);
    const { federation } = demand(await call(relay, "getConfig", { token: admin.token })).body;
    expect(federation).toEqual({
      ...{ enabled: true, allowlist_mode: true, auto_block_threshold: 0.5 },
      ...{ publish_blocklist: true, certificate_validation: false },
    });
    for (const node of [relay, second]) {
      expect(await calling("friend.example", node)).toBe("200");
      expect(await calling("newcomer.example", node)).toBe("403 SERVER_BLOCKED");
    }
    const [entry] = await entries({ action: "config_updated", target: "federation policy" });
    expect(entry).toMatchObject({
      admin: admin.deviceId,
      details: {
        changes: {
          "federation.allowlist_mode": { old: false, new: true },
          "federation.auto_block_threshold": { old: 0.3, new: 0.5 },
        },
        allowlist: wish.allowlist,
      },
    });

    // A list that is left out stays, and the other way leads to the same settings.
    const { allowlist: _, ...without } = usual;
    demand(await setPolicy(without));
    expect((await readPolicy()).allowlist.toSorted()).toEqual(set.allowlist);
    expect(await calling("newcomer.example")).toBe("200");
    const patch = { federation: { allowlist_mode: true } };
    demand(await call(relay, "updateConfig", { token: admin.token, body: patch }));
    expect(await readPolicy()).toMatchObject({ allowlist_mode: true });
    demand(await setPolicy(usual));
    expect(await readPolicy()).toEqual(usual);
  });

  const wrong: [string, object, [number, string]][] = [
    ["a threshold over one", { auto_block_threshold: 1.1 }, [400, "INVALID_CONFIG"]],
    ["a threshold under zero", { auto_block_threshold: -0.1 }, [400, "INVALID_CONFIG"]],
    ["a threshold that is a text", { auto_block_threshold: "0.5" }, [400, "INVALID_CONFIG"]],
    ["no mode", { allowlist_mode: undefined }, [400, "INVALID_REQUEST"]],
    ["an unknown member", { blocklist: [] }, [400, "INVALID_REQUEST"]],
    ["a list of what is no domain", { allowlist: ["fine.example", "not a domain"] }, [400, "INVALID_ADDRESS"]],
    ["an address on the list", { allowlist: ["192.0.2.7"] }, [400, "INVALID_ADDRESS"]],
  ];
  test.each(wrong)("with %s is refused, and stays as it was", async (_, change, answer) => {
    const before = [await readPolicy(), await entries({ action: "config_updated" })];
    const { status, body } = await setPolicy({ ...usual, allowlist_mode: true, ...change });
    expect([status, body.error]).toEqual(answer);
    expect([await readPolicy(), await entries({ action: "config_updated" })]).toEqual(before);
  });

  test("counts against the changes of the configuration that an administrator may make in an hour", async () => {
    const { token } = await logIn(relay, otherKeys);
    const change = (i: number) => {
      const body = { federation: { publish_blocklist: false } };
      return i % 2 === 0
        ? call(relay, "updateConfig", { token, body })
        : call(relay, "setFederationPolicy", { token, body: usual });
    };
    for (let i = 0; i < changesPerHour; i++) expect((await change(i)).status).toBe(200);
    for (const i of [0, 1]) {
      const { status, body, headers } = await change(i);
      expect([status, body.error, body["limit"]]).toEqual([429, "RATE_LIMIT_EXCEEDED", changesPerHour]);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
    relay.clock.advance(3_601);
    const renewed = await logIn(relay, otherKeys);
    expect((await call(relay, "setFederationPolicy", { token: renewed.token, body: usual })).status).toBe(200);
  });
});
