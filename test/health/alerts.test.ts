import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { X509CertificateGenerator } from "@peculiar/x509";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resolutions } from "../../src/metrics/resolutions.js";
import { newKeys, prove, register } from "../registration/wire.js";
import { call } from "../support/api.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { startRelay } from "../support/relay.js";
import { startWatched, type Watched } from "./fixture.js";

const hour = 3_600;
const day = 24 * hour;
let watched: Watched;
let folder: string;
let certificate: string;

// Every condition is made true by what makes it true in earnest, and then untrue again: all on one relay, since no
// condition has to do with another. The time between them is the clock's, which moves a month or so.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "certificate-"));
  certificate = join(folder, "cert.pem");
  await writeFile(certificate, await certificateUntil(Date.now() / 1000 + 400 * day));
  watched = await startWatched({
    ...{ alertSpamReports: 3, alertSpamFactor: 3, alertKeptSeconds: 10 * day },
    ...{ alertQueueGrowthMessages: 5, alertDeadRows: 500, alertPushFailures: 7 },
    ...{ alertDatabaseMillis: 60, alertDatabaseSeconds: 30, healthTimeoutMillis: 5_000 },
    ...{ proofWorkers: 1, proofQueueLimit: 1, tlsCertFile: certificate, metricsPort: 0 },
  });
});
afterAll(async () => {
  await watched.stop();
  await rm(folder, { recursive: true });
});

describe("a busy node", () => {
  it("raises an alert after five minutes, which goes with the node", async () => {
    const { relay } = watched;
    const busy = await startRelay({ ...relay.config, alertCpuPercent: 1 }, { clock: relay.clock });
    const burning = setInterval(() => burn(40), 80);
    try {
      await watched.advance(200);
      await watched.looked();
      expect(await watched.alert("cpu_high")).toBeUndefined();
      await watched.advance(300);
      const alert = await watched.raised("cpu_high");
      expect(alert).toMatchObject({ severity: "warning", component: "server" });
      expect(alert.details).toMatchObject({ threshold_seconds: 300, node: expect.stringMatching(/^[0-9a-f]{16}$/) });
      expect(relay.clock.nowSeconds() - alert.started_at).toBeGreaterThanOrEqual(300);
      // It stays the same alert.
      await watched.looked();
      expect((await watched.alert("cpu_high"))?.id).toBe(alert.id);
    } finally {
      clearInterval(burning);
      await busy.stop();
    }
    await watched.cleared("cpu_high");
  });
});

describe("spam reports", () => {
  it("raise an alert when there are many more than usual, for an hour", async () => {
    const [spammer, reporter] = [await newDevice(watched.relay), await newDevice(watched.relay)];
    for (let i = 0; i < 2; i++) await report(spammer, reporter);
    await watched.looked();
    expect(await watched.alert("spam_spike")).toBeUndefined();
    await report(spammer, reporter);
    const alert = await watched.raised("spam_spike");
    expect(alert).toMatchObject({ severity: "warning", component: "moderation" });
    expect(alert.details).toMatchObject({ reports_last_hour: 3, usual_per_hour: 0 });
    await watched.advance(hour + 301);
    await watched.cleared("spam_spike");
  });

  async function report(spammer: TestDevice, reporter: TestDevice): Promise<void> {
    const { message_id } = demand(await spammer.send(reporter.address)).body;
    const body = { message_id, sender_id: spammer.deviceId, reason: "spam" };
    demand(await call(watched.relay, "reportSpam", { token: reporter.token, body }));
    const { messages } = demand(await reporter.poll()).body;
    await reporter.ack(messages.map(({ message_id }) => message_id));
  }
});

