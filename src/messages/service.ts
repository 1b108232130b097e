import type { Secrets } from "../auth/secrets.js";
import type { DatabaseSettings } from "../database/config.js";
import type { Database, Db } from "../database/db.js";
import { createPipelines } from "../database/pipeline/pipelines.js";
import type { Placement } from "../database/placement.js";
import type { Notifications } from "../database/pool/notifications.js";
import type { RateLimiter } from "../limits/rate-limiter.js";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../node/clock.js";
import type { NodeSettings } from "../node/config.js";
import type { NodeLinks } from "../node/node-links.js";
import type { Nodes } from "../node/nodes.js";
import type { Schedule } from "../node/schedule.js";
import type { SharedPoll } from "../node/shared-poll.js";
import type { Logger } from "../platform/logger.js";
import { parseMessageId } from "../protocol/identifiers.js";
import type { LimitState } from "../protocol/rate-limit.js";
import type { SettingsService } from "../settings/service.js";
import type { IngestSettings } from "./ingest/config.js";
import { createDeduplication } from "./ingest/deduplication/key-retention.js";
import { createFederationCounts } from "./ingest/federation-counts.js";
import { deleteFederationCounts } from "./ingest/federation-counts-store.js";
import { Ingest, type IngestConfig } from "./ingest/ingest.js";
import { createRemainingSends } from "./ingest/limits/remaining.js";
import { createSendingWindows, updateSentTotals } from "./ingest/limits/sending-windows.js";
import { deleteWindows } from "./ingest/limits/sending-windows-store.js";
import { createRetryLater } from "./ingest/model/retry-later.js";
import type { MessageSettings } from "./model/config.js";
import type {
  Acknowledgement,
  DeliveryState,
  Envelope,
  Forward,
  ForwardOnline,
  Outcome,
  QueuedMessage,
  QueueSlice,
  Sender,
  StreamSink,
  TransactionalSideEffect,
} from "./model/types.js";
import { createOnline } from "./online.js";
import type { PresenceSettings } from "./presence/config.js";
import { createPresence, type Presence } from "./presence/presence.js";
import { createAcknowledger } from "./queue/acknowledge.js";
import type { QueueSettings } from "./queue/config.js";
import { countQueued, countRows, deleteQueues } from "./queue/counters-store.js";
import { createDeliveryCursor } from "./queue/delivery-cursor.js";
import { expireMessages } from "./queue/expired-messages.js";
import { createPoll } from "./queue/poll.js";
import { readQueue } from "./queue/store.js";
import { findUnread, readDeliveryRows } from "./queue/stream-store.js";
import { createSend, refuseTooMany, type SendConfig } from "./send.js";

export { copyKeysIntoPartitions, moveKeysOutOfPartitions } from "./ingest/deduplication/move-keys.js";
export { parseMessage } from "./ingest/parse-message.js";
export { maxOnlineBytes } from "./online.js";

/** Routes messages: ingest into the queues of this server's devices, and delivery from them. */
export type MessagesService = ReturnType<typeof createMessagesService>;

interface MessagesDeps {
  db: Database;
  /** The URL of the same database: ingest uses separate connections. */
  databaseUrl: string;
  placement: Placement;
  domain: string;
  clock: Clock;
  logger: Logger;
  settings: Pick<SettingsService, "current">;
  metrics: Pick<MetricsService, "count" | "observe">;
  nodes: Pick<Nodes, "nodeId" | "isAlive" | "count">;
  notifications: Pick<Notifications, "notify" | "listen">;
  links: Pick<NodeLinks, "send" | "sendOnce" | "listen">;
  poll: Pick<SharedPoll, "ask">;
  secrets: Pick<Secrets, "get">;
  rateLimiter: Pick<RateLimiter, "count">;
  config: MessagesConfig;
  /** Stores messages for other servers. */
  forward: Forward;
  /** Passes online-only messages on to other servers. */
  forwardOnline: ForwardOnline;
  /** Called after each commit with the recipients that have no open stream. Must return at once. */
  waiting: (deviceIds: readonly string[]) => void;
}

type MessagesConfig = SendConfig &
  Pick<MessageSettings, "onlineMessagesPerSend"> &
  IngestConfig &
  QueueSettings &
  Pick<NodeSettings, "expiryStepRows"> &
  Pick<IngestSettings, "missesPerSendLimit"> &
  Pick<DatabaseSettings, "databaseStatementTimeoutSeconds" | "databaseConnectTimeoutSeconds"> &
  Pick<PresenceSettings, "streamSafetyPollSeconds" | "replacementsPerMinute">;

