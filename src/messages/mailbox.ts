import type { Knex } from "knex";
import type { MetricsService } from "../metrics/service.js";
import type { Secrets } from "../platform/auth/secrets.js";
import type { Clock } from "../platform/cluster/clock.js";
import type { Nodes } from "../platform/cluster/nodes.js";
import type { Config } from "../platform/config/config.js";
import type { Db } from "../platform/database/connection.js";
import type { Notifications } from "../platform/database/notifications.js";
import { createPipelines } from "../platform/database/pipelines.js";
import type { Logger } from "../platform/logger.js";
import type { SettingsService } from "../settings/service.js";
import { createArrears } from "./ingest/arrears.js";
import { createFederationCounts, type FederationCounts } from "./ingest/federation-counts.js";
import { deleteFederationCounts } from "./ingest/federation-counts-store.js";
import { createFlush } from "./ingest/flush.js";
import type { Forward } from "./ingest/forward.js";
import { createIngest, type IntakeConfig } from "./ingest/ingest.js";
import { createRecognition } from "./ingest/recognition.js";
import { createSendingWindows, foldTotals } from "./ingest/sending-windows.js";
import { createSpentCheck } from "./ingest/spent.js";
import { deleteWindows } from "./ingest/window-store.js";
import { createPresence } from "./presence/presence.js";
import { type AcknowledgeConfig, createAcknowledger } from "./queue/acknowledge.js";
import { createDeliveryCursor } from "./queue/delivery-cursor.js";
import { createExpiry, type Expiry, type ExpiryConfig } from "./queue/expiry.js";
import { createPoll } from "./queue/poll.js";
import { countRows, deleteMailboxes, readBacklog, readStretch } from "./queue/store.js";
import type { Acknowledgement, Envelope, Outcome, QueuedMessage, Sender, TransactionalSideEffect } from "./types.js";

export type { DeviceFederation } from "./ingest/federation-counts.js";
export type { Forward, OutgoingMessage } from "./ingest/forward.js";
export type { MessageRules, SentMessage } from "./ingest/parse-message.js";
export { parseMessage } from "./ingest/parse-message.js";
export { scheduleMailboxJobs } from "./queue/expiry.js";
export type {
  Accepted,
  Acknowledgement,
  Envelope,
  Outcome,
  QueuedMessage,
  Refused,
  Sender,
  SystemEvent,
  TransactionalSideEffect,
} from "./types.js";
export { isRefused } from "./types.js";