describe("queues", () => {
  it("raise an alert when they grow by much within an hour", async () => {
    const device = await newDevice(watched.relay);
    // What came before this is more than an hour ago, and what comes next is not counted together with it.
    await watched.advance(hour + 400);
    demand(await device.send(device.address));
    await counted(1);
    await watched.advance(900);
    await countedAgain();
    for (let i = 0; i < 3; i++) demand(await device.send(device.address));
    await counted(4);
    await watched.looked();
    expect(await watched.alert("queue_growth")).toBeUndefined();
    for (let i = 0; i < 2; i++) demand(await device.send(device.address));
    const alert = await watched.raised("queue_growth");
    expect(alert).toMatchObject({ severity: "warning", component: "message_queue" });
    expect(alert.details).toMatchObject({ queued_messages: 6, queued_messages_before: 1, threshold_messages: 5 });
    const { messages } = demand(await device.poll()).body;
    await device.ack(messages.map(({ message_id }) => message_id));
    await watched.cleared("queue_growth");
  });

  /** Waits for a count that begins after this. An earlier one may include messages that arrive after its time. */
  async function countedAgain(): Promise<void> {
    const [asked, latest] = [watched.relay.clock.nowSeconds(), "select taken_at from metrics_snapshot"];
    const takenAt = async () => (await watched.db.one<{ taken_at: number }>(latest))?.taken_at;
    await expect.poll(takenAt).toBeGreaterThanOrEqual(asked);
  }

  /** Waits until the relay has counted as many messages in queues. */
  async function counted(messages: number): Promise<void> {
    const latest =
      "select value from metric_rollups where metric = 'queued_messages' order by bucket_start desc limit 1";
    await expect.poll(async () => (await watched.db.one<{ value: number }>(latest))?.value).toBe(messages);
  }
});

describe("pushes", () => {
  it("raise an alert when most of them fail, for an hour", async () => {
    // As the relay counts: a sum over an hour reads spans of five minutes or the hour's own, as the clock stands.
    const count = async (metric: string, value: number): Promise<void> => {
      const now = watched.relay.clock.nowSeconds();
      await watched.db.run(
        `insert into metric_rollups as m (metric, resolution, bucket_start, node_id, value)
         select :metric, s.seconds, :now::bigint / s.seconds * s.seconds, 'a node', :value::double precision
         from unnest(:resolutions::integer[]) as s (seconds)
         on conflict (metric, resolution, bucket_start, node_id) do update set value = m.value + excluded.value`,
        { metric, value, now, resolutions },
      );
    };
    await count("pushes_accepted", 9);
    await count("pushes_failed", 8);
    await watched.looked();
    expect(await watched.alert("pushes_failing")).toBeUndefined();
    await count("pushes_failed", 2);
    const alert = await watched.raised("pushes_failing");
    expect(alert).toMatchObject({ severity: "warning", component: "message_queue" });
    expect(alert.details).toEqual({ failed_last_hour: 10, accepted_last_hour: 9, threshold_failures: 7 });
    await watched.advance(hour + 301);
    await watched.cleared("pushes_failing");
  });
});

describe("the outbox", () => {
  it("raises an alert when a server is not reached for an hour", async () => {
    const acceptedAt = watched.relay.clock.nowSeconds();
    await watched.db.run(
      `insert into outbox_destinations (domain, last_position, messages, bytes, used_at, failures, next_attempt_millis)
       values ('away.example', 1, 1, 1, 0, 7, 99999999999999)`,
    );
    await watched.db.run(
      `insert into outbox (domain, position, message_id, recipient, ciphertext, sender_signature, sent_at, dedup_tag,
                           accepted_at, expires_at)
       values ('away.example', 1, gen_random_uuid(), gen_random_uuid(), 'x', 'y', 0, 'z', :acceptedAt, 99999999999)`,
      { acceptedAt },
    );
    await watched.looked();
    expect(await watched.alert("outbox_stuck")).toBeUndefined();
    await watched.advance(hour);
    const alert = await watched.raised("outbox_stuck");
    expect(alert).toMatchObject({ severity: "warning", component: "federation", started_at: acceptedAt + hour });
    expect(alert.details).toMatchObject({
      servers_stuck: 1,
      servers: [{ domain: "away.example", messages: 1, failures: 7 }],
    });
    expect((await watched.health()).warnings).toContain(alert.message);
    expect(await sample("svc_outbox_oldest_seconds")).toBeGreaterThanOrEqual(hour);
    expect(await sample('svc_component_health{component="federation"}')).toBe(0.5);
    expect(await sample('svc_component_health{component="websocket"}')).toBe(1);
    expect(await sample('svc_component_health{component="server"}')).toBe(0.5);
    expect(await sample('svc_alert_active{alert="outbox_stuck",severity="warning"}')).toBe(1);
    await watched.db.run("delete from outbox");
    await watched.db.run("delete from outbox_destinations");
    await watched.cleared("outbox_stuck");
    expect(await sample("svc_outbox_oldest_seconds")).toBe(0);
    expect(await sample('svc_component_health{component="federation"}')).toBe(1);
    expect(await sample('svc_alert_active{alert="outbox_stuck",severity="warning"}')).toBe(0);
  });
});

