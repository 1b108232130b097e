import { randomBytes, randomUUID } from "node:crypto";
import { type AdminClient, connectAdmin } from "../../src/client/admin.js";
import { deviceKeysOf, newSecretKey } from "../../src/client/crypto/keys.js";
import { connectDevice, type DeviceClient } from "../../src/client/device/client.js";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import type { Say } from "./log.js";
import { writeDevices, writePastDay, writePeers, writeReports } from "./past-day.js";

/** A relay that should look busy, and the secret key of an administrator with all permissions. */
interface BusyRelay {
  url: string;
  domain: string;
  databaseUrl: string;
  adminKey: Uint8Array;
  /** Unix seconds. */
  now: number;
}

const deviceCount = 10;
const messagesEach = 6;
const pastDevices = 400;
/** Devices that have fetched their messages and stay connected. The third one is blocked. */
const connected = [1, 3, 4];
const messageBytes = 400;
/** Names under `.invalid` never resolve (RFC 2606), so every delivery to them fails. */
const failingPeers = ["away.invalid", "gone.invalid"];

/** Devices with open streams. */
export interface ConnectedDevices {
  disconnect(): Promise<void>;
}

/**
 * Makes a relay look as it would after a busy day. Devices, messages, reports, failing deliveries and the acts of the
 * administrator are real; the day before is written (see past-day.ts). Some of the devices stay connected.
 */
export async function makeBusy(
  { url, domain, databaseUrl, adminKey, now }: BusyRelay,
  say: Say,
): Promise<ConnectedDevices> {
  const db = createDatabase({ url: databaseUrl, poolSize: 2 });
  try {
    await writePast(db, now);
    say("past", `a day of figures, ${pastDevices} devices and some peers are written into the database`);
    const devices = await registerDevices({ url, domain });
    say("devices", `${devices.length} register`);
    const sent = await exchangeMessages(devices);
    say("devices", `${sent} messages are sent, some of them to relays that do not exist`);
    const reported = await reportSpam(devices);
    say("devices", `${reported} messages are reported as spam`);
    const admin = await connectAdmin({ url, domain, keys: deviceKeysOf(adminKey) });
    await admin.login();
    await administer(admin, devices);
    say("admin", "verifies, blocks, limits, invites, and changes the configuration");
    return connect(devices);
  } finally {
    await db.close();
  }
}

async function writePast(db: Database, now: number): Promise<void> {
  await writeDevices(db, { count: pastDevices, now });
  await writeReports(db, now);
  await writePeers(db, now);
  await writePastDay(db, now);
}

async function registerDevices(at: { url: string; domain: string }): Promise<DeviceClient[]> {
  const devices: DeviceClient[] = [];
  for (let i = 0; i < deviceCount; i++) {
    const device = await connectDevice({ ...at, keys: deviceKeysOf(newSecretKey()) });
    await device.register();
    devices.push(device);
  }
  return devices;
}

/** Each device sends to the next one, and one message to each peer that fails. Every other device fetches its messages. */
async function exchangeMessages(devices: readonly DeviceClient[]): Promise<number> {
  let sent = 0;
  const send = async (device: DeviceClient, to: string): Promise<void> => {
    await device.send({ to, ciphertext: new Uint8Array(randomBytes(messageBytes)) });
    sent++;
  };
  for (const [index, device] of devices.entries()) {
    const next = addressOf(devices[(index + 1) % devices.length]);
    for (let i = 0; i < messagesEach; i++) await send(device, next);
    for (const peer of failingPeers) await send(device, `${randomUUID()}@${peer}`);
  }
  return sent;
}

/** The first devices report what their neighbours sent them; the others leave their messages in the queue. */
async function reportSpam(devices: readonly DeviceClient[]): Promise<number> {
  const half = Math.floor(devices.length / 2);
  let reported = 0;
  for (let i = 1; i < half; i++) {
    const [device, sender] = [devices[i], devices[i - 1]];
    if (device === undefined || sender === undefined) continue;
    const { messages } = await device.poll();
    const ids = messages.map(({ message_id }) => message_id);
    const [message_id = ""] = ids;
    await device.call("reportSpam", { body: { message_id, sender_id: sender.deviceId, reason: "spam" } });
    reported++;
    await device.acknowledge(ids);
  }
  return reported;
}

function connect(devices: readonly DeviceClient[]): ConnectedDevices {
  const receiving = connected.flatMap((index) => devices[index]?.receive({ handle: async () => undefined }) ?? []);
  return {
    async disconnect() {
      await Promise.all(receiving.map((one) => one.stop()));
    },
  };
}

async function administer(admin: AdminClient, [first, second, third]: readonly DeviceClient[]): Promise<void> {
  const idOf = (device: DeviceClient | undefined): string => device?.deviceId ?? "";
  await admin.call("verifyDevice", { body: { device_id: idOf(first), reason: "runs the reading group" } });
  const limit = { device_id: idOf(second), custom_rate_limit: 300, reason: "a bot that many follow" };
  await admin.call("setRateLimit", { body: limit });
  await admin.call("blockDevice", { path: { device_id: idOf(third) }, body: { reason: "floods strangers" } });
  for (const [server_domain, severity] of [
    ["waves-of-spam.example", "critical"],
    ["noisy.example", "high"],
  ] as const) {
    const body = { server_domain, reason: "waves of spam", reason_category: "spam", severity } as const;
    await admin.call("blockServer", { body });
  }
  await admin.call("createInvite", { body: { max_uses: 5 } });
  await admin.call("createInvite", { body: {} });
  await admin.call("updateConfig", { body: { storage: { message_queue_limit: 2_000 } } });
}

function addressOf(device: DeviceClient | undefined): string {
  return device?.session()?.addresses[0] ?? "";
}
