import { randomBytes } from "node:crypto";
import { createMasterKey } from "../../src/auth/master-key.js";
import { createSecrets } from "../../src/auth/secrets.js";
import { type Config, loadConfig } from "../../src/composition/config.js";
import { openPlacement } from "../../src/database/citus/placement.js";
import { createNotifications } from "../../src/database/pool/notifications.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import type { Envelope, Forward, Refused } from "../../src/messages/model/types.js";
import { createMessagesService, type MessagesService } from "../../src/messages/service.js";
import { createMetricsService, type MetricsService } from "../../src/metrics/service.js";
import { createManualClock, createSystemClock, type ManualClock } from "../../src/node/clock.js";
import { createNodeLinks } from "../../src/node/node-links.js";
import { createNodes } from "../../src/node/nodes.js";
import { createSharedPoll } from "../../src/node/shared-poll.js";
import { createLogger } from "../../src/platform/logger.js";
import { createSystemRandom } from "../../src/platform/random.js";
import { createMachine } from "../../src/process/machine.js";
import { newMessageId, type Prefix } from "../../src/protocol/identifiers.js";
import { createSettingsService, type SettingsService } from "../../src/settings/service.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { createTestRateLimiter } from "../support/rate-limiter.js";
import { tableOf } from "../support/table.js";

/** A database with devices, and the service of any number of nodes on it. */
export interface MessagesFixture {
  database: TestDatabase;
  db: TestDatabase["db"];
  clock: ManualClock;
  settings: SettingsService;
  /** Another node. It has its own pool, so that cutting its connections affects no other. */
  node(options?: { config?: Partial<Config>; forward?: Forward }): Promise<MessagesNode>;
  /** A registered device with an address. Trusted: it may send 300 messages an hour. */
  device(columns?: Readonly<Record<string, unknown>>): Promise<FixtureDevice>;
  envelope(to: FixtureDevice, changes?: Partial<Envelope>): Envelope;
  stop(): Promise<void>;
}

export interface MessagesNode {
  messages: MessagesService;
  metrics: MetricsService;
  nodeId: string;
  stop(): Promise<void>;
}

export interface FixtureDevice {
  deviceId: string;
  prefix: Prefix;
}

const noPeers: Refused = { error: "FEDERATION_DISABLED", message: "this node reaches no other server" };
const refuseAll = (messages: readonly unknown[]) => messages.map(() => noPeers);
const refuseRemote: Forward = async (_, messages) => ({
  ...{ outcomes: refuseAll(messages), statements: [], committed: () => undefined },
});

const random = createSystemRandom();
const logger = createLogger({ level: "silent" });

/** On a database of its own, or on one that exists, with the time and the master key that belong to it. */
export async function createMessagesFixture(
  settingsSeeds: Parameters<typeof createSettingsService>[0]["seeds"] = {},
  existing: { database?: TestDatabase; clock?: ManualClock; masterKey?: Buffer } = {},
) {
  const database = existing.database ?? (await createTestDatabase());
  const { db } = database;
  const clock = existing.clock ?? createManualClock(createSystemClock());
  const masterKey = createMasterKey(existing.masterKey ?? randomBytes(32), random);
  const notifications = createNotifications({ url: database.url, logger });
  const poll = createSharedPoll({ db, logger, everyMillis: 500 });
  const settings = createSettingsService({
    db,
    clock,
    logger,
    notifications,
    poll,
    seeds: settingsSeeds,
    preset: null,
  });
  await settings.start();
  const nodes: MessagesNode[] = [];

  const fixture: MessagesFixture = {
    database,
    db,
    clock,
    settings,
    async node({ config = {}, forward = refuseRemote } = {}) {
      const pool = createDatabase({ url: database.url, poolSize: 5 });
      const base = { db: pool, clock, logger, random, config: { ...loadConfig({}), ...config } };
      const notifications = createNotifications({ url: database.url, logger });
      const identity = createNodes({
        mayChangeDomain: async () => false,
        ...base,
        notifications,
      });
      const metrics = createMetricsService({
        ...{ ...base, reader: pool, nodes: identity, settings },
        machine: createMachine(),
      });
      const secrets = createSecrets({ ...base, masterKey });
      const links = createNodeLinks({ ...base, nodeId: identity.nodeId, secret: () => secrets.get("node-links") });
      const deps = {
        ...base,
        databaseUrl: database.url,
        placement: await openPlacement(base),
        domain: "relay.test",
        settings,
        metrics,
        nodes: identity,
        notifications,
        links,
        secrets,
        poll: { ask: async () => {} },
        rateLimiter: createTestRateLimiter({ ...base, masterKey, isTimeSound: () => true }),
      };
      const messages = createMessagesService({ ...deps, forward, forwardOnline: refuseAll, waiting: () => undefined });
      await notifications.start();
      await links.start();
      await identity.start();
      await messages.start();
      const stop = async () => {
        await messages.stop();
        await metrics.stop();
        await identity.stop();
        await links.stop();
        await notifications.stop();
        await pool.close();
      };
      const node = { messages, metrics, nodeId: identity.nodeId, stop };
      nodes.push(node);
      return node;
    },
    async device(columns = {}) {
      const device = { deviceId: randomBytes(32).toString("hex"), prefix: random.uuid() as Prefix };
      const now = clock.nowSeconds();
      const registered = {
        device_id: device.deviceId,
        public_key: randomBytes(32),
        registered_at: now - 100_000,
        last_active: now,
        ...columns,
      };
      await tableOf(db, "devices").insert(registered);
      await db.run(
        `insert into addresses (prefix, device_id, spelling, server_url, created_at, announced_at, expires_at)
         values (:prefix, :deviceId, 'uuid', 'http://relay.test', :now, :now, :now::bigint + 10000000)`,
        { ...device, now },
      );
      return device;
    },
    envelope: (to, changes = {}) => ({
      messageId: newMessageId(clock.nowMillis(), random.bytes(10)),
      recipient: to.prefix,
      ciphertext: randomBytes(64),
      senderSignature: randomBytes(64).toString("hex"),
      timestamp: clock.nowSeconds(),
      systemEvent: null,
      ...changes,
    }),
    async stop() {
      for (const node of nodes) await node.stop();
      await settings.stop();
      await database.drop();
    },
  };
  return fixture;
}
