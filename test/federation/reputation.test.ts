import { createPublicKey, verify } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../support/api.js";
import { demand, type TestDevice } from "../support/device.js";
import { tableOf } from "../support/table.js";
import { until } from "../support/until.js";
import { authenticate, deliver, messagesFor, type Origin, outcomeOf } from "./origin-fixture.js";
import { createReputationFixture, type ReputationFixture } from "./reputation-fixture.js";

let fixture: ReputationFixture;
let devices: TestDevice[];
const week = 7 * 86_400;

beforeAll(async () => {
  fixture = await createReputationFixture();
  devices = [];
  for (let i = 0; i < 4; i++) devices.push(await fixture.device());
});
afterAll(() => fixture.stop());

const device = (i = 0): TestDevice => devices[i] as TestDevice;
const scoreOf = async (domain: string) => (await fixture.reputation(domain)).reputation_score;
const limitsOf = async (server: Origin) =>
  demand(await authenticate(fixture.relay, server)).body.rate_limits.messages_per_minute;
const blockedServers = async () =>
  demand(await call(fixture.relay, "listBlockedServers", { token: await fixture.admin() })).body.blocked_servers;
const block = async (server: string, more: object = {}) =>
  demand(
    await call(fixture.relay, "blockServer", {
      token: await fixture.admin(),
      body: { server_domain: server, reason: "because", ...more },
    }),
  );
const unblock = async (server: string) =>
  call(fixture.relay, "unblockServer", { token: await fixture.admin(), params: { server_domain: server } });

describe("the reputation of a server", () => {
  it("has every member and starts at one", async () => {
    const server = await fixture.server("fresh.example");
    await fixture.give(server, device(), { good: 3 });
    const now = fixture.relay.clock.nowSeconds();
    const reputation = await fixture.reputation("FRESH.example");
    expect(reputation).toMatchObject({
      server_domain: "fresh.example",
      reputation_score: 1,
      metrics: {
        messages_delivered: 3,
        messages_rejected: 0,
        spam_reports_received: 0,
        uptime_percentage: null,
        average_response_time_ms: null,
        certificate_valid: true,
      },
      federation_status: "active",
      federated_blocklist_count: 0,
    });
    expect(now - reputation.first_contact).toBeLessThan(60);
    expect(reputation.last_activity).toBeGreaterThanOrEqual(reputation.first_contact);
  });

  it("falls by three tenths of the share that breaks the rules", async () => {
    const server = await fixture.server("sloppy.example");
    await fixture.give(server, device(), { good: 20, bad: 5 });
    expect(await scoreOf("sloppy.example")).toBeCloseTo(1 - (5 / 20) * 0.3);
  });

  it("does not fall for unknown recipients", async () => {
    const server = await fixture.server("guessing.example");
    const nobody = { ...device(), address: `${"7".repeat(32)}@${fixture.relay.domain}` };
    await fixture.give(server, nobody, { good: 30 });
    expect(await scoreOf("guessing.example")).toBe(1);
  });

  it("falls by half of the share that is reported, each message once for a reporter, and acts only with enough messages", async () => {
    const server = await fixture.server("few.example");
    const ids = await fixture.give(server, device(), { good: 2, bad: 2 });
    for (const id of [...ids, ...ids]) expect(await fixture.report(device(), id)).toBe(200);
    const { reputation_score, federation_status, metrics } = await fixture.reputation("few.example");
    expect(reputation_score).toBeCloseTo(1 - 0.5 - 0.3);
    expect([metrics.spam_reports_received, federation_status]).toEqual([2, "active"]);
    expect(await limitsOf(server)).toBe(400);
  });

  it("falls by reports about a message of it only where it came to the reporter", async () => {
    const server = await fixture.server("victim.example");
    const [id = ""] = await fixture.give(server, device(0), { good: 1 });
    expect(await fixture.report(device(1), id)).toBe(404);
    expect(await scoreOf("victim.example")).toBe(1);
  });

  it("does not exist for a server without contact", async () => {
    const params = { server_domain: "nobody.example" };
    const { status, body } = await call(fixture.relay, "getServerReputation", { token: await fixture.admin(), params });
    expect([status, body.error]).toEqual([404, "SERVER_UNREACHABLE"]);
  });

  it("counts the lists that name it, one per registrable domain and five at most", async () => {
    const server = await fixture.server("listed.example");
    await fixture.give(server, device(), { good: 1 });
    const publishers = ["a.one.org", "b.one.org", "two.org", "three.org", "x.listed.example"];
    const counts = async () => {
      const { federated_blocklist_count, reputation_score } = await fixture.reputation("listed.example");
      return [federated_blocklist_count, Number(reputation_score.toFixed(3))];
    };
    await list(publishers, "listed.example");
    expect(await counts()).toEqual([3, 0.85]);
    await list(["four.org", "five.org", "six.org", "seven.org"], "listed.example");
    expect((await counts())[1]).toBe(0.75);
  });
});

