import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { interfaceVersion } from "../../generated/routes.js";
import { newerMinorOf } from "../../src/database/server-version.js";
import { softwareVersion } from "../../src/platform/software-version.js";
import { adminKeys, logIn } from "../support/admin.js";
import { call } from "../support/api.js";
import { newDevice } from "../support/device.js";
import { openDeviceStream, type TestStream } from "../support/stream.js";
import { startWatched, type Watched } from "./fixture.js";

let watched: Watched;

beforeAll(async () => {
  watched = await startWatched({
    ...{ streamsPerNode: 10, alertDatabaseMillis: 150, bodiesInFlightBytes: 4096, expiryIntervalSeconds: 86_400 },
    adminList: adminKeys("verify_devices").seed,
  });
});
afterAll(() => watched.stop());

/** Waits until health looks like this, and returns it: on a busy machine, the database may answer slowly once. */
async function shown(expected: object): ReturnType<Watched["health"]> {
  let health = await watched.health();
  await expect
    .poll(async () => {
      health = await watched.health();
      // The tests' PostgreSQL need not be the newest.
      const warnings = health.warnings.filter((text) => !text.startsWith("The database is PostgreSQL"));
      return { ...health, warnings };
    })
    .toMatchObject(expected);
  return health;
}

describe("a server on which nothing is wrong", () => {
  it("is healthy in all its parts", async () => {
    const health = await shown({
      status: "healthy",
      warnings: [],
      components: {
        database: { status: "healthy" },
        message_queue: { status: "healthy", queue_size: 0 },
        federation: { status: "healthy", queue_size: 0 },
        websocket: { status: "healthy", active_connections: 0 },
      },
    });
    expect(health.version).toBe(interfaceVersion);
    expect(health.software_version).toBe(softwareVersion);
    expect(health.uptime_seconds).toBeGreaterThanOrEqual(0);
    expect(health.components.database.latency_ms).toBeGreaterThan(0);
    expect(health.components.message_queue.latency_ms).toBeGreaterThan(0);
    expect(health.components).not.toHaveProperty("database.error");
    // The tests' PostgreSQL need not be the newest.
    expect((await watched.alerts()).filter(({ id }) => !id.startsWith("alert_database_outdated_"))).toEqual([]);
  });

  it("raises an alert while its PostgreSQL lacks a minor release that is known", async () => {
    const found = await watched.db.one<{ number: number; version: string }>(
      "select current_setting('server_version_num')::integer as number, split_part(version(), ' ', 2) as version",
    );
    const newer = newerMinorOf(found?.number ?? 0);
    await watched.looked();
    if (newer === null) return expect(await watched.alert("database_outdated")).toBeUndefined();
    expect(newer.version).toBe(found?.version);
    expect(await watched.raised("database_outdated")).toMatchObject({
      severity: "warning",
      component: "database",
      details: { version: newer.version, newest_version: newer.newest },
    });
  });

  it("raises an alert when the system has another version of the database's collation", async () => {
    expect(await watched.alert("collation_changed")).toBeUndefined();
    const record = (version: string | null) =>
      watched.db.run("update pg_database set datcollversion = :version where datname = current_database()", {
        version,
      });
    await record("1");
    expect(await watched.raised("collation_changed")).toMatchObject({ details: { recorded_version: "1" } });
    await record(null);
    await watched.cleared("collation_changed");
  });

  it("shows it to every administrator, and to nobody else", async () => {
    const keys = adminKeys("view_audit");
    await watched.db.run(
      `insert into admins (device_id, public_key, permissions, added_at)
       values (:deviceId, :publicKey, array['view_audit'], 0)`,
      { deviceId: keys.deviceId, publicKey: Buffer.from(keys.publicKey, "hex") },
    );
    await expect
      .poll(async () => {
        const viewer = await logIn(watched.relay, keys);
        return (await call(watched.relay, "getHealth", { token: viewer.token })).status;
      })
      .toBe(200);
    expect((await call(watched.relay, "getHealth")).status).toBe(401);
    expect((await call(watched.relay, "listAlerts", { token: (await newDevice(watched.relay)).token })).status).toBe(
      401,
    );
  });
});

describe("the streams", () => {
  const open: TestStream[] = [];
  const openUpTo = async (count: number) => {
    while (open.length < count) {
      const device = await newDevice(watched.relay);
      open.push(await openDeviceStream(watched.relay.url, device.token));
    }
  };

  it("are healthy, degraded and unhealthy by how many more a node takes", async () => {
    try {
      await openUpTo(3);
      await shown({ components: { websocket: { status: "healthy", active_connections: 3 } } });
      await openUpTo(9);
      const scarce = await shown({
        status: "degraded",
        warnings: ["The stream is degraded."],
        components: { websocket: { status: "degraded", active_connections: 9 } },
      });
      expect(scarce.components.websocket).not.toHaveProperty("error");
      await openUpTo(10);
      const error = "A node takes no more streams.";
      await shown({ status: "degraded", components: { websocket: { status: "unhealthy", error } } });
    } finally {
      for (const stream of open) await stream.close();
    }
    await shown({ components: { websocket: { status: "healthy", active_connections: 0 } } });
  });
});

