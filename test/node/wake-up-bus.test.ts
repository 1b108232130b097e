import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { connect } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestAuthority } from "../../scripts/test-ca/authority.js";
import type { Config } from "../../src/composition/config.js";
import { createLogger } from "../../src/platform/logger.js";
import { startCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { newDevice } from "../support/device.js";
import { type NatsServer, startNats } from "../support/nats.js";
import { isMissing } from "../support/programs.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { openDeviceStream, type TestStream } from "../support/stream.js";
import { until } from "../support/until.js";

const patience = { interval: 50 };
const password = "not-for-the-log";
/** As on machines of their own: nodes do not reach each other by sockets. */
const apart: Partial<Config> = { nodeSockets: false, nodeHeartbeatSeconds: 1 };

const lines: string[] = [];
const logger = createLogger({ level: "trace", destination: { write: (line: string) => void lines.push(line) } });

/** The ids of the messages that have been pushed, in order. */
function pushed(stream: TestStream): string[] {
  return stream.all("message").map(({ data }) => data.message_id);
}

/** Waits until the stream has pushed so many messages altogether, and acknowledges the later ones. */
async function take(stream: TestStream, count: number): Promise<void> {
  for (let i = taken.get(stream) ?? 0; i < count; i++) {
    await until(async () => pushed(stream).length > i, `message ${i} is pushed`);
    stream.send({ type: "ack", message_id: pushed(stream)[i] });
    taken.set(stream, i + 1);
  }
}

const taken = new Map<TestStream, number>();

describe.skipIf(isMissing("nats-server"))("nodes with a bus", () => {
  let nats: NatsServer;
  let database: TestDatabase;
  let near: TestRelay;
  let far: TestRelay;

  beforeAll(async () => {
    nats = await startNats([`authorization { user: relay, password: ${password} }`]);
    database = await createTestDatabase();
    const wakeUpBus = `nats://relay:${password}@127.0.0.1:${nats.port}`;
    const settings = { databaseUrl: database.url, seeds: { SEED_RATE_LIMITING_ENABLED: "false" } };
    near = await startRelay({ ...apart, ...settings, wakeUpBus }, { logger });
    far = await startRelay(near.config, { clock: near.clock, logger });
    await until(async () => (await nats.subscribers()).length === 2, "both nodes listen");
  });
  afterAll(async () => {
    await far?.stop();
    await near?.stop();
    await nats?.stop();
    await database?.drop();
  });

  test("hand each other messages, which arrive in order and once", async () => {
    const [anna, ben] = [await newDevice(near), await newDevice(far)];
    const stream = await openDeviceStream(far.url, ben.token);
    const before = await nats.messages();
    const sent: string[] = [];
    for (let i = 0; i < 20; i++) sent.push((await anna.send(ben.address)).body.message_id);
    await take(stream, sent.length);
    expect(pushed(stream)).toEqual(sent);
    expect((await nats.messages()) - before).toBeGreaterThan(0);
    await stream.close();
  });

  test("lose nothing but time when the bus is killed under traffic, and use it again when it is back", async () => {
    const [anna, ben] = [await newDevice(near), await newDevice(far)];
    const stream = await openDeviceStream(far.url, ben.token);
    const sent: string[] = [];
    const sendUntil = async (condition: () => boolean) => {
      for (let more = 3; more > 0; more -= condition() ? 1 : 0) {
        const { status, body } = await anna.send(ben.address);
        expect(status).toBe(202);
        sent.push(body.message_id);
        await take(stream, sent.length);
      }
    };
    await sendUntil(() => sent.length > 5);
    let isDead = false;
    void nats.kill("SIGKILL").then(() => {
      isDead = true;
    });
    await sendUntil(() => isDead);
    expect(lines.some((line) => line.includes("the wake-up bus is gone"))).toBe(true);
    await nats.start();
    await expect.poll(async () => (await nats.subscribers()).length, patience).toBe(2);
    const before = await nats.messages();
    await expect
      .poll(async () => {
        await sendUntil(() => true);
        return (await nats.messages()) > before;
      }, patience)
      .toBe(true);
    expect(pushed(stream)).toEqual(sent);
    await stream.close();
  });

  test("believe only packets of nodes of their own database", async () => {
    const ben = await newDevice(far);
    const stream = await openDeviceStream(far.url, ben.token);
    const found = await database.db.rows<{ node: string }>(
      "select stream_node as node from queues where device_id = :deviceId::text and stream_node is not null",
      { deviceId: ben.deviceId },
    );
    const stranger = await connect({ port: nats.port, user: "relay", pass: password });
    for (const size of [0, 10, 36, 500]) {
      stranger.publish(`mls-relay.relay_test.node.${found[0]?.node}`, Buffer.alloc(size, 1));
    }
    await stranger.flush();
    await stranger.close();
    await expect.poll(() => lines.some((line) => line.includes("was not sealed by a node")), patience).toBe(true);
    const anna = await newDevice(near);
    const { body } = await anna.send(ben.address);
    await take(stream, 1);
    expect(pushed(stream)).toEqual([body.message_id]);
    await stream.close();
  });

  test("reach a node that has no bus, and are reached by it", async () => {
    const plain = await startRelay({ ...near.config, wakeUpBus: null }, { clock: near.clock, logger });
    try {
      const [anna, ben] = [await newDevice(near), await newDevice(plain)];
      const streams = [await openDeviceStream(near.url, anna.token), await openDeviceStream(plain.url, ben.token)];
      for (let sent = 1; sent <= 5; sent++) {
        for (const [from, to] of [[anna, ben] as const, [ben, anna] as const]) await from.send(to.address);
        for (const stream of streams) await take(stream, sent);
      }
      expect(streams.map((stream) => pushed(stream).length)).toEqual([5, 5]);
      for (const stream of streams) await stream.close();
    } finally {
      await plain.stop();
    }
  });

  test("never write the account of the bus into the log", () => {
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => line.includes(password))).toEqual([]);
  });
});