/** Has these servers name another one in lists that were fetched. */
async function list(publishers: readonly string[], domain: string): Promise<void> {
  const now = fixture.relay.clock.nowSeconds();
  for (const host of publishers) {
    const registrable = host.split(".").slice(-2).join(".");
    const times = { first_contact: now - week, last_activity: now };
    await tableOf(fixture.db, "federation_peers").insert({
      host,
      domain: host,
      registrable_domain: registrable,
      ...times,
      delivered_total: 100,
    });
    await tableOf(fixture.db, "federation_peer_blocklist_entries").insert({ publisher: host, domain });
  }
}

describe("a server whose reputation falls", () => {
  it("is limited to a quarter, then blocked for a week, and starts again", async () => {
    const server = await fixture.server("bad.example");
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) ids.push(...(await fixture.give(server, device(i), { good: 5, bad: 5 })));
    expect(await scoreOf("bad.example")).toBeCloseTo(0.7);
    expect(await limitsOf(server)).toBe(400);

    await fixture.report(device(0), ids[0] ?? "");
    const { reputation_score, federation_status } = await fixture.reputation("bad.example");
    expect([Number(reputation_score.toFixed(3)), federation_status]).toEqual([0.675, "limited"]);
    expect(await limitsOf(server)).toBe(100);
    fixture.relay.clock.advance(61);
    await expect(fixture.give(server, device(), { good: 101 })).rejects.toThrow(/429.*RATE_LIMIT_EXCEEDED/);

    await fixture.give(server, device(), { good: 0, bad: 30 });
    expect((await fixture.reputation("bad.example")).federation_status).toBe("blocked");
    expect(await fixture.outcome(server, device())).toBe("403 SERVER_BLOCKED");
    // Sending goes by a copy of the policy that is a second old at most.
    const sent = async () => (await device().send(`${"7".repeat(32)}@bad.example`)).body.error;
    await until(async () => (await sent()) === "FEDERATION_FAILED", "nothing is sent to it");
    const now = fixture.relay.clock.nowSeconds();
    const entry = (await blockedServers()).find((one) => one.domain === "bad.example");
    expect(entry).toMatchObject({ blocked_by: null, reason_category: "spam", severity: "medium" });
    expect(Math.abs((entry?.expires_at ?? 0) - now - week)).toBeLessThan(60);
    const audited = await tableOf(fixture.db, "audit_entries").where({
      action: "federation_blocked",
      target: "bad.example",
    });
    expect(audited).toHaveLength(1);

    fixture.relay.clock.advance(week + 60);
    await device().announce();
    expect(await fixture.outcome(server, device())).toBe("accepted");
    expect(await fixture.reputation("bad.example")).toMatchObject({ reputation_score: 1, federation_status: "active" });
  });
});

