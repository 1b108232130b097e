import { randomBytes, randomInt } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { constantsEnvironment } from "../../src/composition/config.js";
import { createManualClock, createSystemClock } from "../../src/node/clock.js";
import { type RunningCommand, startCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { newDevice, type TestDevice } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import {
  type Created,
  complete,
  createBlob,
  download,
  newBytes,
  partsOf,
  putPart,
  storedFolders,
  uploadState,
} from "./uploading.js";

const rounds = 3;
const workers = 4;
const bytesEach = 1024 * 1024 + 500_000;

let database: TestDatabase;
let folder: string;
let running: RunningCommand;
let relay: TestRelay;
let device: TestDevice;

async function start(): Promise<void> {
  running = startCommand(["serve"], {
    ...{ HOST: "127.0.0.1", PORT: "0", LOG_LEVEL: "error", DATABASE_URL: database.url, BLOB_DIR: folder },
    ...{ MASTER_KEY: masterKey, DOMAIN: "relay.test", BASE_URL: "https://relay.test" },
    ...{ SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false" },
    ...constantsEnvironment({ newTierBlobsPerHour: 100_000, newTierBlobBytesPerDay: 2 ** 40, nodeDeadAfterSeconds: 3 }),
    BLOB_BYTES_PER_DAY: String(2 ** 40),
    BLOB_BYTES_PER_IP_DAY: String(2 ** 40),
  });
  const [, url = ""] = await running.seen(/ at (http\S+)/);
  relay.url = url;
}

async function kill(): Promise<void> {
  running.kill("SIGKILL");
  await running.ended;
}

const masterKey = randomBytes(32).toString("hex");

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(path.join(tmpdir(), "mls-relay-killed-"));
  const clock = createManualClock(createSystemClock());
  relay = { url: "", clock, config: { domain: "relay.test" } } as TestRelay;
  await start();
  device = await newDevice(relay);
});
afterAll(async () => {
  await kill();
  await database.drop();
  await rm(folder, { recursive: true });
});

interface Sent {
  blob: Created;
  bytes: Uint8Array;
  isComplete: boolean;
}

/** Uploads one blob after another until the relay is gone. */
async function uploadUntilGone(sent: Sent[]): Promise<void> {
  try {
    for (;;) {
      const bytes = newBytes(bytesEach);
      const blob = await createBlob(relay, device, { size: bytes.length });
      const one = { blob, bytes, isComplete: false };
      sent.push(one);
      for (const [part, content] of partsOf(bytes, blob).entries())
        expect((await putPart(relay, blob, part, content)).status).toBe(200);
      expect((await complete(relay, blob)).status).toBe(200);
      one.isComplete = true;
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

test("a relay that is killed loses nothing that was completed, serves nothing half, and leaves no bytes without a row", async () => {
  const sent: Sent[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = sent.length;
    const working = Array.from({ length: workers }, () => uploadUntilGone(sent));
    const wanted = before + workers + randomInt(2 * workers);
    await until(async () => sent.length >= wanted, "uploads go on");
    await kill();
    await Promise.all(working);
    await start();
    for (const { blob, bytes, isComplete } of sent) {
      const found = await download(relay, blob);
      expect(isComplete ? [200] : [200, 404]).toContain(found.status);
      if (found.status === 200) expect(found.bytes.equals(bytes)).toBe(true);
    }
    const rows = await database.db.rows<{ name: string }>("select encode(name, 'hex') as name from blobs");
    const known = new Set(rows.map(({ name }) => name));
    const stored = storedFolders({ blobDir: folder }).map((name) => name.replace(/\.upload$/, ""));
    expect(stored.filter((name) => !known.has(name))).toEqual([]);
  }
  expect(sent.some(({ isComplete }) => isComplete)).toBe(true);
});

test("an upload goes on after the relay was killed meanwhile", async () => {
  const bytes = newBytes(3 * bytesEach);
  const blob = await createBlob(relay, device, { size: bytes.length });
  const parts = partsOf(bytes, blob);
  expect((await putPart(relay, blob, 0, parts[0] as Uint8Array)).status).toBe(200);
  const others = [...parts.entries()].slice(1);
  const answers = others.map(([part, content]) => putPart(relay, blob, part, content).catch(() => undefined));
  await Promise.race(answers);
  await kill();
  const answered = (await Promise.all(answers)).flatMap((answer, i) => (answer?.status === 200 ? [i + 1] : []));
  await start();
  const stored = (await uploadState(relay, blob)).body.stored_parts;
  expect(stored).toEqual(expect.arrayContaining([0, ...answered]));
  for (const [part, content] of parts.entries())
    if (!stored.includes(part)) expect((await putPart(relay, blob, part, content)).status).toBe(200);
  expect((await complete(relay, blob)).status).toBe(200);
  expect((await download(relay, blob)).bytes.equals(bytes)).toBe(true);
});
