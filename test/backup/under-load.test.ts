import { randomBytes } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CommandResult, runCommand, startCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { fetchPackage, newPackages, packageStatus, upload } from "../support/key-packages.js";
import { startRelay, type TestRelay } from "../support/relay.js";

const masterKey = randomBytes(32).toString("hex");
const seeds = { SEED_RATE_LIMITING_ENABLED: "false" };

let source: TestDatabase;
let target: TestDatabase;
let relay: TestRelay;
let folder: string;
let sender: TestDevice;
let reader: TestDevice;
let owner: TestDevice;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mls-relay-backup-"));
  source = await createTestDatabase();
  target = await createTestDatabase({ empty: true });
  relay = await startRelay({ databaseUrl: source.url, masterKey, seeds });
  [sender, reader, owner] = [await newDevice(relay), await newDevice(relay), await newDevice(relay)];
  demand(await upload(relay, owner, { packages: newPackages(100) }));
});
afterAll(async () => {
  await relay.stop();
  await source.drop();
  await target.drop();
  await rm(folder, { recursive: true });
});

/** What the clients were told, each with its turn: turns grow with every answer. */
interface Ledger {
  accepted: Map<string, number>;
  acknowledged: Map<string, number>;
  fetched: string[];
}

/** Sends, reads, acknowledges and takes key packages until told to stop. */
async function work(ledger: Ledger, until: { stopped: boolean; turn: number }): Promise<void> {
  const sending = async (): Promise<void> => {
    while (!until.stopped) {
      const { body } = demand(await sender.send(reader.address));
      ledger.accepted.set(body.message_id, ++until.turn);
    }
  };
  // Every fifth of the first two hundred stays in the queue.
  const isKept = (id: string): boolean => {
    const at = [...ledger.accepted.keys()].indexOf(id);
    return at < 200 && at % 5 === 0;
  };
  const reading = async (): Promise<void> => {
    while (!until.stopped) {
      const { messages } = demand(await reader.poll({ limit: 100 })).body;
      const ids = messages.map((message) => message.message_id).filter((id) => !isKept(id));
      if (ids.length > 0) demand(await reader.ack(ids));
      for (const id of ids) ledger.acknowledged.set(id, ++until.turn);
    }
  };
  await Promise.all([sending(), reading(), takePackages(ledger)]);
}

/** An hour's allowance is larger than twice this. */
async function takePackages(ledger: Ledger): Promise<void> {
  for (let i = 0; i < 4; i++) {
    ledger.fetched.push(demand(await fetchPackage(relay, sender, owner.deviceId)).body.key_package);
  }
}

async function allOf(device: TestDevice): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const { messages } = demand(await device.poll({ limit: 100 })).body;
    if (messages.length === 0) return ids;
    ids.push(...messages.map((message) => message.message_id));
    demand(await device.ack(messages.map((message) => message.message_id)));
  }
}

describe("a backup of a running relay", () => {
  const file = () => join(folder, "relay.backup");
  const ledger: Ledger = { accepted: new Map(), acknowledged: new Map(), fetched: [] };
  const turns = { stopped: false, turn: 0 };
  let begunAt = 0;
  let endedAt = 0;

  test("is written while messages come and go", async () => {
    const env = { DATABASE_URL: source.url, MASTER_KEY: masterKey, DOMAIN: "relay.test" };
    const working = work(ledger, turns);
    await expect.poll(() => ledger.acknowledged.size).toBeGreaterThan(20);
    begunAt = turns.turn;
    const backup = await startCommand(["backup", file(), "--bytes-per-second", "20k"], env).ended;
    endedAt = turns.turn;
    await expect.poll(() => turns.turn).toBeGreaterThan(endedAt + 50);
    await takePackages(ledger);
    turns.stopped = true;
    await working;
    expect(backup).toMatchObject({ code: 0, stdout: expect.stringContaining("not encrypted") });
    expect(backup.stderr).toMatch(/^backup: \d+ bytes in \d/m);
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect(endedAt).toBeGreaterThan(begunAt);
    await relay.stop();
  });

  test("restores every message of its snapshot, and no single-use item is delivered twice", async () => {
    const env = { DATABASE_URL: target.url, MASTER_KEY: masterKey, DOMAIN: "relay.test" };
    const restored: CommandResult = await runCommand(["restore", file(), "--quiet"], env);
    expect(restored).toMatchObject({ code: 0, stderr: "" });
    expect(restored.stdout).toContain("Key packages are void");
    Object.assign(relay, await startRelay({ databaseUrl: target.url, masterKey, seeds }));

    expect((await reader.poll()).status, "tokens from before are void").toBe(401);
    for (const device of [reader, sender, owner]) await device.announce();
    const found = new Set(await allOf(reader));
    const owed = [...ledger.accepted].filter(([id, turn]) => {
      const goneAt = ledger.acknowledged.get(id);
      return turn <= begunAt && (goneAt === undefined || goneAt > endedAt);
    });
    expect(owed.length).toBeGreaterThan(0);
    expect(owed.filter(([id]) => !found.has(id))).toEqual([]);
    const gone = [...ledger.acknowledged].filter(([, turn]) => turn <= begunAt).map(([id]) => id);
    expect(gone.filter((id) => found.has(id))).toEqual([]);

    expect((await packageStatus(relay, owner)).body.available_count).toBe(0);
    expect((await fetchPackage(relay, sender, owner.deviceId)).status).toBe(404);
    expect(new Set(ledger.fetched).size).toBe(ledger.fetched.length);
    expect((await sender.send(reader.address)).status).toBe(202);
    expect(await allOf(reader)).toHaveLength(1);
  });
});
