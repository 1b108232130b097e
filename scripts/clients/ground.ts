import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type OwnRelay, startOwnRelay } from "../../src/cli/demo/own-relay.js";
import { prefixAnnouncementText } from "../../src/protocol/signed-text.js";
import { connectDevice, type DeviceClient } from "../../src/sdk/client.js";
import { deviceKeysOf, newSecretKey } from "../../src/sdk/keys.js";
import { signCiphertext, wireMessage } from "../../src/sdk/messages.js";

/** A relay, and what the generated clients are to say to it. */
export interface ClientGround {
  relay: OwnRelay;
  /** Writes a task for one client: two signed announcements and a message from one device to the other. */
  task(folder: string): Promise<string>;
}

/**
 * What a client is given. It announces both devices, sends the message as the first one, polls as the second one, finds
 * the message, acknowledges it, and finds nothing more. Then it prints `done`.
 */
interface Task {
  url: string;
  announcements: object[];
  message: object;
}

export async function openClientGround(): Promise<ClientGround> {
  const relay = await startOwnRelay();
  return {
    relay,
    async task(folder) {
      const [sender, recipient] = [await register(relay), await register(relay)];
      const prefix = randomBytes(16).toString("hex");
      const ciphertext = new Uint8Array(randomBytes(64));
      const message = {
        to: `${prefix}@${relay.domain}`,
        ciphertext,
        signature: signCiphertext(sender.secretKey, ciphertext),
      };
      const task: Task = {
        url: relay.url,
        announcements: [
          await announcement(relay, sender.client, randomBytes(16).toString("hex")),
          await announcement(relay, recipient.client, prefix),
        ],
        message: wireMessage(message, sender.client.connection),
      };
      const file = join(folder, "task.json");
      await writeFile(file, JSON.stringify(task, null, 2));
      return file;
    },
  };
}

/** The proof of a first announcement is not what is tried here, so the devices are known before. */
async function register({ url, domain }: OwnRelay): Promise<{ client: DeviceClient; secretKey: Uint8Array }> {
  const secretKey = newSecretKey();
  const client = await connectDevice({ url, domain, keys: deviceKeysOf(secretKey) });
  await client.register();
  return { client, secretKey };
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