describe("another server", () => {
  it("raises an alert when it refuses messages for an hour", async () => {
    const delayedAt = watched.relay.clock.nowSeconds();
    await watched.db.run(
      `insert into outbox_transactions (domain, id, created_at, positions, form, due_millis, delayed_at, problem, answers)
       values ('strict.example', gen_random_uuid(), 0, '{1,2}', '{}', 99999999999999, :delayedAt,
               'refused 400 UNKNOWN_MEMBER', '{}')`,
      { delayedAt },
    );
    await watched.looked();
    expect(await watched.alert("outbox_refused")).toBeUndefined();
    await watched.advance(hour);
    const alert = await watched.raised("outbox_refused");
    expect(alert).toMatchObject({ severity: "warning", component: "federation", started_at: delayedAt + hour });
    expect(alert.details).toMatchObject({
      servers_refusing: 1,
      servers: [{ domain: "strict.example", messages: 2, problem: "refused 400 UNKNOWN_MEMBER" }],
    });
    await watched.db.run("delete from outbox_transactions");
    await watched.cleared("outbox_refused");
  });
});

describe("the database", () => {
  it("raises an alert when it has been slow for a while", async () => {
    watched.proxy.delayMillis = 40;
    await watched.looked();
    expect(await watched.alert("database_slow")).toBeUndefined();
    await watched.advance(30);
    const alert = await watched.raised("database_slow");
    expect(alert).toMatchObject({ severity: "warning", component: "database", details: { threshold_ms: 60 } });
    watched.proxy.delayMillis = 0;
    await watched.cleared("database_slow");
  });

  it("raises an alert when it is gone, which stands for a minute after it is back", async () => {
    await watched.health();
    watched.proxy.open = false;
    watched.proxy.cut();
    const alert = await watched.raised("database_gone");
    expect(alert).toMatchObject({ severity: "critical", component: "database" });
    watched.proxy.open = true;
    await expect.poll(async () => (await watched.health()).status).toBe("healthy");
    // Now from the database, for all nodes.
    const sql = "select id from alerts where condition = 'database_gone' and cleared_at is null";
    const kept = () => watched.db.rows<{ id: string }>(sql);
    await expect.poll(kept).toEqual([{ id: alert.id }]);
    expect(await watched.alert("database_gone")).toMatchObject({ id: alert.id, started_at: alert.started_at });
    await watched.advance(61);
    await watched.cleared("database_gone");
  });

  it("raises an alert for a table that vacuum does not keep up with", async () => {
    await watched.db.run("alter table message_keys_with_expiry set (autovacuum_enabled = false)");
    await watched.db.run(
      "insert into message_keys_with_expiry (key, expires_on) select lpad(to_hex(n), 32, '0')::uuid, 99999 from generate_series(1, 800) as n",
    );
    await watched.looked();
    expect(await watched.alert("dead_rows")).toBeUndefined();
    await watched.db.run("delete from message_keys_with_expiry where right(key::text, 2) < 'f0'");
    const alert = await watched.raised("dead_rows");
    expect(alert).toMatchObject({
      severity: "warning",
      component: "database",
      details: { table: "message_keys_with_expiry" },
    });
    // A transaction that is open meanwhile keeps rows from one vacuum, and not from the next.
    const stillRaised = async () => {
      await watched.db.run("vacuum message_keys_with_expiry");
      return watched.alert("dead_rows");
    };
    await expect.poll(stillRaised, { interval: 500 }).toBeUndefined();
  });
});