export function createMessagesService(deps: MessagesDeps) {
  const { db, placement, clock, settings, config } = deps;
  // The connections of ingest and acknowledgements.
  const pipelines = createPipelines({ url: deps.databaseUrl, placement: deps.placement, config: deps.config });
  const isDown = (deviceId: string): boolean => placement.isDown("device", deviceId);
  const retryLater = createRetryLater(deps);
  const deduplication = createDeduplication(deps);
  const federationCounts = createFederationCounts({ ...deps, retryLater });
  const presence = createPresence({ ...deps, isDown, noticeFailover: () => deps.poll.ask() });
  const deliveryCursor = createDeliveryCursor({ ...deps, isDown });
  const acknowledger = createAcknowledger({ ...deps, pipelines });
  const limits = {
    db,
    now: () => clock.nowSeconds(),
    settings: () => settings.current(),
    missesPerSend: config.missesPerSendLimit,
  };
  const ingest = new Ingest({
    ...deps,
    ...limits,
    pipelines,
    isAlive: (nodeId) => deps.nodes.isAlive(nodeId),
    windows: createSendingWindows({ db, retryLater }),
    keyOf: deduplication.keyOf,
    keyRulesAt: deduplication.rulesAt,
    countSends: federationCounts.countSends,
    arrived: presence.arrived,
  });
  const online = createOnline({ ...deps, pushOnline: presence.pushOnline });
  const { refuseSpent, remainingSends } = createRemainingSends(limits);
  return {
    async start(): Promise<void> {
      await placement.watch((deviceId) => pipelines.use((pipeline) => countQueued(pipeline, deviceId)));
      await deduplication.start();
      presence.start();
      deliveryCursor.start();
    },
    /** Ends ingest, waits for what was accepted, and detaches this node's streams. */
    async stop(): Promise<void> {
      await Promise.all([ingest.stop(), acknowledger.stop()]);
      await deliveryCursor.stop();
      await presence.stop();
      await retryLater.stop();
      await placement.stop();
      await pipelines.stop();
    },
    ...createSend({ ...deps, ingest, online }),
    pushFromPeer: online.pushFromPeer,
    ...delivery({ db, clock, presence, deliveryCursor }),
    /**
     * The oldest messages of a queue, up to the limit and to a page's bytes. The polls of a device run one at a time: the
     * next poll also waits for `left`, which resolves when this answer has left memory.
     */
    poll: createPoll({ ...deps, deliveryCursor }),
    /** Removes one message per id; false if there is none. Throws INVALID_REQUEST if there are too many ids. */
    async acknowledgeIds(deviceId: string, messageIds: readonly string[]): Promise<boolean[]> {
      refuseTooMany("message_ids", messageIds.length, config.ackListLimit);
      const items = messageIds.map((text) => ({ messageId: parseMessageId(text) ?? text }));
      const removed = await acknowledger.acknowledge(deviceId, items);
      return removed.map((position) => position !== undefined);
    },
    /** How far devices have read their queues; nothing for a device without a queue. */
    async deliveryStates(deviceIds: readonly string[]): Promise<ReadonlyMap<string, DeliveryState>> {
      const rows = await readDeliveryRows(db, deviceIds);
      const mayWait = rows.filter(({ head, cursor }) => head > cursor).map(({ deviceId }) => deviceId);
      const unread = await findUnread(db, { deviceIds: mayWait, now: clock.nowSeconds() });
      return new Map(
        rows.map(({ deviceId, streamNode, ...row }) => {
          const hasStream = streamNode !== null && deps.nodes.isAlive(streamNode);
          return [deviceId, { ...row, hasStream, hasUnread: unread.has(deviceId) }];
        }),
      );
    },
    /** Removes one message per acknowledgement and returns its position; undefined if there is none. */
    acknowledge: (deviceId: string, items: readonly Acknowledgement[]) => acknowledger.acknowledge(deviceId, items),
    /** Throws RATE_LIMIT_EXCEEDED if the device may send nothing at the moment; counts nothing. */
    refuseSpent,
    /** What a device may still send; empty for a device without a limit. */
    async remainingSends(deviceId: string): Promise<LimitState[]> {
      const [sends, ofOnline] = await Promise.all([remainingSends(deviceId), online.remaining(deviceId)]);
      return ofOnline === undefined ? sends : [...sends, ofOnline];
    },
    /**
     * Ingests envelopes and returns their outcomes, in order, after the commit. Envelopes of many callers share a
     * transaction. Throws OVERLOADED if too many are waiting. If the database fails, the outcome is DATABASE_UNAVAILABLE;
     * the envelope may or may not be stored, and sending it again does no harm.
     */
    accept: (
      sender: Sender,
      envelopes: readonly Envelope[],
      sideEffect?: TransactionalSideEffect,
    ): Promise<Outcome[]> => ingest.accept(sender, envelopes, sideEffect),
    /** Whether messages are refused because the database confirms none. */
    isStuck: () => ingest.isStuck(),
    /** The hash by which a repetition of an envelope is recognised, for `Envelope.dedupKey`. */
    dedupKeyOf: (sender: Sender, envelope: Envelope): string => deduplication.keyOf(sender, envelope),
    wasSentBy: deduplication.wasSentBy,
    /** The approximate number of database rows that the queues of devices occupy. */
    countDeviceRows: countRows,
    forgetDevices,
    federationOf: federationCounts.federationOf,
    /** Removes messages whose retention period has ended; returns the number of rows it examined. */
    expireMessages: () => expireMessages(deps),
    prepareKeys: deduplication.prepareKeys,
    expireKeys: deduplication.expireKeys,
    /** Adds the recent sends of all devices to their totals. */
    async addRecentSends(): Promise<void> {
      await federationCounts.addRecentSends();
      await updateSentTotals(db);
    },
    forgetOldDomains: federationCounts.forgetOldDomains,
  };
}

