import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { routes } from "../../generated/routes.js";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { newReportableId } from "../../src/protocol/report-handles.js";
import { report, sendAndReport } from "../moderation/fixture.js";
import { adminKeys, logIn } from "../support/admin.js";
import { call } from "../support/api.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { type DnsServer, startDnsServer } from "../support/dns-server.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import type { TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { deliver, type Origin, outcomeOf, tokenFor } from "./origin-fixture.js";
import { startPeerServer } from "./peer-server.js";

// Devices of one relay report devices of another, which must be able to act without learning who reported.

const keys = adminKeys("all");
const [hour, day] = [3600, 86_400];
const patient = { federationConnectTimeoutSeconds: 60, federationRequestTimeoutSeconds: 60 };

let fixture: PeerFixture;
let dns: DnsServer;
/** The relay of those who are reported. */
let home: PeerRelay;
let there: PeerRelay;
const databases = new Map<TestRelay, Database>();

beforeAll(async () => {
  [fixture, dns] = [await createPeerFixture(), await startDnsServer()];
  const seeds = { SEED_RATE_LIMITING_ENABLED: "false" };
  const config = { ...patient, dnsServers: [dns.address], dnsTimeoutSeconds: 60, adminList: keys.seed, seeds };
  home = await fixture.relay(config);
  there = await fixture.relay(config);
  for (const relay of [home, there]) databases.set(relay, createDatabase({ url: relay.databaseUrl, poolSize: 1 }));
});
beforeEach(() => {
  home.proxy.open = true;
});
afterAll(async () => {
  for (const db of databases.values()) await db.close();
  await fixture.stop();
  await dns.stop();
});

const db = (relay: TestRelay) => databases.get(relay) as Database;
async function aged(relay: TestRelay, seconds = 7 * hour): Promise<TestDevice> {
  const device = await newDevice(relay);
  await db(relay).run("update devices set registered_at = registered_at - :seconds where device_id = :id", {
    seconds,
    id: device.deviceId,
  });
  return device;
}
const detail = async (relay: TestRelay, { deviceId }: TestDevice) => {
  const { token } = await logIn(relay, keys);
  return demand(await call(relay, "getDevice", { token, params: { device_id: deviceId } })).body;
};
const reportsOf = async (device: TestDevice) => (await detail(home, device)).metrics.spam_reports;
const counted = (device: TestDevice, reports: number) =>
  until(async () => (await reportsOf(device)) >= reports, `${reports} reports have arrived`);
/** Moves the first contact of the home relay with the other one into the past. */
const knownFor = (seconds: number) =>
  db(home).run("update federation_peers set first_contact = :at::bigint", { at: home.clock.nowSeconds() - seconds });

/** Sends a message to a device of the other relay, which has it then. */
async function sent(sender: TestDevice, recipient: TestDevice): Promise<string> {
  const { message_id: id } = demand(await sender.send(recipient.address)).body;
  const waiting = async () => demand(await recipient.poll()).body.messages.some((one) => one.message_id === id);
  await until(waiting, "the message has arrived");
  return id;
}
async function reported(sender: TestDevice, by: TestDevice): Promise<string> {
  const messageId = await sent(sender, by);
  demand(await report(there, by, { messageId, sender: sender.deviceId }));
  return messageId;
}

describe("a report about a device of another relay", () => {
  test("is counted by that relay, once, and leaves no trace of the reporter there", async () => {
    const [sender, reporter] = [await aged(home), await aged(there)];
    const messageId = await sent(sender, reporter);
    for (const spelled of [sender.publicKey, sender.publicKey])
      demand(
        await report(there, reporter, { messageId, sender: spelled, reason: "malware", details: "they wrote it" }),
      );
    await counted(sender, 1);
    await reported(sender, reporter);
    await counted(sender, 2);
    expect(await reportsOf(sender)).toBe(2);
    const tables = ["spam_reports", "audit_entries"];
    for (const table of tables) {
      const rows = JSON.stringify(await db(home).rows(`select t::text as row from ${table} as t`, {}));
      expect(rows).toContain("malware");
      const [prefix = ""] = reporter.address.split("@");
      const traces = [reporter.deviceId, reporter.publicKey, prefix, prefix.replaceAll("-", ""), "they wrote it"];
      for (const trace of [...traces, messageId, there.domain]) expect(rows).not.toContain(trace);
    }
  });

  test("counts there only with the handle to which the message's id commits", async () => {
    const [sender, reporter] = [await aged(home), await aged(there)];
    const handle = new Uint8Array(16).fill(7);
    const messageId = newReportableId(home.clock.nowMillis(), handle);
    demand(await sender.send(reporter.address, { messageId }));
    const isThere = async () => demand(await reporter.poll()).body.messages.some((one) => one.message_id === messageId);
    await until(isThere, "the message has arrived");
    const other = await aged(there);
    const about = { messageId, sender: sender.deviceId };
    demand(await report(there, reporter, { ...about, handle }));
    await counted(sender, 1);
    const second = newReportableId(home.clock.nowMillis(), new Uint8Array(16).fill(8));
    demand(await sender.send(other.address, { messageId: second }));
    const hasSecond = async () => demand(await other.poll()).body.messages.some((one) => one.message_id === second);
    await until(hasSecond, "the second message has arrived");
    demand(await report(there, other, { messageId: second, sender: sender.deviceId, handle }));
    await reported(sender, other);
    await counted(sender, 2);
    expect(await reportsOf(sender)).toBe(2);
  });

  test("by a new device is not passed on", async () => {
    const [sender, fresh, reporter] = [await aged(home), await newDevice(there), await aged(there)];
    await reported(sender, fresh);
    await reported(sender, reporter);
    await counted(sender, 1);
    expect(await reportsOf(sender)).toBe(1);
  });

  test("arrives after the other relay was away", async () => {
    const [sender, reporter] = [await aged(home), await aged(there)];
    const messageId = await sent(sender, reporter);
    home.proxy.open = false;
    home.proxy.cut();
    demand(await report(there, reporter, { messageId, sender: sender.deviceId }));
    home.proxy.open = true;
    await counted(sender, 1);
  });
});

describe("the consequences at the home of a device", () => {
  test("are none while the reporting relay is known for less than a week", async () => {
    await knownFor(6 * day);
    const sender = await aged(home);
    for (let n = 1; n <= 5; n++) await reported(sender, await aged(there));
    await counted(sender, 5);
    const { spam } = await detail(home, sender);
    expect(spam.warning).toBe(false);
    expect(outcomeOf(await sender.send(sender.address))).toBe("202");
  });

  test("are a warning for however many reporters of one relay, and a block together with others", async () => {
    await knownFor(8 * day);
    const sender = await aged(home);
    for (let n = 1; n <= 8; n++) await reported(sender, await aged(there));
    await counted(sender, 8);
    expect((await detail(home, sender)).spam.warning).toBe(true);
    expect(outcomeOf(await sender.send(sender.address))).toBe("202");
    for (const outcome of ["202", "429 RATE_LIMIT_EXCEEDED"]) {
      await sendAndReport(home, sender, await aged(home));
      expect(outcomeOf(await sender.send(sender.address))).toBe(outcome);
    }
  });
});

test("relays of two domains, with three reporters of each that count, flag a device and do no more", async () => {
  const second = await fixture.relay({
    ...patient,
    dnsServers: [dns.address],
    dnsTimeoutSeconds: 60,
    seeds: { SEED_RATE_LIMITING_ENABLED: "false" },
  });
  databases.set(second, createDatabase({ url: second.databaseUrl, poolSize: 1 }));
  const sender = await aged(home);
  for (const relay of [there, second]) {
    for (let n = 1; n <= 3; n++) {
      const reporter = await aged(relay);
      const messageId = await sent(sender, reporter);
      // Before it reports, each relay has been known for long.
      await knownFor(8 * day);
      demand(await report(relay, reporter, { messageId, sender: sender.deviceId }));
    }
  }
  await counted(sender, 6);
  expect((await detail(home, sender)).spam.warning).toBe(true);
  expect(outcomeOf(await sender.send(sender.address))).toBe("202");
  for (const outcome of ["202", "429 RATE_LIMIT_EXCEEDED"]) {
    await sendAndReport(home, sender, await aged(home));
    expect(outcomeOf(await sender.send(sender.address))).toBe(outcome);
  }
});

describe("a relay that reports to another one", () => {
  let peer: Origin;
  const asReport = (changes: object) => ({
    ...{ origin_server: peer.domain, reporter: "ab".repeat(32), message_id: message(home, "").message_id },
    ...{ sender_id: "7".repeat(64), recipient_address: `${randomUUID()}@${peer.domain}`, reason: "spam", ...changes },
  });
  const pass = async (relay: TestRelay, changes: object) => {
    const headers = { "x-origin-server": peer.domain };
    return call(relay, "forwardSpamReport", { token: await tokenFor(relay, peer), headers, body: asReport(changes) });
  };
  beforeAll(async () => {
    peer = { domain: "reporter.example", credential: await fixture.authority.issue({ hosts: ["reporter.example"] }) };
  });

  test("gets the same answer for what is true and what is not, and only what is true counts", async () => {
    const [sender, other] = [await aged(home), await aged(home)];
    const address = `${randomUUID()}@${peer.domain}`;
    const { message_id } = demand(await sender.send(address)).body;
    const truth = { message_id, sender_id: sender.deviceId, recipient_address: address };
    const wrong = [
      { ...truth, sender_id: other.deviceId },
      { ...truth, sender_id: "7".repeat(64) },
      { ...truth, recipient_address: `${randomUUID()}@${peer.domain}` },
      { ...truth, message_id: message(home, "").message_id },
    ];
    for (const one of [...wrong, truth, truth]) {
      const { status, body } = await pass(home, one);
      expect([status, body]).toEqual([202, { received: true }]);
    }
    expect([await reportsOf(sender), await reportsOf(other)]).toEqual([1, 0]);
    const rows = await db(home).rows("select 1 from spam_reports where reported in (:one, :two)", {
      one: sender.deviceId,
      two: other.deviceId,
    });
    expect(rows).toHaveLength(1);
    const audited = await db(home).rows<{ target: string; details: object }>(
      "select target, details from audit_entries where details ->> 'verified' = 'false' order by id",
    );
    const entry = (target: TestDevice, reports: number) => ({
      target: target.deviceId,
      details: { reason: "spam", verified: false, unverified_reports: reports, by_relay: true },
    });
    expect(audited).toEqual([entry(other, 1), entry(sender, 1), entry(sender, 2)]);
  });

  test("may report what came to its own addresses alone, with a token, and not without end", async () => {
    const strange = await pass(home, { recipient_address: `${randomUUID()}@${there.domain}` });
    expect(outcomeOf(strange)).toBe("400 INVALID_ADDRESS");
    const bare = await call(home, "forwardSpamReport", {
      headers: { "x-origin-server": peer.domain },
      body: asReport({}),
    });
    expect(outcomeOf(bare)).toBe("401 INVALID_TOKEN");
    const strict = await fixture.relay({ ...patient, federationReportsPerHour: 2 });
    const outcomes = [await pass(strict, {}), await pass(strict, {}), await pass(strict, {})].map(outcomeOf);
    expect(outcomes).toEqual(["202", "202", "429 RATE_LIMIT_EXCEEDED"]);
  });
});

/** A server that takes reports, and devices of which have sent messages to the reporter. */
async function startTold(
  relay: PeerRelay,
  { host, reporter, capabilities }: { host: string; reporter: TestDevice; capabilities: Record<string, unknown> },
) {
  dns.names.set(host, "127.0.0.1");
  const peer = await startPeerServer(fixture, host);
  peer.capabilities = capabilities;
  const origin = { domain: peer.domain, credential: await fixture.authority.issue({ hosts: [host] }) };
  const one = async (changes: { reason?: string; details?: string } = {}) => {
    const sent = message(relay, reporter.address);
    const token = await tokenFor(relay, origin);
    demand(await deliver(relay, { token, origin: peer.domain, messages: [sent] }));
    demand(await report(relay, reporter, { messageId: sent.message_id, sender: "7".repeat(64), ...changes }));
    return sent.message_id;
  };
  return Object.assign(peer, { one });
}
const messageOf = (body: unknown) => (body as { message_id: string }).message_id;

test("a server is told only if it takes reports, and of nothing but what the report needs", async () => {
  const path = routes.forwardSpamReport.path;
  const asked: Record<string, string>[] = [];
  const reporter = await aged(there);
  const start = async (host: string, capabilities: Record<string, unknown>) => {
    const peer = await startTold(there, { host, reporter, capabilities });
    peer.answers.set(path, (body) => {
      asked.push(body as Record<string, string>);
      return { received: true };
    });
    return peer;
  };
  const [plain, able] = [await start("plain.example", {}), await start("able.example", { federated_reports: true })];
  await plain.one();
  await until(async () => plain.asked.includes(routes.getDiscovery.path), "the server is looked up");
  const ids = [await able.one({ reason: "malware", details: "to the operators" }), await able.one()];
  await until(async () => asked.length >= 2, "the other server is told");
  expect(asked.map((body) => body["message_id"])).toEqual(ids);
  const [first] = asked;
  expect(first).toEqual({
    ...{ origin_server: there.domain, message_id: ids[0], sender_id: "7".repeat(64), reason: "malware" },
    ...{ recipient_address: reporter.address, reporter: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
  expect(asked[1]?.["reporter"]).toBe(first?.["reporter"]);
  expect(plain.asked).not.toContain(path);
  for (const peer of [plain, able]) await peer.stop();
});

test("a report that is given up takes no attempts from the next one", async () => {
  const relay = await fixture.relay({
    ...patient,
    ...{ dnsServers: [dns.address], dnsTimeoutSeconds: 60, forwardedReportAttempts: 3 },
    seeds: { SEED_RATE_LIMITING_ENABLED: "false" },
  });
  const reporter = await newDevice(relay);
  const reporters = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  await reporters.run("update devices set registered_at = registered_at - :age", { age: 7 * hour });
  await reporters.close();
  const peer = await startTold(relay, { host: "broken.example", reporter, capabilities: { federated_reports: true } });
  const attempts: string[] = [];
  peer.answers.set(routes.forwardSpamReport.path, (body) => {
    attempts.push(messageOf(body));
    peer.answerStatus = attempts.length <= 5 ? 503 : 200;
    return { received: true };
  });
  const [first, second] = [await peer.one(), await peer.one()];
  await until(async () => attempts.length >= 6, "the second report has arrived");
  expect(attempts).toEqual([first, first, first, second, second, second]);
  await peer.stop();
});
