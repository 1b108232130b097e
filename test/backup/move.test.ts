import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BackupPart, decodeArchive, encodeArchive } from "../../src/backup/archive.js";
import { pack, unpack } from "../../src/backup/encryption.js";
import { call } from "../support/api.js";
import { runCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { newPackages, upload } from "../support/key-packages.js";
import { startRelay, type TestRelay } from "../support/relay.js";

const masterKey = randomBytes(32).toString("hex");
const databases: TestDatabase[] = [];
let folder: string;
let source: TestDatabase;
let relay: TestRelay;
let device: TestDevice;
let move: string;

const envOf = ({ url }: TestDatabase) => ({ DATABASE_URL: url, MASTER_KEY: masterKey, DOMAIN: "relay.test" });
const start = ({ url }: TestDatabase) => startRelay({ databaseUrl: url, masterKey });

async function database(options: { empty?: boolean } = {}): Promise<TestDatabase> {
  const made = await createTestDatabase(options);
  databases.push(made);
  return made;
}

/** What a restore of an old backup would void. */
async function kept(): Promise<unknown> {
  const { token } = device;
  const { body } = demand(await call(relay, "pollMessages", { token }));
  const status = demand(await call(relay, "getKeyPackageStatus", { token }));
  const keys = await fetch(`${relay.url}/.well-known/jwks.json`).then((answer) => answer.json());
  return { messages: body.messages, available: status.body.available_count, keys };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mls-relay-move-"));
  source = await database();
  relay = await start(source);
  device = await newDevice(relay);
  demand(await device.send(device.address));
  demand(await upload(relay, device, { packages: newPackages(3) }));
  move = join(folder, "move.backup");
});
afterAll(async () => {
  for (const each of databases) await each.drop();
  await rm(folder, { recursive: true });
});

describe("a move", () => {
  test("is refused while the relay runs, and leaves no mark", async () => {
    const refused = await runCommand(["backup", "--move", move, "--quiet"], envOf(source));
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("stop it first") });
    await relay.stop();
    relay = await start(source);
  });

  test("keeps sessions, key packages and signing keys, and the old database starts no relay", async () => {
    const before = await kept();
    await relay.stop();
    expect(await runCommand(["backup", "--move", move, "--quiet"], envOf(source))).toMatchObject({
      code: 0,
      stderr: "",
    });
    await expect(start(source)).rejects.toThrow("this database was moved");

    const target = await database({ empty: true });
    const restored = await runCommand(["restore", move, "--quiet"], envOf(target));
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining("stay as they are") });
    relay = await start(target);
    expect(await kept()).toEqual(before);
    await relay.stop();
  });

  test("is restored like any other backup if it is older than a day", async () => {
    const old = join(folder, "old.backup");
    async function* aged(): AsyncGenerator<BackupPart> {
      for await (const part of decodeArchive(unpack(createReadStream(move), []))) {
        if (part.kind === "header") part.header.takenAt -= 86_400;
        yield part;
      }
    }
    await writeFile(old, pack(encodeArchive(aged()), []));
    const target = await database({ empty: true });
    const restored = await runCommand(["restore", old, "--quiet"], envOf(target));
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining("Key packages are void") });
  });

  test("can be given up", async () => {
    expect(await runCommand(["backup", "--cancel-move"], envOf(source))).toMatchObject({ code: 0 });
    relay = await start(source);
    await relay.stop();
  });
});
