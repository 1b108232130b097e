import { createAuditService } from "../../src/audit/service.js";
import { type Config, loadConfig } from "../../src/composition/config.js";
import { openPlacement } from "../../src/database/citus/placement.js";
import { createPipelinedConnections } from "../../src/database/pipeline/pipelines.js";
import { createNotifications } from "../../src/database/pool/notifications.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { createOutbox, type Outbox } from "../../src/federation/outbox/outbox.js";
import type { PeerCalls } from "../../src/federation/peers/types.js";
import type { Outcome } from "../../src/messages/model/types.js";
import type { MessagesService } from "../../src/messages/service.js";
import { createMetricsService, type MetricsService } from "../../src/metrics/service.js";
import { createNodes } from "../../src/node/nodes.js";
import { createSharedPoll } from "../../src/node/shared-poll.js";
import { createLogger } from "../../src/platform/logger.js";
import { createSystemRandom } from "../../src/platform/random.js";
import { createMachine } from "../../src/process/machine.js";
import type { Prefix } from "../../src/protocol/identifiers.js";
import { createMessagesFixture, type FixtureDevice, type MessagesFixture } from "../messages/fixture.js";
import { tableOf } from "../support/table.js";

/** A mailbox whose messages for other servers go through an outbox. */
export interface OutboxNode {
  outbox: Outbox;
  mailbox: MessagesService;
  metrics: MetricsService;
  /** Stops in good order. */
  stop(): Promise<void>;
  /** Loses the database and the heartbeat from one moment to the next. What it still tries ends with the ground. */
  die(): void;
}

export interface OutboxNodeOptions {
  calls: Pick<PeerCalls, "deliver" | "isReady" | "reach" | "offers">;
  config?: Partial<Config>;
  admits?: (domain: string) => boolean;
  fraction?: () => number;
}

export interface OutboxFixture {
  mailboxes: MessagesFixture;
  node(options: OutboxNodeOptions): Promise<OutboxNode>;
  stop(): Promise<void>;
}

const random = createSystemRandom();
const logger = createLogger({ level: "silent" });

/** Ways to wait short enough for tests. */
export const quick: Partial<Config> = {
  outboxPollMillis: 20,
  settingsRefreshMillis: 50,
  outboxLingerMillis: 20,
  shutdownGraceSeconds: 1,
  nodeHeartbeatSeconds: 1,
  nodeDeadAfterSeconds: 2,
};

export async function createOutboxFixture(on?: MessagesFixture): Promise<OutboxFixture> {
  const mailboxes = on ?? (await createMessagesFixture());
  const running = new Set<OutboxNode>();
  const dying: Promise<void>[] = [];

  return {
    mailboxes,
    async node({ calls, config: overrides = {}, admits = () => true, fraction = () => 0.5 }) {
      const { database, clock, settings } = mailboxes;
      const pool = createDatabase({ url: database.url, poolSize: 5 });
      const config = { ...loadConfig({}), ...quick, ...overrides };
      const placement = await openPlacement({ db: pool, logger });
      const pipelined = createPipelinedConnections({ url: database.url, placement, config, count: 4 });
      const base = { db: pool, clock, logger, config, random: { ...random, fraction } };
      const notifications = createNotifications({ url: database.url, logger });
      const nodes = createNodes({
        mayChangeDomain: async () => false,
        ...base,
        notifications,
      });
      const poll = createSharedPoll({ db: pool, logger, everyMillis: config.settingsRefreshMillis });
      const metrics = createMetricsService({ ...base, reader: pool, nodes, settings, machine: createMachine() });
      const outbox = createOutbox({
        ...{ ...base, pipelined, nodes, notifications, poll, settings, metrics, calls },
        audit: createAuditService(base),
        statuses: { admits },
        domain: "relay.test",
      });
      const { messages: mailbox } = await mailboxes.node({ forward: outbox.forward });
      await notifications.start();
      await nodes.start();
      await poll.start();
      outbox.start();
      const node: OutboxNode = {
        ...{ outbox, mailbox, metrics },
        async stop() {
          running.delete(node);
          await outbox.stop();
          await poll.stop();
          await metrics.stop();
          await nodes.stop();
          await notifications.stop();
          await pipelined.stop();
          await pool.close();
        },
        die() {
          running.delete(node);
          const parts = [outbox, poll, metrics, notifications, nodes];
          dying.push(pool.close(), pipelined.stop(), ...parts.map((part) => part.stop().catch(() => undefined)));
        },
      };
      running.add(node);
      return node;
    },
    async stop() {
      for (const node of running) await node.stop();
      await Promise.all(dying);
      await mailboxes.stop();
    },
  };
}

/** A recipient on another server. */
export function remote(domain: string): FixtureDevice & { domain: string; address: string } {
  const prefix = random.uuid() as Prefix;
  return { deviceId: "", prefix, domain, address: `${prefix}@${domain}` };
}

/** Has a device send one message to each of these recipients, in one call. */
export async function sendTo(
  { mailbox }: Pick<OutboxNode, "mailbox">,
  fixture: MessagesFixture,
  to: { from: FixtureDevice; recipients: readonly ReturnType<typeof remote>[]; bytes?: number },
): Promise<{ ids: string[]; outcomes: Outcome[] }> {
  const ciphertext = to.bytes === undefined ? {} : { ciphertext: Buffer.alloc(to.bytes, 1) };
  const envelopes = to.recipients.map((one) => fixture.envelope(one, { domain: one.domain, ...ciphertext }));
  const outcomes = await mailbox.accept({ kind: "device", deviceId: to.from.deviceId }, envelopes);
  return { ids: envelopes.map(({ messageId }) => messageId), outcomes };
}

/** Waits for something to come true; fails with what it was at the end. */
export async function eventually(check: () => boolean | Promise<boolean>, seconds = 90): Promise<void> {
  const deadline = performance.now() + seconds * 1000;
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`it did not come true: ${check.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Has a destination count as one that was reached before. */
export async function noteReached(fixture: MessagesFixture, domain: string): Promise<void> {
  await tableOf(fixture.db, "outbox_destinations").insert({ domain, used_at: 0, reached_at: 0 });
}

/** What the outbox holds of a destination. */
export async function destination(fixture: MessagesFixture, domain: string) {
  const row = await fixture.db.one<{
    messages: number;
    bytes: number;
    failures: number;
    next_attempt_millis: number | null;
    lease_node: string | null;
    problem: string | null;
    reached_at: number | null;
    rows: number;
  }>(
    `select *, (select count(*) from outbox as o where o.domain = d.domain) as rows
     from outbox_destinations as d
     where domain = :domain::text`,
    { domain },
  );
  return row;
}

/**
 * Waits until nothing is left to deliver. The clock moves only while the destination waits for its next attempt: on a slow
 * machine, one that moved with every look would end the lease of a delivery that is on its way.
 */
export function finished(fixture: MessagesFixture, domain: string): Promise<void> {
  return eventually(async () => {
    const next = (await destination(fixture, domain))?.next_attempt_millis ?? 0;
    if (next > fixture.clock.nowMillis()) fixture.clock.advance(1);
    return isDone(fixture, domain);
  });
}

/** Whether nothing waits for a destination and nobody delivers to it. */
export async function isDone(fixture: MessagesFixture, domain: string): Promise<boolean> {
  const row = await destination(fixture, domain);
  return row !== undefined && row.messages === 0 && row.rows === 0 && row.lease_node === null;
}