describe("the message queue", () => {
  it("is degraded while messages stay that should have expired", async () => {
    await watched.db.run(
      `insert into messages (device_id, position, message_id, ciphertext, sender_signature, sent_at, received_at, expires_at)
       values ('nobody', 1, gen_random_uuid(), 'x', 'y', 0, 0, :expiresAt)`,
      { expiresAt: watched.relay.clock.nowSeconds() - 700 },
    );
    const { components } = await shown({ status: "degraded", components: { message_queue: { status: "degraded" } } });
    expect(components.message_queue.details["overdue_seconds"]).toBeGreaterThanOrEqual(700);
    await watched.db.run("delete from messages");
    await shown({ status: "healthy" });
  });

  it("is degraded for some minutes after requests had to be refused", async () => {
    const device = await newDevice(watched.relay);
    const refused = await device.send(device.address, { ciphertext: new Uint8Array(20_000) });
    expect([refused.status, refused.body.error]).toEqual([503, "OVERLOADED"]);
    await shown({ components: { message_queue: { status: "degraded", details: { refused_last_5m: 1 } } } });
    await watched.advance(601);
    await shown({ components: { message_queue: { status: "healthy" } } });
  });
});

describe("federation", () => {
  const wait = (domain: string, seconds: number) => {
    const acceptedAt = watched.relay.clock.nowSeconds() - seconds;
    return watched.db.transaction(async (trx) => {
      await trx.run(
        `insert into outbox_destinations (domain, last_position, messages, bytes, used_at, next_attempt_millis)
         values (:domain, 1, 1, 1, :acceptedAt, 99999999999999)`,
        { domain, acceptedAt },
      );
      await trx.run(
        `insert into outbox (domain, position, message_id, recipient, ciphertext, sender_signature, sent_at, dedup_tag,
                             accepted_at, expires_at)
         values (:domain, 1, gen_random_uuid(), gen_random_uuid(), 'x', 'y', 0, 'z', :acceptedAt, 99999999999)`,
        { domain, acceptedAt },
      );
    });
  };

  it("is degraded while a server has not been reached for long, and unhealthy where none is", async () => {
    await wait("one.example", 10);
    await shown({ components: { federation: { status: "healthy", queue_size: 1 } } });
    await wait("two.example", 3700);
    const details = { servers_waiting: 2, servers_stuck: 1 };
    await shown({ components: { federation: { status: "degraded", queue_size: 2, details } } });
    await watched.db.run("delete from outbox_destinations where domain = 'one.example'");
    await wait("three.example", 4000);
    await wait("four.example", 5000);
    const error = "None of the servers that messages wait for can be reached.";
    // Messages between devices of this server flow all the same.
    await shown({ status: "degraded", components: { federation: { status: "unhealthy", error } } });
    await watched.db.run("delete from outbox_destinations");
    await shown({ components: { federation: { status: "healthy" } } });
  });
});

describe("the database", () => {
  it("is degraded while it is slow", async () => {
    watched.proxy.delayMillis = 80;
    try {
      // Dozens of round trips lie behind an answer: on a busy machine they may take longer than health waits, once.
      const slow = await shown({ status: "degraded", components: { database: { status: "degraded" } } });
      expect(slow.components.database.latency_ms).toBeGreaterThan(150);
    } finally {
      watched.proxy.delayMillis = 0;
    }
    await shown({ status: "healthy" });
  });

  it.each(["refuses connections", "keeps silent"])("is unhealthy while it %s, which is still told", async (how) => {
    await watched.health();
    if (how === "keeps silent") watched.proxy.requests = "hold";
    else {
      watched.proxy.open = false;
      watched.proxy.cut();
    }
    try {
      await shown({
        status: "unhealthy",
        components: {
          database: { status: "unhealthy", latency_ms: null, error: expect.any(String) },
          message_queue: { status: "unhealthy", queue_size: null, error: expect.any(String) },
          websocket: { status: "healthy", active_connections: 0 },
        },
      });
      const [alert] = await watched.alerts();
      expect(alert).toMatchObject({ severity: "critical", component: "database" });
      // A token that this node does not know is refused, and no other operation is answered.
      expect((await call(watched.relay, "getHealth", { token: "no.such.token" })).status).toBe(401);
      if (how === "refuses connections") {
        expect((await call(watched.relay, "getMetrics", { token: watched.admin().token })).status).toBe(503);
      }
    } finally {
      watched.proxy.requests = "pass";
      watched.proxy.open = true;
    }
    await shown({ status: "healthy" });
  });
});
