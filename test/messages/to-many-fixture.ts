import { expect } from "vitest";
import type { Config } from "../../src/composition/config.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { call } from "../support/api.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";

/** An address that no device holds. */
export const nowhere = `${"0".repeat(32)}@relay.test`;
export const queueLimit = 30;
const hour = 3600;

interface Draft {
  allOrNothing?: boolean;
  changes?: Record<string, unknown>;
}

type Sent = Omit<ReturnType<typeof message>, "recipient_address"> & { recipients: readonly string[] };
type Result = Awaited<ReturnType<typeof call<"sendMessageToMany">>>;

/** A relay with 12 recipients, on which four recipients of a Trusted sender count as one message. */
export interface ToManyFixture {
  relay: TestRelay;
  db: ReturnType<typeof createDatabase>;
  recipients: readonly TestDevice[];
  /** The addresses of the first recipients, or of all. */
  addresses(count?: number): string[];
  bodyFor(to: readonly string[], draft?: Draft): Sent;
  sendBody(from: TestDevice, body: unknown): Promise<Result>;
  /** The ids in the queues of these devices, or of all recipients. */
  queues(devices?: readonly TestDevice[]): Promise<string[][]>;
  /** A device that registered this many hours ago. */
  newSender(hours?: number): Promise<TestDevice>;
  /** A device with a limit beyond what a test sends. */
  unlimited(): Promise<TestDevice>;
  /** Sends as many messages to the device, from another one. */
  fill(device: TestDevice, count?: number): Promise<void>;
  /** Empties the queues of all recipients. */
  emptyQueues(): Promise<void>;
  /** Empties those of all recipients but one. */
  emptyQueuesBut(kept: TestDevice): Promise<void>;
  stop(): Promise<void>;
}

export async function startToManyFixture(overrides: Partial<Config> = {}): Promise<ToManyFixture> {
  const relay = await startRelay({
    ...overrides,
    seeds: {
      SEED_STORAGE_ANNOUNCEMENT_RETENTION_HOURS: "1000",
      SEED_STORAGE_MESSAGE_QUEUE_LIMIT: String(queueLimit),
      SEED_RATE_LIMITING_RECIPIENTS_PER_MESSAGE: "4",
      SEED_RATE_LIMITING_BURST_ALLOWANCE: "0",
      SEED_PROGRESSIVE_TRUST_TRUSTED_TIER_LIMIT: "5",
      SEED_FEDERATION_ENABLED: "false",
    },
  });
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  const recipients: TestDevice[] = [];
  for (let i = 0; i < 12; i++) recipients.push(await newDevice(relay));

  const unlimited = async (): Promise<TestDevice> => {
    const device = await newDevice(relay);
    await db.run("update devices set custom_limit = 1000 where device_id = :id", { id: device.deviceId });
    return device;
  };
  return {
    relay,
    db,
    recipients,
    addresses: (count = recipients.length) => recipients.slice(0, count).map(({ address }) => address),
    bodyFor: (to, draft) => bodyFor(relay, to, draft),
    sendBody: (from, body) => call(relay, "sendMessageToMany", { token: from.token, body }),
    queues: (devices = recipients) => Promise.all(devices.map(queueOf)),
    async newSender(hours = 0) {
      const device = await newDevice(relay);
      await db.run("update devices set registered_at = registered_at - :age::bigint where device_id = :id", {
        id: device.deviceId,
        age: hours * hour,
      });
      return device;
    },
    unlimited,
    async fill(device, count = queueLimit) {
      const sender = await unlimited();
      const messages = Array.from({ length: count }, () => message(relay, device.address));
      const { body } = demand(await call(relay, "sendMessageBatch", { token: sender.token, body: { messages } }));
      expect(body.accepted_count).toBe(count);
    },
    async emptyQueues() {
      for (const one of recipients) await one.ack(await queueOf(one));
    },
    async emptyQueuesBut(kept) {
      for (const one of recipients) if (one !== kept) await one.ack(await queueOf(one));
    },
    async stop() {
      await db.close();
      await relay.stop();
    },
  };
}

function bodyFor(relay: TestRelay, to: readonly string[], { allOrNothing, changes = {} }: Draft = {}): Sent {
  const { recipient_address: _, ...content } = message(relay, "");
  return { ...content, recipients: to, ...(allOrNothing && { all_or_nothing: true }), ...changes };
}

/** The members of a message that its recipients get. */
export const sentMembers = ({ message_id, mls_ciphertext, sender_signature, timestamp }: Sent) => ({
  ...{ message_id, mls_ciphertext, sender_signature, timestamp },
});

/** The ids of the messages in the device's queue. */
export async function queueOf(device: TestDevice): Promise<string[]> {
  return demand(await device.poll({ limit: 1000 })).body.messages.map((one) => one.message_id);
}
