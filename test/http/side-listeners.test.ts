import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createChallenges } from "../../src/certificates/acme/challenges.js";
import { createMetricsListener } from "../../src/metrics/service.js";
import { createLogger } from "../../src/platform/logger.js";
import { findFreePort } from "../../src/platform/net/free-port.js";
import { connectRaw } from "./raw.js";

const logger = createLogger({ level: "silent" });
const config = { headersTimeoutSeconds: 10, answerStallSeconds: 60 };
const blockBytes = 65_536;
/** Fewer requests than this are read of a connection before the first of them is answered. */
const few = 10;

interface Listening {
  port: number;
  /** How often the listener asked for what it serves. */
  reads(): number;
}

async function startMetrics(): Promise<Listening> {
  const port = await findFreePort();
  let reads = 0;
  const read = async () => `reads ${++reads}\n`;
  const listener = createMetricsListener({ host: "127.0.0.1", port, logger, read, config });
  await listener.start();
  onTestFinished(() => listener.stop());
  return { port, reads: () => reads };
}

async function startChallenges(): Promise<Listening> {
  const port = await findFreePort();
  const folder = await mkdtemp(join(tmpdir(), "mls-relay-challenges-"));
  const files = { challenges: folder };
  const challenges = createChallenges({ host: "127.0.0.1", port, files, baseUrl: "https://relay.example", logger });
  await challenges.start();
  onTestFinished(async () => {
    await challenges.stop();
    await rm(folder, { recursive: true });
  });
  return { port, reads: () => 0 };
}

const listeners = [
  { name: "metrics", start: startMetrics, maxPerAddress: 25 },
  { name: "certificate challenges", start: startChallenges, maxPerAddress: 50 },
];

for (const { name, start, maxPerAddress } of listeners) {
  // Node.js answers requests without a Host before a handler sees them.
  for (const head of ["GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", "GET /metrics HTTP/1.1\r\n\r\n"]) {
    const kind = head.includes("Host") ? "requests" : "requests without a Host";
    test(`the listener for ${name} answers few ${kind} of a block, and closes the connection`, async () => {
      const { port, reads } = await start();
      const raw = connectRaw(port);
      raw.write(head.repeat(blockBytes / head.length));
      await raw.closed;
      const answers = raw.rest().match(/HTTP\/1\.1 \d/g)?.length ?? 0;
      expect(answers).toBeGreaterThan(0);
      expect(answers).toBeLessThan(few);
      expect(reads()).toBeLessThan(few);
    });
  }

  test(`the listener for ${name} answers others while one address holds all connections that it may`, async () => {
    const { port } = await start();
    const get = "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n";
    const held = Array.from({ length: maxPerAddress }, () => connectRaw(port));
    for (const raw of held) {
      raw.write(get);
      await raw.answer();
    }
    await connectRaw(port).closed;
    const other = connectRaw(port, "127.0.0.2");
    other.write(get);
    expect((await other.answer()).status).toBeLessThan(400);
    for (const raw of [...held, other]) raw.socket.destroy();
  });
}
