import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deviceKeysOf, newSecretKey } from "../../src/client/crypto/keys.js";
import { connectDevice, type DeviceClient } from "../../src/client/device/client.js";
import { encodeMessage } from "../../src/client/messages/messages.js";
import { constantsEnvironment } from "../../src/composition/config.js";
import { prefixAnnouncementText } from "../../src/protocol/signed-text.js";
import { hourSeconds } from "../../src/protocol/units.js";
import { type OwnRelay, startOwnRelay } from "../demo/relays.js";
import { startLaterRelay } from "./later-relay.js";

/** A relay, and what the generated clients should say to it. */
export interface ClientContext {
  /** Writes a task for one client: two signed announcements and messages from one device to the other. */
  task(folder: string): Promise<string>;
  stop(): Promise<void>;
}

/**
 * What a client is given. It announces both devices, sends `message` as the first one, polls as the second one, finds
 * the message, acknowledges it, and finds nothing more. It sends `unknown` and gets ADDRESS_NOT_FOUND, then sends
 * `over` and gets RATE_LIMIT_EXCEEDED with the limit. Then it prints `done`. Every object of an answer has a member
 * that the contract does not name.
 */
interface Task {
  url: string;
  announcements: object[];
  message: object;
  /** To an address that does not exist. */
  unknown: object;
  /** One more than the sender may send. */
  over: object;
}

/**
 * One message per hour, so that the second one exceeds the limit; compiling a client may take long before it announces.
 */
const limits = {
  SEED_PROGRESSIVE_TRUST_NEW_TIER_LIMIT: "1",
  ...constantsEnvironment({ timestampWindowPastSeconds: 2 * hourSeconds }),
};

export async function openClientContext(): Promise<ClientContext> {
  const relay = await startOwnRelay(limits);
  const later = await startLaterRelay(relay.url);
  return {
    async task(folder) {
      const [sender, recipient] = [await register(relay), await register(relay)];
      const prefix = randomBytes(16).toString("hex");
      const messageTo = (prefix: string) => {
        const message = { to: `${prefix}@${relay.domain}`, ciphertext: new Uint8Array(randomBytes(64)) };
        return encodeMessage(message, sender.connection);
      };
      const task: Task = {
        url: later.url,
        announcements: [
          await announcement(relay, sender, randomBytes(16).toString("hex")),
          await announcement(relay, recipient, prefix),
        ],
        message: await messageTo(prefix),
        unknown: await messageTo(randomBytes(16).toString("hex")),
        over: await messageTo(prefix),
      };
      const file = join(folder, "task.json");
      await writeFile(file, JSON.stringify(task, null, 2));
      return file;
    },
    async stop() {
      await later.stop();
      await relay.stop();
    },
  };
}

/** First announcements are not tested here, so the devices are registered before. */
async function register({ url, domain }: OwnRelay): Promise<DeviceClient> {
  const client = await connectDevice({ url, domain, keys: deviceKeysOf(newSecretKey()) });
  await client.register();
  return client;
}

async function announcement({ domain }: OwnRelay, { keys, deviceId }: DeviceClient, prefix: string): Promise<object> {
  const timestamp = Math.floor(Date.now() / 1000);
  const prefixes = [prefix];
  return {
    device_id: deviceId,
    delivery_address_prefixes: prefixes,
    timestamp,
    audience: domain,
    signature: await keys.sign(prefixAnnouncementText({ deviceId, prefixes, timestamp, audience: domain })),
  };
}