describe("a server that an administrator blocks", () => {
  it("is refused in both directions, with the names below it, until it is unblocked", async () => {
    const [server, below] = [await fixture.server("evil.example:8443"), await fixture.server("sub.evil.example")];
    const other = await fixture.server("notevil.example");
    expect(await fixture.outcome(server, device())).toBe("accepted");
    const token = demand(await authenticate(fixture.relay, server)).body.federation_token;
    await block("evil.example");
    for (const one of [server, below]) expect(await fixture.outcome(one, device())).toBe("403 SERVER_BLOCKED");
    const messages = messagesFor(fixture.relay, device(), 1);
    const late = await deliver(fixture.relay, { token, origin: server.domain, messages });
    expect(outcomeOf(late)).toBe("403 SERVER_BLOCKED");
    expect(await fixture.outcome(other, device())).toBe("accepted");
    const { body } = await device().send(`${"7".repeat(32)}@evil.example:8443`);
    expect(body.error).toBe("FEDERATION_FAILED");

    expect((await unblock("Evil.example:8443")).body).toMatchObject({ server_domain: "evil.example" });
    for (const one of [server, below]) expect(await fixture.outcome(one, device())).toBe("accepted");
    expect((await unblock("evil.example")).body.error).toBe("NOT_FOUND");
  });

  it("is admitted again when the block ends", async () => {
    const server = await fixture.server("paused.example");
    await block("paused.example", { expires_at: fixture.relay.clock.nowSeconds() + 100 });
    expect(await fixture.outcome(server, device())).toBe("403 SERVER_BLOCKED");
    fixture.relay.clock.advance(101);
    expect(await fixture.outcome(server, device())).toBe("accepted");
  });
});

describe("in allowlist mode", () => {
  it("only the servers on the list call and are called", async () => {
    const [friend, stranger] = [await fixture.server("friend.example"), await fixture.server("stranger.example")];
    await fixture.setPolicy({ allowlist_mode: true, allowlist: ["Friend.example"] });
    try {
      expect(await fixture.outcome(friend, device())).toBe("accepted");
      expect(await fixture.outcome(stranger, device())).toBe("403 SERVER_BLOCKED");
      expect((await device().send(`${"7".repeat(32)}@friend.example`)).body.status).toBe("federated");
      expect((await device().send(`${"7".repeat(32)}@stranger.example`)).body.error).toBe("FEDERATION_FAILED");
    } finally {
      await fixture.setPolicy({ allowlist_mode: false, allowlist: [] });
    }
    expect(await fixture.outcome(stranger, device())).toBe("accepted");
  });
});

describe("federation that is switched off", () => {
  it("answers a delivery by a token from before with 503", async () => {
    const server = await fixture.server("early.example");
    const { federation_token: token } = demand(await authenticate(fixture.relay, server)).body;
    const set = async (enabled: boolean) =>
      demand(
        await call(fixture.relay, "updateConfig", { token: await fixture.admin(), body: { federation: { enabled } } }),
      );
    await set(false);
    try {
      const messages = messagesFor(fixture.relay, device(), 1);
      const answer = await deliver(fixture.relay, { token, origin: server.domain, messages });
      expect(outcomeOf(answer)).toBe("503 FEDERATION_DISABLED");
    } finally {
      await set(true);
    }
    expect(await fixture.outcome(server, device())).toBe("accepted");
  });
});

describe("the published list", () => {
  const published = () => call(fixture.relay, "getBlocklist");

  it("is not there while publishing is off", async () => {
    const { status, body } = await published();
    expect([status, body.error]).toEqual([404, "NOT_FOUND"]);
  });

  it("names domains and categories only, and is signed by a key of the server", async () => {
    await fixture.setPolicy({ publish_blocklist: true });
    await block("spam.example", { reason: "a secret of ours", reason_category: "malware", severity: "critical" });
    const { body } = demand(await published());
    expect(body).toMatchObject({ server: fixture.relay.domain, blocklist_version: "1.0" });
    const entry = body.blocked_servers.find(({ domain }) => domain === "spam.example");
    expect(entry).toEqual({
      ...{ domain: "spam.example", reason_category: "malware", severity: "critical" },
      blocked_since: entry?.blocked_since,
    });
    expect(JSON.stringify(body)).not.toMatch(/secret/);
    const { signature, ...unsigned } = body;
    const { keys } = demand(await call(fixture.relay, "getSigningKeys")).body;
    const isSigned = (document: unknown) =>
      keys.some(({ kty, crv, x }) => {
        const key = createPublicKey({ key: { kty, crv, x }, format: "jwk" });
        return verify(null, Buffer.from(canonical(document)), key, Buffer.from(signature, "hex"));
      });
    expect(isSigned(unsigned)).toBe(true);
    expect(isSigned({ ...unsigned, server: "other.example" })).toBe(false);
    expect(isSigned({ ...unsigned, blocked_servers: [] })).toBe(false);
  });
});

/** RFC 8785, as far as the document needs it: members sorted, whole numbers and plain strings as JSON writes them. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}
