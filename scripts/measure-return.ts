// Measures how soon clients receive again after their relay was away: `tsx scripts/measure-return.ts 8 kill 10 3` stops
// a relay with 8 clients three times for 10 seconds. `kill` ends its process at once, `stop` lets it drain. Meanwhile a
// device keeps sending to the clients, and nothing that was accepted may be missing at the end.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { deviceKeysOf, newSecretKey } from "../src/client/crypto/keys.js";
import { connectDevice, type DeviceClient } from "../src/client/device/client.js";
import { startEmbeddedPostgres } from "../src/database/embedded/server.js";
import { createLogger } from "../src/platform/logger.js";
import { findFreePort } from "../src/platform/net/free-port.js";
import { createLifecycle } from "../src/process/lifecycle.js";
import { transpile, transpiled } from "../test/support/transpiled.js";

const [clientCount = 8, awaySeconds = 10, rounds = 3] = [process.argv[2], process.argv[4], process.argv[5]].map(Number);
const isKill = process.argv[3] !== "stop";
const domain = "relay.test";
const sendEveryMillis = 100;
const lookMillis = 20;
const patienceMillis = 180_000;

interface Client {
  device: DeviceClient;
  /** When its stream was opened last. */
  streamingAt: number;
  received: Set<string>;
}

const lifecycle = createLifecycle();
try {
  await transpile();
  const relay = await prepareRelay();
  await relay.start();
  const clients = await Promise.all(Array.from({ length: clientCount }, () => startClient(relay.url)));
  await until(() => clients.every(({ streamingAt }) => streamingAt > 0));
  const sending = startSending(relay.url, clients);
  const returns: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await sleep(11_000); // a stream counts as stable after ten seconds
    await relay.end();
    await sleep(1000 * awaySeconds);
    await relay.start();
    const readyAt = performance.now();
    await until(() => clients.every(({ streamingAt }) => streamingAt > readyAt - 1000));
    returns.push(...clients.map(({ streamingAt }) => Math.max(0, streamingAt - readyAt)));
  }
  const accepted = await sending.stop();
  const received = () => clients.reduce((sum, client) => sum + client.received.size, 0);
  await until(() => received() >= accepted.size).catch(() => undefined);
  const missing = [...accepted].filter((id) => !clients.some((client) => client.received.has(id)));
  returns.sort((a, b) => a - b);
  const at = (share: number) => `${((returns[Math.floor(share * (returns.length - 1))] ?? 0) / 1000).toFixed(2)} s`;
  const what = `${clientCount} clients, ${isKill ? "killed" : "stopped"} for ${awaySeconds} s, ${rounds} times`;
  console.log(
    `${what}: median ${at(0.5)}, p95 ${at(0.95)}, last ${at(1)}; ${accepted.size} accepted, ${missing.length} lost`,
  );
} finally {
  await lifecycle.end();
}

async function prepareRelay(): Promise<{ url: string; start(): Promise<void>; end(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "mls-relay-return-"));
  lifecycle.atEnd(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir: folder, logger: createLogger({ level: "error" }) });
  lifecycle.atEnd(() => postgres.stop());
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    PATH: process.env["PATH"] ?? "",
    ...{ DATA_DIR: folder, DATABASE_URL: postgres.url, DOMAIN: domain, BASE_URL: url, PORT: String(port) },
    ...{ LOG_LEVEL: "error", SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false", SEED_RATE_LIMITING_ENABLED: "false" },
    // All of them come from one address.
    UNAUTHENTICATED_STREAMS_PER_IP: "1000",
    ...{ FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "10000", FIRST_ANNOUNCEMENTS_PER_IP_DAY: "10000" },
  };
  let child: ChildProcess | undefined;
  const end = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(isKill ? "SIGKILL" : "SIGTERM");
    await ended;
  };
  lifecycle.atEnd(end);
  return {
    url,
    end,
    async start() {
      child = spawn(process.execPath, [transpiled("src/cli/main.ts"), "serve"], {
        env,
        stdio: ["ignore", "ignore", "inherit"],
      });
      await until(() =>
        fetch(`${url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      );
    },
  };
}

async function startClient(url: string): Promise<Client> {
  const device = await connectDevice({ url, domain, keys: deviceKeysOf(newSecretKey()) });
  await device.register({ admission: { by: "nothing" } });
  const client: Client = { device, streamingAt: 0, received: new Set() };
  const receiving = device.receive({
    handle: ({ messageId }) => void client.received.add(messageId),
    onStatus({ state }) {
      if (state === "streaming") client.streamingAt = performance.now();
    },
  });
  lifecycle.atEnd(() => receiving.stop());
  return client;
}

/** Sends to one client after the other. A message without an answer is sent again with the same id. */
function startSending(url: string, clients: readonly Client[]): { stop(): Promise<Set<string>> } {
  const accepted = new Set<string>();
  let isOver = false;
  const send = async () => {
    const device = await connectDevice({ url, domain, keys: deviceKeysOf(newSecretKey()) });
    await device.register({ admission: { by: "nothing" } });
    for (let count = 0; !isOver; count++) {
      const to = clients[count % clients.length]?.device.session()?.addresses[0] ?? "";
      const messageId = device.connection.newMessageId();
      const message = { to, messageId, ciphertext: new Uint8Array(200) };
      for (let isSent = false; !isSent; )
        isSent = await device.send(message).then(
          () => true,
          () => false,
        );
      accepted.add(messageId);
      await sleep(sendEveryMillis);
    }
  };
  const sending = send();
  return {
    async stop() {
      isOver = true;
      await sending;
      return accepted;
    },
  };
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMillis;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error("waited in vain");
    await sleep(lookMillis);
  }
}