/** The queues of this server's devices, the intake of messages into them and the way out. */
export interface MailboxService extends Expiry, Omit<FederationCounts, "countSends"> {
  start(): Promise<void>;
  /** Ends the intake, waits for what was accepted, and detaches this node's streams. */
  stop(): Promise<void>;
  /**
   * Takes envelopes in and answers each, in order, after the commit. Envelopes of many callers share a transaction.
   * Throws OVERLOADED where too many wait; a failure of the database is an outcome DATABASE_UNAVAILABLE, after which
   * the envelope may or may not be stored: sending it again does no harm.
   */
  accept(sender: Sender, envelopes: readonly Envelope[], sideEffect?: TransactionalSideEffect): Promise<Outcome[]>;
  /** The hash by which an envelope is recognised when it comes again, for `Envelope.key`. */
  keyOf(sender: Sender, envelope: Envelope): string;
  /** Throws RATE_LIMIT_EXCEEDED where the device may send nothing at the moment; counts nothing. */
  refuseSpent(deviceId: string): Promise<void>;
  /**
   * The oldest messages of a queue, up to `limit` and to the page's bytes. One at a time per device: the next one waits
   * for `left` as well, since a page that has not left yet is in memory.
   */
  page(deviceId: string, query: { since?: number | undefined; limit: number }, left?: Promise<unknown>): Promise<Page>;
  /** Removes one message per item and tells which position it had; undefined where there is none. */
  acknowledge(deviceId: string, items: readonly Acknowledgement[]): Promise<(number | undefined)[]>;
  /** Number of messages in the queue. */
  backlog(deviceId: string): Promise<number>;
  /**
   * Makes this stream the device's one and tells the one that it replaces, on whichever node. Throws
   * RATE_LIMIT_EXCEEDED with `retry_after` where the device's stream was replaced too often within a minute.
   */
  attach(deviceId: string, streamId: string, sink: StreamSink): Promise<{ headPosition: number }>;
  /** Ends the stream's presence, if it is still the device's one. */
  detach(deviceId: string, streamId: string): Promise<void>;
  /**
   * The messages behind a position, in order, and the head of the queue as of the same moment. Where fewer than
   * `limit` messages and fewer than `bytes` bytes come back, nothing is left between the last one and the head.
   */
  readAfter(deviceId: string, position: number, bounds: { limit: number; bytes: number }): Promise<QueueSlice>;
  /** To be called with what a stream has pushed, in order: counts latencies and moves the hand-out cursor. */
  delivered(deviceId: string, streamId: string, messages: readonly QueuedMessage[]): void;
  /** Whether the device sent a message of this id to one of these addresses, while the retention period lasts. */
  wasSentBy(db: Db, sent: { senderId: string; messageId: string; prefixes: readonly string[] }): Promise<boolean>;
  /** About how many rows of the database the queues of devices take up. */
  weighDevices(db: Db, deviceIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Removes the devices' queues and counters, inside the caller's transaction. */
  forgetDevices(db: Db, deviceIds: readonly string[]): Promise<void>;
}

export interface Page {
  messages: QueuedMessage[];
  hasMore: boolean;
}

export interface QueueSlice {
  messages: QueuedMessage[];
  head: number;
}

/** The mailbox's view of an open stream. Its calls return at once and never throw. */
export interface StreamSink {
  /**
   * Messages that were just committed. `from` is the queue's head before them and `head` the one after: a stream that
   * has read up to `from` appends them; one that knows a head of `head` or more ignores them; any other reads.
   */
  arrived(event: { from: number; head: number; messages: QueuedMessage[] }): void;
  /** There may be messages that were not told: read. */
  wake(): void;
  /** Another stream of the device has taken over. */
  replaced(): void;
}

export interface MailboxDeps {
  db: Knex;
  /** Of the same database; the intake has connections of its own. */
  databaseUrl: string;
  clock: Clock;
  logger: Logger;
  settings: Pick<SettingsService, "current">;
  metrics: Pick<MetricsService, "count" | "observe">;
  nodes: Pick<Nodes, "nodeId" | "isAlive">;
  notifications: Pick<Notifications, "notify" | "listen">;
  secrets: Pick<Secrets, "get">;
  config: MailboxConfig;
  /** Where messages for other servers go; without it they are refused with FEDERATION_DISABLED. */
  forward?: Forward;
}

export type MailboxConfig = IntakeConfig &
  AcknowledgeConfig &
  ExpiryConfig &
  Pick<Config, "databaseStatementTimeoutSeconds" | "databaseConnectTimeoutSeconds"> &
  Pick<Config, "missesPerSendLimit" | "pollPageBytes" | "streamSafetyPollSeconds" | "replacementsPerMinute">;

export function createMailboxService(deps: MailboxDeps): MailboxService {
  const { db, clock, settings, config } = deps;
  const recognition = createRecognition(deps);
  const pipelines = createPipelines({ url: deps.databaseUrl, config });
  const presence = createPresence(deps);
  const deliveryCursor = createDeliveryCursor(deps);
  const arrears = createArrears(deps);
  const federationCounts = createFederationCounts({ ...deps, arrears });
  const acknowledger = createAcknowledger({ ...deps, pipelines });
  const poll = createPoll({ ...deps, deliveryCursor });
  const ingest = createIngest({
    ...deps,
    flush: createFlush({
      db,
      pipelines,
      now: () => clock.nowSeconds(),
      settings: () => settings.current(),
      isAlive: (nodeId) => deps.nodes.isAlive(nodeId),
      missesPerSend: config.missesPerSendLimit,
      forward: deps.forward,
      windows: createSendingWindows({ db, arrears }),
      earlierKeys: recognition.earlierKeys,
      countSends: federationCounts.countSends,
    }),
    keyOf: recognition.keyOf,
    earlierKeyOf: recognition.earlierKeyOf,
    arrived: (arrivals) => presence.arrived(arrivals),
  });

  return {
    async start() {
      await recognition.start();
      presence.start();
      deliveryCursor.start();
    },
    async stop() {
      await Promise.all([ingest.stop(), acknowledger.stop()]);
      await deliveryCursor.stop();
      await presence.stop();
      await arrears.stop();
      await pipelines.stop();
    },
    refuseSpent: createSpentCheck({
      db,
      now: () => clock.nowSeconds(),
      settings: () => settings.current(),
      missesPerSend: config.missesPerSendLimit,
    }),
    accept: (sender, envelopes, sideEffect) => ingest.accept(sender, envelopes, sideEffect),
    keyOf: recognition.keyOf,
    page: (deviceId, query, left) => poll.page(deviceId, query, left),
    acknowledge: (deviceId, items) => acknowledger.acknowledge(deviceId, items),
    backlog: (deviceId) => readBacklog(db, deviceId),
    attach: (deviceId, streamId, sink) => presence.attach(deviceId, streamId, sink),
    detach: (deviceId, streamId) => presence.detach(deviceId, streamId),
    async readAfter(deviceId, after, { limit, bytes }) {
      const from = { deviceId, after, since: 0, now: clock.nowSeconds(), limit, bytes, overshoot: 1 as const };
      const stretch = await readStretch(db, from);
      return { messages: stretch?.messages ?? [], head: stretch?.head ?? 0 };
    },
    delivered(deviceId, streamId, messages) {
      const delivered = presence.moveCursor(deviceId, streamId, messages);
      if (delivered !== undefined) deliveryCursor.note(deviceId, messages, { delivered, skipping: false });
    },
    wasSentBy: recognition.wasSentBy,
    weighDevices: countRows,
    forgetDevices: forgetAll,
    async foldSends() {
      await federationCounts.foldSends();
      await foldTotals(db);
    },
    ...createExpiry(deps),
    federationOf: federationCounts.federationOf,
    foldFederationCounts: federationCounts.foldFederationCounts,
  };
}

/** Windows come last: a flush that holds rows of the others may be waiting for these over another connection. */
async function forgetAll(db: Db, deviceIds: readonly string[]): Promise<void> {
  await deleteMailboxes(db, deviceIds);
  await deleteFederationCounts(db, deviceIds);
  await deleteWindows(db, deviceIds);
}