describe("the certificate", () => {
  const endingIn = async (days: number) =>
    writeFile(certificate, await certificateUntil(watched.relay.clock.nowSeconds() + days * day));

  it("raises an alert when it ends soon, a graver one at its end, and none when it is renewed", async () => {
    await endingIn(20);
    await watched.looked();
    expect(await watched.alert("certificate_ending")).toBeUndefined();
    await watched.advance(7 * day);
    const alert = await watched.raised("certificate_ending");
    expect(alert).toMatchObject({
      severity: "warning",
      component: "server",
      message: "The TLS certificate ends in 13 days.",
    });
    await watched.advance(12 * day);
    await expect.poll(async () => (await watched.alert("certificate_ending"))?.severity).toBe("critical");
    // It stays the same alert, though no reading of the node was fresh when the clock had jumped.
    expect((await watched.alert("certificate_ending"))?.id).toBe(alert.id);
    expect(await sample('svc_alert_active{alert="certificate_ending",severity="critical"}')).toBe(1);
    expect(await sample('svc_alert_active{alert="certificate_ending",severity="warning"}')).toBe(0);
    const ends = await sample("svc_certificate_expiry_timestamp_seconds");
    expect(ends - watched.relay.clock.nowSeconds()).toBeLessThan(2 * day);
    await endingIn(400);
    await watched.cleared("certificate_ending");
  });

  it("keeps its alert while a node that is up tells nothing, and loses it with the node", async () => {
    const { relay, db } = watched;
    await endingIn(5);
    // This one tells of itself when it is asked only.
    const second = await startRelay({ ...relay.config, metricsFlushSeconds: 3_600 }, { clock: relay.clock });
    const subjects = () => {
      const sql =
        "select id from alerts where condition = 'certificate_ending' and cleared_at is null order by subject";
      return db.rows<{ id: string }>(sql);
    };
    try {
      demand(await call(second, "getHealth", { token: watched.admin().token }));
      await expect.poll(subjects).toHaveLength(2);
      const before = await subjects();
      await watched.advance(600);
      await watched.looked();
      expect(await subjects()).toEqual(before);
      // The table is unlogged, so it is empty after a crash of the database.
      await db.run("delete from node_readings");
      await watched.looked();
      expect(await subjects()).toEqual(before);
    } finally {
      await second.stop();
    }
    await expect.poll(subjects).toHaveLength(1);
    await endingIn(400);
    await watched.cleared("certificate_ending");
  });
});

describe("the queue of proof checks", () => {
  it("raises an alert when it is full", async () => {
    const set = (require_proof_of_work: boolean) => watched.configure({ registration: { require_proof_of_work } });
    await watched.configure({ registration: { proof_of_work_difficulty: 7_000_000 } });
    await set(true);
    const keys = newKeys();
    const challenge = demand(
      await call(watched.relay, "createRegistrationChallenge", { body: { public_key: keys.publicKey } }),
    ).body;
    // Wrong, but that shows only when all of it has been computed again.
    const short = await prove({ ...challenge, iterations: 1 }, keys);
    const registering = register(watched.relay, keys, { vdf_proof: { ...short, iterations: challenge.iterations } });
    const alert = await watched.raised("proof_queue_full");
    expect(alert).toMatchObject({ severity: "warning", component: "registration", details: { queued: 1, limit: 1 } });
    expect((await registering).status).toBe(403);
    await watched.cleared("proof_queue_full");
    await set(false);
  });
});

describe("alerts", () => {
  it("are kept for a while after they were cleared, and are raised again when the condition comes back", async () => {
    const begun = watched.relay.clock.nowSeconds();
    const count = () =>
      watched.db.rows(
        `insert into metric_rollups (metric, resolution, bucket_start, node_id, value)
         select 'spam_reports', resolution, :now / resolution * resolution, 'test', 5
         from unnest(array[300, 3600, 86400]) as r (resolution)
         on conflict (metric, resolution, bucket_start, node_id) do update set value = metric_rollups.value + 5`,
        { now: watched.relay.clock.nowSeconds() },
      );
    await count();
    const first = await watched.raised("spam_spike");
    await watched.advance(2 * hour);
    await watched.cleared("spam_spike");
    await count();
    const second = await watched.raised("spam_spike");
    expect(second.id).not.toBe(first.id);
    const sql = "select id from alerts where condition = 'spam_spike' and started_at >= :begun order by started_at";
    const kept = () => watched.db.rows<{ id: string }>(sql, { begun });
    expect(await kept()).toEqual([{ id: first.id }, { id: second.id }]);
    await watched.advance(11 * day);
    await expect.poll(kept).toEqual([{ id: second.id }]);
  });
});

/** The value that Prometheus reads. A name without labels stands for any. */
async function sample(name: string): Promise<number> {
  const text = await (await fetch(watched.relay.metricsUrl as string)).text();
  const line = text.split("\n").find((each) => each.startsWith(`${name} `) || each.startsWith(`${name}{`));
  return Number(line?.split(" ").at(-1));
}

function burn(millis: number): void {
  const until = performance.now() + millis;
  while (performance.now() < until) Math.sqrt(until);
}

/** `end` in Unix seconds. */
async function certificateUntil(end: number): Promise<string> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...{ name: "CN=localhost", keys: keys as never, signingAlgorithm: algorithm },
    ...{ notBefore: new Date((end - 90 * day) * 1000), notAfter: new Date(end * 1000) },
  });
  return certificate.toString("pem");
}