describe.skipIf(isMissing("nats-server"))("a bus with TLS", () => {
  test("is used where its certificate is trusted, and not where it is not", async () => {
    const authority = await createTestAuthority(new Date());
    const { cert, key } = await authority.issue({ hosts: ["localhost"], key: "p256" });
    const tls = ['tls { cert_file: "cert.pem", key_file: "key.pem" }'];
    const nats = await startNats(tls, { "cert.pem": cert, "key.pem": key });
    const folder = await mkdtemp(path.join(tmpdir(), "mls-relay-bus-"));
    const trusted = path.join(folder, "ca.pem");
    await writeFile(trusted, authority.cert);
    const database = await createTestDatabase();
    const env = {
      DATABASE_URL: database.url,
      DATA_DIR: folder,
      DOMAIN: "relay.test",
      PORT: "0",
      LOG_LEVEL: "warn",
      DATABASE_POOL_SIZE: "4",
      WAKE_UP_BUS: `tls://localhost:${nats.port}`,
    };
    const nodes = [startCommand(["serve"], env)];
    try {
      await nodes[0]?.printed(/the wake-up bus is gone/);
      await nodes[0]?.seen(/ at (http\S+)/);
      expect(await nats.subscribers()).toEqual([]);
      nodes.push(startCommand(["serve"], { ...env, NODE_EXTRA_CA_CERTS: trusted }));
      await expect
        .poll(() => nats.subscribers(), patience)
        .toEqual([expect.objectContaining({ name: "mls-relay", tls_version: "1.3" })]);
    } finally {
      for (const node of nodes) node.kill("SIGTERM");
      for (const node of nodes) await node.ended;
      await database.drop();
      await nats.stop();
      await rm(folder, { recursive: true });
    }
  });
});
