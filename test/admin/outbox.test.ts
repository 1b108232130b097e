import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { startAdministered, type TestAdmin } from "../support/admin.js";
import { type Answer, call } from "../support/api.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { createPeerFixture, type PeerFixture } from "../support/peers.js";
import type { TestRelay } from "../support/relay.js";
import { tableOf } from "../support/table.js";
import { until } from "../support/until.js";

// Nobody listens at these ports, so what is sent there waits.
const [busy, quiet] = ["localhost:1", "localhost:2"];
let peers: PeerFixture;
let relay: TestRelay;
let admin: TestAdmin;
let device: TestDevice;
let db: Database;

beforeAll(async () => {
  peers = await createPeerFixture();
  const patient = { ...(await peers.membership(9)), outboxMaxBackoffSeconds: 3_600 };
  ({ relay, admin } = await startAdministered(patient, ["block_federation", "view_audit"]));
  db = createDatabase({ url: relay.databaseUrl, poolSize: 2 });
  device = await newDevice(relay);
});
afterAll(async () => {
  await db.close();
  await relay.stop();
  await peers.stop();
});

const backlogs = async (query: Record<string, number> = {}) =>
  demand(await call(relay, "listOutboxBacklogs", { token: admin.token, query })).body.destinations;
const backlogOf = async (domain: string) => (await backlogs()).find(({ server_domain }) => server_domain === domain);
const params = (server_domain: string) => ({ token: admin.token, params: { server_domain } });
const audited = async (action: string) =>
  demand(await call(relay, "listAuditEntries", { token: admin.token, query: { action } })).body.entries;

async function write(domain: string, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const { body } = demand(await device.send(`${randomUUID()}@${domain}`, { ciphertext: new Uint8Array(100) }));
    expect(body.status).toBe("federated");
  }
}

/** Moves the next attempt out of the test's way. */
const holdBack = (domain: string) =>
  tableOf(db, "outbox_destinations").where({ domain }).update({ next_attempt_millis: 99_999_999_999_999 });

describe("the backlog for other servers", () => {
  test("is empty at first", async () => {
    expect(await backlogs()).toEqual([]);
  });

  test("is listed by destination, the largest first, with the result of the last attempts", async () => {
    const startedAt = relay.clock.nowSeconds();
    await write(busy, 3);
    await write(quiet, 2);
    let listed: Awaited<ReturnType<typeof backlogs>> = [];
    const bothWait = async () => {
      listed = await backlogs();
      return listed.length === 2 && listed.every(({ failures, sending }) => failures > 0 && !sending);
    };
    await until(bothWait, "both were tried, and wait for the next attempt");
    const [first, other, ...more] = listed;
    expect([first?.server_domain, other?.server_domain, more]).toEqual([busy, quiet, []]);
    expect(first).toMatchObject({ messages: 3, bytes: 300, last_reached_at: null, sending: false });
    expect(first?.problem).toMatch(/./);
    for (const moment of [first?.oldest_at, first?.last_failed_at, first?.next_attempt_at]) {
      expect(moment).toBeGreaterThanOrEqual(startedAt - 1);
    }
    expect(await backlogs({ limit: 1 })).toHaveLength(1);
  });

  test.each([{ limit: 0 }, { limit: 1001 }, { offset: 1 }])("is not listed for %o", async (query) => {
    const { status, body } = await call(relay, "listOutboxBacklogs", { token: admin.token, query });
    expect([status, body.error]).toEqual([400, "INVALID_REQUEST"]);
  });
});

describe("trying a destination again", () => {
  test("ends the wait, tries at once, and is recorded", async () => {
    await holdBack(busy);
    const before = await backlogOf(busy);
    const answer = demand(await call(relay, "retryOutbox", params("LOCALHOST:1")));
    expect(answer.body).toEqual({ server_domain: "LOCALHOST:1", retried: true });
    await until(async () => {
      const after = await backlogOf(busy);
      return (after?.failures ?? 0) > 0 && (after?.next_attempt_at ?? 0) < (before?.next_attempt_at ?? 0);
    }, "another attempt was made");
    const entries = await audited("outbox_retried");
    expect(entries).toEqual([
      expect.objectContaining({
        target: busy,
        admin: admin.deviceId,
        details: { messages: 3 },
        ip_address: "127.0.0.1",
      }),
    ]);
  });
});

describe("dropping the messages for a destination", () => {
  test("removes all of that destination and no others, and is recorded", async () => {
    await holdBack(busy);
    await holdBack(quiet);
    const { body } = demand(await call(relay, "purgeOutbox", params(busy)));
    expect(body).toEqual({ server_domain: busy, purged_messages: 3 });
    expect((await backlogs()).map(({ server_domain, messages }) => [server_domain, messages])).toEqual([[quiet, 2]]);
    expect(await tableOf(db, "outbox").where({ domain: busy })).toEqual([]);
    const entries = await audited("outbox_purged");
    expect(entries).toEqual([
      expect.objectContaining({ target: busy, admin: admin.deviceId, details: { messages: 3 } }),
    ]);
    await write(busy, 1);
    expect((await backlogOf(busy))?.messages).toBe(1);
  });
});

describe("a destination", () => {
  test.each(["retryOutbox", "purgeOutbox"] as const)("that nothing waits for is not found by %s", async (operation) => {
    const recorded = [await audited("outbox_retried"), await audited("outbox_purged")];
    const { status, body }: Answer<unknown> = await call(relay, operation, params("unknown.example"));
    expect([status, body.error, body.code]).toEqual([404, "NOT_FOUND", 4016]);
    for (const name of ["no_server", "192.0.2.7"]) {
      const wrong: Answer<unknown> = await call(relay, operation, params(name));
      expect([wrong.status, wrong.body.error, wrong.body.code]).toEqual([400, "INVALID_ADDRESS", 4005]);
    }
    expect([await audited("outbox_retried"), await audited("outbox_purged")]).toEqual(recorded);
  });
});