/** The part of the service that serves streams. */
function delivery(deps: {
  db: Database;
  clock: Clock;
  presence: Presence;
  deliveryCursor: ReturnType<typeof createDeliveryCursor>;
}) {
  const { db, clock, presence, deliveryCursor } = deps;
  return {
    /**
     * Makes this stream the device's current one and notifies the one that it replaces, on any node. Throws
     * RATE_LIMIT_EXCEEDED with `retry_after` if the device's stream was replaced too often within a minute.
     */
    attach: (deviceId: string, streamId: string, sink: StreamSink) => presence.attach(deviceId, streamId, sink),
    /** Ends the stream's presence, if it is still the device's current one. */
    detach: (deviceId: string, streamId: string) => presence.detach(deviceId, streamId),
    /**
     * The messages after a position, in order, and the head of the queue at the same moment. If fewer than `limit`
     * messages and fewer than `bytes` bytes are returned, nothing is left between the last message and the head.
     */
    async readAfter(deviceId: string, after: number, bounds: { limit: number; bytes: number }): Promise<QueueSlice> {
      const page = await readQueue(db, { ...bounds, deviceId, after, since: 0, now: clock.nowSeconds(), overshoot: 1 });
      return { messages: page?.messages ?? [], head: page?.head ?? 0 };
    },
    /** Must be called with the messages that a stream has pushed, in order: measures latencies and moves the cursor. */
    delivered(deviceId: string, streamId: string, messages: readonly QueuedMessage[]): void {
      const delivered = presence.moveCursor(deviceId, streamId, messages);
      if (delivered !== undefined) deliveryCursor.note(deviceId, messages, { delivered, skipping: false });
    },
    /** Number of messages in the queue. */
    countQueued: (deviceId: string) => countQueued(db, deviceId),
  };
}

/** Removes the queues and counters of devices. Windows come last: a flush that holds the other rows may be waiting for them over another connection. */
async function forgetDevices(db: Db, deviceIds: readonly string[]): Promise<void> {
  await deleteQueues(db, deviceIds);
  await deleteFederationCounts(db, deviceIds);
  await deleteWindows(db, deviceIds);
}

const prepareKeysEverySeconds = 3_600;
const expireKeysEverySeconds = 3_600;
const addRecentSendsEverySeconds = 3_600;
const forgetOldDomainsEverySeconds = 86_400;

/** Schedules the clean-up of messages, keys and counts. The database keeps the last run of each job under its name. */
export function scheduleMessagesJobs(
  schedule: Pick<Schedule, "every" | "cleanUpEvery">,
  messages: Pick<
    MessagesService,
    "expireMessages" | "prepareKeys" | "expireKeys" | "addRecentSends" | "forgetOldDomains"
  >,
  config: Pick<NodeSettings, "expiryIntervalSeconds">,
): void {
  schedule.cleanUpEvery("messages.expire-messages", config.expiryIntervalSeconds, async () => {
    await messages.expireMessages();
  });
  schedule.every("messages.prepare-keys", prepareKeysEverySeconds, () => messages.prepareKeys());
  schedule.cleanUpEvery("messages.expire-keys", expireKeysEverySeconds, async () => {
    await messages.expireKeys();
  });
  schedule.every("messages.add-recent-sends", addRecentSendsEverySeconds, () => messages.addRecentSends());
  schedule.cleanUpEvery("messages.forget-old-domains", forgetOldDomainsEverySeconds, () => messages.forgetOldDomains());
}
